"""Laws of sign bits, single bits, carries and borrows, and of comparisons without overflow."""

# Bodies are said as in a rule file: their parameters have no types.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from hecv.laws.notation.subject_book import Book
from hecv.laws.notation.type_limits import greatest, least
from hecv.patterns.equations.law_record import WIDE
from hecv.rules import arith, defined

signs = Book("integers", WIDE, modest=True)


# Complements and signs


def _complemented(predicate: str) -> None:
    @signs.law(f"cmpi-{predicate}-complements")
    def _(x, y):
        return arith.cmpi(~x, ~y, predicate=predicate), arith.cmpi(y, x, predicate=predicate)

    @signs.law(f"cmpi-{predicate}-sign-flipped")
    def _(x, y):
        """Signed order is unsigned order with the sign bits flipped."""
        flipped = arith.cmpi(x ^ least(x), y ^ least(y), predicate=predicate)
        return flipped, arith.cmpi(x, y, predicate=OTHER_ORDER[predicate])


OTHER_ORDER = {"slt": "ult", "sle": "ule", "ult": "slt", "ule": "sle"}
for _predicate in OTHER_ORDER:
    _complemented(_predicate)


@signs.law("cmpi-sign-bit-set")
def _(x):
    return arith.cmpi(x & least(x), 0, predicate="ne"), arith.cmpi(x, 0, predicate="slt")


@signs.law("cmpi-sign-bit-clear")
def _(x):
    return arith.cmpi(x & least(x), 0, predicate="eq"), arith.cmpi(x, 0, predicate="sge")


@signs.law("cmpi-sign-bit-is")
def _(x):
    return arith.cmpi(x & least(x), least(x), predicate="eq"), arith.cmpi(x, 0, predicate="slt")


@signs.law("cmpi-sign-bit-shifted")
def _(x):
    top = x.width - 1
    return arith.cmpi(arith.shrui(x, top), 0, predicate="ne"), arith.cmpi(x, 0, predicate="slt")


@signs.law("cmpi-sign-unsigned")
def _(x):
    return arith.cmpi(x, least(x), predicate="uge"), arith.cmpi(x, 0, predicate="slt")


@signs.law("cmpi-sign-unsigned-above")
def _(x):
    return arith.cmpi(x, greatest(x), predicate="ugt"), arith.cmpi(x, 0, predicate="slt")


@signs.law("cmpi-signs-differ")
def _(x, y):
    differ = arith.cmpi(x, 0, predicate="slt") ^ arith.cmpi(y, 0, predicate="slt")
    return arith.cmpi(x ^ y, 0, predicate="slt"), differ


@signs.law("cmpi-either-negative")
def _(x, y):
    return arith.cmpi(x, 0, predicate="slt") | arith.cmpi(y, 0, predicate="slt"), arith.cmpi(x | y, 0, predicate="slt")


@signs.law("cmpi-both-negative")
def _(x, y):
    return arith.cmpi(x, 0, predicate="slt") & arith.cmpi(y, 0, predicate="slt"), arith.cmpi(x & y, 0, predicate="slt")


@signs.law("cmpi-neither-negative")
def _(x, y):
    return arith.cmpi(x, 0, predicate="sge") & arith.cmpi(y, 0, predicate="sge"), arith.cmpi(x | y, 0, predicate="sge")


@signs.law("sign-as-extui")
def _(x):
    return arith.extui(arith.cmpi(x, 0, predicate="slt")), arith.shrui(x, x.width - 1)


@signs.law("sign-as-extsi")
def _(x):
    return arith.extsi(arith.cmpi(x, 0, predicate="slt")), arith.shrsi(x, x.width - 1)


@signs.law("sign-as-select")
def _(x):
    sign = arith.shrsi(x, x.width - 1)
    return arith.select(arith.cmpi(x, 0, predicate="slt"), -1, 0), sign


@signs.law("sign-bit-as-select")
def _(x):
    sign = arith.shrui(x, x.width - 1)
    return arith.select(arith.cmpi(x, 0, predicate="slt"), 1, 0), sign


@signs.law("sign-as-trunci")
def _(x):
    return arith.trunci(arith.shrui(x, x.width - 1)), arith.cmpi(x, 0, predicate="slt")


@signs.law("lowest-bit-as-trunci")
def _(x):
    return arith.cmpi(x & 1, 0, predicate="ne"), arith.trunci(x)


@signs.law("bit-is-set")
def _(x, c):
    """A single bit is not 0 exactly if it is set."""
    one_bit = arith.cmpi(c & c + -1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="ne")
    assert one_bit
    return arith.cmpi(x & c, c, predicate="eq"), arith.cmpi(x & c, 0, predicate="ne")


@signs.law("cmpi-ult-power-of-two")
def _(x, k):
    """No high bit is set; fails at `k >= width`: `1 << k` is 0 then."""
    assert arith.cmpi(k, x.width, predicate="ult")
    return arith.cmpi(arith.shrui(x, k), 0, predicate="eq"), arith.cmpi(x, 1 << k, predicate="ult")


@signs.law("cmpi-ult-high-mask")
def _(x, c):
    low = arith.cmpi(~c & ~c + 1, 0, predicate="eq") & arith.cmpi(c, 0, predicate="ne")
    assert low
    return arith.cmpi(x & c, 0, predicate="eq"), arith.cmpi(x, ~c + 1, predicate="ult")


