"""Laws of signs, single bits, carries and borrows, and of order where nothing overflows."""

from __future__ import annotations

from hecv.rules.language import (
    BIT,
    Equation,
    Pattern,
    add_without,
    cmpi,
    extsi,
    extui,
    greatest,
    least,
    mul_without,
    number,
    one,
    ones,
    operation,
    select,
    shrsi,
    shrui,
    sub_without,
    trunci,
    truth,
    widens,
    width,
    zero,
)
from hecv.rules.law import WIDE, Book, Literal, Term

signs = Book("integers", WIDE, modest=True)


# Complements and signs


def _complemented(predicate: str) -> None:
    @signs.law(f"cmpi-{predicate}-complements")
    def _(x: Term, y: Term) -> Equation:
        return Equation(cmpi(predicate, ~x, ~y), cmpi(predicate, y, x))

    @signs.law(f"cmpi-{predicate}-sign-flipped")
    def _(x: Term, y: Term) -> Equation:
        """Signed order is unsigned order with the sign bits flipped."""
        flipped = cmpi(predicate, x ^ least(x), y ^ least(y))
        return Equation(flipped, cmpi(OTHER_ORDER[predicate], x, y))


OTHER_ORDER = {"slt": "ult", "sle": "ule", "ult": "slt", "ule": "sle"}
for _predicate in OTHER_ORDER:
    _complemented(_predicate)


@signs.law("cmpi-sign-bit-set")
def _(x: Term) -> Equation:
    return Equation(cmpi("ne", x & least(x), zero(x)), cmpi("slt", x, zero(x)))


@signs.law("cmpi-sign-bit-clear")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", x & least(x), zero(x)), cmpi("sge", x, zero(x)))


@signs.law("cmpi-sign-bit-is")
def _(x: Term) -> Equation:
    return Equation(cmpi("eq", x & least(x), least(x)), cmpi("slt", x, zero(x)))


@signs.law("cmpi-sign-bit-shifted")
def _(x: Term) -> Equation:
    top = number(x.kind.width - 1, x)
    return Equation(cmpi("ne", shrui(x, top), zero(x)), cmpi("slt", x, zero(x)))


@signs.law("cmpi-sign-unsigned")
def _(x: Term) -> Equation:
    return Equation(cmpi("uge", x, least(x)), cmpi("slt", x, zero(x)))


@signs.law("cmpi-sign-unsigned-above")
def _(x: Term) -> Equation:
    return Equation(cmpi("ugt", x, greatest(x)), cmpi("slt", x, zero(x)))


@signs.law("cmpi-signs-differ")
def _(x: Term, y: Term) -> Equation:
    differ = cmpi("slt", x, zero(x)) ^ cmpi("slt", y, zero(y))
    return Equation(cmpi("slt", x ^ y, zero(x)), differ)


@signs.law("cmpi-either-negative")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("slt", x, zero(x)) | cmpi("slt", y, zero(y)), cmpi("slt", x | y, zero(x)))


@signs.law("cmpi-both-negative")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("slt", x, zero(x)) & cmpi("slt", y, zero(y)), cmpi("slt", x & y, zero(x)))


@signs.law("cmpi-neither-negative")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("sge", x, zero(x)) & cmpi("sge", y, zero(y)), cmpi("sge", x | y, zero(x)))


@signs.law("sign-as-extui")
def _(x: Term) -> Equation | None:
    if not widens(BIT, x.kind):
        return None
    return Equation(extui(cmpi("slt", x, zero(x)), x.kind), shrui(x, number(x.kind.width - 1, x)))


@signs.law("sign-as-extsi")
def _(x: Term) -> Equation | None:
    if not widens(BIT, x.kind):
        return None
    return Equation(extsi(cmpi("slt", x, zero(x)), x.kind), shrsi(x, number(x.kind.width - 1, x)))


@signs.law("sign-as-select")
def _(x: Term) -> Equation:
    sign = shrsi(x, number(x.kind.width - 1, x))
    return Equation(select(cmpi("slt", x, zero(x)), ones(x), zero(x)), sign)


@signs.law("sign-bit-as-select")
def _(x: Term) -> Equation:
    sign = shrui(x, number(x.kind.width - 1, x))
    return Equation(select(cmpi("slt", x, zero(x)), one(x), zero(x)), sign)


@signs.law("sign-as-trunci")
def _(x: Term) -> Equation | None:
    if not widens(BIT, x.kind):
        return None
    return Equation(trunci(shrui(x, number(x.kind.width - 1, x)), BIT), cmpi("slt", x, zero(x)))


@signs.law("lowest-bit-as-trunci")
def _(x: Term) -> Equation | None:
    return Equation(cmpi("ne", x & one(x), zero(x)), trunci(x, BIT)) if widens(BIT, x.kind) else None


@signs.law("bit-is-set")
def _(x: Term, c: Literal) -> Equation:
    """One bit is not clear where it is set."""
    one_bit = cmpi("eq", c & (c + ones(c)), zero(c)) & cmpi("ne", c, zero(c))
    return Equation(cmpi("eq", x & c, c), cmpi("ne", x & c, zero(c)), where=one_bit)


@signs.law("cmpi-ult-power-of-two")
def _(x: Term, k: Literal) -> Equation:
    """No high bit is set; fails at `k >= width`: `1 << k` is 0 then."""
    return Equation(cmpi("eq", shrui(x, k), zero(x)), cmpi("ult", x, one(x) << k), where=cmpi("ult", k, width(x)))


