"""Laws of comparisons of integers."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.laws.notation.type_limits import greatest, least
from hecv.patterns.equations.law_record import WIDE, WIDTHS
from hecv.rules import arith

comparisons = Book("integers", WIDE)

SWAPPED = {
    "eq": "eq",
    "ne": "ne",
    "slt": "sgt",
    "sle": "sge",
    "sgt": "slt",
    "sge": "sle",
    "ult": "ugt",
    "ule": "uge",
    "ugt": "ult",
    "uge": "ule",
}
NEGATED = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sle": "sgt",
    "sgt": "sle",
    "sge": "slt",
    "ult": "uge",
    "ule": "ugt",
    "ugt": "ule",
    "uge": "ult",
}
REFLEXIVE = ("eq", "sle", "sge", "ule", "uge")


def _swap(predicate: str) -> None:
    @comparisons.law(f"cmpi-{predicate}-swapped")
    def _(x, y):
        return arith.cmpi(x, y, predicate=predicate), arith.cmpi(y, x, predicate=SWAPPED[predicate])


def _negate(predicate: str) -> None:
    @comparisons.law(f"cmpi-{predicate}-negated", both=True)
    def _(x, y):
        return arith.cmpi(x, y, predicate=predicate) ^ True, arith.cmpi(x, y, predicate=NEGATED[predicate])


def _reflect(predicate: str) -> None:
    @comparisons.law(f"cmpi-{predicate}-self")
    def _(x):
        return arith.cmpi(x, x, predicate=predicate), predicate in REFLEXIVE


for _predicate in SWAPPED:
    _swap(_predicate)
    _negate(_predicate)
    _reflect(_predicate)


@comparisons.law("cmpi-ult-one")
def _(x):
    return arith.cmpi(x, 1, predicate="ult"), arith.cmpi(x, 0, predicate="eq")


@comparisons.law("cmpi-ult-zero")
def _(x):
    return arith.cmpi(x, 0, predicate="ult"), False


@comparisons.law("cmpi-ule-zero")
def _(x):
    return arith.cmpi(x, 0, predicate="ule"), arith.cmpi(x, 0, predicate="eq")


@comparisons.law("cmpi-ult-ones")
def _(x):
    return arith.cmpi(x, -1, predicate="ult"), arith.cmpi(x, -1, predicate="ne")


@comparisons.law("cmpi-ule-ones")
def _(x):
    return arith.cmpi(x, -1, predicate="ule"), True


@comparisons.law("cmpi-slt-least")
def _(x):
    return arith.cmpi(x, least(x), predicate="slt"), False


@comparisons.law("cmpi-sle-greatest")
def _(x):
    return arith.cmpi(x, greatest(x), predicate="sle"), True


@comparisons.law("cmpi-slt-greatest")
def _(x):
    return arith.cmpi(x, greatest(x), predicate="slt"), arith.cmpi(x, greatest(x), predicate="ne")


@comparisons.law("cmpi-sle-least")
def _(x):
    return arith.cmpi(x, least(x), predicate="sle"), arith.cmpi(x, least(x), predicate="eq")


@comparisons.law("cmpi-sle-literal")
def _(x, c):
    assert arith.cmpi(c, greatest(x), predicate="ne")
    return arith.cmpi(x, c, predicate="sle"), arith.cmpi(x, c + 1, predicate="slt")


@comparisons.law("cmpi-ule-literal")
def _(x, c):
    assert arith.cmpi(c, -1, predicate="ne")
    return arith.cmpi(x, c, predicate="ule"), arith.cmpi(x, c + 1, predicate="ult")


@comparisons.law("cmpi-eq-difference")
def _(x, y):
    return arith.cmpi(x - y, 0, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-xori")
def _(x, y):
    return arith.cmpi(x ^ y, 0, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-common-term")
def _(x, y, z):
    return arith.cmpi(x + z, y + z, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-offset")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.cmpi(x + c, d, predicate="eq"), arith.cmpi(x, d - c, predicate="eq")


@comparisons.law("cmpi-ne-offset")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.cmpi(x + c, d, predicate="ne"), arith.cmpi(x, d - c, predicate="ne")


@comparisons.law("cmpi-slt-or-eq")
def _(x, y):
    return arith.cmpi(x, y, predicate="slt") | arith.cmpi(x, y, predicate="eq"), arith.cmpi(x, y, predicate="sle")


@comparisons.law("cmpi-ult-or-eq")
def _(x, y):
    return arith.cmpi(x, y, predicate="ult") | arith.cmpi(x, y, predicate="eq"), arith.cmpi(x, y, predicate="ule")


@comparisons.law("cmpi-sle-and-ne")
def _(x, y):
    return arith.cmpi(x, y, predicate="sle") & arith.cmpi(x, y, predicate="ne"), arith.cmpi(x, y, predicate="slt")


@comparisons.law("cmpi-ule-and-ne")
def _(x, y):
    return arith.cmpi(x, y, predicate="ule") & arith.cmpi(x, y, predicate="ne"), arith.cmpi(x, y, predicate="ult")


@comparisons.law("cmpi-sle-both-ways")
def _(x, y):
    return arith.cmpi(x, y, predicate="sle") & arith.cmpi(y, x, predicate="sle"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("addui-extended-carry")
def _(x, y):
    return arith.addui_extended(x, y)[1], arith.cmpi(x + y, x, predicate="ult")


# Comparisons of extensions

UNSIGNED = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}


def _extended(predicate: str) -> None:
    narrow_predicate = UNSIGNED.get(predicate, predicate)

    @comparisons.law(f"cmpi-{predicate}-extui", modest=True)
    def _(x, y):
        return arith.cmpi(arith.extui(x), arith.extui(y), predicate=predicate), arith.cmpi(
            x, y, predicate=narrow_predicate
        )

    @comparisons.law(f"cmpi-{predicate}-extsi", modest=True)
    def _(x, y):
        return arith.cmpi(arith.extsi(x), arith.extsi(y), predicate=predicate), arith.cmpi(x, y, predicate=predicate)

    @comparisons.law(f"cmpi-{predicate}-extui-literal", widths=WIDTHS, modest=True)
    def _(c, x):
        """Where the literal is the extension of a narrow one."""
        small = arith.trunci(c, type=x.type)
        fits = arith.cmpi(arith.extui(small, type=c.type), c, predicate="eq")
        assert fits
        return arith.cmpi(arith.extui(x), c, predicate=predicate), arith.cmpi(x, small, predicate=narrow_predicate)

    @comparisons.law(f"cmpi-{predicate}-extsi-literal", widths=WIDTHS, modest=True)
    def _(c, x):
        small = arith.trunci(c, type=x.type)
        fits = arith.cmpi(arith.extsi(small, type=c.type), c, predicate="eq")
        assert fits
        return arith.cmpi(arith.extsi(x), c, predicate=predicate), arith.cmpi(x, small, predicate=predicate)


for _predicate in SWAPPED:
    _extended(_predicate)


@comparisons.law("cmpi-ult-extui-beyond", widths=WIDTHS, modest=True)
def _(c, x):
    """An extended value is less than any value outside the narrow type's range."""
    most = (1 << x.width) - 1
    assert arith.cmpi(c, most, predicate="ugt")
    return arith.cmpi(arith.extui(x), c, predicate="ult"), True


