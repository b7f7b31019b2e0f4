"""Laws that mix arithmetic with bitwise operators: sums by carries, averages, absolute values, lowest bits."""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    absi,
    add_without,
    cmpi,
    maxsi,
    minsi,
    number,
    one,
    ones,
    select,
    shrsi,
    shrui,
    sub_without,
    zero,
)
from hecv.rules.law import WIDE, Book, Literal, Term

mixed = Book("integers", WIDE, modest=True)


# Sums by carries


@mixed.law("addi-by-carries", derived=True)
def _(x: Term, y: Term) -> Equation:
    """The sum without carries, and twice the carries."""
    return Equation((x ^ y) + (x & y) * number(2, x), x + y)


@mixed.law("addi-by-carries-ori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) * number(2, x) - (x ^ y), x + y)


@mixed.law("addi-by-complement", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x - ~y, x + y + one(x))


@mixed.law("subi-by-complement", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(~x + y), x - y)


@mixed.law("subi-by-borrows", derived=True)
def _(x: Term, y: Term) -> Equation:
    """The difference without borrows, less twice the borrows."""
    return Equation((x ^ y) - (~x & y) * number(2, x), x - y)


@mixed.law("subi-by-parts", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x & ~y) - (~x & y), x - y)


@mixed.law("subi-by-parts-xori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x & ~y) * number(2, x) - (x ^ y), x - y)


@mixed.law("xori-from-sum", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x + y) - (x & y) * number(2, x), x ^ y)


@mixed.law("xori-from-sum-ori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) * number(2, x) - (x + y), x ^ y)


@mixed.law("ori-from-sum", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x + y) - (x & y), x | y)


@mixed.law("andi-from-sum", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x + y) - (x | y), x & y)


@mixed.law("andi-from-ori-xori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) - (x ^ y), x & y)


@mixed.law("ori-as-sum", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x & ~y) + y, x | y)


@mixed.law("andi-complement-as-difference", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x - (x & y), x & ~y)


