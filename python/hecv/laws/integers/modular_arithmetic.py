"""Laws of sums, differences and products, modulo `2**width`."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith

integers = Book("integers", WIDE, "signed")
extended = Book("integers", WIDE)


@integers.law("addi-commutes")
def _(x, y):
    return x + y, y + x


@integers.law("addi-associates", expands=True, both=True)
def _(x, y, z):
    return x + y + z, x + (y + z)


@integers.law("addi-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return x + c + d, x + (c + d)


@integers.law("addi-zero")
def _(x):
    return x + 0, x


@integers.law("addi-negation")
def _(x, y):
    return x + -y, x - y


@integers.law("subi-zero")
def _(x):
    return x - 0, x


@integers.law("subi-self")
def _(x):
    return x - x, 0


@integers.law("subi-literal")
def _(x, c):
    assert c.literal
    return x - c, x + -c


@integers.law("subi-negation")
def _(x, y):
    return x - -y, x + y


@integers.law("subi-swapped")
def _(x, y):
    return -(x - y), y - x


@integers.law("subi-of-sum")
def _(x, y):
    return x + y - y, x


@integers.law("addi-of-difference")
def _(x, y):
    return x - y + y, x


@integers.law("subi-of-difference")
def _(x, y):
    return x - (x - y), y


@integers.law("subi-common-term")
def _(x, y, z):
    return x + z - (y + z), x - y


@integers.law("muli-commutes")
def _(x, y):
    return x * y, y * x


@integers.law("muli-associates", expands=True, both=True)
def _(x, y, z):
    return x * y * z, x * (y * z)


@integers.law("muli-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return x * c * d, x * (c * d)


@integers.law("muli-zero")
def _(x):
    return x * 0, 0


@integers.law("muli-one")
def _(x):
    return x * 1, x


@integers.law("muli-minus-one")
def _(x):
    return x * -1, -x


@integers.law("muli-negations")
def _(x, y):
    return -x * -y, x * y


@integers.law("muli-negation")
def _(x, y):
    return -x * y, -(x * y)


@integers.law("muli-distributes", expands=True, both=True)
def _(x, y, z):
    return x * (y + z), x * y + x * z


@integers.law("muli-distributes-subi", expands=True, both=True)
def _(x, y, z):
    return x * (y - z), x * y - x * z


@integers.law("muli-successor", expands=True)
def _(x, y):
    return x * y + x, x * (y + 1)


@extended.law("addi-doubles")
def _(x):
    return x + x, x * 2


@extended.law("addui-extended-sum")
def _(x, y):
    return arith.addui_extended(x, y)[0], x + y


@extended.law("mulsi-extended-low", integral="signed")
def _(x, y):
    return arith.mulsi_extended(x, y)[0], x * y


@extended.law("mului-extended-low", integral="unsigned")
def _(x, y):
    return arith.mului_extended(x, y)[0], x * y
