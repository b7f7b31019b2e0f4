"""Intervals of what fast-math flags allow hold every order of a sum or product, rounded op by op."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from random import Random

import pytest

from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.run.evaluation.softfloat import round_to
from hecv.run.exactness.fast_math_intervals import combined, loosened
from hecv.run.exactness.real_enclosures import (
    enclosed,
    enclosed_add,
    enclosed_cast,
    enclosed_divide,
    enclosed_multiply,
    enclosed_root_inverse,
    ends,
)

F32 = ("f32", "f32")

Enclosing = Callable[[float, float, str], float]


def rounded(value: float) -> float:
    return round_to(value, "f32", "to_nearest_even")


def whole(op: str, enclosing: Enclosing, values: list[float]) -> tuple[float, float]:
    total = enclosed(values[0], values[0])
    for value in values[1:]:
        total = combined(enclosing, op, (total, enclosed(value, value)), F32, False)
    return ends(total, "f32")


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_a_sum_is_held(seed: int) -> None:
    """Also where it cancels: what is lost is of the size of its parts."""
    random = Random(seed)
    values = [rounded(random.uniform(-1, 1) * 10 ** random.randrange(-3, 6)) for _ in range(3)]
    values += [rounded(-sum(values)), rounded(random.uniform(-1, 1))]
    low, high = whole("arith.addf", enclosed_add, values)
    for order in permutations(values):
        total = order[0]
        for value in order[1:]:
            total = rounded(total + value)
        assert low <= total <= high


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_a_product_is_held(seed: int) -> None:
    random = Random(seed)
    values = [rounded(random.uniform(-8, 8)) for _ in range(5)]
    low, high = whole("arith.mulf", enclosed_multiply, values)
    for order in permutations(values):
        total = order[0]
        for value in order[1:]:
            total = rounded(total * value)
        assert low <= total <= high
    assert high - low < 1e-4 * abs(math.prod(values))


def test_an_order_that_overflows_or_underflows_is_left_open() -> None:
    for values in ([1e30, 1e-30, 1e30, 1e-30], [1e-30, 1e-30, 1e30, 1e30]):
        with pytest.raises(LeftOpen):
            whole("arith.mulf", enclosed_multiply, [*map(rounded, values)])


def test_a_product_of_sums_that_cancel_may_be_multiplied_out() -> None:
    """`(a - b) * (a + b)` of near numbers as `a * a - b * b`."""
    a, b = rounded(1000.1), rounded(1000.0)
    one, other = enclosed(a, a), enclosed(-b, -b)
    difference = combined(enclosed_add, "arith.addf", (one, other), F32, False)
    square = combined(enclosed_multiply, "arith.mulf", (difference, difference), F32, False)
    low, high = ends(square, "f32")
    out = rounded(rounded(rounded(a * a) - rounded(2 * rounded(a * b))) + rounded(b * b))
    assert low <= out <= high


@pytest.mark.parametrize("seed", range(20))
def test_a_sum_that_is_widened_has_the_errors_of_its_own_format(seed: int) -> None:
    random = Random(seed)
    a, b, c = (round_to(random.uniform(0.1, 1), "f16", "to_nearest_even") for _ in range(3))
    total = enclosed(a, a)
    for value in (b, c):
        total = combined(enclosed_add, "arith.addf", (total, enclosed(value, value)), ("f16", "f16"), False)
    low, high = ends(combined(enclosed_cast, "arith.extf", (total,), ("f16", "f32"), False), "f32")
    for x, y, z in permutations((a, b, c)):
        first = round_to(x + y, "f16", "to_nearest_even")
        assert low <= round_to(first + z, "f16", "to_nearest_even") <= high


def test_a_divisor_that_may_be_zero_is_left_open() -> None:
    one, near = enclosed(1.0, 1.0), enclosed(-(2.0**-30), 2.0**-30)
    with pytest.raises(LeftOpen):
        combined(enclosed_divide, "arith.divf", (one, near), F32, False)


def test_what_is_approximated_is_held() -> None:
    low, high = ends(loosened(enclosed(7.389, 7.3891), "f32", True), "f32")
    assert low < 7.38 and 7.4 < high < 7.5


@pytest.mark.parametrize(
    ("op", "enclosing", "count"), [("arith.divf", enclosed_divide, 2), ("math.rsqrt", enclosed_root_inverse, 1)]
)
def test_a_divisor_whose_powers_are_too_large_is_left_open(
    op: str, enclosing: Callable[..., float], count: int
) -> None:
    large = enclosed(1.7e308, 1.7e308)
    with pytest.raises(LeftOpen):
        combined(enclosing, op, (large,) * count, ("f64", "f64"), False)
