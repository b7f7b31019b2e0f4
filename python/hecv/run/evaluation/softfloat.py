"""Float functions called by the text of `hecv.run.evaluation.python_expressions`.

A value of any format is an f64 that the format can represent. Narrower formats are computed in f64 and rounded: for `+
- * /` and the square root this equals one rounding, because 53 >= 2 * 24 + 2 (Figueroa, "When is double rounding
innocuous?", SIGNUM 1995). A sum of three operands is not of that kind; rounded to odd first, it is (Boldo and
Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC 2008).
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Callable
from typing import Final

from msgspec import Struct

# A store to this array and a load from it round to f32: the fastest way there is, and inlined in the text.
F32: Final = array("f", [0.0])
_HALF: Final = struct.Struct("<e")


class Format(Struct, frozen=True):
    """A float format: significant bits with the hidden one, the least exponents of a subnormal and of a normal
    number, and the first exponent that is too great. `number` and `encoding` are `struct`'s letters for its size,
    if there are any.

    If not `infinite`, it has NaN in place of infinities; with `spare`, the code with all bits set beyond the greatest
    number is no number; without `minus_zero` there is one zero.
    """

    significant: int
    subnormal: int
    normal: int
    top: int
    number: str = ""
    encoding: str = ""
    infinite: bool = True
    spare: bool = False
    minus_zero: bool = True

    @property
    def greatest(self) -> float:
        """The greatest number."""
        return math.ldexp(2**self.significant - 1 - self.spare, self.top - self.significant)


FORMATS: Final = {
    "f16": Format(11, -24, -14, 16, "<e", "<H"),
    "bf16": Format(8, -133, -126, 128, "<f", "<I"),  # the upper half of an f32
    "f32": Format(24, -149, -126, 128, "<f", "<I"),
    "f64": Format(53, -1074, -1022, 1024, "<d", "<Q"),
    "f8E5M2": Format(3, -16, -14, 16),
    "f8E4M3": Format(4, -9, -6, 8),
    "f8E3M4": Format(5, -6, -2, 4),
    "f8E4M3FN": Format(4, -9, -6, 9, infinite=False, spare=True),
    "f8E5M2FNUZ": Format(3, -17, -15, 16, infinite=False, minus_zero=False),
    "f8E4M3FNUZ": Format(4, -10, -7, 8, infinite=False, minus_zero=False),
    "f8E4M3B11FNUZ": Format(4, -13, -10, 5, infinite=False, minus_zero=False),
}
ONE_ZERO: Final = frozenset(name for name, form in FORMATS.items() if not form.minus_zero)


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
    """The nearest bf16, rounded once from f64; through f32 it would be rounded twice."""
    return round_to(value, "bf16", "to_nearest_even")


def round_to(value: float, name: str, rounding: str) -> float:
    """The value in the format called `name`, which is narrower than f64; `rounding` is one of MLIR's modes."""
    form = FORMATS[name]
    if value == 0:
        return value if form.minus_zero else 0.0
    if not math.isfinite(value):
        return value if form.infinite else math.nan
    _, exponent = math.frexp(value)
    unit = max(exponent - form.significant, form.subnormal)
    if abs(value) < 2.0**form.top:  # the greatest f64, rounded up, is beyond what `ldexp` can answer
        rounded = math.ldexp(to_integral(math.ldexp(value, -unit), rounding), unit)
        if abs(rounded) <= form.greatest:
            return rounded if rounded or form.minus_zero else 0.0
    if rounding in ("downward" if value > 0 else "upward", "toward_zero"):
        return math.copysign(form.greatest, value)
    return math.copysign(math.inf, value) if form.infinite else math.nan


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


def _rounding(name: str) -> Callable[[float], float]:
    return lambda value: round_to(value, name, "to_nearest_even")


ROUND: Final[dict[str, Callable[[float], float]]] = {
    **{name: _rounding(name) for name in FORMATS if name != "f64"},
    "f32": round_f32,
    "f16": round_f16,
}
"""Rounds an f64 to each narrower format."""


def sum_to_odd(left: float, right: float) -> float:
    """An f64 that rounds to f32, f16 and bf16 as the exact sum does: if the sum is inexact, the neighbour whose last
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
    """The nearest f64; infinite beyond the greatest."""
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
    """`left / right` for a zero `right`."""
    if left == 0 or left != left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def fsqrt(value: float) -> float:
    """The square root in f64."""
    return math.sqrt(value) if value >= 0 else math.nan


# Encodings


class Small(Struct, frozen=True):
    """The encoding of an 8-bit format: the value of each code, and the code of the NaN that arithmetic makes."""

    values: tuple[float, ...]
    nan: int

    def code(self, value: float) -> int:
        """The encoding of a value."""
        sign = math.copysign(1.0, value)
        same = (k for k, v in enumerate(self.values) if v == value and math.copysign(1.0, v) == sign)
        return self.nan if value != value else next(same)


def _small(form: Format) -> Small:
    """Codes consist of sign, exponent and fraction; formats with one zero have NaN in place of -0."""
    fraction = form.significant - 1
    bias, ones = 1 - form.normal, (1 << (7 - fraction)) - 1

    def magnitude(code: int) -> float:
        exponent, rest = code >> fraction, code & ((1 << fraction) - 1)
        if form.infinite and exponent == ones:
            return math.nan if rest else math.inf
        if form.spare and code == 0x7F:
            return math.nan
        if exponent == 0:
            return math.ldexp(rest, form.subnormal)
        return math.ldexp((1 << fraction) + rest, exponent - bias - fraction)

    positive = [magnitude(code) for code in range(128)]
    negative = [-v for v in positive]
    if not form.minus_zero:
        negative[0] = math.nan
    quiet = (ones << fraction) | (1 << (fraction - 1))
    return Small((*positive, *negative), quiet if form.infinite else 0x7F if form.spare else 0x80)


SMALL: Final = {name: _small(form) for name, form in FORMATS.items() if name.startswith("f8")}
"""The 8-bit formats, as in LLVM's `APFloat` and `ml_dtypes`."""


def to_bits(value: float, name: str) -> int:
    """The encoding of a float of the format called `name`."""
    if name in SMALL:
        return SMALL[name].code(value)
    form = FORMATS[name]
    (encoded,) = struct.unpack(form.encoding, struct.pack(form.number, value))
    return encoded >> 16 if name == "bf16" else encoded


def from_bits(encoded: int, name: str) -> float:
    """The float that `encoded` is the encoding of."""
    if name in SMALL:
        return SMALL[name].values[encoded]
    form = FORMATS[name]
    whole = encoded << 16 if name == "bf16" else encoded
    (value,) = struct.unpack(form.number, struct.pack(form.encoding, whole))
    return value
