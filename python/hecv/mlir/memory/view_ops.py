"""View ops on memrefs (subview, casts, reshapes, transpose): no element moves; only side conditions are emitted."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import INDEX, IntType
from hecv.mlir.memory.local_forwarding import stored
from hecv.mlir.module.parsed_module import locate
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import (
    Groups,
    Strides,
    View,
    both,
    collapsed,
    compare,
    contiguous,
    expanded,
    in_bounds,
    permuted,
    product,
    strided,
    wide,
    windowed,
)
from hecv.mlir.read.strided_metadata import Taken, put_together, taken_apart
from hecv.mlir.values.aggregate_elements import lanes_of
from hecv.mlir.values.aggregate_values import numbers
from hecv.program.index import quasi_affine

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def mixed(reader: Reader, static: ir.Attribute, dynamic: tuple[Term, ...]) -> tuple[Term, ...]:
    """Index terms in order: literals from `static`, the rest from `dynamic`."""
    rest = iter(dynamic)
    values = list(ir.DenseI64ArrayAttr(static))
    return tuple(next(rest) if n == _DYNAMIC else reader.pool.integer(n) for n in values)


def triple(reader: Reader, op: ir.Operation) -> tuple[tuple[Term, ...], tuple[Term, ...], tuple[Term, ...]]:
    """Offsets, sizes and strides of `memref.subview` and similar ops, extended by the dimensions of the element."""
    attributes = op.attributes
    *before, first, second, third = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    operands = reader.terms(op, list(op.operands)[sum(before) :])
    offsets, sizes = operands[:first], operands[first : first + second]
    strides = operands[first + second : first + second + third]
    lanes = lanes_of(op.operands[0].type)
    return (
        (*mixed(reader, attributes["static_offsets"], offsets), *numbers(reader, (0,) * len(lanes))),
        (*mixed(reader, attributes["static_sizes"], sizes), *numbers(reader, lanes)),
        (*mixed(reader, attributes["static_strides"], strides), *numbers(reader, (1,) * len(lanes))),
    )


def static_sizes(op: ir.Operation) -> tuple[int | None, ...]:
    """The sizes of `memref.subview` and similar ops, None where dynamic, extended by the dimensions of the element."""
    sizes = ir.DenseI64ArrayAttr(op.attributes["static_sizes"])
    return (*(None if n == _DYNAMIC else n for n in sizes), *lanes_of(op.operands[0].type))


def static_shape(kind: ir.Type) -> tuple[int | None, ...]:
    """The extents of a memref or tensor type, None where dynamic, extended by the dimensions of the element."""
    assert isinstance(kind, (ir.MemRefType, ir.RankedTensorType))
    return (*(None if n == _DYNAMIC else n for n in kind.shape), *lanes_of(kind))


def _read_subview(reader: Reader, op: ir.Operation) -> None:
    """Example: `%s = memref.subview %A[%i, 0] [1, %n] [1, 2] : memref<8x8xf32> to memref<?xf32, strided<[2], ...>>`.

    Undefined: the view is not within its source.
    """
    source = reader.view(op, op.operands[0])
    offsets, sizes, strides = (tuple(map(reader.exact, part)) for part in triple(reader, op))
    condition = in_bounds(reader.pool, source.extents, offsets, sizes, strides)
    reader.require(op, condition, f"a view is not within %{source.memory.name}")
    kept, certain = kept_dimensions(static_sizes(op), static_shape(op.result.type))
    view = windowed(reader.pool, source, offsets, sizes, strides, kept)
    if not certain:  # a stride of a dimension of extent 1 could be seen
        view = View(view.memory, view.extents, view.steps, view.implied, _stated_layout(reader, op.result.type, view))
    reader.views[op.result] = view


def _stated_layout(reader: Reader, kind: ir.Type, view: View) -> Strides | None:
    """The layout of a view of which it is open which dimensions of size 1 it drops: the strides of its others, and
    those that its type states, as MLIR's verifier has checked; None if some are not known.

    The offset is what it is in any case.
    """
    lies = view.strides
    if lies is None or lanes_of(kind):
        return None
    stated, _ = ir.MemRefType(kind).get_strides_and_offset()  # a view has a strided layout
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    found: list[Term] = []
    for extent, own, stride in zip(static_shape(kind), lies.strides, stated, strict=True):
        if extent == 1 and stride == dynamic:
            return None
        found.append(reader.pool.integer(stride) if extent == 1 else own)
    return Strides(lies.offset, tuple(found), lies.origin)


def kept_dimensions(sizes: tuple[int | None, ...], shape: tuple[int | None, ...]) -> tuple[tuple[int, ...], bool]:
    """The dimensions that a rank-reducing view keeps, and whether this is the only choice.

    Which of several dimensions of size 1 are dropped makes no difference to the elements: their only index is 0.
    """
    kept: list[int] = []
    for dimension, size in enumerate(sizes):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(dimension)
    assert len(kept) == len(shape), "MLIR's verifier lets only dimensions of size 1 be dropped"
    return tuple(kept), sizes.count(1) == len(sizes) - len(shape) or len(shape) == len(sizes)


def _read_transpose(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = memref.transpose %A (i, j) -> (j, i) : memref<8x4xf32> to memref<4x8xf32, strided<[1, 4]>>`."""
    order = ir.AffineMapAttr(op.attributes["permutation"]).value
    sources = tuple(ir.AffineDimExpr(result).position for result in order.results)
    reader.views[op.result] = permuted(reader.pool, reader.view(op, op.operands[0]), sources)


