"""Laws of `select`, at every type, and of choices of one bit."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from typing import Final

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith

choices = Book("any")
selections = Book("integers", WIDE)


@choices.law("select-same")
def _(p, x):
    return arith.select(p, x, x), x


@choices.law("select-true")
def _(x, y):
    return arith.select(True, x, y), x


@choices.law("select-false")
def _(x, y):
    return arith.select(False, x, y), y


@choices.law("select-not", both=True)
def _(p, x, y):
    return arith.select(p ^ True, x, y), arith.select(p, y, x)


@choices.law("select-then-select")
def _(p, x, y, z):
    return arith.select(p, arith.select(p, x, y), z), arith.select(p, x, z)


@choices.law("select-else-select")
def _(p, x, y, z):
    return arith.select(p, x, arith.select(p, y, z)), arith.select(p, x, z)


@choices.law("select-andi", expands=True)
def _(p, q, x, y):
    return arith.select(p, arith.select(q, x, y), y), arith.select(p & q, x, y)


@choices.law("select-of-andi", expands=True)
def _(p, q, x, y):
    return arith.select(p & q, x, y), arith.select(p, arith.select(q, x, y), y)


@choices.law("select-ori", expands=True)
def _(p, q, x, y):
    return arith.select(p, x, arith.select(q, x, y)), arith.select(p | q, x, y)


@choices.law("select-of-ori", expands=True)
def _(p, q, x, y):
    return arith.select(p | q, x, y), arith.select(p, x, arith.select(q, x, y))


@choices.law("select-else-other", expands=True, modest=True)
def _(p, q, x, y):
    """Cites: canonicalize, SelectOrNotCond."""
    return arith.select(p, x, arith.select(q, y, x)), arith.select((p ^ True) & q, y, x)


@choices.law("select-then-other", expands=True, modest=True)
def _(p, q, x, y):
    """Cites: canonicalize, SelectAndNotCond."""
    return arith.select(p, arith.select(q, x, y), x), arith.select(p & (q ^ True), y, x)


@choices.law("select-swaps", expands=True, modest=True)
def _(p, q, x, y):
    """Two choices between the same two, one inside the other."""
    return arith.select(p, arith.select(q, x, y), arith.select(q, y, x)), arith.select(p ^ q, y, x)


@choices.law("select-of-same-condition-inside", expands=True, modest=True)
def _(p, q, x, y, z):
    """A select by one condition in both arms moves out."""
    return arith.select(p, arith.select(q, x, y), arith.select(q, z, y)), arith.select(q, arith.select(p, x, z), y)


@selections.law("select-eq")
def _(x, y):
    return arith.select(arith.cmpi(x, y, predicate="eq"), x, y), y


@selections.law("select-ne")
def _(x, y):
    return arith.select(arith.cmpi(x, y, predicate="ne"), x, y), x


@selections.law("addi-of-select", expands=True, both=True)
def _(p, x, y, z):
    return arith.select(p, x, y) + z, arith.select(p, x + z, y + z)


@selections.law("subi-of-select", expands=True, both=True)
def _(p, x, y, z):
    return arith.select(p, x, y) - z, arith.select(p, x - z, y - z)


@selections.law("subi-by-select", expands=True, both=True)
def _(p, x, y, z):
    return z - arith.select(p, x, y), arith.select(p, z - x, z - y)


@selections.law("muli-of-select", expands=True, both=True)
def _(p, x, y, z):
    return arith.select(p, x, y) * z, arith.select(p, x * z, y * z)


@selections.law("andi-of-select", expands=True, both=True)
def _(p, x, y, z):
    return arith.select(p, x, y) & z, arith.select(p, x & z, y & z)


@selections.law("cmpi-eq-of-select", expands=True)
def _(p, x, y, z):
    return arith.cmpi(arith.select(p, x, y), z, predicate="eq"), arith.select(
        p, arith.cmpi(x, z, predicate="eq"), arith.cmpi(y, z, predicate="eq")
    )


@selections.law("cmpi-slt-of-select", expands=True)
def _(p, x, y, z):
    return arith.cmpi(arith.select(p, x, y), z, predicate="slt"), arith.select(
        p, arith.cmpi(x, z, predicate="slt"), arith.cmpi(y, z, predicate="slt")
    )


# Operators on choices: into both arms, and out of them

BINARY: Final = {
    "ori": arith.ori,
    "xori": arith.xori,
    "shli": arith.shli,
    "shrui": arith.shrui,
    "shrsi": arith.shrsi,
    "minsi": arith.minsi,
    "maxsi": arith.maxsi,
    "minui": arith.minui,
    "maxui": arith.maxui,
}


def _into(name: str) -> None:
    act = BINARY[name]

    @selections.law(f"{name}-of-select", expands=True, both=True, modest=True)
    def _(p, x, y, z):
        return act(arith.select(p, x, y), z), arith.select(p, act(x, z), act(y, z))


for _name in BINARY:
    _into(_name)


@selections.law("shli-by-select", expands=True, both=True, modest=True)
def _(p, x, y, z):
    return z << arith.select(p, x, y), arith.select(p, z << x, z << y)


@selections.law("cmpi-ult-of-select", expands=True, modest=True)
def _(p, x, y, z):
    return arith.cmpi(arith.select(p, x, y), z, predicate="ult"), arith.select(
        p, arith.cmpi(x, z, predicate="ult"), arith.cmpi(y, z, predicate="ult")
    )


def _of_literals(predicate: str) -> None:
    @selections.law(f"cmpi-{predicate}-of-select-of-literals", modest=True)
    def _(p, c, d, e):
        assert c.literal and d.literal and e.literal
        arms = (arith.cmpi(c, e, predicate=predicate), arith.cmpi(d, e, predicate=predicate))
        return arith.cmpi(arith.select(p, c, d), e, predicate=predicate), arith.select(p, *arms)


for _predicate in ("eq", "ne", "slt", "ult"):
    _of_literals(_predicate)


@selections.law("addi-of-selects", modest=True)
def _(p, x, y, z, w):
    """Two choices by one condition are one."""
    return arith.select(p, x, y) + arith.select(p, z, w), arith.select(p, x + z, y + w)


@selections.law("andi-of-selects", modest=True)
def _(p, x, y, z, w):
    return arith.select(p, x, y) & arith.select(p, z, w), arith.select(p, x & z, y & w)


@selections.law("ori-of-selects", modest=True)
def _(p, x, y, z, w):
    return arith.select(p, x, y) | arith.select(p, z, w), arith.select(p, x | z, y | w)


@selections.law("masks-as-select", modest=True)
def _(p, x, y):
    """A multiplexer by a mask of one bit."""
    mask = arith.extsi(p)
    return mask & x | ~mask & y, arith.select(p, x, y)


@selections.law("select-by-mask-xori", modest=True)
def _(p, x, y):
    return (x ^ y) & arith.extsi(p) ^ y, arith.select(p, x, y)


@selections.law("addi-of-choice", modest=True)
def _(p, x, y):
    """A conditional addend: `y` or 0."""
    return x + arith.select(p, y, 0), arith.select(p, x + y, x)


@selections.law("subi-of-choice", modest=True)
def _(p, x, y):
    return x - arith.select(p, y, 0), arith.select(p, x - y, x)


@selections.law("xori-of-choice", modest=True)
def _(p, x, y):
    return x ^ arith.select(p, y, 0), arith.select(p, x ^ y, x)


@selections.law("ori-of-choice", modest=True)
def _(p, x, y):
    return x | arith.select(p, y, 0), arith.select(p, x | y, x)


@selections.law("muli-of-choice", integral="signed", modest=True)
def _(p, x, y):
    return x * arith.select(p, y, 0), arith.select(p, x * y, 0)


@selections.law("xori-by-choice-of-ones", modest=True)
def _(p, x):
    """A controlled inverter."""
    return x ^ arith.select(p, -1, 0), arith.select(p, ~x, x)


@selections.law("select-eq-zero-product", modest=True)
def _(x, y):
    """The product is 0 where a factor is."""
    return arith.select(arith.cmpi(x, 0, predicate="eq"), 0, x * y), x * y


@selections.law("select-of-equals-literal", modest=True)
def _(x, y, c):
    """In the arm where the operand equals the literal, it may be replaced by it."""
    assert c.literal
    return arith.select(arith.cmpi(x, c, predicate="eq"), c, y), arith.select(arith.cmpi(x, c, predicate="eq"), x, y)


# Choices of one bit


bits = Book("any")


@bits.law("select-of-bits")
def _(p):
    return arith.select(p, True, False), p


@bits.law("select-of-bits-not")
def _(p):
    return arith.select(p, False, True), p ^ True


@bits.law("select-else-false")
def _(p, q):
    return arith.select(p, q, False), p & q


@bits.law("select-then-true")
def _(p, q):
    return arith.select(p, True, q), p | q


@bits.law("select-then-false")
def _(p, q):
    return arith.select(p, False, q), (p ^ True) & q


@bits.law("select-else-true")
def _(p, q):
    return arith.select(p, q, True), p ^ True | q


@bits.law("select-bits-as-logic", expands=True)
def _(p, q, r):
    return arith.select(p, q, r), p & q | (p ^ True) & r


@bits.law("addi-of-bits")
def _(p, q):
    assert p.width == 1
    return p + q, p ^ q


@bits.law("subi-of-bits")
def _(p, q):
    assert p.width == 1
    return p - q, p ^ q


@bits.law("muli-of-bits")
def _(p, q):
    assert p.width == 1
    return p * q, p & q


@bits.law("minui-of-bits", modest=True)
def _(p, q):
    assert p.width == 1
    return arith.minui(p, q), p & q


@bits.law("maxui-of-bits", modest=True)
def _(p, q):
    assert p.width == 1
    return arith.maxui(p, q), p | q


@bits.law("minsi-of-bits", modest=True)
def _(p, q):
    """At one bit: 1 is -1, signed."""
    assert p.width == 1
    return arith.minsi(p, q), p | q


@bits.law("maxsi-of-bits", modest=True)
def _(p, q):
    assert p.width == 1
    return arith.maxsi(p, q), p & q


LOGIC: Final = {
    "eq": lambda p, q: ~(p ^ q),
    "ne": lambda p, q: p ^ q,
    "ult": lambda p, q: ~p & q,
    "ule": lambda p, q: ~p | q,
    "ugt": lambda p, q: p & ~q,
    "uge": lambda p, q: p | ~q,
    "slt": lambda p, q: p & ~q,
    "sle": lambda p, q: p | ~q,
    "sgt": lambda p, q: ~p & q,
    "sge": lambda p, q: ~p | q,
}
"""Comparisons of bits; signed, 1 is -1."""


def _logic(predicate: str) -> None:
    @bits.law(f"cmpi-{predicate}-of-bits")
    def _(p, q):
        assert p.width == 1
        return arith.cmpi(p, q, predicate=predicate), LOGIC[predicate](p, q)


for _predicate in LOGIC:
    _logic(_predicate)
