"""Laws of gates: `nand`, `nor`, `xnor`, majority and multiplexer by other operators, and the one-bit adder."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book

gates = Book("integers")


def nand(x, y):
    """`~(x & y)`."""
    return ~(x & y)


def nor(x, y):
    """`~(x | y)`."""
    return ~(x | y)


def majority(x, y, z):
    """The bits that are set in at least two of three."""
    return (x & y) | (z & (x | y))


@gates.law("complement-twice", derived=True)
def _(x):
    return ~~x, x


@gates.law("nand-self", derived=True)
def _(x):
    return nand(x, x), ~x


@gates.law("nor-self", derived=True)
def _(x):
    return nor(x, x), ~x


@gates.law("andi-as-nands", derived=True)
def _(x, y):
    return nand(nand(x, y), nand(x, y)), x & y


@gates.law("ori-as-nands", derived=True)
def _(x, y):
    return nand(nand(x, x), nand(y, y)), x | y


@gates.law("xori-as-nands", derived=True)
def _(x, y):
    """The four gates of an exclusive or."""
    both = nand(x, y)
    return nand(nand(x, both), nand(y, both)), x ^ y


@gates.law("ori-as-nors", derived=True)
def _(x, y):
    return nor(nor(x, y), nor(x, y)), x | y


@gates.law("andi-as-nors", derived=True)
def _(x, y):
    return nor(nor(x, x), nor(y, y)), x & y


@gates.law("xnor-as-nors", derived=True)
def _(x, y):
    neither = nor(x, y)
    return nor(nor(x, neither), nor(y, neither)), ~(x ^ y)


@gates.law("andi-of-complements-de-morgan", derived=True)
def _(x, y):
    return ~(~x & ~y), x | y


@gates.law("ori-of-complements-de-morgan", derived=True)
def _(x, y):
    return ~(~x | ~y), x & y


@gates.law("nand-de-morgan-one-complement", derived=True)
def _(x, y):
    return ~(~x & y), x | ~y


@gates.law("nor-de-morgan-one-complement", derived=True)
def _(x, y):
    return ~(~x | y), x & ~y


@gates.law("xori-of-complements", derived=True)
def _(x, y):
    return ~x ^ ~y, x ^ y


@gates.law("xnor-as-xori-of-complement", derived=True)
def _(x, y):
    return ~(x ^ y), x ^ ~y


@gates.law("xori-as-difference-of-gates", derived=True)
def _(x, y):
    return x & ~y | ~x & y, x ^ y


@gates.law("xori-as-product-of-sums", derived=True)
def _(x, y):
    return (x | y) & (~x | ~y), x ^ y


@gates.law("xori-as-ori-xor-andi", derived=True)
def _(x, y):
    return (x | y) ^ x & y, x ^ y


@gates.law("xnor-as-sum-of-products", derived=True)
def _(x, y):
    return x & y | ~x & ~y, ~(x ^ y)


@gates.law("xnor-as-product-of-sums", derived=True)
def _(x, y):
    return (x | ~y) & (~x | y), ~(x ^ y)


@gates.law("ori-as-xori-andi", derived=True)
def _(x, y):
    return x ^ y ^ x & y, x | y


@gates.law("andi-as-xori-ori", derived=True)
def _(x, y):
    return x ^ y ^ (x | y), x & y


@gates.law("andi-complement-as-xori", derived=True)
def _(x, y):
    return x ^ x & y, x & ~y


@gates.law("andi-complement-as-xori-ori", derived=True)
def _(x, y):
    return (x | y) ^ y, x & ~y


@gates.law("andi-xori-part", derived=True)
def _(x, y):
    return x & (x ^ y), x & ~y


@gates.law("ori-xori-part", derived=True)
def _(x, y):
    return x | x ^ y, x | y


@gates.law("andi-xnor-part", derived=True)
def _(x, y):
    return x & ~(x ^ y), x & y


@gates.law("ori-xnor-part", derived=True)
def _(x, y):
    return x | ~(x ^ y), x | ~y


@gates.law("ori-of-product-of-sums", derived=True)
def _(x, y, z):
    return (x | y) & (x | z), x | y & z


@gates.law("andi-consensus", derived=True)
def _(x, y, z):
    """The consensus of two products is redundant."""
    return x & y | ~x & z | y & z, x & y | ~x & z


@gates.law("ori-consensus", derived=True)
def _(x, y, z):
    return (x | y) & (~x | z) & (y | z), (x | y) & (~x | z)


# Majority


@gates.law("majority-as-three-products", derived=True)
def _(x, y, z):
    return x & y | x & z | y & z, majority(x, y, z)


@gates.law("majority-as-xori-of-products", derived=True)
def _(x, y, z):
    return x & y ^ x & z ^ y & z, majority(x, y, z)


@gates.law("majority-as-product-of-sums", derived=True)
def _(x, y, z):
    return (x | y) & (x | z) & (y | z), majority(x, y, z)


@gates.law("majority-by-propagate", derived=True)
def _(x, y, z):
    """The carry of a full adder by generate and propagate."""
    return x & y | z & (x ^ y), majority(x, y, z)


@gates.law("majority-by-propagate-xori", derived=True)
def _(x, y, z):
    return x & y ^ z & (x ^ y), majority(x, y, z)


@gates.law("majority-as-multiplexer", derived=True)
def _(x, y, z):
    """`z` where the other two differ, else their value."""
    differ = x ^ y
    return differ & z | ~differ & x, majority(x, y, z)


@gates.law("majority-self-dual", derived=True)
def _(x, y, z):
    return ~majority(~x, ~y, ~z), majority(x, y, z)


@gates.law("majority-same", derived=True)
def _(x, y):
    return majority(x, x, y), x


@gates.law("majority-opposite", derived=True)
def _(x, y):
    return majority(x, ~x, y), y


# The adder: its sum is `x ^ y ^ z`, its carry the majority


@gates.law("adder-sum-by-carry", derived=True)
def _(x, y, z):
    """The sum from the carry, as in a CMOS full adder."""
    carry = majority(x, y, z)
    return x & y & z | (x | y | z) & ~carry, x ^ y ^ z


@gates.law("adder-sum-as-minterms", derived=True)
def _(x, y, z):
    minterms = x & ~y & ~z | ~x & y & ~z | ~x & ~y & z | x & y & z
    return minterms, x ^ y ^ z


@gates.law("adder-of-half-adders", derived=True)
def _(x, y, z):
    """The carries of two half adders never meet."""
    return x & y & (z & (x ^ y)), 0


@gates.law("half-adder-sum-by-carry", derived=True)
def _(x, y):
    return (x | y) & ~(x & y), x ^ y


@gates.law("subtractor-borrow", derived=True)
def _(x, y, z):
    """The borrow by propagate equals the borrow by minterms."""
    return ~x & y | ~(x ^ y) & z, ~x & y | ~x & z | y & z


# Multiplexers


@gates.law("multiplexer-as-xori", derived=True)
def _(m, x, y):
    return (x ^ y) & m ^ y, m & x | ~m & y


@gates.law("multiplexer-of-same", derived=True)
def _(m, x):
    return m & x | ~m & x, x


@gates.law("multiplexer-of-complements", derived=True)
def _(m, x, y):
    return m & ~x | ~m & ~y, ~(m & x | ~m & y)


@gates.law("multiplexer-as-product-of-sums", derived=True)
def _(m, x, y):
    return (~m | x) & (m | y), m & x | ~m & y


@gates.law("multiplexer-of-self", derived=True)
def _(m, y):
    return m & m | ~m & y, m | y


# Masks that are literals


@gates.law("andi-of-ori-literals", derived=True)
def _(x, c, d):
    assert c.literal and d.literal
    return (x | c) & d, x & d | c & d


@gates.law("andi-of-xori-literals", derived=True)
def _(x, c, d):
    assert c.literal and d.literal
    return (x ^ c) & d, x & d ^ c & d


@gates.law("ori-of-andi-literals", derived=True)
def _(x, c, d):
    assert c.literal and d.literal
    return x & c | d, (x | d) & (c | d)


@gates.law("masks-join", derived=True)
def _(x, c, d):
    assert c.literal and d.literal
    return x & c | x & d, x & (c | d)


@gates.law("masked-merge", derived=True)
def _(x, y, c):
    assert c.literal
    return x & c | y & ~c, (x ^ y) & c ^ y