def groups_of(op: ir.Operation) -> Groups:
    """The reassociation groups of a collapse or expansion; dimensions of an element are groups of their own."""
    groups = ir.ArrayAttr(op.attributes["reassociation"])
    own = (tuple(ir.IntegerAttr(d).value for d in ir.ArrayAttr(group)) for group in groups)
    rank = max(ir.ShapedType(value.type).rank for value in (op.operands[0], op.result))
    return (*own, *((rank + k,) for k in range(len(lanes_of(op.result.type)))))


def output_shape(reader: Reader, op: ir.Operation, dynamic: tuple[Term, ...]) -> tuple[Term, ...]:
    """The extents that an expansion states, extended by the dimensions of the element."""
    stated = mixed(reader, op.attributes["static_output_shape"], dynamic)
    return (*stated, *numbers(reader, lanes_of(op.result.type)))


def _read_collapse(reader: Reader, op: ir.Operation) -> None:
    """Example: `%c = memref.collapse_shape %A [[0, 1]] : memref<8x4xf32> into memref<32xf32>`.

    Undefined: a group of dimensions is not contiguous in memory.
    """
    source, groups = reader.view(op, op.operands[0]), groups_of(op)
    if not ir.ShapedType(op.result.type).rank and lanes_of(op.result.type):
        reader.reject(op, "a collapse to one element that has parts is not supported")
    shape = static_shape(op.operands[0].type)
    if source.strides is None and any(len(wide(group, shape)) > 1 for group in groups):
        reader.reject(op, f"the layout of %{source.memory.name} is not known")
    if source.strides is not None:
        reader.require(op, contiguous(reader.pool, source, groups, shape), "dimensions that are collapsed have gaps")
    reader.views[op.result] = collapsed(reader.pool, source, groups, shape)


def _read_expand(reader: Reader, op: ir.Operation) -> None:
    """Example: `%e = memref.expand_shape %A [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>`.

    Undefined: the product of the extents of a group is not the extent of its dimension.
    """
    pool, source, groups = reader.pool, reader.view(op, op.operands[0]), groups_of(op)
    dynamic = tuple(map(reader.exact, reader.terms(op, list(op.operands)[1:])))
    sizes = output_shape(reader, op, dynamic)
    products = (product(pool, tuple(sizes[d] for d in group)) for group in groups)
    fits = (compare(pool, "eq", p, extent) for p, extent in zip(products, source.extents, strict=True))
    not_negative = (compare(pool, "sle", pool.integer(0), size) for size in sizes)
    reader.require(op, both(pool, *fits, *not_negative), "the extents of an expanded shape do not fit")
    reader.views[op.result] = expanded(pool, source, groups, sizes)


