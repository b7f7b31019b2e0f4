"""Control flow as operators: if-converted branches (`hecv.normal.branches.if_conversion`) and assertions."""

from __future__ import annotations

from hecv.base.theory import Bits, Outcome, holds, not_, poisoned, undefined_unless
from hecv.ops.registry import Dialect

control = Dialect("control")


@control.op("branch")
def branch(condition: Bits) -> Outcome:
    """The condition, where a program branches on it.

    Undefined: the condition is poison.
    Cites:     LangRef, scf.if; branching on poison is undefined behaviour.
    """
    return undefined_unless(not_(poisoned(condition)), condition)


@control.op("assert")
def assertion(condition: Bits) -> Outcome:
    """The condition, where a program demands that it holds.

    Undefined: the condition is poison or does not hold.
    Cites:     LangRef, cf.assert; a false assertion ends the program.
    """
    return undefined_unless(not_(poisoned(condition)), undefined_unless(holds(condition), condition))
