"""Ops that touch memory: `memref`, and the loads and stores of `affine`."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import MemRefType
from hecv.frontend.reader import Handler, Reader
from hecv.graph.tree import Dealloc, MemoryKind


def extents(reader: Reader, kind: MemRefType, dynamic: tuple[Term, ...]) -> tuple[Term, ...]:
    """One index term a dimension: literals, and `dynamic` in order where the type leaves an extent open."""
    rest = iter(dynamic)
    return tuple(next(rest) if n is None else reader.pool.integer(n) for n in kind.shape)


def _read_allocation(reader: Reader, op: ir.Operation) -> None:
    """Example: `%b = memref.alloc(%n) : memref<?x8xf32>`."""
    result = op.result
    kind = reader.type_of(op, result.type)
    assert isinstance(kind, MemRefType)
    dynamic = reader.terms(op, op.operands)
    name = reader.source_name(op)
    memory = reader.new_memory(MemoryKind.LOCAL, kind.element, extents(reader, kind, dynamic), name)
    reader.alloc(op, memory)
    reader.memories[result] = memory
    if op.name == "memref.alloc":
        reader.heap.add(memory.id)


def _read_dealloc(reader: Reader, op: ir.Operation) -> None:
    memory = reader.memories[op.operands[0]]
    if memory.id not in reader.heap:
        reader.reject(op, f"%{memory.name} does not come from a memref.alloc of this function")
    reader.block.append(Dealloc(reader.number(op), memory))


def _read_dim(reader: Reader, op: ir.Operation) -> None:
    """Example: `%n = memref.dim %A, %c0 : memref<?xf32>`."""
    memory = reader.memories[op.operands[0]]
    dimension = literal(reader.term(op, op.operands[1]))
    if not isinstance(dimension, int):
        reader.reject(op, "the dimension is not a constant")
    if not 0 <= dimension < len(memory.extents):
        reader.reject(op, f"dimension {dimension} is out of range: the rank is {len(memory.extents)}")
    reader.scalars[op.result] = memory.extents[dimension]


def _read_cast(reader: Reader, op: ir.Operation) -> None:
    """A cast that only forgets extents is the same memory; one that asserts them is unsupported."""
    memory = reader.memories[op.operands[0]]
    kind = reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    for extent, known in zip(kind.shape, memory.extents, strict=True):
        if extent is not None and extent != literal(known):
            reader.reject(op, f"extent {extent} is not known to hold")
    reader.memories[op.result] = memory


def _require_plain(reader: Reader, op: ir.Operation) -> None:
    """Refuses an access that is undefined for more reasons than its place."""
    for name in ("invariant", "alignment"):
        if name in op.attributes and str(op.attributes[name]) != "false":
            reader.reject(op, f"the attribute `{name}` is not supported")


def _read_load(reader: Reader, op: ir.Operation) -> None:
    _require_plain(reader, op)
    memory, *indices = op.operands
    reader.scalars[op.result] = reader.load(op, reader.memories[memory], reader.terms(op, indices))


def _read_store(reader: Reader, op: ir.Operation) -> None:
    _require_plain(reader, op)
    stored, memory, *indices = op.operands
    reader.store(op, reader.memories[memory], reader.terms(op, indices), reader.scalars[stored])


def _read_affine_load(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = affine.load %A[%i + 1, %j floordiv 8] : memref<?x?xf32>`."""
    memory, *operands = op.operands
    indices = reader.apply_map(op, op.attributes["map"], reader.terms(op, operands))
    reader.scalars[op.result] = reader.load(op, reader.memories[memory], indices)


def _read_affine_store(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.store %v, %A[%i] : memref<?xf32>`."""
    stored, memory, *operands = op.operands
    indices = reader.apply_map(op, op.attributes["map"], reader.terms(op, operands))
    reader.store(op, reader.memories[memory], indices, reader.scalars[stored])


HANDLERS: Mapping[str, Handler] = {
    "memref.alloc": _read_allocation,
    "memref.alloca": _read_allocation,
    "memref.dealloc": _read_dealloc,
    "memref.dim": _read_dim,
    "memref.cast": _read_cast,
    "memref.load": _read_load,
    "memref.store": _read_store,
    "affine.load": _read_affine_load,
    "affine.store": _read_affine_store,
}
