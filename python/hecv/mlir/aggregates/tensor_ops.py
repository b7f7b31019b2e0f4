"""Ops on tensors as values: `tensor`, and the `bufferization` ops between tensors and memrefs.

Undefined: a slice or an element out of bounds (LangRef, tensor dialect).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product as iterate

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import BOOL, INDEX, MemRefType
from hecv.mlir.memory.local_forwarding import stored
from hecv.mlir.memory.view_ops import (
    groups_of,
    kept_dimensions,
    mixed,
    output_shape,
    static_shape,
    static_sizes,
    triple,
)
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import (
    Aggregate,
    View,
    both,
    compare,
    in_bounds,
    position,
    product,
    subscripts,
    within,
)
from hecv.mlir.values.aggregate_elements import lanes_of, read_element, store_element
from hecv.mlir.values.aggregate_values import (
    Terms,
    aggregate,
    allocate,
    assign,
    branch,
    by_element,
    copied,
    held,
    listed,
    meaning,
    nest,
    numbers,
    renumbered,
    reshaped,
    same,
    shape,
)
from hecv.mlir.values.carried_cells import terminator
from hecv.mlir.values.in_place_updates import updated
from hecv.program.index import quasi_affine
from hecv.program.tree import Call, Store, walk


def _extents(reader: Reader, op: ir.Operation, dynamic: Sequence[ir.Value]) -> Terms:
    """The extents of the result of `op`: from its type, or the operand where the type leaves one open."""
    rest = iter(map(reader.exact, reader.terms(op, dynamic)))
    pool = reader.pool
    return tuple(next(rest) if n is None else pool.integer(n) for n in shape(reader, op, op.result.type).extents)


def _read_empty(reader: Reader, op: ir.Operation) -> None:
    """Example: `%e = tensor.empty(%n) : tensor<?x8xf32>`; its contents are as those of memory just allocated."""
    extents = _extents(reader, op, op.operands)
    element = shape(reader, op, op.result.type).element
    reader.aggregates[op.result] = held(reader, allocate(reader, op, element, extents))


def _read_extract(reader: Reader, op: ir.Operation) -> None:
    """Example: `%x = tensor.extract %t[%i] : tensor<8xf32>`."""
    tensor, *indices = op.operands
    source, at = aggregate(reader, op, tensor), tuple(map(reader.exact, reader.terms(op, indices)))
    _require_within(reader, op, at, source.extents)
    reader.bind(op.result, read_element(reader, op, source, at, lanes_of(tensor.type)))


def _require_within(reader: Reader, op: ir.Operation, at: Terms, extents: Terms) -> None:
    inside = (within(reader.pool, i, n) for i, n in zip(at, extents, strict=False))
    reader.require(op, both(reader.pool, *inside), "an index is beyond the tensor")


def _read_insert(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.insert %x into %t[%i] : tensor<8xf32>`."""
    value, tensor, *indices = op.operands
    at = tuple(map(reader.exact, reader.terms(op, indices)))
    aggregate(reader, op, tensor)
    made = updated(reader, op, tensor)
    store_element(reader, op, made, at, meaning(reader, op, value))
    reader.aggregates[op.result] = held(reader, made)


def _read_dim(reader: Reader, op: ir.Operation) -> None:
    """Example: `%n = tensor.dim %t, %c0 : tensor<?xf32>`."""
    source, dimension = aggregate(reader, op, op.operands[0]), literal(reader.term(op, op.operands[1]))
    if not isinstance(dimension, int) or not 0 <= dimension < ir.ShapedType(op.operands[0].type).rank:
        reader.reject(op, "the dimension is not a constant within the rank")
    reader.scalars[op.result] = source.extents[dimension]


def _read_rank(reader: Reader, op: ir.Operation) -> None:
    aggregate(reader, op, op.operands[0])
    reader.scalars[op.result] = reader.pool.integer(ir.ShapedType(op.operands[0].type).rank)


