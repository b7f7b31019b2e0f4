"""What a pass over a program leaves as it is."""

from __future__ import annotations

from dataclasses import dataclass

from hecv.base.term import TermPool
from hecv.base.types import BOOL, INDEX, IntType
from hecv.egraph.programs.program_reduction import Reducer, Standing
from hecv.program.tree import Alloc, Block, Loop, Memory, MemoryKind, Store, While
from hecv.theorems.schedules.name_normalisation import merged
from hecv.theorems.schedules.theorem_instance import Instance

BYTE = IntType(8)


@dataclass(frozen=True, slots=True)
class Believer:
    """Takes what its obligations allow, and forgets it."""

    def same(self, left: Block, right: Block) -> bool:
        return left == right

    def exhausted(self) -> bool:
        return False

    def apply(self, instance: Instance, place: Standing) -> bool:
        return instance.broken() is None


def cell(number: int) -> Memory:
    return Memory(number, MemoryKind.CELL, f"c{number}", BYTE, ())


def carried(pool: TermPool) -> Block:
    """Cells `c7` and `c8` are made, and `c8` takes over `c7`; a store to the argument reads `c8`."""
    argument = Memory(0, MemoryKind.ARGUMENT, "A", BYTE, (pool.integer(4),))
    first, second = pool.load(7, (), BYTE), pool.load(8, (), BYTE)
    start = pool.load(0, (pool.integer(1),), BYTE)
    return (
        Alloc(0, cell(7)),
        Store(0, cell(7), (), start),
        Alloc(0, cell(8)),
        Store(0, cell(8), (), first),
        Store(0, argument, (pool.integer(0),), second),
    )


def test_cells_of_a_block_end_with_it() -> None:
    pool = TermPool()
    block = (Loop(0, pool.induction(0, INDEX), *bounds(pool), False, carried(pool)),)
    (loop,) = Reducer(pool, Believer(), ()).program(merged(pool, block))
    assert isinstance(loop, Loop) and not any(s.memory.id == 8 for s in loop.body if isinstance(s, Store))


def bounds(pool: TermPool) -> tuple[tuple, tuple, object]:  # type: ignore[type-arg]
    """0 to 4 by 1."""
    return (pool.integer(0),), (pool.integer(4),), pool.integer(1)


def test_cells_of_a_condition_live_on() -> None:
    """The condition of a `While` reads what `before` has allocated, and so does `after`."""
    pool = TermPool()
    read = tuple(pool.load(k, (), BYTE) for k in (7, 8))
    less = pool.make("arith.cmpi", read, BOOL, (("predicate", "slt"),))
    block = (While(0, carried(pool), less, ()),)
    assert merged(pool, block) == block
    assert Reducer(pool, Believer(), ()).program(block) == block
