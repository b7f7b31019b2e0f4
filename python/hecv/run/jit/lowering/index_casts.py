"""Casts between a 32-bit `index` and longer integers, with an explicit truncation or extension.

MLIR folds `arith.index_cast` to `index` and back into nothing, as if an `index` had all bits of an i64, while LangRef
and its own lowering truncate and extend. So a longer integer is truncated to 32 bits first, or extended afterwards.
"""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

from hecv.run.jit.lowering.op_replacement import replace_each

# The bindings are typed in small part.
IR: Any = ir

_EXTENSIONS: Final = {"arith.index_cast": "arith.extsi", "arith.index_castui": "arith.extui"}


def without_wide_casts(module: Any, index_width: int) -> None:
    """Replaces the casts in place."""
    if index_width < 64:
        replace_each(module, _is_index, lambda op: _replace(op, index_width))


def _element(kind: Any) -> Any:
    return kind.element_type if isinstance(kind, IR.VectorType | IR.RankedTensorType) else kind


def _is_index(kind: Any) -> bool:
    return isinstance(_element(kind), IR.IndexType)


def _like(kind: Any, element: Any) -> Any:
    if isinstance(kind, IR.VectorType):
        return IR.VectorType.get(kind.shape, element)
    return IR.RankedTensorType.get(kind.shape, element) if isinstance(kind, IR.RankedTensorType) else element


def _replace(op: Any, index_width: int) -> None:
    if op.name not in _EXTENSIONS:
        return
    value, kind = op.operands[0], op.result.type
    longer = _element(value.type if _is_index(kind) else kind)
    if longer.width <= index_width:
        return
    between = _like(kind, IR.IntegerType.get_signless(index_width, op.context))
    steps = [(op.name, between), (_EXTENSIONS[op.name], kind)]
    if _is_index(kind):
        steps = [("arith.trunci", between), (op.name, kind)]
    for name, to in steps:
        value = IR.Operation.create(name, results=[to], operands=[value]).result
    op.result.replace_all_uses_with(value)
    op.erase()
