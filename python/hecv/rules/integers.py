"""Laws of sums, differences and products, modulo `2**width`."""

from __future__ import annotations

from hecv.rules.language import Equation, number, one, ones, operation, zero
from hecv.rules.law import WIDE, Book, Literal, Term

integers = Book("integers", WIDE, "signed")
extended = Book("integers", WIDE)


@integers.law("addi-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(x + y, y + x)


@integers.law("addi-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x + y) + z, x + (y + z))


@integers.law("addi-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x + c) + d, x + (c + d))


@integers.law("addi-zero")
def _(x: Term) -> Equation:
    return Equation(x + zero(x), x)


@integers.law("addi-negation")
def _(x: Term, y: Term) -> Equation:
    return Equation(x + -y, x - y)


@integers.law("subi-zero")
def _(x: Term) -> Equation:
    return Equation(x - zero(x), x)


@integers.law("subi-self")
def _(x: Term) -> Equation:
    return Equation(x - x, zero(x))


@integers.law("subi-literal")
def _(x: Term, c: Literal) -> Equation:
    return Equation(x - c, x + -c)


@integers.law("subi-negation")
def _(x: Term, y: Term) -> Equation:
    return Equation(x - -y, x + y)


@integers.law("subi-swapped")
def _(x: Term, y: Term) -> Equation:
    return Equation(-(x - y), y - x)


@integers.law("subi-of-sum")
def _(x: Term, y: Term) -> Equation:
    return Equation((x + y) - y, x)


@integers.law("addi-of-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation((x - y) + y, x)


@integers.law("subi-of-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation(x - (x - y), y)


@integers.law("subi-common-term")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x + z) - (y + z), x - y)


@integers.law("muli-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(x * y, y * x)


@integers.law("muli-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation((x * y) * z, x * (y * z))


@integers.law("muli-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation((x * c) * d, x * (c * d))


@integers.law("muli-zero")
def _(x: Term) -> Equation:
    return Equation(x * zero(x), zero(x))


@integers.law("muli-one")
def _(x: Term) -> Equation:
    return Equation(x * one(x), x)


@integers.law("muli-minus-one")
def _(x: Term) -> Equation:
    return Equation(x * ones(x), -x)


@integers.law("muli-negations")
def _(x: Term, y: Term) -> Equation:
    return Equation(-x * -y, x * y)


@integers.law("muli-negation")
def _(x: Term, y: Term) -> Equation:
    return Equation(-x * y, -(x * y))


@integers.law("muli-distributes", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(x * (y + z), x * y + x * z)


@integers.law("muli-distributes-subi", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(x * (y - z), x * y - x * z)


@integers.law("muli-successor", expands=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x * y + x, x * (y + one(x)))


@extended.law("addi-doubles")
def _(x: Term) -> Equation:
    return Equation(x + x, x * number(2, x))


@extended.law("addui-extended-sum")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("arith.addui_extended", x, y, result=0), x + y)


@extended.law("mulsi-extended-low", integral="signed")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("arith.mulsi_extended", x, y, result=0), x * y)


@extended.law("mului-extended-low", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("arith.mului_extended", x, y, result=0), x * y)
