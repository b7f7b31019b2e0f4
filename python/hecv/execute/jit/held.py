"""What globals begin with, as bits: floats that are no types of LLVM are compiled as integers of as many bits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_NUMBER: Final = re.compile(r"[^\[\],\s]+")


def hold_bits(module: Any, codes: Callable[[str], Callable[[float], int] | None]) -> None:
    """Lets globals of floats begin with the bits of their numbers, in place; `codes` has what makes bits of a number of
    a type, None for other types.

    Requires: the types are those of integers, too, before the module is verified.
    """
    for op in module.body.operations:
        if op.operation.name != "memref.global" or "initial_value" not in op.attributes:
            continue
        value, kind = op.attributes["initial_value"], op.attributes["type"].value
        code = codes(str(kind.element_type))
        if code is not None and isinstance(value, IR.DenseElementsAttr):
            op.attributes["initial_value"] = _as_bits(value, kind, code)


def _as_bits(value: Any, kind: Any, code: Callable[[float], int]) -> Any:
    """A list of floats as one of integers; one that is printed as its bytes is what it is."""
    text, width, context = str(value), kind.element_type.width, kind.context
    numbers = text[len("dense<") : text.rindex("> : ")]
    if numbers.startswith('"'):
        return value

    def bits(found: re.Match[str]) -> str:
        number = found[0]
        made = int(number, 16) if number.startswith("0x") else code(float(number))
        return str(made - (1 << width) if made >> (width - 1) else made)

    integer, nowhere = IR.IntegerType.get_signless(width, context), IR.Location.unknown(context)
    shape = IR.RankedTensorType.get(kind.shape, integer, loc=nowhere)
    return IR.Attribute.parse(f"dense<{_NUMBER.sub(bits, numbers)}> : {shape}", context)
