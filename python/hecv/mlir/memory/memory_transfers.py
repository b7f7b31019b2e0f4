"""`dma_start` and `dma_wait` of `affine` and `memref`: transfers that run beside the program, as copies.

A transfer takes place at some time between its start and the end of a wait for its tag. It is the copy at its start
where nothing touches memory in between; other transfers are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile
from math import prod
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.mlir.memory.memref_copies import copy, require_apart
from hecv.mlir.memory.view_ops import static_shape
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Strides, View, contiguous, in_bounds, strided
from hecv.mlir.values.aggregate_elements import lanes_of
from hecv.program.index import quasi_affine

STARTS: Final = ("affine.dma_start", "memref.dma_start")
WAITS: Final = ("affine.dma_wait", "memref.dma_wait")
ALLOCATIONS: Final = ("memref.alloc", "memref.alloca")
ASIDE: Final = ("arith.", "index.", "affine.apply", "affine.min", "affine.max", *ALLOCATIONS)
"""Beginnings of names of ops that touch no memory that exists."""


class _Place(Struct, frozen=True):
    """An element of a memref: the operands of its subscripts, and the map that makes subscripts of them, if any."""

    memref: ir.Value
    operands: tuple[ir.Value, ...]
    map: ir.Attribute | None


class _Transfer(Struct, frozen=True):
    """The operands of a `dma_start`; `stride` and `chunk` are those of a strided transfer."""

    source: _Place
    target: _Place
    tag: _Place
    number: ir.Value
    strided: tuple[ir.Value, ...]


def _read_start(reader: Reader, op: ir.Operation) -> None:
    """Emits the copy of `%number` elements that lie one after the other, or in chunks at a distance on the side of the
    slower memory, which has the lower number.

    Example: `affine.dma_start %A[%i], %B[0], %tag[0], %number : memref<256xf32>, memref<32xf32, 1>, memref<1xi32>`.
    """
    made = _transfer(op)
    _require_tag(reader, op, made.tag)
    if _wait_for(op, made) is None:
        reader.reject(op, "transfers that run beside the program are supported only if they are waited for at once")
    number, *rest = (_positive(reader, op, value) for value in (made.number, *made.strided))
    if not rest:
        sizes, steps = (number,), {made.source: (1,), made.target: (1,)}
    else:
        stride, chunk = rest
        if number % chunk != 0:
            reader.reject(op, f"{number} elements are not a number of whole chunks of {chunk}")
        sizes, steps = (number // chunk, chunk), {_slower(reader, op, made): (stride, 1)}
    source, target = (
        _row(reader, op, place, sizes, steps.get(place, (sizes[-1], 1))) for place in (made.source, made.target)
    )
    require_apart(reader, op, source, target)
    copy(reader, op, source, target, source.extents)


def _read_wait(reader: Reader, op: ir.Operation) -> None:
    """Nothing: the transfer ended at its start."""
    starts = (o.operation for o in op.block.operations if o.operation.name in STARTS)
    if not any(_wait_for(start, _transfer(start)) == op for start in starts):
        reader.reject(op, "a wait for a transfer that does not start just before it is not supported")


def _transfer(op: ir.Operation) -> _Transfer:
    rest = iter(op.operands)

    def place(name: str) -> _Place:
        memref = next(rest)
        kind = ir.MemRefType(memref.type)
        map_ = _map(op, name)
        count = kind.rank if map_ is None else ir.AffineMapAttr(map_).value.n_inputs
        return _Place(memref, tuple(next(rest) for _ in range(count)), map_)

    source, target = place("src_map"), place("dst_map")
    if op.name.startswith("memref."):
        number = next(rest)
        return _Transfer(source, target, place("tag_map"), number, tuple(rest))
    tag = place("tag_map")
    return _Transfer(source, target, tag, next(rest), tuple(rest))


def _map(op: ir.Operation, name: str) -> ir.Attribute | None:
    """The map of subscripts, which ops of `memref` do not have."""
    if name not in op.attributes:
        return None
    return op.attributes[name]


def _wait_for(start: ir.Operation, made: _Transfer) -> ir.Operation | None:
    """The wait for a transfer; None if something comes before it that may touch memory."""
    given = (made.tag.memref, *made.tag.operands, made.number)
    for op in _after(start):
        if op.name in WAITS:
            return op if (tuple(op.operands), _map(op, "tag_map")) == (given, made.tag.map) else None
        if not op.name.startswith(ASIDE) or len(op.regions):
            return None
    return None


def _after(op: ir.Operation) -> Iterator[ir.Operation]:
    """The ops behind an op in its block."""
    following = dropwhile(lambda o: o != op, (view.operation for view in op.block.operations))
    next(following)
    return following


def _require_tag(reader: Reader, op: ir.Operation, tag: _Place) -> None:
    """Rejects the op if its tag is more than the name of a transfer."""
    owner = tag.memref.owner
    made = not isinstance(tag.memref, ir.BlockArgument) and owner.name in ALLOCATIONS
    users = [use.owner.operation.name for use in tag.memref.uses]
    if not made or any(name not in (*STARTS, *WAITS, "memref.dealloc") for name in users):
        reader.reject(op, "the tag of a transfer has to be memory of its own")
    _require_in_bounds(reader, op, reader.view(op, tag.memref), _indices(reader, op, tag))


def _require_in_bounds(reader: Reader, op: ir.Operation, view: View, indices: tuple[Term, ...]) -> None:
    once = (reader.pool.integer(1),) * len(indices)
    reader.require(op, in_bounds(reader.pool, view.extents, indices, once, once), "a subscript is out of bounds")


def _indices(reader: Reader, op: ir.Operation, place: _Place) -> tuple[Term, ...]:
    terms = reader.terms(op, list(place.operands))
    found = terms if place.map is None else reader.apply_map(op, place.map, terms)
    return tuple(map(reader.exact, found))


def _positive(reader: Reader, op: ir.Operation, value: ir.Value) -> int:
    (term,) = reader.terms(op, [value])
    number = literal(term)
    if not isinstance(number, int) or number < 1:
        reader.reject(op, "the number of elements of a transfer is not a positive constant")
    return number


def _slower(reader: Reader, op: ir.Operation, made: _Transfer) -> _Place:
    """The side with the lower memory space.

    Cites: MLIR, affine.dma_start: the stride is that of the slower memory space.
    """
    spaces = [ir.MemRefType(place.memref.type).memory_space for place in (made.source, made.target)]
    numbers = [0 if space is None else space.value if isinstance(space, ir.IntegerAttr) else None for space in spaces]
    first, second = numbers
    if first is None or second is None or first == second:
        reader.reject(op, "the stride of a transfer is that of the slower memory, and no side is known to be slower")
    return made.source if first < second else made.target


def _row(reader: Reader, op: ir.Operation, place: _Place, sizes: Sequence[int], steps: Sequence[int]) -> View:
    """The elements that a transfer reads or writes from this one on, so many at these distances in memory; a vector is
    an element."""
    pool, view, lanes = reader.pool, reader.view(op, place.memref), lanes_of(place.memref.type)
    lies, everything = view.strides, (tuple(range(len(view.extents))),)
    if lies is None or literal(contiguous(pool, view, everything, static_shape(place.memref.type))) != 1:
        reader.reject(op, f"the elements of {place.memref.type} do not plainly lie one after the other")
    indices = (*_indices(reader, op, place), *(pool.integer(0) for _ in lanes))
    _require_in_bounds(reader, op, view, indices)
    offset = lies.offset
    for index, stride in zip(indices, lies.strides, strict=True):
        offset = quasi_affine.add(pool, offset, quasi_affine.multiply(pool, stride, index))
    strides = (*(prod(lanes) * step for step in steps), *(prod(lanes[k + 1 :]) for k in range(len(lanes))))
    found = Strides(offset, tuple(map(pool.integer, strides)), lies.origin)
    return strided(pool, view.memory, found, tuple(map(pool.integer, (*sizes, *lanes))))


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(STARTS, _read_start),
    **dict.fromkeys(WAITS, _read_wait),
}
