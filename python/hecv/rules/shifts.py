"""Laws of shifts. A shift of all bits or more gives 0, or the sign."""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    cmpi,
    divsi,
    divui,
    number,
    one,
    ones,
    operation,
    remui,
    shrsi,
    shrui,
    width,
    zero,
)
from hecv.rules.law import WIDE, Book, Literal, Term

shifts = Book("integers", WIDE)


@shifts.law("shli-zero")
def _(x: Term) -> Equation:
    return Equation(x << zero(x), x)


@shifts.law("shrui-zero")
def _(x: Term) -> Equation:
    return Equation(shrui(x, zero(x)), x)


@shifts.law("shrsi-zero")
def _(x: Term) -> Equation:
    return Equation(shrsi(x, zero(x)), x)


@shifts.law("shli-of-zero")
def _(x: Term) -> Equation:
    return Equation(zero(x) << x, zero(x))


@shifts.law("shrui-of-zero")
def _(x: Term) -> Equation:
    return Equation(shrui(zero(x), x), zero(x))


@shifts.law("shrsi-of-zero")
def _(x: Term) -> Equation:
    return Equation(shrsi(zero(x), x), zero(x))


@shifts.law("shrsi-of-ones")
def _(x: Term) -> Equation:
    return Equation(shrsi(ones(x), x), ones(x))


@shifts.law("shli-as-muli")
def _(x: Term, k: Literal) -> Equation:
    return Equation(x << k, x * (one(x) << k))


@shifts.law("shli-of-one-muli", expands=True)
def _(x: Term, y: Term) -> Equation:
    return Equation(x * (one(x) << y), x << y)


@shifts.law("shrui-as-divui")
def _(x: Term, k: Literal) -> Equation:
    """Fails at `k >= width`: the divisor is 0 then."""
    return Equation(shrui(x, k), divui(x, one(x) << k), where=cmpi("ult", k, width(x)))


@shifts.law("remui-as-andi")
def _(x: Term, c: Literal) -> Equation:
    """The remainder by a power of two keeps the low bits."""
    is_power = cmpi("eq", c & (c - one(x)), zero(x)) & cmpi("ne", c, zero(x))
    return Equation(remui(x, c), x & (c - one(x)), where=is_power)


@shifts.law("shli-shli")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    small = cmpi("ult", j, width(x)) & cmpi("ult", k, width(x)) & cmpi("ult", j + k, width(x))
    return Equation((x << j) << k, x << (j + k), where=small)


@shifts.law("shrui-shrui")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    small = cmpi("ult", j, width(x)) & cmpi("ult", k, width(x)) & cmpi("ult", j + k, width(x))
    return Equation(shrui(shrui(x, j), k), shrui(x, j + k), where=small)


@shifts.law("shrsi-shrsi")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    small = cmpi("ult", j, width(x)) & cmpi("ult", k, width(x)) & cmpi("ult", j + k, width(x))
    return Equation(shrsi(shrsi(x, j), k), shrsi(x, j + k), where=small)


@shifts.law("shli-shli-out")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    small = cmpi("ult", j, width(x)) & cmpi("ult", k, width(x)) & cmpi("uge", j + k, width(x))
    return Equation((x << j) << k, zero(x), where=small)


@shifts.law("shrui-shrui-out")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    small = cmpi("ult", j, width(x)) & cmpi("ult", k, width(x)) & cmpi("uge", j + k, width(x))
    return Equation(shrui(shrui(x, j), k), zero(x), where=small)


@shifts.law("shrui-of-shli")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrui(x << k, k), x & shrui(ones(x), k))


@shifts.law("shli-of-shrui")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrui(x, k) << k, x & (ones(x) << k))


@shifts.law("shli-of-shrsi")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrsi(x, k) << k, x & (ones(x) << k))


@shifts.law("shrui-of-shrsi-sign")
def _(x: Term, k: Term) -> Equation:
    """The sign bit is the same after a signed shift."""
    sign = number(x.kind.width - 1, x)
    return Equation(shrui(shrsi(x, k), sign), shrui(x, sign))


@shifts.law("shrui-distributes-andi", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation(shrui(x & y, k), shrui(x, k) & shrui(y, k))


@shifts.law("shrui-distributes-ori", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation(shrui(x | y, k), shrui(x, k) | shrui(y, k))


@shifts.law("shrui-distributes-xori", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation(shrui(x ^ y, k), shrui(x, k) ^ shrui(y, k))


@shifts.law("shli-distributes-andi", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation((x & y) << k, (x << k) & (y << k))


@shifts.law("shli-distributes-ori", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation((x | y) << k, (x << k) | (y << k))


@shifts.law("shli-distributes-xori", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation((x ^ y) << k, (x << k) ^ (y << k))


@shifts.law("shli-distributes-addi", expands=True, both=True)
def _(x: Term, y: Term, k: Term) -> Equation:
    return Equation((x + y) << k, (x << k) + (y << k))


@shifts.law("shrsi-complement", expands=True, both=True)
def _(x: Term, k: Term) -> Equation:
    return Equation(shrsi(~x, k), ~shrsi(x, k))


@shifts.law("shrsi-exact")
def _(x: Term, k: Literal) -> Equation:
    """Where no 1 is lost, a signed shift is a signed division; fails at `k = width - 1`, where `1 << k` is negative."""
    where = cmpi("ult", k, number(x.kind.width - 1, x))
    return Equation(shrsi(x, k), divsi(x, one(x) << k), where=where, given=(shrsi(x, k, exact=True),))


@shifts.law("shrui-of-shli-nuw")
def _(x: Term, k: Term) -> Equation:
    """What no bit left comes back."""
    kept = operation("arith.shli", x, k, overflow="nuw")
    return Equation(shrui(x << k, k), x, given=(kept,))


@shifts.law("shrsi-of-shli-nsw")
def _(x: Term, k: Term) -> Equation:
    """What did not change its sign bits comes back."""
    kept = operation("arith.shli", x, k, overflow="nsw")
    return Equation(shrsi(x << k, k), x, given=(kept,))
