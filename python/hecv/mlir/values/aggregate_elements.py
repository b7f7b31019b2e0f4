"""Elements that are aggregates themselves: complex numbers in tensors and memrefs, vectors in memrefs.

The dimensions of an element are the last dimensions of the memory.
"""

from __future__ import annotations

from torch_mlir import ir

from hecv.base.term import Term
from hecv.base.types import ScalarType
from hecv.mlir.read.function_reader import Meaning, Reader
from hecv.mlir.read.memref_views import Aggregate, Choice, View
from hecv.mlir.values.aggregate_values import Terms, build, nest, numbers


def lanes_of(source: ir.Type) -> tuple[int, ...]:
    """The extents of one element of a tensor or memref, or of another type itself; empty for a scalar."""
    inner = source.element_type if isinstance(source, (ir.MemRefType, ir.RankedTensorType)) else source
    if isinstance(inner, ir.ComplexType):
        return (2,)
    return tuple(inner.shape) if isinstance(inner, ir.VectorType) else ()


def read_element(
    reader: Reader, op: ir.Operation, value: Meaning, at: Terms, lanes: tuple[int, ...]
) -> Term | Aggregate:
    """The element at an index of a tensor, memref or scalar, as it is now."""

    def part(lane: Terms) -> Term:
        match value:
            case Term():
                return value
            case Aggregate():
                return value.element(op, (*at, *lane))
            case View():
                return reader.load_element(op, value, (*at, *lane))
            case Choice():
                return reader.reject(op, "a memref that a condition chooses is not supported here")

    return build(reader, op, _kind(value), numbers(reader, lanes), part) if lanes else part(())


def _kind(value: Meaning) -> ScalarType:
    match value:
        case Term():
            return value.type
        case Aggregate():
            return value.kind
        case View():
            return value.memory.element
        case Choice():
            return _kind(value.then)


def store_element(reader: Reader, op: ir.Operation, view: View, at: Terms, value: Meaning) -> None:
    """Emits the store of an element."""
    if isinstance(value, Term):
        return reader.store_element(op, view, at, value)
    assert isinstance(value, Aggregate)

    def store(lane: Terms) -> None:
        reader.store_element(op, view, (*at, *lane), value.element(op, lane))

    nest(reader, op, value.extents, store)
