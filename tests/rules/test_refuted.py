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
    addf,
    ceildivui,
    cmpf,
    cmpi,
    divf,
    divsi,
    divui,
    extsi,
    extui,
    floordivsi,
    maximumf,
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


@pytest.mark.parametrize("law", broken.laws, ids=lambda law: law.name)
def test_refuted(law: Law) -> None:
    instance = law.instance([AT[law.name]] if law.arity else [])
    assert instance is not None
    found = audit(instance, 30_000)
    assert found.result == "refuted"
    assert found.model is not None


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("law", broken.laws, ids=lambda law: law.name)
def test_has_no_proof_over_the_integers(law: Law, signed: bool) -> None:
    instance = law.instance([AT[law.name]] if law.arity else [])
    assert instance is not None
    assert not proved_over_integers(instance, signed, 10_000)
