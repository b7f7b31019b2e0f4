"""Laws of conversions between float formats, and from and to integers."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.ops.transcendental import STEPWISE, transcendental
from hecv.rules import arith, defined, math

formats = Book("floats")
conversions = Book("integers")


# Between formats, and from integers


@formats.law("extf-extf")
def _(x):
    inner = arith.extf(x)
    return arith.extf(inner), arith.extf(x)


@formats.law("truncf-of-extf-back")
def _(x):
    return arith.truncf(arith.extf(x)), x


@formats.law("extf-of-negf", both=True)
def _(x):
    to = arith.extf(arith.negf(x))
    return to, arith.negf(arith.extf(x, type=to.type))


@formats.law("truncf-of-negf", both=True)
def _(x):
    to = arith.truncf(arith.negf(x))
    return to, arith.negf(arith.truncf(x, type=to.type))


@conversions.law("sitofp-of-extsi", widths=(1, 2, 4, 8, 16))
def _(x):
    return arith.sitofp(arith.extsi(x)), arith.sitofp(x)


@conversions.law("uitofp-of-extui", widths=(1, 2, 4, 8, 16))
def _(x):
    return arith.uitofp(arith.extui(x)), arith.uitofp(x)


@conversions.law("sitofp-of-extui", widths=(1, 2, 4, 8, 16))
def _(x):
    return arith.sitofp(arith.extui(x)), arith.uitofp(x)


@conversions.law("uitofp-nonnegative", widths=(1, 2, 4, 8, 16, 32))
def _(x):
    to = arith.uitofp(x)
    premise = arith.uitofp(x, nneg=True, type=to.type)
    converted = arith.sitofp(x, type=to.type)
    assert defined(premise)
    return to, converted


@formats.law("extf-of-absf", both=True, modest=True)
def _(x):
    to = arith.extf(math.absf(x))
    return to, math.absf(arith.extf(x, type=to.type))


@formats.law("truncf-of-absf", both=True, modest=True)
def _(x):
    to = arith.truncf(math.absf(x))
    return to, math.absf(arith.truncf(x, type=to.type))


@formats.law("maximumf-of-extf", modest=True)
def _(x, y):
    return arith.maximumf(arith.extf(x), arith.extf(y)), arith.extf(arith.maximumf(x, y))


@formats.law("minimumf-of-extf", modest=True)
def _(x, y):
    return arith.minimumf(arith.extf(x), arith.extf(y)), arith.extf(arith.minimumf(x, y))


# In a wider format


def _in_wider_format(name: str) -> None:
    @formats.law(f"{name}-in-wider-format", both=True, modest=True)
    def _(x, y):
        """The second rounding changes nothing: each format here has over twice the digits of those within it."""
        operation = getattr(arith, name)
        return arith.truncf(operation(arith.extf(x), arith.extf(y))), operation(x, y)


for _name in ("addf", "subf", "mulf", "divf"):
    _in_wider_format(_name)


@formats.law("sqrt-in-wider-format", both=True, modest=True)
def _(x):
    return arith.truncf(math.sqrt(arith.extf(x))), math.sqrt(x)


def _in_f32(name: str) -> None:
    operation = getattr(math, name)

    @formats.law(f"{name}-in-f32", both=True, modest=True)
    def _(x):
        """What the function is on f16 and bf16; fails in f64, which rounds another number."""
        wide = arith.extf(x)
        assert wide.elType == "f32"
        return arith.truncf(operation(wide)), operation(x)


def _of_two_in_f32(name: str) -> None:
    operation = getattr(math, name)

    @formats.law(f"{name}-in-f32", both=True, modest=True)
    def _(x, y):
        wide = arith.extf(x)
        assert wide.elType == "f32"
        return arith.truncf(operation(wide, arith.extf(y))), operation(x, y)


for _name in sorted(transcendental.operators.keys() - STEPWISE):
    (_of_two_in_f32 if _name in ("math.atan2", "math.powf") else _in_f32)(_name.removeprefix("math."))


# Integers as floats


def exact(x, to, sign):
    """Every integer of the type of `x` is a float of that of `to`; `sign` is 1 where one bit is its sign."""
    bits = x.width - sign
    return (
        (to.elType == "f16" and bits <= 11)
        or (to.elType == "f32" and bits <= 24)
        or (to.elType == "f64" and bits <= 53)
    )


def _converted(predicate: str, ordered: str) -> None:
    @conversions.law(f"cmpf-{ordered}-of-sitofp", widths=(2, 4, 8, 16), modest=True)
    def _(x, y):
        """Fails where the integers are rounded: 2049 and 2048 in f16."""
        order = predicate if predicate in ("eq", "ne") else f"s{predicate}"
        to = arith.sitofp(x)
        assert exact(x, to, 1)
        return arith.cmpf(to, arith.sitofp(y), predicate=ordered), arith.cmpi(x, y, predicate=order)

    @conversions.law(f"cmpf-{ordered}-of-uitofp", widths=(2, 4, 8, 16), modest=True)
    def _(x, y):
        order = predicate if predicate in ("eq", "ne") else f"u{predicate}"
        to = arith.uitofp(x)
        assert exact(x, to, 0)
        return arith.cmpf(to, arith.uitofp(y), predicate=ordered), arith.cmpi(x, y, predicate=order)


for _predicate, _ordered in (("eq", "oeq"), ("ne", "une"), ("lt", "olt"), ("le", "ole"), ("gt", "ogt"), ("ge", "oge")):
    _converted(_predicate, _ordered)


@conversions.law("truncf-of-sitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x):
    middle = arith.sitofp(x)
    assert exact(x, middle, 1)
    return arith.truncf(middle), arith.sitofp(x)


@conversions.law("truncf-of-uitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x):
    middle = arith.uitofp(x)
    assert exact(x, middle, 0)
    return arith.truncf(middle), arith.uitofp(x)


@conversions.law("extf-of-sitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x):
    middle = arith.sitofp(x)
    assert exact(x, middle, 1)
    return arith.extf(middle), arith.sitofp(x)


@conversions.law("extf-of-uitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x):
    middle = arith.uitofp(x)
    assert exact(x, middle, 0)
    return arith.extf(middle), arith.uitofp(x)


@conversions.law("fptosi-of-sitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x):
    middle = arith.sitofp(x)
    assert exact(x, middle, 1)
    return arith.fptosi(middle), x


@conversions.law("fptoui-of-uitofp", widths=(1, 2, 4, 8, 16), modest=True)
def _(x):
    middle = arith.uitofp(x)
    assert exact(x, middle, 0)
    return arith.fptoui(middle), x
