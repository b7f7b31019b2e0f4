"""Laws that look right and are not, each with a counterexample found by the audit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hecv.base.types import FloatType
from hecv.rules.audit import audit
from hecv.rules.integral import proved_over_integers
from hecv.rules.language import (
    BIT,
    Equation,
    Kind,
    absi,
    addf,
    ceildivsi,
    ceildivui,
    cmpf,
    cmpi,
    ctlz,
    ctpop,
    divf,
    divsi,
    divui,
    extsi,
    extui,
    floordivsi,
    maximumf,
    maxsi,
    minimumf,
    minsi,
    mulf,
    negf,
    number,
    one,
    operation,
    real,
    remsi,
    remui,
    select,
    shrsi,
    shrui,
    subf,
    trunci,
    truth,
    zero,
)
from hecv.rules.law import Bit, Book, Law, Literal, Term, integer

broken = Book("any")
F32 = Kind(FloatType("f32"), 0)
F16 = Kind(FloatType("f16"), 0)
I8 = integer(8)
I16 = integer(16)

AT: dict[str, Kind] = {}


def at(kind: Kind, name: str) -> Callable[[Callable[..., Equation | None]], Callable[..., Equation | None]]:
    """Declares a broken law, to be refuted at `kind`."""
    AT[name] = kind
    return broken.law(name)


@at(I8, "divui-self-without-premise")
def _(x: Term) -> Equation:
    return Equation(divui(x, x), one(x))


@at(I8, "halving-a-double")
def _(x: Term) -> Equation:
    return Equation(divui(x * number(2, x), number(2, x)), x)


@at(I8, "shrui-as-divui-without-bound")
def _(x: Term, k: Literal) -> Equation:
    return Equation(shrui(x, k), divui(x, one(x) << k))


@at(I8, "shrsi-as-divsi")
def _(x: Term) -> Equation:
    return Equation(shrsi(x, one(x)), divsi(x, number(2, x)))


@at(I8, "remsi-as-andi")
def _(x: Term) -> Equation:
    return Equation(remsi(x, number(8, x)), x & number(7, x))


@at(I8, "remui-of-any-divisor-as-andi")
def _(x: Term, c: Literal) -> Equation:
    return Equation(remui(x, c), x & (c - one(x)))


@at(I8, "shli-shli-without-bound")
def _(x: Term, j: Literal, k: Literal) -> Equation:
    return Equation((x << j) << k, x << (j + k))


@at(I8, "cmpi-slt-difference")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpi("slt", x - y, zero(x)), cmpi("slt", x, y))


@at(I8, "cmpi-slt-common-term")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(cmpi("slt", x + z, y + z), cmpi("slt", x, y))


@at(I8, "cmpi-sle-literal-without-bound")
def _(x: Term, c: Literal) -> Equation:
    return Equation(cmpi("sle", x, c), cmpi("slt", x, c + one(x)))


@at(I8, "divsi-negations")
def _(x: Term, y: Term) -> Equation:
    return Equation(divsi(-x, -y), divsi(x, y), given=(divsi(-x, -y), divsi(x, y)))


@at(I8, "divsi-of-product-without-overflow-flag")
def _(x: Term, y: Term) -> Equation:
    return Equation(divsi(x * y, y), x, given=(divsi(x * y, y),))


@at(I8, "divui-of-product-with-signed-flag")
def _(x: Term, y: Term) -> Equation:
    product = operation("arith.muli", x, y, overflow="nsw")
    return Equation(divui(x * y, y), x, given=(product, divui(x * y, y)))


@at(I8, "divui-divui-wrapping")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(divui(divui(x, c), d), divui(x, c * d), where=cmpi("ne", c, zero(x)) & cmpi("ne", d, zero(x)))


@at(I8, "ceildivui-by-adding-the-divisor")
def _(x: Term, y: Term) -> Equation:
    return Equation(ceildivui(x, y), divui(x + (y - one(x)), y), given=(ceildivui(x, y),))


@at(I8, "floordivsi-as-divsi")
def _(x: Term, y: Term) -> Equation:
    return Equation(floordivsi(x, y), divsi(x, y), given=(divsi(x, y),))


@at(I8, "extsi-of-addi")
def _(x: Term, y: Term) -> Equation:
    return Equation(extsi(x + y, I16), extsi(x, I16) + extsi(y, I16))


@at(I16, "extui-of-trunci")
def _(x: Term) -> Equation:
    return Equation(extui(trunci(x, I8), I16), x)


@at(I16, "trunci-of-divui")
def _(x: Term, y: Term) -> Equation:
    return Equation(trunci(divui(x, y), I8), divui(trunci(x, I8), trunci(y, I8)))


@at(BIT, "addi-of-bits-as-ori")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(p + q, p | q)


@at(BIT, "cmpi-slt-bits-as-unsigned")
def _(p: Bit, q: Bit) -> Equation:
    return Equation(cmpi("slt", p, q), cmpi("ult", p, q))


@at(I8, "select-of-andi-swapped")
def _(p: Bit, q: Bit, x: Term, y: Term) -> Equation:
    return Equation(select(p & q, x, y), select(p, x, select(q, x, y)))


@at(F32, "addf-zero")
def _(x: Term) -> Equation:
    return Equation(addf(x, real(0.0, x)), x)


@at(F32, "subf-self")
def _(x: Term) -> Equation:
    return Equation(subf(x, x), real(0.0, x))


@at(F16, "addf-associates")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(addf(addf(x, y), z), addf(x, addf(y, z)))


@at(F16, "mulf-distributes")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(mulf(x, addf(y, z)), addf(mulf(x, y), mulf(x, z)))


@at(F32, "addf-negations")
def _(x: Term, y: Term) -> Equation:
    return Equation(addf(negf(x), negf(y)), negf(addf(x, y)))


@at(F32, "subf-from-zero")
def _(x: Term) -> Equation:
    return Equation(subf(real(0.0, x), x), negf(x))


@at(F16, "divf-as-mulf-of-third")
def _(x: Term) -> Equation:
    return Equation(divf(x, real(3.0, x)), mulf(x, divf(real(1.0, x), real(3.0, x))))


@at(F32, "cmpf-olt-negated-ordered")
def _(x: Term, y: Term) -> Equation:
    return Equation(cmpf("olt", x, y) ^ truth(True), cmpf("oge", x, y))


@at(F32, "maximumf-as-select")
def _(x: Term, y: Term) -> Equation:
    """What arith-expand makes; fails at +0 and -0."""
    greater = select(cmpf("ugt", x, y), x, y)
    return Equation(maximumf(x, y), select(cmpf("uno", y, y), y, greater))


@at(F32, "truncf-then-extf")
def _(x: Term) -> Equation:
    half = operation("arith.truncf", x, to=F16)
    return Equation(operation("arith.extf", half, to=F32), x)


@at(I8, "divsi-self-without-premise")
def _(x: Term) -> Equation:
    return Equation(divsi(x, x), one(x))


@at(I8, "floordivsi-of-product-without-overflow-flag")
def _(x: Term, y: Term) -> Equation:
    return Equation(floordivsi(x * y, y), x, given=(floordivsi(x * y, y),))


@at(I8, "divsi-of-product-regrouped")
def _(x: Term, y: Term, z: Term) -> Equation:
    """`(x * y) / z` is not `x * (y / z)`, even where nothing overflows."""
    product = operation("arith.muli", x, y, overflow="nsw")
    return Equation(divsi(x * y, z), x * divsi(y, z), given=(product, divsi(x * y, z), divsi(y, z)))


@at(I8, "ceildivsi-of-product-without-overflow-flag")
def _(x: Term, y: Term) -> Equation:
    return Equation(ceildivsi(x * y, y), x, given=(ceildivsi(x * y, y),))


@at(I8, "ceildivsi-by-select")
def _(x: Term, c: Literal) -> Equation:
    """What lower-affine makes of `ceildiv`; fails at MIN, whose negation wraps."""
    negative = cmpi("sle", x, zero(x))
    quotient = divsi(select(negative, zero(x) - x, x - one(x)), c)
    whole = select(negative, zero(x) - quotient, quotient + one(x))
    return Equation(whole, ceildivsi(x, c), where=cmpi("sgt", c, zero(c)))


@at(I8, "shli-by-the-width")
def _(x: Term) -> Equation:
    """What some processors do: the amount modulo the width. Here all bits are lost."""
    return Equation(x << number(8, x), x)


@at(I8, "shrsi-by-the-width")
def _(x: Term) -> Equation:
    return Equation(shrsi(x, number(8, x)), zero(x))


@at(I8, "average-with-overflow")
def _(x: Term, y: Term) -> Equation:
    return Equation((x & y) + shrui(x ^ y, one(x)), shrui(x + y, one(x)))


@at(I8, "average-of-signed-as-divsi")
def _(x: Term, y: Term) -> Equation:
    """A shift rounds down, a division to zero."""
    average = (x & y) + shrsi(x ^ y, one(x))
    total = operation("arith.addi", x, y, overflow="nsw")
    return Equation(average, divsi(x + y, number(2, x)), given=(total,))


@at(I8, "addi-as-ori")
def _(x: Term, y: Term) -> Equation:
    return Equation(x + y, x | y)


@at(I8, "addi-by-carries-once")
def _(x: Term, y: Term) -> Equation:
    return Equation((x ^ y) + (x & y), x + y)


@at(I8, "absi-is-not-negative")
def _(x: Term) -> Equation:
    """Fails at MIN."""
    return Equation(cmpi("sge", absi(x), zero(x)), truth(True))


@at(I8, "divsi-by-two-as-shrsi")
def _(x: Term) -> Equation:
    return Equation(divsi(x, number(2, x)), shrsi(x, one(x)))


@at(I8, "divsi-by-power-of-two-that-is-negative")
def _(x: Term, k: Literal) -> Equation:
    """Fails at `k = width - 1`."""
    return Equation(shrsi(x, k), floordivsi(x, one(x) << k), where=cmpi("ult", k, number(8, x)))


@at(I8, "remsi-is-odd-as-one")
def _(x: Term) -> Equation:
    """The remainder of an odd negative number is -1."""
    return Equation(cmpi("eq", remsi(x, number(2, x)), one(x)), cmpi("ne", x & one(x), zero(x)))


@at(I8, "interval-whose-bounds-cross")
def _(x: Term, a: Literal, b: Literal) -> Equation:
    return Equation(cmpi("sge", x, a) & cmpi("slt", x, b), cmpi("ult", x - a, b - a))


@at(I8, "clamp-whose-bounds-cross")
def _(x: Term, c: Literal, d: Literal) -> Equation:
    return Equation(minsi(maxsi(x, c), d), maxsi(minsi(x, d), c))


@at(I8, "cmpi-eq-common-factor-without-flags")
def _(x: Term, y: Term, c: Literal) -> Equation:
    return Equation(cmpi("eq", x * c, y * c), cmpi("eq", x, y), where=cmpi("ne", c, zero(c)))


@at(I8, "cmpi-slt-common-factor-that-is-negative")
def _(x: Term, y: Term, c: Literal) -> Equation:
    products = (operation("arith.muli", x, c, overflow="nsw"), operation("arith.muli", y, c, overflow="nsw"))
    return Equation(cmpi("slt", x * c, y * c), cmpi("slt", x, y), where=cmpi("ne", c, zero(c)), given=products)


@at(I8, "minsi-of-sums-without-flags")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(minsi(x + z, y + z), minsi(x, y) + z)


@at(I8, "mulsi-extended-high-as-unsigned")
def _(x: Term, y: Term) -> Equation:
    high = operation("arith.mului_extended", x, y, result=1)
    return Equation(operation("arith.mulsi_extended", x, y, result=1), high)


@at(I8, "ctlz-as-ctpop-of-complement")
def _(x: Term) -> Equation:
    return Equation(ctlz(x), ctpop(~x))


@at(I8, "extsi-of-mask-with-sign")
def _(x: Term, c: Literal) -> Equation:
    return Equation(extsi(x & c, I16), extui(x & c, I16))


@at(I16, "trunci-of-shrsi-into-the-sign")
def _(x: Term, k: Literal) -> Equation:
    """Fails where a copy of the sign is left."""
    return Equation(trunci(shrsi(x, k), I8), trunci(shrui(x, k), I8), where=cmpi("ult", k, number(16, k)))


@at(F32, "mulf-zero")
def _(x: Term) -> Equation:
    """Fails at infinities, NaN and negative numbers."""
    return Equation(mulf(x, real(0.0, x)), real(0.0, x))


@at(F32, "negf-of-subf")
def _(x: Term, y: Term) -> Equation:
    """Fails at equal operands: `-(x - x)` is -0."""
    return Equation(negf(subf(x, y)), subf(y, x))


@at(F32, "divf-self")
def _(x: Term) -> Equation:
    return Equation(divf(x, x), real(1.0, x))


@at(F16, "mulf-associates")
def _(x: Term, y: Term, z: Term) -> Equation:
    return Equation(mulf(mulf(x, y), z), mulf(x, mulf(y, z)))


@at(F16, "divf-of-product")
def _(x: Term, y: Term) -> Equation:
    return Equation(divf(mulf(x, y), y), x)


@at(F32, "maximumf-absorbs")
def _(x: Term, y: Term) -> Equation:
    """Fails at NaN."""
    return Equation(maximumf(x, minimumf(x, y)), x)


@at(F16, "fma-as-mulf-addf")
def _(x: Term, y: Term, z: Term) -> Equation:
    """Rounded once, not twice."""
    return Equation(operation("math.fma", x, y, z), addf(mulf(x, y), z))


@at(F16, "fma-without-addend-positive-zero")
def _(x: Term, y: Term) -> Equation:
    return Equation(operation("math.fma", x, y, real(0.0, x)), mulf(x, y))


@at(F32, "cmpf-oeq-self")
def _(x: Term) -> Equation:
    return Equation(cmpf("oeq", x, x), truth(True))


@at(F32, "subf-self-as-of-zeros")
def _(x: Term) -> Equation:
    return Equation(subf(x, x), subf(real(0.0, x), real(0.0, x)))


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
