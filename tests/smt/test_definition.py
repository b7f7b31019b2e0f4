"""What holds of floats by the definition of their operations, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import isqrt
from operator import add, mul, sub, truediv
from typing import NamedTuple

import pytest

from hecv.base.theory import (
    Constant,
    Expression,
    Float,
    FloatSort,
    Variable,
    fabs,
    fadd,
    fdiv,
    flt,
    fmul,
    fneg,
    fsqrt,
    fsub,
    fused,
    is_nan,
    is_negative,
    ite,
    to_float,
)
from hecv.smt.rounded_reals import equal_by_definition
from hecv.smt.z3_goals import Refuted, decide
from hecv.smt.z3_theory import Operand, Translator

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


@pytest.mark.one_in(3)
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


OPERATIONS: dict[str, Callable[..., Float]] = {"add": fadd, "subtract": fsub, "multiply": fmul, "divide": fdiv}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(("narrow", "wide"), [(F16, F32), (BF16, F32), (F16, F64), (BF16, F64), (F32, F64)])
def test_an_operation_in_a_wider_format(name: str, narrow: FloatSort, wide: FloatSort) -> None:
    made, x, y = OPERATIONS[name], Variable(narrow, "x"), Variable(narrow, "y")
    inner = made(to_float(x, wide), to_float(y, wide))
    assert equal_by_definition(to_float(inner, narrow), made(x, y))
    assert not equal_by_definition(inner, to_float(made(x, y), wide))


def test_what_a_wider_format_changes() -> None:
    """Three numbers, two roundings in the wider format, another format to round to, operands of another format."""
    x, y, z = (to_float(v, F32) for v in (X, Y, Z))
    other = Variable(F32, "w")
    assert not equal_by_definition(to_float(fadd(fmul(x, y), z), F16), fadd(fmul(X, Y), Z))
    assert not equal_by_definition(to_float(fused(x, y, z), F16), fused(X, Y, Z))
    assert not equal_by_definition(to_float(fadd(x, other), F16), fadd(X, to_float(other, F16)))
    assert not equal_by_definition(to_float(fadd(x, y), BF16), to_float(fadd(X, Y), BF16))
    brief = Variable(BF16, "b")
    assert not equal_by_definition(to_float(fadd(x, to_float(brief, F32)), F16), fadd(X, to_float(brief, F16)))


def test_a_root_in_a_wider_format() -> None:
    assert equal_by_definition(to_float(fsqrt(to_float(X, F32)), F16), fsqrt(X))
    assert not equal_by_definition(fmul(fsqrt(X), fsqrt(X)), X)
    assert not equal_by_definition(fsqrt(fmul(X, X)), fabs(X))


class Format(NamedTuple):
    """A small format: its digits, and the exponents of its least positive number and of what is too great for it."""

    digits: int
    least: int
    beyond: int

    def rounded(self, value: Fraction) -> Fraction | None:
        """To nearest, a tie to the even number; None where that is infinite."""
        if value < 0:
            below = self.rounded(-value)
            return None if below is None else -below
        unit = Fraction(2) ** self.least
        while unit * 2**self.digits <= value:
            unit *= 2
        found = round(value / unit) * unit
        return None if found >= Fraction(2) ** self.beyond else found

    def numbers(self) -> list[Fraction]:
        """The numbers that are not negative."""
        found = {Fraction(m) * Fraction(2) ** e for m in range(2**self.digits) for e in range(self.least, self.beyond)}
        return sorted(n for n in found if n < 2**self.beyond)


def differing(narrow: Format, wide: Format, operation: Callable[[Fraction, Fraction], Fraction]) -> int:
    """For how many pairs of numbers of a format another one that rounds first makes a difference."""
    count = 0
    for x, y in product(narrow.numbers(), repeat=2):
        for first in (x, -x):
            exact = operation(first, y) if y or operation is not truediv else Fraction(0)
            once, before = narrow.rounded(exact), wide.rounded(exact)
            count += (None if before is None else narrow.rounded(before)) != once
    return count


@pytest.mark.one_in(3)
@pytest.mark.parametrize("operation", [add, sub, mul, truediv])
@pytest.mark.parametrize("narrow", [Format(2, -4, 3), Format(3, -5, 3), Format(4, -5, 2)])
def test_a_second_rounding_changes_nothing(narrow: Format, operation: Callable[..., Fraction]) -> None:
    """All pairs of numbers of small formats; the wider one has as few digits and as small exponents as may be."""
    wide = Format(2 * narrow.digits + 2, narrow.least - 2 * narrow.digits, narrow.beyond)
    assert differing(narrow, wide, operation) == 0
    short = Format(narrow.digits + 1, narrow.least - 2 * narrow.digits, narrow.beyond)
    assert differing(narrow, short, operation) > 0


@pytest.mark.parametrize("digits", [2, 3, 4, 5])
def test_a_second_rounding_of_a_root_changes_nothing(digits: int) -> None:
    """Roots, rounded after so many bits that no digit is lost: what follows them is not 0, or they are exact."""
    narrow = Format(digits, -2 * digits, 4)
    wide = Format(2 * digits + 2, narrow.least - 2 * digits, narrow.beyond)
    for x in narrow.numbers():
        scale = 4**40
        whole = isqrt(int(x * scale))
        exact = Fraction(2 * whole + (whole * whole != x * scale), 2 * 2**40)
        before = wide.rounded(exact)
        assert before is not None
        assert narrow.rounded(before) == narrow.rounded(exact)


@pytest.mark.parametrize("sort", [FloatSort("f8E4M3FN"), FloatSort("f8E5M2FNUZ"), FloatSort("f8E5M2")])
def test_formats_without_infinities_or_minus_zero_are_left_out(sort: FloatSort) -> None:
    x, y = Variable(sort, "x"), Variable(sort, "y")
    assert not equal_by_definition(fadd(x, y), fadd(y, x))


def test_a_literal_that_not_every_format_has_is_left_out() -> None:
    one_third, tiny = Constant(F16, 1 / 3), Constant(F64, 2.0**-1060)
    assert not equal_by_definition(fadd(X, one_third), fadd(one_third, X))
    assert not equal_by_definition(fneg(fneg(tiny)), tiny)
