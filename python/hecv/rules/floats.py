"""Laws of floats that hold strictly in IEEE-754: no reassociation, `-0` is not `+0`, one NaN."""

from __future__ import annotations

from hecv.base.types import FloatType, IntType
from hecv.rules.language import (
    Equation,
    addf,
    cmpf,
    divf,
    extsi,
    extui,
    maximumf,
    minimumf,
    mulf,
    negf,
    operation,
    real,
    subf,
    truth,
    widens,
)
from hecv.rules.language import Kind as Type
from hecv.rules.law import Book, Kind, Term

floats = Book("floats")
conversions = Book("integers")

ALL_BUT_F64 = ("f16", "f32")
"""Where Z3 multiplies and divides in reasonable time."""


@floats.law("addf-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(addf(x, y), addf(y, x))


@floats.law("mulf-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(mulf(x, y), mulf(y, x))


@floats.law("maximumf-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(maximumf(x, y), maximumf(y, x))


@floats.law("minimumf-commutes")
def _(x: Term, y: Term) -> Equation:
    return Equation(minimumf(x, y), minimumf(y, x))


@floats.law("maximumf-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(maximumf(maximumf(x, y), z), maximumf(x, maximumf(y, z)))


@floats.law("minimumf-associates", expands=True, both=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minimumf(minimumf(x, y), z), minimumf(x, minimumf(y, z)))


@floats.law("maximumf-self")
def _(x: Term) -> Equation:
    return Equation(maximumf(x, x), x)


@floats.law("minimumf-self")
def _(x: Term) -> Equation:
    return Equation(minimumf(x, x), x)


@floats.law("maximumf-as-minimumf", expands=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(maximumf(x, y), negf(minimumf(negf(x), negf(y))))


@floats.law("addf-negative-zero")
def _(x: Term) -> Equation:
    return Equation(addf(x, real(-0.0, x)), x)


@floats.law("subf-zero")
def _(x: Term) -> Equation:
    return Equation(subf(x, real(0.0, x)), x)


@floats.law("subf-from-negative-zero")
def _(x: Term) -> Equation:
    return Equation(subf(real(-0.0, x), x), negf(x))


@floats.law("mulf-one")
def _(x: Term) -> Equation:
    return Equation(mulf(x, real(1.0, x)), x)


@floats.law("mulf-minus-one")
def _(x: Term) -> Equation:
    return Equation(mulf(x, real(-1.0, x)), negf(x))


@floats.law("mulf-two")
def _(x: Term) -> Equation:
    return Equation(mulf(x, real(2.0, x)), addf(x, x))


@floats.law("divf-one")
def _(x: Term) -> Equation:
    return Equation(divf(x, real(1.0, x)), x)


@floats.law("divf-minus-one")
def _(x: Term) -> Equation:
    return Equation(divf(x, real(-1.0, x)), negf(x))


@floats.law("divf-two")
def _(x: Term) -> Equation:
    return Equation(divf(x, real(2.0, x)), mulf(x, real(0.5, x)))


@floats.law("negf-negf")
def _(x: Term) -> Equation:
    return Equation(negf(negf(x)), x)


@floats.law("subf-as-addf", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(subf(x, y), addf(x, negf(y)))


@floats.law("mulf-negation", both=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(mulf(negf(x), y), negf(mulf(x, y)))


@floats.law("divf-negation", both=True, formats=("f16",))
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(negf(x), y), negf(divf(x, y)))


@floats.law("divf-by-negation", both=True, formats=("f16",))
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(x, negf(y)), negf(divf(x, y)))


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
    @floats.law(f"cmpf-{predicate}-swapped")
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(predicate, x, y), cmpf(SWAPPED[predicate], y, x))


def _negate(predicate: str) -> None:
    @floats.law(f"cmpf-{predicate}-negated", both=True)
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpf(predicate, x, y) ^ truth(True), cmpf(NEGATED[predicate], x, y))


def _reflect(predicate: str) -> None:
    @floats.law(f"cmpf-{predicate}-self")
    def _(x: Term) -> Equation:
        return Equation(cmpf(predicate, x, x), cmpf(OF_ONE_OPERAND[predicate], x, x))


def _settle(predicate: str) -> None:
    @floats.law(f"cmpf-{predicate}-self")
    def _(x: Term) -> Equation:
        return Equation(cmpf(predicate, x, x), truth(CONSTANT[predicate]))


for _predicate in SWAPPED:
    _swap(_predicate)
    _negate(_predicate)
for _predicate in OF_ONE_OPERAND:
    _reflect(_predicate)
for _predicate in CONSTANT:
    _settle(_predicate)


@floats.law("cmpf-false")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("false", x, y), truth(False))


@floats.law("cmpf-true")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("true", x, y), truth(True))


@floats.law("cmpf-olt-negations")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("olt", negf(x), negf(y)), cmpf("olt", y, x))


@floats.law("cmpf-olt-or-oeq")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("olt", x, y) | cmpf("oeq", x, y), cmpf("ole", x, y))


# Between formats, and from integers


ORDER = ("f16", "f32", "f64")


def extends(narrow: Type, wide: Type) -> bool:
    """Every number of the one format is one of the other, and the formats differ."""
    names = [kind.type.name for kind in (narrow, wide) if isinstance(kind.type, FloatType)]
    return len(names) == 2 and ORDER.index(names[0]) < ORDER.index(names[1])


@floats.law("extf-extf")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (extends(x.kind, middle) and extends(middle, to)):
        return None
    inner = operation("arith.extf", x, to=middle)
    return Equation(operation("arith.extf", inner, to=to), operation("arith.extf", x, to=to))


@floats.law("truncf-of-extf-back")
def _(x: Term, middle: Kind) -> Equation | None:
    if not extends(x.kind, middle):
        return None
    return Equation(operation("arith.truncf", operation("arith.extf", x, to=middle), to=x.kind), x)


@floats.law("extf-of-negf", both=True)
def _(x: Term, to: Kind) -> Equation | None:
    if not extends(x.kind, to):
        return None
    return Equation(operation("arith.extf", negf(x), to=to), negf(operation("arith.extf", x, to=to)))


@floats.law("truncf-of-negf", both=True)
def _(x: Term, to: Kind) -> Equation | None:
    if not extends(to, x.kind):
        return None
    return Equation(operation("arith.truncf", negf(x), to=to), negf(operation("arith.truncf", x, to=to)))


@conversions.law("sitofp-of-extsi", widths=(1, 2, 4, 8, 16))
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and isinstance(to.type, FloatType)):
        return None
    return Equation(operation("arith.sitofp", extsi(x, middle), to=to), operation("arith.sitofp", x, to=to))


@conversions.law("uitofp-of-extui", widths=(1, 2, 4, 8, 16))
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and isinstance(to.type, FloatType)):
        return None
    return Equation(operation("arith.uitofp", extui(x, middle), to=to), operation("arith.uitofp", x, to=to))


@conversions.law("sitofp-of-extui", widths=(1, 2, 4, 8, 16))
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and isinstance(to.type, FloatType)):
        return None
    return Equation(operation("arith.sitofp", extui(x, middle), to=to), operation("arith.uitofp", x, to=to))


@conversions.law("uitofp-nonnegative", widths=(1, 2, 4, 8, 16, 32))
def _(x: Term, to: Kind) -> Equation | None:
    if not (isinstance(x.kind.type, IntType) and isinstance(to.type, FloatType)):
        return None
    premise = operation("arith.uitofp", x, to=to, nneg=True)
    converted = operation("arith.sitofp", x, to=to)
    return Equation(operation("arith.uitofp", x, to=to), converted, given=(premise,))
