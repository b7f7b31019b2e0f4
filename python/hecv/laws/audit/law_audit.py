"""The audit of laws: each is proved by Z3, one type at a time, or refuted, or tested, and the audit says which.

An equation between total values is proved for all values of its variables. A law that only refines is proved with
poison and undefined behaviour: wherever its left side is defined, its right side is, and refines it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.theory import (
    Bits,
    Bool,
    Constant,
    Expression,
    Outcome,
    Sort,
    Variable,
    all_of,
    bit_and,
    bits,
    eq,
    holds,
    like,
    not_,
    sort_of,
    sub,
    ult,
    width,
)
from hecv.base.types import INDEX, FloatType
from hecv.laws.audit.integer_proofs import proved_over_integers
from hecv.laws.audit.law_trials import TRIALS, try_out
from hecv.laws.audit.refinement_proofs import by_hole, refinement
from hecv.laws.notation.law_text import premises_text
from hecv.ops import OPERATORS
from hecv.patterns.equations.equations import Kind, Number, Operation, Pattern, kind_of, variables
from hecv.patterns.equations.equations import Variable as Hole
from hecv.patterns.equations.law_record import FORMATS, Instance, Law, integer
from hecv.smt.rounded_reals import equal_by_definition
from hecv.smt.z3_goals import Decision, Proved, Refuted, Unknown, Vacuous, decide
from hecv.smt.z3_theory import Operand, Translator, Unencodable

BLASTED: Final = 4
"""The greatest width at which laws on products and quotients of variables are proved by bit-blasting."""

QUICK: Final = (1, 2, 4, 8, 16, 32, 64)
"""The widths of an audit of the whole book."""

Status = Literal["proved", "refines", "tested", "trusted", "failed", "inapplicable", "unknown"]

WORST: Final[tuple[Status, ...]] = ("failed", "unknown", "tested", "trusted", "refines", "proved", "inapplicable")
"""Statuses from the worst to the best."""

Counterexample = dict[str, int | float | bool | str]


class Audit(Struct, frozen=True):
    """The audit of one law at certain types.

    - `proved`: both sides are equal. `refines`: the right side refines the left one.
    - `failed`: false at `model`, by the names of variables. `inapplicable`: its conditions never hold.
    - `tested`: Z3 gave up, and random values showed no difference.
    - `how`: `z3`, `definition` (floats, however exact results are rounded), `cases` (each value of a literal by
      itself), `integers` (every width at once) or `random`.
    """

    result: Status
    how: str = ""
    model: Counterexample | None = None
    reason: str = ""


class TypeAudit(Struct, frozen=True):
    """An audit, and the types that it is of: the law's own, then those of its `Kind` parameters."""

    types: tuple[str, ...]
    audit: Audit


class RuleAudit(Struct, frozen=True):
    """The audits of one law. `audit` is the worst of them; `widths` are those of its own type with that status."""

    name: str
    kind: str
    audit: Status
    widths: tuple[int, ...]
    place: str
    types: tuple[TypeAudit, ...]
    seconds: float


def audit_book(
    laws: Sequence[Law], widths: Sequence[int] = QUICK, milliseconds: int = 5_000, formats: Sequence[str] = FORMATS
) -> list[RuleAudit]:
    """Audits every law at all combinations of these types; `milliseconds` limits the work of one question."""
    kinds = kinds_at(widths, formats)
    return [audit_law(law, kinds, milliseconds) for law in laws]


INDEX_KIND: Final = kind_of(INDEX, 64)


def kinds_at(widths: Sequence[int], formats: Sequence[str] = FORMATS) -> tuple[Kind, ...]:
    """The integers of these widths and the floats of these formats."""
    return (*map(integer, widths), *[Kind(FloatType(name), 0) for name in formats])


