"""Laws of comparisons of integers."""

from __future__ import annotations

from hecv.rules.language import (
    BIT,
    Equation,
    cmpi,
    extsi,
    extui,
    greatest,
    least,
    one,
    ones,
    operation,
    truth,
    widens,
    zero,
)
from hecv.rules.law import WIDE, Book, Kind, Literal, Term

comparisons = Book("integers", WIDE)

SWAPPED = {
    "eq": "eq",
    "ne": "ne",
    "slt": "sgt",
    "sle": "sge",
    "sgt": "slt",
    "sge": "sle",
    "ult": "ugt",
    "ule": "uge",
    "ugt": "ult",
    "uge": "ule",
}
NEGATED = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sle": "sgt",
    "sgt": "sle",
    "sge": "slt",
    "ult": "uge",
    "ule": "ugt",
    "ugt": "ule",
    "uge": "ult",
}
REFLEXIVE = ("eq", "sle", "sge", "ule", "uge")


def _swap(predicate: str) -> None:
    @comparisons.law(f"cmpi-{predicate}-swapped")
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpi(predicate, x, y), cmpi(SWAPPED[predicate], y, x))


def _negate(predicate: str) -> None:
    @comparisons.law(f"cmpi-{predicate}-negated", both=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpi(predicate, x, y) ^ truth(True), cmpi(NEGATED[predicate], x, y))


def _reflect(predicate: str) -> None:
    @comparisons.law(f"cmpi-{predicate}-self")
    def _(x: Term) -> Equation:
        return Equation(cmpi(predicate, x, x), truth(predicate in REFLEXIVE))


for _predicate in SWAPPED:
    _swap(_predicate)
    _negate(_predicate)
    _reflect(_predicate)


@comparisons.law("cmpi-ult-one")
def _(x: Term) -> Equation:
    return Equation(cmpi("ult", x, one(x)), cmpi("eq", x, zero(x)))


@comparisons.law("cmpi-ult-zero")
def _(x: Term) -> Equation:
    return Equation(cmpi("ult", x, zero(x)), truth(False))


@comparisons.law("cmpi-ule-zero")
def _(x: Term) -> Equation:
    return Equation(cmpi("ule", x, zero(x)), cmpi("eq", x, zero(x)))


@comparisons.law("cmpi-ult-ones")
def _(x: Term) -> Equation:
    return Equation(cmpi("ult", x, ones(x)), cmpi("ne", x, ones(x)))


@comparisons.law("cmpi-ule-ones")
def _(x: Term) -> Equation:
    return Equation(cmpi("ule", x, ones(x)), truth(True))


@comparisons.law("cmpi-slt-least")
def _(x: Term) -> Equation:
    return Equation(cmpi("slt", x, least(x)), truth(False))


@comparisons.law("cmpi-sle-greatest")
def _(x: Term) -> Equation:
    return Equation(cmpi("sle", x, greatest(x)), truth(True))


@comparisons.law("cmpi-slt-greatest")
def _(x: Term) -> Equation:
    return Equation(cmpi("slt", x, greatest(x)), cmpi("ne", x, greatest(x)))


@comparisons.law("cmpi-sle-least")
def _(x: Term) -> Equation:
    return Equation(cmpi("sle", x, least(x)), cmpi("eq", x, least(x)))


@comparisons.law("cmpi-sle-literal")
def _(x: Term, c: Literal) -> Equation:
    return Equation(cmpi("sle", x, c), cmpi("slt", x, c + one(x)), where=cmpi("ne", c, greatest(x)))


@comparisons.law("cmpi-ule-literal")
def _(x: Term, c: Literal) -> Equation:
    return Equation(cmpi("ule", x, c), cmpi("ult", x, c + one(x)), where=cmpi("ne", c, ones(x)))


@comparisons.law("cmpi-eq-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("eq", x - y, zero(x)), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-xori")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("eq", x ^ y, zero(x)), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-common-term")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("eq", x + z, y + z), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-offset")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(cmpi("eq", x + c, d), cmpi("eq", x, d - c))


@comparisons.law("cmpi-ne-offset")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(cmpi("ne", x + c, d), cmpi("ne", x, d - c))


@comparisons.law("cmpi-slt-or-eq")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("slt", x, y) | cmpi("eq", x, y), cmpi("sle", x, y))


@comparisons.law("cmpi-ult-or-eq")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ult", x, y) | cmpi("eq", x, y), cmpi("ule", x, y))


@comparisons.law("cmpi-sle-and-ne")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("sle", x, y) & cmpi("ne", x, y), cmpi("slt", x, y))


@comparisons.law("cmpi-ule-and-ne")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ule", x, y) & cmpi("ne", x, y), cmpi("ult", x, y))


@comparisons.law("cmpi-sle-both-ways")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("sle", x, y) & cmpi("sle", y, x), cmpi("eq", x, y))


@comparisons.law("addui-extended-carry")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("arith.addui_extended", x, y, to=BIT, result=1), cmpi("ult", x + y, x))


@comparisons.law("cmpi-eq-extui")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(cmpi("eq", extui(x, to), extui(y, to)), cmpi("eq", x, y))


@comparisons.law("cmpi-ult-extui")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(cmpi("ult", extui(x, to), extui(y, to)), cmpi("ult", x, y))


@comparisons.law("cmpi-slt-extui")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(cmpi("slt", extui(x, to), extui(y, to)), cmpi("ult", x, y))


@comparisons.law("cmpi-eq-extsi")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(cmpi("eq", extsi(x, to), extsi(y, to)), cmpi("eq", x, y))


@comparisons.law("cmpi-slt-extsi")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(cmpi("slt", extsi(x, to), extsi(y, to)), cmpi("slt", x, y))


@comparisons.law("cmpi-ult-extsi")
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    return Equation(cmpi("ult", extsi(x, to), extsi(y, to)), cmpi("ult", x, y))
