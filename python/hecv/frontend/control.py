"""Ops with regions, calls and returns: `func`, `scf`, and the loops and branches of `affine`.

Parallel loops stand in `hecv.frontend.parallel`, regions of several blocks in `hecv.frontend.cfg`.

A value that a loop carries or a branch yields lives in a cell: written before the loop and at each yield, read at the
top of the body and after the loop. All yielded values are terms evaluated before the stores, so that a loop that swaps
two of them is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch_mlir import ir

from hecv.base.term import Term, postorder
from hecv.base.types import BOOL, IndexType
from hecv.frontend import calls, cfg
from hecv.frontend.cells import (
    adopt_cells,
    carried_values,
    enter_cells,
    hand_on,
    load_cells,
    new_cell,
    open_cells,
    result_types,
    store_cells,
    terminator,
    types_of,
)
from hecv.frontend.effects import read_opaque_call
from hecv.frontend.reader import Handler, Meaning, Reader
from hecv.frontend.views import View
from hecv.graph.tree import Block, If, Loop, Memory, While

MOST_CALLS = 20_000
"""More inlined calls than this are unsupported: functions that call the next one twice double at each."""


def _read_for(
    reader: Reader,
    op: ir.Operation,
    bounds: tuple[tuple[Term, ...], tuple[Term, ...], Term],
    first: Sequence[ir.Value],
    unsigned: bool = False,
) -> None:
    """A loop whose bounds are terms; `first` are the first values of its iter_args."""
    lowers, uppers, step = bounds
    body = op.regions[0].blocks[0]
    induction, *arguments = body.arguments
    iv_type = reader.scalar_type(op, induction.type)
    cells = adopt_cells(reader, op, first)
    iv = reader.scalars[induction] = reader.pool.induction(reader.loops, iv_type)
    number = reader.number(op)
    reader.loops += 1
    outer = reader.enter(op)
    enter_cells(reader, op, cells, arguments)
    reader.read_block(body)
    if cells:
        end = terminator(body)
        hand_on(reader, end, cells, carried_values(reader, end, end.operands))
    block = reader.leave(outer)
    reader.loops -= 1
    fits = isinstance(iv_type, IndexType) and not unsigned
    reader.block.append(Loop(number, iv, lowers, uppers, step, unsigned, block, fits=fits))
    enter_cells(reader, op, cells, list(op.results))


def close_cells(reader: Reader, op: ir.Operation, cells: list[Memory]) -> None:
    """Lets the results of `op` be what the cells hold now."""
    if cells:
        load_cells(reader, op, cells, list(op.results))


def _read_affine_for(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.for %i = max #lb(%n) to min #ub(%n) step 8`."""
    attributes = op.attributes
    low, high, _ = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    values = list(op.operands)
    operands = reader.terms(op, values[: low + high])
    lowers = reader.apply_map(op, attributes["lowerBoundMap"], operands[:low])
    uppers = reader.apply_map(op, attributes["upperBoundMap"], operands[low:])
    step = reader.pool.integer(ir.IntegerAttr(attributes["step"]).value)
    _read_for(reader, op, (lowers, uppers, step), values[low + high :])


def _read_scf_for(reader: Reader, op: ir.Operation) -> None:
    """Example: `%s = scf.for unsigned %i = %lb to %ub step %c iter_args(%a = %z) -> f32 : i32`."""
    values = list(op.operands)
    lower, upper, step = reader.terms(op, values[:3])
    _read_for(reader, op, ((lower,), (upper,), step), values[3:], "unsignedCmp" in op.attributes)


def _read_if(reader: Reader, op: ir.Operation, condition: Term) -> None:
    kinds = result_types(reader, op)
    number = reader.number(op)
    cells: list[Memory] = []
    branches: list[Block] = []
    for region in op.regions:
        outer = reader.enter(op)
        for block in region.blocks:
            reader.read_block(block)
            end = terminator(block)
            values = list(carried_values(reader, end, end.operands)) if kinds else []
            # The first branch says what its type leaves open.
            cells = cells or [new_cell(reader, end, k, v) for k, v in zip(kinds, values, strict=True)]
            store_cells(reader, end, cells, values)
        branches.append(reader.leave(outer))
    for cell in cells:
        _require_known(reader, op, cell)
        reader.alloc(op, cell)
    reader.block.append(If(number, condition, branches[0], branches[1]))
    close_cells(reader, op, cells)


def _require_known(reader: Reader, op: ir.Operation, cell: Memory) -> None:
    """Raises: Unsupported where an extent may be computed by what stands in a branch."""
    if any(t.op == "read" for t in postorder(cell.extents)):
        reader.reject(op, "a tensor whose shape is read from memory is not supported")


def _read_branch(reader: Reader, op: ir.Operation, region: ir.Region, cells: list[Memory]) -> Block:
    """A region of one block or none, which yields to the cells."""
    outer = reader.enter(op)
    for block in region.blocks:
        reader.read_block(block)
        if cells:
            end = terminator(block)
            store_cells(reader, end, cells, carried_values(reader, end, end.operands))
    return reader.leave(outer)


