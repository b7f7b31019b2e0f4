"""Laws of quotients and remainders by powers of two, under negation, and as `affine` is lowered."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.laws.notation.type_limits import greatest, least
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined

quotients = Book("integers", WIDE)


# Powers of two


@quotients.law("floordivsi-as-shrsi", modest=True)
def _(x, k):
    """A signed shift rounds down; fails at `k = width - 1`: the divisor is negative then."""
    assert arith.cmpi(k, x.width - 1, predicate="ult")
    return arith.shrsi(x, k), arith.floordivsi(x, 1 << k)


@quotients.law("ceildivsi-as-shrsi", modest=True)
def _(x, k):
    """Rounded up by negating twice; at MIN too, where `-MIN` is MIN."""
    assert arith.cmpi(k, x.width - 1, predicate="ult")
    return -arith.shrsi(-x, k), arith.select(
        arith.cmpi(x, least(x), predicate="eq"), -arith.shrsi(x, k), arith.ceildivsi(x, 1 << k)
    )


@quotients.law("divsi-by-power-of-two", modest=True)
def _(x, k, j):
    """The form that compilers emit: a bias is added to a negative dividend first."""
    top = x.width - 1
    where = (
        arith.cmpi(k, top, predicate="ult")
        & arith.cmpi(k, 0, predicate="ne")
        & arith.cmpi(j, x.width - k, predicate="eq")
    )
    assert where
    return arith.shrsi(x + arith.shrui(arith.shrsi(x, top), j), k), arith.divsi(x, 1 << k)


@quotients.law("divsi-by-two", widths=WIDE[1:], modest=True)
def _(x):
    """The bias is the sign bit."""
    biased = x + arith.shrui(x, x.width - 1)
    return arith.shrsi(biased, 1), arith.divsi(x, 2)


@quotients.law("divsi-by-power-of-two-select", modest=True)
def _(x, c, k):
    top = x.width - 1
    where = arith.cmpi(k, top, predicate="ult") & arith.cmpi(c, (1 << k) - 1, predicate="eq")
    biased = arith.select(arith.cmpi(x, 0, predicate="slt"), x + c, x)
    assert where
    return arith.shrsi(biased, k), arith.divsi(x, 1 << k)


@quotients.law("remsi-by-power-of-two", modest=True)
def _(x, c, j):
    """The low bits of the dividend with its bias, less the bias."""
    sign = arith.shrsi(x, x.width - 1)
    power = (
        arith.cmpi(c + 1, 0, predicate="sgt")
        & arith.cmpi(c & c + 1, 0, predicate="eq")
        & arith.cmpi(c, 0, predicate="ne")
    )
    where = power & arith.cmpi(j, x.width, predicate="ult") & arith.cmpi(arith.shrui(-1, j), c, predicate="eq")
    bias = arith.shrui(sign, j)
    assert where
    return (x + bias & c) - bias, arith.remsi(x, c + 1)


@quotients.law("remsi-by-two", widths=WIDE[1:], modest=True)
def _(x):
    low = x & 1
    return arith.select(arith.cmpi(x, 0, predicate="slt"), -low, low), arith.remsi(x, 2)


@quotients.law("remsi-parity", modest=True)
def _(x):
    """The test for an odd number, by a remainder of either sign."""
    return arith.cmpi(arith.remsi(x, 2), 0, predicate="ne"), arith.cmpi(x & 1, 0, predicate="ne")


@quotients.law("remsi-is-zero-by-mask", modest=True)
def _(x, c):
    """Divisible by a power of two, whatever the sign."""
    power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="ne")
    assert power
    return arith.cmpi(arith.remsi(x, c), 0, predicate="eq"), arith.cmpi(x & c - 1, 0, predicate="eq")


@quotients.law("floor-remainder-as-andi", modest=True)
def _(x, c):
    """`x - floor(x / c) * c`; fails at MIN, which is no positive power of two."""
    power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="sgt")
    assert power
    return x - arith.floordivsi(x, c) * c, x & c - 1


@quotients.law("round-down-as-andi", modest=True)
def _(x, c):
    power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="ne")
    assert power
    return arith.divui(x, c) * c, x & -c


@quotients.law("round-down-signed-as-andi", modest=True)
def _(x, c):
    power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="sgt")
    assert power
    return arith.floordivsi(x, c) * c, x & -c


@quotients.law("ceildivui-by-power-of-two", modest=True)
def _(x, k):
    """The quotient, plus one if a bit is lost."""
    low = x & (1 << k) - 1
    inexact = arith.select(arith.cmpi(low, 0, predicate="ne"), 1, 0)
    assert arith.cmpi(k, x.width, predicate="ult")
    return arith.shrui(x, k) + inexact, arith.ceildivui(x, 1 << k)


@quotients.law("remui-by-half-range", modest=True)
def _(x):
    """The remainder by the power of two that is the sign bit."""
    return arith.remui(x, least(x)), x & greatest(x)


# Signs


@quotients.law("divsi-of-negation", integral="signed", modest=True)
def _(x, y):
    """Fails where the negation wraps: `-MIN / 2` is `MIN / 2`."""
    negation = arith.subi(0, x, overflow="nsw")
    assert defined(negation)
    assert defined(arith.divsi(-x, y))
    return arith.divsi(-x, y), -arith.divsi(x, y)


@quotients.law("remsi-of-negation", integral="signed", modest=True)
def _(x, y):
    negation = arith.subi(0, x, overflow="nsw")
    assert defined(negation)
    assert defined(arith.remsi(-x, y))
    return arith.remsi(-x, y), -arith.remsi(x, y)


@quotients.law("divsi-by-negation", integral="signed", modest=True)
def _(x, y):
    negation = arith.subi(0, y, overflow="nsw")
    assert defined(negation)
    assert defined(arith.divsi(x, -y))
    return arith.divsi(x, -y), -arith.divsi(x, y)


@quotients.law("remsi-by-negation", integral="signed", modest=True)
def _(x, y):
    negation = arith.subi(0, y, overflow="nsw")
    assert defined(negation)
    assert defined(arith.remsi(x, -y))
    return arith.remsi(x, -y), arith.remsi(x, y)


@quotients.law("ceildivsi-as-floordivsi", integral="signed", modest=True)
def _(x, y):
    """Rounding up is negated rounding down."""
    negation = arith.subi(0, x, overflow="nsw")
    assert defined(negation)
    assert defined(arith.floordivsi(-x, y))
    return -arith.floordivsi(-x, y), arith.ceildivsi(x, y)


# The expansions of affine's operators


@quotients.law("modulo-by-select", integral="signed", modest=True)
def _(x, c):
    """The remainder that is not negative. Cites: lower-affine, affine.apply with `mod`."""
    rest = arith.remsi(x, c)
    fixed = arith.select(arith.cmpi(rest, 0, predicate="slt"), rest + c, rest)
    assert arith.cmpi(c, 0, predicate="sgt")
    return fixed, x - arith.floordivsi(x, c) * c


@quotients.law("floordivsi-by-select", integral="signed", modest=True)
def _(x, c):
    """Cites: lower-affine, affine.apply with `floordiv`."""
    negative = arith.cmpi(x, 0, predicate="slt")
    quotient = arith.divsi(arith.select(negative, -1 - x, x), c)
    assert arith.cmpi(c, 0, predicate="sgt")
    return arith.select(negative, -1 - quotient, quotient), arith.floordivsi(x, c)
