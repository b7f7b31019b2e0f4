"""Laws of casts between integers, and between integers and `index`."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from typing import Final

from hecv.laws.notation.subject_book import Book
from hecv.rules import arith, defined

casts = Book("integers")

NARROW: Final = (1, 2, 4, 8, 16)
"""The widths at which Z3 multiplies and divides in both types in reasonable time."""


@casts.law("extui-extui")
def _(x):
    return arith.extui(arith.extui(x)), arith.extui(x)


@casts.law("extsi-extsi")
def _(x):
    return arith.extsi(arith.extsi(x)), arith.extsi(x)


@casts.law("extsi-of-extui")
def _(x):
    return arith.extsi(arith.extui(x)), arith.extui(x)


@casts.law("trunci-trunci")
def _(x):
    return arith.trunci(arith.trunci(x)), arith.trunci(x)


@casts.law("trunci-of-extui-back")
def _(x):
    return arith.trunci(arith.extui(x)), x


@casts.law("trunci-of-extsi-back")
def _(x):
    return arith.trunci(arith.extsi(x)), x


@casts.law("trunci-of-extui-below")
def _(x):
    return arith.trunci(arith.extui(x)), arith.trunci(x)


@casts.law("trunci-of-extsi-below")
def _(x):
    return arith.trunci(arith.extsi(x)), arith.trunci(x)


@casts.law("trunci-of-extui-above")
def _(x):
    return arith.trunci(arith.extui(x)), arith.extui(x)


@casts.law("trunci-of-extsi-above")
def _(x):
    return arith.trunci(arith.extsi(x)), arith.extsi(x)


@casts.law("extui-of-trunci")
def _(x):
    middle = arith.trunci(x)
    return arith.extui(middle), x & ((1 << middle.width) - 1)


@casts.law("trunci-of-addi", expands=True, both=True)
def _(x, y):
    to = arith.trunci(x + y)
    return to, arith.trunci(x, type=to.type) + arith.trunci(y, type=to.type)


@casts.law("trunci-of-subi", expands=True, both=True)
def _(x, y):
    to = arith.trunci(x - y)
    return to, arith.trunci(x, type=to.type) - arith.trunci(y, type=to.type)


@casts.law("trunci-of-muli", expands=True, both=True, widths=(1, 2, 4, 8, 16, 32))
def _(x, y):
    to = arith.trunci(x * y)
    return to, arith.trunci(x, type=to.type) * arith.trunci(y, type=to.type)


@casts.law("trunci-of-andi", expands=True, both=True)
def _(x, y):
    to = arith.trunci(x & y)
    return to, arith.trunci(x, type=to.type) & arith.trunci(y, type=to.type)


@casts.law("trunci-of-ori", expands=True, both=True)
def _(x, y):
    to = arith.trunci(x | y)
    return to, arith.trunci(x, type=to.type) | arith.trunci(y, type=to.type)


@casts.law("trunci-of-xori", expands=True, both=True)
def _(x, y):
    to = arith.trunci(x ^ y)
    return to, arith.trunci(x, type=to.type) ^ arith.trunci(y, type=to.type)


@casts.law("extui-of-andi", expands=True, both=True)
def _(x, y):
    to = arith.extui(x & y)
    return to, arith.extui(x, type=to.type) & arith.extui(y, type=to.type)


@casts.law("extui-of-ori", expands=True, both=True)
def _(x, y):
    to = arith.extui(x | y)
    return to, arith.extui(x, type=to.type) | arith.extui(y, type=to.type)


@casts.law("extui-of-xori", expands=True, both=True)
def _(x, y):
    to = arith.extui(x ^ y)
    return to, arith.extui(x, type=to.type) ^ arith.extui(y, type=to.type)


@casts.law("extsi-of-andi", expands=True, both=True)
def _(x, y):
    to = arith.extsi(x & y)
    return to, arith.extsi(x, type=to.type) & arith.extsi(y, type=to.type)


@casts.law("extsi-of-ori", expands=True, both=True)
def _(x, y):
    to = arith.extsi(x | y)
    return to, arith.extsi(x, type=to.type) | arith.extsi(y, type=to.type)


@casts.law("extsi-of-xori", expands=True, both=True)
def _(x, y):
    to = arith.extsi(x ^ y)
    return to, arith.extsi(x, type=to.type) ^ arith.extsi(y, type=to.type)


@casts.law("extui-of-bit")
def _(p):
    cast = arith.extui(p)
    return cast, arith.select(p, 1, 0)


@casts.law("extsi-of-bit")
def _(p):
    cast = arith.extsi(p)
    return cast, arith.select(p, -1, 0)


@casts.law("extui-as-extsi")
def _(x):
    """Where the sign bit is clear, both extensions agree."""
    to = arith.extui(x)
    assert defined(arith.extui(x, nneg=True, type=to.type))
    return to, arith.extsi(x)


@casts.law("index-cast-back")
def _(x):
    middle = arith.index_cast(x)
    assert middle.width >= x.width
    return arith.index_cast(middle), x


@casts.law("index-castui-back")
def _(x):
    middle = arith.index_castui(x)
    assert middle.width >= x.width
    return arith.index_castui(middle), x


@casts.law("index-cast-of-extsi")
def _(x):
    to = arith.index_cast(arith.extsi(x))
    assert to.width >= x.width
    return to, arith.index_cast(x)


@casts.law("index-castui-of-extui")
def _(x):
    to = arith.index_castui(arith.extui(x))
    assert to.width >= x.width
    return to, arith.index_castui(x)


@casts.law("index-cast-of-extui")
def _(x):
    to = arith.index_cast(arith.extui(x))
    assert to.width >= x.width
    return to, arith.index_castui(x)


@casts.law("trunci-of-index-cast")
def _(x):
    to = arith.trunci(arith.index_cast(x))
    assert to.width <= x.width
    return to, arith.index_cast(x)


@casts.law("index-cast-narrows-alike")
def _(x):
    """Signed and unsigned cast agree if the result is not wider."""
    to = arith.index_castui(x)
    assert to.width <= x.width
    return to, arith.index_cast(x)


@casts.law("index-castui-nonnegative")
def _(x):
    to = arith.index_castui(x)
    premise = arith.index_castui(x, nneg=True, type=to.type)
    assert defined(premise)
    return to, arith.index_cast(x)


@casts.law("extsi-of-trunci-nsw", modest=True)
def _(x):
    """An extension restores what was truncated without loss; fails at 128 by width 8 without the flag."""
    middle = arith.trunci(x)
    kept = arith.trunci(x, overflow="nsw", type=middle.type)
    assert defined(kept)
    return arith.extsi(middle), x


@casts.law("extui-of-trunci-nuw", modest=True)
def _(x):
    middle = arith.trunci(x)
    kept = arith.trunci(x, overflow="nuw", type=middle.type)
    assert defined(kept)
    return arith.extui(middle), x


# Arithmetic in a wider type

RING: Final = {"addi": arith.addi, "subi": arith.subi, "muli": arith.muli}


def _widened(name: str) -> None:
    act = RING[name]

    @casts.law(f"extsi-of-{name}-nsw", expands=True, widths=NARROW if name == "muli" else (), modest=True)
    def _(x, y):
        to = arith.extsi(act(x, y))
        assert defined(act(x, y, overflow="nsw"))
        return to, act(arith.extsi(x, type=to.type), arith.extsi(y, type=to.type))

    @casts.law(f"extui-of-{name}-nuw", expands=True, widths=NARROW if name == "muli" else (), modest=True)
    def _(x, y):
        to = arith.extui(act(x, y))
        assert defined(act(x, y, overflow="nuw"))
        return to, act(arith.extui(x, type=to.type), arith.extui(y, type=to.type))


for _name in RING:
    _widened(_name)

QUOTIENTS: Final = {"divui": arith.divui, "ceildivui": arith.ceildivui}
UNSIGNED: Final = {"minui": arith.minui, "maxui": arith.maxui}
SIGNED: Final = {"minsi": arith.minsi, "maxsi": arith.maxsi}


def _divided(name: str) -> None:
    act = QUOTIENTS[name]

    @casts.law(f"{name}-of-extui", integral="unsigned", modest=True)
    def _(x, y):
        """In the narrow type; by 0 all ones are more in the wide one."""
        left = act(arith.extui(x), arith.extui(y))
        assert defined(act(arith.extui(x, type=left.type), arith.extui(y, type=left.type)))
        return left, arith.extui(act(x, y))


@casts.law("remui-of-extui", integral="unsigned", modest=True)
def _(x, y):
    """The remainder in the narrow type; holds for a divisor 0 too."""
    return arith.remui(arith.extui(x), arith.extui(y)), arith.extui(arith.remui(x, y))


@casts.law("remsi-of-extsi", integral="signed", modest=True)
def _(x, y):
    return arith.remsi(arith.extsi(x), arith.extsi(y)), arith.extsi(arith.remsi(x, y))


def _extended(name: str) -> None:
    act = UNSIGNED[name]

    @casts.law(f"{name}-of-extui", modest=True)
    def _(x, y):
        return act(arith.extui(x), arith.extui(y)), arith.extui(act(x, y))


def _signed(name: str) -> None:
    act = SIGNED[name]

    @casts.law(f"{name}-of-extsi", modest=True)
    def _(x, y):
        return act(arith.extsi(x), arith.extsi(y)), arith.extsi(act(x, y))


for _name in QUOTIENTS:
    _divided(_name)
for _name in UNSIGNED:
    _extended(_name)
for _name in SIGNED:
    _signed(_name)


# Casts of choices

CASTS: Final = {"extui": arith.extui, "extsi": arith.extsi, "trunci": arith.trunci}


def _chosen(name: str) -> None:
    cast = CASTS[name]

    @casts.law(f"{name}-of-select", expands=True, both=True, modest=True)
    def _(p, x, y):
        to = cast(arith.select(p, x, y))
        return to, arith.select(p, cast(x, type=to.type), cast(y, type=to.type))


for _name in CASTS:
    _chosen(_name)


@casts.law("extui-as-zero-or-one", modest=True)
def _(p):
    cast = arith.extui(p)
    return arith.cmpi(cast, 0, predicate="ne"), p


@casts.law("extsi-as-zero-or-minus-one", modest=True)
def _(p):
    cast = arith.extsi(p)
    return arith.cmpi(cast, 0, predicate="ne"), p


@casts.law("extsi-of-bit-as-negation", modest=True)
def _(p):
    assert p.width == 1
    return -arith.extui(p), arith.extsi(p)


@casts.law("muli-by-bit", modest=True)
def _(x, p):
    """A product with 0 or 1 is a choice."""
    return x * arith.extui(p), arith.select(p, x, 0)


@casts.law("andi-by-bit", modest=True)
def _(x, p):
    return x & arith.extsi(p), arith.select(p, x, 0)


@casts.law("trunci-of-bit-mask", modest=True)
def _(x):
    """The lowest bit, truncated and extended again."""
    bit = arith.trunci(x)
    assert bit.width == 1
    return arith.extui(bit), x & 1
