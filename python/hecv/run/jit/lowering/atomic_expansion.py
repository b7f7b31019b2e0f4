"""Atomic updates as a load, an op and a store: LLVM lacks some of them on floats, and a run is sequential."""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

from hecv.ops.atomic_rmw import UPDATES, kind_in

# The bindings are typed in small part.
IR: Any = ir

_ATOMIC: Final = ("memref.atomic_rmw", "memref.generic_atomic_rmw")


def without_atomics(module: Any) -> None:
    """Replaces the updates in place."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in _ATOMIC:
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        with op.location, IR.InsertionPoint(op):
            _replace(op)


def _replace(op: Any) -> None:
    simple = op.name == _ATOMIC[0]
    place = list(op.operands)[1 if simple else 0 :]
    old = IR.Operation.create("memref.load", results=[op.result.type], operands=place).result
    new = _combined(op, old) if simple else _computed(op, old)
    IR.Operation.create("memref.store", operands=[new, *place])
    op.result.replace_all_uses_with(old)
    op.erase()


def _combined(op: Any, old: Any) -> Any:
    operator = UPDATES.get(kind_in(str(op)))
    if operator is None:
        return op.operands[0]
    return IR.Operation.create(operator, results=[old.type], operands=[old, op.operands[0]]).result


def _computed(op: Any, old: Any) -> Any:
    """The value that the region yields; its ops are moved before `op`."""
    block = op.regions[0].blocks[0]
    block.arguments[0].replace_all_uses_with(old)
    *inner, last = list(block.operations)
    for one in inner:
        one.operation.move_before(op)
    return last.operands[0]
