"""`tensor.gather` and `tensor.scatter`: slices of a tensor at indices held by another tensor.

Undefined: an index beyond the tensor; two slices at one place in a scatter, or in a gather marked `unique`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from itertools import product as iterate
from math import prod
from typing import Final

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import BOOL, INDEX
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, both, compare, within
from hecv.mlir.values.aggregate_elements import lanes_of
from hecv.mlir.values.aggregate_values import Terms, aggregate, allocate, by_element, held, nest, numbers
from hecv.mlir.values.in_place_updates import updated

MOST_COMPARED: Final = 16
"""Slices, at most, whose positions are compared pairwise. With more, two at one position are a race."""


def _read_gather(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = tensor.gather %t[%at] gather_dims([0]) : (tensor<4x6xf32>, tensor<3x1xindex>) -> ...`."""
    source, indices = (aggregate(reader, op, v) for v in op.operands)
    dims = _dims(reader, op, "gather_dims", op.operands[0])
    lead = indices.extents[:-1]
    rest = _slice(reader, op, source.extents, dims, len(ir.ShapedType(op.result.type).shape) - len(lead))
    if "unique" in op.attributes and not _require_distinct(reader, op, indices, dims):
        reader.reject(op, f"`unique` of more than {MOST_COMPARED} slices is not supported")
    made = allocate(reader, op, source.kind, (*lead, *rest))

    def fill(at: Terms) -> None:
        place = _place(reader, op, indices, dims, source.extents, at)
        reader.store_element(op, made, at, source.element(op, place))

    nest(reader, op, (*lead, *rest), fill)
    reader.aggregates[op.result] = held(reader, made)


def _read_scatter(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = tensor.scatter %s into %t[%at] scatter_dims([0]) unique : (tensor<3x1x6xf32>, ...) -> ...`."""
    slices, target, indices = (aggregate(reader, op, v) for v in op.operands)
    dims = _dims(reader, op, "scatter_dims", op.operands[1])
    lead = indices.extents[:-1]
    rest = _slice(reader, op, target.extents, dims, len(ir.ShapedType(op.operands[0].type).shape) - len(lead))
    agree = (compare(reader.pool, "eq", a, b) for a, b in zip(slices.extents, (*lead, *rest), strict=True))
    reader.require(op, both(reader.pool, *agree), "slices of another size")
    few = _require_distinct(reader, op, indices, dims)
    made = updated(reader, op, op.operands[1])

    def store(at: Terms) -> None:
        place = _place(reader, op, indices, dims, target.extents, at)
        reader.store_element(op, made, place, slices.element(op, at))

    nest(reader, op, slices.extents, store, parallel=not few)
    reader.aggregates[op.result] = held(reader, made)


def _dims(reader: Reader, op: ir.Operation, name: str, tensor: ir.Value) -> tuple[int, ...]:
    """The dimensions of a tensor that indices are of."""
    if lanes_of(tensor.type):
        reader.reject(op, "elements that are aggregates are not supported")
    return tuple(ir.DenseI64ArrayAttr(op.attributes[name]))


def _slice(reader: Reader, op: ir.Operation, extents: Terms, dims: Sequence[int], rank: int) -> Terms:
    """The extents of a slice, in which the indexed dimensions are 1 or absent."""
    if rank == len(extents):
        return tuple(reader.pool.integer(1) if d in dims else n for d, n in enumerate(extents))
    return tuple(n for d, n in enumerate(extents) if d not in dims)


def _place(
    reader: Reader, op: ir.Operation, indices: Aggregate, dims: Sequence[int], extents: Terms, at: Terms
) -> Terms:
    """The position in the tensor of element `at` of the result of a gather (the source of a scatter)."""
    lead = len(indices.extents) - 1
    found = dict(zip(dims, _index(reader, op, indices, at[:lead], len(dims)), strict=True))
    inside = (within(reader.pool, i, extents[d]) for d, i in found.items())
    reader.require(op, both(reader.pool, *inside), "an index is beyond the tensor")
    whole = len(at) - lead == len(extents)
    rest = iter(at[lead:])
    place: list[Term] = []
    for d in range(len(extents)):
        own = next(rest) if whole or d not in found else None
        place.append(found[d] if d in found or own is None else own)
    return tuple(place)


def _index(reader: Reader, op: ir.Operation, indices: Aggregate, at: Terms, count: int) -> Terms:
    """The index of one slice."""
    values = (indices.element(op, (*at, reader.pool.integer(k))) for k in range(count))
    return tuple(
        reader.exact(v if v.type == INDEX else reader.pool.make("arith.index_cast", (v,), INDEX)) for v in values
    )


def _require_distinct(reader: Reader, op: ir.Operation, indices: Aggregate, dims: Sequence[int]) -> bool:
    """Emits that no two slices have the same index; False if there are too many to compare."""
    pool, lead = reader.pool, indices.extents[:-1]
    counts = [n for n in map(literal, lead) if isinstance(n, int)]
    if len(counts) < len(lead) or prod(counts) > MOST_COMPARED:
        return False
    places = [_index(reader, op, indices, numbers(reader, at), len(dims)) for at in iterate(*map(range, counts))]
    true = pool.integer(1, BOOL)
    apart: list[Term] = []
    for one, other in combinations(places, 2):
        same = both(pool, *(compare(pool, "eq", a, b) for a, b in zip(one, other, strict=True)))
        known = literal(same)
        opposite = pool.make("arith.xori", (same, true), BOOL)
        apart.append(opposite if known is None else pool.integer(1 - int(known), BOOL))
    reader.require(op, both(pool, *apart), "two slices have one index")
    return True


_HANDLERS: Mapping[str, Handler] = {"tensor.gather": _read_gather, "tensor.scatter": _read_scatter}

HANDLERS: Mapping[str, Handler] = {name: by_element(handler) for name, handler in _HANDLERS.items()}
