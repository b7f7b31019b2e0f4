"""Vector ops that only move elements (broadcast, extract, insert, shuffle, ...), and masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import BOOL, FloatType, IntType, ScalarType
from hecv.mlir.module.parsed_module import is_big_endian
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, View, both, compare, within
from hecv.mlir.values.aggregate_values import (
    Shape,
    Terms,
    aggregate,
    allocate,
    assign,
    branch,
    by_element,
    held,
    kind_of,
    listed,
    may_branch,
    meaning,
    nest,
    numbers,
    renumbered,
    reshaped,
    same,
    shape,
    sizes,
)
from hecv.mlir.values.in_place_updates import updated
from hecv.ops.arith_floats import FLOAT_WIDTH
from hecv.program.index import quasi_affine

# Moving elements


def _read_broadcast(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.broadcast %x : f32 to vector<4xf32>`.

    Dimensions are matched from the last on; those of extent 1 are repeated.
    """
    kind = shape(reader, op, op.result.type)
    source = meaning(reader, op, op.operands[0])
    if isinstance(source, Term):
        reader.aggregates[op.result] = same(sizes(reader, op, kind), source)
        return
    missing = len(kind.extents) - len(source.extents)
    zero = reader.pool.integer(0)
    repeated = [literal(extent) == 1 for extent in source.extents]
    reader.aggregates[op.result] = renumbered(
        source,
        sizes(reader, op, kind),
        lambda at: tuple(zero if once else i for once, i in zip(repeated, at[missing:], strict=True)),
    )


def _position(reader: Reader, op: ir.Operation, dynamic: Sequence[ir.Value]) -> Terms | None:
    """The position of an extract or insert; None for -1, which is poison."""
    rest, mark = iter(reader.terms(op, dynamic)), ir.ShapedType.get_dynamic_size()
    static = list(ir.DenseI64ArrayAttr(op.attributes["static_position"]))
    if any(k < 0 and k != mark for k in static):
        return None
    return tuple(reader.exact(next(rest)) if k == mark else reader.pool.integer(k) for k in static)


def _inside(reader: Reader, at: Terms, extents: Terms) -> Term:
    return both(reader.pool, *(within(reader.pool, i, n) for i, n in zip(at, extents, strict=False)))


def _poison(reader: Reader, kind: ScalarType) -> Term:
    return reader.pool.make("ub.poison", (), kind)


def _read_extract(reader: Reader, op: ir.Operation) -> None:
    """Example: `%x = vector.extract %v[1, %i] : f32 from vector<2x4xf32>`.

    Poison: where a position is beyond the vector, or poison.
    """
    source, *dynamic = op.operands
    at, vector = _position(reader, op, dynamic), aggregate(reader, op, source)
    kind = kind_of(reader, op, op.result.type)
    if at is None:
        element = kind.element if isinstance(kind, Shape) else kind
        nothing = _poison(reader, element)
        reader.bind(op.result, same(sizes(reader, op, kind), nothing) if isinstance(kind, Shape) else nothing)
        return
    rest = vector.extents[len(at) :]
    inside = _inside(reader, at, vector.extents)
    some = renumbered(vector, rest, lambda inner: (*at, *inner))
    if literal(inside) == 1:
        found = some
    elif may_branch(reader, inside):
        made = allocate(reader, op, vector.kind, rest)
        nothing = same(rest, _poison(reader, vector.kind))
        branch(reader, op, inside, lambda: assign(reader, op, some, made), lambda: assign(reader, op, nothing, made))
        found = held(reader, made)
    else:
        found = _compared(reader, op, vector, at)
    reader.bind(op.result, found if isinstance(kind, Shape) else found.element(op, ()))


def _compared(reader: Reader, op: ir.Operation, vector: Aggregate, at: Terms) -> Aggregate:
    """The element at a position that may be poison, by comparing the position with all possible ones."""
    rest = vector.extents[len(at) :]
    made = allocate(reader, op, vector.kind, rest)
    assign(reader, op, same(rest, _poison(reader, vector.kind)), made)

    def take(to: Terms) -> None:
        inner = to[len(at) :]
        operands = (_is_at(reader, at, to), vector.element(op, to), reader.load_element(op, made, inner))
        reader.store_element(op, made, inner, reader.pool.make("arith.select", operands, vector.kind))

    nest(reader, op, vector.extents, take)
    return held(reader, made)


