"""Laws that rest on the range of an operand, as its operator shows it: masks, extensions, remainders, extrema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.rules.language import (
    Equation,
    Operation,
    Pattern,
    Variable,
    ceildivsi,
    ceildivui,
    cmpi,
    divsi,
    divui,
    extsi,
    extui,
    floordivsi,
    maxsi,
    maxui,
    minsi,
    minui,
    number,
    ones,
    remsi,
    remui,
    shrsi,
    shrui,
    trunci,
    truth,
    widens,
    zero,
)
from hecv.rules.law import WIDE, Book, Kind, Literal, Term

ranges = Book("integers", WIDE, modest=True)


# Operands that are not negative: signed and unsigned agree

SAME: Final[dict[str, tuple[Callable[[Pattern, Pattern], Operation], Callable[[Pattern, Pattern], Operation]]]] = {
    "divsi": (divsi, divui),
    "remsi": (remsi, remui),
    "floordivsi": (floordivsi, divui),
    "ceildivsi": (ceildivsi, ceildivui),
}
"""Operators that agree where neither operand is negative."""

SIGNED: Final = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}


def _agree(name: str) -> None:
    signed, unsigned = SAME[name]

    @ranges.law(f"{name}-of-mask", modest=False)
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        positive = cmpi("sge", c, zero(c)) & cmpi("sgt", d, zero(d))
        return Equation(signed(x & c, d), unsigned(x & c, d), where=positive)

    @ranges.law(f"{name}-of-extui", modest=False)
    def _(x: Term, d: Literal, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        divisor = extui(d, to)
        return Equation(signed(extui(x, to), divisor), unsigned(extui(x, to), divisor))

    @ranges.law(f"{name}-of-extensions")
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        dividend, divisor = extui(x, to), extui(y, to)
        defined = (signed(dividend, divisor),)
        return Equation(signed(dividend, divisor), unsigned(dividend, divisor), given=defined)


for _name in SAME:
    _agree(_name)


def _compare(predicate: str) -> None:
    @ranges.law(f"cmpi-{predicate}-of-mask")
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        positive = cmpi("sge", c, zero(c)) & cmpi("sge", d, zero(d))
        return Equation(cmpi(predicate, x & c, d), cmpi(SIGNED[predicate], x & c, d), where=positive)


for _predicate in SIGNED:
    _compare(_predicate)


@ranges.law("shrsi-of-mask")
def _(x: Term, c: Literal, k: Term) -> Equation:
    return Equation(shrsi(x & c, k), shrui(x & c, k), where=cmpi("sge", c, zero(c)))


@ranges.law("shrsi-of-extui")
def _(x: Term, k: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    amount = extui(k, to)
    return Equation(shrsi(extui(x, to), amount), shrui(extui(x, to), amount))


@ranges.law("shrsi-of-shrui")
def _(x: Term, j: Literal, k: Term) -> Equation:
    return Equation(shrsi(shrui(x, j), k), shrui(shrui(x, j), k), where=cmpi("ne", j, zero(j)))


@ranges.law("extsi-of-mask")
def _(x: Term, c: Literal, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(extsi(x & c, to), extui(x & c, to), where=cmpi("sge", c, zero(c)))


@ranges.law("extsi-of-shrui")
def _(x: Term, k: Literal, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(extsi(shrui(x, k), to), extui(shrui(x, k), to), where=cmpi("ne", k, zero(k)))


# Values below a bound


@ranges.law("cmpi-ult-of-mask")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(cmpi("ult", x & c, d), truth(True), where=cmpi("ult", c, d))


@ranges.law("cmpi-ult-of-remui", integral="unsigned")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(cmpi("ult", remui(x, c), d), truth(True), where=cmpi("ne", c, zero(c)) & cmpi("ule", c, d))


@ranges.law("cmpi-ult-remui-divisor", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ult", remui(x, y), y), truth(True), given=(remui(x, y),))


@ranges.law("cmpi-ule-divui", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ule", divui(x, y), x), truth(True), given=(divui(x, y),))


@ranges.law("cmpi-ule-andi")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ule", x & y, x), truth(True))


@ranges.law("cmpi-ule-ori")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ule", x, x | y), truth(True))


@ranges.law("cmpi-ule-shrui")
def _(x: Term, k: Term) -> Equation:
    return Equation(cmpi("ule", shrui(x, k), x), truth(True))


@ranges.law("divui-of-mask-small")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(
        divui(x & c, d),
        zero(x),
        where=cmpi("ult", c, d),
    )


@ranges.law("remui-of-mask-small")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(remui(x & c, d), x & c, where=cmpi("ult", c, d))


@ranges.law("divui-of-remui-small", integral="unsigned")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(divui(remui(x, c), d), zero(x), where=cmpi("ne", c, zero(c)) & cmpi("ule", c, d))


@ranges.law("remui-of-remui-small", integral="unsigned")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(remui(remui(x, c), d), remui(x, c), where=cmpi("ne", c, zero(c)) & cmpi("ule", c, d))


@ranges.law("shrui-of-mask-small")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    return Equation(shrui(x & c, k), zero(x), where=cmpi("eq", shrui(c, k), zero(c)))


@ranges.law("shrui-of-extui-out")
def _(x: Term, k: Literal, to: Kind) -> Equation | None:
    if not widens(x.kind, to) or k.kind != x.kind:
        return None
    wide = extui(x, to)
    return Equation(shrui(wide, number(x.kind.width, wide)), zero(wide))


@ranges.law("minui-of-mask")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(minui(x & c, d), x & c, where=cmpi("ule", c, d))


@ranges.law("maxui-of-mask")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(maxui(x & c, d), d, where=cmpi("ule", c, d))


@ranges.law("maxsi-of-mask-zero")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    positive = cmpi("sge", c, zero(c)) & cmpi("sle", d, zero(d))
    return Equation(maxsi(x & c, d), x & c, where=positive)


@ranges.law("minsi-of-mask")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    positive = cmpi("sge", c, zero(c)) & cmpi("sle", c, d)
    return Equation(minsi(x & c, d), x & c, where=positive)


# Minima and maxima against literals and their own operands

BOUNDED: Final = {
    "minsi": (minsi, "sle"),
    "maxsi": (maxsi, "sge"),
    "minui": (minui, "ule"),
    "maxui": (maxui, "uge"),
}
STRICT: Final = {"sle": "slt", "sge": "sgt", "ule": "ult", "uge": "ugt"}


def _bound(name: str) -> None:
    extremum, predicate = BOUNDED[name]

    @ranges.law(f"cmpi-{predicate}-{name}-operand")
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpi(predicate, extremum(x, y), x), truth(True))

    @ranges.law(f"cmpi-{predicate}-{name}-literal")
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        return Equation(cmpi(predicate, extremum(x, c), d), truth(True), where=cmpi(predicate, c, d))

    @ranges.law(f"cmpi-{STRICT[predicate]}-{name}-literal")
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        strict = STRICT[predicate]
        return Equation(cmpi(strict, extremum(x, c), d), truth(True), where=cmpi(strict, c, d))

    @ranges.law(f"cmpi-{predicate}-{name}-above")
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        """The literal of the extremum does not decide."""
        beyond = cmpi(STRICT[predicate], d, c)
        return Equation(cmpi(predicate, extremum(x, c), d), cmpi(predicate, x, d), where=beyond)


for _name in BOUNDED:
    _bound(_name)


# Intervals, as one comparison


def _interval(signed: bool) -> None:
    s = "s" if signed else "u"

    @ranges.law(f"interval-{s}lt")
    def _(x: Term, a: Literal, b: Literal) -> Equation:
        inside = cmpi(f"{s}ge", x, a) & cmpi(f"{s}lt", x, b)
        return Equation(inside, cmpi("ult", x + -a, b - a), where=cmpi(f"{s}le", a, b))

    @ranges.law(f"interval-{s}gt")
    def _(x: Term, a: Literal, b: Literal) -> Equation:
        inside = cmpi(f"{s}gt", x, a) & cmpi(f"{s}lt", x, b)
        return Equation(inside, cmpi("ult", x + ~a, b + ~a), where=cmpi(f"{s}lt", a, b))

    @ranges.law(f"interval-{s}le")
    def _(x: Term, a: Literal, b: Literal) -> Equation:
        inside = cmpi(f"{s}ge", x, a) & cmpi(f"{s}le", x, b)
        return Equation(inside, cmpi("ule", x + -a, b - a), where=cmpi(f"{s}le", a, b))

    @ranges.law(f"interval-outside-{s}lt")
    def _(x: Term, a: Literal, b: Literal) -> Equation:
        outside = cmpi(f"{s}lt", x, a) | cmpi(f"{s}ge", x, b)
        return Equation(outside, cmpi("uge", x + -a, b - a), where=cmpi(f"{s}le", a, b))

    @ranges.law(f"interval-outside-{s}gt")
    def _(x: Term, a: Literal, b: Literal) -> Equation:
        outside = cmpi(f"{s}lt", x, a) | cmpi(f"{s}gt", x, b)
        return Equation(outside, cmpi("ugt", x + -a, b - a), where=cmpi(f"{s}le", a, b))


_interval(True)
_interval(False)


@ranges.law("interval-from-zero")
def _(x: Term, narrow: Kind) -> Equation | None:
    """Within `0 .. y`, where `y` is not negative."""
    if not widens(narrow, x.kind):
        return None
    bound = extui(Variable(narrow, "y"), x.kind)
    return Equation(cmpi("sge", x, zero(x)) & cmpi("slt", x, bound), cmpi("ult", x, bound))


@ranges.law("interval-of-two")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    """Two values that follow one another."""
    either = cmpi("eq", x, c) | cmpi("eq", x, d)
    return Equation(either, cmpi("ult", x - c, number(2, x)), where=cmpi("eq", d, c - ones(c)))


@ranges.law("values-that-differ-in-a-bit")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    either = cmpi("eq", x, c) | cmpi("eq", x, d)
    bit = c ^ d
    one_bit = cmpi("eq", bit & (bit + ones(c)), zero(c)) & cmpi("ne", bit, zero(c))
    return Equation(either, cmpi("eq", x | bit, c | d), where=one_bit)


@ranges.law("literals-exclude-each-other")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    both = cmpi("eq", x, c) & cmpi("eq", x, d)
    return Equation(both, truth(False), where=cmpi("ne", c, d))


@ranges.law("extui-fits")
def _(x: Term, to: Kind) -> Equation | None:
    """The test for a value of fewer bits, as one of its high bits."""
    if not widens(to, x.kind):
        return None
    high = shrui(x, number(to.width, x))
    return Equation(cmpi("eq", extui(trunci(x, to), x.kind), x), cmpi("eq", high, zero(x)))


@ranges.law("extsi-fits")
def _(x: Term, to: Kind) -> Equation | None:
    if not widens(to, x.kind):
        return None
    low = number(1 << (to.width - 1), x)
    shifted = cmpi("ult", x + low, number(1 << to.width, x))
    return Equation(cmpi("eq", extsi(trunci(x, to), x.kind), x), shifted)
