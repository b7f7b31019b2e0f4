"""Memory accessed as a vector, element by element where LLVM's layout differs from MLIR's (gaps, packed bits)."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, Final

from torch_mlir import ir

from hecv.run.jit.abi.jit_outcome import Refused

# The bindings are typed in small part.
IR: Any = ir

CAST: Final = "vector.type_cast"
"""Views a memory of scalars as one vector."""
_WHOLE: Final = frozenset({"i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64"})
"""Element types that LLVM stores without gaps."""
MOST: Final = 1024
"""Elements of a vector, at most."""


def without_gaps(module: Any, text: str) -> None:
    """Replaces accesses to memory that is viewed as a vector, in place.

    LLVM rounds the size of a `vector<5xf32>` up to 8 elements, packs a `vector<8xi1>` into a byte, and assumes that any
    vector is aligned.

    Raises: Refused if memory with another layout is used in another way.
    """
    if CAST not in text:
        return
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == CAST:
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for number, cast in enumerate(found):
        _replace(module, cast, number)


def _is_dense(kind: Any) -> bool:
    lanes = kind.shape[-1] if kind.shape else 1
    return lanes & (lanes - 1) == 0 and str(kind.element_type) in _WHOLE


def _replace(module: Any, cast: Any, number: int) -> None:
    kind, memory = cast.result.type.element_type, cast.operands[0]
    users = [use.owner.operation for use in cast.result.uses]
    plain = all(
        op.name == "memref.load" or (op.name == "memref.store" and op.operands[0] != cast.result) for op in users
    )
    if not plain or cast.result.type.shape or math.prod(kind.shape) > MOST:
        if _is_dense(kind):
            return
        raise Refused(f"unsupported: memory seen as {kind}, which has another layout when it is compiled")
    for name in sorted({op.name for op in users}):
        text = (_load if name == "memref.load" else _store)(f"hecv_lanes{number}", str(memory.type), kind)
        made: Any = IR.Module.parse(text, cast.context)
        with IR.InsertionPoint(module.body):
            made.body.operations[0].operation.clone()
    for op in users:
        _call(op, memory, number)
    cast.erase()


def _call(op: Any, memory: Any, number: int) -> None:
    """Replaces an access by a call of a function that makes it element by element."""
    is_load = op.name == "memref.load"
    name = f"hecv_lanes{number}_{'load' if is_load else 'store'}"
    callee = {"callee": IR.FlatSymbolRefAttr.get(name, op.context)}
    results, operands = ([op.result.type], [memory]) if is_load else ([], [op.operands[0], memory])
    with op.location, IR.InsertionPoint(op):
        call = IR.Operation.create("func.call", results=results, operands=operands, attributes=callee)
    if is_load:
        op.result.replace_all_uses_with(call.result)
    op.erase()


def _load(name: str, memory: str, kind: Any) -> str:
    element, lines, whole = kind.element_type, _constants(kind), "%z"
    for number, (at, places) in enumerate(_elements(kind)):
        lines.append(f"%e{number} = memref.load %m[{places}] : {memory}")
        lines.append(f"%w{number} = vector.insert %e{number}, {whole} [{at}] : {element} into {kind}")
        whole = f"%w{number}"
    body = "\n  ".join([f"%z = ub.poison : {kind}", *lines, f"return {whole} : {kind}"])
    return f"func.func private @{name}_load(%m: {memory}) -> {kind} {{\n  {body}\n}}"


def _store(name: str, memory: str, kind: Any) -> str:
    element, lines = kind.element_type, _constants(kind)
    for number, (at, places) in enumerate(_elements(kind)):
        lines.append(f"%e{number} = vector.extract %v[{at}] : {element} from {kind}")
        lines.append(f"memref.store %e{number}, %m[{places}] : {memory}")
    body = "\n  ".join([*lines, "return"])
    return f"func.func private @{name}_store(%v: {kind}, %m: {memory}) {{\n  {body}\n}}"


def _constants(kind: Any) -> list[str]:
    return [f"%c{k} = arith.constant {k} : index" for k in range(max(kind.shape, default=0))]


def _elements(kind: Any) -> list[tuple[str, str]]:
    """The index of each element of a vector, as numbers and as values."""
    places = product(*(range(n) for n in kind.shape))
    return [(", ".join(map(str, at)), ", ".join(f"%c{k}" for k in at)) for at in places]
