"""`bufferization.dealloc`: frees each memref whose ownership condition holds and that no retained memref aliases."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import BOOL
from hecv.mlir.memory.memref_ops import allocated, deallocate
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import either, whole
from hecv.program.tree import If, Memory


def _read_dealloc(reader: Reader, op: ir.Operation) -> None:
    """Example: `%o = bufferization.dealloc (%a : memref<f32>) if (%c) retain (%r : memref<8xf32>)`.

    If several operands are the same memory, one of their conditions has to hold. A result says whether an owned operand
    is the retained memref. An operand that is certainly not owned is ignored.

    Cites: bufferization dialect, `dealloc`; what is deallocated is what was allocated.
    """
    count, _, kept = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    operands = list(op.operands)
    owned: dict[Memory, Term] = {}
    for value, holds in zip(operands[:count], operands[count : 2 * count], strict=True):
        condition = reader.term(op, holds)
        if literal(condition) != 0:
            memory = allocated(reader, op, value).memory
            owned[memory] = either(reader.pool, owned.get(memory, reader.pool.integer(0, BOOL)), condition)
    retained = [reader.view(op, v).memory for v in operands[len(operands) - kept :]]
    for memory, condition in owned.items():
        if memory not in retained:
            _end(reader, op, memory, condition)
    for result, memory in zip(op.results, retained, strict=True):
        reader.scalars[result] = owned.get(memory, reader.pool.integer(0, BOOL))


def _end(reader: Reader, op: ir.Operation, memory: Memory, condition: Term) -> None:
    number = reader.number(op)
    outer = reader.enter(op)
    deallocate(reader, op, whole(reader.pool, memory))
    ended = reader.leave(outer)
    reader.block.extend(ended if literal(condition) == 1 else (If(number, condition, ended, ()),))


HANDLERS: Mapping[str, Handler] = {"bufferization.dealloc": _read_dealloc}
