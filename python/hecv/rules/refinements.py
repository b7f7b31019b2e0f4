"""Laws that hold one way: the right side may stand for the left one, and not the other way round.

The left side is undefined, or poison, where the right one is not. They are never unions of an e-graph: an equation with
a premise says the same of the places where the premise holds (`hecv.rules.divisions`).
"""

from __future__ import annotations

from hecv.rules.language import (
    Equation,
    Pattern,
    add_without,
    ceildivsi,
    ceildivui,
    cmpi,
    divsi,
    divui,
    floordivsi,
    mul_without,
    number,
    one,
    operation,
    remsi,
    remui,
    select,
    shl_without,
    shrsi,
    shrui,
    sub_without,
    truth,
    zero,
)
from hecv.rules.law import WIDE, Bit, Book, Literal, Term

refinements = Book("integers", WIDE, refines=True)
bit_refinements = Book("any", refines=True)

NARROW = (2, 4, 8)
"""Where Z3 divides products."""


def poison(like: Pattern) -> Pattern:
    """`ub.poison`."""
    return operation("ub.poison", to=like.kind)


@refinements.law("divui-self-refines")
def _(x: Term) -> Equation:
    """Undefined by 0; 1 is not."""
    return Equation(divui(x, x), one(x))


@refinements.law("divsi-self-refines")
def _(x: Term) -> Equation:
    return Equation(divsi(x, x), one(x))


@refinements.law("floordivsi-self-refines")
def _(x: Term) -> Equation:
    return Equation(floordivsi(x, x), one(x))


@refinements.law("ceildivsi-self-refines")
def _(x: Term) -> Equation:
    return Equation(ceildivsi(x, x), one(x))


@refinements.law("ceildivui-self-refines")
def _(x: Term) -> Equation:
    return Equation(ceildivui(x, x), one(x))


@refinements.law("remui-self-refines")
def _(x: Term) -> Equation:
    return Equation(remui(x, x), zero(x))


@refinements.law("remsi-self-refines")
def _(x: Term) -> Equation:
    return Equation(remsi(x, x), zero(x))


@refinements.law("divui-of-zero-refines")
def _(x: Term) -> Equation:
    return Equation(divui(zero(x), x), zero(x))


@refinements.law("divsi-of-zero-refines")
def _(x: Term) -> Equation:
    return Equation(divsi(zero(x), x), zero(x))


@refinements.law("divsi-of-product-refines", widths=NARROW)
def _(x: Term, y: Term) -> Equation:
    """Fails without the flag: `(2 * 64) / 64` is -2 at width 8."""
    return Equation(divsi(mul_without("nsw", x, y), y), x)


@refinements.law("divui-of-product-refines", widths=NARROW)
def _(x: Term, y: Term) -> Equation:
    return Equation(divui(mul_without("nuw", x, y), y), x)


@refinements.law("shrsi-of-shli-refines")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrsi(shl_without("nsw", x, k), k), x)


@refinements.law("shrui-of-shli-refines")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrui(shl_without("nuw", x, k), k), x)


@refinements.law("shli-of-shrui-exact-refines")
def _(x: Term, k: Term) -> Equation:
    return Equation(shrui(x, k, exact=True) << k, x)


@refinements.law("addi-drops-nsw")
def _(x: Term, y: Term) -> Equation:
    return Equation(add_without("nsw", x, y), x + y)


@refinements.law("addi-drops-nuw")
def _(x: Term, y: Term) -> Equation:
    return Equation(add_without("nuw", x, y), x + y)


@refinements.law("subi-drops-nsw")
def _(x: Term, y: Term) -> Equation:
    return Equation(sub_without("nsw", x, y), x - y)


@refinements.law("subi-drops-nuw")
def _(x: Term, y: Term) -> Equation:
    return Equation(sub_without("nuw", x, y), x - y)


@refinements.law("muli-drops-nsw")
def _(x: Term, y: Term) -> Equation:
    return Equation(mul_without("nsw", x, y), x * y)


@refinements.law("muli-drops-nuw")
def _(x: Term, y: Term) -> Equation:
    return Equation(mul_without("nuw", x, y), x * y)


@refinements.law("cmpi-sgt-successor-refines")
def _(x: Term) -> Equation:
    return Equation(cmpi("sgt", add_without("nsw", x, one(x)), x), truth(True))


@refinements.law("cmpi-slt-common-term-refines")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("slt", add_without("nsw", x, z), add_without("nsw", y, z)), cmpi("slt", x, y))


@refinements.law("shli-too-far-refines")
def _(x: Term, k: Literal) -> Equation:
    """A shift by the width or more is poison, which anything refines."""
    return Equation(x << k, zero(x), where=cmpi("uge", k, number(x.kind.width, k)))


@refinements.law("shrui-as-divui-refines")
def _(x: Term, k: Term) -> Equation:
    """By a power of two that need not be a literal; fails the other way round at `k >= width`."""
    return Equation(shrui(x, k), select(cmpi("ult", k, number(x.kind.width, k)), shrui(x, k), zero(x)))


@bit_refinements.law("select-with-poison-then")
def _(p: Bit, x: Term) -> Equation:
    return Equation(select(p, poison(x), x), x)


@bit_refinements.law("select-with-poison-else")
def _(p: Bit, x: Term) -> Equation:
    return Equation(select(p, x, poison(x)), x)


@bit_refinements.law("select-same-refines")
def _(p: Bit, x: Term) -> Equation:
    """The condition may be poison; fails the other way round there."""
    return Equation(select(p, x, x), x)


@bit_refinements.law("andi-as-select-refines")
def _(p: Bit, q: Bit) -> Equation:
    """What is not chosen may be poison; fails the other way round there."""
    return Equation(p & q, select(p, q, truth(False)))


@bit_refinements.law("ori-as-select-refines")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(p | q, select(p, truth(True), q))