def _is_at(reader: Reader, at: Terms, to: Terms) -> Term:
    """True if an index of a vector begins with a position."""
    return both(reader.pool, *(compare(reader.pool, "eq", i, k) for i, k in zip(at, to, strict=False)))


def _read_insert(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.insert %x, %v[%i, 3] : f32 into vector<2x4xf32>`.

    Poison: where a position is beyond the vector, or poison.
    """
    value, into, *dynamic = op.operands
    at, vector = _position(reader, op, dynamic), aggregate(reader, op, into)
    if at is None:
        reader.aggregates[op.result] = same(vector.extents, _poison(reader, vector.kind))
        return
    inside = _inside(reader, at, vector.extents)
    made = updated(reader, op, into)
    inserted = meaning(reader, op, value)
    part = same((), inserted) if isinstance(inserted, Term) else inserted

    def insert() -> None:
        nest(reader, op, part.extents, lambda i: reader.store_element(op, made, (*at, *i), part.element(op, i)))

    def replace(to: Terms) -> None:
        pool, nowhere = reader.pool, _poison(reader, vector.kind)
        lanes = (_is_at(reader, at, to), part.element(op, to[len(at) :]), reader.load_element(op, made, to))
        chosen = pool.make("arith.select", lanes, vector.kind)
        reader.store_element(op, made, to, pool.make("arith.select", (inside, chosen, nowhere), vector.kind))

    if may_branch(reader, inside):
        nothing = same(vector.extents, _poison(reader, vector.kind))
        branch(reader, op, inside, insert, lambda: assign(reader, op, nothing, made))
    else:
        nest(reader, op, vector.extents, replace)
    reader.aggregates[op.result] = held(reader, made)


def _numbers(op: ir.Operation, name: str) -> list[int]:
    return [ir.IntegerAttr(k).value for k in ir.ArrayAttr(op.attributes[name])]


def _shifted(reader: Reader, at: Terms, offsets: Sequence[int], strides: Sequence[int]) -> Terms:
    """`offset + stride * i` for each dimension; those beyond `offsets` stay."""
    moved = (
        quasi_affine.combine(reader.pool, offset, ((i, stride),))
        for i, offset, stride in zip(at, offsets, strides, strict=False)
    )
    return (*moved, *at[len(offsets) :])


def _read_extract_slice(reader: Reader, op: ir.Operation) -> None:
    """Example: `%p = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : ...`."""
    offsets, strides = _numbers(op, "offsets"), _numbers(op, "strides")
    source = aggregate(reader, op, op.operands[0])
    extents = sizes(reader, op, shape(reader, op, op.result.type))
    reader.aggregates[op.result] = renumbered(source, extents, lambda at: _shifted(reader, at, offsets, strides))


def _read_insert_slice(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.insert_strided_slice %p, %v {offsets = [0, 1], strides = [1]} : ...`."""
    part, into = (aggregate(reader, op, v) for v in op.operands)
    offsets, strides = _numbers(op, "offsets"), _numbers(op, "strides")
    outer = len(into.extents) - len(part.extents)
    made = updated(reader, op, op.operands[1])

    def store(at: Terms) -> None:
        lead = numbers(reader, offsets[:outer])
        inner = _shifted(reader, at, offsets[outer:], strides)
        reader.store_element(op, made, (*lead, *inner), part.element(op, at))

    nest(reader, op, part.extents, store)
    reader.aggregates[op.result] = held(reader, made)


def _read_shape_cast(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.shape_cast %v : vector<2x4xf32> to vector<8xf32>`."""
    extents = sizes(reader, op, shape(reader, op, op.result.type))
    reader.aggregates[op.result] = reshaped(reader, aggregate(reader, op, op.operands[0]), extents)


def _read_transpose(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.transpose %v, [1, 0] : vector<2x4xf32> to vector<4x2xf32>`."""
    order = list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
    extents = sizes(reader, op, shape(reader, op, op.result.type))
    reader.aggregates[op.result] = renumbered(
        aggregate(reader, op, op.operands[0]), extents, lambda at: tuple(at[order.index(k)] for k in range(len(order)))
    )


def _read_shuffle(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.shuffle %u, %v [0, 5] : vector<4xf32>, vector<4xf32>`; a position of -1 is poison."""
    sources = [aggregate(reader, op, v) for v in op.operands]
    mask = list(ir.DenseI64ArrayAttr(op.attributes["mask"]))
    if not sources[0].extents:
        reader.reject(op, "a vector of rank 0 is not supported")
    first = literal(sources[0].extents[0])
    assert isinstance(first, int)
    kind = shape(reader, op, op.result.type)
    made = allocate(reader, op, kind.element, sizes(reader, op, kind))
    nothing = same(sources[0].extents, _poison(reader, kind.element))
    for place, k in enumerate(mask):
        source, at = (nothing, 0) if k < 0 else (sources[0], k) if k < first else (sources[1], k - first)
        lead, to = reader.pool.integer(at), reader.pool.integer(place)

        def store(i: Terms, source: Aggregate = source, lead: Term = lead, to: Term = to) -> None:
            reader.store_element(op, made, (to, *i), source.element(op, (lead, *i)))

        nest(reader, op, made.extents[1:], store)
    reader.aggregates[op.result] = held(reader, made)


def _read_interleave(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.interleave %u, %v : vector<4xf32> -> vector<8xf32>`."""
    left, right = (aggregate(reader, op, v) for v in op.operands)
    kind = shape(reader, op, op.result.type)
    made = allocate(reader, op, kind.element, sizes(reader, op, kind))
    if not left.extents:
        left, right = (reshaped(reader, one, numbers(reader, (1,))) for one in (left, right))
    for offset, source in enumerate((left, right)):

        def store(at: Terms, source: Aggregate = source, offset: int = offset) -> None:
            to = quasi_affine.combine(reader.pool, offset, ((at[-1], 2),))
            reader.store_element(op, made, (*at[:-1], to), source.element(op, at))

        nest(reader, op, source.extents, store)
    reader.aggregates[op.result] = held(reader, made)


def _read_deinterleave(reader: Reader, op: ir.Operation) -> None:
    source = aggregate(reader, op, op.operands[0])
    for offset, result in enumerate(op.results):
        extents = sizes(reader, op, shape(reader, op, result.type))

        def index(at: Terms, offset: int = offset) -> Terms:
            return (*at[:-1], quasi_affine.combine(reader.pool, offset, ((at[-1], 2),)))

        reader.aggregates[result] = renumbered(source, extents, index)


def _read_from_elements(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.from_elements %x, %y : vector<2xf32>`."""
    kind = shape(reader, op, op.result.type)
    reader.aggregates[op.result] = listed(reader, op, kind, reader.terms(op, op.operands))


def _read_to_elements(reader: Reader, op: ir.Operation) -> None:
    """Example: `%x:2 = vector.to_elements %v : vector<2xf32>`."""
    source = aggregate(reader, op, op.operands[0])
    flat = reshaped(reader, source, numbers(reader, (len(op.results),)))
    for number, result in enumerate(op.results):
        reader.scalars[result] = flat.element(op, (reader.pool.integer(number),))


# Masks and counts


def _read_create_mask(reader: Reader, op: ir.Operation) -> None:
    """Example: `%m = vector.create_mask %n : vector<4xi1>`: the first `n` lanes.

    A count is no subscript: that it does not overflow is not assumed.
    """
    _mask(reader, op, reader.terms(op, op.operands))


def _read_constant_mask(reader: Reader, op: ir.Operation) -> None:
    """Example: `%m = vector.constant_mask [2] : vector<4xi1>`."""
    _mask(reader, op, numbers(reader, list(ir.DenseI64ArrayAttr(op.attributes["mask_dim_sizes"]))))


def _mask(reader: Reader, op: ir.Operation, counts: Terms) -> None:
    pool = reader.pool
    extents = sizes(reader, op, shape(reader, op, op.result.type))

    def lane(_: ir.Operation, at: Terms) -> Term:
        # The count of a vector of rank 0 is of its only lane.
        lanes = at or (pool.integer(0),)
        return both(pool, *(compare(pool, "slt", i, count) for i, count in zip(lanes, counts, strict=True)))

    reader.aggregates[op.result] = Aggregate(extents, BOOL, lane, plain=True)


def _read_step(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.step : vector<4xindex>`."""
    kind = shape(reader, op, op.result.type)
    reader.aggregates[op.result] = Aggregate(sizes(reader, op, kind), kind.element, lambda _, at: at[0], plain=True)


def _read_bitcast(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.bitcast %v : vector<4xf32> to vector<8xi16>`: the low bits come first."""
    kind = shape(reader, op, op.result.type)
    source = aggregate(reader, op, op.operands[0])
    wide, narrow = _bits(reader, op, source.kind), _bits(reader, op, kind.element)
    if max(wide, narrow) % min(wide, narrow):
        reader.reject(op, "an element that is made of parts of others is not supported")
    if wide != narrow and is_big_endian(reader.module):  # as if stored and loaded (LLVM LangRef, bitcast)
        reader.reject(op, "in a big-endian data layout it is not supported")

    made = allocate(reader, op, kind.element, sizes(reader, op, kind))
    if wide > narrow:
        nest(reader, op, source.extents, lambda at: _split(reader, op, source.element(op, at), made, at))
    else:
        nest(
            reader,
            op,
            made.extents,
            lambda at: _store_bits(reader, op, _joined(reader, op, source, at, narrow), made, at),
        )
    reader.aggregates[op.result] = held(reader, made)


def _split(reader: Reader, op: ir.Operation, value: Term, made: View, at: Terms) -> None:
    """Emits stores of the parts of an element of a vector."""
    pool, narrow = reader.pool, IntType(_bits(reader, op, made.memory.element))
    kind = IntType(_bits(reader, op, value.type))
    parts, whole = kind.width // narrow.width, _as(reader, value, kind)
    for part in range(parts):
        place = quasi_affine.combine(pool, part, ((at[-1], parts),))
        shift = pool.integer(part * narrow.width, kind)
        low = pool.make("arith.shrui", (whole, shift), kind) if part else whole
        _store_bits(reader, op, pool.make("arith.trunci", (low,), narrow), made, (*at[:-1], place))


def _store_bits(reader: Reader, op: ir.Operation, value: Term, made: View, at: Terms) -> None:
    reader.store_element(op, made, at, _as(reader, value, made.memory.element))


def _joined(reader: Reader, op: ir.Operation, source: Aggregate, at: Terms, wide: int) -> Term:
    """The bits at `at` of a vector of elements with as many or fewer."""
    pool, kind, own = reader.pool, IntType(wide), _bits(reader, op, source.kind)
    made: Term | None = None
    for part in range(wide // own):
        # A vector of rank 0 has one element, and so has what it is seen as.
        place = (*at[:-1], quasi_affine.combine(pool, part, ((at[-1], wide // own),))) if at else at
        low = _as(reader, source.element(op, place), IntType(own))
        bits, shift = low if own == wide else pool.make("arith.extui", (low,), kind), pool.integer(part * own, kind)
        bits = pool.make("arith.shli", (bits, shift), kind) if part else bits
        made = bits if made is None else pool.make("arith.ori", (made, bits), kind)
    assert made is not None
    return made


def _bits(reader: Reader, op: ir.Operation, kind: ScalarType) -> int:
    """The bits of an element that has a size, a multiple or a part of that of others."""
    match kind:
        case IntType(width):
            return width
        case FloatType(name):
            return FLOAT_WIDTH[name]
        case _:
            reader.reject(op, f"elements of type `{kind}` are not supported")


def _as(reader: Reader, value: Term, kind: ScalarType) -> Term:
    """The bits of a value as another type of as many."""
    return value if value.type == kind else reader.pool.make("arith.bitcast", (value,), kind)


def _read_yield(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


_HANDLERS: Mapping[str, Handler] = {
    "vector.broadcast": _read_broadcast,
    "vector.splat": _read_broadcast,
    "vector.extract": _read_extract,
    "vector.insert": _read_insert,
    "vector.extract_strided_slice": _read_extract_slice,
    "vector.insert_strided_slice": _read_insert_slice,
    "vector.shape_cast": _read_shape_cast,
    "vector.transpose": _read_transpose,
    "vector.shuffle": _read_shuffle,
    "vector.interleave": _read_interleave,
    "vector.deinterleave": _read_deinterleave,
    "vector.from_elements": _read_from_elements,
    "vector.to_elements": _read_to_elements,
    "vector.create_mask": _read_create_mask,
    "vector.constant_mask": _read_constant_mask,
    "vector.step": _read_step,
    "vector.bitcast": _read_bitcast,
    "vector.yield": _read_yield,
}

HANDLERS: Mapping[str, Handler] = {name: by_element(handler) for name, handler in _HANDLERS.items()}
