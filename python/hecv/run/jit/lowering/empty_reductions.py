"""Reductions of a vector over no dimension, as the op of each element and its accumulator.

MLIR takes such a `vector.multi_reduction` for its source, and drops the accumulator.
"""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_INTEGERS: Final = {
    "add": "arith.addi",
    "mul": "arith.muli",
    "and": "arith.andi",
    "or": "arith.ori",
    "xor": "arith.xori",
    **{f"{kind}{sign}": f"arith.{kind}{sign}" for kind in ("min", "max") for sign in ("si", "ui")},
}
_FLOATS: Final = {
    "add": "arith.addf",
    "mul": "arith.mulf",
    **{f"{kind}f": f"arith.{kind}f" for kind in ("minnum", "maxnum", "minimum", "maximum")},
}
"""The op of each kind of reduction."""


def without_empty_reductions(module: Any, text: str) -> None:
    """Replaces the reductions in place; `text` is what the module was parsed from.

    Example: `vector.multi_reduction <add>, %v, %a [] : vector<4xi32> to vector<4xi32>` becomes `arith.addi %v, %a`.
    """
    if "vector.multi_reduction" not in text:
        return
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "vector.multi_reduction" and not list(IR.DenseI64ArrayAttr(op.attributes["reduction_dims"])):
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        _replace(op)


def _replace(op: Any) -> None:
    """Replaces a reduction, and a `vector.mask` around it: where that is false, the accumulator stays."""
    source, accumulator = op.operands
    kind = str(op.attributes["kind"]).removeprefix("#vector.kind<").removesuffix(">")
    vector = source.type
    element = vector.element_type if isinstance(vector, IR.VectorType) else vector
    integers = isinstance(element, IR.IntegerType | IR.IndexType)
    name = (_INTEGERS if integers else _FLOATS)[kind]
    attributes = {} if integers or "fastmath" not in op.attributes else {"fastmath": op.attributes["fastmath"]}
    around = op.parent.operation if hasattr(op.parent, "operation") else op.parent
    masked = around.name == "vector.mask"
    place = around if masked else op
    with op.location, IR.InsertionPoint(place):
        made = IR.Operation.create(name, results=[vector], operands=[source, accumulator], attributes=attributes).result
        if masked:
            operands = [around.operands[0], made, accumulator]
            made = IR.Operation.create("arith.select", results=[vector], operands=operands).result
    place.results[0].replace_all_uses_with(made)
    if masked:
        around.erase()
    else:
        op.erase()
