"""Conditions under which an operator is poison or undefined, simplified by what is known of its operands."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from hecv.base.diagnostics import Unsupported
from hecv.base.term import OPAQUE, Attributes, Term, literal
from hecv.base.theory import (
    FALSE,
    INTEGER,
    TRUE,
    Bool,
    Constant,
    Expression,
    Variable,
    any_of,
    bits,
    integer,
    poisoned,
    sort_of,
)
from hecv.base.types import FloatType, IndexType, OpaqueType
from hecv.ops import OPERATORS
from hecv.ops.registry import Operator

PROPER_LEAVES: Final = frozenset({"arg", "dim", "iv"})
LEAVES: Final = PROPER_LEAVES | {"load", "read", "leaf"}
DOUBTFUL: Final = "doubtful"
"""Attribute of a leaf that may not be a number, where floats are read as real numbers."""

CHOOSING: Final = frozenset(op for op, operator in OPERATORS.items() if operator.facts.choosing)
"""Operators that are nondeterministic: they leave the sign of a zero open."""

CLAMP: Final = "math.clampf"
"""On NaN, and on zeros of different sign, this op leaves its value open."""

POISON_FLAGS: Final = frozenset({"overflow", "exact", "nneg", "disjoint"})
"""Attributes whose only effect is to make poison."""

_UNKNOWN: Final = (TRUE, TRUE)


def without_flags(attributes: Attributes) -> Attributes:
    """The attributes that affect the value, without those that only make poison."""
    return tuple([a for a in attributes if a[0] not in POISON_FLAGS]) if attributes else attributes


class Conditions(Struct, frozen=True):
    """When a node is poison and when it is undefined, over variables `x0`, `x1`... for its operands."""

    poison: Bool
    ub: Bool


class Shapes(Struct):
    """The conditions of nodes, simplified by operands that are literals or known not to be poison."""

    index_width: int
    _known: dict[tuple[object, ...], Conditions] = field(default_factory=dict[tuple[object, ...], Conditions])

    def of(self, term: Term, proper: tuple[bool, ...]) -> Conditions:
        """The conditions of the node at the root of `term`; `proper[k]`: operand `k` is not poison."""
        key = (term.op, term.attrs, term.type, proper, *[a if a.op == "const" else a.type for a in term.args])
        if key not in self._known:
            self._known[key] = self._fold(term, proper)
        return self._known[key]

    def _fold(self, term: Term, proper: tuple[bool, ...]) -> Conditions:
        if term.op == "const" or term.op in PROPER_LEAVES or ("proper", True) in term.attrs:
            return Conditions(FALSE, FALSE)
        if term.op == OPAQUE:
            return Conditions(TRUE, FALSE)
        operator = OPERATORS.get(term.op)
        if any(isinstance(t.type, OpaqueType) for t in (term, *term.args)):
            passes = term.op == "arith.select" or (term.op in LEAVES and not term.args)
            return Conditions(TRUE, FALSE if passes else TRUE)
        exact = operator is not None and operator.exact
        operands = tuple(self._operand(a, k, p, exact) for k, (a, p) in enumerate(zip(term.args, proper, strict=True)))
        any_poison = any_of(*[poisoned(x) for x in operands])
        if term.op in LEAVES:
            return Conditions(TRUE, any_poison)  # an address that is poison is undefined behaviour
        if operator is None:
            return Conditions(*_UNKNOWN)
        return self._operator(operator, term, operands)

    def _operand(self, term: Term, position: int, proper: bool, exact: bool) -> Expression:
        sort = INTEGER if exact and isinstance(term.type, IndexType) else sort_of(term.type, self.index_width)
        value = literal(term)
        if value is None:
            return Variable(sort, f"x{position}", proper)
        if isinstance(term.type, FloatType):
            return Constant(sort, value)
        return integer(int(value)) if sort == INTEGER else bits(int(value), sort)

    def _operator(self, operator: Operator, term: Term, operands: tuple[Expression, ...]) -> Conditions:
        exact = operator.exact and isinstance(term.type, IndexType)
        to = INTEGER if exact else sort_of(term.type, self.index_width)
        try:
            outcome = operator.outcome(operands, to, term.attrs)
        except Unsupported:
            return Conditions(*_UNKNOWN)
        return Conditions(outcome.poison, outcome.ub)
