"""Laws of the functions of `math` on integers: counts of bits, and powers."""

from __future__ import annotations

from typing import Final

from hecv.rules.language import (
    Equation,
    cmpi,
    ctlz,
    ctpop,
    cttz,
    divsi,
    extui,
    ipowi,
    number,
    one,
    ones,
    widens,
    width,
    zero,
)
from hecv.rules.law import WIDE, Book, Kind, Term

functions = Book("integers", WIDE, modest=True)

COUNTED: Final = (2, 4, 8, 16, 32)
"""Where Z3 counts bits in reasonable time."""

SIGNED_FOUR: Final = WIDE[1:]
"""Where 2, 3, 4, -2 and -3 are what they say, signed; fails at width 2: 4 is 0."""


@functions.law("ctpop-of-complement", widths=COUNTED)
def _(x: Term) -> Equation:
    return Equation(ctpop(~x), width(x) - ctpop(x))


@functions.law("ctpop-of-bit")
def _(x: Term) -> Equation:
    return Equation(ctpop(x & one(x)), x & one(x))


@functions.law("ctpop-without-lowest", widths=COUNTED)
def _(x: Term) -> Equation:
    return Equation(ctpop(x & (x - one(x))) + ctpop(x & -x), ctpop(x))


@functions.law("ctpop-is-zero", widths=COUNTED)
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", ctpop(x), zero(x)), cmpi("eq", x, zero(x)))


@functions.law("ctpop-is-width")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", ctpop(x), width(x)), cmpi("eq", x, ones(x)))


@functions.law("ctpop-at-most-one")
def _(x: Term) -> Equation:
    """The test for a power of two, or 0."""
    return Equation(cmpi("ult", ctpop(x), number(2, x)), cmpi("eq", x & (x - one(x)), zero(x)))


@functions.law("ctpop-splits", widths=(2, 4, 8, 16))
def _(x: Term, y: Term) -> Equation:
    return Equation(ctpop(x & y) + ctpop(x | y), ctpop(x) + ctpop(y))


@functions.law("ctpop-parity")
def _(x: Term, y: Term) -> Equation:
    return Equation((ctpop(x) ^ ctpop(y)) & one(x), ctpop(x ^ y) & one(x))


@functions.law("ctpop-of-extui")
def _(x: Term, to: Kind) -> Equation | None:
    return Equation(ctpop(extui(x, to)), extui(ctpop(x), to)) if widens(x.kind, to) else None


@functions.law("cttz-as-ctpop")
def _(x: Term) -> Equation:
    return Equation(ctpop(~x & (x - one(x))), cttz(x))


@functions.law("cttz-of-negation")
def _(x: Term) -> Equation:
    return Equation(cttz(-x), cttz(x))


@functions.law("cttz-of-lowest-bit")
def _(x: Term) -> Equation:
    return Equation(cttz(x & -x), cttz(x))


@functions.law("cttz-is-zero")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", cttz(x), zero(x)), cmpi("ne", x & one(x), zero(x)))


@functions.law("cttz-is-width")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", cttz(x), width(x)), cmpi("eq", x, zero(x)))


@functions.law("ctlz-is-zero")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", ctlz(x), zero(x)), cmpi("slt", x, zero(x)))


@functions.law("ctlz-is-width")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", ctlz(x), width(x)), cmpi("eq", x, zero(x)))


@functions.law("ctlz-of-extui")
def _(x: Term, to: Kind) -> Equation | None:
    if not widens(x.kind, to):
        return None
    more = number(to.width - x.kind.width, extui(x, to))
    return Equation(ctlz(extui(x, to)), extui(ctlz(x), to) + more)


# Powers by literals


@functions.law("ipowi-zero")
def _(x: Term) -> Equation:
    """Also of 0."""
    return Equation(ipowi(x, zero(x)), one(x))


@functions.law("ipowi-one")
def _(x: Term) -> Equation:
    return Equation(ipowi(x, one(x)), x)


@functions.law("ipowi-two", widths=SIGNED_FOUR)
def _(x: Term) -> Equation:
    return Equation(ipowi(x, number(2, x)), x * x)


@functions.law("ipowi-three", widths=SIGNED_FOUR)
def _(x: Term) -> Equation:
    return Equation(ipowi(x, number(3, x)), x * x * x)


@functions.law("ipowi-four", widths=SIGNED_FOUR)
def _(x: Term) -> Equation:
    return Equation(ipowi(x, number(4, x)), (x * x) * (x * x))


@functions.law("ipowi-minus-one")
def _(x: Term) -> Equation:
    """Fails at 0 without its premise: `1 / 0` is no power."""
    return Equation(ipowi(x, ones(x)), divsi(one(x), x), given=(ipowi(x, ones(x)),))


@functions.law("ipowi-minus-two", widths=SIGNED_FOUR)
def _(x: Term) -> Equation:
    power = ipowi(x, number(-2, x))
    return Equation(power, divsi(one(x), x) * divsi(one(x), x), given=(power,))


@functions.law("ipowi-minus-three", widths=SIGNED_FOUR)
def _(x: Term) -> Equation:
    power = ipowi(x, number(-3, x))
    return Equation(power, divsi(one(x), x) * divsi(one(x), x) * divsi(one(x), x), given=(power,))


@functions.law("ipowi-of-one", widths=(2, 4, 8))
def _(x: Term) -> Equation:
    return Equation(ipowi(one(x), x), one(x))
