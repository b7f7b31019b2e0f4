"""Puts each scalar and vector op into a function of its own, so that no fold sees two ops, or an op and a literal.

MLIR's conversions fold ops as they go, and some folds are wrong: `complex.add %z, 0` becomes `%z`, although -0.0 + 0.0
is 0.0. A program that is lowered by the very fold that it is to be a second opinion on is none. Here the fold does not
apply: the function is never inlined, and its operands are arguments.

Example: `%s = complex.add %z, %w : complex<f32>` becomes `%s = func.call @"hecv.alone.0"(%z, %w)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_ALONE: Final = frozenset({"arith", "complex", "index", "math", "vector"})
"""The dialects of the ops."""

_WHOLE: Final = frozenset({"vector.mask", "scf.reduce", "memref.generic_atomic_rmw"})
"""Ops that are lowered with the ops of their regions."""


def isolate(module: Any) -> None:
    """Replaces the ops by calls, in place; equal ops share a function."""
    made: dict[tuple[Any, ...], str] = {}
    for function in [op for op in module.body.operations if op.operation.name == "func.func"]:
        found: list[Any] = []

        def visit(op: Any, found: list[Any] = found) -> Any:
            if op.name in _WHOLE:
                return IR.WalkResult.SKIP
            if _is_alone(op):
                found.append(op)
            return IR.WalkResult.ADVANCE

        function.operation.walk(visit, IR.WalkOrder.PRE_ORDER)
        for op in found:
            attributes = [(name, str(op.attributes[name])) for name in op.attributes]
            kinds = [str(v.type) for v in (*op.operands, *op.results)]
            key = op.name, *sorted(attributes), *kinds
            if key not in made:
                made[key] = f"hecv.alone.{len(made)}"
                _define(module, made[key], op)
            _call(made[key], op)


def _is_alone(op: Any) -> bool:
    """True for an op without regions from numbers and vectors to some. A literal that `affine` ops use stays: what a
    function returns inside a loop is no dimension of theirs."""
    values = (*op.operands, *op.results)
    if op.name.partition(".")[0] not in _ALONE or len(op.regions) or not len(op.results):
        return False
    if any(isinstance(v.type, IR.MemRefType | IR.UnrankedMemRefType | IR.RankedTensorType) for v in values):
        return False
    return not any(use.owner.name.startswith("affine.") for result in op.results for use in result.uses)


def _define(module: Any, name: str, op: Any) -> None:
    """Adds a private function of the op's operands that returns its results."""
    kinds, results = _types(op.operands), _types(op.results)
    with op.context, op.location:
        with IR.InsertionPoint(module.body):
            attributes = {
                "sym_name": IR.StringAttr.get(name),
                "function_type": IR.TypeAttr.get(IR.FunctionType.get(kinds, results)),
                "sym_visibility": IR.StringAttr.get("private"),
            }
            function = IR.Operation.create("func.func", attributes=attributes, regions=1)
        entry = IR.Block.create_at_start(function.regions[0], kinds, [op.location] * len(kinds))
        with IR.InsertionPoint(entry):
            copy = op.clone().operation
            for number, argument in enumerate(entry.arguments):
                copy.operands[number] = argument
            IR.Operation.create("func.return", operands=list(copy.results))


def _call(name: str, op: Any) -> None:
    """Replaces the op by a call."""
    with op.context, op.location, IR.InsertionPoint(op):
        callee = {"callee": IR.FlatSymbolRefAttr.get(name)}
        call = IR.Operation.create(
            "func.call", results=_types(op.results), operands=list(op.operands), attributes=callee
        )
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _types(values: Sequence[Any]) -> list[Any]:
    return [v.type for v in values]
