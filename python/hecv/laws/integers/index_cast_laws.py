"""Laws of `index` casts that meet other casts, comparisons and arithmetic."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.integers.integer_casts import RING
from hecv.laws.notation.subject_book import Book
from hecv.rules import arith

index_casts = Book("integers")


@index_casts.law("index-cast-there-and-on", modest=True)
def _(x):
    """A cast through an `index` that is at least as wide as the result."""
    middle = arith.index_cast(x)
    to = arith.index_cast(middle)
    assert middle.width >= to.width
    return to, arith.extsi(x)


@index_casts.law("index-castui-there-and-on", modest=True)
def _(x):
    middle = arith.index_castui(x)
    to = arith.index_castui(middle)
    assert middle.width >= to.width
    return to, arith.extui(x)


@index_casts.law("index-cast-there-and-down", modest=True)
def _(x):
    middle = arith.index_cast(x)
    assert middle.width >= x.width
    return arith.index_cast(middle), arith.trunci(x)


def _cast_compared(predicate: str) -> None:
    @index_casts.law(f"cmpi-{predicate}-of-index-cast", modest=True)
    def _(x, y):
        """Both are the same number in the wider type."""
        to = arith.index_cast(x)
        assert to.width >= x.width
        return arith.cmpi(to, arith.index_cast(y), predicate=predicate), arith.cmpi(x, y, predicate=predicate)


for _predicate in ("eq", "ne", "slt", "sle", "sgt", "sge"):
    _cast_compared(_predicate)


def _castui_compared(predicate: str) -> None:
    @index_casts.law(f"cmpi-{predicate}-of-index-castui", modest=True)
    def _(x, y):
        to = arith.index_castui(x)
        assert to.width >= x.width
        return arith.cmpi(to, arith.index_castui(y), predicate=predicate), arith.cmpi(x, y, predicate=predicate)


for _predicate in ("eq", "ne", "ult", "ule", "ugt", "uge"):
    _castui_compared(_predicate)


def _cast_ring(name: str) -> None:
    act = RING[name]

    @index_casts.law(f"index-cast-of-{name}", expands=True, both=True, modest=True)
    def _(x, y):
        """To no more bits, modulo those."""
        to = arith.index_cast(act(x, y))
        assert to.width <= x.width
        return to, act(arith.index_cast(x, type=to.type), arith.index_cast(y, type=to.type))


for _name in ("addi", "subi"):
    _cast_ring(_name)


@index_casts.law("index-cast-of-select", expands=True, both=True, modest=True)
def _(p, x, y):
    to = arith.index_cast(arith.select(p, x, y))
    return to, arith.select(p, arith.index_cast(x, type=to.type), arith.index_cast(y, type=to.type))
