"""In-place updates: an op that changes a few elements of an aggregate writes to its memory if nothing reads it later.

Otherwise, a loop that carries a tensor would copy all of it in each iteration, and dataflow analysis would see every
element pass from iteration to iteration.
"""

from __future__ import annotations

from torch_mlir import ir

from hecv.mlir.read.function_reader import Reader
from hecv.mlir.read.memref_views import View
from hecv.mlir.values.aggregate_values import copied
from hecv.program.tree import MemoryKind


def updated(reader: Reader, op: ir.Operation, value: ir.Value) -> View:
    """A memory with the elements of `value` that `op` may write: its own, or a copy."""
    own = writable(reader, op, value)
    return copied(reader, op, reader.aggregates[value]) if own is None else own


def writable(reader: Reader, op: ir.Operation, value: ir.Value) -> View | None:
    """The memory whose whole contents `value` is, if `op` is the last to read it.

    Any other value that reads the memory must be defined in the block of `op` and have all its uses before `op`, or be
    inside an op before `op`: then no later iteration reads it either.
    """
    found = reader.aggregates.get(value)
    if found is None or found.whole is None or found.whole.memory.kind is not MemoryKind.LOCAL:
        return None
    memory = found.whole.memory.id
    if not all(_is_done(other, op, other == value) for other in reader.aggregates.readers(memory)):
        return None
    reader.aggregates.release(memory)
    return found.whole


def _is_done(value: ir.Value, op: ir.Operation, is_updated: bool) -> bool:
    """True if all uses of a value come before `op`; the updated value may also be one operand of `op`."""
    block = _block_of(value)
    if block != op.block:
        around = _within(block.owner.operation, op.block)
        return around is not None and around != op and around.is_before_in_block(op)
    operands = 0
    for use in value.uses:
        user = use.owner.operation
        if user == op:
            operands += 1
            continue
        around = _within(user, op.block)
        if around is None or around == op or not around.is_before_in_block(op):
            return False
    return operands == int(is_updated)


def _block_of(value: ir.Value) -> ir.Block:
    return value.owner if isinstance(value, ir.BlockArgument) else value.owner.operation.block


def _within(op: ir.Operation, block: ir.Block) -> ir.Operation | None:
    """The op of `block` that is `op` or encloses it."""
    inner = op
    while (parent := inner.parent) is not None:  # an op without a parent has no block to ask for
        if inner.block == block:
            return inner
        inner = parent.operation
    return None
