"""Float functions that the text of `hecv.execute.python` calls. A value of any format is an f64 that the format holds.

f16, bf16 and f32 are computed in f64 and rounded: for `+ - * /` and the square root that equals one rounding, because
53 >= 2 * 24 + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM 1995). A sum of three operands is not of that
kind; rounded to odd first, it is (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC 2008).
"""

from __future__ import annotations

import math
import struct
from array import array
from dataclasses import dataclass
from typing import Final

# A store to this array and a load from it round to f32: the fastest way there is, and inlined in the text.
F32: Final = array("f", [0.0])
_HALF: Final = struct.Struct("<e")


@dataclass(frozen=True, slots=True)
class Format:
    """An IEEE-754 format: significant bits with the hidden one, the least exponents of a subnormal and of a normal
    number, and the first that is too great. `number` and `encoding` are `struct`'s letters for its size."""

    significant: int
    subnormal: int
    normal: int
    top: int
    number: str
    encoding: str


FORMATS: Final = {
    "f16": Format(11, -24, -14, 16, "<e", "<H"),
    "bf16": Format(8, -133, -126, 128, "<f", "<I"),  # the upper half of an f32
    "f32": Format(24, -149, -126, 128, "<f", "<I"),
    "f64": Format(53, -1074, -1022, 1024, "<d", "<Q"),
}


# Rounding


def round_f32(value: float) -> float:
    """The nearest f32."""
    F32[0] = value
    return F32[0]


def round_f16(value: float) -> float:
    """The nearest f16."""
    try:
        return _HALF.unpack(_HALF.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def round_bf16(value: float) -> float:
    """The nearest bf16, rounded once from f64: through f32 it would be twice."""
    return round_to(value, "bf16", "to_nearest_even")


def round_to(value: float, name: str, rounding: str) -> float:
    """The value in the format called `name`, which is narrower than f64; `rounding` is one of MLIR's modes."""
    if value == 0 or not math.isfinite(value):
        return value
    form = FORMATS[name]
    _, exponent = math.frexp(value)
    unit = max(exponent - form.significant, form.subnormal)
    if abs(value) < 2.0**form.top:  # the greatest f64, rounded up, is beyond what `ldexp` can answer
        rounded = math.ldexp(to_integral(math.ldexp(value, -unit), rounding), unit)
        if abs(rounded) < 2.0**form.top:
            return rounded
    to_zero = "downward" if value > 0 else "upward"
    greatest = math.ldexp(2**form.significant - 1, form.top - form.significant)
    return math.copysign(greatest if rounding in (to_zero, "toward_zero") else math.inf, value)


def to_integral(value: float, rounding: str) -> float:
    """The integer next to `value` by one of MLIR's rounding modes; the sign stays."""
    if not math.isfinite(value):
        return value
    match rounding:
        case "downward":
            whole = math.floor(value)
        case "upward":
            whole = math.ceil(value)
        case "toward_zero":
            whole = math.trunc(value)
        case "to_nearest_even":
            whole = round(value)
        case _:
            below = math.floor(abs(value))
            whole = below + (abs(value) - below >= 0.5)
    return math.copysign(abs(whole), value)


def sum_to_odd(left: float, right: float) -> float:
    """An f64 that rounds to f32, f16 and bf16 as the exact sum does: where the sum is inexact, the neighbour whose last
    bit is odd.

    Requires: both are far from the greatest f64, as products of two f32 are.
    """
    total = left + right
    if not math.isfinite(total):
        return total
    part = total - left
    error = (left - (total - part)) + (right - part)
    if error == 0 or _is_odd(total):
        return total
    return math.nextafter(total, math.copysign(math.inf, error))


def _is_odd(value: float) -> bool:
    fraction, _ = math.frexp(value)
    return bool(int(math.ldexp(fraction, 53)) & 1)


def integer_to_f64(value: int) -> float:
    """The nearest f64, infinite beyond the greatest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def integer_to_odd(value: int) -> float:
    """An f64 that rounds to f32, f16 and bf16 as `value` does: cut to 53 bits, the last one set where bits are lost
    (2**24 + 1 + 2**-40, scaled to an integer, fails with plain `float`)."""
    cut = max(value.bit_length() - 53, 0)
    if cut == 0:
        return float(value)
    if cut > 900:
        return math.inf if value > 0 else -math.inf
    magnitude = abs(value)
    kept = magnitude >> cut
    kept |= magnitude != kept << cut
    return math.ldexp(kept if value > 0 else -kept, cut)


# Arithmetic


def frem(left: float, right: float) -> float:
    """C's fmod without its errors."""
    if right == 0 or left in (math.inf, -math.inf):
        return math.nan
    return math.fmod(left, right)


def fdiv_zero(left: float, right: float) -> float:
    """`left / right` for `right` that is a zero."""
    if left == 0 or left != left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def fsqrt(value: float) -> float:
    """The square root in f64."""
    return math.sqrt(value) if value >= 0 else math.nan


# Encodings


def to_bits(value: float, name: str) -> int:
    """The encoding of a float of the format called `name`."""
    form = FORMATS[name]
    (encoded,) = struct.unpack(form.encoding, struct.pack(form.number, value))
    return encoded >> 16 if name == "bf16" else encoded


def from_bits(encoded: int, name: str) -> float:
    """The float that `encoded` is the encoding of."""
    form = FORMATS[name]
    whole = encoded << 16 if name == "bf16" else encoded
    (value,) = struct.unpack(form.number, struct.pack(form.encoding, whole))
    return value
