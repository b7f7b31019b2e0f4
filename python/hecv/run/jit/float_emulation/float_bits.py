"""Constants of emulated float formats as integers with the same bits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

_NUMBER: Final = re.compile(r"[^\[\],\s]+")


def hold_bits(module: Any, codes: Callable[[str], Callable[[float], int] | None]) -> None:
    """Initialises globals of floats with the bits of their numbers, in place.

    `codes` gives the function from numbers of a type to bits, None for other types.

    Requires: the types are those of integers, too, before the module is verified.
    """
    for op in module.body.operations:
        if op.operation.name != "memref.global" or "initial_value" not in op.attributes:
            continue
        value, kind = op.attributes["initial_value"], op.attributes["type"].value
        code = codes(str(kind.element_type))
        if code is not None and isinstance(value, IR.DenseElementsAttr):
            integer, nowhere = _integer(kind), IR.Location.unknown(kind.context)
            to = IR.RankedTensorType.get(kind.shape, integer, loc=nowhere)
            op.attributes["initial_value"] = as_bits(value, to, code)


def vector_of_bits(kind: Any) -> Any:
    """The vector type of integers with as many bits as the floats."""
    return IR.VectorType.get(kind.shape, _integer(kind))


def as_bits(value: Any, to: Any, code: Callable[[float], int]) -> Any:
    """A list of floats as integers with the same bits; NaN, infinities and long lists are printed as bits."""
    text, width = str(value), to.element_type.width
    numbers = text[len("dense<") : text.rindex("> : ")]

    def bits(found: re.Match[str]) -> str:
        number = found[0]
        made = int(number, 16) if number.startswith("0x") else code(float(number))
        return str(made - (1 << width) if made >> (width - 1) else made)

    made = numbers if numbers.startswith('"') else _NUMBER.sub(bits, numbers)
    return IR.Attribute.parse(f"dense<{made}> : {to}", to.context)


def _integer(kind: Any) -> Any:
    return IR.IntegerType.get_signless(kind.element_type.width, kind.context)
