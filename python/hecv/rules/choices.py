"""Laws of `select`, at every type, and of choices of one bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.rules.language import (
    BIT,
    Equation,
    Pattern,
    cmpi,
    extsi,
    maxsi,
    maxui,
    minsi,
    minui,
    ones,
    select,
    shrsi,
    shrui,
    truth,
    widens,
    zero,
)
from hecv.rules.law import WIDE, Bit, Book, Literal, Term

choices = Book("any")
selections = Book("integers", WIDE)


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


@choices.law("select-else-other", expands=True, modest=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    """Cites: canonicalize, SelectOrNotCond."""
    return Equation(select(p, x, select(q, y, x)), select((p ^ truth(True)) & q, y, x))


@choices.law("select-then-other", expands=True, modest=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    """Cites: canonicalize, SelectAndNotCond."""
    return Equation(select(p, select(q, x, y), x), select(p & (q ^ truth(True)), y, x))


@choices.law("select-swaps", expands=True, modest=True)
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    """Two choices between the same two, one inside the other."""
    return Equation(select(p, select(q, x, y), select(q, y, x)), select(p ^ q, y, x))


@choices.law("select-of-same-condition-inside", expands=True, modest=True)
def _(p: Bit, q: Bit, x: Term, y: Term, z: Term) -> Equation:
    """A choice by one condition in both arms comes out."""
    return Equation(select(p, select(q, x, y), select(q, z, y)), select(q, select(p, x, z), y))


@selections.law("select-eq")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(cmpi("eq", x, y), x, y), y)


@selections.law("select-ne")
def _(x: Term, y: Term) -> Equation:
    return Equation(select(cmpi("ne", x, y), x, y), x)


@selections.law("addi-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) + z, select(p, x + z, y + z))


@selections.law("subi-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) - z, select(p, x - z, y - z))


@selections.law("subi-by-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(z - select(p, x, y), select(p, z - x, z - y))


@selections.law("muli-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) * z, select(p, x * z, y * z))


@selections.law("andi-of-select", expands=True, both=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(select(p, x, y) & z, select(p, x & z, y & z))


@selections.law("cmpi-eq-of-select", expands=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("eq", select(p, x, y), z), select(p, cmpi("eq", x, z), cmpi("eq", y, z)))


@selections.law("cmpi-slt-of-select", expands=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("slt", select(p, x, y), z), select(p, cmpi("slt", x, z), cmpi("slt", y, z)))


# Operators on choices: into both arms, and out of them

BINARY: Final[dict[str, Callable[[Pattern, Pattern], Pattern]]] = {
    "ori": lambda x, y: x | y,
    "xori": lambda x, y: x ^ y,
    "shli": lambda x, y: x << y,
    "shrui": shrui,
    "shrsi": shrsi,
    "minsi": minsi,
    "maxsi": maxsi,
    "minui": minui,
    "maxui": maxui,
}


def _into(name: str) -> None:
    act = BINARY[name]

    @selections.law(f"{name}-of-select", expands=True, both=True, modest=True)
    def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
        return Equation(act(select(p, x, y), z), select(p, act(x, z), act(y, z)))


for _name in BINARY:
    _into(_name)


@selections.law("shli-by-select", expands=True, both=True, modest=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(z << select(p, x, y), select(p, z << x, z << y))


@selections.law("cmpi-ult-of-select", expands=True, modest=True)
def _(p: Bit, x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("ult", select(p, x, y), z), select(p, cmpi("ult", x, z), cmpi("ult", y, z)))


def _of_literals(predicate: str) -> None:
    @selections.law(f"cmpi-{predicate}-of-select-of-literals", modest=True)
    def _(p: Bit, c: Literal, d: Literal, e: Literal) -> Equation:
        arms = cmpi(predicate, c, e), cmpi(predicate, d, e)
        return Equation(cmpi(predicate, select(p, c, d), e), select(p, *arms))


for _predicate in ("eq", "ne", "slt", "ult"):
    _of_literals(_predicate)


@selections.law("addi-of-selects", modest=True)
def _(p: Bit, x: Term, y: Term, z: Term, w: Term) -> Equation:
    """Two choices by one condition are one."""
    return Equation(select(p, x, y) + select(p, z, w), select(p, x + z, y + w))


@selections.law("andi-of-selects", modest=True)
def _(p: Bit, x: Term, y: Term, z: Term, w: Term) -> Equation:
    return Equation(select(p, x, y) & select(p, z, w), select(p, x & z, y & w))


@selections.law("ori-of-selects", modest=True)
def _(p: Bit, x: Term, y: Term, z: Term, w: Term) -> Equation:
    return Equation(select(p, x, y) | select(p, z, w), select(p, x | z, y | w))


@selections.law("masks-as-select", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation | None:
    """A multiplexer by a mask of one bit."""
    if not widens(BIT, x.kind):
        return None
    mask = extsi(p, x.kind)
    return Equation((mask & x) | (~mask & y), select(p, x, y))


@selections.law("select-by-mask-xori", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation | None:
    if not widens(BIT, x.kind):
        return None
    return Equation(((x ^ y) & extsi(p, x.kind)) ^ y, select(p, x, y))


@selections.law("addi-of-choice", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation:
    """An addend or nothing."""
    return Equation(x + select(p, y, zero(y)), select(p, x + y, x))


@selections.law("subi-of-choice", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation:
    return Equation(x - select(p, y, zero(y)), select(p, x - y, x))


@selections.law("xori-of-choice", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation:
    return Equation(x ^ select(p, y, zero(y)), select(p, x ^ y, x))


@selections.law("ori-of-choice", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation:
    return Equation(x | select(p, y, zero(y)), select(p, x | y, x))


@selections.law("muli-of-choice", integral="signed", modest=True)
def _(p: Bit, x: Term, y: Term) -> Equation:
    return Equation(x * select(p, y, zero(y)), select(p, x * y, zero(x)))


@selections.law("xori-by-choice-of-ones", modest=True)
def _(p: Bit, x: Term) -> Equation:
    """A controlled inverter."""
    return Equation(x ^ select(p, ones(x), zero(x)), select(p, ~x, x))


@selections.law("select-eq-zero-product", modest=True)
def _(x: Term, y: Term) -> Equation:
    """The product is 0 where a factor is."""
    return Equation(select(cmpi("eq", x, zero(x)), zero(x), x * y), x * y)


@selections.law("select-of-equals-literal", modest=True)
def _(x: Term, y: Term, c: Literal) -> Equation:
    """Where it is the literal, the operand is."""
    return Equation(select(cmpi("eq", x, c), c, y), select(cmpi("eq", x, c), x, y))


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


@bits.law("minui-of-bits", modest=True)
def _(p: Bit, q: Bit) -> Equation:
    return Equation(minui(p, q), p & q)


@bits.law("maxui-of-bits", modest=True)
def _(p: Bit, q: Bit) -> Equation:
    return Equation(maxui(p, q), p | q)


@bits.law("minsi-of-bits", modest=True)
def _(p: Bit, q: Bit) -> Equation:
    """1 is -1, signed."""
    return Equation(minsi(p, q), p | q)


@bits.law("maxsi-of-bits", modest=True)
def _(p: Bit, q: Bit) -> Equation:
    return Equation(maxsi(p, q), p & q)


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
