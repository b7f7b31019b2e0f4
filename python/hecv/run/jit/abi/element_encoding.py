"""Memory encoding of buffer elements, as compiled code stores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hecv.base.types import FloatType, IndexType, IntType, MemRefType, ScalarType, Type
from hecv.base.value import Poison, Scalar
from hecv.run.evaluation.softfloat import SMALL
from hecv.run.jit.abi.jit_outcome import Refused

Array = NDArray[Any]

BF16: Final = FloatType("bf16")


def scalar_of(type: Type) -> ScalarType:
    """The type of the elements."""
    return type.element if isinstance(type, MemRefType) else type


def format_of(type: ScalarType, index_width: int) -> np.dtype[Any]:
    """The memory encoding of one element.

    Raises: Refused.
    """
    match type:
        case IntType(width) if width <= 128:
            size = max(1, 1 << (width - 1).bit_length() >> 3)
            return np.dtype(f"u{size}" if size <= 8 else f"V{size}")
        case IndexType() if index_width in (32, 64):
            return np.dtype(f"i{index_width // 8}")
        case FloatType("bf16"):
            return np.dtype(np.uint16)
        case FloatType(name) if name in SMALL:
            return np.dtype(np.uint8)
        case FloatType("f16" | "f32" | "f64" as name):
            return np.dtype(f"f{int(name[1:]) // 8}")
        case IndexType():
            raise Refused(f"unsupported index width {index_width}")
        case _:
            raise Refused(f"unsupported type {type}")


def struct_of(types: Sequence[ScalarType], index_width: int) -> np.dtype[Any]:
    """The memory layout of several results: in order, each aligned to its size.

    NumPy does not align types that it has no number of that size for.

    Raises: Refused.
    """
    formats = [format_of(t, index_width) for t in types]
    offsets: list[int] = []
    end = 0
    for one in formats:
        offsets.append(end + -end % one.itemsize)
        end = offsets[-1] + one.itemsize
    size = end + -end % max(f.itemsize for f in formats) if formats else 0
    names = [f"f{k}" for k in range(len(formats))]
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def encode(data: Sequence[Scalar], type: ScalarType, index_width: int) -> Array:
    """The elements in memory, aligned to 64 bytes, with a margin around them.

    Raises: Refused for poison, and for a value that the type cannot represent exactly.
    """
    if any(isinstance(value, Poison) for value in data):
        raise Refused("unsupported: poison in an argument")
    try:
        with np.errstate(over="ignore"):
            packed = _packed(data, type, format_of(type, index_width))
    except (OverflowError, ValueError) as error:
        raise Refused(f"an argument is no {type}: {error}") from error
    for value, held in zip(data, decode(packed, type), strict=True):
        if value != held and value == value:
            raise Refused(f"{value!r} is no {type}")
    room = np.zeros(packed.nbytes + 192, np.uint8)
    start = 64 + -room.ctypes.data % 64
    elements = room[start : start + packed.nbytes].view(packed.dtype)
    elements[...] = packed
    return elements


def _packed(data: Sequence[Scalar], type: ScalarType, format: np.dtype[Any]) -> Array:
    """Raises: OverflowError, ValueError."""
    if type == BF16:
        return (np.array(data, np.float32).view(np.uint32) >> 16).astype(format)
    if isinstance(type, FloatType) and type.name in SMALL:
        return np.array([SMALL[type.name].code(float(v)) for v in data if not isinstance(v, Poison)], format)
    if format.kind != "V":
        return np.array(data, format)
    return np.array([int(v).to_bytes(format.itemsize, "little") for v in data if not isinstance(v, Poison)], format)


def decode(elements: Array, type: ScalarType) -> list[Scalar]:
    """The values of the elements; bits beyond the width of an integer are ignored."""
    if type == BF16:
        elements = (elements.astype(np.uint32) << 16).view(np.float32)
    held: list[Any] = elements.tolist()
    if isinstance(type, FloatType) and type.name in SMALL:
        return [SMALL[type.name].values[code] for code in held]
    if not isinstance(type, IntType):
        return held
    mask = (1 << type.width) - 1
    return [(int.from_bytes(v, "little") if isinstance(v, bytes) else v) & mask for v in held]
