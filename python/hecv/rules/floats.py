"""Laws of floats that hold strictly in IEEE-754: no reassociation, `-0` is not `+0`, one NaN."""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    Operation,
    Pattern,
    absf,
    addf,
    divf,
    maximumf,
    minimumf,
    mulf,
    negf,
    operation,
    real,
    subf,
)
from hecv.rules.law import Book, Term

floats = Book("floats")

ALL_BUT_F64 = ("f16", "f32")
"""Where Z3 divides in reasonable time."""


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


@floats.law("divf-negation", both=True, formats=ALL_BUT_F64)
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(negf(x), y), negf(divf(x, y)))


@floats.law("divf-by-negation", both=True, formats=ALL_BUT_F64)
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(x, negf(y)), negf(divf(x, y)))


# Signs and absolute values


@floats.law("mulf-negations", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(mulf(negf(x), negf(y)), mulf(x, y))


@floats.law("divf-negations", formats=ALL_BUT_F64, modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(negf(x), negf(y)), divf(x, y))


@floats.law("absf-absf", modest=True)
def _(x: Term) -> Equation:
    return Equation(absf(absf(x)), absf(x))


@floats.law("absf-of-negf", modest=True)
def _(x: Term) -> Equation:
    return Equation(absf(negf(x)), absf(x))


@floats.law("absf-of-subf", formats=("f16",), modest=True)
def _(x: Term, y: Term) -> Equation:
    """The sign of a zero does not show."""
    return Equation(absf(subf(x, y)), absf(subf(y, x)))


@floats.law("absf-squared", modest=True)
def _(x: Term) -> Equation:
    return Equation(mulf(absf(x), absf(x)), mulf(x, x))


@floats.law("absf-of-mulf", modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(mulf(absf(x), absf(y)), absf(mulf(x, y)))


@floats.law("absf-of-divf", formats=ALL_BUT_F64, modest=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(absf(x), absf(y)), absf(divf(x, y)))


@floats.law("absf-as-maximumf", modest=True)
def _(x: Term) -> Equation:
    return Equation(maximumf(x, negf(x)), absf(x))


@floats.law("absf-as-minimumf", modest=True)
def _(x: Term) -> Equation:
    return Equation(minimumf(x, negf(x)), negf(absf(x)))


@floats.law("divf-four", modest=True)
def _(x: Term) -> Equation:
    return Equation(divf(x, real(4.0, x)), mulf(x, real(0.25, x)))


@floats.law("divf-half", modest=True)
def _(x: Term) -> Equation:
    return Equation(divf(x, real(0.5, x)), mulf(x, real(2.0, x)))


@floats.law("mulf-two-twice", modest=True)
def _(x: Term) -> Equation:
    """Doubling is exact, or overflows."""
    return Equation(mulf(mulf(x, real(2.0, x)), real(2.0, x)), mulf(x, real(4.0, x)))


@floats.law("maximumf-negative-infinity", modest=True)
def _(x: Term) -> Equation:
    return Equation(maximumf(x, real(float("-inf"), x)), x)


@floats.law("minimumf-infinity", modest=True)
def _(x: Term) -> Equation:
    return Equation(minimumf(x, real(float("inf"), x)), x)


@floats.law("maximumf-distributes", expands=True, both=True, modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(maximumf(x, minimumf(y, z)), minimumf(maximumf(x, y), maximumf(x, z)))


@floats.law("minimumf-distributes", expands=True, both=True, modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minimumf(x, maximumf(y, z)), maximumf(minimumf(x, y), minimumf(x, z)))


# Rounding to integers, and fused products


ROUNDINGS = ("floor", "ceil", "trunc", "round", "roundeven")
MIRRORED = {"floor": "ceil", "ceil": "floor", "trunc": "trunc", "round": "round", "roundeven": "roundeven"}


def rounded(name: str, x: Pattern) -> Operation:
    """An operator of `math` that rounds to an integer."""
    return operation(f"math.{name}", x)


def _round(name: str) -> None:
    @floats.law(f"{name}-twice", modest=True)
    def _(x: Term) -> Equation:
        return Equation(rounded(name, rounded(name, x)), rounded(name, x))

    @floats.law(f"{name}-of-negf", modest=True)
    def _(x: Term) -> Equation:
        return Equation(rounded(name, negf(x)), negf(rounded(MIRRORED[name], x)))

    @floats.law(f"floor-of-{name}" if name != "floor" else "ceil-of-floor", modest=True)
    def _(x: Term) -> Equation:
        return Equation(rounded("ceil" if name == "floor" else "floor", rounded(name, x)), rounded(name, x))


for _name in ROUNDINGS:
    _round(_name)


@floats.law("fma-without-addend", formats=("f16",), modest=True)
def _(x: Term, y: Term) -> Equation:
    """Fails with the addend +0: a product that is -0 becomes +0."""
    return Equation(operation("math.fma", x, y, real(-0.0, x)), mulf(x, y))


@floats.law("fma-negations", formats=("f16",), modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(operation("math.fma", negf(x), negf(y), z), operation("math.fma", x, y, z))
