"""Laws that mix arithmetic with bitwise operators: sums by carries, averages, absolute values, lowest bits."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined, math

mixed = Book("integers", WIDE, modest=True)


# Sums by carries


@mixed.law("addi-by-carries", derived=True)
def _(x, y):
    """The sum without carries, plus twice the carries."""
    return (x ^ y) + (x & y) * 2, x + y


@mixed.law("addi-by-carries-ori", derived=True)
def _(x, y):
    return (x | y) * 2 - (x ^ y), x + y


@mixed.law("addi-by-complement", derived=True)
def _(x, y):
    return x - ~y, x + y + 1


@mixed.law("subi-by-complement", derived=True)
def _(x, y):
    return ~(~x + y), x - y


@mixed.law("subi-by-borrows", derived=True)
def _(x, y):
    """The difference without borrows, minus twice the borrows."""
    return (x ^ y) - (~x & y) * 2, x - y


@mixed.law("subi-by-parts", derived=True)
def _(x, y):
    return (x & ~y) - (~x & y), x - y


@mixed.law("subi-by-parts-xori", derived=True)
def _(x, y):
    return (x & ~y) * 2 - (x ^ y), x - y


@mixed.law("xori-from-sum", derived=True)
def _(x, y):
    return x + y - (x & y) * 2, x ^ y


@mixed.law("xori-from-sum-ori", derived=True)
def _(x, y):
    return (x | y) * 2 - (x + y), x ^ y


@mixed.law("ori-from-sum", derived=True)
def _(x, y):
    return x + y - (x & y), x | y


@mixed.law("andi-from-sum", derived=True)
def _(x, y):
    return x + y - (x | y), x & y


@mixed.law("andi-from-ori-xori", derived=True)
def _(x, y):
    return (x | y) - (x ^ y), x & y


@mixed.law("ori-as-sum", derived=True)
def _(x, y):
    return (x & ~y) + y, x | y


@mixed.law("andi-complement-as-difference", derived=True)
def _(x, y):
    return x - (x & y), x & ~y


@mixed.law("andi-complement-from-ori", derived=True)
def _(x, y):
    return (x | y) - y, x & ~y


@mixed.law("andi-from-parts", derived=True)
def _(x, y):
    return (~x | y) - ~x, x & y


@mixed.law("xori-by-parts-sum", derived=True)
def _(x, y):
    """The parts have no bit in common."""
    return (x & ~y) + (~x & y), x ^ y


@mixed.law("masks-sum")
def _(x, c):
    """The parts of a word add up to it."""
    assert c.literal
    return (x & c) + (x & ~c), x


@mixed.law("carry-save-adder", derived=True)
def _(x, y, z):
    """Carry-save addition: three words become a sum and a word of carries."""
    carries = x & y | z & (x | y)
    return (x ^ y ^ z) + carries * 2, x + y + z


# Averages that do not overflow


@mixed.law("average-down-unsigned")
def _(x, y):
    """The average rounded down; fails where the sum wraps: `(128 + 128) >> 1` is 0 at width 8."""
    assert defined(arith.addi(x, y, overflow="nuw"))
    return (x & y) + arith.shrui(x ^ y, 1), arith.shrui(x + y, 1)


@mixed.law("average-down-signed")
def _(x, y):
    assert defined(arith.addi(x, y, overflow="nsw"))
    return (x & y) + arith.shrsi(x ^ y, 1), arith.shrsi(x + y, 1)


@mixed.law("average-up-unsigned")
def _(x, y):
    """Rounded up, by the average rounded down; both forms hold for all values."""
    return (x | y) - arith.shrui(x ^ y, 1), (x & y) + arith.shrui(x ^ y, 1) + ((x ^ y) & 1)


@mixed.law("average-up-signed")
def _(x, y):
    return (x | y) - arith.shrsi(x ^ y, 1), (x & y) + arith.shrsi(x ^ y, 1) + ((x ^ y) & 1)


@mixed.law("average-from-lower")
def _(x, y):
    """`low + (high - low) / 2`; fails where `high < low`."""
    whole = (x & y) + arith.shrui(x ^ y, 1)
    assert defined(arith.subi(y, x, overflow="nuw"))
    return x + arith.shrui(y - x, 1), whole


@mixed.law("average-by-halves")
def _(x, y):
    halves = arith.shrui(x, 1) + arith.shrui(y, 1)
    return halves + (x & y & 1), (x & y) + arith.shrui(x ^ y, 1)


@mixed.law("average-by-halves-signed")
def _(x, y):
    halves = arith.shrsi(x, 1) + arith.shrsi(y, 1)
    return halves + (x & y & 1), (x & y) + arith.shrsi(x ^ y, 1)


# Signs and absolute values


@mixed.law("absi-by-sign-subi")
def _(x):
    sign = arith.shrsi(x, x.width - 1)
    return (x ^ sign) - sign, math.absi(x)


@mixed.law("absi-by-sign-addi")
def _(x):
    sign = arith.shrsi(x, x.width - 1)
    return x + sign ^ sign, math.absi(x)


@mixed.law("absi-as-select")
def _(x):
    return arith.select(arith.cmpi(x, 0, predicate="slt"), -x, x), math.absi(x)


@mixed.law("absi-as-select-positive")
def _(x):
    return arith.select(arith.cmpi(0, x, predicate="slt"), x, -x), math.absi(x)


@mixed.law("absi-as-maximum")
def _(x):
    """Holds at MIN too: `-MIN` is MIN."""
    return arith.maxsi(x, -x), math.absi(x)


@mixed.law("absi-as-minimum")
def _(x):
    return arith.minsi(x, -x), -math.absi(x)


@mixed.law("absi-of-absi")
def _(x):
    return math.absi(math.absi(x)), math.absi(x)


@mixed.law("absi-of-negation")
def _(x):
    return math.absi(-x), math.absi(x)


@mixed.law("absi-of-difference")
def _(x, y):
    return math.absi(x - y), math.absi(y - x)


@mixed.law("absi-squared")
def _(x):
    return math.absi(x) * math.absi(x), x * x


@mixed.law("absi-keeps-lowest-bit")
def _(x):
    return math.absi(x) & 1, x & 1


@mixed.law("absi-is-zero")
def _(x):
    return arith.cmpi(math.absi(x), 0, predicate="eq"), arith.cmpi(x, 0, predicate="eq")


@mixed.law("negation-by-sign")
def _(x, y):
    """Conditional negation: `y` is 0 or -1."""
    sign = arith.shrsi(y, x.width - 1)
    return (x ^ sign) - sign, arith.select(arith.cmpi(y, 0, predicate="slt"), -x, x)


@mixed.law("mask-by-sign")
def _(x, y):
    """`x` masked by the sign of `y`: kept where `y` is negative, else 0."""
    sign = arith.shrsi(y, x.width - 1)
    return x & sign, arith.select(arith.cmpi(y, 0, predicate="slt"), x, 0)


@mixed.law("signum")
def _(x):
    """The sign function: -1, 0 or 1."""
    top = x.width - 1
    positive = arith.select(arith.cmpi(0, x, predicate="slt"), 1, 0)
    return arith.shrsi(x, top) | arith.shrui(-x, top), arith.select(arith.cmpi(x, 0, predicate="slt"), -1, positive)


@mixed.law("minsi-by-sign")
def _(x, y):
    """`y + min(x - y, 0)`; fails where the difference wraps."""
    rest = x - y & arith.shrsi(x - y, x.width - 1)
    assert defined(arith.subi(x, y, overflow="nsw"))
    return y + rest, arith.minsi(x, y)


@mixed.law("maxsi-by-sign")
def _(x, y):
    rest = x - y & arith.shrsi(x - y, x.width - 1)
    assert defined(arith.subi(x, y, overflow="nsw"))
    return x - rest, arith.maxsi(x, y)


# The lowest bit that is set


@mixed.law("lowest-bit-cleared")
def _(x):
    return x - (x & -x), x & x - 1


@mixed.law("lowest-bit-cleared-xori")
def _(x):
    return x ^ x & -x, x & x - 1


@mixed.law("lowest-bit-by-complement", derived=True)
def _(x):
    return x & ~(x - 1), x & -x


@mixed.law("lowest-bit-by-difference")
def _(x):
    return x - (x & x - 1), x & -x


@mixed.law("lowest-bit-and-below")
def _(x):
    """The mask of the bits up to the lowest set bit, inclusive."""
    return x ^ x - 1, ~x & x - 1 | x & -x


@mixed.law("lowest-zero-set", derived=True)
def _(x):
    return x | x + 1, x + (~x & x + 1)


@mixed.law("bits-below-lowest")
def _(x):
    return ~(x | -x), ~x & x - 1


@mixed.law("one-bit-at-most")
def _(x):
    """The test for "a power of two, or 0"."""
    return arith.cmpi(x & -x, x, predicate="eq"), arith.cmpi(x & x - 1, 0, predicate="eq")


# Sums under a mask of low bits


@mixed.law("andi-of-sum-literal")
def _(x, c, m):
    """An addend whose bits are all above the mask does not matter."""
    above = (
        arith.cmpi(m & m + 1, 0, predicate="eq")
        & arith.cmpi(c & m, 0, predicate="eq")
        & arith.cmpi(c, 0, predicate="ne")
    )
    assert above
    return x + c & m, x & m


@mixed.law("andi-of-masked-sum")
def _(x, y, c, m):
    below = arith.cmpi(m & m + 1, 0, predicate="eq") & arith.cmpi(c & m, m, predicate="eq")
    assert below
    return (x & c) + y & m, x + y & m


@mixed.law("andi-of-masked-difference")
def _(x, y, c, m):
    below = arith.cmpi(m & m + 1, 0, predicate="eq") & arith.cmpi(c & m, m, predicate="eq")
    assert below
    return x - (y & c) & m, x - y & m


@mixed.law("andi-of-masked-product", widths=(2, 4, 8))
def _(x, y, c, m):
    below = arith.cmpi(m & m + 1, 0, predicate="eq") & arith.cmpi(c & m, m, predicate="eq")
    assert below
    return (x & c) * y & m, x * y & m


@mixed.law("addi-disjoint-masks")
def _(x, y, c, d):
    """No carries where no bit can be set in both."""
    assert arith.cmpi(c & d, 0, predicate="eq")
    return (x & c) + (y & d), x & c | y & d


@mixed.law("ori-literal-as-sum")
def _(x, c, d):
    assert arith.cmpi(c & d, 0, predicate="eq")
    return (x & c) + d, x & c | d
