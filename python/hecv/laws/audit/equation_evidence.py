"""Evidence for an equation of a user's rule: proved, tested, only trusted, or refuted.

An equation with uninterpreted operators may be proved, if it holds for all functions. It cannot be refuted: a
counterexample for some function says nothing of the one that is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType
from hecv.base.value import Poison
from hecv.laws.audit.integer_proofs import proved_over_integers
from hecv.laws.audit.law_audit import Audit, Counterexample
from hecv.laws.audit.law_audit import audit as audit_law
from hecv.laws.audit.law_trials import can_draw, drawn
from hecv.laws.audit.refinement_proofs import as_term
from hecv.ops import OPERATORS
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import Equation, Operation, Pattern, Scalar, at_literals, index_width, variables
from hecv.patterns.equations.law_record import Instance
from hecv.patterns.typing.typed_rules import Define
from hecv.run.evaluation.op_evaluation import Evaluator

Status = Literal["proved", "refines", "tested", "trusted", "failed", "inapplicable"]

MILLISECONDS: Final = 1_000
TRIALS: Final = 500
SEED: Final = 7
SMALL: Final = (0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, -1, -2)
REALS: Final = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 4.0)
MOST_TUPLES: Final = 60
"""The most tuples of literals for which a law that computes with them is audited."""


class Judgement(Struct, frozen=True):
    """The evidence for an equation, how it was found, and a counterexample if it is false, by the names of variables in
    the rule file; for a `trusted` one, a counterexample for the C library's functions.

    `refines`: the right side may replace the left one, never the reverse.
    """

    status: Status
    how: str = ""
    model: Counterexample | None = None


Prover = Callable[[Equation], bool]
"""A further way to prove an equation of total values that has neither conditions nor premises."""


class Judge:
    """Judges equations, each once."""

    def __init__(self, prover: Prover | None = None, milliseconds: int = MILLISECONDS) -> None:
        self._prover = prover
        self._milliseconds = milliseconds
        self._known: dict[Equation, Judgement] = {}
        self._folders: dict[int, Folder] = {}

    def judge(self, instance: Instance) -> Judgement:
        """The judgement on an equation.

        Requires: it has no `computed`; see `judge_at`.
        """
        equation = instance.equation
        assert equation.computed is None
        if equation not in self._known:
            self._known[equation] = self._judge(instance)
        return self._known[equation]

    def judge_at(self, instance: Instance, values: Mapping[str, Scalar]) -> Judgement:
        """The judgement on an equation with `computed`, for literals of these values."""
        where, width = instance.equation.where, instance.index_width
        equation = at_literals(instance.equation, values)
        if equation is None:
            return Judgement("inapplicable")
        if where is not None and self._folders.setdefault(width, Folder(width)).evaluate(where, values) != 1:
            return Judgement("inapplicable")
        found = self.judge(replace(instance, equation=equation))
        return replace(found, model={**_by_name(values), **found.model}) if found.model is not None else found

    def samples(self, instance: Instance) -> Iterator[Judgement]:
        """The judgement on an equation with `computed`, for some literals for which it is claimed: first those that its
        guards name."""
        holes = [h for h in variables(instance.equation.left).values() if h.literal]
        define, count = instance.law.define, 0
        named = sorted(define.numbers) if isinstance(define, Define) else []
        for values in product(*[_literals(h.kind.type, h.kind.width, named) for h in holes]):
            found = self.judge_at(instance, dict(zip((h.name for h in holes), values, strict=True)))
            if found.status != "inapplicable":
                count += 1
                yield found
            if count >= MOST_TUPLES:
                return

    def _judge(self, instance: Instance) -> Judgement:
        equation = instance.equation
        if is_opaque(equation):
            return self._judge_opaque(instance)
        bare = equation.where is None and not equation.given
        if bare and self._prover is not None and self._prover(equation):
            return Judgement("proved", "book")
        found = audit_law(instance, self._milliseconds)
        if found.result in ("tested", "unknown") and self._by_integers(instance):
            return Judgement("proved", "integers")
        if found.result != "failed":
            return _judgement(found)
        model = _complete(equation, found.model or {})
        if self._holds_one_way(instance, model):
            return Judgement("refines", found.how, _by_name(model))
        return Judgement("failed", found.how, _by_name(model))

    def _holds_one_way(self, instance: Instance, model: Counterexample) -> bool:
        """Whether an equation that is false at `model` is so only where its left side is undefined or poison, as far as
        Z3 can tell."""
        one_way = audit_law(replace(instance, law=replace(instance.law, refines=True)), self._milliseconds)
        if one_way.result != "unknown":
            return one_way.result == "refines"
        left = as_term(instance.equation.left, TermPool())
        leaves = {name: value for name, value in model.items() if not isinstance(value, str)}
        return _value(left, leaves, Evaluator(instance.index_width)) is None

    def _by_integers(self, instance: Instance) -> bool:
        """Whether a proof over the integers shows it at its width; it reads all values modulo one power of two."""
        kinds = {
            p.kind for p in _nodes(instance.equation) if not (isinstance(p.kind.type, IntType) and p.kind.width == 1)
        }
        if len(kinds) != 1 or isinstance(next(iter(kinds)).type, FloatType):
            return False
        return any(proved_over_integers(instance, signed, self._milliseconds) for signed in (True, False))

    def _judge_opaque(self, instance: Instance) -> Judgement:
        equation = instance.equation
        if _has_meaning(equation) and audit_law(instance, self._milliseconds).result == "proved":
            return Judgement("proved", "z3")
        return _tried(equation) if _has_meaning(equation) else Judgement("trusted")


def _judgement(found: Audit) -> Judgement:
    match found.result:
        case "unknown":
            return Judgement("trusted", found.how)
        case "failed":
            return Judgement("failed", found.how, _by_name(found.model))
        case status:
            return Judgement(status, found.how)


def _by_name(model: Mapping[str, int | float | bool | str] | None) -> Counterexample:
    """The values of variables by their names in the rule file."""
    return {name.lstrip("?").split(".")[0]: value for name, value in (model or {}).items()}


def _complete(equation: Equation, model: Mapping[str, int | float | bool | str]) -> Counterexample:
    """A counterexample with the variables that do not matter to it, too."""
    found: Counterexample = {}
    for name, hole in variables(equation.left).items():
        value = model.get(name, 0.0 if isinstance(hole.kind.type, FloatType) else 0)
        found[name] = value
    return found


def _nodes(equation: Equation) -> Iterator[Pattern]:
    where = () if equation.where is None else (equation.where,)
    stack: list[Pattern] = [equation.left, equation.right, *equation.given, *where]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, Operation):
            stack.extend(part.args)


def is_opaque(equation: Equation) -> bool:
    """Whether it has an operator that cannot be computed, or only in some instances."""
    operations = (p for p in _nodes(equation) if isinstance(p, Operation))
    return any(o.op not in OPERATORS or OPERATORS[o.op].uninterpreted or o.op in CHOOSING for o in operations)


def _has_meaning(equation: Equation) -> bool:
    operations = (p for p in _nodes(equation) if isinstance(p, Operation))
    return all(o.op in OPERATORS and o.op not in CHOOSING for o in operations)


def _tried(equation: Equation) -> Judgement:
    """What is known of an equation from values that are tried, with the C library's functions: `tested` where they
    agree. Where they do not it is open still, with the values: the functions that are meant may be rounded otherwise.
    """
    pool, random = TermPool(), Random(SEED)
    holes = variables(equation.left)
    if not all(can_draw(hole) for hole in holes.values()) or equation.given or equation.where is not None:
        return Judgement("trusted")
    evaluate = Evaluator(index_width(equation) or 64)
    sides = as_term(equation.left, pool), as_term(equation.right, pool)
    held = 0
    for _ in range(TRIALS):
        values = {name: drawn(hole, random) for name, hole in holes.items()}
        left, right = (_value(side, values, evaluate) for side in sides)
        if left is None or right is None:
            continue
        if repr(left) != repr(right):
            return Judgement("trusted", "library", _by_name(values))
        held += 1
    return Judgement("tested", "library") if held >= TRIALS // 4 else Judgement("trusted")


def _value(root: Term, leaves: Mapping[str, Scalar], evaluate: Evaluator) -> Scalar | None:
    known: dict[int, Scalar] = {}
    for term in postorder((root,)):
        value = literal(term)
        if value is None and term.op == "leaf":
            value = leaves[str(term.attr("name"))]
        elif value is None:
            found = evaluate(term, tuple(known[a.id] for a in term.args))
            if found is None or isinstance(found, Poison):
                return None
            value = found
        known[term.id] = value
    return known[root.id]


def _literals(type_: object, width: int, named: Sequence[int]) -> list[Scalar]:
    """Values of literals of a type that rules are likely to be wrong about, those that are `named` among them."""
    if isinstance(type_, FloatType):
        return list(REALS)
    ends = (1 << (width - 1), (1 << (width - 1)) - 1, width, width - 1)
    around = [n + more for n in named for more in (0, 1, -1)]
    values = dict.fromkeys(v % (1 << width) for v in (*around, *SMALL, *ends))
    if isinstance(type_, IndexType):
        return [v - (1 << width) if v >> (width - 1) else v for v in values]
    return list(values)
