"""Unrolls vector ops to ops on their elements, for element types that compiled code lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from numpy import ndindex
from torch_mlir import ir

from hecv.run.jit.abi.jit_outcome import Refused

# The bindings are typed in small part.
IR: Any = ir

_KIND: Final = re.compile(r"#vector\.kind<(\w+)>")
_COMBINE: Final = {"add": "addf", "mul": "mulf"} | {k: k for k in ("minimumf", "maximumf", "minnumf", "maxnumf")}


def elementwise(op: Any, scalar: Callable[[Any], None]) -> None:
    """Replaces an op on vectors of one shape by ops on elements; `scalar` may replace each of them."""
    results = list(op.results)
    shape = next(v.type.shape for v in (*results, *op.operands) if isinstance(v.type, IR.VectorType))
    made = [IR.Operation.create("ub.poison", results=[r.type]).result for r in results]
    attributes = {name: op.attributes[name] for name in op.attributes}
    for at in ndindex(*shape):
        operands = [extracted(v, at) for v in op.operands]
        kinds = [r.type.element_type for r in results]
        one = IR.Operation.create(op.name, results=kinds, operands=operands, attributes=attributes)
        made = [inserted(value, into, at) for value, into in zip(one.results, made, strict=True)]
        scalar(one)
    for old, new in zip(results, made, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def reduction(op: Any, scalar: Callable[[Any], None]) -> None:
    """Replaces a float `vector.reduction` by combinations in order; `scalar` is called on each.

    Raises: Refused.
    """
    matched = _KIND.fullmatch(str(op.attributes["kind"]))
    name = _COMBINE.get(matched[1]) if matched else None
    if name is None:
        raise Refused(f"unsupported: {op.attributes['kind']} of small floats")
    vector, *first = op.operands
    places = list(ndindex(*vector.type.shape))
    total = first[0] if first else extracted(vector, places.pop(0))
    steps: list[Any] = []
    for at in places:
        operands = [total, extracted(vector, at)]
        steps.append(IR.Operation.create(f"arith.{name}", results=[total.type], operands=operands))
        total = steps[-1].result
    op.result.replace_all_uses_with(total)
    op.erase()
    for step in steps:
        with IR.InsertionPoint(step):
            scalar(step)


def extracted(value: Any, at: Sequence[int]) -> Any:
    """An element of a vector; a scalar is its own element."""
    if not isinstance(value.type, IR.VectorType):
        return value
    attributes = {"static_position": IR.DenseI64ArrayAttr.get(list(at), value.type.context)}
    kind = value.type.element_type
    return IR.Operation.create("vector.extract", results=[kind], operands=[value], attributes=attributes).result


def inserted(value: Any, into: Any, at: Sequence[int]) -> Any:
    """A vector with one element replaced."""
    attributes = {"static_position": IR.DenseI64ArrayAttr.get(list(at), into.type.context)}
    return IR.Operation.create(
        "vector.insert", results=[into.type], operands=[value, into], attributes=attributes
    ).result
