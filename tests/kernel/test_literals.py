"""Which literals a certificate may have."""

from __future__ import annotations

import math

import pytest

from hecv.base.term import TermPool
from hecv.base.types import FloatType
from hecv.kernel.terms.valid_literals import is_literal

POOL = TermPool()


@pytest.mark.parametrize("name", ["f64", "f32", "f16", "bf16", "f8E5M2"])
@pytest.mark.parametrize("value", [-3.0, 0.5, 0.0, -0.0, math.inf, math.nan])
def test_floats_that_a_type_has(name: str, value: float) -> None:
    assert is_literal(POOL.real(value, FloatType(name)), 64)


@pytest.mark.parametrize(("name", "value"), [("f32", 0.1), ("f16", 1e6), ("bf16", 1 + 2**-9), ("f8E4M3FN", math.inf)])
def test_floats_that_a_type_lacks(name: str, value: float) -> None:
    assert not is_literal(POOL.real(value, FloatType(name)), 64)


def test_a_float_is_written_in_one_way() -> None:
    kind = FloatType("f64")
    for text in ("0.5", "0x1p-1", "nan ", "x"):
        assert not is_literal(POOL.make("const", (), kind, (("value", text),)), 64)
