"""What holds of floats by the definition of their operations, and what does not."""

from __future__ import annotations

import pytest

from hecv.base.theory import (
    Constant,
    Expression,
    FloatSort,
    Variable,
    fabs,
    fadd,
    fdiv,
    flt,
    fmul,
    fneg,
    fsub,
    fused,
    is_nan,
    is_negative,
    ite,
    to_float,
)
from hecv.smt.definition import equal_by_definition
from hecv.smt.prove import Refuted, decide
from hecv.smt.theory import Operand, Translator

F16, BF16, F32, F64 = map(FloatSort, ("f16", "bf16", "f32", "f64"))
X, Y, Z = (Variable(F16, name) for name in "xyz")
NAN = Constant(F16, float("nan"))


def number(value: float) -> Constant:
    return Constant(F16, value)


HOLDS: dict[str, tuple[Expression, Expression]] = {
    "fma-by-one": (fused(X, number(1.0), Y), fadd(X, Y)),
    "fma-without-addend": (fused(X, Y, number(-0.0)), fmul(X, Y)),
    "fma-of-nan": (fused(X, Y, NAN), NAN),
    "distance": (fabs(fsub(X, Y)), fabs(fsub(Y, X))),
    "half": (fdiv(X, number(2.0)), fmul(X, number(0.5))),
    "quotient-of-negations": (fdiv(fneg(X), fneg(Y)), fdiv(X, Y)),
    "there-and-back": (to_float(to_float(X, F64), F16), X),
    "sign-of-a-sum-of-nan": (ite(is_negative(fadd(X, NAN)), Y, Z), Z),
    "infinity": (fadd(fmul(X, number(0.0)), number(float("inf"))), fadd(number(float("inf")), fmul(number(0.0), X))),
}

FAILS: dict[str, tuple[Expression, Expression]] = {
    "sum-with-zero": (fadd(X, number(0.0)), X),
    "difference-negated": (fneg(fsub(X, Y)), fsub(Y, X)),
    "difference-of-one": (fsub(X, X), number(0.0)),
    "product-with-zero": (fmul(X, number(0.0)), number(0.0)),
    "quotient-of-one": (fdiv(X, X), number(1.0)),
    "fma-with-zero": (fused(X, Y, number(0.0)), fmul(X, Y)),
    "fma-rounded-twice": (fused(X, Y, Z), fadd(fmul(X, Y), Z)),
    "fma-negated": (fneg(fused(X, Y, Z)), fused(fneg(X), Y, fneg(Z))),
    "sum-in-another-order": (fadd(fadd(X, Y), Z), fadd(X, fadd(Y, Z))),
    "product-in-another-order": (fmul(fmul(X, Y), Z), fmul(X, fmul(Y, Z))),
    "doubled-and-halved": (fmul(fmul(X, number(2.0)), number(0.5)), X),
    "reciprocal": (fdiv(X, Y), fmul(X, fdiv(number(1.0), Y))),
    "sign-of-a-product": (fabs(fmul(X, Y)), fmul(fabs(X), Y)),
    "greater": (ite(flt(X, Y), Y, X), ite(flt(Y, X), X, Y)),
    "negated-by-sign": (ite(is_negative(X), fneg(X), X), fneg(fabs(X))),
    "nan-is-none": (ite(is_nan(fsub(X, X)), Y, X), X),
}


@pytest.mark.parametrize("name", HOLDS)
def test_what_holds_however_numbers_are_rounded(name: str) -> None:
    assert equal_by_definition(*HOLDS[name])


@pytest.mark.parametrize("name", FAILS)
def test_what_does_not_hold_is_not_shown(name: str) -> None:
    """Z3 shows that each fails for f16."""
    assert not equal_by_definition(*FAILS[name])
    z3 = Translator()
    operands = {v.name: Operand(z3.variable(v.name, F16), z3.false) for v in (X, Y, Z)}
    left, right = z3.translate_all(FAILS[name], operands)
    assert isinstance(decide(left == right, (), 5_000), Refuted)


def test_formats_round_otherwise() -> None:
    wide = Variable(F64, "x")
    assert not equal_by_definition(to_float(to_float(wide, F32), BF16), to_float(wide, BF16))
    assert not equal_by_definition(to_float(to_float(wide, F16), F64), wide)
    assert not equal_by_definition(to_float(to_float(X, BF16), F16), X)
    sums = fadd(to_float(X, F32), to_float(Y, F32))
    assert not equal_by_definition(to_float(sums, F16), fadd(X, Y)), "true, and beyond what is known here"


@pytest.mark.parametrize("sort", [FloatSort("f8E4M3FN"), FloatSort("f8E5M2FNUZ"), FloatSort("f8E5M2")])
def test_formats_without_infinities_or_minus_zero_are_left_out(sort: FloatSort) -> None:
    x, y = Variable(sort, "x"), Variable(sort, "y")
    assert not equal_by_definition(fadd(x, y), fadd(y, x))


def test_a_literal_that_not_every_format_has_is_left_out() -> None:
    one_third, tiny = Constant(F16, 1 / 3), Constant(F64, 2.0**-1060)
    assert not equal_by_definition(fadd(X, one_third), fadd(one_third, X))
    assert not equal_by_definition(fneg(fneg(tiny)), tiny)
