"""`tensor.bitcast` as the elementwise `arith.bitcast`, which MLIR can compile."""

from __future__ import annotations

from typing import Final

from torch_mlir import ir

WORD: Final = "tensor.bitcast"


def make_elementwise(module: ir.Module) -> bool:
    """Replaces each `tensor.bitcast` in place, if `arith.bitcast` allows its types; True if there was any."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == WORD and _fits(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        with op.context, op.location:
            kinds = [op.results[0].type]
            made = ir.Operation.create("arith.bitcast", kinds, list(op.operands), ip=ir.InsertionPoint(op))
        op.results[0].replace_all_uses_with(made.results[0])
        op.erase()
    return bool(found)


def _fits(op: ir.Operation) -> bool:
    source, result = (ir.ShapedType(v.type) for v in (op.operands[0], op.results[0]))
    signless = not any(
        isinstance(t.element_type, ir.IntegerType) and not t.element_type.is_signless for t in (source, result)
    )
    return signless and source.has_rank and result.has_rank and list(source.shape) == list(result.shape)
