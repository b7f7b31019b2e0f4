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
    dynamic = tuple([reader.term(op, v) for v in op.operands])
    name = reader.source_name(op)
    memory = reader.new_memory(MemoryKind.LOCAL, kind.element, extents(reader, kind, dynamic), name)
    reader.alloc(op, memory)
    reader.values[result] = memory


def _read_dealloc(reader: Reader, op: ir.Operation) -> None:
    memory = reader.memory(op, op.operands[0])
    if memory.kind is not MemoryKind.LOCAL:
        reader.reject(op, "the memory of an argument cannot be released here")
    reader.block.append(Dealloc(reader.number(op), memory))


def _read_dim(reader: Reader, op: ir.Operation) -> None:
    """Example: `%n = memref.dim %A, %c0 : memref<?xf32>`."""
    memory = reader.memory(op, op.operands[0])
    dimension = literal(reader.term(op, op.operands[1]))
    if not isinstance(dimension, int):
        reader.reject(op, "the dimension is not a constant")
    if not 0 <= dimension < len(memory.extents):
        reader.reject(op, f"dimension {dimension} is out of range: the rank is {len(memory.extents)}")
    reader.values[op.result] = memory.extents[dimension]


def _read_cast(reader: Reader, op: ir.Operation) -> None:
    """A cast that only forgets extents is the same memory; one that asserts them is unsupported."""
    memory = reader.memory(op, op.operands[0])
    kind = reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    for extent, known in zip(kind.shape, memory.extents, strict=True):
        if extent is not None and extent != literal(known):
            reader.reject(op, f"extent {extent} is not known to hold")
    reader.values[op.result] = memory


def _read_load(reader: Reader, op: ir.Operation) -> None:
    target, *indices = op.operands
    memory = reader.memory(op, target)
    values = reader.values
    reader.values[op.result] = reader.load(op, memory, tuple([values[i] for i in indices]))


def _read_store(reader: Reader, op: ir.Operation) -> None:
    stored, target, *indices = op.operands
    memory = reader.memory(op, target)
    values = reader.values
    reader.store(op, memory, tuple([values[i] for i in indices]), reader.term(op, stored))


def _read_affine_load(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = affine.load %A[%i + 1, %j floordiv 8] : memref<?x?xf32>`."""
    values = reader.values
    memory, *operands = [values[v] for v in op.operands]
    indices = reader.apply_map(op, op.attributes["map"], tuple(operands))
    values[op.result] = reader.load(op, memory, indices)


def _read_affine_store(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.store %v, %A[%i] : memref<?xf32>`."""
    values = reader.values
    value, memory, *operands = [values[v] for v in op.operands]
    indices = reader.apply_map(op, op.attributes["map"], tuple(operands))
    reader.store(op, memory, indices, value)


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
