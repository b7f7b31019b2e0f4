"""Laws of floats that hold strictly in IEEE 754: no reassociation, `-0` is not `+0`, one NaN."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.rules import arith, math

floats = Book("floats")


@floats.law("addf-commutes")
def _(x, y):
    return arith.addf(x, y), arith.addf(y, x)


@floats.law("mulf-commutes")
def _(x, y):
    return arith.mulf(x, y), arith.mulf(y, x)


@floats.law("maximumf-commutes")
def _(x, y):
    return arith.maximumf(x, y), arith.maximumf(y, x)


@floats.law("minimumf-commutes")
def _(x, y):
    return arith.minimumf(x, y), arith.minimumf(y, x)


@floats.law("maximumf-associates", expands=True, both=True)
def _(x, y, z):
    return arith.maximumf(arith.maximumf(x, y), z), arith.maximumf(x, arith.maximumf(y, z))


@floats.law("minimumf-associates", expands=True, both=True)
def _(x, y, z):
    return arith.minimumf(arith.minimumf(x, y), z), arith.minimumf(x, arith.minimumf(y, z))


@floats.law("maximumf-self")
def _(x):
    return arith.maximumf(x, x), x


@floats.law("minimumf-self")
def _(x):
    return arith.minimumf(x, x), x


@floats.law("maximumf-as-minimumf", expands=True)
def _(x, y):
    return arith.maximumf(x, y), arith.negf(arith.minimumf(arith.negf(x), arith.negf(y)))


@floats.law("addf-negative-zero")
def _(x):
    return arith.addf(x, -0.0), x


@floats.law("subf-zero")
def _(x):
    return arith.subf(x, 0.0), x


@floats.law("subf-from-negative-zero")
def _(x):
    return arith.subf(-0.0, x), arith.negf(x)


@floats.law("mulf-one")
def _(x):
    return arith.mulf(x, 1.0), x


@floats.law("mulf-minus-one")
def _(x):
    return arith.mulf(x, -1.0), arith.negf(x)


@floats.law("mulf-two")
def _(x):
    return arith.mulf(x, 2.0), arith.addf(x, x)


@floats.law("divf-one")
def _(x):
    return arith.divf(x, 1.0), x


@floats.law("divf-minus-one")
def _(x):
    return arith.divf(x, -1.0), arith.negf(x)


@floats.law("divf-two")
def _(x):
    return arith.divf(x, 2.0), arith.mulf(x, 0.5)


@floats.law("negf-negf")
def _(x):
    return arith.negf(arith.negf(x)), x


@floats.law("subf-as-addf", both=True)
def _(x, y):
    return arith.subf(x, y), arith.addf(x, arith.negf(y))


@floats.law("mulf-negation", both=True)
def _(x, y):
    return arith.mulf(arith.negf(x), y), arith.negf(arith.mulf(x, y))


@floats.law("divf-negation", both=True)
def _(x, y):
    return arith.divf(arith.negf(x), y), arith.negf(arith.divf(x, y))


@floats.law("divf-by-negation", both=True)
def _(x, y):
    return arith.divf(x, arith.negf(y)), arith.negf(arith.divf(x, y))


# Signs and absolute values


@floats.law("mulf-negations", modest=True)
def _(x, y):
    return arith.mulf(arith.negf(x), arith.negf(y)), arith.mulf(x, y)


@floats.law("divf-negations", modest=True)
def _(x, y):
    return arith.divf(arith.negf(x), arith.negf(y)), arith.divf(x, y)


@floats.law("absf-absf", modest=True)
def _(x):
    return math.absf(math.absf(x)), math.absf(x)


@floats.law("absf-of-negf", modest=True)
def _(x):
    return math.absf(arith.negf(x)), math.absf(x)


@floats.law("absf-of-subf", modest=True)
def _(x, y):
    """The sign of a zero is not observable."""
    return math.absf(arith.subf(x, y)), math.absf(arith.subf(y, x))


@floats.law("absf-squared", modest=True)
def _(x):
    return arith.mulf(math.absf(x), math.absf(x)), arith.mulf(x, x)


@floats.law("absf-of-mulf", modest=True)
def _(x, y):
    return arith.mulf(math.absf(x), math.absf(y)), math.absf(arith.mulf(x, y))


@floats.law("absf-of-divf", modest=True)
def _(x, y):
    return arith.divf(math.absf(x), math.absf(y)), math.absf(arith.divf(x, y))


@floats.law("absf-as-maximumf", modest=True)
def _(x):
    return arith.maximumf(x, arith.negf(x)), math.absf(x)


@floats.law("absf-as-minimumf", modest=True)
def _(x):
    return arith.minimumf(x, arith.negf(x)), arith.negf(math.absf(x))


@floats.law("divf-four", modest=True)
def _(x):
    return arith.divf(x, 4.0), arith.mulf(x, 0.25)


@floats.law("divf-half", modest=True)
def _(x):
    return arith.divf(x, 0.5), arith.mulf(x, 2.0)


@floats.law("mulf-two-twice", modest=True)
def _(x):
    """Doubling is exact, or overflows."""
    return arith.mulf(arith.mulf(x, 2.0), 2.0), arith.mulf(x, 4.0)


@floats.law("maximumf-negative-infinity", modest=True)
def _(x):
    return arith.maximumf(x, float("-inf")), x


@floats.law("minimumf-infinity", modest=True)
def _(x):
    return arith.minimumf(x, float("inf")), x


@floats.law("maximumf-distributes", expands=True, both=True, modest=True)
def _(x, y, z):
    return arith.maximumf(x, arith.minimumf(y, z)), arith.minimumf(arith.maximumf(x, y), arith.maximumf(x, z))


@floats.law("minimumf-distributes", expands=True, both=True, modest=True)
def _(x, y, z):
    return arith.minimumf(x, arith.maximumf(y, z)), arith.maximumf(arith.minimumf(x, y), arith.minimumf(x, z))


# Rounding to integers, and fused products


ROUNDINGS = ("floor", "ceil", "trunc", "round", "roundeven")
MIRRORED = {"floor": "ceil", "ceil": "floor", "trunc": "trunc", "round": "round", "roundeven": "roundeven"}


def rounded(name, x):
    """An operator of `math` that rounds to an integer."""
    return getattr(math, name)(x)


def _round(name: str) -> None:
    @floats.law(f"{name}-twice", modest=True)
    def _(x):
        return rounded(name, rounded(name, x)), rounded(name, x)

    @floats.law(f"{name}-of-negf", modest=True)
    def _(x):
        return rounded(name, arith.negf(x)), arith.negf(rounded(MIRRORED[name], x))

    @floats.law(f"floor-of-{name}" if name != "floor" else "ceil-of-floor", modest=True)
    def _(x):
        return rounded("ceil" if name == "floor" else "floor", rounded(name, x)), rounded(name, x)


for _name in ROUNDINGS:
    _round(_name)


@floats.law("fma-without-addend", modest=True)
def _(x, y):
    """Fails with the addend +0: a product that is -0 becomes +0."""
    return math.fma(x, y, -0.0), arith.mulf(x, y)


@floats.law("fma-negations", modest=True)
def _(x, y, z):
    return math.fma(arith.negf(x), arith.negf(y), z), math.fma(x, y, z)


@floats.law("fma-by-one", modest=True)
def _(x, y):
    """Both sides are rounded once."""
    return math.fma(x, 1.0, y), arith.addf(x, y)


@floats.law("fma-by-minus-one", modest=True)
def _(x, y):
    return math.fma(x, -1.0, y), arith.subf(y, x)


@floats.law("fma-negation", modest=True)
def _(x, y, z):
    return math.fma(arith.negf(x), y, z), math.fma(x, arith.negf(y), z)


@floats.law("fma-commutes", modest=True)
def _(x, y, z):
    return math.fma(x, y, z), math.fma(y, x, z)


@floats.law("rsqrt-as-quotient", modest=True)
def _(x):
    return math.rsqrt(x), arith.divf(1.0, math.sqrt(x))


# Powers by literals


def squared(x, power):
    """The product by repeated squaring, of at most eight factors."""
    twice = arith.mulf(x, x) if power > 1 else x
    square = arith.mulf(twice, twice) if power > 3 else twice
    match power:
        case 1:
            return x
        case 2:
            return twice
        case 3:
            return arith.mulf(x, twice)
        case 4:
            return square
        case 5:
            return arith.mulf(x, square)
        case 6:
            return arith.mulf(twice, square)
        case 7:
            return arith.mulf(arith.mulf(x, twice), square)
        case _:
            return arith.mulf(square, square)


AMOUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
EXPONENTS = (8, 16, 32, 64)


@floats.law("fpowi-zero", widths=EXPONENTS, modest=True)
def _(x):
    """Holds for NaN too."""
    return math.fpowi(x, 0), 1.0


def _power(power: int) -> None:
    @floats.law(f"fpowi-{AMOUNTS[power]}", widths=EXPONENTS, modest=True)
    def _(x):
        return math.fpowi(x, power), squared(x, power)

    @floats.law(f"fpowi-minus-{AMOUNTS[power]}", widths=EXPONENTS, modest=True)
    def _(x):
        return math.fpowi(x, -power), arith.divf(1.0, squared(x, power))


for _number in range(1, 9):
    _power(_number)
