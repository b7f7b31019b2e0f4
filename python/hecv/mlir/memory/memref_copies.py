"""`memref.copy` and `memref.realloc`: whole-buffer copies as loops over the elements."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from torch_mlir import ir

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX, MemRefType
from hecv.mlir.memory.memref_ops import allocate, allocated, deallocate, extents
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Strides, View, Window, both, compare, element, whole
from hecv.program.index import quasi_affine
from hecv.program.tree import Loop, MemoryKind

CALLERS = {MemoryKind.ARGUMENT, MemoryKind.GLOBAL}
"""Kinds of memory that may overlap."""


def copy(
    reader: Reader, op: ir.Operation, source: View, target: View, sizes: tuple[Term, ...], at: tuple[Term, ...] = ()
) -> None:
    """Emits a loop nest that copies the first `sizes` elements of each dimension, inside loops with indices `at`.

    Requires: no element of `source` is another element of `target`.
    """
    if len(at) == len(sizes):
        value = reader.load_element(op, source, at)
        reader.store_element(op, target, at, value)
        return
    number, iv = reader.number(op), reader.pool.induction(reader.loops, INDEX)
    reader.loops += 1
    outer = reader.enter(op)
    copy(reader, op, source, target, sizes, (*at, iv))
    body = reader.leave(outer)
    reader.loops -= 1
    zero, one = reader.pool.integer(0), reader.pool.integer(1)
    reader.block.append(Loop(number, iv, (zero,), (sizes[len(at)],), one, False, body))


def _read_copy(reader: Reader, op: ir.Operation) -> None:
    """Example: `memref.copy %A, %B : memref<8xf32> to memref<8xf32>`.

    Undefined: where the extents differ (LangRef).
    """
    pool = reader.pool
    source, target = (reader.view(op, value) for value in op.operands)
    if len(source.extents) != len(target.extents):
        reader.reject(op, "unranked memrefs of other ranks are not supported")
    same = (compare(pool, "eq", a, b) for a, b in zip(source.extents, target.extents, strict=True))
    reader.require(op, both(pool, *same), "the extents of a copy differ")
    require_apart(reader, op, source, target)
    copy(reader, op, source, target, source.extents)


def require_apart(reader: Reader, op: ir.Operation, source: View, target: View) -> None:
    """Rejects a copy of which source and target may overlap in part; notes memories of the caller, which must not."""
    if source.memory is target.memory and not _same_or_apart(reader, source, target):
        reader.reject(op, f"source and target may overlap: both are of %{source.memory.name}")
    if source.memory is not target.memory and {source.memory.kind, target.memory.kind} <= CALLERS:
        reader.alone |= {source.memory.id, target.memory.id}
        reader.number(op)  # loops that copy in order are another program: memory may overlap in part


def _same_or_apart(reader: Reader, left: View, right: View) -> bool:
    """True if two views of one memory are the same elements in the same order, or disjoint."""
    pool = reader.pool
    probe = tuple(pool.induction(reader.loops + k, INDEX) for k in range(len(left.extents)))
    same = element(pool, left, probe) == element(pool, right, probe)
    return same or _apart(pool, left, right) or _alternate(pool, left, right)


def _alternate(pool: TermPool, left: View, right: View) -> bool:
    """True if two views of one memory are disjoint: one lies before the other, or some number divides all strides of
    both but not the distance of their first elements (even and odd elements)."""
    if left.strides is None or right.strides is None:
        return False
    between = literal(quasi_affine.subtract(pool, left.strides.offset, right.strides.offset))
    ours, theirs = _distances(left, left.strides), _distances(right, right.strides)
    if not isinstance(between, int) or ours is None or theirs is None:
        return False
    common = gcd(*(length for length, _ in (*ours, *theirs)))
    if between % common != 0 if common else between != 0:
        return True
    first, second = _reach(ours), _reach(theirs)
    if first is None or second is None:
        return False
    return between + first[0] > second[1] or between + first[1] < second[0]


def _distances(view: View, strides: Strides) -> list[tuple[int, int | None]] | None:
    """(stride, extent) of each dimension with more than one element; None if one is unknown."""
    found: list[tuple[int, int | None]] = []
    for stride, extent in zip(map(literal, strides.strides), map(literal, view.extents), strict=True):
        if extent == 1:
            continue
        if not isinstance(stride, int):
            return None
        found.append((stride, extent if isinstance(extent, int) else None))
    return found


def _reach(distances: list[tuple[int, int | None]]) -> tuple[int, int] | None:
    """The first and last positions of a view, relative to its element 0; None if its extents are unknown."""
    low = high = 0
    for stride, extent in distances:
        if extent is None:
            return None
        low, high = low + min(0, stride * (extent - 1)), high + max(0, stride * (extent - 1))
    return low, high


def _apart(pool: TermPool, left: View, right: View) -> bool:
    """True if two windows of one memory have no index of some dimension in common."""
    if len(left.steps) != 1 or len(right.steps) != 1:
        return False
    one, two = left.steps[0], right.steps[0]
    if not (isinstance(one, Window) and isinstance(two, Window)):
        return False
    return any(
        _precedes(pool, left, one, two, d) or _precedes(pool, right, two, one, d) for d in range(len(one.offsets))
    )


def _precedes(pool: TermPool, view: View, first: Window, second: Window, dimension: int) -> bool:
    """True if in this dimension every index of `first`, the window of `view`, is below every index of `second`; both
    ascend."""
    steps = literal(first.strides[dimension]), literal(second.strides[dimension])
    if not all(isinstance(s, int) and s >= 0 for s in steps):
        return False
    own = first.own[dimension]
    last = first.offsets[dimension]
    if own is not None:
        rest = quasi_affine.subtract(pool, view.extents[own], pool.integer(1))
        last = quasi_affine.add(pool, last, quasi_affine.multiply(pool, first.strides[dimension], rest))
    return literal(compare(pool, "slt", last, second.offsets[dimension])) == 1


def _read_realloc(reader: Reader, op: ir.Operation) -> None:
    """`memref.realloc`: a new allocation with the elements that fit, and the end of the old one.

    Example: `%b = memref.realloc %a(%n) : memref<4xf32> to memref<?xf32>`.
    """
    old = reader.view(op, op.operands[0])
    kind = reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    if kind.layout is not None:
        reader.reject(op, f"the layout of `{op.result.type}` is not supported")
    sizes = tuple(map(reader.exact, extents(reader, kind.shape, reader.terms(op, list(op.operands)[1:]))))
    new = whole(reader.pool, allocate(reader, op, kind, sizes))
    common = quasi_affine.extremum(reader.pool, "affine.min", (sizes[0], old.extents[0]))
    copy(reader, op, old, new, (common,))
    deallocate(reader, op, allocated(reader, op, op.operands[0]))
    reader.views[op.result] = new


HANDLERS: Mapping[str, Handler] = {
    "memref.copy": _read_copy,
    "memref.realloc": _read_realloc,
}
