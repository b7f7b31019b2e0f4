"""Rounding, encodings and exact sums that the interpreter's text calls, against exact fractions."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest

from hecv.run.evaluation.softfloat import (
    FORMATS,
    SMALL,
    from_bits,
    round_bf16,
    round_f16,
    round_f32,
    round_to,
    sum_to_odd,
    to_bits,
)

NARROW = {"f16": round_f16, "bf16": round_bf16, "f32": round_f32}


def neighbours(value: Fraction, name: str) -> tuple[float, float]:
    """The numbers of the format next to a positive value, from below and from above."""
    low, high = 0, to_bits(math.inf, name)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(from_bits(middle, name)) <= value else (low, middle)
    return from_bits(low, name), from_bits(high, name)


def nearest(value: Fraction, name: str) -> float:
    """The neighbour that is closer; of two, the one whose encoding is even."""
    below, above = neighbours(value, name)
    bound = Fraction(2) ** FORMATS[name].top if above == math.inf else Fraction(above)
    left, right = value - Fraction(below), bound - value
    if left != right:
        return below if left < right else above
    return below if to_bits(below, name) % 2 == 0 else above


def numbers() -> list[float]:
    chance = random.Random(3)
    found = [math.ldexp(chance.random(), chance.randrange(-160, 130)) for _ in range(60)]
    found += [math.ldexp(2 * k + 1, e) for k in (1024, 128, 129, 1 << 23) for e in (-30, -24, -1, 0)]
    return [*found, 65519.99, 65520.0, 2.0**-25, 2.0**-24 * 1.5, 5e-324, 2.0**-150, 2.0**-149 * 1.5]


@pytest.mark.parametrize("name", NARROW)
def test_rounding_to_nearest(name: str) -> None:
    for x in numbers():
        expected = nearest(Fraction(x), name)
        assert NARROW[name](x) == round_to(x, name, "to_nearest_even") == expected, x
        assert NARROW[name](-x) == -expected


@pytest.mark.parametrize("name", NARROW)
def test_directed_rounding(name: str) -> None:
    for x in numbers():
        below, above = neighbours(Fraction(x), name)
        above = below if below == x else above
        assert round_to(x, name, "downward") == round_to(x, name, "toward_zero") == below
        assert round_to(x, name, "upward") == above
        assert round_to(-x, name, "upward") == round_to(-x, name, "toward_zero") == -below
        assert round_to(-x, name, "downward") == -above


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in SMALL])
def test_encodings_survive_the_way_there_and_back(name: str) -> None:
    size = 16 if name in ("f16", "bf16") else int(name[1:])
    chance = random.Random(5)
    for whole in (0, 1, 1 << (size - 1), *(chance.getrandbits(size) for _ in range(500))):
        value = from_bits(whole, name)
        assert value != value or to_bits(value, name) == whole


@pytest.mark.parametrize("name", NARROW)
def test_a_sum_to_odd_rounds_as_the_exact_sum(name: str) -> None:
    """With a plain sum the first of these goes wrong: the f64 is a tie of the format, the exact sum is not."""
    p = FORMATS[name].significant
    tie = 1 + math.ldexp(1, -p)
    pairs = [(tie, math.ldexp(s, -80)) for s in (1, -1)]
    chance = random.Random(7)
    values = [math.ldexp(1 + chance.getrandbits(p - 1) / 2 ** (p - 1), chance.randrange(-40, 12)) for _ in range(40)]
    pairs += list(itertools.product(values, repeat=2))
    for x, y in pairs:
        assert NARROW[name](sum_to_odd(x, y)) == nearest(Fraction(x) + Fraction(y), name), (x, y)
    assert NARROW[name](tie + math.ldexp(1, -80)) != NARROW[name](sum_to_odd(tie, math.ldexp(1, -80)))
