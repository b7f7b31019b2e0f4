"""Sums and products of float literals that are exact, and so have one value in every order of computation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct


class Format(Struct, frozen=True):
    """An IEEE 754 format: significant bits, the least exponent of a subnormal number, and the first exponent that is
    too large."""

    significant: int
    least: int
    top: int


FORMATS: Final = {
    "f16": Format(11, -24, 16),
    "bf16": Format(8, -133, 128),
    "f32": Format(24, -149, 128),
    "f64": Format(53, -1074, 1024),
}


def has_numbers(format_: str, other: str) -> bool:
    """Whether every number of the `other` format is one of `format_`."""
    own, theirs = FORMATS.get(format_), FORMATS.get(other)
    if own is None or theirs is None:
        return format_ == other
    return own.significant >= theirs.significant and own.least <= theirs.least and own.top >= theirs.top


def grain(value: float) -> int:
    """The exponent of the lowest bit that is set.

    Requires: `value` is finite and not 0.
    """
    denominator = value.as_integer_ratio()[1]
    numerator = abs(value.as_integer_ratio()[0])
    return (numerator & -numerator).bit_length() - denominator.bit_length()


def exact_sum(values: Sequence[float], format_: str) -> float | None:
    """The sum, if every partial sum in every order is a number of the format; otherwise None."""
    known = FORMATS.get(format_)
    if known is None or not all(map(math.isfinite, values)) or 0 in values:
        return None
    least = min(map(grain, values))
    mass = sum(Fraction(abs(v)) for v in values)
    if least < known.least or mass > Fraction(2) ** min(least + known.significant, known.top - 1):
        return None
    return float(sum(map(Fraction, values)))


def exact_product(values: Sequence[float], format_: str) -> float | None:
    """The product, if every partial product is a number of the format; otherwise None."""
    known = FORMATS.get(format_)
    if known is None or not all(map(math.isfinite, values)) or 0 in values:
        return None
    odd = math.prod(abs(Fraction(v)) / Fraction(2) ** grain(v) for v in values)
    reach = sum(abs(grain(v)) for v in values) + known.significant
    if odd > 2**known.significant or reach >= min(known.top, -known.least):
        return None
    return float(math.prod(map(Fraction, values)))


def as_float(value: Fraction, format_: str) -> float | None:
    """A rational number as a float of the format; None if it is not one."""
    known = FORMATS.get(format_)
    if known is None:
        return None
    if value == 0:
        return 0.0
    if value.denominator & (value.denominator - 1):
        return None
    numerator = abs(value.numerator)
    last = (numerator & -numerator).bit_length() - value.denominator.bit_length()
    odd = numerator >> max((numerator & -numerator).bit_length() - 1, 0)
    if odd >= 1 << known.significant or last < known.least or last + odd.bit_length() > known.top:
        return None
    return float(value)
