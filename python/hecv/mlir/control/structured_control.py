"""Structured control flow, calls and returns: `func`, `scf`, and the loops and branches of `affine`.

Parallel loops are in `hecv.mlir.control.parallel_ops`, regions of several blocks in
`hecv.mlir.control.unstructured_control`.

A value that a loop carries or a branch yields lives in a cell: written before the loop and at each yield, read at the
top of the body and after the loop. All yielded values are evaluated before the stores, so a loop that swaps two of them
is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch_mlir import ir

from hecv.base.term import Term, literal, postorder
from hecv.base.types import BOOL, IndexType
from hecv.mlir.aliasing.loop_carried_memrefs import Carried
from hecv.mlir.aliasing.memref_assumptions import require_silent
from hecv.mlir.aliasing.memref_origins import nested_in
from hecv.mlir.aliasing.selected_memrefs import Fork, Outlived, bind_memrefs, is_memref, leaves, memrefs_of, values_of
from hecv.mlir.control import recursive_calls, unstructured_control
from hecv.mlir.control.external_call_ops import read_opaque_call
from hecv.mlir.read.function_reader import Handler, Meaning, Reader
from hecv.mlir.read.memref_views import Aggregate, Choice, Memref, View
from hecv.mlir.values.carried_cells import (
    adopt_cells,
    carried_values,
    enter_cells,
    hand_on,
    lies_in,
    load_cells,
    new_cell,
    open_cells,
    store_cells,
    terminator,
    types_of,
)
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, If, Loop, Memory, While

MOST_CALLS = 20_000
"""Inlined calls, at most: functions that each call the next one twice double at each level."""


def _read_for(
    reader: Reader,
    op: ir.Operation,
    bounds: tuple[tuple[Term, ...], tuple[Term, ...], Term],
    first: Sequence[ir.Value],
    unsigned: bool = False,
) -> None:
    """Reads a loop whose bounds are terms; `first` are the initial values of its iter_args."""
    lowers, uppers, step = bounds
    body = op.regions[0].blocks[0]
    induction, *arguments = body.arguments
    iv_type = reader.scalar_type(op, induction.type)
    cells = adopt_cells(reader, op, values_of(first))
    iv = reader.scalars[induction] = reader.pool.induction(reader.loops, iv_type)
    fits = isinstance(iv_type, IndexType) and not unsigned
    memrefs = _carry_memrefs(reader, op, first, arguments)
    counts = _iterations(reader, iv, bounds) if fits and memrefs is not None else None
    if memrefs is not None and counts is None:
        memrefs.count(op)
    number = reader.number(op)
    reader.loops += 1
    outer = reader.enter(op)
    enter_cells(reader, op, cells, values_of(arguments))
    if memrefs is not None:
        bind_memrefs(reader, arguments, memrefs.enter(op, counts and counts[0]))
    reader.read_block(body)
    if first:
        end = terminator(body)
        hand_on(reader, end, cells, carried_values(reader, end, values_of(end.operands)))
        if memrefs is not None:
            memrefs.hand_on(end, memrefs_of(reader, end, end.operands))
    block = reader.leave(outer)
    reader.loops -= 1
    reader.block.append(Loop(number, iv, lowers, uppers, step, unsigned, block, fits=fits))
    enter_cells(reader, op, cells, values_of(op.results))
    if memrefs is not None:
        bind_memrefs(reader, list(op.results), memrefs.enter(op, counts and counts[1]))


def _carry_memrefs(
    reader: Reader, op: ir.Operation, first: Sequence[ir.Value], arguments: Sequence[ir.Value]
) -> Carried | None:
    """The memrefs that a loop carries; None if it carries none."""
    if not any(is_memref(v) for v in first):
        return None
    yielded = terminator(op.regions[0].blocks[0]).operands
    inner, last = ([v for v in values if is_memref(v)] for values in (arguments, yielded))
    return Carried(reader, op, memrefs_of(reader, op, first), inner, last, nested_in(op))


def _iterations(
    reader: Reader, iv: Term, bounds: tuple[tuple[Term, ...], tuple[Term, ...], Term]
) -> tuple[Term, Term] | None:
    """(iterations before this one, trip count); None if the step is not a literal."""
    (lowers, uppers, step), pool = bounds, reader.pool
    value = literal(step)
    if not isinstance(value, int) or value <= 0:
        return None
    lower, upper = quasi_affine.extremum(pool, "affine.max", lowers), quasi_affine.extremum(pool, "affine.min", uppers)
    all_of_them = quasi_affine.ceildiv(pool, quasi_affine.subtract(pool, upper, lower), step)
    total = quasi_affine.extremum(pool, "affine.max", (pool.integer(0), all_of_them))
    return quasi_affine.floordiv(pool, quasi_affine.subtract(pool, iv, lower), step), total


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
    results = values_of(op.results)
    kinds = types_of(reader, op, results)
    number = reader.number(op)
    cells: list[Memory] = []
    branches: list[Block] = []
    memrefs: list[list[Memref]] = []
    for region in op.regions:
        outer = reader.enter(op)
        for block in region.blocks:
            reader.read_block(block)
            end = terminator(block)
            values = list(carried_values(reader, end, values_of(end.operands))) if kinds else []
            # The first branch says what its type leaves open.
            cells = cells or [new_cell(reader, end, k, v) for k, v in zip(kinds, values, strict=True)]
            store_cells(reader, end, cells, values)
            memrefs.append(memrefs_of(reader, end, end.operands) if len(op.results) else [])
        branches.append(reader.leave(outer))
    for cell in cells:
        _require_known(reader, op, cell)
        reader.alloc(op, cell)
    if not any(memrefs):
        reader.block.append(If(number, condition, branches[0], branches[1]))
    else:
        fork = Fork(reader, op, number, condition, branches)
        joined = fork.join_memrefs(*memrefs)
        fork.emit()
        bind_memrefs(reader, op.results, joined())
    load_cells(reader, op, cells, results)


def _require_known(reader: Reader, op: ir.Operation, cell: Memory) -> None:
    """Raises: Unsupported if an extent may be computed inside a branch."""
    if any(t.op == "read" for t in postorder(cell.extents)):
        reader.reject(op, "a tensor whose shape is read from memory is not supported")


def _read_branch(
    reader: Reader, op: ir.Operation, region: ir.Region, cells: list[Memory]
) -> tuple[Block, list[Memref]]:
    """Reads a region of one block, which yields to the cells; also gives the memrefs that it yields."""
    outer = reader.enter(op)
    block = region.blocks[0]
    reader.read_block(block)
    end = terminator(block)
    store_cells(reader, end, cells, carried_values(reader, end, values_of(end.operands)))
    memrefs = memrefs_of(reader, end, end.operands)
    return reader.leave(outer), memrefs


def _read_affine_if(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) { ... } else { ... }`."""
    operands = reader.terms(op, op.operands)
    _read_if(reader, op, reader.apply_set(op, op.attributes["condition"], operands))


