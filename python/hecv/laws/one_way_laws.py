"""One-way laws: the right side may replace the left one, never the reverse.

The left side is undefined, or poison, where the right one is not. They are never unions of an e-graph: an equation with
a premise says the same for the inputs on which the premise holds (`hecv.laws.integers.divisions`).
"""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, ub

refinements = Book("integers", WIDE, refines=True)
bit_refinements = Book("any", refines=True)

NARROW = (2, 4, 8)
"""The widths at which Z3 divides products."""


@refinements.law("divui-self-refines")
def _(x):
    """The left side is undefined for a divisor 0; 1 is not."""
    return arith.divui(x, x), 1


@refinements.law("divsi-self-refines", integral="signed")
def _(x):
    return arith.divsi(x, x), 1


@refinements.law("floordivsi-self-refines")
def _(x):
    return arith.floordivsi(x, x), 1


@refinements.law("ceildivsi-self-refines")
def _(x):
    return arith.ceildivsi(x, x), 1


@refinements.law("ceildivui-self-refines")
def _(x):
    return arith.ceildivui(x, x), 1


@refinements.law("remui-self-refines")
def _(x):
    return arith.remui(x, x), 0


@refinements.law("remsi-self-refines", integral="signed")
def _(x):
    return arith.remsi(x, x), 0


@refinements.law("divui-of-zero-refines")
def _(x):
    return arith.divui(0, x), 0


@refinements.law("divsi-of-zero-refines")
def _(x):
    return arith.divsi(0, x), 0


@refinements.law("divsi-of-product-refines", widths=NARROW)
def _(x, y):
    """Fails without the flag: `(2 * 64) / 64` is -2 at width 8."""
    return arith.divsi(arith.muli(x, y, overflow="nsw"), y), x


@refinements.law("divui-of-product-refines", widths=NARROW)
def _(x, y):
    return arith.divui(arith.muli(x, y, overflow="nuw"), y), x


@refinements.law("shrsi-of-shli-refines")
def _(x, k):
    return arith.shrsi(arith.shli(x, k, overflow="nsw"), k), x


@refinements.law("shrui-of-shli-refines")
def _(x, k):
    return arith.shrui(arith.shli(x, k, overflow="nuw"), k), x


@refinements.law("shli-of-shrui-exact-refines")
def _(x, k):
    return arith.shrui(x, k, exact=True) << k, x


@refinements.law("addi-drops-nsw")
def _(x, y):
    return arith.addi(x, y, overflow="nsw"), x + y


@refinements.law("addi-drops-nuw")
def _(x, y):
    return arith.addi(x, y, overflow="nuw"), x + y


@refinements.law("subi-drops-nsw")
def _(x, y):
    return arith.subi(x, y, overflow="nsw"), x - y


@refinements.law("subi-drops-nuw")
def _(x, y):
    return arith.subi(x, y, overflow="nuw"), x - y


@refinements.law("muli-drops-nsw")
def _(x, y):
    return arith.muli(x, y, overflow="nsw"), x * y


@refinements.law("muli-drops-nuw")
def _(x, y):
    return arith.muli(x, y, overflow="nuw"), x * y


@refinements.law("cmpi-sgt-successor-refines")
def _(x):
    return arith.cmpi(arith.addi(x, 1, overflow="nsw"), x, predicate="sgt"), True


@refinements.law("cmpi-slt-common-term-refines")
def _(x, y, z):
    return arith.cmpi(arith.addi(x, z, overflow="nsw"), arith.addi(y, z, overflow="nsw"), predicate="slt"), arith.cmpi(
        x, y, predicate="slt"
    )


@refinements.law("shli-too-far-refines")
def _(x, k):
    """A shift by the width or more is poison, which anything refines."""
    assert arith.cmpi(k, x.width, predicate="uge")
    return x << k, 0


@refinements.law("shrui-as-divui-refines")
def _(x, k):
    """The amount need not be a literal; the reverse fails at `k >= width`."""
    return arith.shrui(x, k), arith.select(arith.cmpi(k, x.width, predicate="ult"), arith.shrui(x, k), 0)


@bit_refinements.law("select-with-poison-then")
def _(p, x):
    return arith.select(p, ub.poison(), x), x


@bit_refinements.law("select-with-poison-else")
def _(p, x):
    return arith.select(p, x, ub.poison()), x


@bit_refinements.law("select-same-refines")
def _(p, x):
    """The condition may be poison; the reverse fails there."""
    return arith.select(p, x, x), x


@bit_refinements.law("andi-as-select-refines")
def _(p, q):
    """The arm that is not chosen may be poison; the reverse fails there."""
    return p & q, arith.select(p, q, False)


@bit_refinements.law("ori-as-select-refines")
def _(p, q):
    return p | q, arith.select(p, True, q)
