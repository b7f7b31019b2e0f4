"""Laws of float comparisons and classification (`math.isnan` and the like)."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.rules import arith, math

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
    def _(x, y):
        return arith.cmpf(x, y, predicate=predicate), arith.cmpf(y, x, predicate=SWAPPED[predicate])


def _negate(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-negated", both=True)
    def _(x, y):
        return arith.cmpf(x, y, predicate=predicate) ^ True, arith.cmpf(x, y, predicate=NEGATED[predicate])


def _reflect(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-self")
    def _(x):
        return arith.cmpf(x, x, predicate=predicate), arith.cmpf(x, x, predicate=OF_ONE_OPERAND[predicate])


def _settle(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-self")
    def _(x):
        return arith.cmpf(x, x, predicate=predicate), CONSTANT[predicate]


for _predicate in SWAPPED:
    _swap(_predicate)
    _negate(_predicate)
for _predicate in OF_ONE_OPERAND:
    _reflect(_predicate)
for _predicate in CONSTANT:
    _settle(_predicate)


@orders.law("cmpf-false")
def _(x, y):
    return arith.cmpf(x, y, predicate="false"), False


@orders.law("cmpf-true")
def _(x, y):
    return arith.cmpf(x, y, predicate="true"), True


# Classes of floats, as comparisons


@orders.law("isnan-as-cmpf", modest=True)
def _(x):
    return math.isnan(x), arith.cmpf(x, x, predicate="uno")


@orders.law("isinf-as-cmpf", modest=True)
def _(x):
    return math.isinf(x), arith.cmpf(math.absf(x), float("inf"), predicate="oeq")


@orders.law("isfinite-as-cmpf", modest=True)
def _(x):
    return math.isfinite(x), arith.cmpf(math.absf(x), float("inf"), predicate="one")


@orders.law("isfinite-as-cmpf-less", modest=True)
def _(x):
    return arith.cmpf(math.absf(x), float("inf"), predicate="olt"), arith.cmpf(
        math.absf(x), float("inf"), predicate="one"
    )


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
    def _(x, y):
        return arith.cmpf(x, y, predicate=first) | arith.cmpf(x, y, predicate=second), arith.cmpf(
            x, y, predicate=predicate
        )


def _meet(predicate: str) -> None:
    first, second = APART[predicate]

    @orders.law(f"cmpf-{first}-and-{second}-is-{predicate}", modest=True)
    def _(x, y):
        return arith.cmpf(x, y, predicate=first) & arith.cmpf(x, y, predicate=second), arith.cmpf(
            x, y, predicate=predicate
        )


for _predicate in TOGETHER:
    _join(_predicate)
for _predicate in APART:
    _meet(_predicate)


def _negations(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-of-negations", modest=True)
    def _(x, y):
        return arith.cmpf(arith.negf(x), arith.negf(y), predicate=predicate), arith.cmpf(
            x, y, predicate=SWAPPED[predicate]
        )


def _extended(predicate: str) -> None:
    @orders.law(f"cmpf-{predicate}-of-extf", modest=True)
    def _(x, y):
        return arith.cmpf(arith.extf(x), arith.extf(y), predicate=predicate), arith.cmpf(x, y, predicate=predicate)


for _predicate in SWAPPED:
    _negations(_predicate)
    _extended(_predicate)


@orders.law("cmpf-uno-of-negf", modest=True)
def _(x, y):
    return arith.cmpf(arith.negf(x), y, predicate="uno"), arith.cmpf(x, y, predicate="uno")


@orders.law("cmpf-ord-splits", modest=True)
def _(x, y):
    return arith.cmpf(x, x, predicate="ord") & arith.cmpf(y, y, predicate="ord"), arith.cmpf(x, y, predicate="ord")


@orders.law("cmpf-uno-splits", modest=True)
def _(x, y):
    return arith.cmpf(x, x, predicate="uno") | arith.cmpf(y, y, predicate="uno"), arith.cmpf(x, y, predicate="uno")


@orders.law("cmpf-absf-negative", modest=True)
def _(x):
    return arith.cmpf(math.absf(x), 0.0, predicate="olt"), False


@orders.law("cmpf-absf-is-zero", modest=True)
def _(x):
    return arith.cmpf(math.absf(x), 0.0, predicate="oeq"), arith.cmpf(x, 0.0, predicate="oeq")