def _read_affine_if(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) { ... } else { ... }`."""
    operands = reader.terms(op, op.operands)
    _read_if(reader, op, reader.apply_set(op, op.attributes["condition"], operands))


def _read_scf_if(reader: Reader, op: ir.Operation) -> None:
    _read_if(reader, op, reader.term(op, op.operands[0]))


def _read_index_switch(reader: Reader, op: ir.Operation) -> None:
    """Example: `scf.index_switch %i case 2 { scf.yield } default { scf.yield }`.

    A chain of branches: the cases are distinct, so their order says nothing.
    """
    selected = reader.term(op, op.operands[0])
    cells = open_cells(reader, op, result_types(reader, op))
    default, *regions = op.regions
    rest = _read_branch(reader, op, default, cells)
    cases = list(ir.DenseI64ArrayAttr(op.attributes["cases"]))
    for case, region in reversed(list(zip(cases, regions, strict=True))):
        operands = (selected, reader.pool.integer(case))
        condition = reader.pool.make("arith.cmpi", operands, BOOL, (("predicate", "eq"),))
        rest = (If(reader.number(op), condition, _read_branch(reader, op, region, cells), rest),)
    reader.block.extend(rest)
    close_cells(reader, op, cells)


def _read_while(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = scf.while (%a = %x) : (f32) -> f32 { scf.condition(%c) %a : f32 } do { scf.yield %b : f32 }`.

    What `scf.condition` passes on is both the result and what the second region gets.
    """
    carried = open_cells(reader, op, types_of(reader, op, op.operands))
    passed = open_cells(reader, op, result_types(reader, op))
    store_cells(reader, op, carried, carried_values(reader, op, op.operands))
    number = reader.number(op)
    head, body = (region.blocks[0] for region in op.regions)
    outer = reader.enter(op)
    load_cells(reader, op, carried, list(head.arguments))
    reader.read_block(head)
    end = terminator(head)
    condition, *values = end.operands
    store_cells(reader, end, passed, carried_values(reader, end, values))
    before = reader.leave(outer)
    outer = reader.enter(op)
    load_cells(reader, op, passed, list(body.arguments))
    reader.read_block(body)
    end = terminator(body)
    store_cells(reader, end, carried, carried_values(reader, end, end.operands))
    after = reader.leave(outer)
    reader.block.append(While(number, before, reader.term(end, condition), after))
    close_cells(reader, op, passed)


def _read_execute_region(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = scf.execute_region -> f32 { scf.yield %x : f32 }`."""
    values = cfg.read_region(reader, op, op.regions[0])
    for result, value in zip(op.results, values, strict=True):
        reader.bind(result, value)


def _read_call(reader: Reader, op: ir.Operation) -> None:
    """A call is inlined: the callee's arguments are the caller's terms and memories. One of a function that may call
    itself stays a call."""
    callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    target = reader.module.symbols[callee]
    if callee in reader.kept:
        return calls.read_call(reader, op, reader.kept[callee])
    if callee in reader.calls:
        cycle = " -> ".join(f"@{name}" for name in (*reader.calls[reader.calls.index(callee) :], callee))
        reader.reject(op, f"recursion: {cycle}")
    if not target.regions[0].blocks:
        return read_opaque_call(reader, op, callee)
    reader.inlined += 1
    if reader.inlined > MOST_CALLS:
        reader.reject(op, f"more than {MOST_CALLS} calls to inline")
    results = inline(reader, op, target, callee, [reader.value(v) for v in op.operands])
    for value, result in zip(op.results, results, strict=True):
        reader.bind(value, result)


def inline(
    reader: Reader, op: ir.Operation, target: ir.Operation, name: str, arguments: list[Meaning]
) -> tuple[Meaning, ...]:
    """Reads the body of function `target` onto the current statements and gives the values that it returns.

    Raises: Unsupported where one lies on its stack, which ends with it.
    """
    entry, around = target.regions[0].blocks[0], set(reader.stack)
    for parameter, argument in zip(entry.arguments, arguments, strict=True):
        reader.bind(parameter, argument)
    reader.calls.append(name)
    outer = reader.enter(op)
    returned = cfg.read_region(reader, op, target.regions[0])
    outer.extend(reader.leave(outer))
    reader.calls.pop()
    for number, value in enumerate(returned):
        if isinstance(value, View) and value.memory.id in reader.stack - around:
            end = terminator(target.regions[0].blocks[len(target.regions[0].blocks) - 1])
            reader.reject(end, f"result {number}: %{value.memory.name} does not live on after the return")
    return returned


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


HANDLERS: Mapping[str, Handler] = {
    "affine.for": _read_affine_for,
    "affine.if": _read_affine_if,
    "affine.yield": _read_nothing,
    "scf.for": _read_scf_for,
    "scf.if": _read_scf_if,
    "scf.while": _read_while,
    "scf.condition": _read_nothing,
    "scf.index_switch": _read_index_switch,
    "scf.execute_region": _read_execute_region,
    "scf.yield": _read_nothing,
    "func.call": _read_call,
    "func.return": _read_nothing,
}
