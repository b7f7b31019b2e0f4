"""Laws of casts between integers, and between integers and `index`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.base.types import IndexType, IntType
from hecv.rules.language import (
    BIT,
    Equation,
    Operation,
    Pattern,
    add_without,
    cmpi,
    divui,
    extsi,
    extui,
    index_cast,
    index_castui,
    maxsi,
    maxui,
    minsi,
    minui,
    mul_without,
    number,
    ones,
    operation,
    remui,
    select,
    sub_without,
    trunci,
    widens,
    zero,
)
from hecv.rules.language import Kind as Type
from hecv.rules.law import Bit, Book, Kind, Term

casts = Book("integers")

NARROW: Final = (1, 2, 4, 8, 16)
"""Where Z3 multiplies and divides in both widths in reasonable time."""


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


@casts.law("extsi-of-trunci-nsw", modest=True)
def _(x: Term, middle: Kind) -> Equation | None:
    """What is truncated without loss comes back; fails at 128 by width 8 without the flag."""
    if not widens(middle, x.kind):
        return None
    kept = operation("arith.trunci", x, to=middle, overflow="nsw")
    return Equation(extsi(trunci(x, middle), x.kind), x, given=(kept,))


@casts.law("extui-of-trunci-nuw", modest=True)
def _(x: Term, middle: Kind) -> Equation | None:
    if not widens(middle, x.kind):
        return None
    kept = operation("arith.trunci", x, to=middle, overflow="nuw")
    return Equation(extui(trunci(x, middle), x.kind), x, given=(kept,))


# Arithmetic in a wider type

RING: Final[dict[str, tuple[Callable[[Pattern, Pattern], Pattern], Callable[[str, Pattern, Pattern], Operation]]]] = {
    "addi": (lambda x, y: x + y, add_without),
    "subi": (lambda x, y: x - y, sub_without),
    "muli": (lambda x, y: x * y, mul_without),
}


def _widened(name: str) -> None:
    act, premise = RING[name]

    @casts.law(f"extsi-of-{name}-nsw", expands=True, widths=NARROW if name == "muli" else (), modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        return Equation(extsi(act(x, y), to), act(extsi(x, to), extsi(y, to)), given=(premise("nsw", x, y),))

    @casts.law(f"extui-of-{name}-nuw", expands=True, widths=NARROW if name == "muli" else (), modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        return Equation(extui(act(x, y), to), act(extui(x, to), extui(y, to)), given=(premise("nuw", x, y),))


for _name in RING:
    _widened(_name)

UNSIGNED: Final[dict[str, Callable[[Pattern, Pattern], Operation]]] = {
    "divui": divui,
    "remui": remui,
    "minui": minui,
    "maxui": maxui,
}
SIGNED: Final[dict[str, Callable[[Pattern, Pattern], Operation]]] = {"minsi": minsi, "maxsi": maxsi}


def _extended(name: str) -> None:
    act = UNSIGNED[name]

    @casts.law(f"{name}-of-extui", widths=NARROW if name in ("divui", "remui") else (), modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        """In the narrow type; by 0 too, of the remainder, and of the quotient where it is defined."""
        if not widens(x.kind, to):
            return None
        defined = (divui(extui(x, to), extui(y, to)),) if name == "divui" else ()
        return Equation(act(extui(x, to), extui(y, to)), extui(act(x, y), to), given=defined)


def _signed(name: str) -> None:
    act = SIGNED[name]

    @casts.law(f"{name}-of-extsi", modest=True)
    def _(x: Term, y: Term, to: Kind) -> Equation | None:
        if not widens(x.kind, to):
            return None
        return Equation(act(extsi(x, to), extsi(y, to)), extsi(act(x, y), to))


for _name in UNSIGNED:
    _extended(_name)
for _name in SIGNED:
    _signed(_name)


# Casts of choices

CASTS: Final[dict[str, Callable[[Pattern, Type], Operation]]] = {"extui": extui, "extsi": extsi, "trunci": trunci}


def _chosen(name: str) -> None:
    cast = CASTS[name]

    @casts.law(f"{name}-of-select", expands=True, both=True, modest=True)
    def _(p: Bit, x: Term, y: Term, to: Kind) -> Equation | None:
        narrow, wide = (to, x.kind) if name == "trunci" else (x.kind, to)
        if not widens(narrow, wide):
            return None
        return Equation(cast(select(p, x, y), to), select(p, cast(x, to), cast(y, to)))


for _name in CASTS:
    _chosen(_name)


@casts.law("extui-as-zero-or-one", modest=True)
def _(p: Bit, to: Kind) -> Equation | None:
    if not widens(BIT, to):
        return None
    cast = extui(p, to)
    return Equation(cmpi("ne", cast, zero(cast)), p)


@casts.law("extsi-as-zero-or-minus-one", modest=True)
def _(p: Bit, to: Kind) -> Equation | None:
    if not widens(BIT, to):
        return None
    cast = extsi(p, to)
    return Equation(cmpi("ne", cast, zero(cast)), p)


@casts.law("extsi-of-bit-as-negation", modest=True)
def _(p: Bit, to: Kind) -> Equation | None:
    return Equation(-extui(p, to), extsi(p, to)) if widens(BIT, to) else None


@casts.law("muli-by-bit", modest=True)
def _(x: Term, p: Bit) -> Equation | None:
    """A product with 0 or 1 is a choice."""
    return Equation(x * extui(p, x.kind), select(p, x, zero(x))) if widens(BIT, x.kind) else None


@casts.law("andi-by-bit", modest=True)
def _(x: Term, p: Bit) -> Equation | None:
    return Equation(x & extsi(p, x.kind), select(p, x, zero(x))) if widens(BIT, x.kind) else None


@casts.law("trunci-of-bit-mask", modest=True)
def _(x: Term) -> Equation | None:
    """The lowest bit there and back."""
    return Equation(extui(trunci(x, BIT), x.kind), x & number(1, x)) if widens(BIT, x.kind) else None
