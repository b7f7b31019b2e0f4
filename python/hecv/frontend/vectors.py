"""Vector ops that compute or move elements: `vector` but its accesses to memory.

Reductions are in the order of the elements; that of floats is left open where the op's flags say so, which is not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from torch_mlir import ir

from hecv.base.term import Attributes, Term, literal
from hecv.base.types import BOOL, FloatType
from hecv.frontend.aggregates import (
    Terms,
    aggregate,
    allocate,
    branch,
    build,
    copied,
    held,
    kind_of,
    listed,
    loop,
    meaning,
    nest,
    numbers,
    renumbered,
    reshaped,
    same,
    shape,
    sizes,
)
from hecv.frontend.cells import open_cells
from hecv.frontend.inplace import updated
from hecv.frontend.reader import Handler, Reader
from hecv.frontend.scalars import fastmath_of
from hecv.frontend.views import Aggregate, both, compare
from hecv.graph import affine

_KIND = re.compile(r"#vector\.kind<(\w+)>")
_COMBINE = {"add": "add", "mul": "mul", "and": "andi", "or": "ori", "xor": "xori"}
_EXTREMA = ("minui", "minsi", "maxui", "maxsi", "minnumf", "maxnumf", "minimumf", "maximumf")


def combine(reader: Reader, op: ir.Operation, left: Term, right: Term, attributes: Attributes = ()) -> Term:
    """`left <kind> right`, for the kind of combination that `op` names."""
    matched = _KIND.fullmatch(str(op.attributes["kind"]))
    name = matched[1] if matched else "unknown"
    if name in ("add", "mul"):
        name += "f" if isinstance(left.type, FloatType) else "i"
    elif name in _COMBINE:
        name = _COMBINE[name]
    elif name not in _EXTREMA:
        reader.reject(op, f"the combining kind `{name}` is not supported")
    return reader.pool.make(f"arith.{name}", (left, right), left.type, attributes)


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


def _position(reader: Reader, op: ir.Operation) -> Terms:
    """The position of an extract or insert. One that is not static may be beyond the vector, and is poison then."""
    static = list(ir.DenseI64ArrayAttr(op.attributes["static_position"]))
    if any(k < 0 for k in static):
        reader.reject(op, "a position that is not static is not supported")
    return numbers(reader, static)


def _read_extract(reader: Reader, op: ir.Operation) -> None:
    """Example: `%x = vector.extract %v[1, 3] : f32 from vector<2x4xf32>`."""
    at, vector = _position(reader, op), aggregate(reader, op, op.operands[0])
    if isinstance(op.result.type, ir.VectorType):
        rest = vector.extents[len(at) :]
        reader.aggregates[op.result] = renumbered(vector, rest, lambda inner: (*at, *inner))
    else:
        reader.scalars[op.result] = vector.element(op, at)


def _read_insert(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.insert %x, %v[0, 3] : f32 into vector<2x4xf32>`."""
    at = _position(reader, op)
    aggregate(reader, op, op.operands[1])
    made = updated(reader, op, op.operands[1])
    inserted = meaning(reader, op, op.operands[0])
    if isinstance(inserted, Term):
        reader.store_element(op, made, at, inserted)
    else:
        part = inserted
        nest(reader, op, part.extents, lambda i: reader.store_element(op, made, (*at, *i), part.element(op, i)))
    reader.aggregates[op.result] = held(reader, made)


def _numbers(op: ir.Operation, name: str) -> list[int]:
    return [ir.IntegerAttr(k).value for k in ir.ArrayAttr(op.attributes[name])]


