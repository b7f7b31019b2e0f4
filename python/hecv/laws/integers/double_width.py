"""Laws of sums and products in twice the width: carries, borrows and high halves."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, math

wide = Book("integers", WIDE, modest=True)

BLASTED = (2, 4)
"""The widths at which Z3 relates products in twice the width."""


def carry(x, y):
    """The overflow of `arith.addui_extended`."""
    return arith.addui_extended(x, y)[1]


@wide.law("addui-extended-commutes")
def _(x, y):
    return carry(x, y), carry(y, x)


@wide.law("addui-extended-carry-zero")
def _(x):
    return carry(x, 0), False


@wide.law("addui-extended-carry-one")
def _(x):
    """Only the greatest value carries."""
    return carry(x, 1), arith.cmpi(x + 1, 0, predicate="eq")


@wide.law("addui-extended-carry-complement")
def _(x):
    return carry(x, ~x), False


@wide.law("carry-as-wide-sum")
def _(x, y):
    """The bit above the word of a sum in twice the width."""
    total = arith.extui(x) + arith.extui(y)
    high = arith.trunci(arith.shrui(total, x.width))
    assert total.width == 2 * x.width and high.type == x.type
    return high, arith.extui(arith.cmpi(x + y, x, predicate="ult"))


@wide.law("wide-sum-by-carry", expands=True)
def _(x, y):
    """A sum in a wider type, by words."""
    low = arith.extui(x + y)
    high = arith.extui(arith.cmpi(x + y, x, predicate="ult")) << x.width
    return high + low, arith.extui(x, type=low.type) + arith.extui(y, type=low.type)


@wide.law("subui-extended-difference")
def _(x, y):
    return arith.subui_extended(x, y)[0], x - y


@wide.law("subui-extended-borrow")
def _(x, y):
    return arith.subui_extended(x, y)[1], arith.cmpi(x, y, predicate="ult")


@wide.law("mulsi-extended-commutes")
def _(x, y):
    return arith.mulsi_extended(x, y)[1], arith.mulsi_extended(y, x)[1]


@wide.law("mului-extended-commutes")
def _(x, y):
    return arith.mului_extended(x, y)[1], arith.mului_extended(y, x)[1]


@wide.law("mulsi-extended-high-zero")
def _(x):
    return arith.mulsi_extended(x, 0)[1], 0


@wide.law("mului-extended-high-zero")
def _(x):
    return arith.mului_extended(x, 0)[1], 0


@wide.law("mulsi-extended-high-one")
def _(x):
    """The high half is the sign. Cites: canonicalize, MulSIExtendedRHSOne."""
    return arith.mulsi_extended(x, 1)[1], arith.shrsi(x, x.width - 1)


@wide.law("mului-extended-high-one")
def _(x):
    return arith.mului_extended(x, 1)[1], 0


@wide.law("mului-extended-high-power-of-two", widths=(2, 4, 8, 16, 32))
def _(x, c):
    power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 1, predicate="ugt")
    assert power
    return arith.mului_extended(x, c)[1], arith.shrui(x, x.width - math.cttz(c))


@wide.law("mulsi-extended-high-power-of-two", widths=(4, 8, 16, 32))
def _(x, c):
    power = arith.cmpi(c & c - 1, 0, predicate="eq") & arith.cmpi(c, 1, predicate="sgt")
    assert power
    return arith.mulsi_extended(x, c)[1], arith.shrsi(x, x.width - math.cttz(c))


@wide.law("mulsi-extended-by-mului", widths=BLASTED, expands=True)
def _(x, y):
    """The signed high half, from the unsigned one."""
    top = x.width - 1
    signs = (arith.shrsi(x, top) & y) + (arith.shrsi(y, top) & x)
    return arith.mului_extended(x, y)[1] - signs, arith.mulsi_extended(x, y)[1]


@wide.law("mulsi-extended-as-wide-product")
def _(x, y):
    """Cites: canonicalize, TruncIShrUIMulIToMulSIExtended."""
    product = arith.extsi(x) * arith.extsi(y)
    assert product.width == 2 * x.width
    return arith.trunci(arith.shrui(product, x.width)), arith.mulsi_extended(x, y)[1]


@wide.law("mulsi-extended-as-wide-product-signed")
def _(x, y):
    product = arith.extsi(x) * arith.extsi(y)
    assert product.width == 2 * x.width
    return arith.trunci(arith.shrsi(product, x.width)), arith.mulsi_extended(x, y)[1]


@wide.law("mului-extended-as-wide-product")
def _(x, y):
    """Cites: canonicalize, TruncIShrUIMulIToMulUIExtended."""
    product = arith.extui(x) * arith.extui(y)
    assert product.width == 2 * x.width
    return arith.trunci(arith.shrui(product, x.width)), arith.mului_extended(x, y)[1]


@wide.law("average-in-wide-type")
def _(x, y):
    """The average that cannot overflow."""
    total = arith.extui(x) + arith.extui(y)
    return arith.trunci(arith.shrui(total, 1)), (x & y) + arith.shrui(x ^ y, 1)


@wide.law("average-in-wide-type-signed")
def _(x, y):
    total = arith.extsi(x) + arith.extsi(y)
    return arith.trunci(arith.shrsi(total, 1)), (x & y) + arith.shrsi(x ^ y, 1)


@wide.law("saturated-sum-unsigned")
def _(x, y):
    """By the carry, and by a minimum with what is left."""
    top = -1
    return arith.select(arith.cmpi(x + y, x, predicate="ult"), top, x + y), x + arith.minui(y, ~x)


@wide.law("saturated-difference-unsigned")
def _(x, y):
    return arith.select(arith.cmpi(y, x, predicate="ult"), x - y, 0), arith.maxui(x, y) - y


@wide.law("saturated-difference-by-minimum")
def _(x, y):
    return x - arith.minui(x, y), arith.maxui(x, y) - y