@comparisons.law("cmpi-slt-extui-beyond", widths=WIDTHS, modest=True)
def _(c, x):
    most = (1 << x.width) - 1
    assert arith.cmpi(c, most, predicate="sgt")
    return arith.cmpi(arith.extui(x), c, predicate="slt"), True


@comparisons.law("cmpi-eq-extui-beyond", widths=WIDTHS, modest=True)
def _(c, x):
    most = (1 << x.width) - 1
    assert arith.cmpi(c, most, predicate="ugt")
    return arith.cmpi(arith.extui(x), c, predicate="eq"), False


@comparisons.law("cmpi-sge-extui-zero", widths=WIDTHS, modest=True)
def _(c, x):
    """An extension is not negative."""
    assert arith.cmpi(c, 0, predicate="sle")
    return arith.cmpi(arith.extui(x), c, predicate="slt"), False


# Comparisons with literals, one off


@comparisons.law("cmpi-sge-literal", modest=True)
def _(x, c):
    assert arith.cmpi(c, least(x), predicate="ne")
    return arith.cmpi(x, c, predicate="sge"), arith.cmpi(x, c + -1, predicate="sgt")


@comparisons.law("cmpi-uge-literal", modest=True)
def _(x, c):
    assert arith.cmpi(c, 0, predicate="ne")
    return arith.cmpi(x, c, predicate="uge"), arith.cmpi(x, c + -1, predicate="ugt")


