"""Laws of sums and products in twice the width: carries, borrows and high halves."""

from __future__ import annotations

from hecv.rules.language import (
    BIT,
    Equation,
    Operation,
    Pattern,
    cmpi,
    cttz,
    extsi,
    extui,
    mulsi_high,
    mului_high,
    number,
    one,
    operation,
    select,
    shrsi,
    shrui,
    trunci,
    truth,
    widens,
    width,
    zero,
)
from hecv.rules.language import Kind as Type
from hecv.rules.law import WIDE, Book, Kind, Literal, Term

wide = Book("integers", WIDE, modest=True)

BLASTED = (2, 4)
"""Where Z3 relates products in twice the width."""


def carry(x: Pattern, y: Pattern) -> Operation:
    """The overflow of `arith.addui_extended`."""
    return operation("arith.addui_extended", x, y, to=BIT, result=1)


def twice(narrow: Type, other: Type) -> bool:
    """`other` has twice the bits."""
    return widens(narrow, other) and other.width == 2 * narrow.width


@wide.law("addui-extended-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(carry(x, y), carry(y, x))


@wide.law("addui-extended-carry-zero")
def _(x: Term) -> Equation:
    return Equation(carry(x, zero(x)), truth(False))


@wide.law("addui-extended-carry-one")
def _(x: Term) -> Equation:
    """Only of the greatest."""
    return Equation(carry(x, one(x)), cmpi("eq", x + one(x), zero(x)))


@wide.law("addui-extended-carry-complement")
def _(x: Term) -> Equation:
    return Equation(carry(x, ~x), truth(False))


@wide.law("carry-as-wide-sum")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    """The bit above the word of a sum in twice the width."""
    if not twice(x.kind, to):
        return None
    total = extui(x, to) + extui(y, to)
    high = trunci(shrui(total, number(x.kind.width, total)), x.kind)
    return Equation(high, extui(cmpi("ult", x + y, x), x.kind))


@wide.law("wide-sum-by-carry", expands=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    """A sum in a wider type, by words."""
    if not widens(x.kind, to):
        return None
    low = extui(x + y, to)
    high = extui(cmpi("ult", x + y, x), to) << number(x.kind.width, low)
    return Equation(high + low, extui(x, to) + extui(y, to))


@wide.law("subui-extended-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("arith.subui_extended", x, y, result=0), x - y)


@wide.law("subui-extended-borrow")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("arith.subui_extended", x, y, to=BIT, result=1), cmpi("ult", x, y))


@wide.law("mulsi-extended-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(mulsi_high(x, y), mulsi_high(y, x))


@wide.law("mului-extended-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(mului_high(x, y), mului_high(y, x))


@wide.law("mulsi-extended-high-zero")
def _(x: Term) -> Equation:
    return Equation(mulsi_high(x, zero(x)), zero(x))


@wide.law("mului-extended-high-zero")
def _(x: Term) -> Equation:
    return Equation(mului_high(x, zero(x)), zero(x))


@wide.law("mulsi-extended-high-one")
def _(x: Term) -> Equation:
    """The sign. Cites: canonicalize, MulSIExtendedRHSOne."""
    return Equation(mulsi_high(x, one(x)), shrsi(x, number(x.kind.width - 1, x)))


@wide.law("mului-extended-high-one")
def _(x: Term) -> Equation:
    return Equation(mului_high(x, one(x)), zero(x))


@wide.law("mului-extended-high-power-of-two", widths=(2, 4, 8, 16, 32))
def _(x: Term, c: Literal) -> Equation:
    power = cmpi("eq", c & (c - one(c)), zero(c)) & cmpi("ugt", c, one(c))
    return Equation(mului_high(x, c), shrui(x, width(x) - cttz(c)), where=power)


@wide.law("mulsi-extended-high-power-of-two", widths=(4, 8, 16, 32))
def _(x: Term, c: Literal) -> Equation:
    power = cmpi("eq", c & (c - one(c)), zero(c)) & cmpi("sgt", c, one(c))
    return Equation(mulsi_high(x, c), shrsi(x, width(x) - cttz(c)), where=power)


@wide.law("mulsi-extended-by-mului", widths=BLASTED, expands=True)
def _(x: Term, y: Term) -> Equation:
    """The signed high half, from the unsigned one."""
    top = number(x.kind.width - 1, x)
    signs = (shrsi(x, top) & y) + (shrsi(y, top) & x)
    return Equation(mului_high(x, y) - signs, mulsi_high(x, y))


@wide.law("mulsi-extended-as-wide-product")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    """Cites: canonicalize, TruncIShrUIMulIToMulSIExtended."""
    if not twice(x.kind, to):
        return None
    product = extsi(x, to) * extsi(y, to)
    return Equation(trunci(shrui(product, number(x.kind.width, product)), x.kind), mulsi_high(x, y))


@wide.law("mulsi-extended-as-wide-product-signed")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not twice(x.kind, to):
        return None
    product = extsi(x, to) * extsi(y, to)
    return Equation(trunci(shrsi(product, number(x.kind.width, product)), x.kind), mulsi_high(x, y))


@wide.law("mului-extended-as-wide-product")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    """Cites: canonicalize, TruncIShrUIMulIToMulUIExtended."""
    if not twice(x.kind, to):
        return None
    product = extui(x, to) * extui(y, to)
    return Equation(trunci(shrui(product, number(x.kind.width, product)), x.kind), mului_high(x, y))


@wide.law("average-in-wide-type")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    """The average that cannot overflow."""
    if not widens(x.kind, to):
        return None
    total = extui(x, to) + extui(y, to)
    return Equation(trunci(shrui(total, one(total)), x.kind), (x & y) + shrui(x ^ y, one(x)))


@wide.law("average-in-wide-type-signed")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    total = extsi(x, to) + extsi(y, to)
    return Equation(trunci(shrsi(total, one(total)), x.kind), (x & y) + shrsi(x ^ y, one(x)))


@wide.law("saturated-sum-unsigned")
def _(x: Term, y: Term) -> Equation:
    """By the carry, and by a minimum with what is left."""
    top = number(-1, x)
    return Equation(select(cmpi("ult", x + y, x), top, x + y), x + operation("arith.minui", y, ~x))


@wide.law("saturated-difference-unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(cmpi("ult", y, x), x - y, zero(x)), operation("arith.maxui", x, y) - y)


@wide.law("saturated-difference-by-minimum")
def _(x: Term, y: Term) -> Equation:
    return Equation(x - operation("arith.minui", x, y), operation("arith.maxui", x, y) - y)
