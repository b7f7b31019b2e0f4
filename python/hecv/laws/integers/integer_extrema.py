"""Laws of minimum and maximum, signed and unsigned."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from typing import Final

from hecv.laws.notation.subject_book import Book
from hecv.laws.notation.type_limits import greatest, least
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined, math

extrema = Book("integers", WIDE)


@extrema.law("minsi-commutes")
def _(x, y):
    return arith.minsi(x, y), arith.minsi(y, x)


@extrema.law("maxsi-commutes")
def _(x, y):
    return arith.maxsi(x, y), arith.maxsi(y, x)


@extrema.law("minui-commutes")
def _(x, y):
    return arith.minui(x, y), arith.minui(y, x)


@extrema.law("maxui-commutes")
def _(x, y):
    return arith.maxui(x, y), arith.maxui(y, x)


@extrema.law("minsi-associates", expands=True, both=True)
def _(x, y, z):
    return arith.minsi(arith.minsi(x, y), z), arith.minsi(x, arith.minsi(y, z))


@extrema.law("maxsi-associates", expands=True, both=True)
def _(x, y, z):
    return arith.maxsi(arith.maxsi(x, y), z), arith.maxsi(x, arith.maxsi(y, z))


@extrema.law("minui-associates", expands=True, both=True)
def _(x, y, z):
    return arith.minui(arith.minui(x, y), z), arith.minui(x, arith.minui(y, z))


@extrema.law("maxui-associates", expands=True, both=True)
def _(x, y, z):
    return arith.maxui(arith.maxui(x, y), z), arith.maxui(x, arith.maxui(y, z))


@extrema.law("minsi-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.minsi(arith.minsi(x, c), d), arith.minsi(x, arith.minsi(c, d))


@extrema.law("maxsi-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.maxsi(arith.maxsi(x, c), d), arith.maxsi(x, arith.maxsi(c, d))


@extrema.law("minui-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.minui(arith.minui(x, c), d), arith.minui(x, arith.minui(c, d))


@extrema.law("maxui-literals")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.maxui(arith.maxui(x, c), d), arith.maxui(x, arith.maxui(c, d))


@extrema.law("minsi-self")
def _(x):
    return arith.minsi(x, x), x


@extrema.law("maxsi-self")
def _(x):
    return arith.maxsi(x, x), x


@extrema.law("minui-self")
def _(x):
    return arith.minui(x, x), x


@extrema.law("maxui-self")
def _(x):
    return arith.maxui(x, x), x


@extrema.law("minsi-absorbs")
def _(x, y):
    return arith.minsi(x, arith.maxsi(x, y)), x


@extrema.law("maxsi-absorbs")
def _(x, y):
    return arith.maxsi(x, arith.minsi(x, y)), x


@extrema.law("minui-absorbs")
def _(x, y):
    return arith.minui(x, arith.maxui(x, y)), x


@extrema.law("maxui-absorbs")
def _(x, y):
    return arith.maxui(x, arith.minui(x, y)), x


@extrema.law("minsi-least")
def _(x):
    return arith.minsi(x, least(x)), least(x)


@extrema.law("minsi-greatest")
def _(x):
    return arith.minsi(x, greatest(x)), x


@extrema.law("maxsi-least")
def _(x):
    return arith.maxsi(x, least(x)), x


@extrema.law("maxsi-greatest")
def _(x):
    return arith.maxsi(x, greatest(x)), greatest(x)


@extrema.law("minui-zero")
def _(x):
    return arith.minui(x, 0), 0


@extrema.law("minui-ones")
def _(x):
    return arith.minui(x, -1), x


@extrema.law("maxui-zero")
def _(x):
    return arith.maxui(x, 0), x


@extrema.law("maxui-ones")
def _(x):
    return arith.maxui(x, -1), -1


@extrema.law("minsi-as-select", both=True)
def _(x, y):
    return arith.minsi(x, y), arith.select(arith.cmpi(x, y, predicate="slt"), x, y)


@extrema.law("maxsi-as-select", both=True)
def _(x, y):
    return arith.maxsi(x, y), arith.select(arith.cmpi(x, y, predicate="sgt"), x, y)


@extrema.law("minui-as-select", both=True)
def _(x, y):
    return arith.minui(x, y), arith.select(arith.cmpi(x, y, predicate="ult"), x, y)


@extrema.law("maxui-as-select", both=True)
def _(x, y):
    return arith.maxui(x, y), arith.select(arith.cmpi(x, y, predicate="ugt"), x, y)


EXTREMA: Final = {
    "minsi": (arith.minsi, arith.maxsi, "s"),
    "maxsi": (arith.maxsi, arith.minsi, "s"),
    "minui": (arith.minui, arith.maxui, "u"),
    "maxui": (arith.maxui, arith.minui, "u"),
}
"""Each extremum with its dual, and its order."""


def _extremum(name: str) -> None:
    act, dual, order = EXTREMA[name]
    better = f"{order}lt" if name.startswith("min") else f"{order}gt"
    good = better[0] + better[1] + "e"
    worse = f"{order}ge" if name.startswith("min") else f"{order}le"

    @extrema.law(f"{name}-distributes", expands=True, both=True, modest=True)
    def _(x, y, z):
        return act(x, dual(y, z)), dual(act(x, y), act(x, z))

    @extrema.law(f"{name}-of-complements", modest=True)
    def _(x, y):
        return act(~x, ~y), ~dual(x, y)

    @extrema.law(f"{name}-clamps", modest=True)
    def _(x, c, d):
        """To a range in either order of bounds; fails where the bounds cross."""
        assert arith.cmpi(c, d, predicate=good)
        return act(dual(x, c), d), dual(act(x, d), c)

    @extrema.law(f"{name}-clamped-out", modest=True)
    def _(x, c, d):
        """Bounds that cross leave one value."""
        assert arith.cmpi(d, c, predicate=good)
        return act(dual(x, c), d), d

    @extrema.law(f"{name}-as-select-weak", modest=True)
    def _(x, y):
        return arith.select(arith.cmpi(x, y, predicate=good), x, y), act(x, y)

    @extrema.law(f"{name}-as-select-turned", modest=True)
    def _(x, y):
        return arith.select(arith.cmpi(x, y, predicate=worse), y, x), act(x, y)

    @extrema.law(f"{name}-with-the-other", modest=True)
    def _(x, y):
        """Of the lesser and the greater of two."""
        return act(minimum(order, x, y), maximum(order, x, y)), act(x, y)

    @extrema.law(f"cmpi-eq-{name}-operand", modest=True)
    def _(x, y):
        return arith.cmpi(act(x, y), x, predicate="eq"), arith.cmpi(x, y, predicate=good)


def minimum(order, x, y):
    """The minimum, signed or unsigned."""
    return arith.minsi(x, y) if order == "s" else arith.minui(x, y)


def maximum(order, x, y):
    """The maximum, signed or unsigned."""
    return arith.maxsi(x, y) if order == "s" else arith.maxui(x, y)


for _name in EXTREMA:
    _extremum(_name)


def _literal_bound(name: str) -> None:
    act, _dual, order = EXTREMA[name]
    better = f"{order}lt" if name.startswith("min") else f"{order}gt"
    step = -1 if name.startswith("min") else 1

    @extrema.law(f"{name}-by-select-one-off", modest=True)
    def _(x, c, d):
        """A bound that canonicalize has moved by one."""
        next_one = arith.cmpi(d, c + step, predicate="eq") & arith.cmpi(d, c, predicate=better)
        assert next_one
        return arith.select(arith.cmpi(x, c, predicate=better), x, d), act(x, d)


for _name in EXTREMA:
    _literal_bound(_name)


@extrema.law("minsi-of-sums", modest=True)
def _(x, y, z):
    """Fails where a sum wraps."""
    assert defined(arith.addi(x, z, overflow="nsw"))
    assert defined(arith.addi(y, z, overflow="nsw"))
    return arith.minsi(x + z, y + z), arith.minsi(x, y) + z


@extrema.law("maxsi-of-sums", modest=True)
def _(x, y, z):
    assert defined(arith.addi(x, z, overflow="nsw"))
    assert defined(arith.addi(y, z, overflow="nsw"))
    return arith.maxsi(x + z, y + z), arith.maxsi(x, y) + z


@extrema.law("minui-of-sums", modest=True)
def _(x, y, z):
    assert defined(arith.addi(x, z, overflow="nuw"))
    assert defined(arith.addi(y, z, overflow="nuw"))
    return arith.minui(x + z, y + z), arith.minui(x, y) + z


@extrema.law("maxui-of-sums", modest=True)
def _(x, y, z):
    assert defined(arith.addi(x, z, overflow="nuw"))
    assert defined(arith.addi(y, z, overflow="nuw"))
    return arith.maxui(x + z, y + z), arith.maxui(x, y) + z


@extrema.law("product-in-order", integral="signed", modest=True)
def _(x, y):
    less = arith.cmpi(x, y, predicate="slt")
    return arith.select(less, x, y) * arith.select(less, y, x), x * y


@extrema.law("minsi-xori-maxsi", modest=True)
def _(x, y):
    """A pair in order: what one is not, the other is."""
    return arith.minsi(x, y) ^ arith.maxsi(x, y), x ^ y


@extrema.law("minui-xori-maxui", modest=True)
def _(x, y):
    return arith.minui(x, y) ^ arith.maxui(x, y), x ^ y


@extrema.law("distance-signed", modest=True)
def _(x, y):
    """The difference of the greater and the lesser."""
    return arith.select(arith.cmpi(x, y, predicate="slt"), y - x, x - y), arith.maxsi(x, y) - arith.minsi(x, y)


@extrema.law("distance-absi", modest=True)
def _(x, y):
    """Fails where the difference wraps: of 127 and -1 in 8 bits it is -128, which is its own magnitude."""
    difference = arith.subi(x, y, overflow="nsw")
    return math.absi(difference), arith.maxsi(x, y) - arith.minsi(x, y)


@extrema.law("distance-unsigned", modest=True)
def _(x, y):
    return arith.select(arith.cmpi(x, y, predicate="ult"), y - x, x - y), arith.maxui(x, y) - arith.minui(x, y)


@extrema.law("minsi-plus-maxsi")
def _(x, y):
    return arith.minsi(x, y) + arith.maxsi(x, y), x + y


@extrema.law("minui-plus-maxui")
def _(x, y):
    return arith.minui(x, y) + arith.maxui(x, y), x + y
