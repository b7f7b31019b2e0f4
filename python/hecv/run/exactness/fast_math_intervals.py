"""Interval arithmetic under fast-math flags: each float is an interval of all values that the flags allow.

What flags license is equal over the reals, but each op rounds, and literals are folded: `(x * a) * b` may be `x * c`,
where `c` is the rounded product. A value is made of parts, products of inputs and literals; its *mass* is the sum of
their magnitudes. In whatever order they are combined, the usual error bound for a sum of products is as many units of
the coarsest format in the mass as there are ops. So the interval over the reals, the *core*
(`hecv.run.exactness.real_enclosures`), is widened by that. Its *reach* bounds the exponents of all products of its
factors: if some order may overflow, or leave the normal numbers, the run ends without an answer.

What `afn` allows is unknown: a function is assumed to be right to `APPROXIMATE`.

Cites: N. Higham, Accuracy and Stability of Numerical Algorithms, 4.2 and 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from hecv.base.term import Term
from hecv.base.types import FloatType
from hecv.ops.fastmath_flags import licences_of
from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.run.evaluation.softfloat import FORMATS
from hecv.run.exactness.real_enclosures import ARITHMETIC, Enclosed, EnclosingPatterns, Ends, enclosed, ends

ROUNDINGS: Final = 4
"""Units of error for each op: regrouping may need other ops than those of the source."""

APPROXIMATE: Final = 2.0**-8

MOST_OPS: Final = 1 << 40

EXACT: Final = (0.0, 0.0)
"""The error units of an unrounded value."""

REGROUPED: Final = frozenset({"arith.addf", "arith.subf", "arith.mulf", "arith.negf", "math.fma"})
"""Ops that may be regrouped but not approximated."""

COMBINED: Final = REGROUPED | {
    *(f"arith.{op}" for op in ("divf", "extf", "truncf", "convertf")),
    *(f"math.{op}" for op in ("absf", "sqrt", "rsqrt")),
}
"""Ops whose effect on operand errors is known."""


class Loose(Enclosed):
    """An interval of all results that some order may give, around the `core` over the reals, with its mass and reach.

    `units` are the relative and the absolute error of one op, in the coarsest format that was rounded to.
    """

    __slots__ = ("core", "mass", "ops", "reach", "units")

    core: Ends
    mass: float
    ops: int
    reach: int
    units: Ends


def combined(
    function: Callable[..., float], op: str, operands: tuple[float, ...], formats: tuple[str, str], approximate: bool
) -> Loose:
    """What `op` computes in any way that its flags allow; `function` computes it over the reals.

    `formats` are those of the operands and of the value.

    Raises: LeftOpen if another order may overflow, or leave the normal numbers.
    """
    parts = [_loose(x, formats[0]) for x in operands]
    core = ends(function(*[enclosed(*p.core) for p in parts], formats[0]), formats[1])
    try:
        mass, reach = _made(op, parts, core)
    except OverflowError:  # of a power, where a product would be infinite
        raise LeftOpen from None
    coarsest = max(p.units[0] for p in parts), max(p.units[1] for p in parts)
    return _interval(core, (mass, reach, 1 + sum(p.ops for p in parts)), coarsest, formats[1], approximate)


def loosened(value: float, format_: str, approximate: bool) -> Loose:
    """The result of any other op: its `value` on all possible operands."""
    found = ends(value, format_)
    return _interval(found, (0.0, _exponents(found), 1), EXACT, format_, approximate)


def _interval(core: Ends, made: tuple[float, int, int], units: Ends, format_: str, approximate: bool) -> Loose:
    form, size = FORMATS.get(format_), max(map(abs, core))
    mass, reach, ops = max(made[0], size), made[1], min(MOST_OPS, made[2])
    if form is None or reach + ops.bit_length() + ROUNDINGS >= min(form.top, -form.normal):
        raise LeftOpen
    core = core[0] - size * approximate * APPROXIMATE, core[1] + size * approximate * APPROXIMATE
    units = max(units[0], 2.0**-form.significant), max(units[1], 2.0**form.subnormal)
    pad = ROUNDINGS * ops * (mass * units[0] + units[1])
    low, high = core[0] - pad, core[1] + pad
    if not (math.isfinite(mass) and math.isfinite(low) and math.isfinite(high)):
        raise LeftOpen
    return _filled((low, high), core, (mass, reach, ops), units)


def _filled(found: Ends, core: Ends, made: tuple[float, int, int], units: Ends) -> Loose:
    value = Loose(found[0] + (found[1] - found[0]) / 2)
    value.ends, value.core = found, core
    value.mass, value.reach, value.ops = made
    value.units = units
    return value


def _loose(value: float, name: str) -> Loose:
    """An operand; one that was not computed is an input or literal."""
    if isinstance(value, Loose):
        return value
    found = ends(value, name)
    if not all(map(math.isfinite, found)):
        raise LeftOpen
    return _filled(found, found, (max(map(abs, found)), _exponents(found), 0), EXACT)


def _exponents(found: Ends) -> int:
    """The largest distance of an interval's exponents from 0. For an interval that contains 0 it is unknown; what is
    lost there is less than what is allowed."""
    return 0 if found[0] < 0 < found[1] else max(abs(math.frexp(x)[1]) for x in found)


def _made(op: str, parts: list[Loose], value: Ends) -> tuple[float, int]:
    """The mass and reach of an op's result."""
    match op, parts:
        case "arith.addf" | "arith.subf", [a, b]:
            return a.mass + b.mass, max(a.reach, b.reach, _exponents(value))
        case "arith.mulf", [a, b]:
            return a.mass * b.mass, a.reach + b.reach
        case "math.fma", [a, b, c]:
            return a.mass * b.mass + c.mass, max(a.reach + b.reach, c.reach, _exponents(value))
        case "arith.divf", [a, b]:
            return a.mass * b.mass / _least(b) ** 2, a.reach + b.reach
        case "math.sqrt", [a]:
            return a.mass / math.sqrt(_least(a)), a.reach
        case "math.rsqrt", [a]:
            return a.mass / _least(a) ** 1.5, 2 * a.reach
        case "arith.negf" | "math.absf" | "arith.extf" | "arith.truncf" | "arith.convertf", [a]:
            return a.mass, a.reach
        case _:
            return 0.0, _exponents(value)


def _least(part: Loose) -> float:
    """The least magnitude of a divisor, or of the operand of a root.

    Raises: LeftOpen if that is nearly 0.
    """
    low, high = part.ends
    found = min(abs(low), abs(high))
    if low <= 0 <= high or found < 2.0**-300:
        raise LeftOpen
    return found


class LoosePatterns(EnclosingPatterns):
    """Patterns of ops on intervals of what flags allow."""

    def _text(self, term: Term) -> str | None:
        text = EnclosingPatterns._text(self, term)
        if text is None or not isinstance(term.type, FloatType) or text == "left_nothing()":
            return text
        approximate = "afn" in licences_of(term.attrs) and term.op not in REGROUPED
        if term.op not in COMBINED:
            return f"loosened({text}, {term.type.name!r}, {approximate})"
        operands = "".join(f"{{{k}}}, " for k in range(len(term.args)))
        formats = str(term.args[0].type), term.type.name
        return f"combined({ARITHMETIC[term.op]}, {term.op!r}, ({operands}), {formats!r}, {approximate})"


NAMES: Final[dict[str, object]] = {"combined": combined, "loosened": loosened}
"""What the text of a pattern calls."""