def _read_cast(reader: Reader, op: ir.Operation) -> None:
    """The same view, with extents and strides that the type states or forgets; an unranked memref forgets all.

    Undefined: the type states what does not hold (LangRef: a mismatch fails at run time).
    """
    source, kind = reader.view(op, op.operands[0]), op.result.type
    if not isinstance(kind, ir.MemRefType):
        return _forget(reader, op, source)
    pool = reader.pool
    if len(static_shape(kind)) != len(source.extents):
        reader.reject(op, f"an unranked memref of rank {len(source.extents)} is cast to another rank")
    stated = [
        (extent, known) for extent, known in zip(static_shape(kind), source.extents, strict=True) if extent is not None
    ]
    conditions = [compare(pool, "eq", known, pool.integer(extent)) for extent, known in stated]
    for value, known in _stated_strides(reader, op, source, kind):
        conditions.append(compare(pool, "eq", known, pool.integer(value)))
    reader.require(op, both(pool, *conditions), "a cast states an extent, a stride or an offset that is not so")
    extents = tuple(
        known if extent is None else pool.integer(extent)
        for extent, known in zip(static_shape(kind), source.extents, strict=True)
    )
    reader.views[op.result] = View(source.memory, extents, source.steps, source.implied, source.strides)


def _forget(reader: Reader, op: ir.Operation, source: View) -> None:
    """Example: `%u = memref.cast %A : memref<4xf32> to memref<*xf32>`."""
    if lanes_of(op.operands[0].type):
        reader.reject(op, "an unranked memref of elements that have parts is not supported")
    reader.views[op.result] = source


