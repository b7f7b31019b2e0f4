"""Exact runs: float arithmetic that rounds nowhere, in whatever order it is done, so that a difference is not just
rounding.

A computed float is a sum of products of its inputs, and carries three numbers. Each product is a multiple of
`2**grain`; `mass * 2**grain` bounds the sum of their magnitudes; `reach` bounds the exponents of products of any of its
factors. While the mass has no more bits than the format, and the reach is less than its exponents, every part of the
sum, and every product or sum that distribution and factoring make of it, is a number of the format. So no expression
that is equal over the reals rounds. If this cannot be shown, or a value is infinite or NaN, the run ends without an
answer (`LeftOpen`).

Under `reassoc` only sums and products are checked, as all else is done op by op. Over the reals, an op that is not
exact, or that depends on the sign of a zero, ends the run too. Under `strict`, ops are checked whose own flags have an
effect. If an op only leaves the sign of a zero open, the run ends where it meets a zero, or where a sum of open order
is zero.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct

from hecv.base.term import Term
from hecv.base.types import FloatType
from hecv.ops.fastmath_flags import FloatMode, licences_of, licences_used
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import LeftOpen, Pattern
from hecv.run.evaluation.softfloat import FORMATS

SUMS_AND_PRODUCTS: Final = {"arith.addf": "exact_add", "arith.subf": "exact_subtract", "arith.mulf": "exact_multiply"}
REGROUPED: Final = {**SUMS_AND_PRODUCTS, "arith.negf": "exact_negate"}
ARITHMETIC: Final = {
    **REGROUPED,
    "arith.divf": "exact_divide",
    "math.fma": "exact_fused",
    "arith.extf": "exact_cast",
    "arith.truncf": "exact_cast",
    "arith.convertf": "exact_cast",
    "math.sqrt": "exact_root",
}
EXACT: Final = frozenset(
    {f"arith.{op}" for op in ("cmpf", "maximumf", "minimumf", "maxnumf", "minnumf", "fptosi", "fptoui")}
    | {f"math.{op}" for op in ("absf", "ceil", "floor", "trunc", "round", "roundeven", "isfinite", "isinf", "isnan")}
)
"""Ops that never round on finite operands."""

_SUMS: Final = frozenset({"arith.addf", "arith.subf", "math.fma"})

FARTHEST: Final = 4096
"""Difference of exponents, at most, between floats that are compared."""


class Watched(float):
    """A float with its `Parts`."""

    __slots__ = ("parts",)

    parts: Parts


class Parts(Struct, frozen=True):
    """Mass, grain and reach of a float; a zero that is an input has mass 0."""

    mass: int
    grain: int
    reach: int


def watched(value: float, made_of: Parts, name: str) -> Watched:
    """`value` with its parts, in the format called `name`.

    Raises: LeftOpen if some part may be rounded.
    """
    form = FORMATS[name]
    if made_of.mass > 1 << form.significant or made_of.reach + form.significant >= min(form.top, -form.subnormal):
        raise LeftOpen
    made = Watched(value)
    made.parts = made_of
    return made


def parts(value: float) -> Parts:
    """The parts of a value.

    Raises: LeftOpen if it is infinite or NaN.
    """
    if isinstance(value, Watched):
        return value.parts
    if not math.isfinite(value):
        raise LeftOpen
    numerator, denominator = abs(value).as_integer_ratio()
    if not numerator:
        return Parts(0, 0, 0)
    last = (numerator & -numerator).bit_length() - 1
    grain = last + 1 - denominator.bit_length()
    return Parts(numerator >> last, grain, abs(grain))


def exact_add(left: float, right: float, name: str) -> float:
    """`left + right`."""
    one, two = parts(left), parts(right)
    reach = max(one.reach, two.reach)
    if not one.mass or not two.mass:
        only = one if one.mass else two
        return watched(float(left) + float(right), Parts(only.mass, only.grain, reach), name)
    if abs(one.grain - two.grain) > FARTHEST:
        raise LeftOpen
    grain = min(one.grain, two.grain)
    mass = (one.mass << (one.grain - grain)) + (two.mass << (two.grain - grain))
    return watched(float(left) + float(right), Parts(mass, grain, reach), name)


def exact_subtract(left: float, right: float, name: str) -> float:
    """`left - right`."""
    return exact_add(left, exact_negate(right, name), name)


def exact_negate(value: float, name: str) -> float:
    """`-value`."""
    return watched(-float(value), parts(value), name)


def exact_multiply(left: float, right: float, name: str) -> float:
    """`left * right`; a zero counts as 1, since its neighbours in a product may be multiplied first."""
    one, two = parts(left), parts(right)
    mass = max(one.mass, 1) * max(two.mass, 1)
    return watched(float(left) * float(right), Parts(mass, one.grain + two.grain, one.reach + two.reach), name)


def exact_divide(left: float, right: float, name: str) -> float:
    """`left / right` by a power of two."""
    one, two = parts(left), parts(right)
    if two.mass != 1 or abs(right) != 2.0**two.grain:
        raise LeftOpen
    return watched(float(left) / float(right), Parts(one.mass, one.grain - two.grain, one.reach + two.reach), name)


def exact_fused(left: float, right: float, more: float, name: str) -> float:
    """`left * right + more`."""
    return exact_add(exact_multiply(left, right, name), more, name)


def exact_cast(value: float, name: str) -> float:
    """`value` in another format."""
    return watched(float(value), parts(value), name)


def exact_root(value: float, name: str) -> float:
    """The square root of a square."""
    of = parts(float(value))
    if value < 0 or of.grain % 2 or math.isqrt(of.mass) ** 2 != of.mass:
        raise LeftOpen
    return watched(math.sqrt(value), Parts(math.isqrt(of.mass), of.grain // 2, of.reach), name)


def exactly(value: float, *operands: float) -> float:
    """`value`, which is exact if all operands are finite.

    Raises: LeftOpen if something is infinite or NaN.
    """
    if not all(math.isfinite(x) for x in (value, *operands)):
        raise LeftOpen
    return value


def exactly_converted(value: float, *, name: str) -> float:
    """An integer as a float, which is exact if it is small; a rounded one may become the first number that is not.

    Raises: LeftOpen if it may be rounded.
    """
    if abs(value) >= 1 << FORMATS[name].significant:
        raise LeftOpen
    return value


def without_zeros(value: float, *operands: float) -> float:
    """`value`, whose sign is known if neither it nor an operand is a zero; NaN is known whatever the signs of zeros.

    Raises: LeftOpen if there is a zero.
    """
    if value == value and not all((value, *operands)):
        raise LeftOpen
    return value


NAMES: Final[dict[str, object]] = {
    f.__name__: f
    for f in (
        *(exact_add, exact_subtract, exact_negate, exact_multiply, exact_divide, exact_fused, exact_cast, exact_root),
        *(exactly, exactly_converted, without_zeros),
    )
}
"""What the text of a pattern calls."""


class ExactPatterns(Patterns):
    """Templates of ops whose arithmetic is checked as the mode demands; `active` are the licences with an effect."""

    mode: FloatMode = "real"
    active: frozenset[str] = frozenset()

    def make(self, term: Term, proper: tuple[bool, ...], literals: bool) -> Pattern:
        """As `Patterns.make`, with arithmetic that raises `LeftOpen` where it may round."""
        found = Patterns.make(self, term, proper, literals)
        text = self._flagged(term, found) if self.mode == "strict" else self._text(term, found)
        if text is None:
            return found
        return Pattern(text, found.poison, found.ub, False, found.wraps, True)

    def _flagged(self, term: Term, found: Pattern) -> str | None:
        """As `_text`, for an op with flags of its own."""
        used = licences_used(term.op, term.attrs, self.active)
        if used - {"nsz"}:
            text = self._text(term, found)
            # Which zero a sum is depends on its order: `(a - b) - c` and `a - (b + c)` of -0.0, 1.0 and -1.0.
            ordered = "reassoc" not in used or term.op not in _SUMS
            return text if ordered or text is None else f"without_zeros({text})"
        floats = [f"{{{k}}}" for k, a in enumerate(term.args) if isinstance(a.type, FloatType)]
        if not used or not floats:
            return None
        value = f"round_f32({found.value})" if found.f32 else found.value
        return f"without_zeros({', '.join([value, *floats])})" if isinstance(term.type, FloatType) else "left_open()"

    def _text(self, term: Term, found: Pattern) -> str | None:
        """The text of a checked op; None for one that is not checked."""
        floats = [f"{{{k}}}" for k, a in enumerate(term.args) if isinstance(a.type, FloatType)]
        name = term.type.name if isinstance(term.type, FloatType) else ""
        if not (floats or name) or term.op in ("arith.select", "scf.select", "ub.poison"):
            return None
        watch = (REGROUPED if self.mode == "reassoc" else ARITHMETIC).get(term.op)
        approximate = "afn" in licences_of(term.attrs) and term.op not in REGROUPED
        if watch is not None:
            known = name in FORMATS and not approximate
            return f"{watch}({', '.join(floats)}, {name!r})" if known else "left_open()"
        if self.mode == "reassoc":
            return None
        value = f"round_f32({found.value})" if found.f32 else found.value
        if term.op in EXACT and not approximate:
            return f"exactly({', '.join([value, *floats])})"
        if term.op in ("arith.sitofp", "arith.uitofp") and name in FORMATS:
            return f"exactly_converted({value}, name={name!r})"
        return "left_open()"
