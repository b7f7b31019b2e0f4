"""Laws that look right and are not, each with a counterexample found by the audit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hecv.base.types import FloatType
from hecv.laws.audit.integer_proofs import proved_over_integers
from hecv.laws.audit.law_audit import audit
from hecv.laws.notation.subject_book import Book, Function
from hecv.patterns.equations.equations import BIT, Kind
from hecv.patterns.equations.law_record import Law, integer
from hecv.rules import arith, defined, math

broken = Book("any")
F32 = Kind(FloatType("f32"), 0)
F16 = Kind(FloatType("f16"), 0)
I8 = integer(8)
I16 = integer(16)

AT: dict[str, Kind] = {}


def at(kind: Kind, name: str) -> Callable[[Function], Function]:
    """Declares a broken law, to be refuted at `kind`."""
    AT[name] = kind
    return broken.law(name)


@at(I8, "divui-self-without-premise")
def _(x):
    return arith.divui(x, x), 1


@at(I8, "distance-of-a-wrapped-difference")
def _(x, y):
    return math.absi(x - y), arith.maxsi(x, y) - arith.minsi(x, y)


@at(I8, "halving-a-double")
def _(x):
    return arith.divui(x * 2, 2), x


@at(I8, "shrui-as-divui-without-bound")
def _(x, k):
    assert k.literal
    return arith.shrui(x, k), arith.divui(x, 1 << k)


@at(I8, "shrsi-as-divsi")
def _(x):
    return arith.shrsi(x, 1), arith.divsi(x, 2)


@at(I8, "remsi-as-andi")
def _(x):
    return arith.remsi(x, 8), x & 7


@at(I8, "remui-of-any-divisor-as-andi")
def _(x, c):
    assert c.literal
    return arith.remui(x, c), x & c - 1


@at(I8, "shli-shli-without-bound")
def _(x, j, k):
    assert j.literal and k.literal
    return x << j << k, x << j + k


@at(I8, "cmpi-slt-difference")
def _(x, y):
    return arith.cmpi(x - y, 0, predicate="slt"), arith.cmpi(x, y, predicate="slt")


@at(I8, "cmpi-slt-common-term")
def _(x, y, z):
    return arith.cmpi(x + z, y + z, predicate="slt"), arith.cmpi(x, y, predicate="slt")


@at(I8, "cmpi-sle-literal-without-bound")
def _(x, c):
    assert c.literal
    return arith.cmpi(x, c, predicate="sle"), arith.cmpi(x, c + 1, predicate="slt")


@at(I8, "divsi-negations")
def _(x, y):
    assert defined(arith.divsi(-x, -y))
    assert defined(arith.divsi(x, y))
    return arith.divsi(-x, -y), arith.divsi(x, y)


@at(I8, "divsi-of-product-without-overflow-flag")
def _(x, y):
    assert defined(arith.divsi(x * y, y))
    return arith.divsi(x * y, y), x


@at(I8, "divui-of-product-with-signed-flag")
def _(x, y):
    product = arith.muli(x, y, overflow="nsw")
    assert defined(product)
    assert defined(arith.divui(x * y, y))
    return arith.divui(x * y, y), x


@at(I8, "divui-divui-wrapping")
def _(x, c, d):
    assert arith.cmpi(c, 0, predicate="ne") & arith.cmpi(d, 0, predicate="ne")
    return arith.divui(arith.divui(x, c), d), arith.divui(x, c * d)


@at(I8, "ceildivui-by-adding-the-divisor")
def _(x, y):
    assert defined(arith.ceildivui(x, y))
    return arith.ceildivui(x, y), arith.divui(x + (y - 1), y)


@at(I8, "floordivsi-as-divsi")
def _(x, y):
    assert defined(arith.divsi(x, y))
    return arith.floordivsi(x, y), arith.divsi(x, y)


@at(I8, "extsi-of-addi")
def _(x, y):
    return arith.extsi(x + y, type="i16"), arith.extsi(x, type="i16") + arith.extsi(y, type="i16")


@at(I16, "extui-of-trunci")
def _(x):
    return arith.extui(arith.trunci(x, type="i8"), type="i16"), x


@at(I16, "trunci-of-divui")
def _(x, y):
    return arith.trunci(arith.divui(x, y), type="i8"), arith.divui(
        arith.trunci(x, type="i8"), arith.trunci(y, type="i8")
    )


@at(BIT, "addi-of-bits-as-ori")
def _(p, q):
    return p + q, p | q


@at(BIT, "cmpi-slt-bits-as-unsigned")
def _(p, q):
    return arith.cmpi(p, q, predicate="slt"), arith.cmpi(p, q, predicate="ult")


@at(I8, "select-of-andi-swapped")
def _(p, q, x, y):
    return arith.select(p & q, x, y), arith.select(p, x, arith.select(q, x, y))


@at(F32, "addf-zero")
def _(x):
    return arith.addf(x, 0.0), x


@at(F32, "subf-self")
def _(x):
    return arith.subf(x, x), 0.0


@at(F16, "addf-associates")
def _(x, y, z):
    return arith.addf(arith.addf(x, y), z), arith.addf(x, arith.addf(y, z))


@at(F16, "mulf-distributes")
def _(x, y, z):
    return arith.mulf(x, arith.addf(y, z)), arith.addf(arith.mulf(x, y), arith.mulf(x, z))


@at(F32, "addf-negations")
def _(x, y):
    return arith.addf(arith.negf(x), arith.negf(y)), arith.negf(arith.addf(x, y))


@at(F32, "subf-from-zero")
def _(x):
    return arith.subf(0.0, x), arith.negf(x)


@at(F16, "divf-as-mulf-of-third")
def _(x):
    return arith.divf(x, 3.0), arith.mulf(x, arith.divf(1.0, 3.0))


@at(F32, "cmpf-olt-negated-ordered")
def _(x, y):
    return arith.cmpf(x, y, predicate="olt") ^ True, arith.cmpf(x, y, predicate="oge")


@at(F32, "maximumf-as-select")
def _(x, y):
    """What arith-expand makes; fails at +0 and -0."""
    greater = arith.select(arith.cmpf(x, y, predicate="ugt"), x, y)
    return arith.maximumf(x, y), arith.select(arith.cmpf(y, y, predicate="uno"), y, greater)


@at(F32, "truncf-then-extf")
def _(x):
    half = arith.truncf(x, type="f16")
    return arith.extf(half, type="f32"), x


@at(I8, "divsi-self-without-premise")
def _(x):
    return arith.divsi(x, x), 1


@at(I8, "floordivsi-of-product-without-overflow-flag")
def _(x, y):
    assert defined(arith.floordivsi(x * y, y))
    return arith.floordivsi(x * y, y), x


@at(I8, "divsi-of-product-regrouped")
def _(x, y, z):
    """`(x * y) / z` is not `x * (y / z)`, even where nothing overflows."""
    product = arith.muli(x, y, overflow="nsw")
    assert defined(product)
    assert defined(arith.divsi(x * y, z))
    assert defined(arith.divsi(y, z))
    return arith.divsi(x * y, z), x * arith.divsi(y, z)


@at(I8, "ceildivsi-of-product-without-overflow-flag")
def _(x, y):
    assert defined(arith.ceildivsi(x * y, y))
    return arith.ceildivsi(x * y, y), x


@at(I8, "ceildivsi-by-select")
def _(x, c):
    """What lower-affine makes of `ceildiv`; fails at MIN, whose negation wraps."""
    negative = arith.cmpi(x, 0, predicate="sle")
    quotient = arith.divsi(arith.select(negative, 0 - x, x - 1), c)
    whole = arith.select(negative, 0 - quotient, quotient + 1)
    assert arith.cmpi(c, 0, predicate="sgt")
    return whole, arith.ceildivsi(x, c)


@at(I8, "shli-by-the-width")
def _(x):
    """What some processors do: the amount modulo the width. Here all bits are lost."""
    return x << 8, x


@at(I8, "shrsi-by-the-width")
def _(x):
    return arith.shrsi(x, 8), 0


@at(I8, "average-with-overflow")
def _(x, y):
    return (x & y) + arith.shrui(x ^ y, 1), arith.shrui(x + y, 1)


@at(I8, "average-of-signed-as-divsi")
def _(x, y):
    """A shift rounds down, a division to zero."""
    average = (x & y) + arith.shrsi(x ^ y, 1)
    total = arith.addi(x, y, overflow="nsw")
    assert defined(total)
    return average, arith.divsi(x + y, 2)


@at(I8, "addi-as-ori")
def _(x, y):
    return x + y, x | y


@at(I8, "addi-by-carries-once")
def _(x, y):
    return (x ^ y) + (x & y), x + y


@at(I8, "absi-is-not-negative")
def _(x):
    """Fails at MIN."""
    return arith.cmpi(math.absi(x), 0, predicate="sge"), True


@at(I8, "divsi-by-two-as-shrsi")
def _(x):
    return arith.divsi(x, 2), arith.shrsi(x, 1)


@at(I8, "divsi-by-power-of-two-that-is-negative")
def _(x, k):
    """Fails at `k = width - 1`."""
    assert arith.cmpi(k, 8, predicate="ult")
    return arith.shrsi(x, k), arith.floordivsi(x, 1 << k)


@at(I8, "remsi-is-odd-as-one")
def _(x):
    """The remainder of an odd negative number is -1."""
    return arith.cmpi(arith.remsi(x, 2), 1, predicate="eq"), arith.cmpi(x & 1, 0, predicate="ne")


@at(I8, "interval-whose-bounds-cross")
def _(x, a, b):
    assert a.literal and b.literal
    return arith.cmpi(x, a, predicate="sge") & arith.cmpi(x, b, predicate="slt"), arith.cmpi(
        x - a, b - a, predicate="ult"
    )


@at(I8, "clamp-whose-bounds-cross")
def _(x, c, d):
    assert c.literal and d.literal
    return arith.minsi(arith.maxsi(x, c), d), arith.maxsi(arith.minsi(x, d), c)


@at(I8, "cmpi-eq-common-factor-without-flags")
def _(x, y, c):
    assert arith.cmpi(c, 0, predicate="ne")
    return arith.cmpi(x * c, y * c, predicate="eq"), arith.cmpi(x, y, predicate="eq")


@at(I8, "cmpi-slt-common-factor-that-is-negative")
def _(x, y, c):
    assert arith.cmpi(c, 0, predicate="ne")
    assert defined(arith.muli(x, c, overflow="nsw"))
    assert defined(arith.muli(y, c, overflow="nsw"))
    return arith.cmpi(x * c, y * c, predicate="slt"), arith.cmpi(x, y, predicate="slt")


@at(I8, "minsi-of-sums-without-flags")
def _(x, y, z):
    return arith.minsi(x + z, y + z), arith.minsi(x, y) + z


@at(I8, "mulsi-extended-high-as-unsigned")
def _(x, y):
    high = arith.mului_extended(x, y)[1]
    return arith.mulsi_extended(x, y)[1], high


@at(I8, "ctlz-as-ctpop-of-complement")
def _(x):
    return math.ctlz(x), math.ctpop(~x)


@at(I8, "extsi-of-mask-with-sign")
def _(x, c):
    assert c.literal
    return arith.extsi(x & c, type="i16"), arith.extui(x & c, type="i16")


@at(I16, "trunci-of-shrsi-into-the-sign")
def _(x, k):
    """Fails where a copy of the sign is left."""
    assert arith.cmpi(k, 16, predicate="ult")
    return arith.trunci(arith.shrsi(x, k), type="i8"), arith.trunci(arith.shrui(x, k), type="i8")


@at(F32, "mulf-zero")
def _(x):
    """Fails at infinities, NaN and negative numbers."""
    return arith.mulf(x, 0.0), 0.0


@at(F32, "negf-of-subf")
def _(x, y):
    """Fails at equal operands: `-(x - x)` is -0."""
    return arith.negf(arith.subf(x, y)), arith.subf(y, x)


@at(F32, "divf-self")
def _(x):
    return arith.divf(x, x), 1.0


@at(F16, "mulf-associates")
def _(x, y, z):
    return arith.mulf(arith.mulf(x, y), z), arith.mulf(x, arith.mulf(y, z))


@at(F16, "divf-of-product")
def _(x, y):
    return arith.divf(arith.mulf(x, y), y), x


@at(F32, "maximumf-absorbs")
def _(x, y):
    """Fails at NaN."""
    return arith.maximumf(x, arith.minimumf(x, y)), x


@at(F16, "fma-as-mulf-addf")
def _(x, y, z):
    """Rounded once, not twice."""
    return math.fma(x, y, z), arith.addf(arith.mulf(x, y), z)


@at(F16, "fma-without-addend-positive-zero")
def _(x, y):
    return math.fma(x, y, 0.0), arith.mulf(x, y)


@at(F32, "cmpf-oeq-self")
def _(x):
    return arith.cmpf(x, x, predicate="oeq"), True


@at(F32, "subf-self-as-of-zeros")
def _(x):
    return arith.subf(x, x), arith.subf(0.0, 0.0)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("law", broken.laws, ids=lambda law: law.name)
def test_refuted(law: Law) -> None:
    instance = law.instance([AT[law.name]] if law.arity else [])
    assert instance is not None
    found = audit(instance, 30_000)
    assert found.result == "failed"
    assert found.model is not None


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("law", broken.laws, ids=lambda law: law.name)
def test_has_no_proof_over_the_integers(law: Law, signed: bool) -> None:
    instance = law.instance([AT[law.name]] if law.arity else [])
    assert instance is not None
    assert not proved_over_integers(instance, signed, 10_000)
