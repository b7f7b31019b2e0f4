"""Cells: memories that carry values through loops and out of branches. The cell of a scalar has rank 0."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import ScalarType
from hecv.mlir.read.function_reader import Reader
from hecv.mlir.read.memref_views import Aggregate, compare, whole
from hecv.mlir.values import aggregate_values, in_place_updates
from hecv.mlir.values.aggregate_values import Shape
from hecv.program.tree import Memory, MemoryKind


def open_cells(reader: Reader, op: ir.Operation, types: Sequence[ScalarType | Shape]) -> list[Memory]:
    """New cells, allocated here."""
    cells = [new_cell(reader, op, kind) for kind in types]
    for cell in cells:
        reader.alloc(op, cell)
    return cells


def new_cell(
    reader: Reader, op: ir.Operation, kind: ScalarType | Shape, value: Term | Aggregate | None = None
) -> Memory:
    """A cell to be allocated; dynamic extents are those of `value`."""
    if not isinstance(kind, Shape):
        return reader.new_memory(MemoryKind.CELL, kind, ())
    if isinstance(value, Aggregate) and None in kind.extents:
        return reader.new_memory(MemoryKind.LOCAL, kind.element, value.extents)
    return aggregate_values.new_memory(reader, op, kind)


def store_cells(reader: Reader, op: ir.Operation, cells: Sequence[Memory], values: Sequence[Term | Aggregate]) -> None:
    """Emits stores of the values, each to its cell.

    Raises: Unsupported if an aggregate may have another shape than its cell.
    """
    for cell, value in zip(cells, values, strict=True):
        if isinstance(value, Term):
            reader.store(op, cell, (), value)
        else:
            _require_shape(reader, op, value, cell)
            aggregate_values.assign(reader, op, value, whole(reader.pool, cell))


def _require_shape(reader: Reader, op: ir.Operation, value: Aggregate, cell: Memory) -> None:
    """Raises: Unsupported unless a value plainly has the extents of its cell. The extents of a function's result are
    stated elsewhere."""
    if cell.kind is not MemoryKind.LOCAL:
        return
    for extent, own in zip(cell.extents, value.extents, strict=True):
        if literal(compare(reader.pool, "eq", extent, own)) != 1:
            reader.reject(op, "a carried or yielded tensor whose shape may change is not supported")


def load_cells(reader: Reader, op: ir.Operation, cells: Sequence[Memory], values: Sequence[ir.Value]) -> None:
    """Emits loads of the cells, and binds each SSA value to what its cell holds."""
    for value, cell in zip(values, cells, strict=True):
        reader.bind(value, read_cell(reader, op, cell))


def read_cell(reader: Reader, op: ir.Operation, cell: Memory) -> Term | Aggregate:
    """The contents of a cell now. An aggregate is copied, since the cell may be written again while the value is
    alive."""
    if cell.kind is MemoryKind.CELL:
        return reader.load(op, cell, ())
    now = aggregate_values.held(reader, whole(reader.pool, cell))
    return aggregate_values.held(reader, aggregate_values.copied(reader, op, now))


def adopt_cells(reader: Reader, op: ir.Operation, first: Sequence[ir.Value]) -> list[Memory]:
    """Cells with the initial values of a loop. The cell of an aggregate is its own memory, if the loop is the last
    to read it."""
    kinds = [aggregate_values.kind_of(reader, op, v.type) for v in first]
    own = [in_place_updates.writable(reader, op, v) if v in reader.aggregates else None for v in first]
    values = carried_values(reader, op, first)
    cells = [
        new_cell(reader, op, kind, value) if view is None else view.memory
        for kind, value, view in zip(kinds, values, own, strict=True)
    ]
    for cell, view in zip(cells, own, strict=True):
        if view is None:
            reader.alloc(op, cell)
    for cell, view, value in zip(cells, own, values, strict=True):
        if view is None:
            store_cells(reader, op, [cell], [value])
    return cells


def enter_cells(reader: Reader, op: ir.Operation, cells: Sequence[Memory], values: Sequence[ir.Value]) -> None:
    """Binds each SSA value to what its cell holds, until `hand_on` changes it."""
    for value, cell in zip(values, cells, strict=True):
        if cell.kind is MemoryKind.CELL:
            reader.scalars[value] = reader.load(op, cell, ())
        else:
            reader.aggregates[value] = aggregate_values.held(reader, whole(reader.pool, cell))


def hand_on(reader: Reader, op: ir.Operation, cells: Sequence[Memory], values: Sequence[Term | Aggregate]) -> None:
    """Emits parallel assignments to the cells: a value that reads another cell is copied first."""
    written = {c.id for c, v in zip(cells, values, strict=True) if isinstance(v, Aggregate) and not lies_in(v, c)}
    ready = [
        aggregate_values.held(reader, aggregate_values.copied(reader, op, value))
        if isinstance(value, Aggregate) and not lies_in(value, cell) and written & value.memories
        else value
        for cell, value in zip(cells, values, strict=True)
    ]
    for cell, value in zip(cells, ready, strict=True):
        if isinstance(value, Term) or not lies_in(value, cell):
            store_cells(reader, op, [cell], [value])


def lies_in(value: Aggregate, cell: Memory) -> bool:
    """True if an aggregate is the whole contents of a cell."""
    return value.whole is not None and value.whole.memory is cell


def result_types(reader: Reader, op: ir.Operation) -> tuple[ScalarType | Shape, ...]:
    """The types of the results of `op`, scalars and aggregates."""
    return tuple([aggregate_values.kind_of(reader, op, r.type) for r in op.results])


def carried_values(reader: Reader, op: ir.Operation, values: Sequence[ir.Value]) -> tuple[Term | Aggregate, ...]:
    """What `values` are, scalars and aggregates."""
    if not reader.aggregates:
        return reader.terms(op, values)
    return tuple([aggregate_values.meaning(reader, op, v) for v in values])


def types_of(reader: Reader, op: ir.Operation, values: Sequence[ir.Value]) -> tuple[ScalarType | Shape, ...]:
    """The types of values that a loop carries."""
    return tuple([aggregate_values.kind_of(reader, op, v.type) for v in values])


def terminator(block: ir.Block) -> ir.Operation:
    """The last op of `block`."""
    return block.operations[len(block.operations) - 1].operation
