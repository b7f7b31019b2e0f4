"""Laws of minimum and maximum, signed and unsigned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.rules.language import (
    Equation,
    Pattern,
    add_without,
    cmpi,
    greatest,
    least,
    maxsi,
    maxui,
    minsi,
    minui,
    number,
    ones,
    select,
    zero,
)
from hecv.rules.law import WIDE, Book, Literal, Term

extrema = Book("integers", WIDE)


@extrema.law("minsi-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, y), minsi(y, x))


@extrema.law("maxsi-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxsi(x, y), maxsi(y, x))


@extrema.law("minui-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y), minui(y, x))


@extrema.law("maxui-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxui(x, y), maxui(y, x))


@extrema.law("minsi-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minsi(minsi(x, y), z), minsi(x, minsi(y, z)))


@extrema.law("maxsi-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(maxsi(maxsi(x, y), z), maxsi(x, maxsi(y, z)))


@extrema.law("minui-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minui(minui(x, y), z), minui(x, minui(y, z)))


@extrema.law("maxui-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(maxui(maxui(x, y), z), maxui(x, maxui(y, z)))


@extrema.law("minsi-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(minsi(minsi(x, c), d), minsi(x, minsi(c, d)))


@extrema.law("maxsi-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(maxsi(maxsi(x, c), d), maxsi(x, maxsi(c, d)))


@extrema.law("minui-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(minui(minui(x, c), d), minui(x, minui(c, d)))


@extrema.law("maxui-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(maxui(maxui(x, c), d), maxui(x, maxui(c, d)))


@extrema.law("minsi-self")
def _(x: Term) -> Equation:
    return Equation(minsi(x, x), x)


@extrema.law("maxsi-self")
def _(x: Term) -> Equation:
    return Equation(maxsi(x, x), x)


@extrema.law("minui-self")
def _(x: Term) -> Equation:
    return Equation(minui(x, x), x)


@extrema.law("maxui-self")
def _(x: Term) -> Equation:
    return Equation(maxui(x, x), x)


@extrema.law("minsi-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, maxsi(x, y)), x)


@extrema.law("maxsi-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxsi(x, minsi(x, y)), x)


@extrema.law("minui-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, maxui(x, y)), x)


@extrema.law("maxui-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxui(x, minui(x, y)), x)


@extrema.law("minsi-least")
def _(x: Term) -> Equation:
    return Equation(minsi(x, least(x)), least(x))


@extrema.law("minsi-greatest")
def _(x: Term) -> Equation:
    return Equation(minsi(x, greatest(x)), x)


@extrema.law("maxsi-least")
def _(x: Term) -> Equation:
    return Equation(maxsi(x, least(x)), x)


@extrema.law("maxsi-greatest")
def _(x: Term) -> Equation:
    return Equation(maxsi(x, greatest(x)), greatest(x))


@extrema.law("minui-zero")
def _(x: Term) -> Equation:
    return Equation(minui(x, zero(x)), zero(x))


@extrema.law("minui-ones")
def _(x: Term) -> Equation:
    return Equation(minui(x, ones(x)), x)


@extrema.law("maxui-zero")
def _(x: Term) -> Equation:
    return Equation(maxui(x, zero(x)), x)


@extrema.law("maxui-ones")
def _(x: Term) -> Equation:
    return Equation(maxui(x, ones(x)), ones(x))


@extrema.law("minsi-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, y), select(cmpi("slt", x, y), x, y))


@extrema.law("maxsi-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(maxsi(x, y), select(cmpi("sgt", x, y), x, y))


@extrema.law("minui-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y), select(cmpi("ult", x, y), x, y))


@extrema.law("maxui-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(maxui(x, y), select(cmpi("ugt", x, y), x, y))


EXTREMA: Final[dict[str, tuple[Callable[[Pattern, Pattern], Pattern], Callable[[Pattern, Pattern], Pattern], str]]] = {
    "minsi": (minsi, maxsi, "s"),
    "maxsi": (maxsi, minsi, "s"),
    "minui": (minui, maxui, "u"),
    "maxui": (maxui, minui, "u"),
}
"""Each with its dual, and its order."""


def _extremum(name: str) -> None:
    act, dual, order = EXTREMA[name]
    better = f"{order}lt" if name.startswith("min") else f"{order}gt"
    good = better[0] + better[1] + "e"
    worse = f"{order}ge" if name.startswith("min") else f"{order}le"

    @extrema.law(f"{name}-distributes", expands=True, both=True, modest=True)
    def _(x: Term, y: Term, z: Term) -> Equation:
        return Equation(act(x, dual(y, z)), dual(act(x, y), act(x, z)))

    @extrema.law(f"{name}-of-complements", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(act(~x, ~y), ~dual(x, y))

    @extrema.law(f"{name}-clamps", modest=True)
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        """To a range in either order of bounds; fails where the bounds cross."""
        return Equation(act(dual(x, c), d), dual(act(x, d), c), where=cmpi(good, c, d))

    @extrema.law(f"{name}-clamped-out", modest=True)
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        """Bounds that cross leave one value."""
        return Equation(act(dual(x, c), d), d, where=cmpi(good, d, c))

    @extrema.law(f"{name}-as-select-weak", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(select(cmpi(good, x, y), x, y), act(x, y))

    @extrema.law(f"{name}-as-select-turned", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(select(cmpi(worse, x, y), y, x), act(x, y))

    @extrema.law(f"{name}-with-the-other", modest=True)
    def _(x: Term, y: Term) -> Equation:
        """Of the lesser and the greater of two."""
        return Equation(act(minimum(order, x, y), maximum(order, x, y)), act(x, y))

    @extrema.law(f"cmpi-eq-{name}-operand", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpi("eq", act(x, y), x), cmpi(good, x, y))


def minimum(order: str, x: Pattern, y: Pattern) -> Pattern:
    """The lesser, signed or not."""
    return minsi(x, y) if order == "s" else minui(x, y)


def maximum(order: str, x: Pattern, y: Pattern) -> Pattern:
    """The greater, signed or not."""
    return maxsi(x, y) if order == "s" else maxui(x, y)


for _name in EXTREMA:
    _extremum(_name)


def _literal_bound(name: str) -> None:
    act, _dual, order = EXTREMA[name]
    better = f"{order}lt" if name.startswith("min") else f"{order}gt"
    step = -1 if name.startswith("min") else 1

    @extrema.law(f"{name}-by-select-one-off", modest=True)
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        """A bound that canonicalize has moved by one."""
        next_one = cmpi("eq", d, c + number(step, c)) & cmpi(better, d, c)
        return Equation(select(cmpi(better, x, c), x, d), act(x, d), where=next_one)


for _name in EXTREMA:
    _literal_bound(_name)


@extrema.law("minsi-of-sums", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """Fails where a sum wraps."""
    sums = (add_without("nsw", x, z), add_without("nsw", y, z))
    return Equation(minsi(x + z, y + z), minsi(x, y) + z, given=sums)


@extrema.law("maxsi-of-sums", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    sums = (add_without("nsw", x, z), add_without("nsw", y, z))
    return Equation(maxsi(x + z, y + z), maxsi(x, y) + z, given=sums)


@extrema.law("minui-of-sums", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    sums = (add_without("nuw", x, z), add_without("nuw", y, z))
    return Equation(minui(x + z, y + z), minui(x, y) + z, given=sums)


@extrema.law("maxui-of-sums", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    sums = (add_without("nuw", x, z), add_without("nuw", y, z))
    return Equation(maxui(x + z, y + z), maxui(x, y) + z, given=sums)


@extrema.law("product-in-order", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    less = cmpi("slt", x, y)
    return Equation(select(less, x, y) * select(less, y, x), x * y)


@extrema.law("minsi-xori-maxsi", modest=True)
def _(x: Term, y: Term) -> Equation:
    """A pair in order: what one is not, the other is."""
    return Equation(minsi(x, y) ^ maxsi(x, y), x ^ y)


@extrema.law("minui-xori-maxui", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y) ^ maxui(x, y), x ^ y)


@extrema.law("distance-signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    """The difference of the greater and the lesser."""
    return Equation(select(cmpi("slt", x, y), y - x, x - y), maxsi(x, y) - minsi(x, y))


@extrema.law("distance-unsigned", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(select(cmpi("ult", x, y), y - x, x - y), maxui(x, y) - minui(x, y))


@extrema.law("minsi-plus-maxsi")
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, y) + maxsi(x, y), x + y)


@extrema.law("minui-plus-maxui")
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y) + maxui(x, y), x + y)
