"""Laws of quotients and remainders. Division by 0 has the values of SMT-LIB: `x / 0` unsigned is all ones."""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    ceildivsi,
    ceildivui,
    cmpi,
    divsi,
    divui,
    floordivsi,
    one,
    ones,
    operation,
    remsi,
    remui,
    select,
    zero,
)
from hecv.rules.law import WIDE, Book, Literal, Term

divisions = Book("integers", WIDE)


@divisions.law("divui-one", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(divui(x, one(x)), x)


@divisions.law("divsi-one", integral="signed")
def _(x: Term) -> Equation:
    return Equation(divsi(x, one(x)), x)


@divisions.law("divsi-minus-one", integral="signed")
def _(x: Term) -> Equation:
    return Equation(divsi(x, ones(x)), -x)


@divisions.law("remui-one", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(remui(x, one(x)), zero(x))


@divisions.law("remsi-one", integral="signed")
def _(x: Term) -> Equation:
    return Equation(remsi(x, one(x)), zero(x))


@divisions.law("remsi-minus-one", integral="signed")
def _(x: Term) -> Equation:
    return Equation(remsi(x, ones(x)), zero(x))


@divisions.law("remui-self", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(remui(x, x), zero(x))


@divisions.law("remsi-self", integral="signed")
def _(x: Term) -> Equation:
    return Equation(remsi(x, x), zero(x))


@divisions.law("remui-of-zero", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(remui(zero(x), x), zero(x))


@divisions.law("remsi-of-zero", integral="signed")
def _(x: Term) -> Equation:
    return Equation(remsi(zero(x), x), zero(x))


@divisions.law("ceildivui-one", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(ceildivui(x, one(x)), x)


@divisions.law("ceildivsi-one", integral="signed")
def _(x: Term) -> Equation:
    return Equation(ceildivsi(x, one(x)), x)


@divisions.law("floordivsi-one", integral="signed")
def _(x: Term) -> Equation:
    return Equation(floordivsi(x, one(x)), x)


@divisions.law("remui-as-difference", both=True, integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(x - divui(x, y) * y, remui(x, y))


@divisions.law("remsi-as-difference", both=True, integral="signed")
def _(x: Term, y: Term) -> Equation:
    return Equation(x - divsi(x, y) * y, remsi(x, y))


@divisions.law("divui-self", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(divui(x, x), one(x), given=(divui(x, x),))


@divisions.law("divsi-self", integral="signed")
def _(x: Term) -> Equation:
    return Equation(divsi(x, x), one(x), given=(divsi(x, x),))


@divisions.law("divui-of-zero", integral="unsigned")
def _(x: Term) -> Equation:
    return Equation(divui(zero(x), x), zero(x), given=(divui(zero(x), x),))


@divisions.law("divsi-of-zero", integral="signed")
def _(x: Term) -> Equation:
    return Equation(divsi(zero(x), x), zero(x), given=(divsi(zero(x), x),))


@divisions.law("divui-of-product", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    """Fails where the product wraps: `(2 * 128) / 128` is 0 at width 8."""
    product = operation("arith.muli", x, y, overflow="nuw")
    return Equation(divui(x * y, y), x, given=(product, divui(x * y, y)))


@divisions.law("divsi-of-product", integral="signed")
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nsw")
    return Equation(divsi(x * y, y), x, given=(product, divsi(x * y, y)))


@divisions.law("divui-exact", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(divui(x, y) * y, x, given=(divui(x, y, exact=True),))


@divisions.law("divsi-exact", integral="signed")
def _(x: Term, y: Term) -> Equation:
    return Equation(divsi(x, y) * y, x, given=(divsi(x, y, exact=True),))


@divisions.law("ceildivui-expansion", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    """Cites: arith-expand."""
    rest = divui(x - one(x), y) + one(x)
    return Equation(ceildivui(x, y), select(cmpi("eq", x, zero(x)), zero(x), rest), given=(ceildivui(x, y),))


@divisions.law("ceildivsi-expansion", integral="signed")
def _(x: Term, y: Term) -> Equation:
    """Cites: arith-expand."""
    quotient = divsi(x, y)
    same_signs = cmpi("eq", cmpi("slt", x, zero(x)), cmpi("slt", y, zero(x)))
    up = cmpi("ne", x, quotient * y) & same_signs
    return Equation(ceildivsi(x, y), select(up, quotient + one(x), quotient))


@divisions.law("floordivsi-expansion", integral="signed")
def _(x: Term, y: Term) -> Equation:
    """Cites: arith-expand."""
    quotient = divsi(x, y)
    signs_differ = cmpi("ne", cmpi("slt", x, zero(x)), cmpi("slt", y, zero(x)))
    down = cmpi("ne", x, quotient * y) & signs_differ
    return Equation(floordivsi(x, y), select(down, quotient + ones(x), quotient))


@divisions.law("divui-divui", integral="unsigned")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    """By the product of the divisors, where it does not wrap."""
    fits = cmpi("ne", c, zero(x)) & cmpi("ne", d, zero(x)) & cmpi("ule", c, divui(ones(x), d))
    return Equation(divui(divui(x, c), d), divui(x, c * d), where=fits)


@divisions.law("remui-of-product", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nuw")
    return Equation(remui(x * y, y), zero(x), given=(product,))


@divisions.law("remsi-of-product", integral="signed")
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nsw")
    return Equation(remsi(x * y, y), zero(x), given=(product,))


@divisions.law("divui-remui-sum", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(divui(x, y) * y + remui(x, y), x)


@divisions.law("divsi-remsi-sum", integral="signed")
def _(x: Term, y: Term) -> Equation:
    return Equation(divsi(x, y) * y + remsi(x, y), x)


@divisions.law("remui-remui", integral="unsigned")
def _(x: Term, y: Term) -> Equation:
    return Equation(remui(remui(x, y), y), remui(x, y))


@divisions.law("remsi-remsi", integral="signed")
def _(x: Term, y: Term) -> Equation:
    return Equation(remsi(remsi(x, y), y), remsi(x, y))
