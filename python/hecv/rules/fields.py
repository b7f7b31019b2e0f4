"""Laws of bit fields: what is shifted out and back, extracted, inserted, joined and rotated."""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    Pattern,
    Variable,
    cmpi,
    extsi,
    extui,
    number,
    ones,
    shl_without,
    shrsi,
    shrui,
    trunci,
    widens,
    width,
    zero,
)
from hecv.rules.law import WIDE, WIDTHS, Book, Kind, Literal, Term

fields = Book("integers", WIDE, modest=True)


def below(k: Pattern, bits: Pattern) -> Pattern:
    """`k < bits`, unsigned."""
    return cmpi("ult", k, bits)


def meets(j: Pattern, k: Pattern) -> Pattern:
    """A shift left by `j` and one right by `k` leave no bit in common: both are below the width, their sum is not."""
    return below(j, width(j)) & below(k, width(k)) & cmpi("uge", j, width(j) - k)


# There and back by different amounts


@fields.law("shrui-of-shli-further-left")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(j, width(x)) & cmpi("ult", k, j)
    return Equation(shrui(x << j, k), (x << (j - k)) & shrui(ones(x), k), where=where)


@fields.law("shrui-of-shli-further-right")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(k, width(x)) & cmpi("ult", j, k)
    return Equation(shrui(x << j, k), shrui(x, k - j) & shrui(ones(x), k), where=where)


@fields.law("shli-of-shrui-further-left")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(k, width(x)) & cmpi("ult", j, k)
    return Equation(shrui(x, j) << k, (x << (k - j)) & (ones(x) << k), where=where)


@fields.law("shli-of-shrui-further-right")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(j, width(x)) & cmpi("ult", k, j)
    return Equation(shrui(x, j) << k, shrui(x, j - k) & (ones(x) << k), where=where)


@fields.law("shli-of-shrsi-further-right")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(j, width(x)) & cmpi("ult", k, j)
    return Equation(shrsi(x, j) << k, shrsi(x, j - k) & (ones(x) << k), where=where)


@fields.law("shrsi-shrsi-out")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    small = below(j, width(x)) & below(k, width(x)) & cmpi("uge", j + k, width(x) - number(1, x))
    return Equation(shrsi(shrsi(x, j), k), shrsi(x, number(x.kind.width - 1, x)), where=small)


@fields.law("shrui-of-shrsi-masked")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    """What the mask keeps is not of the sign."""
    where = below(k, width(x)) & cmpi("eq", c & ~shrui(ones(x), k), zero(c))
    return Equation(shrsi(x, k) & c, shrui(x, k) & c, where=where)


# Masks and shifts


@fields.law("shrui-of-mask")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    return Equation(shrui(x & c, k), shrui(x, k) & shrui(c, k))


@fields.law("shli-of-mask")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    return Equation((x & c) << k, (x << k) & (c << k))


@fields.law("andi-of-shli-mask")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    """A mask of all that a shift leaves."""
    return Equation((x << k) & c, x << k, where=cmpi("eq", (ones(x) << k) & ~c, zero(c)))


@fields.law("andi-of-shrui-mask")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    return Equation(shrui(x, k) & c, shrui(x, k), where=cmpi("eq", shrui(ones(x), k) & ~c, zero(c)))


@fields.law("andi-of-shli-low")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    """A mask of the bits that a shift clears."""
    return Equation((x << k) & c, zero(x), where=cmpi("eq", (ones(x) << k) & c, zero(c)))


@fields.law("andi-of-shrui-high")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    return Equation(shrui(x, k) & c, zero(x), where=cmpi("eq", shrui(ones(x), k) & c, zero(c)))


@fields.law("clear-low-bits")
def _(x: Term, c: Literal) -> Equation:
    """`x - x % 2**k`."""
    return Equation(x - (x & c), x & ~c)


@fields.law("shrui-ignores-cleared-bits")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    where = below(k, width(x)) & cmpi("eq", shrui(~c, k), zero(c))
    return Equation(shrui(x & c, k), shrui(x, k), where=where)


@fields.law("shrui-ignores-added-bits")
def _(x: Term, c: Literal, k: Literal) -> Equation:
    where = below(k, width(x)) & cmpi("eq", shrui(c, k), zero(c))
    return Equation(shrui(x | c, k), shrui(x, k), where=where)


# Fields with a sign, and of a narrow type


