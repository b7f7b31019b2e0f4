"""An op of MLIR that is no operator of hecv's: its meaning and its facts, as a file of `hecv/ops/` has them."""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term
from hecv.base.theory import Bits, add, ite, like, overflows
from hecv.ops.integer_bounds import Bounds, bounds
from hecv.ops.op_facts import Facts
from hecv.ops.registry import Dialect

ADDED = "llvm.intr.uadd.sat"
llvm = Dialect("llvm")


def of_saturating_sum(term: Term, width: int, args: Sequence[Bounds]) -> Bounds:
    a, b = args
    most = (1 << width) - 1
    return bounds(width, unsigned=(min(a.low + b.low, most), min(a.high + b.high, most)))


@llvm.op(
    "intr.uadd.sat",
    Facts(commutative=True, associative=True, neutral=0, absorbing=-1, total=True, bounds=of_saturating_sum),
)
def saturating_sum(lhs: Bits, rhs: Bits) -> Bits:
    """`lhs + rhs`, or the greatest number where that is greater."""
    return ite(overflows("uadd", lhs, rhs), like(-1, lhs), add(lhs, rhs))
