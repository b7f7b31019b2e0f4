"""Laws of gates: what `nand`, `nor`, `xnor`, majority and multiplexer are made of, and the one-bit adder."""

from __future__ import annotations

from hecv.rules.language import Equation, Pattern, zero
from hecv.rules.law import Book, Literal, Term

gates = Book("integers")


def nand(x: Pattern, y: Pattern) -> Pattern:
    """`~(x & y)`."""
    return ~(x & y)


def nor(x: Pattern, y: Pattern) -> Pattern:
    """`~(x | y)`."""
    return ~(x | y)


def majority(x: Pattern, y: Pattern, z: Pattern) -> Pattern:
    """The bits that are set in at least two of three."""
    return (x & y) | (z & (x | y))


@gates.law("complement-twice", derived=True)
def _(x: Term) -> Equation:
    return Equation(~~x, x)


@gates.law("nand-self", derived=True)
def _(x: Term) -> Equation:
    return Equation(nand(x, x), ~x)


@gates.law("nor-self", derived=True)
def _(x: Term) -> Equation:
    return Equation(nor(x, x), ~x)


@gates.law("andi-as-nands", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(nand(nand(x, y), nand(x, y)), x & y)


@gates.law("ori-as-nands", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(nand(nand(x, x), nand(y, y)), x | y)


@gates.law("xori-as-nands", derived=True)
def _(x: Term, y: Term) -> Equation:
    """The four gates of an exclusive or."""
    both = nand(x, y)
    return Equation(nand(nand(x, both), nand(y, both)), x ^ y)


@gates.law("ori-as-nors", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(nor(nor(x, y), nor(x, y)), x | y)


@gates.law("andi-as-nors", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(nor(nor(x, x), nor(y, y)), x & y)


@gates.law("xnor-as-nors", derived=True)
def _(x: Term, y: Term) -> Equation:
    neither = nor(x, y)
    return Equation(nor(nor(x, neither), nor(y, neither)), ~(x ^ y))


@gates.law("andi-of-complements-de-morgan", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(~x & ~y), x | y)


@gates.law("ori-of-complements-de-morgan", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(~x | ~y), x & y)


@gates.law("nand-de-morgan-one-complement", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(~x & y), x | ~y)


@gates.law("nor-de-morgan-one-complement", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(~x | y), x & ~y)


@gates.law("xori-of-complements", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~x ^ ~y, x ^ y)


@gates.law("xnor-as-xori-of-complement", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(~(x ^ y), x ^ ~y)


@gates.law("xori-as-difference-of-gates", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x & ~y) | (~x & y), x ^ y)


@gates.law("xori-as-product-of-sums", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) & (~x | ~y), x ^ y)


@gates.law("xori-as-ori-xor-andi", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) ^ (x & y), x ^ y)


@gates.law("xnor-as-sum-of-products", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x & y) | (~x & ~y), ~(x ^ y))


@gates.law("xnor-as-product-of-sums", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | ~y) & (~x | y), ~(x ^ y))


@gates.law("ori-as-xori-andi", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x ^ y) ^ (x & y), x | y)


@gates.law("andi-as-xori-ori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x ^ y) ^ (x | y), x & y)


@gates.law("andi-complement-as-xori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x ^ (x & y), x & ~y)


@gates.law("andi-complement-as-xori-ori", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) ^ y, x & ~y)


@gates.law("andi-xori-part", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x & (x ^ y), x & ~y)


@gates.law("ori-xori-part", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x | (x ^ y), x | y)


@gates.law("andi-xnor-part", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x & ~(x ^ y), x & y)


@gates.law("ori-xnor-part", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x | ~(x ^ y), x | ~y)


@gates.law("ori-of-product-of-sums", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x | y) & (x | z), x | (y & z))


@gates.law("andi-consensus", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """The consensus of two products is redundant."""
    return Equation((x & y) | (~x & z) | (y & z), (x & y) | (~x & z))


@gates.law("ori-consensus", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x | y) & (~x | z) & (y | z), (x | y) & (~x | z))


# Majority


@gates.law("majority-as-three-products", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x & y) | (x & z) | (y & z), majority(x, y, z))


@gates.law("majority-as-xori-of-products", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x & y) ^ (x & z) ^ (y & z), majority(x, y, z))


@gates.law("majority-as-product-of-sums", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x | y) & (x | z) & (y | z), majority(x, y, z))


@gates.law("majority-by-propagate", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """The carry by generate and propagate."""
    return Equation((x & y) | (z & (x ^ y)), majority(x, y, z))


@gates.law("majority-by-propagate-xori", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x & y) ^ (z & (x ^ y)), majority(x, y, z))


@gates.law("majority-as-multiplexer", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """`z` where the other two differ, else their value."""
    differ = x ^ y
    return Equation((differ & z) | (~differ & x), majority(x, y, z))


@gates.law("majority-self-dual", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(~majority(~x, ~y, ~z), majority(x, y, z))


@gates.law("majority-same", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(majority(x, x, y), x)


@gates.law("majority-opposite", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(majority(x, ~x, y), y)


# The adder: its sum is `x ^ y ^ z`, its carry the majority


@gates.law("adder-sum-by-carry", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """The sum from the carry, as in a CMOS full adder."""
    carry = majority(x, y, z)
    return Equation((x & y & z) | ((x | y | z) & ~carry), x ^ y ^ z)


@gates.law("adder-sum-as-minterms", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    minterms = (x & ~y & ~z) | (~x & y & ~z) | (~x & ~y & z) | (x & y & z)
    return Equation(minterms, x ^ y ^ z)


@gates.law("adder-of-half-adders", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """The carries of two half adders never meet."""
    return Equation((x & y) & (z & (x ^ y)), zero(x))


@gates.law("half-adder-sum-by-carry", derived=True)
def _(x: Term, y: Term) -> Equation:
    return Equation((x | y) & ~(x & y), x ^ y)


@gates.law("subtractor-borrow", derived=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """The borrow by propagate is that by minterms."""
    return Equation((~x & y) | (~(x ^ y) & z), (~x & y) | (~x & z) | (y & z))


# Multiplexers


@gates.law("multiplexer-as-xori", derived=True)
def _(m: Term, x: Term, y: Term) -> Equation:
    return Equation(((x ^ y) & m) ^ y, (m & x) | (~m & y))


@gates.law("multiplexer-of-same", derived=True)
def _(m: Term, x: Term) -> Equation:
    return Equation((m & x) | (~m & x), x)


@gates.law("multiplexer-of-complements", derived=True)
def _(m: Term, x: Term, y: Term) -> Equation:
    return Equation((m & ~x) | (~m & ~y), ~((m & x) | (~m & y)))


@gates.law("multiplexer-as-product-of-sums", derived=True)
def _(m: Term, x: Term, y: Term) -> Equation:
    return Equation((~m | x) & (m | y), (m & x) | (~m & y))


@gates.law("multiplexer-of-self", derived=True)
def _(m: Term, y: Term) -> Equation:
    return Equation((m & m) | (~m & y), m | y)


# Masks that are literals


@gates.law("andi-of-ori-literals", derived=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x | c) & d, (x & d) | (c & d))


@gates.law("andi-of-xori-literals", derived=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x ^ c) & d, (x & d) ^ (c & d))


@gates.law("ori-of-andi-literals", derived=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x & c) | d, (x | d) & (c | d))


@gates.law("masks-join", derived=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x & c) | (x & d), x & (c | d))


@gates.law("masked-merge", derived=True)
def _(x: Term, y: Term, c: Literal) -> Equation:
    return Equation((x & c) | (y & ~c), ((x ^ y) & c) ^ y)
