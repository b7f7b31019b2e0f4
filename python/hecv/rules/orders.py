"""Laws of comparisons and classes of floats."""

from __future__ import annotations

from hecv.rules.conversions import extends
from hecv.rules.language import (
    BIT,
    Equation,
    absf,
    cmpf,
    extf,
    negf,
    operation,
    real,
    truth,
)
from hecv.rules.law import Book, Kind, Term

orders = Book("floats")


SWAPPED = {
    "oeq": "oeq",
    "ogt": "olt",
    "oge": "ole",
    "olt": "ogt",
    "ole": "oge",
    "one": "one",
    "ord": "ord",
    "ueq": "ueq",
    "ugt": "ult",
    "uge": "ule",
    "ult": "ugt",
    "ule": "uge",
    "une": "une",
    "uno": "uno",
}
NEGATED = {
    "oeq": "une",
    "ogt": "ule",
    "oge": "ult",
    "olt": "uge",
    "ole": "ugt",
    "one": "ueq",
    "ord": "uno",
    "ueq": "one",
    "ugt": "ole",
    "uge": "olt",
    "ult": "oge",
    "ule": "ogt",
    "une": "oeq",
    "uno": "ord",
}
OF_ONE_OPERAND = {
    "oeq": "ord",
    "oge": "ord",
    "ole": "ord",
    "ugt": "uno",
    "ult": "uno",
    "une": "uno",
}
CONSTANT = {"ogt": False, "olt": False, "one": False, "ueq": True, "uge": True, "ule": True}


def _swap(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-swapped")
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(predicate, x, y), cmpf(SWAPPED[predicate], y, x))


def _negate(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-negated", both=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(predicate, x, y) ^ truth(True), cmpf(NEGATED[predicate], x, y))


def _reflect(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-self")
    def _(x: Term) -> Equation:
        return Equation(cmpf(predicate, x, x), cmpf(OF_ONE_OPERAND[predicate], x, x))


def _settle(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-self")
    def _(x: Term) -> Equation:
        return Equation(cmpf(predicate, x, x), truth(CONSTANT[predicate]))


for _predicate in SWAPPED:
    _swap(_predicate)
    _negate(_predicate)
for _predicate in OF_ONE_OPERAND:
    _reflect(_predicate)
for _predicate in CONSTANT:
    _settle(_predicate)


@orders.law("cmpf-false")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("false", x, y), truth(False))


@orders.law("cmpf-true")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("true", x, y), truth(True))


# Classes of floats, as comparisons


@orders.law("isnan-as-cmpf", modest=True)
def _(x: Term) -> Equation:
    return Equation(operation("math.isnan", x, to=BIT), cmpf("uno", x, x))


@orders.law("isinf-as-cmpf", modest=True)
def _(x: Term) -> Equation:
    return Equation(operation("math.isinf", x, to=BIT), cmpf("oeq", absf(x), real(float("inf"), x)))


@orders.law("isfinite-as-cmpf", modest=True)
def _(x: Term) -> Equation:
    return Equation(operation("math.isfinite", x, to=BIT), cmpf("one", absf(x), real(float("inf"), x)))


@orders.law("isfinite-as-cmpf-less", modest=True)
def _(x: Term) -> Equation:
    return Equation(cmpf("olt", absf(x), real(float("inf"), x)), cmpf("one", absf(x), real(float("inf"), x)))


# Comparisons together


TOGETHER = {
    "one": ("olt", "ogt"),
    "ole": ("olt", "oeq"),
    "oge": ("ogt", "oeq"),
    "ueq": ("uno", "oeq"),
    "ult": ("uno", "olt"),
    "ugt": ("uno", "ogt"),
    "ule": ("uno", "ole"),
    "uge": ("uno", "oge"),
    "une": ("uno", "one"),
    "ord": ("ole", "ogt"),
}
APART = {
    "oeq": ("ord", "ueq"),
    "olt": ("ord", "ult"),
    "ogt": ("ord", "ugt"),
    "ole": ("ord", "ule"),
    "oge": ("ord", "uge"),
    "one": ("ord", "une"),
}


def _join(predicate: str) -> None:
    first, second = TOGETHER[predicate]

    @orders.law(f"cmpf-{first}-or-{second}-is-{predicate}", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(first, x, y) | cmpf(second, x, y), cmpf(predicate, x, y))


def _meet(predicate: str) -> None:
    first, second = APART[predicate]

    @orders.law(f"cmpf-{first}-and-{second}-is-{predicate}", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(first, x, y) & cmpf(second, x, y), cmpf(predicate, x, y))


for _predicate in TOGETHER:
    _join(_predicate)
for _predicate in APART:
    _meet(_predicate)


def _negations(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-of-negations", modest=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(predicate, negf(x), negf(y)), cmpf(SWAPPED[predicate], x, y))


def _extended(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-of-extf", modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not extends(x.kind, to):
            return None
        return Equation(cmpf(predicate, extf(x, to), extf(y, to)), cmpf(predicate, x, y))


for _predicate in SWAPPED:
    _negations(_predicate)
    _extended(_predicate)


@orders.law("cmpf-uno-of-negf", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("uno", negf(x), y), cmpf("uno", x, y))


@orders.law("cmpf-ord-splits", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("ord", x, x) & cmpf("ord", y, y), cmpf("ord", x, y))


@orders.law("cmpf-uno-splits", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("uno", x, x) | cmpf("uno", y, y), cmpf("uno", x, y))


@orders.law("cmpf-absf-negative", modest=True)
def _(x: Term) -> Equation:
    return Equation(cmpf("olt", absf(x), real(0.0, x)), truth(False))


@orders.law("cmpf-absf-is-zero", modest=True)
def _(x: Term) -> Equation:
    return Equation(cmpf("oeq", absf(x), real(0.0, x)), cmpf("oeq", x, real(0.0, x)))