def _read_cast(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.cast %t : tensor<?xf32> to tensor<4xf32>`; undefined where the extents differ."""
    source = aggregate(reader, op, op.operands[0])
    extents = _typed(reader, op, source.extents, "a cast to another extent")
    reader.aggregates[op.result] = renumbered(source, extents, lambda at: at)


def _typed(reader: Reader, op: ir.Operation, extents: Terms, text: str) -> Terms:
    """The extents of the result of `op`, after emitting that they are those its type states."""
    pool, found = reader.pool, list[Term]()
    for extent, known in zip(extents, shape(reader, op, op.result.type).extents, strict=True):
        if known is not None:
            reader.require(op, compare(pool, "eq", extent, pool.integer(known)), text)
        found.append(extent if known is None else pool.integer(known))
    return tuple(found)


# Slices


def _shifted(reader: Reader, at: Terms, offsets: Terms, strides: Terms) -> Terms:
    pool = reader.pool
    moved = (
        quasi_affine.add(pool, o, quasi_affine.multiply(pool, s, i))
        for i, o, s in zip(at, offsets, strides, strict=True)
    )
    return tuple(moved)


def _widened(reader: Reader, at: Terms, rank: int, kept: tuple[int, ...]) -> Terms:
    """Indices for all dimensions, from those that a rank-reducing slice keeps."""
    return tuple(at[kept.index(d)] if d in kept else reader.pool.integer(0) for d in range(rank))


def _slice(
    reader: Reader, op: ir.Operation, whole: Terms, part: ir.Type
) -> tuple[Terms, Terms, Terms, tuple[int, ...]]:
    """Offsets, sizes and strides of a slice of extents `whole`, and the dimensions that it keeps."""
    offsets, sizes, strides = (tuple(map(reader.exact, parts)) for parts in triple(reader, op))
    reader.require(op, in_bounds(reader.pool, whole, offsets, sizes, strides), "a slice is not within its tensor")
    return offsets, sizes, strides, kept_dimensions(static_sizes(op), static_shape(part))[0]


def _read_extract_slice(reader: Reader, op: ir.Operation) -> None:
    """Example: `%s = tensor.extract_slice %t[%i, 2] [1, 4] [1, 1] : tensor<4x8xf32> to tensor<4xf32>`."""
    source = aggregate(reader, op, op.operands[0])
    offsets, sizes, strides, kept = _slice(reader, op, source.extents, op.result.type)
    rank = len(source.extents)
    reader.aggregates[op.result] = renumbered(
        source,
        tuple(sizes[d] for d in kept),
        lambda at: _shifted(reader, _widened(reader, at, rank, kept), offsets, strides),
    )


def _read_insert_slice(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.insert_slice %s into %t[%i, 2] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x8xf32>`."""
    part, _ = (aggregate(reader, op, v) for v in list(op.operands)[:2])
    made = updated(reader, op, op.operands[1])
    insert_slice(reader, op, part, made)
    reader.aggregates[op.result] = held(reader, made)


def insert_slice(reader: Reader, op: ir.Operation, part: Aggregate, into: View) -> None:
    """Emits what writes `part` to the slice of `into` that `op` names."""
    offsets, sizes, strides, kept = _slice(reader, op, into.extents, op.operands[0].type)
    agree = (compare(reader.pool, "eq", sizes[d], n) for d, n in zip(kept, part.extents, strict=True))
    reader.require(op, both(reader.pool, *agree), "a slice of another size")
    rank = len(into.extents)

    def store(at: Terms) -> None:
        to = _shifted(reader, _widened(reader, at, rank, kept), offsets, strides)
        reader.store_element(op, into, to, part.element(op, at))

    nest(reader, op, part.extents, store)


# Other shapes


def _read_collapse(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.collapse_shape %t [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>`."""
    source, groups, pool = aggregate(reader, op, op.operands[0]), groups_of(op), reader.pool
    extents = tuple(product(pool, tuple(source.extents[d] for d in group)) for group in groups)

    def index(at: Terms) -> Terms:
        found: dict[int, Term] = {}
        for i, group in zip(at, groups, strict=True):
            found |= dict(zip(group, subscripts(pool, i, tuple(source.extents[d] for d in group)), strict=True))
        return tuple(found.get(d, pool.integer(0)) for d in range(len(source.extents)))

    reader.aggregates[op.result] = renumbered(source, extents, index)


def _read_reshape(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.reshape %t(%s) : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<32xf32>`.

    Undefined: where the shape has another number of elements, a negative extent, or is not what the type states.
    """
    source, given = (aggregate(reader, op, v) for v in op.operands)
    pool, found = reader.pool, list[Term]()
    lanes, rank = lanes_of(op.result.type), ir.ShapedType(op.result.type).rank
    for k, known in enumerate(static_shape(op.result.type)[:rank]):
        held = None if given.whole is None else stored(tuple(reader.block), given.whole, k)
        stated = held or given.element(op, (pool.integer(k),))
        if known is not None:
            own = (stated, pool.integer(known, stated.type))
            holds = pool.make("arith.cmpi", own, BOOL, (("predicate", "eq"),))
            reader.require(op, holds, "the shape is not that of the result's type")
            found.append(pool.integer(known))
        else:
            extent = stated if stated.type == INDEX else pool.make("arith.index_cast", (stated,), INDEX)
            found.append(reader.exact(extent))
            reader.require(op, compare(pool, "sle", pool.integer(0), found[-1]), "a shape has a negative extent")
    extents = (*found, *numbers(reader, lanes))
    count = compare(pool, "eq", product(pool, source.extents), product(pool, extents))
    reader.require(op, count, "the shapes have different numbers of elements")
    reader.aggregates[op.result] = reshaped(reader, source, extents)


def _read_expand(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.expand_shape %t [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>`.

    Undefined: where the extents of a group do not multiply to that of its dimension, or one is negative.
    """
    tensor, *dynamic = op.operands
    source, groups, pool = aggregate(reader, op, tensor), groups_of(op), reader.pool
    extents = tuple(map(reader.exact, output_shape(reader, op, reader.terms(op, dynamic))))
    same_size = (
        compare(pool, "eq", n, product(pool, tuple(extents[d] for d in group)))
        for n, group in zip(source.extents, groups, strict=False)
    )
    not_negative = (compare(pool, "sle", pool.integer(0), n) for n in extents)
    reader.require(op, both(pool, *same_size, *not_negative), "an expansion to another size")

    def index(at: Terms) -> Terms:
        return tuple(position(pool, tuple(at[d] for d in group), tuple(extents[d] for d in group)) for group in groups)

    reader.aggregates[op.result] = renumbered(source, extents, index)


def _read_pad(reader: Reader, op: ir.Operation) -> None:
    """Example: `%u = tensor.pad %t low[1, %i] high[0, 0] { ... tensor.yield %x : f32 } : tensor<4x8xf32> to ...`."""
    pool, body = reader.pool, op.regions[0].blocks[0]
    _, low_count, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    tensor, *dynamic = op.operands
    source, terms = aggregate(reader, op, tensor), reader.terms(op, dynamic)
    lanes, zero = lanes_of(tensor.type), pool.integer(0)
    none = (zero,) * len(lanes)
    low = (*map(reader.exact, mixed(reader, op.attributes["static_low"], terms[:low_count])), *none)
    high = (*map(reader.exact, mixed(reader, op.attributes["static_high"], terms[low_count:])), *none)
    for amount in (*low, *high):
        known = literal(amount)
        if isinstance(known, int) and known < 0:
            reader.reject(op, "a padding of negative size is not supported")
        reader.require(op, compare(pool, "sle", zero, amount), "a padding of negative size")
    extents = tuple(
        quasi_affine.combine(pool, 0, ((a, 1), (n, 1), (b, 1)))
        for a, n, b in zip(low, source.extents, high, strict=True)
    )
    made = allocate(reader, op, source.kind, _typed(reader, op, extents, "a padding to another extent"))

    def store(at: Terms) -> None:
        inner = tuple(quasi_affine.subtract(pool, i, a) for i, a in zip(at, low, strict=True))
        inside = both(pool, *(within(pool, i, n) for i, n in zip(inner, source.extents, strict=True)))

        def keep() -> None:
            reader.store_element(op, made, at, source.element(op, inner))

        def fill() -> None:
            reader.store_element(op, made, at, _lane(reader, op, _yielded(reader, body, at), at))

        branch(reader, op, inside, keep, fill)

    nest(reader, op, extents, store)
    reader.aggregates[op.result] = held(reader, made)


def _yielded(reader: Reader, body: ir.Block, at: Terms) -> Term | Aggregate:
    """What a region of indices yields at an index; what is left of `at` is that of a lane."""
    reader.scalars.update(zip(body.arguments, at, strict=False))
    reader.read_block(body)
    end = terminator(body)
    return meaning(reader, end, end.operands[0])


def _lane(reader: Reader, op: ir.Operation, value: Term | Aggregate, at: Terms) -> Term:
    """The lane of an element at an index that ends with that of the lane."""
    return value if isinstance(value, Term) else value.element(op, at[len(at) - len(value.extents) :])


def _read_generate(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = tensor.generate %n { ^bb0(%i: index): ... tensor.yield %x : f32 } : tensor<?xf32>`."""
    body, extents = op.regions[0].blocks[0], _extents(reader, op, op.operands)
    element = shape(reader, op, op.result.type).element
    made = allocate(reader, op, element, extents)
    outer = extents[: ir.ShapedType(op.result.type).rank]
    nest(reader, op, outer, lambda at: store_element(reader, op, made, at, _yielded(reader, body, at)))
    reader.aggregates[op.result] = held(reader, made)


def _read_splat(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = tensor.splat %x[%n] : tensor<?xf32>`; an extent that is negative is undefined."""
    value, *dynamic = op.operands
    extents, element = _extents(reader, op, dynamic), meaning(reader, op, value)
    not_negative = (compare(reader.pool, "sle", reader.pool.integer(0), n) for n in extents)
    reader.require(op, both(reader.pool, *not_negative), "a negative extent")
    if isinstance(element, Term):
        reader.aggregates[op.result] = same(extents, element)
    else:
        reader.aggregates[op.result] = renumbered(element, extents, lambda at: at[len(at) - len(element.extents) :])


def _read_from_elements(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = tensor.from_elements %x, %y : tensor<2xf32>`."""
    kind = shape(reader, op, op.result.type)
    values = [meaning(reader, op, value) for value in op.operands]
    parts = [part for value in values for part in _parts(reader, op, value)]
    reader.aggregates[op.result] = listed(reader, op, kind, parts)


def _parts(reader: Reader, op: ir.Operation, value: Term | Aggregate) -> list[Term]:
    """A scalar, or the elements of an aggregate of known extents, in row-major order."""
    if isinstance(value, Term):
        return [value]
    extents = [int(literal(n) or 0) for n in value.extents]
    return [value.element(op, numbers(reader, at)) for at in iterate(*map(range, extents))]


def _read_concat(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>`."""
    parts, pool = [aggregate(reader, op, v) for v in op.operands], reader.pool
    along = ir.IntegerAttr(op.attributes["dim"]).value
    first = parts[0]
    total = quasi_affine.combine(pool, 0, tuple((p.extents[along], 1) for p in parts))
    whole = tuple(total if d == along else n for d, n in enumerate(first.extents))
    extents = _typed(reader, op, whole, "parts that make another extent")
    made, offset = allocate(reader, op, first.kind, extents), pool.integer(0)
    for part in parts:
        agree = (
            compare(pool, "eq", a, b)
            for d, (a, b) in enumerate(zip(first.extents, part.extents, strict=True))
            if d != along
        )
        reader.require(op, both(pool, *agree), "shapes differ")

        def store(at: Terms, part: Aggregate = part, offset: Term = offset) -> None:
            to = tuple(quasi_affine.add(pool, i, offset) if d == along else i for d, i in enumerate(at))
            reader.store_element(op, made, to, part.element(op, at))

        nest(reader, op, part.extents, store)
        offset = quasi_affine.add(pool, offset, part.extents[along])
    reader.aggregates[op.result] = held(reader, made)


# Tensors and memrefs


def _read_to_tensor(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>`: what `%m` holds now."""
    view = reader.view(op, op.operands[0])
    reader.alone.add(view.memory.id)
    now = Aggregate(view.extents, view.memory.element, lambda at_op, at: reader.load_element(at_op, view, at))
    reader.aggregates[op.result] = held(reader, copied(reader, op, now))


def _read_to_buffer(reader: Reader, op: ir.Operation) -> None:
    """Example: `%m = bufferization.to_buffer %t : tensor<8xf32> to memref<8xf32>`: a copy, which may not be written.

    Its position in memory is unknown.
    """
    kind = reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    made = copied(reader, op, aggregate(reader, op, op.operands[0]))
    reader.borrowed[made.memory.id] = op
    reader.views[op.result] = made if kind.layout is None else replace(made, strides=None)


def require_unwritten(reader: Reader) -> None:
    """Raises: Unsupported if the buffer of a tensor may be written: what the tensor is afterwards is left open."""
    stores: Counter[int] = Counter()
    for statement in walk(tuple(reader.block)) if reader.borrowed else ():
        if isinstance(statement, Store):
            stores[statement.memory.id] += 1
        elif isinstance(statement, Call):
            stores.update({m.id: 2 for m in statement.memories})
    for memory, op in reader.borrowed.items():
        if stores[memory] > 1:  # one is the copy
            reader.reject(op, "a buffer of a tensor that may be written is not supported")


def _read_materialize(reader: Reader, op: ir.Operation) -> None:
    """Example: `bufferization.materialize_in_destination %t in restrict writable %m : (tensor<8xf32>, ...)`."""
    source, to = aggregate(reader, op, op.operands[0]), op.operands[1]
    target = aggregate(reader, op, to) if len(op.results) else reader.view(op, to)
    agree = (compare(reader.pool, "eq", a, b) for a, b in zip(source.extents, target.extents, strict=True))
    reader.require(op, both(reader.pool, *agree), "shapes differ")
    if isinstance(target, Aggregate):
        reader.aggregates[op.result] = source
        return
    reader.alone.add(target.memory.id)
    assign(reader, op, source, target)


def _read_alloc_tensor(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = bufferization.alloc_tensor() copy(%s) : tensor<8xf32>`."""
    count, copy, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    values = list(op.operands)
    if copy:
        reader.aggregates[op.result] = aggregate(reader, op, values[count])
        return
    extents = _extents(reader, op, values[:count])
    element = shape(reader, op, op.result.type).element
    reader.aggregates[op.result] = held(reader, allocate(reader, op, element, extents))


def _read_dealloc(reader: Reader, op: ir.Operation) -> None:
    """Example: `bufferization.dealloc_tensor %t : tensor<8xf32>`: the end of the life of what is not used any more.

    Raises: Unsupported where the tensor, or what may lie in its buffer, is used later, or in another block.
    """
    left, seen = [op.operands[0]], set[ir.Value]()
    while left:
        value = left.pop()
        if value in seen:
            continue
        seen.add(value)
        here = not isinstance(value, ir.BlockArgument) and value.owner.operation.block == op.block
        users = [user for use in value.uses if (user := use.owner.operation) != op]
        if not here or any(user.block != op.block or not user.is_before_in_block(op) for user in users):
            reader.reject(op, "a tensor that is made or used elsewhere, or used later, is not supported")
        for user in users:
            left += [r for r in user.results if isinstance(r.type, (ir.RankedTensorType, ir.MemRefType))]


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


_HANDLERS: Mapping[str, Handler] = {
    "tensor.empty": _read_empty,
    "tensor.extract": _read_extract,
    "tensor.insert": _read_insert,
    "tensor.dim": _read_dim,
    "tensor.rank": _read_rank,
    "tensor.cast": _read_cast,
    "tensor.extract_slice": _read_extract_slice,
    "tensor.insert_slice": _read_insert_slice,
    "tensor.collapse_shape": _read_collapse,
    "tensor.expand_shape": _read_expand,
    "tensor.reshape": _read_reshape,
    "tensor.pad": _read_pad,
    "tensor.generate": _read_generate,
    "tensor.splat": _read_splat,
    "tensor.from_elements": _read_from_elements,
    "tensor.concat": _read_concat,
    "tensor.yield": _read_nothing,
    "bufferization.to_tensor": _read_to_tensor,
    "bufferization.to_buffer": _read_to_buffer,
    "bufferization.materialize_in_destination": _read_materialize,
    "bufferization.alloc_tensor": _read_alloc_tensor,
    "bufferization.dealloc_tensor": _read_dealloc,
}

HANDLERS: Mapping[str, Handler] = {name: by_element(handler) for name, handler in _HANDLERS.items()}
