"""`tensor.gather`: elements or slices at indices that a tensor holds."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.term import Term
from hecv.base.types import INDEX
from hecv.frontend.aggregates import aggregate, build, by_element, shape
from hecv.frontend.reader import Handler, Reader
from hecv.frontend.views import Aggregate, Terms, both, within


def _read_gather(reader: Reader, op: ir.Operation) -> None:
    """Example: `%g = tensor.gather %t[%i] gather_dims([1]) : (tensor<4x8xf32>, tensor<6x1xi32>) -> tensor<6x4x1xf32>`.

    The result has the leading dimensions of the indices, then those of the source, of which the ones that are gathered
    are 1 or left out. An index that is beyond the source is undefined behaviour.
    """
    source, indices = (aggregate(reader, op, v) for v in op.operands)
    gathered = list(ir.DenseI64ArrayAttr(op.attributes["gather_dims"]))
    batch, rank = len(indices.extents) - 1, len(source.extents)
    whole = len(shape(reader, op, op.result.type).extents) == batch + rank
    kept = [d for d in range(rank) if whole or d not in gathered]
    one = reader.pool.integer(1)
    rest = tuple([one if d in gathered else source.extents[d] for d in kept])

    def element(at: Terms) -> Term:
        own = dict(zip(kept, at[batch:], strict=True))
        own |= {d: _index(reader, op, indices, at[:batch], k) for k, d in enumerate(gathered)}
        place = tuple([own[d] for d in range(rank)])
        inside = [within(reader.pool, own[d], source.extents[d]) for d in gathered]
        reader.require(op, both(reader.pool, *inside), "an index is beyond the tensor")
        return source.element(op, place)

    made = build(reader, op, source.kind, (*indices.extents[:batch], *rest), element)
    reader.aggregates[op.result] = made


def _index(reader: Reader, op: ir.Operation, indices: Aggregate, at: Terms, number: int) -> Term:
    """A coordinate that a tensor holds."""
    found = indices.element(op, (*at, reader.pool.integer(number)))
    return reader.exact(found if found.type == INDEX else reader.pool.make("arith.index_cast", (found,), INDEX))


HANDLERS: Mapping[str, Handler] = {"tensor.gather": by_element(_read_gather)}