@comparisons.law("cmpi-ugt-zero", modest=True)
def _(x):
    return arith.cmpi(x, 0, predicate="ugt"), arith.cmpi(x, 0, predicate="ne")


# Equality


@comparisons.law("cmpi-ne-difference", modest=True)
def _(x, y):
    return arith.cmpi(x - y, 0, predicate="ne"), arith.cmpi(x, y, predicate="ne")


@comparisons.law("cmpi-ne-xori", modest=True)
def _(x, y):
    return arith.cmpi(x ^ y, 0, predicate="ne"), arith.cmpi(x, y, predicate="ne")


@comparisons.law("cmpi-ne-common-term", modest=True)
def _(x, y, z):
    return arith.cmpi(x + z, y + z, predicate="ne"), arith.cmpi(x, y, predicate="ne")


@comparisons.law("cmpi-eq-common-subtrahend", modest=True)
def _(x, y, z):
    return arith.cmpi(x - z, y - z, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-common-minuend", modest=True)
def _(x, y, z):
    return arith.cmpi(z - x, z - y, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-common-xori", modest=True)
def _(x, y, z):
    return arith.cmpi(x ^ z, y ^ z, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-sum-self", modest=True)
def _(x, y):
    return arith.cmpi(x + y, x, predicate="eq"), arith.cmpi(y, 0, predicate="eq")


@comparisons.law("cmpi-eq-xori-self", modest=True)
def _(x, y):
    return arith.cmpi(x ^ y, x, predicate="eq"), arith.cmpi(y, 0, predicate="eq")


@comparisons.law("cmpi-eq-xori-literal", modest=True)
def _(x, c, d):
    assert c.literal and d.literal
    return arith.cmpi(x ^ c, d, predicate="eq"), arith.cmpi(x, c ^ d, predicate="eq")


@comparisons.law("cmpi-eq-literal-minus", modest=True)
def _(x, c, d):
    assert c.literal and d.literal
    return arith.cmpi(c - x, d, predicate="eq"), arith.cmpi(x, c - d, predicate="eq")


@comparisons.law("cmpi-eq-negations", modest=True)
def _(x, y):
    return arith.cmpi(-x, -y, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-odd-multiples", widths=(2, 4, 8), modest=True)
def _(x, y, c):
    """An odd factor has an inverse; fails at 2: `2 * 128` is `2 * 0` at width 8."""
    assert arith.cmpi(c & 1, 1, predicate="eq")
    return arith.cmpi(x * c, y * c, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@comparisons.law("cmpi-eq-ori-zero", modest=True)
def _(x, y):
    both = arith.cmpi(x, 0, predicate="eq") & arith.cmpi(y, 0, predicate="eq")
    return both, arith.cmpi(x | y, 0, predicate="eq")


@comparisons.law("cmpi-ne-ori-zero", modest=True)
def _(x, y):
    either = arith.cmpi(x, 0, predicate="ne") | arith.cmpi(y, 0, predicate="ne")
    return either, arith.cmpi(x | y, 0, predicate="ne")


@comparisons.law("cmpi-eq-andi-ones", modest=True)
def _(x, y):
    both = arith.cmpi(x, -1, predicate="eq") & arith.cmpi(y, -1, predicate="eq")
    return both, arith.cmpi(x & y, -1, predicate="eq")


@comparisons.law("cmpi-eq-pairs", modest=True)
def _(x, y, z):
    """Two equalities as one comparison with 0."""
    return arith.cmpi(x ^ y | x ^ z, 0, predicate="eq"), arith.cmpi(x, y, predicate="eq") & arith.cmpi(
        x, z, predicate="eq"
    )