def audit_law(law: Law, kinds: Sequence[Kind], milliseconds: int) -> RuleAudit:
    """Audits one law at each type at which it may fire; a law on `index` alone, also at 64 bits."""
    started = time.monotonic()
    instances = list(law.instances(kinds)) or list(law.instances([*kinds, INDEX_KIND]))
    found = [(instance, audit(instance, milliseconds)) for instance in instances]
    status = worst([a.result for _, a in found])
    own = {i.kinds[0].width if i.kinds else 1 for i, a in found if a.result == status}
    return RuleAudit(
        law.name,
        "static",
        status,
        tuple(sorted(own - {0})),
        law.place,
        tuple(TypeAudit(tuple(str(kind.type) for kind in i.kinds), a) for i, a in found),
        time.monotonic() - started,
    )


def worst(results: Sequence[Status]) -> Status:
    """The worst of these audits; `inapplicable` if there are none."""
    return min(results, key=WORST.index) if results else "inapplicable"


def audit(instance: Instance, milliseconds: int) -> Audit:
    """The audit of a law at these types, for all values of its variables that satisfy its condition and premises.

    A law with `integral` is proved over the integers above `BLASTED` bits, and up to there if bit-blasting does not
    prove it. If Z3 gives up and the condition leaves few values for a literal, each is tried by itself. What is left is
    tested. `reason` says of a law that is proved under premises which these are: a premise is assumed, and so has to
    hold, wherever its operator occurs in the left side, also under a select.
    """
    found = _audit(instance, milliseconds)
    premises = "; ".join(premises_text(instance.equation)) if found.result in ("proved", "refines") else ""
    return replace(found, reason=premises) if premises else found


def _audit(instance: Instance, milliseconds: int) -> Audit:
    wide = any(kind.width > BLASTED for kind in instance.kinds)
    if instance.law.refines:
        if wide and _refines_over_integers(instance, milliseconds):
            return Audit("refines", "integers")
        found = _audited(refinement(instance, milliseconds), "refines")
        return replace(found, model=by_hole(found.model)) if found.model else found
    if _by_definition(instance):
        return Audit("proved", "definition")
    found = Audit("unknown") if instance.law.integral and wide else _by_bits(instance, milliseconds)
    if found.result == "unknown" and instance.law.integral:
        proved = proved_over_integers(instance, instance.law.integral == "signed", milliseconds)
        found = Audit("proved", "integers") if proved else Audit("unknown", reason="it has no proof over the integers")
    return _tested(instance, found) if found.result == "unknown" else found


def _refines_over_integers(instance: Instance, milliseconds: int) -> bool:
    """Whether both sides are one integer where the left one is defined and not poison, and the right one is neither
    undefined nor poison where the left one is not."""
    equation = instance.equation
    if not instance.law.integral or not isinstance(equation.left, Operation):
        return False
    defined = replace(instance, equation=replace(equation, given=(*equation.given, equation.left)))
    signed = instance.law.integral == "signed"
    if not any(proved_over_integers(given, signed, milliseconds) for given in (instance, defined)):
        return False
    return isinstance(refinement(instance, milliseconds, values=False), Proved)


def _by_definition(instance: Instance) -> bool:
    """Whether an equation of floats holds however exact results are rounded."""
    equation = instance.equation
    if equation.where is not None or equation.given or not any(isinstance(k.type, FloatType) for k in instance.kinds):
        return False
    return equal_by_definition(meaning(equation.left).value, meaning(equation.right).value)


