"""Interval arithmetic over the reals: each float is an interval that contains the real number the program computes.

If such runs of two programs end with disjoint intervals, the programs differ over the reals, however floats are
rounded. Sums, products, quotients and roots of f64 are right to half a unit in the last place, functions of the C
library to a few units; intervals are widened by more. A comparison of overlapping intervals, a division by an interval
that contains 0, or an overflow ends the run without an answer (`LeftOpen`).

An input is exactly its value. A literal is an interval of the numbers that it may stand for
(`hecv.run.exactness.literal_reals`); an infinite one, as masks use it, is beyond all numbers, and `exp(-inf)` is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Final

from hecv.base.term import Term
from hecv.base.types import FloatType, IntType
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import LeftOpen, Pattern
from hecv.run.exactness.literal_reals import number_of

Ends = tuple[float, float]

SLACK: Final = 2.0**-48
"""Relative error of the C library's functions, with a margin: they are right to a few units of 2**-53."""
LEAST: Final = 2.0**-1000
"""Absolute error of these functions near 0."""


class Enclosed(float):
    """A float with the interval that contains the real number."""

    __slots__ = ("ends",)

    ends: Ends


def enclosed(low: float, high: float) -> Enclosed:
    """The interval from `low` to `high`.

    Raises: LeftOpen if it is empty or unbounded.
    """
    if not low <= high or (low != high and (math.isinf(low) or math.isinf(high))):
        raise LeftOpen
    made = Enclosed(low if math.isinf(low) else low + (high - low) / 2)
    made.ends = low, high
    return made


def ends(value: float, name: str) -> Ends:
    """The interval of a value of the format called `name`; a value without one is a literal."""
    return value.ends if isinstance(value, Enclosed) else _of_literal(value, name)


@cache
def _of_literal(value: float, name: str) -> Ends:
    if math.isnan(value):
        raise LeftOpen
    if math.isinf(value):
        return value, value
    low = high = value
    for number in (number_of(value, name), number_of(value, name, computed=True)):
        if not number.exact:
            near = number.near()
            low, high = min(low, near - abs(near) * SLACK), max(high, near + abs(near) * SLACK)
    return low, high


def _down(x: float) -> float:
    return math.nextafter(x, -math.inf)


def _up(x: float) -> float:
    return math.nextafter(x, math.inf)


def _widened(low: float, high: float) -> Enclosed:
    """The result of one rounding."""
    if math.isinf(low) or math.isinf(high):
        raise LeftOpen
    return enclosed(_down(low), _up(high))


