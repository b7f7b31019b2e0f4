"""Laws of bitwise operators."""

from __future__ import annotations

from hecv.rules.language import Equation, Operation, ones, operation, zero
from hecv.rules.law import Book, Literal, Term

bitwise = Book("integers")


@bitwise.law("andi-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(x & y, y & x)


@bitwise.law("ori-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(x | y, y | x)


@bitwise.law("xori-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(x ^ y, y ^ x)


@bitwise.law("andi-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x & y) & z, x & (y & z))


@bitwise.law("ori-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x | y) | z, x | (y | z))


@bitwise.law("xori-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x ^ y) ^ z, x ^ (y ^ z))


@bitwise.law("andi-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x & c) & d, x & (c & d))


@bitwise.law("ori-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x | c) | d, x | (c | d))


@bitwise.law("xori-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x ^ c) ^ d, x ^ (c ^ d))


@bitwise.law("andi-self")
def _(x: Term) -> Equation:
    return Equation(x & x, x)


@bitwise.law("andi-zero")
def _(x: Term) -> Equation:
    return Equation(x & zero(x), zero(x))


@bitwise.law("andi-ones")
def _(x: Term) -> Equation:
    return Equation(x & ones(x), x)


@bitwise.law("andi-complement")
def _(x: Term) -> Equation:
    return Equation(x & ~x, zero(x))


@bitwise.law("andi-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(x & (x | y), x)


@bitwise.law("andi-part")
def _(x: Term, y: Term) -> Equation:
    return Equation(x & (~x | y), x & y)


@bitwise.law("andi-repeated")
def _(x: Term, y: Term) -> Equation:
    return Equation(x & (x & y), x & y)


@bitwise.law("ori-self")
def _(x: Term) -> Equation:
    return Equation(x | x, x)


@bitwise.law("ori-zero")
def _(x: Term) -> Equation:
    return Equation(x | zero(x), x)


@bitwise.law("ori-ones")
def _(x: Term) -> Equation:
    return Equation(x | ones(x), ones(x))


@bitwise.law("ori-complement")
def _(x: Term) -> Equation:
    return Equation(x | ~x, ones(x))


@bitwise.law("ori-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(x | (x & y), x)


@bitwise.law("ori-part")
def _(x: Term, y: Term) -> Equation:
    return Equation(x | (~x & y), x | y)


@bitwise.law("ori-repeated")
def _(x: Term, y: Term) -> Equation:
    return Equation(x | (x | y), x | y)


@bitwise.law("xori-self")
def _(x: Term) -> Equation:
    return Equation(x ^ x, zero(x))


@bitwise.law("xori-zero")
def _(x: Term) -> Equation:
    return Equation(x ^ zero(x), x)


@bitwise.law("xori-twice")
def _(x: Term, y: Term) -> Equation:
    return Equation((x ^ y) ^ y, x)


@bitwise.law("xori-complement")
def _(x: Term, y: Term) -> Equation:
    return Equation(~x ^ y, ~(x ^ y))


@bitwise.law("andi-de-morgan", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(x & y), ~x | ~y)


@bitwise.law("ori-de-morgan", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(x | y), ~x & ~y)


@bitwise.law("ori-splits")
def _(x: Term, y: Term) -> Equation:
    return Equation((x & y) | (x & ~y), x)


@bitwise.law("andi-splits")
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) & (x | ~y), x)


@bitwise.law("andi-distributes", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(x & (y | z), (x & y) | (x & z))


@bitwise.law("ori-distributes", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(x | (y & z), (x | y) & (x | z))


@bitwise.law("andi-distributes-xori", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(x & (y ^ z), (x & y) ^ (x & z))


@bitwise.law("xori-as-ori-andi", expands=True, both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x ^ y, (x | y) & ~(x & y))


@bitwise.law("ori-xori-andi")
def _(x: Term, y: Term) -> Equation:
    return Equation((x ^ y) | (x & y), x | y)


@bitwise.law("subi-ori-andi")
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) - (x & y), x ^ y)


@bitwise.law("addi-ori-andi")
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) + (x & y), x + y)


@bitwise.law("addi-xori-andi")
def _(x: Term, y: Term) -> Equation:
    return Equation((x ^ y) + (x & y), x | y)


@bitwise.law("complement-as-difference", expands=True, both=True)
def _(x: Term) -> Equation:
    return Equation(~x, ones(x) - x)


@bitwise.law("ori-disjoint")
def _(x: Term, y: Term) -> Equation:
    """Where no bit is set in both, `x | y = x + y`."""
    disjoint: Operation = operation("arith.ori", x, y, disjoint=True)
    return Equation(x | y, x + y, given=(disjoint,))
