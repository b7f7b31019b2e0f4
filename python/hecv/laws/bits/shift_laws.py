"""Laws of shifts. A shift of all bits or more gives 0, or the sign."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined

shifts = Book("integers", WIDE)


@shifts.law("shli-zero")
def _(x):
    return x << 0, x


@shifts.law("shrui-zero")
def _(x):
    return arith.shrui(x, 0), x


@shifts.law("shrsi-zero")
def _(x):
    return arith.shrsi(x, 0), x


@shifts.law("shli-of-zero")
def _(x):
    return 0 << x, 0


@shifts.law("shrui-of-zero")
def _(x):
    return arith.shrui(0, x), 0


@shifts.law("shrsi-of-zero")
def _(x):
    return arith.shrsi(0, x), 0


@shifts.law("shrsi-of-ones")
def _(x):
    return arith.shrsi(-1, x), -1


@shifts.law("shli-as-muli")
def _(x, k):
    assert k.literal
    return x << k, x * (1 << k)


@shifts.law("shli-of-one-muli", expands=True)
def _(x, y):
    return x * (1 << y), x << y


@shifts.law("shrui-as-divui")
def _(x, k):
    """Fails at `k >= width`: the divisor is 0 then."""
    assert arith.cmpi(k, x.width, predicate="ult")
    return arith.shrui(x, k), arith.divui(x, 1 << k)


@shifts.law("remui-as-andi")
def _(x, c):
    """The remainder by a power of two keeps the low bits."""
    is_power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="ne")
    assert is_power
    return arith.remui(x, c), x & c - 1


@shifts.law("shli-shli")
def _(x, j, k):
    small = (
        arith.cmpi(j, x.width, predicate="ult")
        & arith.cmpi(k, x.width, predicate="ult")
        & arith.cmpi(j + k, x.width, predicate="ult")
    )
    assert small
    return x << j << k, x << j + k


@shifts.law("shrui-shrui")
def _(x, j, k):
    small = (
        arith.cmpi(j, x.width, predicate="ult")
        & arith.cmpi(k, x.width, predicate="ult")
        & arith.cmpi(j + k, x.width, predicate="ult")
    )
    assert small
    return arith.shrui(arith.shrui(x, j), k), arith.shrui(x, j + k)


@shifts.law("shrsi-shrsi")
def _(x, j, k):
    small = (
        arith.cmpi(j, x.width, predicate="ult")
        & arith.cmpi(k, x.width, predicate="ult")
        & arith.cmpi(j + k, x.width, predicate="ult")
    )
    assert small
    return arith.shrsi(arith.shrsi(x, j), k), arith.shrsi(x, j + k)


@shifts.law("shli-shli-out")
def _(x, j, k):
    small = (
        arith.cmpi(j, x.width, predicate="ult")
        & arith.cmpi(k, x.width, predicate="ult")
        & arith.cmpi(j + k, x.width, predicate="uge")
    )
    assert small
    return x << j << k, 0


@shifts.law("shrui-shrui-out")
def _(x, j, k):
    small = (
        arith.cmpi(j, x.width, predicate="ult")
        & arith.cmpi(k, x.width, predicate="ult")
        & arith.cmpi(j + k, x.width, predicate="uge")
    )
    assert small
    return arith.shrui(arith.shrui(x, j), k), 0


@shifts.law("shrui-of-shli")
def _(x, k):
    return arith.shrui(x << k, k), x & arith.shrui(-1, k)


@shifts.law("shli-of-shrui")
def _(x, k):
    return arith.shrui(x, k) << k, x & -1 << k


@shifts.law("shli-of-shrsi")
def _(x, k):
    return arith.shrsi(x, k) << k, x & -1 << k


@shifts.law("shrui-of-shrsi-sign")
def _(x, k):
    """The sign bit is the same after a signed shift."""
    sign = x.width - 1
    return arith.shrui(arith.shrsi(x, k), sign), arith.shrui(x, sign)


@shifts.law("shrui-distributes-andi", expands=True, both=True)
def _(x, y, k):
    return arith.shrui(x & y, k), arith.shrui(x, k) & arith.shrui(y, k)


@shifts.law("shrui-distributes-ori", expands=True, both=True)
def _(x, y, k):
    return arith.shrui(x | y, k), arith.shrui(x, k) | arith.shrui(y, k)


@shifts.law("shrui-distributes-xori", expands=True, both=True)
def _(x, y, k):
    return arith.shrui(x ^ y, k), arith.shrui(x, k) ^ arith.shrui(y, k)


@shifts.law("shli-distributes-andi", expands=True, both=True)
def _(x, y, k):
    return (x & y) << k, x << k & y << k


@shifts.law("shli-distributes-ori", expands=True, both=True)
def _(x, y, k):
    return (x | y) << k, x << k | y << k


@shifts.law("shli-distributes-xori", expands=True, both=True)
def _(x, y, k):
    return (x ^ y) << k, x << k ^ y << k


@shifts.law("shli-distributes-addi", expands=True, both=True)
def _(x, y, k):
    return x + y << k, (x << k) + (y << k)


@shifts.law("shrsi-complement", expands=True, both=True)
def _(x, k):
    return arith.shrsi(~x, k), ~arith.shrsi(x, k)


@shifts.law("shrsi-exact")
def _(x, k):
    """Without a lost bit, a signed shift is a signed division; fails at `k = width - 1`, where `1 << k` is negative."""
    where = arith.cmpi(k, x.width - 1, predicate="ult")
    assert where
    assert defined(arith.shrsi(x, k, exact=True))
    return arith.shrsi(x, k), arith.divsi(x, 1 << k)


@shifts.law("shrui-of-shli-nuw")
def _(x, k):
    """Shifting back restores the value if no set bit was lost."""
    kept = arith.shli(x, k, overflow="nuw")
    assert defined(kept)
    return arith.shrui(x << k, k), x


@shifts.law("shrsi-of-shli-nsw")
def _(x, k):
    """Shifting back restores the value if no bit different from the sign was lost."""
    kept = arith.shli(x, k, overflow="nsw")
    assert defined(kept)
    return arith.shrsi(x << k, k), x
