"""Cells: the rank-0 memories that carry values through loops and out of branches."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from hecv.base.term import Term
from hecv.base.types import ScalarType
from hecv.frontend.reader import Reader
from hecv.graph.tree import Memory, MemoryKind


def open_cells(reader: Reader, op: ir.Operation, types: tuple[ScalarType, ...]) -> list[Memory]:
    """New cells, allocated here."""
    cells = [reader.new_memory(MemoryKind.CELL, kind, ()) for kind in types]
    for cell in cells:
        reader.alloc(op, cell)
    return cells


def store_cells(reader: Reader, op: ir.Operation, cells: Sequence[Memory], values: Sequence[Term]) -> None:
    """Emits stores of the values, each to its cell."""
    for cell, value in zip(cells, values, strict=True):
        reader.store(op, cell, (), value)


def load_cells(reader: Reader, op: ir.Operation, cells: Sequence[Memory], values: Sequence[ir.Value]) -> None:
    """Emits loads of the cells and lets each of the SSA values be what its cell holds."""
    for value, cell in zip(values, cells, strict=True):
        reader.scalars[value] = reader.load(op, cell, ())


def result_types(reader: Reader, op: ir.Operation) -> tuple[ScalarType, ...]:
    """The types of the results of `op`, all of them scalars."""
    return tuple([reader.scalar_type(op, r.type) for r in op.results])


def terminator(block: ir.Block) -> ir.Operation:
    """The last op of `block`."""
    return block.operations[len(block.operations) - 1].operation
