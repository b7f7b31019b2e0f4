"""Laws of quotients and remainders. Division by 0 has the value of SMT-LIB: `x / 0` unsigned is all ones."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined

divisions = Book("integers", WIDE)


@divisions.law("divui-one", integral="unsigned")
def _(x):
    return arith.divui(x, 1), x


@divisions.law("divsi-one", integral="signed")
def _(x):
    return arith.divsi(x, 1), x


@divisions.law("divsi-minus-one", integral="signed")
def _(x):
    return arith.divsi(x, -1), -x


@divisions.law("remui-one", integral="unsigned")
def _(x):
    return arith.remui(x, 1), 0


@divisions.law("remsi-one", integral="signed")
def _(x):
    return arith.remsi(x, 1), 0


@divisions.law("remsi-minus-one", integral="signed")
def _(x):
    return arith.remsi(x, -1), 0


@divisions.law("remui-self", integral="unsigned")
def _(x):
    return arith.remui(x, x), 0


@divisions.law("remsi-self", integral="signed")
def _(x):
    return arith.remsi(x, x), 0


@divisions.law("remui-of-zero", integral="unsigned")
def _(x):
    return arith.remui(0, x), 0


@divisions.law("remsi-of-zero", integral="signed")
def _(x):
    return arith.remsi(0, x), 0


@divisions.law("ceildivui-one", integral="unsigned")
def _(x):
    return arith.ceildivui(x, 1), x


@divisions.law("ceildivsi-one", integral="signed")
def _(x):
    return arith.ceildivsi(x, 1), x


@divisions.law("floordivsi-one", integral="signed")
def _(x):
    return arith.floordivsi(x, 1), x


@divisions.law("remui-as-difference", both=True, integral="unsigned")
def _(x, y):
    return x - arith.divui(x, y) * y, arith.remui(x, y)


@divisions.law("remsi-as-difference", both=True, integral="signed")
def _(x, y):
    return x - arith.divsi(x, y) * y, arith.remsi(x, y)


@divisions.law("divui-self", integral="unsigned")
def _(x):
    assert defined(arith.divui(x, x))
    return arith.divui(x, x), 1


@divisions.law("divsi-self", integral="signed")
def _(x):
    assert defined(arith.divsi(x, x))
    return arith.divsi(x, x), 1


@divisions.law("divui-of-zero", integral="unsigned")
def _(x):
    assert defined(arith.divui(0, x))
    return arith.divui(0, x), 0


@divisions.law("divsi-of-zero", integral="signed")
def _(x):
    assert defined(arith.divsi(0, x))
    return arith.divsi(0, x), 0


@divisions.law("divui-of-product", integral="unsigned")
def _(x, y):
    """Fails where the product wraps: `(2 * 128) / 128` is 0 at width 8."""
    product = arith.muli(x, y, overflow="nuw")
    assert defined(product)
    assert defined(arith.divui(x * y, y))
    return arith.divui(x * y, y), x


@divisions.law("divsi-of-product", integral="signed")
def _(x, y):
    product = arith.muli(x, y, overflow="nsw")
    assert defined(product)
    assert defined(arith.divsi(x * y, y))
    return arith.divsi(x * y, y), x


@divisions.law("divui-exact", integral="unsigned")
def _(x, y):
    assert defined(arith.divui(x, y, exact=True))
    return arith.divui(x, y) * y, x


@divisions.law("divsi-exact", integral="signed")
def _(x, y):
    assert defined(arith.divsi(x, y, exact=True))
    return arith.divsi(x, y) * y, x


@divisions.law("ceildivui-expansion", integral="unsigned")
def _(x, y):
    """Cites: arith-expand."""
    rest = arith.divui(x - 1, y) + 1
    assert defined(arith.ceildivui(x, y))
    return arith.ceildivui(x, y), arith.select(arith.cmpi(x, 0, predicate="eq"), 0, rest)


@divisions.law("ceildivsi-expansion", integral="signed")
def _(x, y):
    """Cites: arith-expand."""
    quotient = arith.divsi(x, y)
    same_signs = arith.cmpi(arith.cmpi(x, 0, predicate="slt"), arith.cmpi(y, 0, predicate="slt"), predicate="eq")
    up = arith.cmpi(x, quotient * y, predicate="ne") & same_signs
    return arith.ceildivsi(x, y), arith.select(up, quotient + 1, quotient)


@divisions.law("floordivsi-expansion", integral="signed")
def _(x, y):
    """Cites: arith-expand."""
    quotient = arith.divsi(x, y)
    signs_differ = arith.cmpi(arith.cmpi(x, 0, predicate="slt"), arith.cmpi(y, 0, predicate="slt"), predicate="ne")
    down = arith.cmpi(x, quotient * y, predicate="ne") & signs_differ
    return arith.floordivsi(x, y), arith.select(down, quotient + -1, quotient)


@divisions.law("divui-divui", integral="unsigned")
def _(x, c, d):
    """Two divisions are one by the product of the divisors, if that does not wrap."""
    fits = (
        arith.cmpi(c, 0, predicate="ne")
        & arith.cmpi(d, 0, predicate="ne")
        & arith.cmpi(c, arith.divui(-1, d), predicate="ule")
    )
    assert fits
    return arith.divui(arith.divui(x, c), d), arith.divui(x, c * d)


@divisions.law("remui-of-product", integral="unsigned")
def _(x, y):
    product = arith.muli(x, y, overflow="nuw")
    assert defined(product)
    return arith.remui(x * y, y), 0


@divisions.law("remsi-of-product", integral="signed")
def _(x, y):
    product = arith.muli(x, y, overflow="nsw")
    assert defined(product)
    return arith.remsi(x * y, y), 0


@divisions.law("divui-remui-sum", integral="unsigned")
def _(x, y):
    return arith.divui(x, y) * y + arith.remui(x, y), x


@divisions.law("divsi-remsi-sum", integral="signed")
def _(x, y):
    return arith.divsi(x, y) * y + arith.remsi(x, y), x


@divisions.law("remui-remui", integral="unsigned")
def _(x, y):
    return arith.remui(arith.remui(x, y), y), arith.remui(x, y)


@divisions.law("remsi-remsi", integral="signed")
def _(x, y):
    return arith.remsi(arith.remsi(x, y), y), arith.remsi(x, y)


@divisions.law("ceildivui-as-floor", integral="unsigned", modest=True)
def _(x, y):
    """`floor((x - 1) / y) + 1`; fails at 0."""
    up = arith.divui(x - 1, y) + 1
    assert defined(arith.divui(x, y))
    return arith.select(arith.cmpi(x, 0, predicate="eq"), 0, up), arith.ceildivui(x, y)


@divisions.law("ceildivui-by-sum", integral="unsigned", modest=True)
def _(x, y):
    """Fails where the sum wraps: `(255 + 1) / 2` is 0 at width 8."""
    total = arith.addi(x, y - 1, overflow="nuw")
    assert defined(arith.divui(x, y))
    assert defined(total)
    return arith.divui(x + (y - 1), y), arith.ceildivui(x, y)


@divisions.law("ceildivui-of-product", integral="unsigned", modest=True)
def _(x, y):
    product = arith.muli(x, y, overflow="nuw")
    assert defined(product)
    assert defined(arith.ceildivui(x * y, y))
    return arith.ceildivui(x * y, y), x


@divisions.law("floordivsi-of-product", integral="signed", modest=True)
def _(x, y):
    product = arith.muli(x, y, overflow="nsw")
    assert defined(product)
    assert defined(arith.floordivsi(x * y, y))
    return arith.floordivsi(x * y, y), x


@divisions.law("ceildivsi-of-product", integral="signed", modest=True)
def _(x, y):
    product = arith.muli(x, y, overflow="nsw")
    assert defined(product)
    assert defined(arith.ceildivsi(x * y, y))
    return arith.ceildivsi(x * y, y), x


@divisions.law("ceildivui-self", integral="unsigned", modest=True)
def _(x):
    assert defined(arith.ceildivui(x, x))
    return arith.ceildivui(x, x), 1


@divisions.law("floordivsi-self", integral="signed", modest=True)
def _(x):
    assert defined(arith.floordivsi(x, x))
    return arith.floordivsi(x, x), 1


@divisions.law("ceildivsi-self", integral="signed", modest=True)
def _(x):
    assert defined(arith.ceildivsi(x, x))
    return arith.ceildivsi(x, x), 1


@divisions.law("floordivsi-of-zero", integral="signed", modest=True)
def _(x):
    assert defined(arith.floordivsi(0, x))
    return arith.floordivsi(0, x), 0


@divisions.law("ceildivsi-of-zero", integral="signed", modest=True)
def _(x):
    assert defined(arith.ceildivsi(0, x))
    return arith.ceildivsi(0, x), 0


@divisions.law("ceildivui-of-zero", integral="unsigned", modest=True)
def _(x):
    assert defined(arith.ceildivui(0, x))
    return arith.ceildivui(0, x), 0


@divisions.law("divsi-of-product-of-literals", integral="signed", modest=True)
def _(x, c, d):
    """Holds if the divisor divides the factor; fails where the product wraps."""
    whole = (
        arith.cmpi(d, 0, predicate="ne")
        & arith.cmpi(d, -1, predicate="ne")
        & arith.cmpi(arith.remsi(c, d), 0, predicate="eq")
    )
    product = arith.muli(x, c, overflow="nsw")
    assert whole
    assert defined(product)
    return arith.divsi(x * c, d), x * arith.divsi(c, d)


@divisions.law("divui-of-product-of-literals", integral="unsigned", modest=True)
def _(x, c, d):
    whole = arith.cmpi(d, 0, predicate="ne") & arith.cmpi(arith.remui(c, d), 0, predicate="eq")
    product = arith.muli(x, c, overflow="nuw")
    assert whole
    assert defined(product)
    return arith.divui(x * c, d), x * arith.divui(c, d)


@divisions.law("divui-of-sum", integral="unsigned", modest=True)
def _(x, y, z):
    """A multiple of the divisor moves out of the quotient; fails where something wraps."""
    product = arith.muli(y, z, overflow="nuw")
    total = arith.addi(x, y * z, overflow="nuw")
    assert defined(product)
    assert defined(total)
    assert defined(arith.divui(x, z))
    return arith.divui(x + y * z, z), arith.divui(x, z) + y


@divisions.law("remui-of-sum", integral="unsigned", modest=True)
def _(x, y, z):
    product = arith.muli(y, z, overflow="nuw")
    total = arith.addi(x, y * z, overflow="nuw")
    assert defined(product)
    assert defined(total)
    assert defined(arith.remui(x, z))
    return arith.remui(x + y * z, z), arith.remui(x, z)


@divisions.law("floordivsi-of-sum", integral="signed", modest=True)
def _(x, y, z):
    product = arith.muli(y, z, overflow="nsw")
    total = arith.addi(x, y * z, overflow="nsw")
    assert defined(product)
    assert defined(total)
    assert defined(arith.floordivsi(x, z))
    return arith.floordivsi(x + y * z, z), arith.floordivsi(x, z) + y