def _shifted(reader: Reader, at: Terms, offsets: Sequence[int], strides: Sequence[int]) -> Terms:
    """`offset + stride * i` for each dimension; those beyond `offsets` stay."""
    moved = (
        affine.combine(reader.pool, offset, ((i, stride),))
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
    """Example: `%w = vector.shuffle %u, %v [0, 5] : vector<4xf32>, vector<4xf32>`."""
    sources = [aggregate(reader, op, v) for v in op.operands]
    mask = list(ir.DenseI64ArrayAttr(op.attributes["mask"]))
    if any(k < 0 for k in mask):
        reader.reject(op, "a position of -1 (poison) is not supported")
    if not sources[0].extents:
        reader.reject(op, "a vector of rank 0 is not supported")
    first = literal(sources[0].extents[0])
    assert isinstance(first, int)
    kind = shape(reader, op, op.result.type)
    made = allocate(reader, op, kind.element, sizes(reader, op, kind))
    for place, k in enumerate(mask):
        source, at = (sources[0], k) if k < first else (sources[1], k - first)
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
            to = affine.combine(reader.pool, offset, ((at[-1], 2),))
            reader.store_element(op, made, (*at[:-1], to), source.element(op, at))

        nest(reader, op, source.extents, store)
    reader.aggregates[op.result] = held(reader, made)


def _read_deinterleave(reader: Reader, op: ir.Operation) -> None:
    source = aggregate(reader, op, op.operands[0])
    for offset, result in enumerate(op.results):
        extents = sizes(reader, op, shape(reader, op, result.type))

        def index(at: Terms, offset: int = offset) -> Terms:
            return (*at[:-1], affine.combine(reader.pool, offset, ((at[-1], 2),)))

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

    reader.aggregates[op.result] = Aggregate(extents, BOOL, lane)


def _read_step(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = vector.step : vector<4xindex>`."""
    kind = shape(reader, op, op.result.type)
    reader.aggregates[op.result] = Aggregate(sizes(reader, op, kind), kind.element, lambda _, at: at[0])


# Reductions


def reduce(
    reader: Reader, op: ir.Operation, vector: Aggregate, first: Term | None, mask: Aggregate | None = None
) -> Term:
    """The elements of a vector of rank 1 combined in order, from `first` on, where the mask is set."""
    attributes = fastmath_of(reader, op)
    zero, one = reader.pool.integer(0), reader.pool.integer(1)
    if first is None and mask is not None:
        reader.reject(op, "a masked reduction that starts from nothing is not supported")
    start = vector.element(op, (zero,)) if first is None else first
    (cell,) = open_cells(reader, op, (start.type,))
    reader.store(op, cell, (), start)

    def step(i: Term) -> None:
        combined = combine(reader, op, reader.load(op, cell, ()), vector.element(op, (i,)), attributes)
        reader.store(op, cell, (), combined)

    def masked(i: Term) -> None:
        condition = reader.pool.integer(1, BOOL) if mask is None else mask.element(op, (i,))
        branch(reader, op, condition, lambda: step(i))

    loop(reader, op, one if first is None else zero, vector.extents[0], masked)
    return reader.load(op, cell, ())


def _read_reduction(reader: Reader, op: ir.Operation) -> None:
    """Example: `%s = vector.reduction <add>, %v, %acc : vector<4xf32> into f32`."""
    vector, *first = op.operands
    start = reader.term(op, first[0]) if first else None
    source = aggregate(reader, op, vector)
    # One lane of rank 0 is as one of rank 1.
    lanes = source if source.extents else reshaped(reader, source, numbers(reader, (1,)))
    reader.scalars[op.result] = reduce(reader, op, lanes, start)


def _read_multi_reduction(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.multi_reduction <add>, %v, %acc [1] : vector<4x8xf32> to vector<4xf32>`."""
    source = aggregate(reader, op, op.operands[0])
    reduced = set(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"]))
    kept = [d for d in range(len(source.extents)) if d not in reduced]
    _accumulate(
        reader,
        op,
        source.extents,
        lambda at: tuple(at[d] for d in kept),
        lambda old, at: combine(reader, op, old, source.element(op, at), fastmath_of(reader, op)),
        op.operands[1],
    )


def _accumulate(
    reader: Reader,
    op: ir.Operation,
    extents: Terms,
    place: Callable[[Terms], Terms],
    step: Callable[[Term, Terms], Term],
    first: ir.Value,
) -> None:
    """The result of `op`: from `first` on, the element at `place(at)` becomes `step` of itself for each index."""
    given = meaning(reader, op, first)
    made = copied(reader, op, same((), given)) if isinstance(given, Term) else updated(reader, op, first)

    def update(at: Terms) -> None:
        to = place(at)
        reader.store_element(op, made, to, step(reader.load_element(op, made, to), at))

    nest(reader, op, extents, update)
    if isinstance(given, Term):
        reader.scalars[op.result] = reader.load_element(op, made, ())
    else:
        reader.aggregates[op.result] = held(reader, made)


def _read_contract(reader: Reader, op: ir.Operation) -> None:
    """A sum of products over the dimensions that its maps name; a product is rounded before it is added.

    Example: `%c = vector.contract {indexing_maps = [...], kind = #vector.kind<add>} %a, %b, %acc : ...`.
    """
    if len(op.operands) != 3:
        reader.reject(op, "masks of a contraction are not supported")
    left, right = (aggregate(reader, op, v) for v in list(op.operands)[:2])
    maps = [ir.AffineMapAttr(m).value for m in ir.ArrayAttr(op.attributes["indexing_maps"])]
    dims = [[e.position for e in m.results] for m in maps]
    extents: dict[int, Term] = {}
    for named, vector in ((dims[0], left), (dims[1], right)):
        extents |= dict(zip(named, vector.extents, strict=True))
    flags = fastmath_of(reader, op)
    name = "arith.mulf" if isinstance(left.kind, FloatType) else "arith.muli"

    def step(old: Term, at: Terms) -> Term:
        factors = [v.element(op, tuple(at[d] for d in ds)) for v, ds in ((left, dims[0]), (right, dims[1]))]
        if factors[0].type != old.type:
            reader.reject(op, "a contraction that widens its operands is not supported")
        return combine(reader, op, old, reader.pool.make(name, tuple(factors), old.type, flags), flags)

    ordered = tuple(extents[d] for d in range(len(extents)))
    _accumulate(reader, op, ordered, lambda at: tuple(at[d] for d in dims[2]), step, op.operands[2])


def _read_outer_product(reader: Reader, op: ir.Operation) -> None:
    """Example: `%m = vector.outerproduct %u, %v, %acc {kind = #vector.kind<add>} : vector<4xf32>, vector<8xf32>`."""
    left, right, *first = (meaning(reader, op, v) for v in op.operands)
    assert isinstance(left, Aggregate)
    kind = shape(reader, op, op.result.type)
    name = "arith.mulf" if isinstance(kind.element, FloatType) else "arith.muli"

    def element(at: Terms) -> Term:
        other = right if isinstance(right, Term) else right.element(op, at[1:])
        factor = reader.pool.make(name, (left.element(op, at[:1]), other), kind.element)
        if not first:
            return factor
        (start,) = first
        assert isinstance(start, Aggregate)
        return combine(reader, op, start.element(op, at), factor)

    reader.aggregates[op.result] = build(reader, op, kind.element, sizes(reader, op, kind), element)


def _read_fma(reader: Reader, op: ir.Operation) -> None:
    """Example: `%d = vector.fma %a, %b, %c : vector<4xf32>`."""
    operands = [aggregate(reader, op, v) for v in op.operands]
    kind = shape(reader, op, op.result.type)

    def element(at: Terms) -> Term:
        return reader.pool.make("math.fma", tuple(v.element(op, at) for v in operands), kind.element)

    reader.aggregates[op.result] = build(reader, op, kind.element, sizes(reader, op, kind), element)


def _read_yield(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


def by_element(handler: Handler) -> Handler:
    """The handler where vectors are read element by element; they are opaque otherwise."""

    def read(reader: Reader, op: ir.Operation) -> None:
        if not reader.by_element:
            return reader.opaque(op)
        for result in op.results:
            kind_of(reader, op, result.type)
        handler(reader, op)

    return read


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
    "vector.reduction": _read_reduction,
    "vector.multi_reduction": _read_multi_reduction,
    "vector.contract": _read_contract,
    "vector.outerproduct": _read_outer_product,
    "vector.fma": _read_fma,
    "vector.yield": _read_yield,
}

HANDLERS: Mapping[str, Handler] = {name: by_element(handler) for name, handler in _HANDLERS.items()}
