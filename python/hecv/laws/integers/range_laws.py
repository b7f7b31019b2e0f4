"""Value-range laws: the operator of an operand bounds it; masks, extensions, remainders, extrema."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from typing import Final

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined

ranges = Book("integers", WIDE, modest=True)


# Operands that are not negative: signed and unsigned agree

SAME: Final = {
    "divsi": (arith.divsi, arith.divui),
    "remsi": (arith.remsi, arith.remui),
    "floordivsi": (arith.floordivsi, arith.divui),
    "ceildivsi": (arith.ceildivsi, arith.ceildivui),
}
"""Signed operators with the unsigned ones that agree with them if neither operand is negative."""

SIGNED: Final = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}


def _agree(name: str) -> None:
    signed, unsigned = SAME[name]

    @ranges.law(f"{name}-of-mask", modest=False)
    def _(x, c, d):
        positive = arith.cmpi(c, 0, predicate="sge") & arith.cmpi(d, 0, predicate="sgt")
        assert positive
        return signed(x & c, d), unsigned(x & c, d)

    @ranges.law(f"{name}-of-extui", modest=False)
    def _(x, d):
        assert x.type == d.type and d.literal
        to = arith.extui(x)
        divisor = arith.extui(d)
        return signed(to, divisor), unsigned(to, divisor)

    @ranges.law(f"{name}-of-extensions")
    def _(x, y):
        dividend, divisor = arith.extui(x), arith.extui(y)
        left = signed(dividend, divisor)
        assert x.type == y.type
        assert defined(signed(arith.extui(x, type=left.type), arith.extui(y, type=left.type)))
        return left, unsigned(dividend, divisor)


for _name in SAME:
    _agree(_name)


def _compare(predicate: str) -> None:
    @ranges.law(f"cmpi-{predicate}-of-mask")
    def _(x, c, d):
        positive = arith.cmpi(c, 0, predicate="sge") & arith.cmpi(d, 0, predicate="sge")
        assert positive
        return arith.cmpi(x & c, d, predicate=predicate), arith.cmpi(x & c, d, predicate=SIGNED[predicate])


for _predicate in SIGNED:
    _compare(_predicate)


@ranges.law("shrsi-of-mask")
def _(x, c, k):
    assert arith.cmpi(c, 0, predicate="sge")
    return arith.shrsi(x & c, k), arith.shrui(x & c, k)


@ranges.law("shrsi-of-extui")
def _(x, k):
    assert x.type == k.type
    to = arith.extui(x)
    amount = arith.extui(k)
    return arith.shrsi(to, amount), arith.shrui(to, amount)


@ranges.law("shrsi-of-shrui")
def _(x, j, k):
    assert arith.cmpi(j, 0, predicate="ne")
    return arith.shrsi(arith.shrui(x, j), k), arith.shrui(arith.shrui(x, j), k)


@ranges.law("extsi-of-mask")
def _(x, c):
    assert arith.cmpi(c, 0, predicate="sge")
    return arith.extsi(x & c), arith.extui(x & c)


@ranges.law("extsi-of-shrui")
def _(x, k):
    assert arith.cmpi(k, 0, predicate="ne")
    return arith.extsi(arith.shrui(x, k)), arith.extui(arith.shrui(x, k))


# Values below a bound


@ranges.law("cmpi-ult-of-mask")
def _(x, c, d):
    assert arith.cmpi(c, d, predicate="ult")
    return arith.cmpi(x & c, d, predicate="ult"), True


@ranges.law("cmpi-ult-of-remui", integral="unsigned")
def _(x, c, d):
    assert arith.cmpi(c, 0, predicate="ne") & arith.cmpi(c, d, predicate="ule")
    return arith.cmpi(arith.remui(x, c), d, predicate="ult"), True


@ranges.law("cmpi-ult-remui-divisor", integral="unsigned")
def _(x, y):
    assert defined(arith.remui(x, y))
    return arith.cmpi(arith.remui(x, y), y, predicate="ult"), True


@ranges.law("cmpi-ule-divui", integral="unsigned")
def _(x, y):
    assert defined(arith.divui(x, y))
    return arith.cmpi(arith.divui(x, y), x, predicate="ule"), True


@ranges.law("cmpi-ule-andi")
def _(x, y):
    return arith.cmpi(x & y, x, predicate="ule"), True


@ranges.law("cmpi-ule-ori")
def _(x, y):
    return arith.cmpi(x, x | y, predicate="ule"), True


@ranges.law("cmpi-ule-shrui")
def _(x, k):
    return arith.cmpi(arith.shrui(x, k), x, predicate="ule"), True


@ranges.law("divui-of-mask-small")
def _(x, c, d):
    assert arith.cmpi(c, d, predicate="ult")
    return arith.divui(x & c, d), 0


@ranges.law("remui-of-mask-small")
def _(x, c, d):
    assert arith.cmpi(c, d, predicate="ult")
    return arith.remui(x & c, d), x & c


@ranges.law("divui-of-remui-small", integral="unsigned")
def _(x, c, d):
    assert arith.cmpi(c, 0, predicate="ne") & arith.cmpi(c, d, predicate="ule")
    return arith.divui(arith.remui(x, c), d), 0


@ranges.law("remui-of-remui-small", integral="unsigned")
def _(x, c, d):
    assert arith.cmpi(c, 0, predicate="ne") & arith.cmpi(c, d, predicate="ule")
    return arith.remui(arith.remui(x, c), d), arith.remui(x, c)


@ranges.law("shrui-of-mask-small")
def _(x, c, k):
    assert arith.cmpi(arith.shrui(c, k), 0, predicate="eq")
    return arith.shrui(x & c, k), 0


@ranges.law("shrui-of-extui-out")
def _(x):
    wide = arith.extui(x)
    return arith.shrui(wide, x.width), 0


@ranges.law("minui-of-mask")
def _(x, c, d):
    assert arith.cmpi(c, d, predicate="ule")
    return arith.minui(x & c, d), x & c


@ranges.law("maxui-of-mask")
def _(x, c, d):
    assert arith.cmpi(c, d, predicate="ule")
    return arith.maxui(x & c, d), d


@ranges.law("maxsi-of-mask-zero")
def _(x, c, d):
    positive = arith.cmpi(c, 0, predicate="sge") & arith.cmpi(d, 0, predicate="sle")
    assert positive
    return arith.maxsi(x & c, d), x & c


@ranges.law("minsi-of-mask")
def _(x, c, d):
    positive = arith.cmpi(c, 0, predicate="sge") & arith.cmpi(c, d, predicate="sle")
    assert positive
    return arith.minsi(x & c, d), x & c


# Minima and maxima against literals and their own operands

BOUNDED: Final = {
    "minsi": (arith.minsi, "sle"),
    "maxsi": (arith.maxsi, "sge"),
    "minui": (arith.minui, "ule"),
    "maxui": (arith.maxui, "uge"),
}
STRICT: Final = {"sle": "slt", "sge": "sgt", "ule": "ult", "uge": "ugt"}


def _bound(name: str) -> None:
    extremum, predicate = BOUNDED[name]

    @ranges.law(f"cmpi-{predicate}-{name}-operand")
    def _(x, y):
        return arith.cmpi(extremum(x, y), x, predicate=predicate), True

    @ranges.law(f"cmpi-{predicate}-{name}-literal")
    def _(x, c, d):
        assert arith.cmpi(c, d, predicate=predicate)
        return arith.cmpi(extremum(x, c), d, predicate=predicate), True

    @ranges.law(f"cmpi-{STRICT[predicate]}-{name}-literal")
    def _(x, c, d):
        strict = STRICT[predicate]
        assert arith.cmpi(c, d, predicate=strict)
        return arith.cmpi(extremum(x, c), d, predicate=strict), True

    @ranges.law(f"cmpi-{predicate}-{name}-above")
    def _(x, c, d):
        """The literal of the extremum does not decide."""
        beyond = arith.cmpi(d, c, predicate=STRICT[predicate])
        assert beyond
        return arith.cmpi(extremum(x, c), d, predicate=predicate), arith.cmpi(x, d, predicate=predicate)


for _name in BOUNDED:
    _bound(_name)


# Intervals, as one comparison


def _interval(signed: bool) -> None:
    s = "s" if signed else "u"

    @ranges.law(f"interval-{s}lt")
    def _(x, a, b):
        inside = arith.cmpi(x, a, predicate=f"{s}ge") & arith.cmpi(x, b, predicate=f"{s}lt")
        assert arith.cmpi(a, b, predicate=f"{s}le")
        return inside, arith.cmpi(x + -a, b - a, predicate="ult")

    @ranges.law(f"interval-{s}gt")
    def _(x, a, b):
        inside = arith.cmpi(x, a, predicate=f"{s}gt") & arith.cmpi(x, b, predicate=f"{s}lt")
        assert arith.cmpi(a, b, predicate=f"{s}lt")
        return inside, arith.cmpi(x + ~a, b + ~a, predicate="ult")

    @ranges.law(f"interval-{s}le")
    def _(x, a, b):
        inside = arith.cmpi(x, a, predicate=f"{s}ge") & arith.cmpi(x, b, predicate=f"{s}le")
        assert arith.cmpi(a, b, predicate=f"{s}le")
        return inside, arith.cmpi(x + -a, b - a, predicate="ule")

    @ranges.law(f"interval-outside-{s}lt")
    def _(x, a, b):
        outside = arith.cmpi(x, a, predicate=f"{s}lt") | arith.cmpi(x, b, predicate=f"{s}ge")
        assert arith.cmpi(a, b, predicate=f"{s}le")
        return outside, arith.cmpi(x + -a, b - a, predicate="uge")

    @ranges.law(f"interval-outside-{s}gt")
    def _(x, a, b):
        outside = arith.cmpi(x, a, predicate=f"{s}lt") | arith.cmpi(x, b, predicate=f"{s}gt")
        assert arith.cmpi(a, b, predicate=f"{s}le")
        return outside, arith.cmpi(x + -a, b - a, predicate="ugt")


_interval(True)
_interval(False)


@ranges.law("interval-from-zero")
def _(x, y):
    """The range test `0 <= x < y` as one unsigned comparison, if `y` is not negative."""
    bound = arith.extui(y)
    return arith.cmpi(x, 0, predicate="sge") & arith.cmpi(x, bound, predicate="slt"), arith.cmpi(
        x, bound, predicate="ult"
    )


@ranges.law("interval-of-two")
def _(x, c, d):
    """Equality with one of two consecutive values."""
    either = arith.cmpi(x, c, predicate="eq") | arith.cmpi(x, d, predicate="eq")
    assert arith.cmpi(d, c - -1, predicate="eq")
    return either, arith.cmpi(x - c, 2, predicate="ult")


@ranges.law("values-that-differ-in-a-bit")
def _(x, c, d):
    either = arith.cmpi(x, c, predicate="eq") | arith.cmpi(x, d, predicate="eq")
    bit = c ^ d
    one_bit = arith.cmpi(bit & bit + -1, 0, predicate="eq") & arith.cmpi(bit, 0, predicate="ne")
    assert one_bit
    return either, arith.cmpi(x | bit, c | d, predicate="eq")


@ranges.law("literals-exclude-each-other")
def _(x, c, d):
    both = arith.cmpi(x, c, predicate="eq") & arith.cmpi(x, d, predicate="eq")
    assert arith.cmpi(c, d, predicate="ne")
    return both, False


@ranges.law("extui-fits")
def _(x):
    """The test for a value of fewer bits, as one of its high bits."""
    to = arith.trunci(x)
    high = arith.shrui(x, to.width)
    return arith.cmpi(arith.extui(to), x, predicate="eq"), arith.cmpi(high, 0, predicate="eq")


@ranges.law("extsi-fits")
def _(x):
    to = arith.trunci(x)
    low = 1 << to.width - 1
    shifted = arith.cmpi(x + low, 1 << to.width, predicate="ult")
    return arith.cmpi(arith.extsi(to), x, predicate="eq"), shifted
