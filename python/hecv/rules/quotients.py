"""Laws of quotients and remainders by powers of two, under negation, and as `affine` is lowered."""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    ceildivsi,
    ceildivui,
    cmpi,
    divsi,
    divui,
    floordivsi,
    greatest,
    least,
    number,
    one,
    ones,
    operation,
    remsi,
    remui,
    select,
    shrsi,
    shrui,
    width,
    zero,
)
from hecv.rules.law import WIDE, Book, Literal, Term

quotients = Book("integers", WIDE)


# Powers of two


@quotients.law("floordivsi-as-shrsi", modest=True)
def _(x: Term, k: Literal) -> Equation:
    """A signed shift rounds down; fails at `k = width - 1`: the divisor is negative then."""
    return Equation(shrsi(x, k), floordivsi(x, one(x) << k), where=cmpi("ult", k, number(x.kind.width - 1, x)))


@quotients.law("ceildivsi-as-shrsi", modest=True)
def _(x: Term, k: Literal) -> Equation:
    """Rounded up by negating twice; at MIN too, where `-MIN` is MIN."""
    return Equation(
        -shrsi(-x, k),
        select(cmpi("eq", x, least(x)), -shrsi(x, k), ceildivsi(x, one(x) << k)),
        where=cmpi("ult", k, number(x.kind.width - 1, x)),
    )


@quotients.law("divsi-by-power-of-two", modest=True)
def _(x: Term, k: Literal, j: Literal) -> Equation:
    """What compilers make of it: a negative dividend is rounded up first."""
    top = number(x.kind.width - 1, x)
    where = cmpi("ult", k, top) & cmpi("ne", k, zero(k)) & cmpi("eq", j, width(x) - k)
    return Equation(shrsi(x + shrui(shrsi(x, top), j), k), divsi(x, one(x) << k), where=where)


@quotients.law("divsi-by-two", widths=WIDE[1:], modest=True)
def _(x: Term) -> Equation:
    """The bias is the sign bit."""
    biased = x + shrui(x, number(x.kind.width - 1, x))
    return Equation(shrsi(biased, one(x)), divsi(x, number(2, x)))


@quotients.law("divsi-by-power-of-two-select", modest=True)
def _(x: Term, c: Literal, k: Literal) -> Equation:
    top = number(x.kind.width - 1, x)
    where = cmpi("ult", k, top) & cmpi("eq", c, (one(c) << k) - one(c))
    biased = select(cmpi("slt", x, zero(x)), x + c, x)
    return Equation(shrsi(biased, k), divsi(x, one(x) << k), where=where)


@quotients.law("remsi-by-power-of-two", modest=True)
def _(x: Term, c: Literal, j: Literal) -> Equation:
    """The low bits of the dividend with its bias, less the bias."""
    sign = shrsi(x, number(x.kind.width - 1, x))
    power = cmpi("sgt", c + one(c), zero(c)) & cmpi("eq", c & (c + one(c)), zero(c)) & cmpi("ne", c, zero(c))
    where = power & cmpi("ult", j, width(x)) & cmpi("eq", shrui(ones(c), j), c)
    bias = shrui(sign, j)
    return Equation(((x + bias) & c) - bias, remsi(x, c + one(c)), where=where)


@quotients.law("remsi-by-two", widths=WIDE[1:], modest=True)
def _(x: Term) -> Equation:
    low = x & one(x)
    return Equation(select(cmpi("slt", x, zero(x)), -low, low), remsi(x, number(2, x)))


@quotients.law("remsi-parity", modest=True)
def _(x: Term) -> Equation:
    """Odd, by the remainder of either sign."""
    return Equation(cmpi("ne", remsi(x, number(2, x)), zero(x)), cmpi("ne", x & one(x), zero(x)))


@quotients.law("remsi-is-zero-by-mask", modest=True)
def _(x: Term, c: Literal) -> Equation:
    """Divisible by a power of two, whatever the sign."""
    power = cmpi("eq", c & (c - one(c)), zero(c)) & cmpi("ne", c, zero(c))
    return Equation(cmpi("eq", remsi(x, c), zero(x)), cmpi("eq", x & (c - one(c)), zero(x)), where=power)