@fields.law("sign-extension-by-shifts", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    if not widens(narrow, x.kind):
        return None
    k = number(x.kind.width - narrow.width, x)
    return Equation(shrsi(x << k, k), extsi(trunci(x, narrow), x.kind))


@fields.law("zero-extension-by-shifts", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    if not widens(narrow, x.kind):
        return None
    k = number(x.kind.width - narrow.width, x)
    return Equation(shrui(x << k, k), extui(trunci(x, narrow), x.kind))


@fields.law("sign-extension-by-xori", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    """The sign bit of the field flipped, and taken away."""
    if not widens(narrow, x.kind):
        return None
    sign = number(1 << (narrow.width - 1), x)
    low = x & number((1 << narrow.width) - 1, x)
    return Equation((low ^ sign) - sign, extsi(trunci(x, narrow), x.kind))


@fields.law("trunci-of-shli", widths=WIDTHS)
def _(x: Term, k: Literal, narrow: Kind) -> Equation | None:
    if not widens(narrow, x.kind):
        return None
    where = below(k, number(narrow.width, k)) & cmpi("eq", extui(trunci(k, narrow), x.kind), k)
    return Equation(trunci(x << k, narrow), trunci(x, narrow) << trunci(k, narrow), where=where)


@fields.law("trunci-of-shrsi", widths=WIDTHS)
def _(x: Term, k: Literal, narrow: Kind) -> Equation | None:
    """No copy of the sign is left. Cites: canonicalize, TruncIShrSIToTrunciShrUI."""
    if not widens(narrow, x.kind):
        return None
    where = cmpi("ule", k, number(x.kind.width - narrow.width, k))
    return Equation(trunci(shrsi(x, k), narrow), trunci(shrui(x, k), narrow), where=where)


@fields.law("shrui-of-extui", widths=WIDTHS)
def _(k: Literal, narrow: Kind) -> Equation | None:
    if not widens(narrow, k.kind):
        return None
    x = Variable(narrow, "x")
    where = below(k, number(narrow.width, k)) & cmpi("eq", extui(trunci(k, narrow), k.kind), k)
    return Equation(shrui(extui(x, k.kind), k), extui(shrui(x, trunci(k, narrow)), k.kind), where=where)


@fields.law("shrsi-of-extsi", widths=WIDTHS)
def _(k: Literal, narrow: Kind) -> Equation | None:
    if not widens(narrow, k.kind):
        return None
    x = Variable(narrow, "x")
    where = below(k, number(narrow.width, k)) & cmpi("eq", extui(trunci(k, narrow), k.kind), k)
    return Equation(shrsi(extsi(x, k.kind), k), extsi(shrsi(x, trunci(k, narrow)), k.kind), where=where)


# Parts that have no bit in common


@fields.law("shifts-apart-as-ori")
def _(x: Term, y: Term, j: Literal, k: Literal) -> Equation:
    """Joined by a sum."""
    return Equation((x << j) + shrui(y, k), (x << j) | shrui(y, k), where=meets(j, k))


@fields.law("shifts-apart-as-xori")
def _(x: Term, y: Term, j: Literal, k: Literal) -> Equation:
    return Equation((x << j) ^ shrui(y, k), (x << j) | shrui(y, k), where=meets(j, k))


@fields.law("shifts-apart")
def _(x: Term, y: Term, j: Literal, k: Literal) -> Equation:
    return Equation((x << j) & shrui(y, k), zero(x), where=meets(j, k))


@fields.law("shli-plus-literal")
def _(x: Term, k: Literal, c: Literal) -> Equation:
    """The literal fits below what was shifted."""
    return Equation((x << k) + c, (x << k) | c, where=cmpi("eq", (ones(x) << k) & c, zero(c)))


@fields.law("shli-plus-mask")
def _(x: Term, y: Term, k: Literal, c: Literal) -> Equation:
    return Equation((x << k) + (y & c), (x << k) | (y & c), where=cmpi("eq", (ones(x) << k) & c, zero(c)))


@fields.law("shli-xori-mask")
def _(x: Term, y: Term, k: Literal, c: Literal) -> Equation:
    return Equation((x << k) ^ (y & c), (x << k) | (y & c), where=cmpi("eq", (ones(x) << k) & c, zero(c)))


@fields.law("words-join", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    """A high word, and a low one from a narrow type."""
    if not widens(narrow, x.kind):
        return None
    low, high = extui(Variable(narrow, "y"), x.kind), x << number(narrow.width, x)
    return Equation(high + low, high | low)


@fields.law("words-join-xori", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    if not widens(narrow, x.kind):
        return None
    low, high = extui(Variable(narrow, "y"), x.kind), x << number(narrow.width, x)
    return Equation(high ^ low, high | low)


@fields.law("low-word-of-join", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    if not widens(narrow, x.kind):
        return None
    y = Variable(narrow, "y")
    return Equation(trunci((x << number(narrow.width, x)) | extui(y, x.kind), narrow), y)


@fields.law("high-word-of-join", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    if not widens(narrow, x.kind):
        return None
    k = number(narrow.width, x)
    joined = (x << k) | extui(Variable(narrow, "y"), x.kind)
    return Equation(shrui(joined, k), x & number((1 << (x.kind.width - narrow.width)) - 1, x))


@fields.law("words-of-a-word", widths=WIDTHS)
def _(x: Term, narrow: Kind) -> Equation | None:
    """A word is made of its high and its low part."""
    if not widens(narrow, x.kind):
        return None
    k = number(narrow.width, x)
    return Equation((shrui(x, k) << k) | extui(trunci(x, narrow), x.kind), x)


# Rotations


@fields.law("rotate-by-width-less-amount")
def _(x: Term, k: Term) -> Equation:
    """The amount of the other shift, modulo a width that is a power of two."""
    mask = number(x.kind.width - 1, x)
    return Equation((width(x) - k) & mask, -k & mask)


@fields.law("rotate-twice-half")
def _(x: Term) -> Equation:
    half = number(x.kind.width // 2, x)
    turned = (x << half) | shrui(x, half)
    return Equation((turned << half) | shrui(turned, half), x)


# Shifts whose flags say that nothing is lost


@fields.law("shrui-of-shli-nuw-further-right")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(k, width(x)) & cmpi("ule", j, k)
    return Equation(shrui(x << j, k), shrui(x, k - j), where=where, given=(shl_without("nuw", x, j),))


@fields.law("shrui-of-shli-nuw-further-left")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(j, width(x)) & cmpi("ult", k, j)
    return Equation(shrui(x << j, k), x << (j - k), where=where, given=(shl_without("nuw", x, j),))


@fields.law("shrsi-of-shli-nsw-further-right")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    where = below(k, width(x)) & cmpi("ule", j, k)
    return Equation(shrsi(x << j, k), shrsi(x, k - j), where=where, given=(shl_without("nsw", x, j),))


@fields.law("shli-of-shrui-exact")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrui(x, k) << k, x, given=(shrui(x, k, exact=True),))


@fields.law("shli-of-shrsi-exact")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrsi(x, k) << k, x, given=(shrsi(x, k, exact=True),))