def _read_reshape(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = memref.reshape %A(%s) : (memref<4x4xf32>, memref<1xindex>) -> memref<?xf32>`.

    Undefined: where the shape has another number of elements than the source, or is not what the type states.
    """
    source, stated, kind = reader.view(op, op.operands[0]), reader.view(op, op.operands[1]), op.result.type
    if not isinstance(kind, ir.MemRefType) or not kind.rank or not source.extents or source.strides is None:
        reader.reject(op, f"from `{op.operands[0].type}` to `{kind}` is not supported")
    pool, whole_source = reader.pool, (tuple(range(len(source.extents))),)
    extents: list[Term] = []
    for k, known in enumerate(static_shape(kind)):
        extent = stored(tuple(reader.block), stated, k) or reader.load_element(op, stated, (pool.integer(k),))
        if isinstance(extent.type, IntType):
            extent = pool.make("arith.index_cast", (extent,), INDEX)
        extent = reader.exact(extent)
        reader.require(op, compare(pool, "sle", pool.integer(0), extent), "a shape has a negative extent")
        if known is not None:
            reader.require(op, compare(pool, "eq", extent, pool.integer(known)), "the shape is not that of the type")
        extents.append(extent if known is None else pool.integer(known))
    fits = compare(pool, "eq", product(pool, tuple(extents)), product(pool, source.extents))
    reader.require(op, fits, "the shapes have different numbers of elements")
    before, unknown = op.operands[0].type, (None,) * len(source.extents)
    shape = static_shape(before) if isinstance(before, ir.MemRefType) else unknown
    reader.require(op, contiguous(pool, source, whole_source, shape), "what is reshaped has gaps")
    flat = collapsed(pool, source, whole_source, shape)
    reader.views[op.result] = expanded(pool, flat, (tuple(range(len(extents))),), tuple(extents))


def _stated_strides(reader: Reader, op: ir.Operation, source: View, kind: ir.MemRefType) -> list[tuple[int, Term]]:
    """The strides and the offset that a type states, each with the view's own."""
    before = op.operands[0].type
    if isinstance(before, ir.MemRefType) and before.layout == kind.layout:
        return []
    try:
        strides, offset = kind.get_strides_and_offset()
    except RuntimeError:
        reader.reject(op, f"the layout of `{kind}` is not supported")
    lanes, dynamic = lanes_of(kind), ir.ShapedType.get_dynamic_stride_or_offset()
    size = prod(lanes)
    own = [prod(lanes[k + 1 :]) for k in range(len(lanes))]
    wanted = [*(n if n == dynamic else n * size for n in (offset, *strides)), *own]
    if source.strides is None:
        if any(n != dynamic for n in wanted):
            reader.reject(op, f"the layout of %{source.memory.name} is not known")
        return []
    known = [source.strides.own_offset(reader.pool), *source.strides.strides]
    return [(n, k) for n, k in zip(wanted, known, strict=True) if n != dynamic]


def _read_reinterpret(reader: Reader, op: ir.Operation) -> None:
    """Any elements of the buffer that the source points into; only accesses have to be within it.

    If the source is one of several parts of a buffer, accesses have to be within that part.

    Example: `%r = memref.reinterpret_cast %b to offset: [%o], sizes: [4], strides: [2] : memref<f32> to ...`.
    """
    if op.operands[0] in reader.taken:
        return _put_together(reader, op, reader.taken[op.operands[0]])
    source = reader.view(op, op.operands[0])
    memory = source.memory
    if source.strides is None:
        reader.reject(op, f"the layout of %{memory.name} is not known")
    offsets, sizes, strides = (tuple(map(reader.exact, part)) for part in triple(reader, op))
    if not memory.extents and (offsets[0] is not source.strides.offset or any(literal(n) != 1 for n in sizes)):
        reader.reject(op, f"%{memory.name} has one element only")
    origin = source.strides.origin
    offset = offsets[0] if origin is None else quasi_affine.add(reader.pool, origin, offsets[0])
    is_part = any(memory is part for parts in reader.parts.values() for _, part in parts)
    if is_part and not _lies_within(memory.extents, offset, sizes, strides):
        reader.reject(op, f"it may reach beyond %{memory.name}, which is a part of what was allocated")
    reader.views[op.result] = strided(reader.pool, memory, Strides(offset, strides, origin), sizes)


def _lies_within(extents: tuple[Term, ...], offset: Term, sizes: tuple[Term, ...], strides: tuple[Term, ...]) -> bool:
    """True if elements at these strides plainly lie within a memory of one dimension."""
    terms = (*extents, offset, *sizes, *strides)
    known = [n for n in map(literal, terms) if isinstance(n, int) and n >= 0]
    if len(known) < len(terms):
        return False
    end, first, *rest = known
    lengths, steps = rest[: len(sizes)], rest[len(sizes) :]
    return first + sum((n - 1) * s for n, s in zip(lengths, steps, strict=True)) < end


def _put_together(reader: Reader, op: ir.Operation, taken: Taken) -> None:
    """A view rebuilt from the results of `memref.extract_strided_metadata`."""
    offsets, sizes, strides = (tuple(map(reader.exact, part)) for part in triple(reader, op))
    view = put_together(reader.pool, taken, offsets[0], sizes, strides)
    name = taken.view.memory.name
    if view is None:
        reader.reject(op, f"its offset and strides are not plainly made of those of %{name}, whose layout is not known")
    reader.rebased.add(taken.view.memory.id)
    reader.views[op.result] = view


def _read_metadata(reader: Reader, op: ir.Operation) -> None:
    """Example: `%base, %offset, %size, %stride = memref.extract_strided_metadata %A : memref<?xf32> -> ...`."""
    source = reader.view(op, op.operands[0])
    lies = source.strides
    base, *numbers = op.results
    if lies is None:
        found = reader.taken.get(op.operands[0])
        if found is None or found.view != source:  # of a function that is inlined more than once
            place = locate(op.location, reader.module.file)
            found = taken_apart(reader.pool, op, place, source, len(reader.taken))
        if found is None or lanes_of(op.operands[0].type):
            reader.reject(op, f"the layout of %{source.memory.name} is not known")
        reader.taken[op.operands[0]] = reader.taken[base] = found
        lies = Strides(found.offset, found.strides)
    else:
        start = lies.origin or reader.pool.integer(0)
        reader.views[base] = strided(reader.pool, source.memory, Strides(start, (), lies.origin), ())
        lies = Strides(lies.own_offset(reader.pool), lies.strides)
    for result, value in zip(numbers, (lies.offset, *source.extents, *lies.strides), strict=True):
        reader.scalars[result] = value


def _read_space_cast(reader: Reader, op: ir.Operation) -> None:
    reader.views[op.result] = reader.view(op, op.operands[0])


def _refuse(why: str) -> Handler:
    def read(reader: Reader, op: ir.Operation) -> None:
        reader.reject(op, why)

    return read


HANDLERS: Mapping[str, Handler] = {
    "memref.subview": _read_subview,
    "memref.transpose": _read_transpose,
    "memref.collapse_shape": _read_collapse,
    "memref.expand_shape": _read_expand,
    "memref.cast": _read_cast,
    "memref.reinterpret_cast": _read_reinterpret,
    "memref.extract_strided_metadata": _read_metadata,
    "memref.memory_space_cast": _read_space_cast,
    "memref.reshape": _read_reshape,
    "memref.extract_aligned_pointer_as_index": _refuse("addresses are not modelled"),
}
