"""Intervals over the reals hold the number, and literals the numbers that they stand for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.run.evaluation.softfloat import FORMATS, ROUND
from hecv.run.exactness import real_enclosures
from hecv.run.exactness.literal_reals import number_of, rooted, simplest
from hecv.run.exactness.real_enclosures import Enclosed, enclosed

finite = st.floats(-100, 100, allow_nan=False)


def _holds(found: float, value: Fraction) -> bool:
    assert isinstance(found, Enclosed)
    low, high = found.ends
    return Fraction(low) <= value <= Fraction(high)


@given(finite, finite)
def test_arithmetic_holds_the_exact_result(x: float, y: float) -> None:
    a, b = enclosed(x, x), enclosed(y, y)
    assert _holds(real_enclosures.enclosed_add(a, b, "f32"), Fraction(x) + Fraction(y))
    assert _holds(real_enclosures.enclosed_subtract(a, b, "f32"), Fraction(x) - Fraction(y))
    assert _holds(real_enclosures.enclosed_multiply(a, b, "f32"), Fraction(x) * Fraction(y))
    if abs(y) > 1e-3:
        assert _holds(real_enclosures.enclosed_divide(a, b, "f32"), Fraction(x) / Fraction(y))


@given(finite)
def test_a_root_holds_the_root(x: float) -> None:
    found = real_enclosures.enclosed_root(enclosed(abs(x), abs(x)), "f32")
    assert isinstance(found, Enclosed)
    low, high = (Fraction(end) for end in found.ends)
    assert low**2 <= Fraction(abs(x)) <= high**2


@given(st.just(0.0) | st.floats(1e-90, 100), st.floats(0, 2), st.floats(-3, 3))  # what is smaller may overflow
def test_a_power_holds_the_powers(base: float, width: float, exponent: float) -> None:
    if base == 0 and exponent <= 0:
        return
    found = real_enclosures.enclosed_power(enclosed(base, base + width), enclosed(exponent, exponent), "f64")
    assert isinstance(found, Enclosed)
    for x in (base, base + width / 3, base + width):
        assert found.ends[0] <= math.pow(x, exponent) * (1 + 1e-15)
        assert math.pow(x, exponent) * (1 - 1e-15) <= found.ends[1]


@given(finite, st.floats(0, 3))
def test_cosh_is_least_at_0(low: float, width: float) -> None:
    found = real_enclosures.enclosed_cosh(enclosed(low, low + width), "f64")
    assert isinstance(found, Enclosed)
    for x in (low, low + width / 2, low + width, min(max(0.0, low), low + width)):
        assert found.ends[0] <= math.cosh(x) <= found.ends[1]


def test_what_an_interval_does_not_tell() -> None:
    around = enclosed(-1.0, 1.0)
    for wrong in (
        lambda: real_enclosures.enclosed_divide(1.0, around, "f32"),
        lambda: real_enclosures.enclosed_root(around, "f32"),
        lambda: real_enclosures.enclosed_compare("ogt", around, 0.0, "f32"),
        lambda: real_enclosures.enclosed_exp(enclosed(1e4, 1e4), "f32"),
        lambda: real_enclosures.enclosed_add(math.inf, -math.inf, "f32"),
        lambda: real_enclosures.enclosed_power(enclosed(2.0, 2.0), math.inf, "f32"),
        lambda: real_enclosures.enclosed_power(enclosed(2.0, 2.0), math.nan, "f32"),
        lambda: real_enclosures.enclosed_power(around, enclosed(0.5, 0.5), "f32"),
        lambda: real_enclosures.enclosed_power(enclosed(0.0, 1.0), enclosed(-0.5, -0.5), "f32"),
    ):
        with pytest.raises(LeftOpen):
            wrong()


def test_masks() -> None:
    masked = real_enclosures.enclosed_add(enclosed(3.0, 3.0), -math.inf, "f32")
    assert real_enclosures.enclosed_compare("oeq", masked, -math.inf, "f32") == 1
    found = real_enclosures.enclosed_exp(masked, "f32")
    assert isinstance(found, Enclosed) and found.ends == (0.0, 0.0)


@pytest.mark.parametrize(
    ("value", "format_", "number", "roots"),
    [
        (0.5, "f32", Fraction(1, 2), 0),
        (9.999999747378752e-06, "f32", Fraction(1, 100000), 0),
        (1e-05, "f64", Fraction(1, 100000), 0),
        (0.3333333432674408, "f32", Fraction(1, 3), 0),
        (0.3535533845424652, "f32", Fraction(1, 8), 1),
        (0.7071067811865476, "f64", Fraction(1, 2), 1),
        (0.8408964152537145, "f64", Fraction(1, 2), 2),
        (0.29730176925659, "f32", Fraction(1, 128), 2),
        (3.4028234663852886e38, "f32", Fraction(3.4028234663852886e38), 0),
        (0.10000000894069672, "f32", Fraction(1, 10), 0),
        (0.10009765625, "bf16", Fraction(1, 10), 0),
        (0.1005859375, "bf16", Fraction(0.1005859375), 0),
        (0.0999755859375, "f16", Fraction(1, 10), 0),
        (0.10003662109375, "f16", Fraction(0.10003662109375), 0),
        (0.353515625, "bf16", Fraction(1, 8), 1),
        (0.3515625, "bf16", Fraction(0.3515625), 0),
    ],
)
def test_the_number_of_a_literal(value: float, format_: str, number: Fraction, roots: int) -> None:
    found = number_of(value, format_)
    assert (found.rational, found.roots) == (number, roots)


@pytest.mark.parametrize(
    ("value", "format_", "rational", "log"),
    [
        (0.6931471824645996, "f32", Fraction(1), 2),
        (1.4426950216293335, "f32", Fraction(1), -2),
        (-1.4426950408889634, "f64", Fraction(-1), -2),
        (0.4342944819032518, "f64", Fraction(1), -10),
        (0.3465735912322998, "f32", Fraction(1, 2), 2),
        (0.69315, "f32", Fraction(0.69315), 0),
        (0.693359375, "f16", Fraction(0.693359375), 0),
        (1.4453125, "bf16", Fraction(1.4453125), 0),
    ],
)
def test_a_literal_is_a_logarithm(value: float, format_: str, rational: Fraction, log: int) -> None:
    """In formats of few digits too many are near one."""
    found = number_of(value, format_)
    assert found.log == log and (found.rational == rational or not log)
    assert found.near() == pytest.approx(value, rel=2.0**-8)


def test_a_literal_of_few_digits_may_have_been_computed() -> None:
    """Then a run does not tell it from the number: one over 1.4140625, the root of 2 in bf16, is one unit less."""
    low, high = real_enclosures.ends(0.1005859375, "bf16")
    assert low < 0.1 < high == 0.1005859375
    assert number_of(0.703125, "bf16").exact
    assert not number_of(0.703125, "bf16", computed=True).exact


@pytest.mark.parametrize("format_", ["bf16", "f16"])
def test_few_literals_of_few_digits_stand_for_another_number(format_: str) -> None:
    """A number stands for one literal at most, that to which it is rounded."""
    digits = FORMATS[format_].significant
    binade = [1 + k * 2.0 ** (1 - digits) for k in range(1 << (digits - 1))]
    found = [number_of(value, format_) for value in binade]
    taken = [(value, number) for value, number in zip(binade, found, strict=True) if not number.exact]
    assert len(taken) < len(binade) / 10
    assert all(ROUND[format_](number.near()) == value for value, number in taken)


@given(st.floats(-1e6, 1e6, width=32).filter(bool))
def test_a_literal_is_near_its_number(value: float) -> None:
    found = number_of(value, "f32")
    near = float(found.rational) ** 0.5**found.roots
    assert near == pytest.approx(value, rel=2.0**-22)


def test_simplest_fractions_and_roots() -> None:
    assert simplest(Fraction(31, 100), Fraction(34, 100)) == Fraction(1, 3)
    assert simplest(Fraction(-1, 10), Fraction(1, 5)) == 0
    assert simplest(Fraction(-34, 100), Fraction(-31, 100)) == Fraction(-1, 3)
    assert rooted(Fraction(1, 8)) == (Fraction(1, 4), (2,))
    assert rooted(Fraction(9, 4)) == (Fraction(3, 2), ())


def test_an_integer_beyond_all_floats_is_left_open() -> None:
    """Casts and powers by integers of more than a thousand bits."""
    with pytest.raises(LeftOpen):
        real_enclosures.enclosed_whole(1 << 1100)
    with pytest.raises(LeftOpen):
        real_enclosures.enclosed_power(enclosed(1.5, 1.5), 1 << 1100, "f64")
