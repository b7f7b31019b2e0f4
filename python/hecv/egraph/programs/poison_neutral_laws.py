"""Poison-neutral laws: the static laws that hold inside programs, where operands may be poison.

A law says that two terms have the same total value. In a program, a term also stands for where it is poison and where
evaluating it is undefined. A law is *neutral* if its two sides agree in that too: all operators of both sides are
strict in poison, and defined and poison-free on all non-poison operands, and both sides have the same variables. Then
either side is poison exactly where one of these is, and undefined exactly where evaluating one of these is.

`affine` operators compute exact integers, other operators on `index` bit-vectors. An equality of bit-vectors is no
equality of exact integers, so no law may make an index term that is a variable equal to an operator on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes, Term
from hecv.base.theory import FALSE, Variable, sort_of
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.egraph.programs.operand_bags import Families, associates, families, long_ones, symbol_of
from hecv.egraph.programs.program_nodes import TermSymbol
from hecv.egraph.saturation.root_conditions import conditions
from hecv.egraph.session import Session, pattern
from hecv.ops import OPERATORS
from hecv.patterns.equations import equations
from hecv.patterns.equations.equations import Equation, Kind, Number, Operation, Pattern, kind_of, variables
from hecv.patterns.equations.law_record import Instance, Law
from hecv.theorems.schedules.theorem_instance import INDEX_WIDTH


def kinds_of(terms: Sequence[Term], payload: bool) -> tuple[Kind, ...]:
    """The types that occur in terms; no floats if something shows the `payload` of a NaN, as a cast to bits does: float
    laws hold up to that payload."""
    types = dict.fromkeys(t.type for t in terms)
    if payload or any(t.op == "arith.bitcast" and isinstance(t.args[0].type, FloatType) for t in terms):
        types = {t: None for t in types if not isinstance(t, FloatType)}
    return tuple(kind_of(t, INDEX_WIDTH) for t in types)


def neutral(equation: Equation) -> bool:
    """Whether an equation holds inside programs (is poison-neutral).

    Requires: it is a law, that is, an equality of total values.
    """
    left, right = equation.left, equation.right
    if equation.given or equation.where is not None or variables(left) != variables(right):
        return False
    if any(v.literal for v in variables(left).values()):
        return False
    if isinstance(right.kind.type, IndexType) and not isinstance(right, Operation | Number):
        return False
    return all(_total(*_signature(o)) for side in (left, right) for o in _operations(side))


def _operations(pattern_: Pattern) -> Iterator[Operation]:
    if isinstance(pattern_, Operation):
        yield pattern_
        for operand in pattern_.args:
            yield from _operations(operand)


def _signature(operation: Operation) -> tuple[str, Attributes, tuple[ScalarType, ...], ScalarType]:
    return operation.op, operation.attrs, tuple(a.kind.type for a in operation.args), operation.kind.type


@cache
def _total(op: str, attrs: Attributes, operands: tuple[ScalarType, ...], to: ScalarType) -> bool:
    """Whether the operator is strict, and defined and proper on all proper operands."""
    operator = OPERATORS.get(op)
    if operator is None or not operator.strict or operator.exact or operator.facts.choosing:
        return False
    given = tuple(Variable(sort_of(t, INDEX_WIDTH), f"x{k}", proper=True) for k, t in enumerate(operands))
    try:
        outcome = operator.outcome(given, sort_of(to, INDEX_WIDTH), attrs)
    except Unsupported:
        return False
    return outcome.poison is FALSE and outcome.ub is FALSE


def declare(session: Session, laws: Iterable[Law], terms: Sequence[Term], payload: bool) -> Families:
    """Declares the neutral laws that can fire on the terms, or on what they make, in the rule sets `laws` and
    `expanding`.

    Returns the operators with long chains, whose associativity law is left out: multisets have to replace it.
    `payload`: something shows the payload of a NaN.

    Requires: the terms are all of both programs, with their operands before them.
    """
    for name in ("laws", "expanding"):
        session.ruleset(name)
    kinds = kinds_of(terms, payload)
    closed, waiting = list(laws), list[tuple[Law, Instance]]()
    known = {(t.op, t.type) for t in terms}
    given = frozenset(t.op for t in terms)
    chained: dict[TermSymbol, str] = {}
    while True:
        names = {op for op, _ in known}
        opened = [law for law in closed if law.root in names]
        closed = [law for law in closed if law.root not in names]
        made = [(law, i) for law in opened for i in law.instances(kinds) if neutral(i.equation)]
        long = long_ones(terms, families(i for _, i in made))
        chained.update(long)
        waiting += [(law, i) for law, i in made if not (associates(i.equation) and _root(i.equation) in long)]
        fit = [(law, i) for law, i in waiting if _fits(law, i.equation, known, given)]
        if not fit:
            return chained
        for law, instance in fit:
            _declare(session, law, instance)
            known |= _signatures(instance.equation.right)
        declared = {i.name for _, i in fit}
        waiting = [(law, i) for law, i in waiting if i.name not in declared]


def _root(equation: Equation) -> TermSymbol | None:
    return symbol_of(equation.left) if isinstance(equation.left, Operation) else None


def _fits(law: Law, equation: Equation, known: set[tuple[str, ScalarType]], given: frozenset[str]) -> bool:
    """The law can fire on operators that are known; `given` are those of the terms themselves (`Law.modest`)."""
    left = _signatures(equation.left)
    if not left <= known:
        return False
    return not law.modest or ({op for op, _ in left} <= given and _signatures(equation.right) <= known)


def _signatures(side: Pattern) -> set[tuple[str, ScalarType]]:
    return {(o.op, o.kind.type) for o in _operations(side)}


def _declare(session: Session, law: Law, instance: Instance) -> None:
    equation = instance.equation
    assert isinstance(equation.left, Operation), instance.name
    symbol = session.symbol(symbol_of(equation.left))
    body = conditions("root", equation, symbol, lambda part: _text(session, part))
    head = [f"(union root {_text(session, equation.right)})"]
    session.rule("expanding" if law.expands else "laws", instance.name, body, head)


def _text(session: Session, side: Pattern) -> str:
    match side:
        case equations.Variable(name=name):
            return name
        case Number(kind=kind, value=value):
            return pattern(session.symbol(TermSymbol("const", (("value", value),), kind.type, ())))
        case Operation(args=args):
            return pattern(session.symbol(symbol_of(side)), *(_text(session, a) for a in args))
        case _:
            raise AssertionError(side)
