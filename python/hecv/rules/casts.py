"""Laws of casts between integers, and between integers and `index`."""

from __future__ import annotations

from hecv.base.types import IndexType, IntType
from hecv.rules.language import (
    BIT,
    Equation,
    Pattern,
    extsi,
    extui,
    index_cast,
    index_castui,
    number,
    ones,
    operation,
    select,
    trunci,
    widens,
    zero,
)
from hecv.rules.language import Kind as Type
from hecv.rules.law import Bit, Book, Kind, Term

casts = Book("integers")


def crosses(one: Type, other: Type) -> bool:
    """One is `iN` and the other `index`."""
    return {type(one.type), type(other.type)} == {IntType, IndexType}


def mask(bits: int, like: Pattern) -> Pattern:
    """A literal whose low `bits` bits are set."""
    return number((1 << bits) - 1, like)


@casts.law("extui-extui")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and widens(middle, to)):
        return None
    return Equation(extui(extui(x, middle), to), extui(x, to))


@casts.law("extsi-extsi")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and widens(middle, to)):
        return None
    return Equation(extsi(extsi(x, middle), to), extsi(x, to))


@casts.law("extsi-of-extui")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and widens(middle, to)):
        return None
    return Equation(extsi(extui(x, middle), to), extui(x, to))


@casts.law("trunci-trunci")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(middle, x.kind) and widens(to, middle)):
        return None
    return Equation(trunci(trunci(x, middle), to), trunci(x, to))


@casts.law("trunci-of-extui-back")
def _(x: Term, middle: Kind) -> Equation | None:
    return Equation(trunci(extui(x, middle), x.kind), x) if widens(x.kind, middle) else None


@casts.law("trunci-of-extsi-back")
def _(x: Term, middle: Kind) -> Equation | None:
    return Equation(trunci(extsi(x, middle), x.kind), x) if widens(x.kind, middle) else None


@casts.law("trunci-of-extui-below")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and widens(to, x.kind)):
        return None
    return Equation(trunci(extui(x, middle), to), trunci(x, to))


@casts.law("trunci-of-extsi-below")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and widens(to, x.kind)):
        return None
    return Equation(trunci(extsi(x, middle), to), trunci(x, to))


@casts.law("trunci-of-extui-above")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, to) and widens(to, middle)):
        return None
    return Equation(trunci(extui(x, middle), to), extui(x, to))


@casts.law("trunci-of-extsi-above")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, to) and widens(to, middle)):
        return None
    return Equation(trunci(extsi(x, middle), to), extsi(x, to))


@casts.law("extui-of-trunci")
def _(x: Term, middle: Kind) -> Equation | None:
    if not widens(middle, x.kind):
        return None
    return Equation(extui(trunci(x, middle), x.kind), x & mask(middle.width, x))


@casts.law("trunci-of-addi", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(trunci(x + y, to), trunci(x, to) + trunci(y, to)) if widens(to, x.kind) else None


@casts.law("trunci-of-subi", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(trunci(x - y, to), trunci(x, to) - trunci(y, to)) if widens(to, x.kind) else None


@casts.law("trunci-of-muli", expands=True, both=True, widths=(1, 2, 4, 8, 16, 32))
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(trunci(x * y, to), trunci(x, to) * trunci(y, to)) if widens(to, x.kind) else None


@casts.law("trunci-of-andi", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(trunci(x & y, to), trunci(x, to) & trunci(y, to)) if widens(to, x.kind) else None


@casts.law("trunci-of-ori", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(trunci(x | y, to), trunci(x, to) | trunci(y, to)) if widens(to, x.kind) else None


@casts.law("trunci-of-xori", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(trunci(x ^ y, to), trunci(x, to) ^ trunci(y, to)) if widens(to, x.kind) else None


@casts.law("extui-of-andi", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(extui(x & y, to), extui(x, to) & extui(y, to)) if widens(x.kind, to) else None


@casts.law("extui-of-ori", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(extui(x | y, to), extui(x, to) | extui(y, to)) if widens(x.kind, to) else None


@casts.law("extui-of-xori", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(extui(x ^ y, to), extui(x, to) ^ extui(y, to)) if widens(x.kind, to) else None


@casts.law("extsi-of-andi", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(extsi(x & y, to), extsi(x, to) & extsi(y, to)) if widens(x.kind, to) else None


@casts.law("extsi-of-ori", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(extsi(x | y, to), extsi(x, to) | extsi(y, to)) if widens(x.kind, to) else None


@casts.law("extsi-of-xori", expands=True, both=True)
def _(x: Term, y: Term, to: Kind) -> Equation | None:
    return Equation(extsi(x ^ y, to), extsi(x, to) ^ extsi(y, to)) if widens(x.kind, to) else None


@casts.law("extui-of-bit")
def _(p: Bit, to: Kind) -> Equation | None:
    if not widens(BIT, to):
        return None
    cast = extui(p, to)
    return Equation(cast, select(p, number(1, cast), zero(cast)))


@casts.law("extsi-of-bit")
def _(p: Bit, to: Kind) -> Equation | None:
    if not widens(BIT, to):
        return None
    cast = extsi(p, to)
    return Equation(cast, select(p, ones(cast), zero(cast)))


@casts.law("extui-as-extsi")
def _(x: Term, to: Kind) -> Equation | None:
    """Where the sign bit is clear, both extensions agree."""
    return Equation(extui(x, to), extsi(x, to), given=(extui(x, to, nneg=True),)) if widens(x.kind, to) else None


@casts.law("index-cast-back")
def _(x: Term, middle: Kind) -> Equation | None:
    if not crosses(x.kind, middle) or middle.width < x.kind.width:
        return None
    return Equation(index_cast(index_cast(x, middle), x.kind), x)


@casts.law("index-castui-back")
def _(x: Term, middle: Kind) -> Equation | None:
    if not crosses(x.kind, middle) or middle.width < x.kind.width:
        return None
    return Equation(index_castui(index_castui(x, middle), x.kind), x)


@casts.law("index-cast-of-extsi")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and crosses(middle, to)) or to.width < x.kind.width:
        return None
    return Equation(index_cast(extsi(x, middle), to), index_cast(x, to))


@casts.law("index-castui-of-extui")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and crosses(middle, to)) or to.width < x.kind.width:
        return None
    return Equation(index_castui(extui(x, middle), to), index_castui(x, to))


@casts.law("index-cast-of-extui")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (widens(x.kind, middle) and crosses(middle, to)) or to.width < x.kind.width:
        return None
    return Equation(index_cast(extui(x, middle), to), index_castui(x, to))


@casts.law("trunci-of-index-cast")
def _(x: Term, middle: Kind, to: Kind) -> Equation | None:
    if not (crosses(x.kind, middle) and widens(to, middle)) or to.width > x.kind.width:
        return None
    return Equation(trunci(index_cast(x, middle), to), index_cast(x, to))


@casts.law("index-cast-narrows-alike")
def _(x: Term, to: Kind) -> Equation | None:
    """To no more bits, the signed and the unsigned cast agree."""
    if not crosses(x.kind, to) or to.width > x.kind.width:
        return None
    return Equation(index_castui(x, to), index_cast(x, to))


@casts.law("index-castui-nonnegative")
def _(x: Term, to: Kind) -> Equation | None:
    if not crosses(x.kind, to):
        return None
    premise = operation("arith.index_castui", x, to=to, nneg=True)
    return Equation(index_castui(x, to), index_cast(x, to), given=(premise,))