def _read_scf_if(reader: Reader, op: ir.Operation) -> None:
    _read_if(reader, op, reader.term(op, op.operands[0]))


def _read_index_switch(reader: Reader, op: ir.Operation) -> None:
    """Example: `scf.index_switch %i case 2 { scf.yield } default { scf.yield }`.

    Read as a chain of branches: the cases are distinct, so their order does not matter.
    """
    selected, results = reader.term(op, op.operands[0]), values_of(op.results)
    cells = open_cells(reader, op, types_of(reader, op, results))
    default, *regions = op.regions
    number = reader.number(op)
    cases = list(ir.DenseI64ArrayAttr(op.attributes["cases"]))
    with reader.behind(op, max(len(cases) - 1, 0)):
        rest, memrefs = _read_branch(reader, op, default, cells)
    for place, (case, region) in reversed(list(enumerate(zip(cases, regions, strict=True)))):
        operands = (selected, reader.pool.integer(case))
        condition = reader.pool.make("arith.cmpi", operands, BOOL, (("predicate", "eq"),))
        with reader.behind(op, place):
            block, own = _read_branch(reader, op, region, cells)
        fork = Fork(reader, op, number, condition, (block, rest))
        joined = fork.join_memrefs(own, memrefs)
        outer = reader.enter(op)
        fork.emit()
        memrefs, rest = joined(), reader.leave(outer)
        number = reader.number(op)
    if not cases:  # it goes one way, and is undefined for poison all the same
        same = reader.pool.make("arith.cmpi", (selected, selected), BOOL, (("predicate", "eq"),))
        reader.block.append(If(number, same, (), ()))
    reader.block.extend(rest)
    bind_memrefs(reader, op.results, memrefs)
    load_cells(reader, op, cells, results)


