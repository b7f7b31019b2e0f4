"""`vector.extract` and `vector.insert` at dynamic positions of vectors of several dimensions, as calls that branch.

The called function chooses among all literal positions: MLIR lowers dynamic positions of one dimension only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

NAMES: Final = ("vector.extract", "vector.insert")
COMPUTED: Final = -(1 << 63)
"""MLIR's marker of a dynamic position."""

MOST: Final = 1024
"""Literal positions to choose among, at most."""


def without_positions(module: Any, text: str) -> None:
    """Replaces such ops in place by calls of functions of their own."""
    if not any(name in text for name in NAMES):
        return
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in NAMES and _is_computed(op):
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for number, op in enumerate(found):
        _replace(module, op, f"hecv_position{number}")


def _vector(op: Any) -> Any:
    """The type of the vector that a position is of."""
    return op.operands[0 if op.name == "vector.extract" else 1].type


def _is_computed(op: Any) -> bool:
    position, shape = list(IR.DenseI64ArrayAttr(op.attributes["static_position"])), _vector(op).shape
    choices = 1
    for place, extent in zip(position, shape, strict=False):
        choices *= extent if place == COMPUTED else 1
    return COMPUTED in position and len(shape) > 1 and choices <= MOST


def _replace(module: Any, op: Any, name: str) -> None:
    made: Any = IR.Module.parse(_function(op, name), op.context)
    with IR.InsertionPoint(module.body):
        made.body.operations[0].operation.clone()
    callee = {"callee": IR.FlatSymbolRefAttr.get(name, op.context)}
    with op.location, IR.InsertionPoint(op):
        results, operands = [op.result.type], list(op.operands)
        call = IR.Operation.create("func.call", results=results, operands=operands, attributes=callee)
    op.result.replace_all_uses_with(call.result)
    op.erase()


def _function(op: Any, name: str) -> str:
    values = [f"%v{k}" for k in range(len(op.operands))]
    arguments = ", ".join(f"{v}: {o.type}" for v, o in zip(values, op.operands, strict=True))
    kind, lines = op.result.type, [f"%w0 = ub.poison : {op.result.type}"]
    for number, (at, chosen) in enumerate(_places(op)):
        taken = f"vector.extract %v0[{at}] : {kind} from {_vector(op)}"
        if op.name == "vector.insert":
            taken = f"vector.insert %v0, %v1 [{at}] : {op.operands[0].type} into {kind}"
        lines.append(f"%t{number} = {taken}")
        lines.append(f"%y{number}_0 = arith.constant true")
        for k, (value, place) in enumerate(chosen):
            lines.append(f"%c{number}_{k} = arith.constant {place} : index")
            lines.append(f"%e{number}_{k} = arith.cmpi eq, %v{value}, %c{number}_{k} : index")
            lines.append(f"%y{number}_{k + 1} = arith.andi %y{number}_{k}, %e{number}_{k} : i1")
        lines.append(f"%w{number + 1} = arith.select %y{number}_{len(chosen)}, %t{number}, %w{number} : {kind}")
    last = sum(line.startswith("%t") for line in lines)
    body = "\n  ".join([*lines, f"return %w{last} : {kind}"])
    return f"func.func private @{name}({arguments}) -> {kind} {{\n  {body}\n}}"


def _places(op: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each literal position, with the operand values that select it: (operand number, value)."""
    position = list(IR.DenseI64ArrayAttr(op.attributes["static_position"]))
    first = 1 if op.name == "vector.extract" else 2
    computed = [k for k, place in enumerate(position) if place == COMPUTED]
    for values in product(*(range(_vector(op).shape[k]) for k in computed)):
        at = list(position)
        for k, value in zip(computed, values, strict=True):
            at[k] = value
        yield ", ".join(map(str, at)), [(first + n, value) for n, value in enumerate(values)]
