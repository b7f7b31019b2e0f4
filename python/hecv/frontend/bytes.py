"""Buffers of bytes that are only seen as elements of another type: `memref.view`.

Such a buffer is a memory of that type. One that is seen as several types, or whose bytes are read themselves, has no
meaning here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from torch_mlir import ir

from hecv.base.term import Term
from hecv.base.types import FloatType, IntType, MemRefType, ScalarType
from hecv.frontend.memory import allocate, extents, read_allocation
from hecv.frontend.reader import Handler, Reader
from hecv.frontend.types import read_scalar
from hecv.frontend.views import row_major_strides, strided, whole
from hecv.graph import affine

BYTE: Final = IntType(8)
_FLOATS: Final = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def seen_as(allocation: ir.Operation, kind: MemRefType) -> ScalarType | None:
    """The type as which an allocation of bytes is seen wherever it is used; None where there is no such type."""
    if kind.element != BYTE or len(kind.shape) != 1 or kind.layout is not None:
        return None
    found: set[ScalarType | None] = set()
    for use in allocation.result.uses:
        user = use.owner.operation
        if user.name == "memref.view":
            found.add(read_scalar(ir.MemRefType(user.result.type).element_type))
        elif user.name != "memref.dealloc":
            return None
    element = found.pop() if len(found) == 1 else None
    return None if element is None or element == BYTE or size_of(element) is None else element


def size_of(element: ScalarType) -> int | None:
    """The bytes of an element, where these are all that memory holds of it."""
    match element:
        case IntType(8 | 16 | 32 | 64 as width):
            return width // 8
        case FloatType(name):
            return _FLOATS.get(name)
        case _:
            return None


def _read_allocation(reader: Reader, op: ir.Operation) -> None:
    """An allocation, of the elements as which its bytes are seen."""
    kind = reader.type_of(op, op.result.type)
    element = seen_as(op, kind) if isinstance(kind, MemRefType) else None
    size = None if element is None else size_of(element)
    if element is None or size is None:
        return read_allocation(reader, op)
    assert isinstance(kind, MemRefType)
    (count,) = extents(reader, kind.shape, reader.terms(op, op.operands))
    elements = affine.floordiv(reader.pool, reader.exact(count), reader.pool.integer(size))
    memory = allocate(reader, op, MemRefType((None,), element), (elements,))
    reader.views[op.result] = whole(reader.pool, memory)


def _read_view(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = memref.view %bytes[%shift][%n] : memref<?xi8> to memref<?x4xf32>`."""
    source, shift, *sizes = op.operands
    memory = reader.view(op, source).memory
    kind = reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    size = size_of(kind.element)
    if memory.element != kind.element or size is None:
        reader.reject(op, "bytes that are read as several types are not supported")
    offset = _divided(reader, reader.exact(reader.term(op, shift)), size)
    if offset is None:
        reader.reject(op, f"its shift is not plainly a multiple of {size} bytes")
    shape = extents(reader, kind.shape, tuple(map(reader.exact, reader.terms(op, sizes))))
    reader.views[op.result] = strided(reader.pool, memory, offset, shape, row_major_strides(reader.pool, shape))


def _divided(reader: Reader, term: Term, size: int) -> Term | None:
    """`term / size` where that is exact whatever the values in it are."""
    form = affine.linear(term)
    if form.constant % size or any(coefficient % size for _, coefficient in form.terms):
        return None
    parts = tuple((part, coefficient // size) for part, coefficient in form.terms)
    return affine.combine(reader.pool, form.constant // size, parts)


HANDLERS: Mapping[str, Handler] = {
    "memref.alloc": _read_allocation,
    "memref.alloca": _read_allocation,
    "memref.view": _read_view,
}
