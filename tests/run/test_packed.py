"""Elements that are bytes, as values."""

from __future__ import annotations

import math
import struct

import pytest

from hecv.base.types import INDEX, FloatType, IntType, ScalarType
from hecv.run.evaluation.packed_elements import unpacked


@pytest.mark.parametrize(
    ("kind", "data", "values"),
    [
        (FloatType("f64"), struct.pack("<2d", 1.5, -0.0), [1.5, -0.0]),
        (FloatType("f32"), struct.pack("<2f", 1.5, math.inf), [1.5, math.inf]),
        (FloatType("f16"), struct.pack("<2e", 1.5, -(2.0**-24)), [1.5, -(2.0**-24)]),
        (FloatType("bf16"), bytes.fromhex("803F0180"), [1.0, -(2.0**-133)]),
        (FloatType("f8E5M2"), bytes.fromhex("3CBC"), [1.0, -1.0]),
        (INDEX, struct.pack("<2q", 5, -5), [5, -5]),
        (IntType(1), b"\x01\x00", [1, 0]),
        (IntType(4), b"\x0d\xfd", [13, 13]),
        (IntType(13), bytes.fromhex("FD1F0500"), [8189, 5]),
        (IntType(16), bytes.fromhex("FDFF0500"), [65533, 5]),
        (IntType(33), bytes.fromhex("FFFFFFFF010500000000"), [(1 << 33) - 1, 5]),
        (IntType(128), bytes([255] * 16), [(1 << 128) - 1]),
    ],
    ids=str,
)
def test_values(kind: ScalarType, data: bytes, values: list[float]) -> None:
    found = list(unpacked(data, kind))
    assert found == values and list(map(str, found)) == list(map(str, values))