def _by_bits(instance: Instance, milliseconds: int) -> Audit:
    split = _split(instance, milliseconds)
    if split is None:
        return _audited(_decide(instance, {}, milliseconds), "proved")
    whole = _audited(_decide(instance, {}, milliseconds // 25), "proved")
    if whole.result != "unknown":
        return whole
    literal, values = split
    cases = [_audited(_decide(instance, {literal: value}, milliseconds), "proved") for value in values]
    results = {case.result for case in cases} - {"inapplicable"}
    if results == {"proved"}:
        return Audit("proved", "cases")
    return next((case for case in cases if case.result == "failed"), whole)


def _split(instance: Instance, milliseconds: int) -> tuple[str, list[int]] | None:
    """A literal for which the law's condition leaves only values below the width, or powers of two, and these."""
    where = instance.equation.where
    if where is None:
        return None
    for name, hole in variables(instance.equation.left).items():
        if hole.literal:
            value, bits = meaning(hole).value, hole.kind.width
            if _implies(instance, ult(value, width(value)), milliseconds):
                return name, list(range(bits))
            if _implies(instance, _is_power_of_two(value), milliseconds):
                return name, [1 << k for k in range(bits)]
    return None


def _is_power_of_two(value: Bits) -> Bool:
    one_less = sub(value, like(1, value))
    return all_of(eq(bit_and(value, one_less), like(0, value)), not_(eq(value, like(0, value))))


def _implies(instance: Instance, goal: Expression, milliseconds: int) -> bool:
    """The law's condition implies `goal`, over the same holes."""
    where = instance.equation.where
    assert where is not None
    z3 = Translator()
    operands = _operands(z3, variables(instance.equation.left), {})
    sides = z3.translate_all((goal, holds(meaning(where).value)), operands)
    return decide(sides[0], sides[1:], milliseconds) == Proved()


def _audited(decision: Decision, success: Status) -> Audit:
    match decision:
        case Proved():
            return Audit(success, "z3")
        case Refuted(model):
            return Audit("failed", "z3", {**model})
        case Vacuous(reason):
            return Audit("inapplicable", reason=reason)
        case _:
            return Audit("unknown", reason=decision.reason)


def _tested(instance: Instance, found: Audit) -> Audit:
    """What trials say of a law of which Z3 says nothing."""
    trials = try_out(instance)
    if trials.difference is not None:
        return Audit("failed", "random", {**trials.difference})
    if trials.held < TRIALS // 4:
        return Audit("unknown", reason=f"{found.reason}; its conditions held in {trials.held} of {TRIALS} trials")
    return Audit("tested", "random", reason=found.reason)


def _decide(instance: Instance, values: Mapping[str, int], milliseconds: int) -> Decision:
    """The equation, with these values for some holes."""
    z3 = Translator()
    equation = instance.equation
    left, right = meaning(equation.left).value, meaning(equation.right).value
    try:
        operands = _operands(z3, variables(equation.left), values)
        sides = z3.translate_all((left, right, *_conditions(instance)), operands)
    except Unencodable as problem:
        return Unknown(str(problem))
    decision = decide(sides[0] == sides[1], sides[2:], milliseconds)
    if isinstance(decision, Refuted) and z3.abstractions:
        return Unknown("not for every meaning of " + ", ".join(sorted(z3.abstractions)))
    return decision


def _operands(z3: Translator, holes: Mapping[str, Hole], values: Mapping[str, int]) -> dict[str, Operand]:
    found: dict[str, Operand] = {}
    for name, hole in holes.items():
        sort = _sort(hole.kind)
        value = z3.literal(values[name], sort) if name in values else z3.variable(name, sort)
        found[name] = Operand(value, z3.false)
    return found


def _conditions(instance: Instance) -> list[Expression]:
    """What the law may assume."""
    where = instance.equation.where
    conditions: list[Expression] = [] if where is None else [holds(meaning(where).value)]
    for premise in instance.equation.given:
        outcome = meaning(premise)
        conditions += [not_(outcome.poison), not_(outcome.ub)]
    return conditions


def meaning(pattern: Pattern) -> Outcome:
    """The value of a pattern, over variables with its names; poison and UB are those of its root alone."""
    match pattern:
        case Hole(kind=kind, name=name):
            return Outcome(Variable(_sort(kind), name, proper=True))
        case Number():
            return Outcome(_constant(pattern))
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            operands: tuple[Expression, ...] = tuple(meaning(a).value for a in args)
            return OPERATORS[op].outcome(operands, _sort(kind), attrs)
        case _:
            raise AssertionError(pattern)


def _constant(pattern: Number) -> Constant:
    if isinstance(pattern.value, str):
        return Constant(_sort(pattern.kind), float.fromhex(pattern.value))
    return bits(pattern.value, _sort(pattern.kind))


def _sort(kind: Kind) -> Sort:
    return sort_of(kind.type, kind.width)
