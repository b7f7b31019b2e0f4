"""Exhaustive evaluation of two terms on all values of their leaves, for what laws and Z3 miss: 8-bit floats, and long
terms over a byte, as a choice among the elements of a table is.

Equal values everywhere are a proof if an evaluation gives what every correct execution computes: each operator has one
value, which no fast-math licence and no NaN payload leaves open. The proof rests on the interpreter, as `all-inputs`
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import copysign, prod
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IntType, Type
from hecv.base.value import POISON, Scalar
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import CHOOSING, without_flags
from hecv.ops.registry import licensed
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.run.evaluation.softfloat import SMALL

MOST_VALUES: Final = 1 << 16
"""Combinations of leaf values, at most."""

MOST_TERMS: Final = 24
FEW_VALUES: Final = 256
"""Combinations of leaf values, at most, on which long terms are evaluated."""
LONGEST: Final = 4_000
"""Terms that are evaluated on few values, at most."""
RULE: Final = "all-values"


def is_small(terms: Sequence[Term]) -> bool:
    """True if exhaustive evaluation is worth a try; on few integers alone, normal forms and Z3 do better."""
    if len(terms) <= MOST_TERMS:
        return any(isinstance(t.type, FloatType) and t.type.small for t in terms)
    domains = [values_of(t.type) for t in _leaves(terms)] if len(terms) <= LONGEST else [None]
    return prod(FEW_VALUES + 1 if d is None else len(d) for d in domains) <= FEW_VALUES


def equal_everywhere(left: Term, right: Term, index_width: int = 64) -> bool | None:
    """True if both have the same value, flags ignored, for all non-poison values of their leaves; False if not.

    None if there are too many values, or an evaluation does not determine them.

    Ensures: if True, no operator of either is undefined, nondeterministic, or poison except by its flags.
    """
    order = postorder((left, right))
    leaves = _leaves(order)
    domains = [values_of(t.type) for t in leaves]
    known = [d for d in domains if d is not None]
    if len(known) < len(domains) or prod(map(len, known)) > MOST_VALUES or not all(_tells(t) for t in order):
        return None
    columns = {leaf.id: Column((k,), values) for k, (leaf, values) in enumerate(zip(leaves, known, strict=True))}
    table = _Table([len(values) for values in known], columns, index_width)
    try:
        if not all(table.add(t) for t in order if t.id not in columns):
            return None
    except LeftOpen:
        return None
    return all(map(_same, *table.aligned((left, right))[1]))


def _leaves(terms: Sequence[Term]) -> list[Term]:
    return [t for t in terms if not t.args and t.op not in OPERATORS and literal(t) is None]


class Column(Struct, frozen=True):
    """The values of a term for all values of its leaves, which are numbered; the last leaf varies fastest."""

    leaves: tuple[int, ...]
    values: Sequence[Scalar]


def values_of(kind: Type) -> tuple[Scalar, ...] | None:
    """The values of a type of few bits; NaN counts as one."""
    match kind:
        case IntType(width) if width <= 16:
            return tuple(range(1 << width))
        case FloatType(name) if name in SMALL:
            return (*(v for v in SMALL[name].values if v == v), float("nan"))
        case _:
            return None


def _tells(term: Term) -> bool:
    """True if an evaluation of the operator at the root determines what it computes."""
    if not isinstance(term.type, IntType | FloatType):
        return False
    operator = OPERATORS.get(term.op)
    if operator is None:
        return not term.args
    return not (operator.uninterpreted or term.op in CHOOSING or licensed(term.attrs) or exposes(term))


class _Table:
    """The columns of terms; `counts` are the numbers of values of the leaves."""

    def __init__(self, counts: Sequence[int], columns: dict[int, Column], index_width: int) -> None:
        self._counts: Final = counts
        self._columns: Final = columns
        self._evaluator: Final = Evaluator(index_width)
        self._pool: Final = TermPool()

    def add(self, term: Term) -> bool:
        """Adds the column of a term; False if the operator is undefined, or poison, for some values.

        Raises: LeftOpen.
        """
        known = literal(term)
        if known is not None:
            self._columns[term.id] = Column((), [known])
            return True
        operands = tuple([_leaf(self._pool, a, k) for k, a in enumerate(term.args)])
        plain = self._pool.make(term.op, operands, term.type, without_flags(term.attrs))
        compiled = self._evaluator.compiled(plain)
        if compiled is None:
            return False
        leaves, columns = self.aligned(term.args)
        values = list(map(compiled, *columns)) if columns else [compiled()]
        self._columns[term.id] = Column(leaves, [v for v in values if v is not None and v is not POISON])
        return len(self._columns[term.id].values) == len(values)

    def aligned(self, terms: Sequence[Term]) -> tuple[tuple[int, ...], list[Sequence[Scalar]]]:
        """The leaves of any of the terms, and the values of each term for all values of these."""
        columns = [self._columns[t.id] for t in terms]
        leaves = tuple(sorted({k for column in columns for k in column.leaves}))
        return leaves, [c.values if c.leaves == leaves else self._spread(c, leaves) for c in columns]

    def _spread(self, column: Column, leaves: tuple[int, ...]) -> Sequence[Scalar]:
        steps, step = dict[int, int](), 1
        for leaf in reversed(column.leaves):
            steps[leaf] = step
            step *= self._counts[leaf]
        parts = [[n * steps.get(k, 0) for n in range(self._counts[k])] for k in leaves]
        return [column.values[sum(place)] for place in product(*parts)]


def _leaf(pool: TermPool, term: Term, number: int) -> Term:
    return pool.make("leaf", (), term.type, (("number", number),))


def _same(first: Scalar, second: Scalar) -> bool:
    """True if two values are equal: zeros have signs, NaN is one value."""
    if not isinstance(first, float) or not isinstance(second, float):
        return first == second
    return (first == second and copysign(1.0, first) == copysign(1.0, second)) or (first != first and second != second)
