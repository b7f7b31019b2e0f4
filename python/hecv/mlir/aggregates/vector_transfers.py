"""Vector ops that access memory: loads, stores, transfers, gathers and scatters of `vector`, and those of `affine`.

A lane makes no access where the mask is off, nor where it lies beyond the memref in a dimension not marked in bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import BOOL, INDEX
from hecv.mlir.aggregates import vector_reductions
from hecv.mlir.memory.memref_ops import require_plain
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, View, both, compare, within
from hecv.mlir.values.aggregate_values import (
    Terms,
    aggregate,
    allocate,
    branch,
    build,
    by_element,
    held,
    may_branch,
    meaning,
    nest,
    shape,
    sizes,
)
from hecv.mlir.values.in_place_updates import updated
from hecv.program.index import quasi_affine

MOST_LANES: Final = 64
"""Lanes, at most, of an op that packs or unpacks memory; each is a separate access."""

MOST_COMPARED: Final = 16
"""Lanes of a scatter, at most, whose indices are compared pairwise; with more, a race is undefined."""

Place = Callable[[Terms], Terms]
Lanes = Callable[[Terms], Term]


class Access(Struct, frozen=True):
    """The position of each lane in a memref or tensor; `stated` are the dimensions that are checked for each lane."""

    view: View | Aggregate
    place: Place
    stated: tuple[int, ...] = ()
    mask: Aggregate | None = None

    def happens(self, reader: Reader, op: ir.Operation, at: Terms) -> Term:
        """True if the lane accesses memory.

        An index below 0 is still accessed: only beyond the end there is padding (LangRef, vector.transfer_read: along a
        dimension that is not in bounds, accesses may run out of them "as the index increases"), and no lowering tests
        the other end.
        """
        indices = self.place(at)
        inside = (compare(reader.pool, "slt", indices[d], self.view.extents[d]) for d in self.stated)
        on = () if self.mask is None else (self.mask.element(op, at),)
        if on and not may_branch(reader, on[0]) and any(isinstance(v.type, ir.RankedTensorType) for v in op.operands):
            reader.reject(op, "on a tensor, a mask that may be poison is not supported")
        return both(reader.pool, *inside, *on)


def _read(reader: Reader, op: ir.Operation, access: Access, otherwise: Lanes) -> None:
    """The result of `op`: what each lane reads, or `otherwise`."""
    kind = shape(reader, op, op.result.type)
    made = allocate(reader, op, kind.element, sizes(reader, op, kind))

    def lane(at: Terms) -> None:
        def load() -> None:
            reader.store_element(op, made, at, _element(reader, op, access.view, access.place(at)))

        branch(
            reader,
            op,
            access.happens(reader, op, at),
            load,
            lambda: reader.store_element(op, made, at, otherwise(at)),
        )

    nest(reader, op, made.extents, lane)
    reader.aggregates[op.result] = held(reader, made)


def _element(reader: Reader, op: ir.Operation, source: View | Aggregate, at: Terms) -> Term:
    if isinstance(source, View):
        return reader.load_element(op, source, at)
    if source.whole is None:  # what it is a part of may be larger
        inside = (within(reader.pool, i, n) for i, n in zip(at, source.extents, strict=True))
        reader.require(op, both(reader.pool, *inside), "an index is beyond the tensor")
    return source.element(op, at)


def _write(reader: Reader, op: ir.Operation, access: Access, stored: Aggregate, parallel: bool = False) -> None:
    """Emits the store of each lane that accesses memory. With `parallel`, two lanes that store to one element are a
    race."""
    view = access.view
    assert isinstance(view, View)

    def lane(at: Terms) -> None:
        def store() -> None:
            reader.store_element(op, view, access.place(at), stored.element(op, at))

        branch(reader, op, access.happens(reader, op, at), store)

    nest(reader, op, stored.extents, lane, parallel=parallel)


# vector.transfer_read, vector.transfer_write


def _transfer(
    reader: Reader, op: ir.Operation, view: View | Aggregate, indices: Sequence[ir.Value], mask: Aggregate | None
) -> Access:
    """The access of a transfer op, by its permutation map: a memref dimension in the map moves with the lane, a 0
    does not."""
    moved = _moved(op)
    pool, base = reader.pool, tuple(map(reader.exact, reader.terms(op, indices)))
    known = [ir.BoolAttr(b).value for b in ir.ArrayAttr(op.attributes["in_bounds"])]

    def place(at: Terms) -> Terms:
        found = list(base)
        for lane, dimension in zip(at, moved, strict=True):
            if dimension is not None:
                found[dimension] = quasi_affine.add(pool, found[dimension], lane)
        return tuple(found)

    stated = tuple(d for d, inside in zip(moved, known, strict=True) if d is not None and not inside)
    return Access(view, place, stated, None if mask is None else _permuted(reader, mask, moved))


def _moved(op: ir.Operation) -> list[int | None]:
    """For each vector dimension of a transfer, the memref dimension that it moves along; None for a broadcast."""
    results = ir.AffineMapAttr(op.attributes["permutation_map"]).value.results
    return [r.position if isinstance(r, ir.AffineDimExpr) else None for r in results]


def _permuted(reader: Reader, mask: Aggregate, moved: Sequence[int | None]) -> Aggregate:
    """The mask, indexed by the lanes of the vector.

    The mask of a transfer is indexed by the memref dimensions in their order, without broadcast ones (LangRef,
    vector.transfer_read: the mask's shape is by the inverse permutation map); if all are broadcast it has one lane.
    """
    order = sorted(d for d in moved if d is not None)
    only = (reader.pool.integer(0),) * len(mask.extents)

    def element(op: ir.Operation, at: Terms) -> Term:
        return mask.element(op, tuple(at[moved.index(d)] for d in order) or only)

    return Aggregate(mask.extents, BOOL, element, mask.memories, plain=mask.plain)


def _read_transfer_read(reader: Reader, op: ir.Operation, outer: Aggregate | None = None) -> None:
    """Example: `%v = vector.transfer_read %A[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<4xf32>`."""
    _, count, _, masks = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    memref, *rest = op.operands
    padding = meaning(reader, op, rest[count])
    if not isinstance(padding, Term):
        reader.reject(op, "a memref of vectors is not supported")
    mask = aggregate(reader, op, rest[count + 1]) if masks else outer
    of_memref = isinstance(memref.type, ir.MemRefType)
    source = reader.view(op, memref) if of_memref else aggregate(reader, op, memref)
    _read(reader, op, _transfer(reader, op, source, rest[:count], mask), lambda _: padding)


def _read_transfer_write(reader: Reader, op: ir.Operation, outer: Aggregate | None = None) -> None:
    """Example: `vector.transfer_write %v, %A[%i] {in_bounds = [true]} : vector<4xf32>, memref<?xf32>`."""
    _, _, count, masks = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    stored, memref, *rest = op.operands
    mask = aggregate(reader, op, rest[count]) if masks else outer
    value = aggregate(reader, op, stored)
    if isinstance(memref.type, ir.MemRefType):
        return _write(reader, op, _transfer(reader, op, reader.view(op, memref), rest[:count], mask), value)
    aggregate(reader, op, memref)
    made = updated(reader, op, memref)
    _write(reader, op, _transfer(reader, op, made, rest[:count], mask), value)
    reader.aggregates[op.result] = held(reader, made)


# vector.load, vector.store and their kin: lanes along the last dimensions


def _along(reader: Reader, memref: View, base: Terms, mask: Aggregate | None = None) -> Access:
    def place(at: Terms) -> Terms:
        first = len(base) - len(at)
        lanes = (quasi_affine.add(reader.pool, index, lane) for index, lane in zip(base[first:], at, strict=True))
        return (*base[:first], *lanes)

    return Access(memref, place, (), mask)


def _base(reader: Reader, op: ir.Operation, indices: Sequence[ir.Value]) -> Terms:
    """The start of an access. An op of `vector` may carry an unrelated attribute called `map`."""
    terms = reader.terms(op, indices)
    if op.name.startswith("affine."):
        return reader.apply_map(op, op.attributes["map"], terms)
    return tuple(map(reader.exact, terms))


def _never(_: Terms) -> Term:
    raise AssertionError("every lane is read")


def _read_load(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.load %A[%i] : memref<?xf32>, vector<4xf32>`."""
    memref, *indices = op.operands
    _read(reader, op, _along(reader, reader.view(op, memref), _base(reader, op, indices)), _never)


def _read_store(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.vector_store %v, %A[%i + 1] : memref<?xf32>, vector<4xf32>`."""
    stored, memref, *indices = op.operands
    access = _along(reader, reader.view(op, memref), _base(reader, op, indices))
    _write(reader, op, access, aggregate(reader, op, stored))


def _read_masked_load(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.maskedload %A[%i], %mask, %other : memref<?xf32>, vector<4xi1>, vector<4xf32> into ...`."""
    memref, *indices, mask, other = op.operands
    passed = aggregate(reader, op, other)
    access = _along(reader, reader.view(op, memref), _base(reader, op, indices), aggregate(reader, op, mask))
    _read(reader, op, access, lambda at: passed.element(op, at))


def _read_masked_store(reader: Reader, op: ir.Operation) -> None:
    memref, *indices, mask, stored = op.operands
    access = _along(reader, reader.view(op, memref), _base(reader, op, indices), aggregate(reader, op, mask))
    _write(reader, op, access, aggregate(reader, op, stored))


def _indexed(
    reader: Reader,
    op: ir.Operation,
    source: View | Aggregate,
    indices: Sequence[ir.Value],
    lanes: ir.Value,
    mask: ir.Value,
) -> Access:
    """The access of a gather or scatter: an index for each lane, from the base on along the last dimension."""
    base, offsets = _base(reader, op, indices), aggregate(reader, op, lanes)

    def place(at: Terms) -> Terms:
        offset = offsets.element(op, at)
        if offset.type != INDEX:
            offset = reader.pool.make("arith.index_cast", (offset,), INDEX)
        return (*base[:-1], quasi_affine.add(reader.pool, base[-1], reader.exact(offset)))

    return Access(source, place, (), aggregate(reader, op, mask))


def _read_gather(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.gather %A[%i] [%lanes], %mask, %other : memref<?xf32>, vector<4xindex>, ...`."""
    memref, *indices, lanes, mask, other = op.operands
    passed = aggregate(reader, op, other)
    of_memref = isinstance(memref.type, ir.MemRefType)
    source = reader.view(op, memref) if of_memref else aggregate(reader, op, memref)
    access = _indexed(reader, op, source, indices, lanes, mask)
    _read(reader, op, access, lambda at: passed.element(op, at))


def _read_scatter(reader: Reader, op: ir.Operation) -> None:
    """Example: `vector.scatter %A[%i] [%lanes], %mask, %v : memref<?xf32>, vector<4xindex>, ...`.

    Undefined: where two lanes have the same index (LangRef, vector.scatter).
    """
    memref, *indices, lanes, mask, stored = op.operands
    if isinstance(memref.type, ir.MemRefType):
        target = reader.view(op, memref)
    else:
        aggregate(reader, op, memref)
        target = updated(reader, op, memref)
        reader.aggregates[op.result] = held(reader, target)
    access, values = _indexed(reader, op, target, indices, lanes, mask), aggregate(reader, op, stored)
    count = literal(values.extents[0]) if len(values.extents) == 1 else None
    if not isinstance(count, int) or count > MOST_COMPARED:
        return _write(reader, op, access, values, parallel=True)
    _require_distinct(reader, op, access, count)
    _write(reader, op, access, values)


def _require_distinct(reader: Reader, op: ir.Operation, access: Access, count: int) -> None:
    """Emits that no two active lanes have the same index; the index of an inactive lane may be poison."""
    pool = reader.pool
    lanes = [(pool.integer(k),) for k in range(count)]
    places = [(access.happens(reader, op, at), access.place(at)[-1]) for at in lanes]
    apart: list[Term] = []
    for (first, one), (second, other) in combinations(places, 2):
        same = compare(pool, "eq", one, other)
        known = literal(same)
        opposite = pool.make("arith.xori", (same, pool.integer(1, BOOL)), BOOL)
        differ = opposite if known is None else pool.integer(1 - int(known), BOOL)
        apart.append(_where(reader, first, _where(reader, second, differ)))
    reader.require(op, both(pool, *apart), "two lanes have one index")


def _where(reader: Reader, holds: Term, condition: Term) -> Term:
    """The condition, where another one holds."""
    known, true = literal(holds), reader.pool.integer(1, BOOL)
    if known is not None:
        return condition if known else true
    return reader.pool.make("arith.select", (holds, condition, true), BOOL)


def _packed(
    reader: Reader, op: ir.Operation, indices: Sequence[ir.Value], mask: ir.Value
) -> Iterator[tuple[Terms, Term, Terms]]:
    """For each lane: whether it is on, and its indices in memory if so; active lanes are adjacent in memory.

    Raises: Unsupported for more lanes than `MOST_LANES`, each of which is a separate access.
    """
    base, lanes, pool = _base(reader, op, indices), aggregate(reader, op, mask), reader.pool
    count = literal(lanes.extents[0])
    if len(lanes.extents) != 1 or not isinstance(count, int) or count > MOST_LANES:
        reader.reject(op, f"lanes that are not in one dimension, or more than {MOST_LANES}")
    last = base[-1]
    for lane in range(count):
        at = (pool.integer(lane),)
        holds = lanes.element(op, at)
        yield at, holds, (*base[:-1], last)
        known = literal(holds)
        one = pool.make("arith.select", (holds, pool.integer(1), pool.integer(0)), INDEX)
        last = quasi_affine.add(pool, last, one if known is None else pool.integer(int(known)))


def _read_expand(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.expandload %A[%i], %mask, %other : memref<?xf32>, vector<4xi1>, vector<4xf32> into ...`."""
    memref, *indices, mask, other = op.operands
    view, passed = reader.view(op, memref), aggregate(reader, op, other)
    made = allocate(reader, op, passed.kind, passed.extents)
    for at, holds, place in _packed(reader, op, indices, mask):
        branch(
            reader,
            op,
            holds,
            lambda at=at, place=place: reader.store_element(op, made, at, reader.load_element(op, view, place)),
            lambda at=at: reader.store_element(op, made, at, passed.element(op, at)),
        )
    reader.aggregates[op.result] = held(reader, made)


def _read_compress(reader: Reader, op: ir.Operation) -> None:
    """Example: `vector.compressstore %A[%i], %mask, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>`."""
    memref, *indices, mask, stored = op.operands
    view, values = reader.view(op, memref), aggregate(reader, op, stored)
    for at, holds, place in _packed(reader, op, indices, mask):

        def store(at: Terms = at, place: Terms = place) -> None:
            reader.store_element(op, view, place, values.element(op, at))

        branch(reader, op, holds, store)


# vector.mask


def _read_mask(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.mask %m { vector.transfer_read %A[%i], %pad : ... } : vector<4xi1> -> vector<4xf32>`."""
    mask, *passed = (aggregate(reader, op, v) for v in op.operands)
    ops = [view.operation for view in op.regions[0].blocks[0].operations]
    if len(ops) != 2:
        reader.reject(op, "a mask of more than one op is not supported")
    masked, end = ops
    if (
        masked.name.startswith("vector.transfer")
        and list(ir.DenseI32ArrayAttr(masked.attributes["operandSegmentSizes"]))[-1]
    ):
        reader.reject(masked, "a mask under another one is not supported")
    handler = _MASKED.get(masked.name)
    if handler is None:
        reader.reject(masked, "it is not supported under a mask")
    if passed and masked.name != "vector.transfer_read":
        reader.reject(op, "what passes where the mask is off is not supported")
    handler(reader, masked, mask)
    if passed:
        mask = _permuted(reader, mask, _moved(masked))
        return _pass(reader, op, mask, aggregate(reader, end, end.operands[0]), passed[0])
    for result, value in zip(op.results, end.operands, strict=True):
        reader.bind(result, meaning(reader, end, value))


def _pass(reader: Reader, op: ir.Operation, mask: Aggregate, on: Aggregate, off: Aggregate) -> None:
    """The result of a masked op: the lanes of one vector where the mask is on, of another where it is off."""

    def element(at: Terms) -> Term:
        lanes = tuple(v.element(op, at) for v in (mask, on, off))
        return reader.pool.make("arith.select", lanes, on.kind)

    reader.aggregates[op.result] = build(reader, op, on.kind, on.extents, element)


_MASKED: Mapping[str, Callable[[Reader, ir.Operation, Aggregate | None], None]] = {
    **vector_reductions.MASKED,
    "vector.transfer_read": _read_transfer_read,
    "vector.transfer_write": _read_transfer_write,
}

_HANDLERS: Mapping[str, Handler] = {
    "vector.transfer_read": lambda reader, op: _read_transfer_read(reader, op),
    "vector.transfer_write": lambda reader, op: _read_transfer_write(reader, op),
    "vector.expandload": _read_expand,
    "vector.compressstore": _read_compress,
    "vector.load": _read_load,
    "vector.store": _read_store,
    "vector.maskedload": _read_masked_load,
    "vector.maskedstore": _read_masked_store,
    "vector.gather": _read_gather,
    "vector.scatter": _read_scatter,
    "vector.mask": _read_mask,
    "affine.vector_load": _read_load,
    "affine.vector_store": _read_store,
}


def _aligned(handler: Handler) -> Handler:
    """Makes the handler reject an access that is undefined for more reasons than being out of bounds."""

    def read(reader: Reader, op: ir.Operation) -> None:
        require_plain(reader, op)
        handler(reader, op)

    return read


HANDLERS: Mapping[str, Handler] = {name: by_element(_aligned(handler)) for name, handler in _HANDLERS.items()}
