"""Laws of comparisons of integers."""

from __future__ import annotations

from hecv.rules.language import (
    BIT,
    Equation,
    Variable,
    cmpi,
    extsi,
    extui,
    greatest,
    least,
    number,
    one,
    ones,
    operation,
    trunci,
    truth,
    widens,
    zero,
)
from hecv.rules.law import WIDE, WIDTHS, Book, Kind, Literal, Term

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


# Comparisons of extensions

UNSIGNED = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}


def _extended(predicate: str) -> None:
    narrow_predicate = UNSIGNED.get(predicate, predicate)

    @comparisons.law(f"cmpi-{predicate}-extui", modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        return Equation(cmpi(predicate, extui(x, to), extui(y, to)), cmpi(narrow_predicate, x, y))

    @comparisons.law(f"cmpi-{predicate}-extsi", modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        return Equation(cmpi(predicate, extsi(x, to), extsi(y, to)), cmpi(predicate, x, y))

    @comparisons.law(f"cmpi-{predicate}-extui-literal", widths=WIDTHS, modest=True)
    def _(c: Literal, narrow: Kind) -> Equation | None:
        """Where the literal is the extension of a narrow one."""
        if not widens(narrow, c.kind):
            return None
        x, small = Variable(narrow, "x"), trunci(c, narrow)
        fits = cmpi("eq", extui(small, c.kind), c)
        return Equation(cmpi(predicate, extui(x, c.kind), c), cmpi(narrow_predicate, x, small), where=fits)

    @comparisons.law(f"cmpi-{predicate}-extsi-literal", widths=WIDTHS, modest=True)
    def _(c: Literal, narrow: Kind) -> Equation | None:
        if not widens(narrow, c.kind):
            return None
        x, small = Variable(narrow, "x"), trunci(c, narrow)
        fits = cmpi("eq", extsi(small, c.kind), c)
        return Equation(cmpi(predicate, extsi(x, c.kind), c), cmpi(predicate, x, small), where=fits)


for _predicate in SWAPPED:
    _extended(_predicate)


@comparisons.law("cmpi-ult-extui-beyond", widths=WIDTHS, modest=True)
def _(c: Literal, narrow: Kind) -> Equation | None:
    """An extension is less than what the narrow type does not hold."""
    if not widens(narrow, c.kind):
        return None
    x, most = Variable(narrow, "x"), number((1 << narrow.width) - 1, c)
    return Equation(cmpi("ult", extui(x, c.kind), c), truth(True), where=cmpi("ugt", c, most))


@comparisons.law("cmpi-slt-extui-beyond", widths=WIDTHS, modest=True)
def _(c: Literal, narrow: Kind) -> Equation | None:
    if not widens(narrow, c.kind):
        return None
    x, most = Variable(narrow, "x"), number((1 << narrow.width) - 1, c)
    return Equation(cmpi("slt", extui(x, c.kind), c), truth(True), where=cmpi("sgt", c, most))


@comparisons.law("cmpi-eq-extui-beyond", widths=WIDTHS, modest=True)
def _(c: Literal, narrow: Kind) -> Equation | None:
    if not widens(narrow, c.kind):
        return None
    x, most = Variable(narrow, "x"), number((1 << narrow.width) - 1, c)
    return Equation(cmpi("eq", extui(x, c.kind), c), truth(False), where=cmpi("ugt", c, most))


@comparisons.law("cmpi-sge-extui-zero", widths=WIDTHS, modest=True)
def _(c: Literal, narrow: Kind) -> Equation | None:
    """An extension is not negative."""
    if not widens(narrow, c.kind):
        return None
    x = Variable(narrow, "x")
    return Equation(cmpi("slt", extui(x, c.kind), c), truth(False), where=cmpi("sle", c, zero(c)))


# Comparisons with literals, one off


@comparisons.law("cmpi-sge-literal", modest=True)
def _(x: Term, c: Literal) -> Equation:
    return Equation(cmpi("sge", x, c), cmpi("sgt", x, c + ones(c)), where=cmpi("ne", c, least(x)))


@comparisons.law("cmpi-uge-literal", modest=True)
def _(x: Term, c: Literal) -> Equation:
    return Equation(cmpi("uge", x, c), cmpi("ugt", x, c + ones(c)), where=cmpi("ne", c, zero(x)))


@comparisons.law("cmpi-ugt-zero", modest=True)
def _(x: Term) -> Equation:
    return Equation(cmpi("ugt", x, zero(x)), cmpi("ne", x, zero(x)))


# Equality


@comparisons.law("cmpi-ne-difference", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ne", x - y, zero(x)), cmpi("ne", x, y))


@comparisons.law("cmpi-ne-xori", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ne", x ^ y, zero(x)), cmpi("ne", x, y))


@comparisons.law("cmpi-ne-common-term", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("ne", x + z, y + z), cmpi("ne", x, y))


@comparisons.law("cmpi-eq-common-subtrahend", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("eq", x - z, y - z), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-common-minuend", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("eq", z - x, z - y), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-common-xori", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("eq", x ^ z, y ^ z), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-sum-self", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("eq", x + y, x), cmpi("eq", y, zero(x)))


@comparisons.law("cmpi-eq-xori-self", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("eq", x ^ y, x), cmpi("eq", y, zero(x)))


@comparisons.law("cmpi-eq-xori-literal", modest=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(cmpi("eq", x ^ c, d), cmpi("eq", x, c ^ d))


@comparisons.law("cmpi-eq-literal-minus", modest=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(cmpi("eq", c - x, d), cmpi("eq", x, c - d))


@comparisons.law("cmpi-eq-negations", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("eq", -x, -y), cmpi("eq", x, y))


@comparisons.law("cmpi-eq-odd-multiples", widths=(2, 4, 8), modest=True)
def _(x: Term, y: Term, c: Literal) -> Equation:
    """An odd factor has an inverse; fails at 2: `2 * 128` is `2 * 0` at width 8."""
    return Equation(cmpi("eq", x * c, y * c), cmpi("eq", x, y), where=cmpi("eq", c & one(c), one(c)))


@comparisons.law("cmpi-eq-ori-zero", modest=True)
def _(x: Term, y: Term) -> Equation:
    both = cmpi("eq", x, zero(x)) & cmpi("eq", y, zero(y))
    return Equation(both, cmpi("eq", x | y, zero(x)))


@comparisons.law("cmpi-ne-ori-zero", modest=True)
def _(x: Term, y: Term) -> Equation:
    either = cmpi("ne", x, zero(x)) | cmpi("ne", y, zero(y))
    return Equation(either, cmpi("ne", x | y, zero(x)))


@comparisons.law("cmpi-eq-andi-ones", modest=True)
def _(x: Term, y: Term) -> Equation:
    both = cmpi("eq", x, ones(x)) & cmpi("eq", y, ones(y))
    return Equation(both, cmpi("eq", x & y, ones(x)))


@comparisons.law("cmpi-eq-pairs", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """Two equalities as one."""
    return Equation(cmpi("eq", (x ^ y) | (x ^ z), zero(x)), cmpi("eq", x, y) & cmpi("eq", x, z))
