"""The counter of a while loop, and the comparison in its condition."""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import INDEX, IndexType, IntType

Comparison = tuple[str, Term, Term]
"""A predicate, `<`, `<=` or `!=`, and its operands."""

_OPPOSITE = {
    **{"slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt", "eq": "ne", "ne": "eq"},
    **{"ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt"},
}
_SWAPPED = {"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule"}


class Counter(Struct, frozen=True):
    """The cell that counts: `sign * (its value)` rises by `step`, from `first` to `limit`; `top` is its load.

    Of type `iN` with a `base`, its value is `base + sign * k` modulo `2**N`, where `k`, an index, rises from `first` to
    `limit`. Unless its `demands` hold, two i1 terms or none, the loop does not end, or index arithmetic overflows.
    """

    cell: int
    top: Term
    sign: int
    step: int
    first: Term
    limit: Term
    base: Term | None = None
    demands: tuple[Term, ...] = ()

    @property
    def kind(self) -> IntType | IndexType:
        """The type of the loop's induction variable."""
        assert isinstance(self.top.type, IntType | IndexType)
        return self.top.type if self.base is None else INDEX


class Follower(Struct, frozen=True):
    """A cell that moves by `move` in each iteration, from `first`; `top` is its load at the top. Unless it is `exact`
    it may wrap."""

    cell: int
    top: Term
    first: Term
    move: int
    exact: bool


def comparison_of(condition: Term) -> Comparison | None:
    """The comparison of a condition as `<` or `<=`, signed or unsigned, or as `!=`, with its operands; None for any
    other."""
    holds = True
    while condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        condition, holds = condition.args[0], not holds
    if condition.op != "arith.cmpi":
        return None
    left, right = condition.args
    predicate = str(condition.attr("predicate"))
    if not holds:
        predicate = _OPPOSITE.get(predicate, "")
    if predicate in _SWAPPED:
        return _SWAPPED[predicate], right, left
    return (predicate, left, right) if predicate in ("slt", "sle", "ult", "ule", "ne") else None
