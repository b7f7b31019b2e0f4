"""Laws of the functions of `math` on integers: counts of bits, and powers."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from typing import Final

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined, math

functions = Book("integers", WIDE, modest=True)

COUNTED: Final = (2, 4, 8, 16, 32)
"""The widths at which Z3 counts bits in reasonable time."""

SIGNED_FOUR: Final = WIDE[1:]
"""The widths at which 2, 3, 4, -2 and -3 are distinct signed values; fails at width 2: 4 is 0."""


@functions.law("ctpop-of-complement", widths=COUNTED)
def _(x):
    return math.ctpop(~x), x.width - math.ctpop(x)


@functions.law("ctpop-of-bit")
def _(x):
    return math.ctpop(x & 1), x & 1


@functions.law("ctpop-without-lowest", widths=COUNTED)
def _(x):
    return math.ctpop(x & x - 1) + math.ctpop(x & -x), math.ctpop(x)


@functions.law("ctpop-is-zero", widths=COUNTED)
def _(x):
    return arith.cmpi(math.ctpop(x), 0, predicate="eq"), arith.cmpi(x, 0, predicate="eq")


@functions.law("ctpop-is-width")
def _(x):
    return arith.cmpi(math.ctpop(x), x.width, predicate="eq"), arith.cmpi(x, -1, predicate="eq")


@functions.law("ctpop-at-most-one")
def _(x):
    """The test for "a power of two, or 0"."""
    return arith.cmpi(math.ctpop(x), 2, predicate="ult"), arith.cmpi(x & x - 1, 0, predicate="eq")


@functions.law("ctpop-splits", widths=(2, 4, 8, 16))
def _(x, y):
    return math.ctpop(x & y) + math.ctpop(x | y), math.ctpop(x) + math.ctpop(y)


@functions.law("ctpop-parity")
def _(x, y):
    return (math.ctpop(x) ^ math.ctpop(y)) & 1, math.ctpop(x ^ y) & 1


@functions.law("ctpop-of-extui")
def _(x):
    return math.ctpop(arith.extui(x)), arith.extui(math.ctpop(x))


@functions.law("cttz-as-ctpop")
def _(x):
    return math.ctpop(~x & x - 1), math.cttz(x)


@functions.law("cttz-of-negation")
def _(x):
    return math.cttz(-x), math.cttz(x)


@functions.law("cttz-of-lowest-bit")
def _(x):
    return math.cttz(x & -x), math.cttz(x)


@functions.law("cttz-is-zero")
def _(x):
    return arith.cmpi(math.cttz(x), 0, predicate="eq"), arith.cmpi(x & 1, 0, predicate="ne")


@functions.law("cttz-is-width")
def _(x):
    return arith.cmpi(math.cttz(x), x.width, predicate="eq"), arith.cmpi(x, 0, predicate="eq")


@functions.law("ctlz-is-zero")
def _(x):
    return arith.cmpi(math.ctlz(x), 0, predicate="eq"), arith.cmpi(x, 0, predicate="slt")


@functions.law("ctlz-is-width")
def _(x):
    return arith.cmpi(math.ctlz(x), x.width, predicate="eq"), arith.cmpi(x, 0, predicate="eq")


@functions.law("ctlz-of-extui")
def _(x):
    to = arith.extui(x)
    more = to.width - x.width
    return math.ctlz(to), arith.extui(math.ctlz(x), type=to.type) + more


# Powers by literals


@functions.law("ipowi-zero")
def _(x):
    """Holds at 0 too."""
    return math.ipowi(x, 0), 1


@functions.law("ipowi-one")
def _(x):
    return math.ipowi(x, 1), x


@functions.law("ipowi-two", widths=SIGNED_FOUR)
def _(x):
    return math.ipowi(x, 2), x * x


@functions.law("ipowi-three", widths=SIGNED_FOUR)
def _(x):
    return math.ipowi(x, 3), x * x * x


@functions.law("ipowi-four", widths=SIGNED_FOUR)
def _(x):
    return math.ipowi(x, 4), x * x * (x * x)


@functions.law("ipowi-minus-one")
def _(x):
    """Fails at 0 without its premise: `1 / 0` is no power."""
    assert defined(math.ipowi(x, -1))
    return math.ipowi(x, -1), arith.divsi(1, x)


@functions.law("ipowi-minus-two", widths=SIGNED_FOUR)
def _(x):
    power = math.ipowi(x, -2)
    assert defined(power)
    return power, arith.divsi(1, x) * arith.divsi(1, x)


@functions.law("ipowi-minus-three", widths=SIGNED_FOUR)
def _(x):
    power = math.ipowi(x, -3)
    assert defined(power)
    return power, arith.divsi(1, x) * arith.divsi(1, x) * arith.divsi(1, x)


@functions.law("ipowi-of-one", widths=(2, 4, 8))
def _(x):
    return math.ipowi(1, x), 1
