"""The real number that a float literal stands for: the simplest number that rounds to it.

`9.99999974E-6 : f32` is what is left of 1/100000, `0.353553385 : f32` of the square root of 1/8. Over the reals a
program means that number. Which one the writer meant cannot be known, so this is an assumption wherever the number is
not the literal itself. A number is simple if it needs far fewer digits than the format has: few literals are near one
by chance.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from msgspec import Struct

from hecv.run.evaluation.softfloat import FORMATS

ULPS: Final = 2
"""Units in the last place, at most, between a literal and its number: a constant may come from a few roundings."""

FEW: Final = 11
"""Digits, at most, of a format in which one literal in six is within two units of a simple number. There a proof
takes the simple number only if it rounds to the literal, as for a constant computed in a longer format."""

SIMPLE: Final = 0.7
"""The share of a format's digits that a simple number may use: as a decimal, or numerator and denominator together."""

SIMPLE_UNDER_ROOTS: Final = {1: SIMPLE, 2: 0.45}
"""The share for the operand of a square root and of a fourth root: attention scales queries and keys by one each."""

DECIMAL: Final = math.log10(2)
PI: Final = Fraction("3.14159265358979323846264338327950288")
LOGARITHMS: Final = {
    2: Fraction("0.693147180559945309417232121458176568"),
    10: Fraction("2.302585092994045684017991454684364208"),
}
"""Factors that convert exponentials and logarithms to another base, by that base."""


class Number(Struct, frozen=True):
    """`rational * pi ** pi`, under `roots` square roots; or `rational * log(log)`, or `rational / log(-log)` if
    `log` is negative.

    `exact`: the literal is this number.
    """

    rational: Fraction
    roots: int
    exact: bool
    pi: int = 0
    log: int = 0

    def near(self) -> float:
        """A float close to it."""
        value = float(self.rational) * math.pi**self.pi
        for _ in range(self.roots):
            value = math.sqrt(value)
        return value * math.log(abs(self.log)) ** math.copysign(1, self.log) if self.log else value

    def __str__(self) -> str:
        power = {0: "", 1: "*pi", -1: "/pi"}[self.pi]
        if self.log:
            power = f"{'*' if self.log > 0 else '/'}log({abs(self.log)})"
        return "sqrt(" * self.roots + f"{self.rational}{power}" + ")" * self.roots


def number_of(value: float, format_: str, *, computed: bool = False) -> Number:
    """The number that a finite literal stands for. If it may have been `computed` in this format, also one a few
    roundings away.

    A number that the format has would have been written as it is, so no other literal stands for it.

    Example: 0.1 is 1/10 in f32 and in f64; 0.70710678 in f32 is the root of 1/2; 3.4028235e38 and 1.00000012 are
             themselves.
    """
    exact = Fraction(value)
    digits = FORMATS[format_].significant
    if exact.denominator == 1 or _size(exact) <= SIMPLE * digits:
        return Number(exact, 0, True)
    slack = abs(exact) * Fraction(ULPS, 1 << digits)
    if digits <= FEW and not computed:
        slack = min(slack, Fraction(2) ** (math.frexp(value)[1] - digits - 1))
    short = _short_decimal(value, exact, slack, int(SIMPLE * digits * DECIMAL))
    if short is not None and not _is_binary(short):
        return Number(short, 0, False)
    near = simplest(exact - slack, exact + slack)
    if _is_binary(near):
        return Number(exact, 0, True)
    if _size(near) <= SIMPLE * digits:
        return Number(near, 0, False)
    if value > 0:
        for roots, share in SIMPLE_UNDER_ROOTS.items():
            power = simplest((exact - slack) ** (1 << roots), (exact + slack) ** (1 << roots))
            if _size(power) <= share * digits:
                return Number(power, roots, False)
    return _with_pi(exact, slack, digits) or _with_logarithm(exact, slack, digits) or Number(exact, 0, True)


def _with_pi(exact: Fraction, slack: Fraction, digits: int) -> Number | None:
    """A small multiple of pi or 1/pi, or the root of one; None if the literal is none."""
    for root in (0, 1):
        for power in (1, -1):
            low, high = (end**2 if root else end for end in (abs(exact) - slack, abs(exact) + slack))
            near = simplest(low / PI**power, high / PI**power)
            if _size(near) <= SIMPLE / 2 * digits and (exact > 0 or not root):
                return Number(near if exact > 0 else -near, root, False, power)
    return None


def _with_logarithm(exact: Fraction, slack: Fraction, digits: int) -> Number | None:
    """A small multiple of log(2), log(10) or their inverses, in a format of many digits; None if the literal is
    none."""
    for base, of in LOGARITHMS.items() if digits > FEW else ():
        for power in (1, -1):
            near = simplest((abs(exact) - slack) / of**power, (abs(exact) + slack) / of**power)
            if _size(near) <= SIMPLE / 2 * digits:
                return Number(near if exact > 0 else -near, 0, False, log=power * base)
    return None


def _short_decimal(value: float, exact: Fraction, slack: Fraction, most: int) -> Fraction | None:
    """A decimal of at most `most` digits close to the literal; None if there is none."""
    for digits in range(most):
        decimal = Fraction(f"{value:.{digits}e}")
        if abs(decimal - exact) <= slack:
            return decimal
    return None


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator, and among these the least magnitude, in `[low, high]`.

    Requires: `low <= high`.
    """
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-high, -low)
    whole: list[int] = []
    while True:
        floor = math.floor(low)
        if floor == low or floor + 1 <= high:
            whole.append(floor if floor == low else floor + 1)
            break
        whole.append(floor)
        low, high = 1 / (high - floor), 1 / (low - floor)
    found = Fraction(whole.pop())
    while whole:
        found = whole.pop() + 1 / found
    return found


def rooted(value: Fraction) -> tuple[Fraction, tuple[int, ...]]:
    """The root of a positive number: a rational factor, and the primes whose roots remain.

    If a factor cannot be factorised it counts as a prime: it is then only equal to itself.
    """
    left, outside, inside = value.numerator * value.denominator, 1, list[int]()
    divisor = 2
    while divisor * divisor <= left and divisor < 10_000:
        count = 0
        while left % divisor == 0:
            left, count = left // divisor, count + 1
        outside *= divisor ** (count // 2)
        inside += [divisor] * (count % 2)
        divisor += 1
    whole = math.isqrt(left)
    if whole * whole == left:
        outside *= whole
    else:
        inside.append(left)
    return Fraction(outside, value.denominator), tuple(inside)


def _is_binary(value: Fraction) -> bool:
    """Whether a simple number is one of the format."""
    return value.denominator & (value.denominator - 1) == 0


def _size(value: Fraction) -> int:
    return abs(value.numerator).bit_length() + value.denominator.bit_length()
