"""The `ub` dialect: poison. `ub.unreachable` is read as an `Assert` that fails. LangRef below is MLIR's ub dialect."""

from __future__ import annotations

from hecv.base.theory import FALSE, Constant, FloatSort, Outcome, Sort, bits, poison_unless
from hecv.ops.registry import Dialect

ub = Dialect("ub")


@ub.op("poison", typed=True)
def poison(*, to: Sort) -> Outcome:
    """Poison, which any value refines.

    Poison: always.
    Cites:  LangRef, ub.poison.
    """
    return poison_unless(FALSE, Constant(to, 0.0) if isinstance(to, FloatSort) else bits(0, to))
