"""Two small terms, evaluated on all values of their leaves: what neither laws nor Z3 know of floats of 8 bits.

That all values agree is a proof where an evaluation says what every correct execution computes: each operator has one
value, which no licence and no NaN's bits leave open. It rests on the interpreter, as `all-inputs` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, prod
from typing import Any, Final

import numpy as np

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.base.value import POISON, Scalar
from hecv.dialects import OPERATORS, exposes
from hecv.dialects.conditions import CHOOSING, without_flags
from hecv.dialects.registry import licensed
from hecv.execute.evaluate import Evaluator
from hecv.execute.floats import SMALL
from hecv.execute.python import LeftOpen

MOST_VALUES: Final = 1 << 16
"""Of all leaves together."""

MOST_TERMS: Final = 24
RULE: Final = "all-values"


def is_small(terms: Sequence[Term]) -> bool:
    """Whether it is worth a try: of integers alone normal forms and Z3 tell more."""
    return len(terms) <= MOST_TERMS and any(isinstance(t.type, FloatType) and t.type.small for t in terms)


def equal_everywhere(left: Term, right: Term, index_width: int = 64) -> bool | None:
    """Whether both have one value, flags aside, for all values of their leaves, none of them poison; None where these
    are too many, or an evaluation does not tell.

    Ensures: where the answer is True no operator of either is undefined, left open, or makes poison but by its flags.
    """
    order = postorder((left, right))
    leaves = [t for t in order if not t.args and t.op not in OPERATORS and literal(t) is None]
    domains = [values_of(t.type) for t in leaves]
    known = [d for d in domains if d is not None]
    if len(known) < len(domains) or prod(map(len, known)) > MOST_VALUES or not all(_tells(t) for t in order):
        return None
    columns: dict[int, Any] = {}
    for place, (leaf, values) in enumerate(zip(leaves, known, strict=True)):
        columns[leaf.id] = _column(values).reshape([-1 if k == place else 1 for k in range(len(leaves))])
    with np.errstate(all="ignore"):
        try:
            if not _evaluate([t for t in order if t.id not in columns], columns, index_width):
                return None
        except LeftOpen:
            return None
        return bool(np.all(np.frompyfunc(_same, 2, 1)(columns[left.id], columns[right.id])))


def values_of(kind: ScalarType) -> tuple[Scalar, ...] | None:
    """The values of a type of few bits, NaN as one."""
    match kind:
        case IntType(width) if width <= 16:
            return tuple(range(1 << width))
        case FloatType(name) if name in SMALL:
            return (*(v for v in SMALL[name].values if v == v), float("nan"))
        case _:
            return None


def _tells(term: Term) -> bool:
    """Whether an evaluation of the operator at the root says what it computes."""
    if not isinstance(term.type, IntType | FloatType):
        return False
    operator = OPERATORS.get(term.op)
    if operator is None:
        return not term.args
    return not (operator.uninterpreted or term.op in CHOOSING or licensed(term.attrs) or exposes(term))


def _evaluate(order: Sequence[Term], columns: dict[int, Any], index_width: int) -> bool:
    """Adds the values of terms, for all values of the leaves below them; False where one has none.

    Raises: LeftOpen.
    """
    evaluator, pool = Evaluator(index_width), TermPool()
    for term in order:
        known = literal(term)
        if known is not None:
            columns[term.id] = _column([known]).reshape(())
            continue
        operands = tuple([_leaf(pool, a, k) for k, a in enumerate(term.args)])
        compiled = evaluator.compiled(pool.make(term.op, operands, term.type, without_flags(term.attrs)))
        if compiled is None:
            return False
        made = np.frompyfunc(compiled, len(term.args), 1)(*[columns[a.id] for a in term.args])
        if np.any(np.frompyfunc(_is_none, 1, 1)(made)):
            return False
        columns[term.id] = made
    return True


def _leaf(pool: TermPool, term: Term, number: int) -> Term:
    return pool.make("leaf", (), term.type, (("number", number),))


def _column(values: Sequence[Scalar]) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _is_none(value: Scalar | None) -> bool:
    """Whether a value is undefined or poison."""
    return value is None or value is POISON


def _same(first: Scalar, second: Scalar) -> bool:
    """Whether two values are one: zeros have signs, NaN is one value."""
    if not isinstance(first, float) or not isinstance(second, float):
        return first == second
    return (first == second and copysign(1.0, first) == copysign(1.0, second)) or (first != first and second != second)
