"""The math ops that are defined exactly, against oracles in Python integers and exact fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from hecv.base.term import Attributes
from hecv.base.types import BOOL, INDEX, FloatType, IntType
from hecv.base.value import POISON, Scalar

from .oracles import (
    FORMATS,
    LEAST_EXPONENT,
    OVERFLOW,
    SIGNIFICANT,
    UB,
    agree,
    floats,
    round_fraction,
    rounded,
    signed,
    values,
    wrap,
)

WIDTHS = (1, 2, 3, 4, 8, 16, 32, 64, 128)
OPEN = OVERFLOW
"""A run that is not judged: the value is left open."""


# Integers


def leading(x: int, w: int) -> int:
    return f"{x:0{w}b}".find("1") if x else w


def trailing(x: int, w: int) -> int:
    return w - 1 - f"{x:0{w}b}".rfind("1") if x else w


UNARY: dict[str, Callable[[int, int], int]] = {
    "absi": lambda x, w: wrap(abs(signed(x, w)), w),
    "ctlz": leading,
    "cttz": trailing,
    "ctpop": lambda x, w: f"{x:b}".count("1"),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", UNARY)
def test_integer_unary(op: str, width: int) -> None:
    t = IntType(width)
    agree(f"math.{op}", (t,), t, (), lambda x: wrap(UNARY[op](x, width), width), [(x,) for x in values(width)])


@pytest.mark.parametrize("op", UNARY)
def test_integer_unary_on_index(op: str) -> None:
    def oracle(x: int) -> int:
        return signed(wrap(UNARY[op](wrap(x, 64), 64), 64), 64)

    agree(f"math.{op}", (INDEX,), INDEX, (), oracle, [(signed(x, 64),) for x in values(64)])


def integer_power(base: int, exponent: int, width: int) -> Scalar | str:
    """Over the rationals, rounded to zero."""
    b, e = signed(base, width), signed(exponent, width)
    if e < 0 and b == 0:
        return UB
    if abs(b) <= 1:
        return wrap(b ** (abs(e) % 2 + 2) if e else 1, width)
    return pow(b, e, 1 << width) if e >= 0 else wrap(int(Fraction(b) ** e) if e > -9 else 0, width)


@pytest.mark.parametrize("width", (1, 2, 3, 4, 8, 32, 64))
def test_ipowi(width: int) -> None:
    t = IntType(width)
    pairs = itertools.product(values(width), repeat=2)
    agree("math.ipowi", (t, t), t, (), lambda b, e: integer_power(b, e, width), pairs)


# Floats


def integral(choose: Callable[[Fraction], int]) -> Callable[[float], float]:
    def oracle(x: float) -> float:
        return math.copysign(float(choose(Fraction(x))), x) if math.isfinite(x) else x

    return oracle


HALF = Fraction(1, 2)
ROUNDED: dict[str, Callable[[Fraction], int]] = {
    "ceil": lambda x: -(-x.numerator // x.denominator),
    "floor": lambda x: x.numerator // x.denominator,
    "trunc": int,
    "round": lambda x: int(abs(x) + HALF) * (1 if x > 0 else -1),
    "roundeven": round,
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("op", ROUNDED)
def test_rounding_to_an_integer(op: str, name: str) -> None:
    t = FloatType(name)
    halves = [rounded(s * (k + 0.5), name) for k in (0, 1, 2, 7) for s in (1, -1)]
    near = [s * (0.5 - math.ldexp(1, -SIGNIFICANT[name] - 1)) for s in (1, -1)]
    agree(f"math.{op}", (t,), t, (), integral(ROUNDED[op]), [(x,) for x in (*floats(name), *halves, *near)])


@pytest.mark.parametrize("name", FORMATS)
def test_absf(name: str) -> None:
    t = FloatType(name)
    agree("math.absf", (t,), t, (), lambda x: math.copysign(x, 1.0), [(x,) for x in floats(name)])


@pytest.mark.parametrize("name", FORMATS)
def test_copysign_does_not_know_the_sign_of_nan(name: str) -> None:
    t = FloatType(name)

    def oracle(x: float, y: float) -> Scalar | str:
        return OPEN if y != y and x == x else math.copysign(x, y)

    agree("math.copysign", (t, t), t, (), oracle, itertools.product(floats(name), repeat=2))


def square_root(x: float, name: str) -> float:
    """The integer root of the fraction, scaled until what is lost cannot matter, and then rounded."""
    if not x > 0 or x == math.inf:
        return x if x == 0 or x == math.inf else math.nan
    numerator, denominator = x.as_integer_ratio()
    scale = 2200
    root = math.isqrt((numerator << 2 * scale) // denominator)
    exact = root * root * denominator == numerator << 2 * scale
    return round_fraction(2 * root + (not exact), 2 << scale, name, False)


@pytest.mark.parametrize("name", FORMATS)
def test_sqrt(name: str) -> None:
    t = FloatType(name)
    more = [rounded(x * x, name) for x in (1.0009765625, 1.9990234375, 3.0, 255.0)]
    agree("math.sqrt", (t,), t, (), lambda x: square_root(x, name), [(x,) for x in (*floats(name), *more)])


@pytest.mark.parametrize("name", FORMATS)
def test_rsqrt(name: str) -> None:
    """Both the root and its reciprocal are rounded."""

    def reciprocal(x: float) -> float:
        root = square_root(x, name)
        if not math.isfinite(root) or root == 0:
            return math.copysign(0.0 if root else math.inf, root) if root == root else root
        return round_fraction(*reversed(root.as_integer_ratio()), name, False)

    t = FloatType(name)
    agree("math.rsqrt", (t,), t, (), reciprocal, [(x,) for x in floats(name)])


def fused(a: float, b: float, c: float, name: str) -> float:
    if not all(map(math.isfinite, (a, b, c))):
        product = a * b if not (math.isfinite(a) and math.isfinite(b)) else 1.0
        return product + c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if total == 0:
        product = math.copysign(1.0, a) * math.copysign(1.0, b)
        same_sign = product == math.copysign(1.0, c)
        return math.copysign(0.0, c) if same_sign and Fraction(c) == 0 else 0.0
    return round_fraction(abs(total.numerator), total.denominator, name, total < 0)


@pytest.mark.parametrize("name", FORMATS)
def test_fma_rounds_once(name: str) -> None:
    t = FloatType(name)
    triples = list(itertools.product(floats(name), repeat=3))[::7]
    p, least = SIGNIFICANT[name], LEAST_EXPONENT[name]
    one = 1.0 + math.ldexp(1, 1 - p)
    # The exact sum is a little more, and a little less, than the middle of two neighbours.
    ties = [(one, one, s * math.ldexp(1, p - 1)) for s in (1, -1)]
    ties += [(one, math.ldexp(1, -p), 1.0), (math.ldexp(1.5, least // 2), math.ldexp(1, least // 2), 1.0)]
    ties += [(1.0, math.ldexp(1, -p), 1.0), (math.ldexp(1, -p), 1.0, -1.0)]
    agree("math.fma", (t, t, t), t, (), lambda a, b, c: fused(a, b, c, name), [*triples, *ties])


def clamp(x: float, low: float, high: float) -> Scalar | str:
    if low > high:
        return POISON
    if x != x or low != low or high != high:
        return OPEN
    if len({math.copysign(1.0, v) for v in (x, low, high) if v == 0}) == 2:
        return OPEN
    return max(min(x, high), low)


@pytest.mark.parametrize("name", ("f16", "f64"))
def test_clampf_leaves_open_what_the_reference_does_not_say(name: str) -> None:
    t = FloatType(name)
    triples = list(itertools.product(floats(name), repeat=3))[::5]
    zeros = itertools.product((0.0, -0.0, 1.0), repeat=3)
    agree("math.clampf", (t, t, t), t, (), clamp, [*triples, *zeros])


def is_normal(x: float, name: str) -> bool:
    return math.isfinite(x) and abs(x) >= math.ldexp(1, LEAST_EXPONENT[name] + SIGNIFICANT[name] - 1)


@pytest.mark.parametrize("name", FORMATS)
def test_classes(name: str) -> None:
    t = FloatType(name)
    inputs = [(x,) for x in floats(name)]
    agree("math.isfinite", (t,), BOOL, (), lambda x: int(math.isfinite(x)), inputs)
    agree("math.isinf", (t,), BOOL, (), lambda x: int(math.isinf(x)), inputs)
    agree("math.isnan", (t,), BOOL, (), lambda x: int(math.isnan(x)), inputs)
    agree("math.isnormal", (t,), BOOL, (), lambda x: int(is_normal(x, name)), inputs)


def test_fast_math_makes_poison() -> None:
    t = FloatType("f32")
    nnan: Attributes = (("fastmath", "nnan"),)
    ninf: Attributes = (("fastmath", "ninf"),)
    agree("math.sqrt", (t,), t, nnan, lambda x: POISON if x < 0 else 2.0, [(-1.0,), (4.0,)])
    agree("math.exp", (t,), t, ninf, lambda x: POISON if x > 0 else 1.0, [(1000.0,), (0.0,)])
    agree("math.isnan", (t,), BOOL, nnan, lambda x: POISON if x != x else 0, [(math.nan,), (1.0,)])
