"""Loop marks: theorems that drop `parallel` and `unsigned` from a loop on which they have no effect."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.types import IndexType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.program.tree import Block, Loop, MemoryKind, Store, walk
from hecv.theorems.schedules.schedule_equality import Comparison, nonnegative
from hecv.theorems.schedules.schedule_tree import Copy, For, step_of
from hecv.theorems.schedules.theorem_instance import Applied, Instance, Obligation, Surroundings
from hecv.theorems.transforms.unroll_peel_strip import one_part


def sequential(pool: TermPool, around: Surroundings, loop: Loop) -> Instance | None:
    """A parallel loop in sequence: `parallel for i: B(i)` is `for i: B(i)`, if no two iterations race.

    Cells that the loop stores to are exempt: a reduction has its value in the order of the loop.
    """
    step = step_of(loop)
    if not loop.parallel or loop.unsigned or step is None or not isinstance(loop.iv.type, IndexType):
        return None
    whole = (For(loop.id, loop.iv.type, loop.lowers, loop.uppers, step, (Copy(0, (loop.iv,)),)),)
    try:
        found = Comparison(pool, around, one_part(loop), whole, whole, True)
    except NotAffine:
        return None
    obligations = (found.reachable(), found.race_free(_cells(loop.body)))
    of = Applied("loop-sequential", (loop,))
    return Instance("loop-sequential", (loop,), (replace(loop, parallel=False, overwrites=False),), obligations, of)


def _cells(block: Block) -> frozenset[int]:
    """The cells that the block stores to."""
    stores = (s.memory for s in walk(block) if isinstance(s, Store))
    return frozenset(m.id for m in stores if m.kind is MemoryKind.CELL)


def signed(pool: TermPool, around: Surroundings, loop: Loop) -> Instance | None:
    """An unsigned loop as a signed one: `for unsigned lb to ub step s: B(i)` is `for lb to ub step s: B(i)`, compared
    as signed numbers.

    Holds if no bound is negative as a signed number, and the signed loop does not step out of its type.
    """
    step = step_of(loop)
    if not loop.unsigned or loop.parallel or step is None:
        return None
    whole = (For(loop.id, loop.iv.type, loop.lowers, loop.uppers, step, (Copy(0, (loop.iv,)),)),)
    try:
        found = Comparison(pool, around, one_part(loop), whole, whole, False)
    except NotAffine:
        return None
    bounds = (*loop.lowers, *loop.uppers)
    obligations = (
        found.reachable(),
        Obligation("nonnegative", lambda: all(nonnegative(pool, around, b) for b in bounds)),
        found.no_wraps(),
    )
    of = Applied("loop-signed", (loop,))
    return Instance("loop-signed", (loop,), (replace(loop, unsigned=False),), obligations, of)
