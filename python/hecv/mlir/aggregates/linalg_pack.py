"""`linalg.pack` and `linalg.unpack`: tiling of a tensor, and its inverse.

A packed tensor first has one dimension for each dimension of the tensor (in the order of `outer_dims_perm`), which
numbers the tiles, and then one for each tiled dimension (`inner_dims_pos`), which numbers the elements of a tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.mlir.memory.view_ops import mixed
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, both, compare, within
from hecv.mlir.values.aggregate_elements import lanes_of
from hecv.mlir.values.aggregate_values import Terms, aggregate, allocate, branch, by_element, held, nest
from hecv.program.index import quasi_affine


class Tiling(Struct, frozen=True):
    """Maps dimensions of a tensor to dimensions of its packed form."""

    outer: tuple[int, ...]  # by dimension of the tensor, that of its tiles
    tiled: tuple[int, ...]  # the dimensions that are tiled, in the order of the dimensions within tiles
    tiles: Terms

    def unpacked(self, reader: Reader, at: Terms) -> Terms:
        """The index in the tensor of an index of the packed form; it may be out of bounds."""
        rank = len(self.outer)
        found = [at[place] for place in self.outer]
        for dimension, tile, inner in zip(self.tiled, self.tiles, at[rank:], strict=True):
            start = quasi_affine.multiply(reader.pool, found[dimension], tile)
            found[dimension] = quasi_affine.add(reader.pool, start, inner)
        return tuple(found)

    def packed(self, reader: Reader, at: Terms) -> Terms:
        """The index in the packed form of an index of the tensor."""
        pool, outer, inner = reader.pool, list(at), list[Term]()
        for dimension, tile in zip(self.tiled, self.tiles, strict=True):
            outer[dimension] = quasi_affine.floordiv(pool, at[dimension], tile)
            inner.append(quasi_affine.modulo(pool, at[dimension], tile))
        placed = list(outer)
        for dimension, place in enumerate(self.outer):
            placed[place] = outer[dimension]
        return (*placed, *inner)


def _tiling(reader: Reader, op: ir.Operation, rank: int, tiles: Sequence[ir.Value], packed: Aggregate) -> Tiling:
    """The tiling that `op` states. Tile sizes must be the tile extents of the packed form, or the op is undefined."""
    attributes = op.attributes
    order = list(ir.DenseI64ArrayAttr(attributes["outer_dims_perm"])) if "outer_dims_perm" in attributes else []
    order = order or list(range(rank))
    if lanes_of(op.operands[0].type):
        reader.reject(op, "complex numbers are not supported")
    sizes = tuple(map(reader.exact, mixed(reader, attributes["static_inner_tiles"], reader.terms(op, tiles))))
    agree = (compare(reader.pool, "eq", n, own) for n, own in zip(sizes, packed.extents[rank:], strict=True))
    reader.require(op, both(reader.pool, *agree), "a tile of another size")
    outer = tuple(order.index(d) for d in range(rank))
    return Tiling(outer, tuple(ir.DenseI64ArrayAttr(attributes["inner_dims_pos"])), sizes)


def _require_tiles(reader: Reader, op: ir.Operation, tiling: Tiling, plain: Aggregate, packed: Aggregate) -> None:
    """Emits that the number of tiles is what the tensor's elements need, and that dimensions without tiles have
    equal extents.

    Cites: LangRef, linalg.pack: extra padding is undefined behaviour, and so is, without padding, a tile that does not
           divide its dimension.
    """
    pool = reader.pool
    padded = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[2]
    for dimension, extent in enumerate(map(reader.exact, plain.extents)):
        count = reader.exact(packed.extents[tiling.outer[dimension]])
        if dimension not in tiling.tiled:
            reader.require(op, compare(pool, "eq", count, extent), "a dimension of another size")
            continue
        tile = tiling.tiles[tiling.tiled.index(dimension)]
        reader.require(op, compare(pool, "slt", pool.integer(0), tile), "a tile without elements")
        end = quasi_affine.multiply(pool, count, tile)
        if not padded:
            reader.require(op, compare(pool, "eq", end, extent), "tiles of another size")
            continue
        before = quasi_affine.subtract(pool, end, tile)
        needed = both(pool, compare(pool, "sle", extent, end), compare(pool, "slt", before, extent))
        reader.require(op, needed, "more or fewer tiles than the elements take")


def _require_tensors(reader: Reader, op: ir.Operation) -> None:
    if len(op.results) != 1:
        reader.reject(op, "it is supported on tensors only")


def _read_pack(reader: Reader, op: ir.Operation) -> None:
    """Example: `%p = linalg.pack %t padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %d : ...`.

    Undefined: more or fewer tiles than the elements need; an incomplete tile without padding.
    """
    _require_tensors(reader, op)
    _, _, padded, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    tensor, destination, *rest = op.operands
    source, into = aggregate(reader, op, tensor), aggregate(reader, op, destination)
    padding = reader.term(op, rest[0]) if padded else None
    tiling = _tiling(reader, op, len(source.extents), rest[padded:], into)
    _require_tiles(reader, op, tiling, source, into)
    made = allocate(reader, op, into.kind, into.extents)

    def store(at: Terms) -> None:
        place = tiling.unpacked(reader, at)
        # What is not tiled has as many tiles as elements: an index of it is never padding.
        inside = [within(reader.pool, i, n) for i, n in zip(place, source.extents, strict=True)]
        tiled = [inside[d] for d in tiling.tiled] if padding is not None else []
        plain = [condition for d, condition in enumerate(inside) if padding is None or d not in tiling.tiled]
        reader.require(op, both(reader.pool, *plain), "a tile reaches beyond the tensor")
        branch(
            reader,
            op,
            both(reader.pool, *tiled),
            lambda: reader.store_element(op, made, at, source.element(op, place)),
            lambda: reader.store_element(op, made, at, padding) if padding is not None else None,
        )

    nest(reader, op, made.extents, store)
    reader.aggregates[op.result] = held(reader, made)


def _read_unpack(reader: Reader, op: ir.Operation) -> None:
    """Example: `%t = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [4] into %d : ...`.

    Undefined: fewer tiles than the elements need; a dimension without tiles of another size.
    """
    _require_tensors(reader, op)
    packed, destination, *rest = op.operands
    source, into = aggregate(reader, op, packed), aggregate(reader, op, destination)
    tiling = _tiling(reader, op, len(into.extents), rest, source)
    for tile in tiling.tiles:
        if literal(tile) == 0:
            reader.reject(op, "a tile without elements")
    for dimension, extent in enumerate(into.extents):
        if dimension not in tiling.tiled:
            agree = compare(reader.pool, "eq", source.extents[tiling.outer[dimension]], extent)
            reader.require(op, agree, "a dimension of another size")
    made = allocate(reader, op, into.kind, into.extents)

    def store(at: Terms) -> None:
        place = tiling.packed(reader, at)
        inside = (within(reader.pool, i, n) for i, n in zip(place, source.extents, strict=True))
        reader.require(op, both(reader.pool, *inside), "an element is in no tile")
        reader.store_element(op, made, at, source.element(op, place))

    nest(reader, op, made.extents, store)
    reader.aggregates[op.result] = held(reader, made)


_HANDLERS: Mapping[str, Handler] = {"linalg.pack": _read_pack, "linalg.unpack": _read_unpack}

HANDLERS: Mapping[str, Handler] = {name: by_element(handler) for name, handler in _HANDLERS.items()}
