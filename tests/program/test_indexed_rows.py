"""Elements of flat views at positions that are read from memory: which of them are taken for elements of rows."""

from __future__ import annotations

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, FloatType
from hecv.mlir.read.memref_views import subscripts
from hecv.normal.preconditions.in_bounds_rows import in_rows
from hecv.program.index import quasi_affine
from hecv.program.index.raising import Raiser
from hecv.program.tree import Memory, MemoryKind, Store

POOL = TermPool()
F32 = FloatType("f32")
ROW, PLACE = POOL.argument(1, INDEX), POOL.read(7, INDEX)


def stored(at: Term, *extents: int) -> Store:
    """A store to the element at a position of the flat view of a memory."""
    sizes = tuple(map(POOL.integer, extents))
    memory = Memory(0, MemoryKind.ARGUMENT, "A", F32, sizes)
    return Store(1, memory, tuple(subscripts(POOL, at, sizes)), POOL.argument(2, F32))


def test_a_place_in_a_row_that_is_read_from_memory() -> None:
    at = quasi_affine.add(POOL, quasi_affine.multiply(POOL, POOL.integer(8), ROW), PLACE)
    found = in_rows(POOL, Raiser(POOL), stored(at, 4, 8))
    assert isinstance(found, Store)
    assert found.indices == (ROW, PLACE)


def test_rows_without_elements_are_no_rows() -> None:
    """A subscript by which the position is divided by 0 is undefined."""
    assert in_rows(POOL, Raiser(POOL), stored(PLACE, 4, 0)) is None