def _read_while(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = scf.while (%a = %x) : (f32) -> f32 { scf.condition(%c) %a : f32 } do { scf.yield %b : f32 }`.

    The operands of `scf.condition` are both the results and the arguments of the second region.
    """
    results = values_of(op.results)
    carried = adopt_cells(reader, op, values_of(op.operands))
    head, body = (region.blocks[0] for region in op.regions)
    memrefs = _while_memrefs(reader, op)
    number = reader.number(op)
    outer = reader.enter(op)
    enter_cells(reader, op, carried, values_of(head.arguments))
    if memrefs is not None:
        bind_memrefs(reader, head.arguments, memrefs.enter(op))
    reader.read_block(head)
    end = terminator(head)
    condition, *values = end.operands
    passed = _pass_on(reader, end, carried, values_of(values))
    kept = Outlived(reader, op, reader.leave(outer))
    now = memrefs_of(reader, end, values)
    results_then = kept.keep(now)
    before = tuple(kept.statements)
    for cell in passed:
        if cell not in carried:
            reader.alloc(op, cell)
    reader.block.extend(kept.allocations)
    for cell in carried:
        reader.aggregates.release(cell.id)  # of what reads it none is in scope in the second region, or after it
    outer = reader.enter(op)
    enter_cells(reader, op, passed, values_of(body.arguments))
    bind_memrefs(reader, body.arguments, now)
    reader.read_block(body)
    end = terminator(body)
    hand_on(reader, end, carried, carried_values(reader, end, values_of(end.operands)))
    if memrefs is not None:
        memrefs.hand_on(end, memrefs_of(reader, end, end.operands))
    after = reader.leave(outer)
    reader.block.append(While(number, before, reader.term(op, condition), after))
    enter_cells(reader, op, passed, results)
    bind_memrefs(reader, op.results, results_then())


def _pass_on(reader: Reader, end: ir.Operation, carried: Sequence[Memory], values: Sequence[ir.Value]) -> list[Memory]:
    """The cells for the operands of `scf.condition`, allocated before the loop.

    A tensor that lies in a cell that the loop carries uses that cell; anything else gets a new one.

    Raises: Unsupported if the shape of a tensor is unknown before the loop.
    """
    passed: list[Memory] = []
    for value, kind in zip(carried_values(reader, end, values), types_of(reader, end, values), strict=True):
        own = [c for c in carried if isinstance(value, Aggregate) and lies_in(value, c)]
        passed.append(own[0] if own else new_cell(reader, end, kind, value))
        if not own:
            _require_carried(reader, end, passed[-1], carried)
            store_cells(reader, end, passed[-1:], [value])
    return passed


def _require_carried(reader: Reader, op: ir.Operation, cell: Memory, carried: Sequence[Memory]) -> None:
    """Raises: Unsupported unless each extent is a number or that of a carried value."""
    known = {n for c in carried for n in c.extents}
    if any(literal(n) is None and n not in known for n in cell.extents):
        reader.reject(op, "a tensor whose shape is not that of one that the loop carries is not supported")


def _while_memrefs(reader: Reader, op: ir.Operation) -> Carried | None:
    """The memrefs that a while loop carries; None if it carries none."""
    arguments, yielded = op.regions[0].blocks[0].arguments, terminator(op.regions[1].blocks[0]).operands
    inner, last = ([v for v in values if is_memref(v)] for values in (arguments, yielded))
    if not inner:
        return None
    found = Carried(reader, op, memrefs_of(reader, op, op.operands), inner, last, nested_in(op))
    found.count(op)
    return found


def _read_execute_region(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = scf.execute_region -> f32 { scf.yield %x : f32 }`."""
    values = unstructured_control.read_region(reader, op, op.regions[0])
    for result, value in zip(op.results, values, strict=True):
        reader.bind(result, value)


def _read_call(reader: Reader, op: ir.Operation) -> None:
    """Inlines a call: the callee's arguments are the caller's terms and memories. A recursive call is not inlined."""
    callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    target = reader.module.symbols[callee]
    require_silent(reader, op, op, callee)
    if callee in reader.kept:
        return recursive_calls.read_call(reader, op, reader.kept[callee])
    if callee in reader.calls:
        cycle = " -> ".join(f"@{name}" for name in (*reader.calls[reader.calls.index(callee) :], callee))
        reader.reject(op, f"recursion: {cycle}")
    if not target.regions[0].blocks:
        return read_opaque_call(reader, op, callee)
    reader.inlined += 1
    if reader.inlined > MOST_CALLS:
        reader.reject(op, f"more than {MOST_CALLS} calls to inline")
    require_silent(reader, op, target, callee)
    results = inline(reader, op, target, callee, [reader.value(v) for v in op.operands])
    for value, result in zip(op.results, results, strict=True):
        reader.bind(value, result)


def inline(
    reader: Reader, op: ir.Operation, target: ir.Operation, name: str, arguments: list[Meaning]
) -> tuple[Meaning, ...]:
    """Reads the body of function `target` onto the current statements and gives its return values.

    Raises: Unsupported if a returned memref is on the callee's stack, which ends with the call; what the compared
            function itself returns is examined later (`hecv.mlir.aliasing.returned_memrefs`).
    """
    entry, around = target.regions[0].blocks[0], set(reader.stack)
    for parameter, argument in zip(entry.arguments, arguments, strict=True):
        reader.bind(parameter, argument)
    reader.calls.append(name)
    outer = reader.enter(op)
    returned = unstructured_control.read_region(reader, op, target.regions[0])
    outer.extend(reader.leave(outer))
    reader.calls.pop()
    for number, value in enumerate(returned if reader.calls else ()):
        for view in leaves(value) if isinstance(value, (View, Choice)) else ():
            if view.memory.id in reader.stack - around:
                end = terminator(target.regions[0].blocks[len(target.regions[0].blocks) - 1])
                reader.reject(end, f"result {number}: %{view.memory.name} does not live on after the return")
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