# Carries and borrows


@signs.law("carry-by-other-operand")
def _(x, y):
    return arith.cmpi(x + y, y, predicate="ult"), arith.cmpi(x + y, x, predicate="ult")


@signs.law("carry-by-complement")
def _(x, y):
    return arith.cmpi(~x, y, predicate="ult"), arith.cmpi(x + y, x, predicate="ult")


@signs.law("borrow-by-difference")
def _(x, y):
    return arith.cmpi(x, x - y, predicate="ult"), arith.cmpi(x, y, predicate="ult")


@signs.law("carry-by-bits")
def _(x, y):
    """The carry out of the highest bit, as gates of signs."""
    carry = x & y | (x | y) & ~(x + y)
    return arith.cmpi(carry, 0, predicate="slt"), arith.cmpi(x + y, x, predicate="ult")


@signs.law("borrow-by-bits")
def _(x, y):
    borrow = ~x & y | (~x | y) & x - y
    return arith.cmpi(borrow, 0, predicate="slt"), arith.cmpi(x, y, predicate="ult")


@signs.law("less-by-overflow")
def _(x, y):
    """Signed order is the sign of the difference, corrected by overflow."""
    overflow = (x ^ y) & (x - y ^ x)
    return arith.cmpi(x - y ^ overflow, 0, predicate="slt"), arith.cmpi(x, y, predicate="slt")


# Under the flags of what is compared

FLAGGED = {"slt": "nsw", "sle": "nsw", "ult": "nuw", "ule": "nuw"}


def _flagged(predicate: str) -> None:
    flag = FLAGGED[predicate]

    @signs.law(f"cmpi-{predicate}-common-term")
    def _(x, y, z):
        assert defined(arith.addi(x, z, overflow=flag))
        assert defined(arith.addi(y, z, overflow=flag))
        return arith.cmpi(x + z, y + z, predicate=predicate), arith.cmpi(x, y, predicate=predicate)

    @signs.law(f"cmpi-{predicate}-common-subtrahend")
    def _(x, y, z):
        assert defined(arith.subi(x, z, overflow=flag))
        assert defined(arith.subi(y, z, overflow=flag))
        return arith.cmpi(x - z, y - z, predicate=predicate), arith.cmpi(x, y, predicate=predicate)

    @signs.law(f"cmpi-{predicate}-offsets")
    def _(x, c, d):
        """The offset moves to the other literal, where that does not wrap."""
        rest = arith.subui_extended(d, c)[1]
        fits = rest ^ True if flag == "nuw" else no_signed_borrow(d, c)
        assert fits
        assert defined(arith.addi(x, c, overflow=flag))
        return arith.cmpi(x + c, d, predicate=predicate), arith.cmpi(x, d - c, predicate=predicate)

    @signs.law(f"cmpi-{predicate}-sum-self")
    def _(x, y):
        assert defined(arith.addi(x, y, overflow=flag))
        return arith.cmpi(x, x + y, predicate=predicate), arith.cmpi(0, y, predicate=predicate)


def no_signed_borrow(x, y):
    """`x - y` does not overflow, signed."""
    return arith.cmpi((x ^ y) & ((x - y) ^ x), 0, predicate="sge")


for _predicate in FLAGGED:
    _flagged(_predicate)


@signs.law("cmpi-slt-difference-zero")
def _(x, y):
    """The sign of a difference that does not overflow."""
    assert defined(arith.subi(x, y, overflow="nsw"))
    return arith.cmpi(x - y, 0, predicate="slt"), arith.cmpi(x, y, predicate="slt")


@signs.law("cmpi-sle-difference-zero")
def _(x, y):
    assert defined(arith.subi(x, y, overflow="nsw"))
    return arith.cmpi(x - y, 0, predicate="sle"), arith.cmpi(x, y, predicate="sle")


@signs.law("cmpi-slt-common-factor", integral="signed")
def _(x, y, c):
    assert arith.cmpi(c, 0, predicate="sgt")
    assert defined(arith.muli(x, c, overflow="nsw"))
    assert defined(arith.muli(y, c, overflow="nsw"))
    return arith.cmpi(x * c, y * c, predicate="slt"), arith.cmpi(x, y, predicate="slt")


@signs.law("cmpi-ult-common-factor", integral="unsigned")
def _(x, y, c):
    assert arith.cmpi(c, 0, predicate="ne")
    assert defined(arith.muli(x, c, overflow="nuw"))
    assert defined(arith.muli(y, c, overflow="nuw"))
    return arith.cmpi(x * c, y * c, predicate="ult"), arith.cmpi(x, y, predicate="ult")


@signs.law("cmpi-eq-common-factor", integral="signed")
def _(x, y, c):
    assert arith.cmpi(c, 0, predicate="ne")
    assert defined(arith.muli(x, c, overflow="nsw"))
    assert defined(arith.muli(y, c, overflow="nsw"))
    return arith.cmpi(x * c, y * c, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@signs.law("cmpi-eq-common-factor-unsigned", integral="unsigned")
def _(x, y, c):
    assert arith.cmpi(c, 0, predicate="ne")
    assert defined(arith.muli(x, c, overflow="nuw"))
    assert defined(arith.muli(y, c, overflow="nuw"))
    return arith.cmpi(x * c, y * c, predicate="eq"), arith.cmpi(x, y, predicate="eq")
