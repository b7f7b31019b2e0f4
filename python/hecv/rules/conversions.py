"""Laws of conversions between float formats, and from and to integers."""

from __future__ import annotations

from hecv.base.types import FloatType, IntType
from hecv.rules.language import (
    Equation,
    absf,
    cmpf,
    cmpi,
    extf,
    extsi,
    extui,
    maximumf,
    minimumf,
    negf,
    operation,
    sitofp,
    truncf,
    uitofp,
    widens,
)
from hecv.rules.language import Kind as Type
from hecv.rules.law import Book, Kind, Term

formats = Book("floats")
conversions = Book("integers")


# Between formats, and from integers


ORDER = ("f16", "f32", "f64")


def extends(narrow: Type, wide: Type) -> bool:
    """Every number of the one format is one of the other, and the formats differ."""
    names = [kind.type.name for kind in (narrow, wide) if isinstance(kind.type, FloatType)]
    return len(names) == 2 and ORDER.index(names[0]) < ORDER.index(names[1])


@formats.law("extf-extf")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (extends(x.kind, middle) and extends(middle, to)):
        return None
    inner = operation("arith.extf", x, to=middle)
    return Equation(operation("arith.extf", inner, to=to), operation("arith.extf", x, to=to))


@formats.law("truncf-of-extf-back")
def _(x: Term, middle: Kind) -> Equation | None:
    if not extends(x.kind, middle):
        return None
    return Equation(operation("arith.truncf", operation("arith.extf", x, to=middle), to=x.kind), x)


@formats.law("extf-of-negf", both=True)
def _(x: Term, to: Kind) -> Equation | None:
    if not extends(x.kind, to):
        return None
    return Equation(operation("arith.extf", negf(x), to=to), negf(operation("arith.extf", x, to=to)))


@formats.law("truncf-of-negf", both=True)
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


@formats.law("extf-of-absf", both=True, modest=True)
def _(x: Term, to: Kind) -> Equation | None:
    return Equation(extf(absf(x), to), absf(extf(x, to))) if extends(x.kind, to) else None


@formats.law("truncf-of-absf", both=True, modest=True)
def _(x: Term, to: Kind) -> Equation | None:
    return Equation(truncf(absf(x), to), absf(truncf(x, to))) if extends(to, x.kind) else None


@formats.law("maximumf-of-extf", modest=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not extends(x.kind, to):
        return None
    return Equation(maximumf(extf(x, to), extf(y, to)), extf(maximumf(x, y), to))


@formats.law("minimumf-of-extf", modest=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    if not extends(x.kind, to):
        return None
    return Equation(minimumf(extf(x, to), extf(y, to)), extf(minimumf(x, y), to))


# Integers as floats


EXACT = {"f16": 11, "f32": 24, "f64": 53}
"""Integers of so many bits, sign apart, are floats of the format."""


def exact(kind: Type, to: Type, signed: bool) -> bool:
    """Every integer of the one type is a float of the other."""
    if not (isinstance(kind.type, IntType) and isinstance(to.type, FloatType)):
        return False
    return kind.width - signed <= EXACT[to.type.name]


def _converted(predicate: str, ordered: str) -> None:
    @conversions.law(f"cmpf-{ordered}-of-sitofp", widths=(2, 4, 8, 16), modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        """Fails where the integers are rounded: 2049 and 2048 in f16."""
        if not exact(x.kind, to, True):
            return None
        order = predicate if predicate in ("eq", "ne") else f"s{predicate}"
        return Equation(cmpf(ordered, sitofp(x, to), sitofp(y, to)), cmpi(order, x, y))

    @conversions.law(f"cmpf-{ordered}-of-uitofp", widths=(2, 4, 8, 16), modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not exact(x.kind, to, False):
            return None
        order = predicate if predicate in ("eq", "ne") else f"u{predicate}"
        return Equation(cmpf(ordered, uitofp(x, to), uitofp(y, to)), cmpi(order, x, y))


for _predicate, _ordered in (("eq", "oeq"), ("ne", "une"), ("lt", "olt"), ("le", "ole"), ("gt", "ogt"), ("ge", "oge")):
    _converted(_predicate, _ordered)


@conversions.law("truncf-of-sitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (exact(x.kind, middle, True) and extends(to, middle)):
        return None
    return Equation(truncf(sitofp(x, middle), to), sitofp(x, to))


@conversions.law("truncf-of-uitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (exact(x.kind, middle, False) and extends(to, middle)):
        return None
    return Equation(truncf(uitofp(x, middle), to), uitofp(x, to))


@conversions.law("extf-of-sitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (exact(x.kind, middle, True) and extends(middle, to)):
        return None
    return Equation(extf(sitofp(x, middle), to), sitofp(x, to))


@conversions.law("extf-of-uitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (exact(x.kind, middle, False) and extends(middle, to)):
        return None
    return Equation(extf(uitofp(x, middle), to), uitofp(x, to))


@conversions.law("fptosi-of-sitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x: Term, middle: Kind) -> Equation | None:
    if not exact(x.kind, middle, True):
        return None
    return Equation(operation("arith.fptosi", sitofp(x, middle), to=x.kind), x)


@conversions.law("fptoui-of-uitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x: Term, middle: Kind) -> Equation | None:
    if not exact(x.kind, middle, False):
        return None
    return Equation(operation("arith.fptoui", uitofp(x, middle), to=x.kind), x)
