"""A walk that replaces the ops of a module one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir


def replace_each(module: Any, concerns: Callable[[Any], bool], replace: Callable[[Any], None]) -> None:
    """Calls `replace` for each op with an operand or result type for which `concerns` holds; the insertion point is
    before the op."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if any(concerns(v.type) for v in (*op.operands, *op.results)):
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        with op.location, IR.InsertionPoint(op):
            replace(op)