def _approximate(low: float, high: float) -> Enclosed:
    """The result of a C library function."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise LeftOpen
    return enclosed(low - abs(low) * SLACK - LEAST, high + abs(high) * SLACK + LEAST)


# Arithmetic


def enclosed_add(left: float, right: float, name: str) -> float:
    """`left + right`."""
    (a, b), (c, d) = ends(left, name), ends(right, name)
    infinite = {x for x in (a, c) if math.isinf(x)}
    if infinite:
        return enclosed(*[infinite.pop()] * 2) if len(infinite) == 1 else left_nothing()
    return _widened(a + c, b + d)


def left_nothing() -> float:
    """Ends a run without an answer."""
    raise LeftOpen


def enclosed_negate(value: float, name: str) -> float:
    """`-value`."""
    low, high = ends(value, name)
    return enclosed(-high, -low)


def enclosed_subtract(left: float, right: float, name: str) -> float:
    """`left - right`."""
    return enclosed_add(left, enclosed_negate(right, name), name)


def enclosed_multiply(left: float, right: float, name: str) -> float:
    """`left * right`."""
    first, second = ends(left, name), ends(right, name)
    products = [x * y for x in first for y in second]
    if any(math.isnan(x) for x in products):
        raise LeftOpen
    return _widened(min(products), max(products))


def enclosed_divide(left: float, right: float, name: str) -> float:
    """`left / right`."""
    first, (c, d) = ends(left, name), ends(right, name)
    if c <= 0 <= d or math.isinf(c) or math.isinf(first[0]):
        raise LeftOpen
    quotients = [x / y for x in first for y in (c, d)]
    return _widened(min(quotients), max(quotients))


def enclosed_fused(left: float, right: float, more: float, name: str) -> float:
    """`left * right + more`."""
    return enclosed_add(enclosed_multiply(left, right, name), more, name)


def enclosed_power(value: float, exponent: float, name: str) -> float:
    """An integer power, or any power of a nonnegative number."""
    known = not isinstance(exponent, Enclosed) or exponent.ends[0] == exponent.ends[1]
    if not known or not abs(exponent) <= 64 or exponent != int(exponent):
        power = exponent if isinstance(exponent, float) else enclosed_whole(exponent)
        return _real_power(ends(value, name), ends(power, name))
    found: float = enclosed(1.0, 1.0)
    for _ in range(abs(int(exponent))):
        found = enclosed_multiply(found, value, name)
    if exponent % 2 == 0 and isinstance(found, Enclosed):
        found = enclosed(max(found.ends[0], 0.0), found.ends[1])
    return enclosed_divide(1.0, found, name) if exponent < 0 else found


def _real_power(base: Ends, exponent: Ends) -> float:
    """A power of a nonnegative number is monotone in base and exponent, so its bounds are at the ends."""
    if base[0] < 0 or (base[0] == 0 and exponent[0] <= 0) or math.isinf(base[0]) or math.isinf(exponent[0]):
        raise LeftOpen
    try:
        found = [math.pow(x, y) for x in base for y in exponent]
    except (ValueError, OverflowError):
        raise LeftOpen from None
    return _not_negative(_approximate(min(found), max(found)))


def _not_negative(value: Enclosed) -> Enclosed:
    return enclosed(max(value.ends[0], 0.0), value.ends[1])


def enclosed_cast(value: float, name: str) -> float:
    """`value`, of the format called `name`, in another."""
    return enclosed(*ends(value, name))


def enclosed_root(value: float, name: str) -> float:
    """The square root."""
    low, high = ends(value, name)
    if low < 0:
        raise LeftOpen
    return _not_negative(_widened(math.sqrt(low), math.sqrt(high)))


def enclosed_root_inverse(value: float, name: str) -> float:
    """`1 / sqrt(value)`."""
    return enclosed_divide(1.0, enclosed_root(value, name), name)


# Functions


def enclosed_monotone(function: Callable[[float], float], value: float, name: str) -> float:
    """A monotonically increasing function of the C library."""
    low, high = ends(value, name)
    try:
        return _approximate(function(low), function(high))
    except (ValueError, OverflowError):
        raise LeftOpen from None


def enclosed_exp(value: float, name: str) -> float:
    """`exp(value)`."""
    if ends(value, name) == (-math.inf, -math.inf):
        return enclosed(0.0, 0.0)
    return enclosed_monotone(math.exp, value, name)


def enclosed_cosh(value: float, name: str) -> float:
    """`cosh(value)`, which grows with the magnitude."""
    return enclosed_monotone(math.cosh, enclosed_magnitude(value, name), name)


def enclosed_smooth(function: Callable[[float], float], value: float, name: str) -> float:
    """A function with a slope of at most 2."""
    low, high = ends(value, name)
    if math.isinf(low):
        raise LeftOpen
    middle, reach = function(low), 2 * (high - low)
    return _approximate(middle - reach, middle + reach)


def enclosed_step(function: Callable[[float], float], value: float, name: str) -> float:
    """A monotonically increasing step function."""
    low, high = ends(value, name)
    if math.isinf(low):
        raise LeftOpen
    return enclosed(float(function(low)), float(function(high)))


def enclosed_magnitude(value: float, name: str) -> float:
    """`|value|`."""
    low, high = ends(value, name)
    return enclosed(0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))


# Order


def enclosed_maximum(left: float, right: float, name: str) -> float:
    """The greater of two."""
    (a, b), (c, d) = ends(left, name), ends(right, name)
    return enclosed(max(a, c), max(b, d))


def enclosed_minimum(left: float, right: float, name: str) -> float:
    """The lesser of two."""
    (a, b), (c, d) = ends(left, name), ends(right, name)
    return enclosed(min(a, c), min(b, d))


def enclosed_compare(predicate: str, left: float, right: float, name: str) -> int:
    """1 if the predicate holds, else 0.

    Raises: LeftOpen if the intervals do not decide it.
    """
    (a, b), (c, d) = ends(left, name), ends(right, name)
    if predicate in ("ord", "true", "uno", "false"):
        return int(predicate in ("ord", "true"))
    if b < c or d < a:
        above, same = d < a, False
    elif a == b == c == d:
        above, same = False, True
    else:
        raise LeftOpen
    below = not above and not same
    known = {"gt": above, "ge": above or same, "lt": below, "le": below or same, "eq": same, "ne": not same}
    return int(known[predicate[1:]])


def enclosed_whole(value: int) -> float:
    """An integer as a number.

    Raises: LeftOpen where it is beyond all floats.
    """
    try:
        near = float(value)
    except OverflowError:
        raise LeftOpen from None
    return enclosed(near, near) if int(near) == value else enclosed(_down(near), _up(near))


ARITHMETIC: Final = {
    "arith.addf": "enclosed_add",
    "arith.subf": "enclosed_subtract",
    "arith.mulf": "enclosed_multiply",
    "arith.divf": "enclosed_divide",
    "arith.negf": "enclosed_negate",
    "math.fma": "enclosed_fused",
    "arith.extf": "enclosed_cast",
    "arith.truncf": "enclosed_cast",
    "arith.convertf": "enclosed_cast",
    "math.sqrt": "enclosed_root",
    "math.rsqrt": "enclosed_root_inverse",
    "math.exp": "enclosed_exp",
    "math.cosh": "enclosed_cosh",
    "math.absf": "enclosed_magnitude",
    "arith.maximumf": "enclosed_maximum",
    "arith.minimumf": "enclosed_minimum",
    "arith.maxnumf": "enclosed_maximum",
    "arith.minnumf": "enclosed_minimum",
    "math.powf": "enclosed_power",
}
MONOTONE: Final = ("log", "log1p", "log2", "log10", "expm1", "exp2", "sinh")
SMOOTH: Final = ("sin", "cos", "tanh", "erf", "erfc", "atan")
STEPS: Final = ("floor", "ceil", "trunc")

NAMES: Final[dict[str, object]] = {
    **{name: globals()[name] for name in (*set(ARITHMETIC.values()), "enclosed_monotone", "enclosed_smooth")},
    "enclosed_step": enclosed_step,
    "enclosed_compare": enclosed_compare,
    "enclosed_whole": enclosed_whole,
    "left_nothing": left_nothing,
    **{f"c_{name}": getattr(math, name) for name in (*MONOTONE, *SMOOTH, *STEPS)},
}
"""What the text of a pattern calls."""


class EnclosingPatterns(Patterns):
    """Templates of ops on intervals."""

    def make(self, term: Term, proper: tuple[bool, ...], literals: bool) -> Pattern:
        """As `Patterns.make`, with float arithmetic on intervals."""
        found = Patterns.make(self, term, proper, literals)
        text = self._text(term)
        if text is None:
            return found
        return Pattern(text, found.poison, found.ub, False, found.wraps, True)

    def _text(self, term: Term) -> str | None:
        """The text of an op with float operands or a float result; None for any other."""
        formats = [a.type.name for a in term.args if isinstance(a.type, FloatType)]
        if not (formats or isinstance(term.type, FloatType)) or term.op in ("arith.select", "scf.select", "ub.poison"):
            return None
        args = ", ".join(f"{{{k}}}" for k in range(len(term.args)))
        if not formats:
            return f"enclosed_whole({found})" if (found := _integer_text(term)) else "left_nothing()"
        name, short = formats[0], term.op.removeprefix("math.")
        if term.op == "math.fpowi":
            found = _signed_text(term, 1)
            return f"enclosed_power({{0}}, {found}, {name!r})" if found else "left_nothing()"
        if term.op in ARITHMETIC:
            return f"{ARITHMETIC[term.op]}({args}, {name!r})"
        if term.op == "arith.cmpf":
            return f"enclosed_compare({str(term.attr('predicate'))!r}, {args}, {name!r})"
        for kind, known in (("monotone", MONOTONE), ("smooth", SMOOTH), ("step", STEPS)):
            if short in known:
                return f"enclosed_{kind}(c_{short}, {args}, {name!r})"
        return "left_nothing()"


def _integer_text(term: Term) -> str | None:
    """The text of the integer operand of a cast."""
    if term.op == "arith.uitofp" and isinstance(term.args[0].type, IntType):
        return "{0}"
    return _signed_text(term, 0) if term.op == "arith.sitofp" else None


def _signed_text(term: Term, number: int) -> str | None:
    """The text of an operand as a signed integer; None if its width is unknown."""
    kind = term.args[number].type
    if not isinstance(kind, IntType):
        return None
    half = 1 << (kind.width - 1)
    return f"({{{number}}} + {half}) % {2 * half} - {half}"
