"""`memref.view`: byte buffers that are only accessed as elements of other types.

Such a buffer is read as a memory of that type. If disjoint parts of known size are each accessed as one type, as memory
planners make them, every part becomes a memory of its own. A byte accessed as several types, or as a byte, has no
meaning here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IntType, MemRefType, ScalarType
from hecv.mlir.memory.memref_ops import allocate, allocated, deallocate, extents, read_allocation
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Part, Strides, View, row_major_strides, strided, whole
from hecv.mlir.read.mlir_types import read_scalar
from hecv.program.index import quasi_affine
from hecv.program.tree import Dealloc, Memory

BYTE: Final = IntType(8)
_LITERALS: Final = ("arith.constant", "index.constant")
_FLOATS: Final = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def seen_as(allocation: ir.Operation, kind: MemRefType) -> ScalarType | None:
    """The element type that every use of an allocation of bytes has; None if there is no such type."""
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


def parts_of(allocation: ir.Operation, kind: MemRefType) -> tuple[Part, ...] | None:
    """The parts of an allocation of bytes.

    None if a view may lie anywhere, or one byte is viewed as several types, or as the same type from another offset.
    """
    (count,) = kind.shape if len(kind.shape) == 1 else (None,)
    if kind.element != BYTE or kind.layout is not None or count is None:
        return None
    users = [use.owner.operation for use in allocation.result.uses]
    if any(user.name not in ("memref.view", "memref.dealloc") for user in users):
        return None
    seen = [_seen(user) for user in users if user.name == "memref.view"]
    known = sorted((p for p in seen if p is not None), key=lambda p: (p.start, p.end))
    if not known or len(known) < len(seen) or known[-1].end > count or known[0].start < 0:
        return None
    parts = [known[0]]
    for part in known[1:]:
        if part.start >= parts[-1].end:
            parts.append(part)
        elif part.element == parts[-1].element and (part.start - parts[-1].start) % _bytes_of(part) == 0:
            parts[-1] = replace(parts[-1], end=max(part.end, parts[-1].end))
        else:
            return None
    return tuple(parts) if all(p.end <= count for p in parts) else None


def _seen(view: ir.Operation) -> Part | None:
    """The bytes of a `memref.view`; None if they depend on values, or there are none."""
    kind = ir.MemRefType(view.result.type)
    element, shift = read_scalar(kind.element_type), view.operands[1].owner
    size = None if element is None else size_of(element)
    name = shift.name if isinstance(shift, ir.Operation | ir.OpView) else ""
    if element is None or size is None or not kind.has_static_shape or name not in _LITERALS:
        return None
    start = ir.IntegerAttr(shift.attributes["value"]).value  # pyright: ignore[reportAttributeAccessIssue]
    end = start + size * prod(kind.shape)
    return Part(start, end, element) if end > start else None


def _bytes_of(part: Part) -> int:
    size = size_of(part.element)
    assert size is not None
    return size


def size_of(element: ScalarType) -> int | None:
    """The bytes of an element; None if it is not stored as exactly these bytes."""
    match element:
        case IntType(8 | 16 | 32 | 64 as width):
            return width // 8
        case FloatType(name):
            return _FLOATS.get(name)
        case _:
            return None


def _read_allocation(reader: Reader, op: ir.Operation) -> None:
    """Reads an allocation of bytes as one of the elements that they are viewed as."""
    kind = reader.type_of(op, op.result.type)
    element = seen_as(op, kind) if isinstance(kind, MemRefType) else None
    parts = parts_of(op, kind) if element is None and isinstance(kind, MemRefType) else None
    if parts is not None:
        return _allocate(reader, op, parts)
    size = None if element is None else size_of(element)
    if element is None or size is None:
        return read_allocation(reader, op)
    assert isinstance(kind, MemRefType)
    (count,) = extents(reader, kind.shape, reader.terms(op, op.operands))
    elements = quasi_affine.floordiv(reader.pool, reader.exact(count), reader.pool.integer(size))
    memory = allocate(reader, op, MemRefType((None,), element), (elements,))
    reader.views[op.result] = whole(reader.pool, memory)


def _allocate(reader: Reader, op: ir.Operation, parts: tuple[Part, ...]) -> None:
    """Allocates a memory for each part. None of them is the allocation's result, so that cannot be returned or
    freed."""
    memories: list[tuple[Part, Memory]] = []
    for part in parts:
        count = reader.pool.integer((part.end - part.start) // _bytes_of(part))
        memory = allocate(reader, op, MemRefType((None,), part.element), (count,))
        reader.heap.discard(memory.id)
        memories.append((part, memory))
    reader.parts[op.result] = tuple(memories)


def _read_dealloc(reader: Reader, op: ir.Operation) -> None:
    parts = reader.parts.get(op.operands[0])
    if parts is None:
        return deallocate(reader, op, allocated(reader, op, op.operands[0]))
    if op.operands[0].owner.name == "memref.alloca":
        reader.reject(op, "it does not come from a memref.alloc of this function")
    for _, memory in parts:
        reader.block.append(Dealloc(reader.number(op), memory))


def _read_view(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = memref.view %bytes[%shift][%n] : memref<?xi8> to memref<?x4xf32>`."""
    source, shift, *sizes = op.operands
    kind = reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    if source in reader.parts:
        return _read_part(reader, op, kind, reader.parts[source])
    view = reader.view(op, source)
    memory, lies = view.memory, view.strides
    size = size_of(kind.element)
    if memory.element != kind.element or size is None:
        reader.reject(op, "bytes that are read as several types are not supported")
    offset = _divided(reader, reader.exact(reader.term(op, shift)), size)
    if offset is None:
        reader.reject(op, f"its shift is not plainly a multiple of {size} bytes")
    if lies is None or any(literal(stride) != 1 for stride in lies.strides):
        reader.reject(op, f"where the bytes lie in %{memory.name} is not known")
    shape = extents(reader, kind.shape, tuple(map(reader.exact, reader.terms(op, sizes))))
    reader.views[op.result] = _begun(reader, memory, quasi_affine.add(reader.pool, lies.offset, offset), shape)


def _read_part(reader: Reader, op: ir.Operation, kind: MemRefType, parts: Sequence[tuple[Part, Memory]]) -> None:
    """Reads a view whose bytes are within one of the parts."""
    seen = _seen(op)
    assert seen is not None
    part, memory = next((p, m) for p, m in parts if p.start <= seen.start and seen.end <= p.end)
    offset = reader.pool.integer((seen.start - part.start) // _bytes_of(part))
    reader.views[op.result] = _begun(reader, memory, offset, extents(reader, kind.shape, ()))


def _begun(reader: Reader, memory: Memory, offset: Term, shape: tuple[Term, ...]) -> View:
    """A view that starts at an element of a memory as a buffer of its own: its offset is 0 (convert-memref-to-llvm
    moves the pointer)."""
    origin = None if literal(offset) == 0 else offset
    return strided(reader.pool, memory, Strides(offset, row_major_strides(reader.pool, shape), origin), shape)


def _divided(reader: Reader, term: Term, size: int) -> Term | None:
    """`term / size` if that is exact for all values of its leaves."""
    form = quasi_affine.linear(term)
    if form.constant % size or any(coefficient % size for _, coefficient in form.terms):
        return None
    parts = tuple((part, coefficient // size) for part, coefficient in form.terms)
    return quasi_affine.combine(reader.pool, form.constant // size, parts)


HANDLERS: Mapping[str, Handler] = {
    "memref.alloc": _read_allocation,
    "memref.alloca": _read_allocation,
    "memref.dealloc": _read_dealloc,
    "memref.view": _read_view,
}