@signs.law("cmpi-ult-high-mask")
def _(x: Term, c: Literal) -> Equation:
    low = cmpi("eq", ~c & (~c + one(c)), zero(c)) & cmpi("ne", c, zero(c))
    return Equation(cmpi("eq", x & c, zero(x)), cmpi("ult", x, ~c + one(c)), where=low)


# Carries and borrows


@signs.law("carry-by-other-operand")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ult", x + y, y), cmpi("ult", x + y, x))


@signs.law("carry-by-complement")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ult", ~x, y), cmpi("ult", x + y, x))


@signs.law("borrow-by-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("ult", x, x - y), cmpi("ult", x, y))


@signs.law("carry-by-bits")
def _(x: Term, y: Term) -> Equation:
    """The carry out of the highest bit, as gates of signs."""
    carry = (x & y) | ((x | y) & ~(x + y))
    return Equation(cmpi("slt", carry, zero(x)), cmpi("ult", x + y, x))


@signs.law("borrow-by-bits")
def _(x: Term, y: Term) -> Equation:
    borrow = (~x & y) | ((~x | y) & (x - y))
    return Equation(cmpi("slt", borrow, zero(x)), cmpi("ult", x, y))


@signs.law("less-by-overflow")
def _(x: Term, y: Term) -> Equation:
    """Signed order is the sign of the difference, corrected by overflow."""
    overflow = (x ^ y) & ((x - y) ^ x)
    return Equation(cmpi("slt", (x - y) ^ overflow, zero(x)), cmpi("slt", x, y))


# Under the flags of what is compared

FLAGGED = {"slt": "nsw", "sle": "nsw", "ult": "nuw", "ule": "nuw"}


def _flagged(predicate: str) -> None:
    flag = FLAGGED[predicate]

    @signs.law(f"cmpi-{predicate}-common-term")
    def _(x: Term, y: Term, z: Term) -> Equation:
        sums = (add_without(flag, x, z), add_without(flag, y, z))
        return Equation(cmpi(predicate, x + z, y + z), cmpi(predicate, x, y), given=sums)

    @signs.law(f"cmpi-{predicate}-common-subtrahend")
    def _(x: Term, y: Term, z: Term) -> Equation:
        differences = (sub_without(flag, x, z), sub_without(flag, y, z))
        return Equation(cmpi(predicate, x - z, y - z), cmpi(predicate, x, y), given=differences)

    @signs.law(f"cmpi-{predicate}-offsets")
    def _(x: Term, c: Literal, d: Literal) -> Equation:
        """The offset moves to the other literal, where that does not wrap."""
        rest = operation("arith.subui_extended", d, c, to=BIT, result=1)
        fits = rest ^ truth(True) if flag == "nuw" else no_signed_borrow(d, c)
        return Equation(
            cmpi(predicate, x + c, d), cmpi(predicate, x, d - c), where=fits, given=(add_without(flag, x, c),)
        )

    @signs.law(f"cmpi-{predicate}-sum-self")
    def _(x: Term, y: Term) -> Equation:
        sums = (add_without(flag, x, y),)
        return Equation(cmpi(predicate, x, x + y), cmpi(predicate, zero(y), y), given=sums)


def no_signed_borrow(x: Pattern, y: Pattern) -> Pattern:
    """`x - y` does not overflow, signed."""
    return cmpi("sge", (x ^ y) & ((x - y) ^ x), zero(x))


for _predicate in FLAGGED:
    _flagged(_predicate)


@signs.law("cmpi-slt-difference-zero")
def _(x: Term, y: Term) -> Equation:
    """The sign of a difference that does not overflow."""
    return Equation(cmpi("slt", x - y, zero(x)), cmpi("slt", x, y), given=(sub_without("nsw", x, y),))


@signs.law("cmpi-sle-difference-zero")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("sle", x - y, zero(x)), cmpi("sle", x, y), given=(sub_without("nsw", x, y),))


@signs.law("cmpi-slt-common-factor", integral="signed")
def _(x: Term, y: Term, c: Literal) -> Equation:
    products = (mul_without("nsw", x, c), mul_without("nsw", y, c))
    return Equation(cmpi("slt", x * c, y * c), cmpi("slt", x, y), where=cmpi("sgt", c, zero(c)), given=products)


@signs.law("cmpi-ult-common-factor", integral="unsigned")
def _(x: Term, y: Term, c: Literal) -> Equation:
    products = (mul_without("nuw", x, c), mul_without("nuw", y, c))
    return Equation(cmpi("ult", x * c, y * c), cmpi("ult", x, y), where=cmpi("ne", c, zero(c)), given=products)


@signs.law("cmpi-eq-common-factor", integral="signed")
def _(x: Term, y: Term, c: Literal) -> Equation:
    products = (mul_without("nsw", x, c), mul_without("nsw", y, c))
    return Equation(cmpi("eq", x * c, y * c), cmpi("eq", x, y), where=cmpi("ne", c, zero(c)), given=products)


@signs.law("cmpi-eq-common-factor-unsigned", integral="unsigned")
def _(x: Term, y: Term, c: Literal) -> Equation:
    products = (mul_without("nuw", x, c), mul_without("nuw", y, c))
    return Equation(cmpi("eq", x * c, y * c), cmpi("eq", x, y), where=cmpi("ne", c, zero(c)), given=products)