@quotients.law("floor-remainder-as-andi", modest=True)
def _(x: Term, c: Literal) -> Equation:
    """`x - floor(x / c) * c`; fails at MIN, which is no positive power of two."""
    power = cmpi("eq", c & (c - one(c)), zero(c)) & cmpi("sgt", c, zero(c))
    return Equation(x - floordivsi(x, c) * c, x & (c - one(c)), where=power)


@quotients.law("round-down-as-andi", modest=True)
def _(x: Term, c: Literal) -> Equation:
    power = cmpi("eq", c & (c - one(c)), zero(c)) & cmpi("ne", c, zero(c))
    return Equation(divui(x, c) * c, x & -c, where=power)


@quotients.law("round-down-signed-as-andi", modest=True)
def _(x: Term, c: Literal) -> Equation:
    power = cmpi("eq", c & (c - one(c)), zero(c)) & cmpi("sgt", c, zero(c))
    return Equation(floordivsi(x, c) * c, x & -c, where=power)


@quotients.law("ceildivui-by-power-of-two", modest=True)
def _(x: Term, k: Literal) -> Equation:
    """The quotient, and one more where a bit is lost."""
    low = x & ((one(x) << k) - one(x))
    inexact = select(cmpi("ne", low, zero(x)), one(x), zero(x))
    return Equation(shrui(x, k) + inexact, ceildivui(x, one(x) << k), where=cmpi("ult", k, width(x)))


@quotients.law("remui-by-half-range", modest=True)
def _(x: Term) -> Equation:
    """By the power of two that is the sign bit."""
    return Equation(remui(x, least(x)), x & greatest(x))


# Signs


@quotients.law("divsi-of-negation", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    """Fails where the negation wraps: `-MIN / 2` is `MIN / 2`."""
    negation = operation("arith.subi", zero(x), x, overflow="nsw")
    return Equation(divsi(-x, y), -divsi(x, y), given=(negation, divsi(-x, y)))


@quotients.law("remsi-of-negation", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    negation = operation("arith.subi", zero(x), x, overflow="nsw")
    return Equation(remsi(-x, y), -remsi(x, y), given=(negation, remsi(-x, y)))


@quotients.law("divsi-by-negation", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    negation = operation("arith.subi", zero(y), y, overflow="nsw")
    return Equation(divsi(x, -y), -divsi(x, y), given=(negation, divsi(x, -y)))


@quotients.law("remsi-by-negation", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    negation = operation("arith.subi", zero(y), y, overflow="nsw")
    return Equation(remsi(x, -y), remsi(x, y), given=(negation, remsi(x, -y)))


@quotients.law("ceildivsi-as-floordivsi", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    """Rounding up is rounding down the other way round."""
    negation = operation("arith.subi", zero(x), x, overflow="nsw")
    return Equation(-floordivsi(-x, y), ceildivsi(x, y), given=(negation, floordivsi(-x, y)))


# The expansions of affine's operators


@quotients.law("modulo-by-select", integral="signed", modest=True)
def _(x: Term, c: Literal) -> Equation:
    """The remainder that is not negative. Cites: lower-affine, affine.apply with `mod`."""
    rest = remsi(x, c)
    fixed = select(cmpi("slt", rest, zero(x)), rest + c, rest)
    return Equation(fixed, x - floordivsi(x, c) * c, where=cmpi("sgt", c, zero(c)))


@quotients.law("floordivsi-by-select", integral="signed", modest=True)
def _(x: Term, c: Literal) -> Equation:
    """Cites: lower-affine, affine.apply with `floordiv`."""
    negative = cmpi("slt", x, zero(x))
    quotient = divsi(select(negative, ones(x) - x, x), c)
    return Equation(select(negative, ones(x) - quotient, quotient), floordivsi(x, c), where=cmpi("sgt", c, zero(c)))
