"""Laws of `select`, at every type, and of minimum and maximum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.rules.language import (
    Equation,
    Pattern,
    cmpi,
    greatest,
    least,
    maxsi,
    maxui,
    minsi,
    minui,
    ones,
    select,
    truth,
    zero,
)
from hecv.rules.law import WIDE, Bit, Book, Literal, Term

choices = Book("any")
extrema = Book("integers", WIDE)


@choices.law("select-same")
def _(p: Bit, x: Term) -> Equation:
    return Equation(select(p, x, x), x)


@choices.law("select-true")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(truth(True), x, y), x)


@choices.law("select-false")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(truth(False), x, y), y)


@choices.law("select-not", both=True)
def _(p: Bit, x: Term, y: Term) -> Equation:
    return Equation(select(p ^ truth(True), x, y), select(p, y, x))


@choices.law("select-then-select")
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, select(p, x, y), z), select(p, x, z))


@choices.law("select-else-select")
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, select(p, y, z)), select(p, x, z))


@choices.law("select-andi", expands=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    return Equation(select(p, select(q, x, y), y), select(p & q, x, y))


@choices.law("select-of-andi", expands=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    return Equation(select(p & q, x, y), select(p, select(q, x, y), y))


@choices.law("select-ori", expands=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    return Equation(select(p, x, select(q, x, y)), select(p | q, x, y))


@choices.law("select-of-ori", expands=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    return Equation(select(p | q, x, y), select(p, x, select(q, x, y)))


@extrema.law("select-eq")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(cmpi("eq", x, y), x, y), y)


@extrema.law("select-ne")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(cmpi("ne", x, y), x, y), x)


@extrema.law("addi-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) + z, select(p, x + z, y + z))


@extrema.law("subi-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) - z, select(p, x - z, y - z))


@extrema.law("subi-by-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(z - select(p, x, y), select(p, z - x, z - y))


@extrema.law("muli-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) * z, select(p, x * z, y * z))


@extrema.law("andi-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) & z, select(p, x & z, y & z))


@extrema.law("cmpi-eq-of-select", expands=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("eq", select(p, x, y), z), select(p, cmpi("eq", x, z), cmpi("eq", y, z)))


@extrema.law("cmpi-slt-of-select", expands=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("slt", select(p, x, y), z), select(p, cmpi("slt", x, z), cmpi("slt", y, z)))


@extrema.law("minsi-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, y), minsi(y, x))


@extrema.law("maxsi-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxsi(x, y), maxsi(y, x))


@extrema.law("minui-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y), minui(y, x))


@extrema.law("maxui-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxui(x, y), maxui(y, x))


@extrema.law("minsi-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minsi(minsi(x, y), z), minsi(x, minsi(y, z)))


@extrema.law("maxsi-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(maxsi(maxsi(x, y), z), maxsi(x, maxsi(y, z)))


@extrema.law("minui-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minui(minui(x, y), z), minui(x, minui(y, z)))


@extrema.law("maxui-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(maxui(maxui(x, y), z), maxui(x, maxui(y, z)))


@extrema.law("minsi-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(minsi(minsi(x, c), d), minsi(x, minsi(c, d)))


@extrema.law("maxsi-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(maxsi(maxsi(x, c), d), maxsi(x, maxsi(c, d)))


@extrema.law("minui-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(minui(minui(x, c), d), minui(x, minui(c, d)))


@extrema.law("maxui-literals")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(maxui(maxui(x, c), d), maxui(x, maxui(c, d)))


@extrema.law("minsi-self")
def _(x: Term) -> Equation:
    return Equation(minsi(x, x), x)


@extrema.law("maxsi-self")
def _(x: Term) -> Equation:
    return Equation(maxsi(x, x), x)


@extrema.law("minui-self")
def _(x: Term) -> Equation:
    return Equation(minui(x, x), x)


@extrema.law("maxui-self")
def _(x: Term) -> Equation:
    return Equation(maxui(x, x), x)


@extrema.law("minsi-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, maxsi(x, y)), x)


@extrema.law("maxsi-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxsi(x, minsi(x, y)), x)


@extrema.law("minui-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, maxui(x, y)), x)


@extrema.law("maxui-absorbs")
def _(x: Term, y: Term) -> Equation:
    return Equation(maxui(x, minui(x, y)), x)


@extrema.law("minsi-least")
def _(x: Term) -> Equation:
    return Equation(minsi(x, least(x)), least(x))


@extrema.law("minsi-greatest")
def _(x: Term) -> Equation:
    return Equation(minsi(x, greatest(x)), x)


@extrema.law("maxsi-least")
def _(x: Term) -> Equation:
    return Equation(maxsi(x, least(x)), x)


@extrema.law("maxsi-greatest")
def _(x: Term) -> Equation:
    return Equation(maxsi(x, greatest(x)), greatest(x))


@extrema.law("minui-zero")
def _(x: Term) -> Equation:
    return Equation(minui(x, zero(x)), zero(x))


@extrema.law("minui-ones")
def _(x: Term) -> Equation:
    return Equation(minui(x, ones(x)), x)


@extrema.law("maxui-zero")
def _(x: Term) -> Equation:
    return Equation(maxui(x, zero(x)), x)


@extrema.law("maxui-ones")
def _(x: Term) -> Equation:
    return Equation(maxui(x, ones(x)), ones(x))


@extrema.law("minsi-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, y), select(cmpi("slt", x, y), x, y))


@extrema.law("maxsi-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(maxsi(x, y), select(cmpi("sgt", x, y), x, y))


@extrema.law("minui-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y), select(cmpi("ult", x, y), x, y))


@extrema.law("maxui-as-select", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(maxui(x, y), select(cmpi("ugt", x, y), x, y))


@extrema.law("minsi-plus-maxsi")
def _(x: Term, y: Term) -> Equation:
    return Equation(minsi(x, y) + maxsi(x, y), x + y)


@extrema.law("minui-plus-maxui")
def _(x: Term, y: Term) -> Equation:
    return Equation(minui(x, y) + maxui(x, y), x + y)


# Choices of one bit


bits = Book("any")


@bits.law("select-of-bits")
def _(p: Bit) -> Equation:
    return Equation(select(p, truth(True), truth(False)), p)


@bits.law("select-of-bits-not")
def _(p: Bit) -> Equation:
    return Equation(select(p, truth(False), truth(True)), p ^ truth(True))


@bits.law("select-else-false")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(select(p, q, truth(False)), p & q)


@bits.law("select-then-true")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(select(p, truth(True), q), p | q)


@bits.law("select-then-false")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(select(p, truth(False), q), (p ^ truth(True)) & q)


@bits.law("select-else-true")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(select(p, q, truth(True)), (p ^ truth(True)) | q)


@bits.law("select-bits-as-logic", expands=True)
def _(p: Bit, q: Bit, r: Bit) -> Equation:
    return Equation(select(p, q, r), (p & q) | ((p ^ truth(True)) & r))


@bits.law("addi-of-bits")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(p + q, p ^ q)


@bits.law("subi-of-bits")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(p - q, p ^ q)


@bits.law("muli-of-bits")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(p * q, p & q)


LOGIC: Final[dict[str, Callable[[Bit, Bit], Pattern]]] = {
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
    def _(p: Bit, q: Bit) -> Equation:
        return Equation(cmpi(predicate, p, q), LOGIC[predicate](p, q))


for _predicate in LOGIC:
    _logic(_predicate)
