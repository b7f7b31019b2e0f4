"""Laws of bit fields: shifted out and back, extracted, inserted, concatenated and rotated."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE, WIDTHS
from hecv.rules import arith, defined, some_type

fields = Book("integers", WIDE, modest=True)


def below(k, bits):
    """`k < bits`, unsigned."""
    return arith.cmpi(k, bits, predicate="ult")


def meets(j, k):
    """A shift left by `j` and one right by `k` leave no bit in common: both are below the width, their sum is not."""
    return below(j, j.width) & below(k, k.width) & arith.cmpi(j, j.width - k, predicate="uge")


# There and back by different amounts


@fields.law("shrui-of-shli-further-left")
def _(x, j, k):
    where = below(j, x.width) & arith.cmpi(k, j, predicate="ult")
    assert where
    return arith.shrui(x << j, k), x << j - k & arith.shrui(-1, k)


@fields.law("shrui-of-shli-further-right")
def _(x, j, k):
    where = below(k, x.width) & arith.cmpi(j, k, predicate="ult")
    assert where
    return arith.shrui(x << j, k), arith.shrui(x, k - j) & arith.shrui(-1, k)


@fields.law("shli-of-shrui-further-left")
def _(x, j, k):
    where = below(k, x.width) & arith.cmpi(j, k, predicate="ult")
    assert where
    return arith.shrui(x, j) << k, x << k - j & -1 << k


@fields.law("shli-of-shrui-further-right")
def _(x, j, k):
    where = below(j, x.width) & arith.cmpi(k, j, predicate="ult")
    assert where
    return arith.shrui(x, j) << k, arith.shrui(x, j - k) & -1 << k


@fields.law("shli-of-shrsi-further-right")
def _(x, j, k):
    where = below(j, x.width) & arith.cmpi(k, j, predicate="ult")
    assert where
    return arith.shrsi(x, j) << k, arith.shrsi(x, j - k) & -1 << k


@fields.law("shrsi-shrsi-out")
def _(x, j, k):
    small = below(j, x.width) & below(k, x.width) & arith.cmpi(j + k, x.width - 1, predicate="uge")
    assert small
    return arith.shrsi(arith.shrsi(x, j), k), arith.shrsi(x, x.width - 1)


@fields.law("shrui-of-shrsi-masked")
def _(x, c, k):
    """The mask keeps no copy of the sign bit."""
    where = below(k, x.width) & arith.cmpi(c & ~arith.shrui(-1, k), 0, predicate="eq")
    assert where
    return arith.shrsi(x, k) & c, arith.shrui(x, k) & c


# Masks and shifts


@fields.law("shrui-of-mask")
def _(x, c, k):
    assert c.literal and k.literal
    return arith.shrui(x & c, k), arith.shrui(x, k) & arith.shrui(c, k)


@fields.law("shli-of-mask")
def _(x, c, k):
    assert c.literal and k.literal
    return (x & c) << k, x << k & c << k


@fields.law("andi-of-shli-mask")
def _(x, c, k):
    """The mask keeps all bits that the shift leaves."""
    assert arith.cmpi(-1 << k & ~c, 0, predicate="eq")
    return x << k & c, x << k


@fields.law("andi-of-shrui-mask")
def _(x, c, k):
    assert arith.cmpi(arith.shrui(-1, k) & ~c, 0, predicate="eq")
    return arith.shrui(x, k) & c, arith.shrui(x, k)


@fields.law("andi-of-shli-low")
def _(x, c, k):
    """The mask keeps only bits that the shift clears."""
    assert arith.cmpi(-1 << k & c, 0, predicate="eq")
    return x << k & c, 0


@fields.law("andi-of-shrui-high")
def _(x, c, k):
    assert arith.cmpi(arith.shrui(-1, k) & c, 0, predicate="eq")
    return arith.shrui(x, k) & c, 0


@fields.law("clear-low-bits")
def _(x, c):
    """`x - x % 2**k`."""
    assert c.literal
    return x - (x & c), x & ~c


@fields.law("shrui-ignores-cleared-bits")
def _(x, c, k):
    where = below(k, x.width) & arith.cmpi(arith.shrui(~c, k), 0, predicate="eq")
    assert where
    return arith.shrui(x & c, k), arith.shrui(x, k)


@fields.law("shrui-ignores-added-bits")
def _(x, c, k):
    where = below(k, x.width) & arith.cmpi(arith.shrui(c, k), 0, predicate="eq")
    assert where
    return arith.shrui(x | c, k), arith.shrui(x, k)


# Fields with a sign, and of a narrow type


@fields.law("sign-extension-by-shifts", widths=WIDTHS)
def _(x):
    narrow = some_type()
    k = x.width - narrow.width
    return arith.shrsi(x << k, k), arith.extsi(arith.trunci(x, type=narrow.type))


@fields.law("zero-extension-by-shifts", widths=WIDTHS)
def _(x):
    narrow = some_type()
    k = x.width - narrow.width
    return arith.shrui(x << k, k), arith.extui(arith.trunci(x, type=narrow.type))


@fields.law("sign-extension-by-xori", widths=WIDTHS)
def _(x):
    """Sign extension of a field: flip its sign bit, then subtract it."""
    narrow = some_type()
    sign = 1 << narrow.width - 1
    low = x & (1 << narrow.width) - 1
    return (low ^ sign) - sign, arith.extsi(arith.trunci(x, type=narrow.type))


@fields.law("trunci-of-shli", widths=WIDTHS)
def _(x, k):
    narrow = arith.trunci(x << k)
    where = below(k, narrow.width) & arith.cmpi(
        arith.extui(arith.trunci(k, type=narrow.type), type=x.type), k, predicate="eq"
    )
    assert where
    return narrow, arith.trunci(x, type=narrow.type) << arith.trunci(k, type=narrow.type)


@fields.law("trunci-of-shrsi", widths=WIDTHS)
def _(x, k):
    """The truncation drops all copies of the sign bit. Cites: canonicalize, TruncIShrSIToTrunciShrUI."""
    narrow = arith.trunci(arith.shrsi(x, k))
    where = arith.cmpi(k, x.width - narrow.width, predicate="ule")
    assert where
    return narrow, arith.trunci(arith.shrui(x, k))


@fields.law("shrui-of-extui", widths=WIDTHS)
def _(k, x):
    where = below(k, x.width) & arith.cmpi(arith.extui(arith.trunci(k, type=x.type), type=k.type), k, predicate="eq")
    assert where
    return arith.shrui(arith.extui(x), k), arith.extui(arith.shrui(x, arith.trunci(k, type=x.type)))


@fields.law("shrsi-of-extsi", widths=WIDTHS)
def _(k, x):
    where = below(k, x.width) & arith.cmpi(arith.extui(arith.trunci(k, type=x.type), type=k.type), k, predicate="eq")
    assert where
    return arith.shrsi(arith.extsi(x), k), arith.extsi(arith.shrsi(x, arith.trunci(k, type=x.type)))


# Parts that have no bit in common


@fields.law("shifts-apart-as-ori")
def _(x, y, j, k):
    """Fields without a common bit, concatenated by a sum."""
    assert meets(j, k)
    return (x << j) + arith.shrui(y, k), x << j | arith.shrui(y, k)


@fields.law("shifts-apart-as-xori")
def _(x, y, j, k):
    assert meets(j, k)
    return x << j ^ arith.shrui(y, k), x << j | arith.shrui(y, k)


@fields.law("shifts-apart")
def _(x, y, j, k):
    assert meets(j, k)
    return x << j & arith.shrui(y, k), 0


@fields.law("shli-plus-literal")
def _(x, k, c):
    """The literal fits below what was shifted."""
    assert arith.cmpi(-1 << k & c, 0, predicate="eq")
    return (x << k) + c, x << k | c


@fields.law("shli-plus-mask")
def _(x, y, k, c):
    assert arith.cmpi(-1 << k & c, 0, predicate="eq")
    return (x << k) + (y & c), x << k | y & c


@fields.law("shli-xori-mask")
def _(x, y, k, c):
    assert arith.cmpi(-1 << k & c, 0, predicate="eq")
    return x << k ^ y & c, x << k | y & c


@fields.law("words-join", widths=WIDTHS)
def _(x, y):
    """Concatenation of a high word and a zero-extended low word."""
    low = arith.extui(y)
    high = x << y.width
    return high + low, high | low


@fields.law("words-join-xori", widths=WIDTHS)
def _(x, y):
    low = arith.extui(y)
    high = x << y.width
    return high ^ low, high | low


@fields.law("low-word-of-join", widths=WIDTHS)
def _(x, y):
    return arith.trunci(x << y.width | arith.extui(y)), y


@fields.law("high-word-of-join", widths=WIDTHS)
def _(x, y):
    k = y.width
    joined = x << k | arith.extui(y)
    return arith.shrui(joined, k), x & (1 << x.width - y.width) - 1


@fields.law("words-of-a-word", widths=WIDTHS)
def _(x):
    """A word is the concatenation of its high and its low part."""
    narrow = arith.trunci(x)
    k = narrow.width
    return arith.shrui(x, k) << k | arith.extui(narrow), x


# Rotations


@fields.law("rotate-by-width-less-amount")
def _(k):
    """The amount of the other shift, modulo a width that is a power of two."""
    mask = k.width - 1
    return k.width - k & mask, -k & mask


@fields.law("rotate-twice-half")
def _(x):
    half = x.width // 2
    turned = x << half | arith.shrui(x, half)
    return turned << half | arith.shrui(turned, half), x


# Shifts whose flags say that nothing is lost


@fields.law("shrui-of-shli-nuw-further-right")
def _(x, j, k):
    where = below(k, x.width) & arith.cmpi(j, k, predicate="ule")
    assert where
    assert defined(arith.shli(x, j, overflow="nuw"))
    return arith.shrui(x << j, k), arith.shrui(x, k - j)


@fields.law("shrui-of-shli-nuw-further-left")
def _(x, j, k):
    where = below(j, x.width) & arith.cmpi(k, j, predicate="ult")
    assert where
    assert defined(arith.shli(x, j, overflow="nuw"))
    return arith.shrui(x << j, k), x << j - k


@fields.law("shrsi-of-shli-nsw-further-right")
def _(x, j, k):
    where = below(k, x.width) & arith.cmpi(j, k, predicate="ule")
    assert where
    assert defined(arith.shli(x, j, overflow="nsw"))
    return arith.shrsi(x << j, k), arith.shrsi(x, k - j)


@fields.law("shli-of-shrui-exact")
def _(x, k):
    assert defined(arith.shrui(x, k, exact=True))
    return arith.shrui(x, k) << k, x


@fields.law("shli-of-shrsi-exact")
def _(x, k):
    assert defined(arith.shrsi(x, k, exact=True))
    return arith.shrsi(x, k) << k, x
