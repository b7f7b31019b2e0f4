"""Ops with regions, calls and returns: `func`, `scf`, and the loops and branches of `affine`.

A value that a loop carries or a branch yields lives in a cell: written before the loop and at each yield, read at the
top of the body and after the loop. All yielded values are terms evaluated before the stores, so that a loop that swaps
two of them is right.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.term import Term
from hecv.base.types import ScalarType
from hecv.frontend.reader import Handler, Reader
from hecv.graph.tree import Block, If, Loop, Memory, MemoryKind

MOST_CALLS = 20_000
"""More inlined calls than this are unsupported: functions that call the next one twice double at each."""


def _read_for(
    reader: Reader,
    op: ir.Operation,
    bounds: tuple[tuple[Term, ...], tuple[Term, ...], Term],
    carried: tuple[Term, ...],
    unsigned: bool = False,
) -> None:
    """A loop whose bounds are terms; `carried` are the first values of its iter_args."""
    lowers, uppers, step = bounds
    body = op.regions[0].blocks[0]
    induction, *arguments = body.arguments
    iv_type = reader.scalar_type(op, induction.type)
    cells = _open_cells(reader, op, tuple([c.type for c in carried]))
    for cell, value in zip(cells, carried, strict=True):
        reader.store(op, cell, (), value)
    iv = reader.scalars[induction] = reader.pool.induction(reader.loops, iv_type)
    number = reader.number(op)
    reader.loops += 1
    outer = reader.enter(op)
    _read_region(reader, op, body, arguments, cells)
    block = reader.leave(outer)
    reader.loops -= 1
    reader.block.append(Loop(number, iv, lowers, uppers, step, unsigned, block))
    _close_cells(reader, op, cells)


def _read_region(
    reader: Reader, op: ir.Operation, body: ir.Block, arguments: list[ir.Value], cells: list[Memory]
) -> None:
    """The body of a loop or a branch: arguments from the cells, the block, yielded values back to the cells."""
    for argument, cell in zip(arguments, cells, strict=bool(arguments)):
        reader.scalars[argument] = reader.load(op, cell, ())
    reader.read_block(body)
    if cells:
        end = terminator(body)
        yielded = reader.terms(end, end.operands)
        for cell, value in zip(cells, yielded, strict=True):
            reader.store(end, cell, (), value)


def _open_cells(reader: Reader, op: ir.Operation, types: tuple[ScalarType, ...]) -> list[Memory]:
    cells = [reader.new_memory(MemoryKind.CELL, kind, ()) for kind in types]
    for cell in cells:
        reader.alloc(op, cell)
    return cells


def _close_cells(reader: Reader, op: ir.Operation, cells: list[Memory]) -> None:
    if cells:
        for result, cell in zip(op.results, cells, strict=True):
            reader.scalars[result] = reader.load(op, cell, ())


def _read_affine_for(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.for %i = max #lb(%n) to min #ub(%n) step 8`."""
    operands = reader.terms(op, op.operands)
    attributes = op.attributes
    low, high, _ = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    lowers = reader.apply_map(op, attributes["lowerBoundMap"], operands[:low])
    uppers = reader.apply_map(op, attributes["upperBoundMap"], operands[low : low + high])
    step = reader.pool.integer(ir.IntegerAttr(attributes["step"]).value)
    _read_for(reader, op, (lowers, uppers, step), operands[low + high :])


def _read_scf_for(reader: Reader, op: ir.Operation) -> None:
    """Example: `%s = scf.for unsigned %i = %lb to %ub step %c iter_args(%a = %z) -> f32 : i32`."""
    lower, upper, step, *carried = reader.terms(op, op.operands)
    _read_for(reader, op, ((lower,), (upper,), step), tuple(carried), "unsignedCmp" in op.attributes)


def _read_if(reader: Reader, op: ir.Operation, condition: Term) -> None:
    cells = _open_cells(reader, op, tuple([reader.scalar_type(op, r.type) for r in op.results]))
    number = reader.number(op)
    branches: list[Block] = []
    for region in op.regions:
        outer = reader.enter(op)
        for block in region.blocks:
            _read_region(reader, op, block, [], cells)
        branches.append(reader.leave(outer))
    reader.block.append(If(number, condition, branches[0], branches[1]))
    _close_cells(reader, op, cells)


def _read_affine_if(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) { ... } else { ... }`."""
    operands = reader.terms(op, op.operands)
    _read_if(reader, op, reader.apply_set(op, op.attributes["condition"], operands))


def _read_scf_if(reader: Reader, op: ir.Operation) -> None:
    _read_if(reader, op, reader.term(op, op.operands[0]))


def _read_call(reader: Reader, op: ir.Operation) -> None:
    """A call is inlined: the callee's arguments are the caller's terms and memories."""
    callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    target = reader.module.symbols[callee]
    if callee in reader.calls:
        cycle = " -> ".join(f"@{name}" for name in (*reader.calls[reader.calls.index(callee) :], callee))
        reader.reject(op, f"recursion: {cycle}")
    if not target.regions[0].blocks:
        reader.reject(op, f"@{callee} has no body")
    reader.inlined += 1
    if reader.inlined > MOST_CALLS:
        reader.reject(op, f"more than {MOST_CALLS} calls to inline")
    results = inline(reader, op, target, callee, [reader.value(v) for v in op.operands])
    for value, result in zip(op.results, results, strict=True):
        reader.scalars[value] = result


def inline(
    reader: Reader, op: ir.Operation, target: ir.Operation, name: str, arguments: list[Term | Memory]
) -> tuple[Term, ...]:
    """Reads the body of function `target` onto the current statements and gives the values that it returns."""
    entry = target.regions[0].blocks[0]
    for parameter, argument in zip(entry.arguments, arguments, strict=True):
        reader.bind(parameter, argument)
    reader.calls.append(name)
    outer = reader.enter(op)
    reader.read_block(entry)
    outer.extend(reader.leave(outer))
    reader.calls.pop()
    end = terminator(entry)
    return reader.terms(end, end.operands)


def terminator(block: ir.Block) -> ir.Operation:
    """The last op of `block`."""
    return block.operations[len(block.operations) - 1].operation


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


HANDLERS: Mapping[str, Handler] = {
    "affine.for": _read_affine_for,
    "affine.if": _read_affine_if,
    "affine.yield": _read_nothing,
    "scf.for": _read_scf_for,
    "scf.if": _read_scf_if,
    "scf.yield": _read_nothing,
    "func.call": _read_call,
    "func.return": _read_nothing,
}
