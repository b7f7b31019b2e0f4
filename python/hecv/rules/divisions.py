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


@divisions.law("ceildivui-as-floor", integral="unsigned", modest=True)
def _(x: Term, y: Term) -> Equation:
    """`floor((x - 1) / y) + 1`; fails at 0."""
    up = divui(x - one(x), y) + one(x)
    return Equation(select(cmpi("eq", x, zero(x)), zero(x), up), ceildivui(x, y), given=(divui(x, y),))


@divisions.law("ceildivui-by-sum", integral="unsigned", modest=True)
def _(x: Term, y: Term) -> Equation:
    """Fails where the sum wraps: `(255 + 1) / 2` is 0 at width 8."""
    total = operation("arith.addi", x, y - one(y), overflow="nuw")
    return Equation(divui(x + (y - one(y)), y), ceildivui(x, y), given=(divui(x, y), total))


@divisions.law("ceildivui-of-product", integral="unsigned", modest=True)
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nuw")
    return Equation(ceildivui(x * y, y), x, given=(product, ceildivui(x * y, y)))


@divisions.law("floordivsi-of-product", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nsw")
    return Equation(floordivsi(x * y, y), x, given=(product, floordivsi(x * y, y)))


@divisions.law("ceildivsi-of-product", integral="signed", modest=True)
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nsw")
    return Equation(ceildivsi(x * y, y), x, given=(product, ceildivsi(x * y, y)))


@divisions.law("ceildivui-self", integral="unsigned", modest=True)
def _(x: Term) -> Equation:
    return Equation(ceildivui(x, x), one(x), given=(ceildivui(x, x),))


@divisions.law("floordivsi-self", integral="signed", modest=True)
def _(x: Term) -> Equation:
    return Equation(floordivsi(x, x), one(x), given=(floordivsi(x, x),))


@divisions.law("ceildivsi-self", integral="signed", modest=True)
def _(x: Term) -> Equation:
    return Equation(ceildivsi(x, x), one(x), given=(ceildivsi(x, x),))


@divisions.law("floordivsi-of-zero", integral="signed", modest=True)
def _(x: Term) -> Equation:
    return Equation(floordivsi(zero(x), x), zero(x), given=(floordivsi(zero(x), x),))


@divisions.law("ceildivsi-of-zero", integral="signed", modest=True)
def _(x: Term) -> Equation:
    return Equation(ceildivsi(zero(x), x), zero(x), given=(ceildivsi(zero(x), x),))


@divisions.law("ceildivui-of-zero", integral="unsigned", modest=True)
def _(x: Term) -> Equation:
    return Equation(ceildivui(zero(x), x), zero(x), given=(ceildivui(zero(x), x),))


@divisions.law("divsi-of-product-of-literals", integral="signed", modest=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    """The divisor divides the factor; fails where the product wraps."""
    whole = cmpi("ne", d, zero(d)) & cmpi("ne", d, ones(d)) & cmpi("eq", remsi(c, d), zero(c))
    product = operation("arith.muli", x, c, overflow="nsw")
    return Equation(divsi(x * c, d), x * divsi(c, d), where=whole, given=(product,))


@divisions.law("divui-of-product-of-literals", integral="unsigned", modest=True)
def _(x: Term, c: Literal, d: Literal) -> Equation:
    whole = cmpi("ne", d, zero(d)) & cmpi("eq", remui(c, d), zero(c))
    product = operation("arith.muli", x, c, overflow="nuw")
    return Equation(divui(x * c, d), x * divui(c, d), where=whole, given=(product,))


@divisions.law("divui-of-sum", integral="unsigned", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    """A multiple of the divisor leaves the quotient; fails where something wraps."""
    product = operation("arith.muli", y, z, overflow="nuw")
    total = operation("arith.addi", x, y * z, overflow="nuw")
    return Equation(divui(x + y * z, z), divui(x, z) + y, given=(product, total, divui(x, z)))


@divisions.law("remui-of-sum", integral="unsigned", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    product = operation("arith.muli", y, z, overflow="nuw")
    total = operation("arith.addi", x, y * z, overflow="nuw")
    return Equation(remui(x + y * z, z), remui(x, z), given=(product, total, remui(x, z)))


@divisions.law("floordivsi-of-sum", integral="signed", modest=True)
def _(x: Term, y: Term, z: Term) -> Equation:
    product = operation("arith.muli", y, z, overflow="nsw")
    total = operation("arith.addi", x, y * z, overflow="nsw")
    return Equation(floordivsi(x + y * z, z), floordivsi(x, z) + y, given=(product, total, floordivsi(x, z)))
