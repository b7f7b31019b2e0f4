"""Laws of casts between integers and `index` that other casts, order and arithmetic meet."""

from __future__ import annotations

from hecv.base.types import IndexType
from hecv.rules.casts import RING, crosses
from hecv.rules.language import (
    Equation,
    cmpi,
    extsi,
    extui,
    index_cast,
    index_castui,
    select,
    trunci,
    widens,
)
from hecv.rules.law import Bit, Book, Kind, Term

index_casts = Book("integers")


@index_casts.law("index-cast-there-and-on", modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    """Through an `index` that holds all of the value."""
    if not (isinstance(middle.type, IndexType) and widens(x.kind, to) and middle.width >= to.width):
        return None
    return Equation(index_cast(index_cast(x, middle), to), extsi(x, to))


@index_casts.law("index-castui-there-and-on", modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (isinstance(middle.type, IndexType) and widens(x.kind, to) and middle.width >= to.width):
        return None
    return Equation(index_castui(index_castui(x, middle), to), extui(x, to))


@index_casts.law("index-cast-there-and-down", modest=True)
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (isinstance(middle.type, IndexType) and widens(to, x.kind) and middle.width >= x.kind.width):
        return None
    return Equation(index_cast(index_cast(x, middle), to), trunci(x, to))


def _cast_compared(predicate: str) -> None:
    @index_casts.law(f"cmpi-{predicate}-of-index-cast", modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        """Both are the same number in the wider type."""
        if not crosses(x.kind, to) or to.width < x.kind.width:
            return None
        return Equation(cmpi(predicate, index_cast(x, to), index_cast(y, to)), cmpi(predicate, x, y))


for _predicate in ("eq", "ne", "slt", "sle", "sgt", "sge"):
    _cast_compared(_predicate)


def _castui_compared(predicate: str) -> None:
    @index_casts.law(f"cmpi-{predicate}-of-index-castui", modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not crosses(x.kind, to) or to.width < x.kind.width:
            return None
        return Equation(cmpi(predicate, index_castui(x, to), index_castui(y, to)), cmpi(predicate, x, y))


for _predicate in ("eq", "ne", "ult", "ule", "ugt", "uge"):
    _castui_compared(_predicate)


def _cast_ring(name: str) -> None:
    act, _premise = RING[name]

    @index_casts.law(f"index-cast-of-{name}", expands=True, both=True, modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        """To no more bits, modulo those."""
        if not crosses(x.kind, to) or to.width > x.kind.width:
            return None
        return Equation(index_cast(act(x, y), to), act(index_cast(x, to), index_cast(y, to)))


for _name in ("addi", "subi"):
    _cast_ring(_name)


@index_casts.law("index-cast-of-select", expands=True, both=True, modest=True)
def _(p: Bit, x: Term, y: Term, to: Kind) -> Equation | None:
    if not crosses(x.kind, to):
        return None
    return Equation(index_cast(select(p, x, y), to), select(p, index_cast(x, to), index_cast(y, to)))
