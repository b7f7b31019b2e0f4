"""Origins of a memref that is only selected and passed on, from the text: loops, branches, selects, casts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from torch_mlir import ir

from hecv.mlir.values.carried_cells import terminator

Inside = Callable[[ir.Value], bool]
"""True if a value is defined inside a loop."""

_CASTS: Final = frozenset({"memref.cast", "memref.memory_space_cast"})
"""Ops on one memref whose result has the same elements at the same indices."""


def _op_of(value: ir.Value) -> ir.Operation | None:
    return None if isinstance(value, ir.BlockArgument) else value.owner.operation


def nested_in(op: ir.Operation) -> Inside:
    """The predicate that a value is defined inside `op`."""

    def is_inside(value: ir.Value) -> bool:
        block = value.owner if isinstance(value, ir.BlockArgument) else value.owner.operation.block
        around: ir.Operation | None = block.owner.operation
        while around is not None and around != op:
            around = around.parent and around.parent.operation
        return around is not None

    return is_inside


def reached(values: Sequence[ir.Value], is_inside: Inside) -> list[ir.Value]:
    """The origins of `values` that a loop only selects and passes on: values from outside, and results of ops
    inside."""
    seen = dict.fromkeys(values)
    left = list(values)
    while left:
        value = left.pop()
        for source in sources(value) if is_inside(value) else ():
            if source not in seen:
                seen[source] = None
                left.append(source)
    return [v for v in seen if not is_inside(v) or not sources(v)]


def sources(value: ir.Value) -> list[ir.Value]:
    """The values that a value is selected from; empty if an op makes it."""
    op = _op_of(value)
    if op is None:
        return _passed_to(value)
    if op.name in _CASTS:
        return [op.operands[0]]
    if op.name == "arith.select":
        return list(op.operands)[1:]
    number = next(k for k, r in enumerate(op.results) if r == value)
    return _results(op, number)


def _results(op: ir.Operation, number: int) -> list[ir.Value]:
    """The values that result `number` of an op with regions is selected from."""
    match op.name:
        case "scf.if" | "affine.if" | "scf.index_switch" | "scf.execute_region":
            return [end.operands[number] for end in _ends(op) if end.name in ("scf.yield", "affine.yield")]
        case "scf.for" | "affine.for":
            return [_first(op, number), terminator(op.regions[0].blocks[0]).operands[number]]
        case "scf.while":
            return [terminator(op.regions[0].blocks[0]).operands[number + 1]]
        case _:
            return []


def _ends(op: ir.Operation) -> list[ir.Operation]:
    return [terminator(block) for region in op.regions for block in region.blocks]


def _first(op: ir.Operation, number: int) -> ir.Value:
    """The initial value of the loop-carried value of result `number`."""
    operands = list(op.operands)
    return operands[len(operands) - len(op.results) + number]


def _passed_to(value: ir.Value) -> list[ir.Value]:
    """The values that predecessors pass to a block argument."""
    assert isinstance(value, ir.BlockArgument)
    block, number = value.owner, value.arg_number
    op = block.owner.operation
    if block != block.region.blocks[0]:
        ends = (terminator(b) for b in block.region.blocks)
        edges = [(end, k) for end in ends for k, s in enumerate(end.successors) if s == block]
        return [passed(end, k)[number] for end, k in edges]
    match op.name:
        case "scf.for" | "affine.for" if number:
            return [_first(op, number - 1), terminator(block).operands[number - 1]]
        case "scf.while" if block.region == op.regions[0]:
            return [op.operands[number], terminator(op.regions[1].blocks[0]).operands[number]]
        case "scf.while":
            return [terminator(op.regions[0].blocks[0]).operands[number + 1]]
        case _:
            return []


def passed(end: ir.Operation, place: int) -> list[ir.Value]:
    """The operands that a branch passes along its `place`-th edge."""
    operands = list(end.operands)
    if end.name == "cf.br":
        return operands
    counts = list(ir.DenseI32ArrayAttr(end.attributes["operandSegmentSizes"]))
    if end.name == "cf.switch":
        counts = [*counts[:2], *ir.DenseI32ArrayAttr(end.attributes["case_operand_segments"])]
    start = sum(counts[: place + 1])
    return operands[start : start + counts[place + 1]]
