"""Decodes the elements of constants that are kept as bytes because they are too many to list."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import Final, Literal

from hecv.base.types import FloatType, IndexType, IntType, ScalarType
from hecv.base.value import Scalar
from hecv.run.evaluation.softfloat import SMALL

_UNSIGNED: Final[dict[int, Literal["B", "H", "I", "Q"]]] = {1: "B", 2: "H", 4: "I", 8: "Q"}


def unpacked(data: bytes, kind: ScalarType) -> Sequence[Scalar]:
    """The elements in order.

    Requires: `data` has each element in as many bytes as its bits need, little-endian, as is this machine.
    """
    match kind:
        case FloatType("f32" | "f64" as name):
            return memoryview(data).cast("f" if name == "f32" else "d")
        case FloatType("f16"):
            return array("f", (value for (value,) in struct.iter_unpack("<e", data)))
        case FloatType("bf16"):  # the upper half of an f32
            wide = bytearray(2 * len(data))
            wide[2::4], wide[3::4] = data[::2], data[1::2]
            return memoryview(bytes(wide)).cast("f")
        case FloatType(name):
            return array("f", map(SMALL[name].values.__getitem__, data))
        case IndexType():
            return memoryview(data).cast("q")
        case IntType(width):
            return _integers(data, width)
        case _:
            raise AssertionError(f"elements of type {kind} have no values")


def _integers(data: bytes, width: int) -> Sequence[Scalar]:
    """Integers as residues; bits beyond the width are ignored."""
    size, mask = (width + 7) // 8, (1 << width) - 1
    if size not in _UNSIGNED:
        return [int.from_bytes(data[k : k + size], "little") & mask for k in range(0, len(data), size)]
    held = memoryview(data).cast(_UNSIGNED[size])
    return held if width == 8 * size else array(_UNSIGNED[size], [value & mask for value in held])
