"""Laws of bitwise operators."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.rules import arith, defined

bitwise = Book("integers")


@bitwise.law("andi-commutes")
def _(x, y):
    return x & y, y & x


@bitwise.law("ori-commutes")
def _(x, y):
    return x | y, y | x


@bitwise.law("xori-commutes")
def _(x, y):
    return x ^ y, y ^ x


@bitwise.law("andi-associates", expands=True, both=True)
def _(x, y, z):
    return x & y & z, x & (y & z)


@bitwise.law("ori-associates", expands=True, both=True)
def _(x, y, z):
    return x | y | z, x | (y | z)


@bitwise.law("xori-associates", expands=True, both=True)
def _(x, y, z):
    return x ^ y ^ z, x ^ (y ^ z)


@bitwise.law("andi-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return x & c & d, x & (c & d)


@bitwise.law("ori-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return x | c | d, x | (c | d)


@bitwise.law("xori-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return x ^ c ^ d, x ^ (c ^ d)


@bitwise.law("andi-self")
def _(x):
    return x & x, x


@bitwise.law("andi-zero")
def _(x):
    return x & 0, 0


@bitwise.law("andi-ones")
def _(x):
    return x & -1, x


@bitwise.law("andi-complement")
def _(x):
    return x & ~x, 0


@bitwise.law("andi-absorbs")
def _(x, y):
    return x & (x | y), x


@bitwise.law("andi-part")
def _(x, y):
    return x & (~x | y), x & y


@bitwise.law("andi-repeated")
def _(x, y):
    return x & (x & y), x & y


@bitwise.law("ori-self")
def _(x):
    return x | x, x


@bitwise.law("ori-zero")
def _(x):
    return x | 0, x


@bitwise.law("ori-ones")
def _(x):
    return x | -1, -1


@bitwise.law("ori-complement")
def _(x):
    return x | ~x, -1


@bitwise.law("ori-absorbs")
def _(x, y):
    return x | x & y, x


@bitwise.law("ori-part")
def _(x, y):
    return x | ~x & y, x | y


@bitwise.law("ori-repeated")
def _(x, y):
    return x | (x | y), x | y


@bitwise.law("xori-self")
def _(x):
    return x ^ x, 0


@bitwise.law("xori-zero")
def _(x):
    return x ^ 0, x


@bitwise.law("xori-twice")
def _(x, y):
    return x ^ y ^ y, x


@bitwise.law("xori-complement")
def _(x, y):
    return ~x ^ y, ~(x ^ y)


@bitwise.law("andi-de-morgan", both=True)
def _(x, y):
    return ~(x & y), ~x | ~y


@bitwise.law("ori-de-morgan", both=True)
def _(x, y):
    return ~(x | y), ~x & ~y


@bitwise.law("ori-splits")
def _(x, y):
    return x & y | x & ~y, x


@bitwise.law("andi-splits")
def _(x, y):
    return (x | y) & (x | ~y), x


@bitwise.law("andi-distributes", expands=True, both=True)
def _(x, y, z):
    return x & (y | z), x & y | x & z


@bitwise.law("ori-distributes", expands=True, both=True)
def _(x, y, z):
    return x | y & z, (x | y) & (x | z)


@bitwise.law("andi-distributes-xori", expands=True, both=True)
def _(x, y, z):
    return x & (y ^ z), x & y ^ x & z


@bitwise.law("xori-as-ori-andi", expands=True, both=True)
def _(x, y):
    return x ^ y, (x | y) & ~(x & y)


@bitwise.law("ori-xori-andi")
def _(x, y):
    return x ^ y | x & y, x | y


@bitwise.law("subi-ori-andi")
def _(x, y):
    return (x | y) - (x & y), x ^ y


@bitwise.law("addi-ori-andi")
def _(x, y):
    return (x | y) + (x & y), x + y


@bitwise.law("addi-xori-andi")
def _(x, y):
    return (x ^ y) + (x & y), x | y


@bitwise.law("complement-as-difference", expands=True, both=True)
def _(x):
    return ~x, -1 - x


@bitwise.law("ori-disjoint")
def _(x, y):
    """Where no bit is set in both, `x | y = x + y`."""
    assert defined(arith.ori(x, y, disjoint=True))
    return x | y, x + y
