"""Indirect calls of known functions as direct calls: the callee is a constant, or a selection among constants.

A selection becomes a branch with one call an arm. A selection by poison gives poison, which is undefined to call, as is
a branch on poison. Calls of other function values (arguments, loop-carried ones) are left.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from torch_mlir import ir

CALL: Final = "func.call_indirect"
CONSTANT: Final = "func.constant"
_SELECT: Final = "arith.select"
MOST_VALUES: Final = 64
"""Functions and selections that lead to a callee, at most; unreachable code may select from itself."""


class _Chosen(Struct, frozen=True):
    """One callee where a condition holds, another where it does not."""

    condition: ir.Value
    then: _Callee
    otherwise: _Callee


_Callee = str | _Chosen


def make_direct(module: ir.Module) -> None:
    """Replaces calls of known function values by direct calls, in place; the module's meaning does not change."""
    indirect: list[ir.Operation] = []
    functions: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == CALL and not len(op.attributes):
            indirect.append(op)
        elif op.name == CONSTANT or (op.name == _SELECT and isinstance(op.results[0].type, ir.FunctionType)):
            functions.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in indirect:
        callee = _callee(op.operands[0], [MOST_VALUES])
        if callee is not None:
            results = _call(op, callee, list(op.operands)[1:], ir.InsertionPoint(op))
            for old, new in zip(op.results, results, strict=True):
                old.replace_all_uses_with(new)
            op.erase()
    _erase_unused(functions)


def _erase_unused(functions: list[ir.Operation]) -> None:
    """Erases unused function constants."""
    left, count = functions, 0
    while len(left) != count:
        count, kept = len(left), list[ir.Operation]()
        for op in reversed(left):
            if any(True for _ in op.results[0].uses):
                kept.append(op)
            else:
                op.erase()
        left = kept[::-1]


def _callee(value: ir.Value, left: list[int]) -> _Callee | None:
    """The function that a value is; None if unknown. `left` counts how many more values may be visited."""
    op = value.owner
    left[0] -= 1
    if isinstance(op, ir.Block) or left[0] < 0:
        return None
    if op.name == CONSTANT:
        return ir.FlatSymbolRefAttr(op.attributes["value"]).value
    if op.name != _SELECT:
        return None
    then = _callee(op.operands[1], left)
    otherwise = None if then is None else _callee(op.operands[2], left)
    return None if then is None or otherwise is None else _Chosen(op.operands[0], then, otherwise)


def _call(op: ir.Operation, callee: _Callee, operands: list[ir.Value], place: ir.InsertionPoint) -> list[ir.Value]:
    """Builds the call of a function there, and gives its results."""
    kinds = [result.type for result in op.results]
    with op.context, op.location as location:
        if isinstance(callee, str):
            attributes: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(callee)}
            return list(ir.Operation.create("func.call", kinds, operands, attributes, ip=place).results)
        branch = ir.Operation.create("scf.if", kinds, [callee.condition], regions=2, ip=place)
        for region, inner in zip(branch.regions, (callee.then, callee.otherwise), strict=True):
            inside = ir.InsertionPoint(ir.Block.create_at_start(region, [], []))
            ir.Operation.create("scf.yield", [], _call(op, inner, operands, inside), loc=location, ip=inside)
    return list(branch.results)