@mixed.law("andi-complement-from-ori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) - y, x & ~y)


@mixed.law("andi-from-parts", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((~x | y) - ~x, x & y)


@mixed.law("xori-by-parts-sum", derived=True)
def _(x: Term, y: Term) -> Equation:
    """The parts have no bit in common."""
    return Equation((x & ~y) + (~x & y), x ^ y)


@mixed.law("masks-sum")
def _(x: Term, c: Literal) -> Equation:
    """The parts of a word add up to it."""
    return Equation((x & c) + (x & ~c), x)


@mixed.law("carry-save-adder", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """Three words become a sum and a word of carries."""
    carries = (x & y) | (z & (x | y))
    return Equation((x ^ y ^ z) + carries * number(2, x), (x + y) + z)


# Averages that do not overflow


@mixed.law("average-down-unsigned")
def _(x: Term, y: Term) -> Equation:
    """The average rounded down; fails where the sum wraps: `(128 + 128) >> 1` is 0 at width 8."""
    return Equation((x & y) + shrui(x ^ y, one(x)), shrui(x + y, one(x)), given=(add_without("nuw", x, y),))


@mixed.law("average-down-signed")
def _(x: Term, y: Term) -> Equation:
    return Equation((x & y) + shrsi(x ^ y, one(x)), shrsi(x + y, one(x)), given=(add_without("nsw", x, y),))


@mixed.law("average-up-unsigned")
def _(x: Term, y: Term) -> Equation:
    """Rounded up, by the average rounded down; both forms hold for all values."""
    return Equation((x | y) - shrui(x ^ y, one(x)), (x & y) + shrui(x ^ y, one(x)) + ((x ^ y) & one(x)))


@mixed.law("average-up-signed")
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) - shrsi(x ^ y, one(x)), (x & y) + shrsi(x ^ y, one(x)) + ((x ^ y) & one(x)))


@mixed.law("average-from-lower")
def _(x: Term, y: Term) -> Equation:
    """`low + (high - low) / 2`; fails where `high < low`."""
    whole = (x & y) + shrui(x ^ y, one(x))
    return Equation(x + shrui(y - x, one(x)), whole, given=(sub_without("nuw", y, x),))


@mixed.law("average-by-halves")
def _(x: Term, y: Term) -> Equation:
    halves = shrui(x, one(x)) + shrui(y, one(x))
    return Equation(halves + (x & y & one(x)), (x & y) + shrui(x ^ y, one(x)))


@mixed.law("average-by-halves-signed")
def _(x: Term, y: Term) -> Equation:
    halves = shrsi(x, one(x)) + shrsi(y, one(x))
    return Equation(halves + (x & y & one(x)), (x & y) + shrsi(x ^ y, one(x)))


# Signs and absolute values


@mixed.law("absi-by-sign-subi")
def _(x: Term) -> Equation:
    sign = shrsi(x, number(x.kind.width - 1, x))
    return Equation((x ^ sign) - sign, absi(x))


@mixed.law("absi-by-sign-addi")
def _(x: Term) -> Equation:
    sign = shrsi(x, number(x.kind.width - 1, x))
    return Equation((x + sign) ^ sign, absi(x))


@mixed.law("absi-as-select")
def _(x: Term) -> Equation:
    return Equation(select(cmpi("slt", x, zero(x)), -x, x), absi(x))


@mixed.law("absi-as-select-positive")
def _(x: Term) -> Equation:
    return Equation(select(cmpi("slt", zero(x), x), x, -x), absi(x))


@mixed.law("absi-as-maximum")
def _(x: Term) -> Equation:
    """Also at MIN: `-MIN` is MIN."""
    return Equation(maxsi(x, -x), absi(x))


@mixed.law("absi-as-minimum")
def _(x: Term) -> Equation:
    return Equation(minsi(x, -x), -absi(x))


@mixed.law("absi-of-absi")
def _(x: Term) -> Equation:
    return Equation(absi(absi(x)), absi(x))


@mixed.law("absi-of-negation")
def _(x: Term) -> Equation:
    return Equation(absi(-x), absi(x))


@mixed.law("absi-of-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation(absi(x - y), absi(y - x))


@mixed.law("absi-squared")
def _(x: Term) -> Equation:
    return Equation(absi(x) * absi(x), x * x)


@mixed.law("absi-keeps-lowest-bit")
def _(x: Term) -> Equation:
    return Equation(absi(x) & one(x), x & one(x))


@mixed.law("absi-is-zero")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", absi(x), zero(x)), cmpi("eq", x, zero(x)))


@mixed.law("negation-by-sign")
def _(x: Term, y: Term) -> Equation:
    """Conditional negation: `y` is 0 or -1."""
    sign = shrsi(y, number(x.kind.width - 1, x))
    return Equation((x ^ sign) - sign, select(cmpi("slt", y, zero(y)), -x, x))


@mixed.law("mask-by-sign")
def _(x: Term, y: Term) -> Equation:
    """A word kept where `y` is negative."""
    sign = shrsi(y, number(x.kind.width - 1, x))
    return Equation(x & sign, select(cmpi("slt", y, zero(y)), x, zero(x)))


@mixed.law("signum")
def _(x: Term) -> Equation:
    """-1, 0 or 1."""
    top = number(x.kind.width - 1, x)
    positive = select(cmpi("slt", zero(x), x), one(x), zero(x))
    return Equation(shrsi(x, top) | shrui(-x, top), select(cmpi("slt", x, zero(x)), ones(x), positive))


@mixed.law("minsi-by-sign")
def _(x: Term, y: Term) -> Equation:
    """`y + min(x - y, 0)`; fails where the difference wraps."""
    rest = (x - y) & shrsi(x - y, number(x.kind.width - 1, x))
    return Equation(y + rest, minsi(x, y), given=(sub_without("nsw", x, y),))


@mixed.law("maxsi-by-sign")
def _(x: Term, y: Term) -> Equation:
    rest = (x - y) & shrsi(x - y, number(x.kind.width - 1, x))
    return Equation(x - rest, maxsi(x, y), given=(sub_without("nsw", x, y),))


# The lowest bit that is set


@mixed.law("lowest-bit-cleared")
def _(x: Term) -> Equation:
    return Equation(x - (x & -x), x & (x - one(x)))


@mixed.law("lowest-bit-cleared-xori")
def _(x: Term) -> Equation:
    return Equation(x ^ (x & -x), x & (x - one(x)))


@mixed.law("lowest-bit-by-complement", derived=True)
def _(x: Term) -> Equation:
    return Equation(x & ~(x - one(x)), x & -x)


@mixed.law("lowest-bit-by-difference")
def _(x: Term) -> Equation:
    return Equation(x - (x & (x - one(x))), x & -x)


@mixed.law("lowest-bit-and-below")
def _(x: Term) -> Equation:
    """A mask up to and with the lowest bit that is set."""
    return Equation(x ^ (x - one(x)), ~x & (x - one(x)) | (x & -x))


@mixed.law("lowest-zero-set", derived=True)
def _(x: Term) -> Equation:
    return Equation(x | (x + one(x)), x + (~x & (x + one(x))))


@mixed.law("bits-below-lowest")
def _(x: Term) -> Equation:
    return Equation(~(x | -x), ~x & (x - one(x)))


@mixed.law("one-bit-at-most")
def _(x: Term) -> Equation:
    """The test for a power of two, or 0."""
    return Equation(cmpi("eq", x & -x, x), cmpi("eq", x & (x - one(x)), zero(x)))


# Sums under a mask of low bits


@mixed.law("andi-of-sum-literal")
def _(x: Term, c: Literal, m: Literal) -> Equation:
    """What is added above the mask does not show."""
    above = cmpi("eq", m & (m + one(m)), zero(m)) & cmpi("eq", c & m, zero(m)) & cmpi("ne", c, zero(m))
    return Equation((x + c) & m, x & m, where=above)


@mixed.law("andi-of-masked-sum")
def _(x: Term, y: Term, c: Literal, m: Literal) -> Equation:
    below = cmpi("eq", m & (m + one(m)), zero(m)) & cmpi("eq", c & m, m)
    return Equation(((x & c) + y) & m, (x + y) & m, where=below)


@mixed.law("andi-of-masked-difference")
def _(x: Term, y: Term, c: Literal, m: Literal) -> Equation:
    below = cmpi("eq", m & (m + one(m)), zero(m)) & cmpi("eq", c & m, m)
    return Equation((x - (y & c)) & m, (x - y) & m, where=below)


@mixed.law("andi-of-masked-product", widths=(2, 4, 8))
def _(x: Term, y: Term, c: Literal, m: Literal) -> Equation:
    below = cmpi("eq", m & (m + one(m)), zero(m)) & cmpi("eq", c & m, m)
    return Equation(((x & c) * y) & m, (x * y) & m, where=below)


@mixed.law("addi-disjoint-masks")
def _(x: Term, y: Term, c: Literal, d: Literal) -> Equation:
    """No carries where no bit can be set in both."""
    return Equation((x & c) + (y & d), (x & c) | (y & d), where=cmpi("eq", c & d, zero(c)))


@mixed.law("ori-literal-as-sum")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x & c) + d, (x & c) | d, where=cmpi("eq", c & d, zero(c)))
