"""What flags of a source license: that its literals are folded, and no detour over others that makes the same over the
reals."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.egraph.terms import Terms

from hecv.base.term import Term
from hecv.base.types import BOOL, FloatType
from hecv.ops.fastmath_flags import FloatMode
from hecv.prove.terms.fastmath_terms import licensed_equal

T = Terms(FloatType("f32"))
X, Y, Z = (T.leaf(k) for k in range(3))
Make = Callable[[Term, Term], Term]


def num(value: float) -> Term:
    return T.literal(value)


def op(name: str, flags: str) -> Make:
    return (lambda a, b: T.op(name, a, b, fastmath=flags)) if flags else (lambda a, b: T.op(name, a, b))


def fused(a: Term, b: Term, c: Term) -> Term:
    return T.pool.make("math.fma", (a, b, c), T.type)


ADD, SUB, MUL, DIV = (op(name, "") for name in ("addf", "subf", "mulf", "divf"))
RADD, RMUL = (op(name, "reassoc") for name in ("addf", "mulf"))
FADD, FSUB, FMUL, FDIV = (op(name, "fast") for name in ("addf", "subf", "mulf", "divf"))
NADD = op("addf", "nsz,reassoc")

LICENSED = {
    "literals of a sum are folded": (RADD(RADD(X, num(1.0)), num(2.0)), ADD(X, num(3.0))),
    "literals of a product are folded": (RMUL(RMUL(X, num(8.0)), RMUL(Y, num(0.5))), MUL(MUL(X, Y), num(4.0))),
    "both literals stay": (RADD(RADD(X, num(1.0)), RADD(Y, num(2.0))), ADD(ADD(num(2.0), X), ADD(Y, num(1.0)))),
    "what is folded is the source's own": (RADD(RADD(X, num(1.0)), num(2.0)), ADD(ADD(X, num(1.0)), num(2.0))),
    "of zeros one is left": (NADD(NADD(X, num(0.0)), num(0.0)), ADD(X, num(0.0))),
    "copies are counted": (FADD(FADD(X, X), X), MUL(X, num(3.0))),
    "a factor is moved out": (
        FADD(FMUL(X, num(6.0)), FMUL(Y, num(4.0))),
        MUL(ADD(MUL(X, num(3.0)), MUL(Y, num(2.0))), num(2.0)),
    ),
    "what cancels in both": (FSUB(FADD(X, Y), Y), ADD(SUB(X, Y), Y)),
    "a square that cancels in the source": (FMUL(FADD(X, Y), FSUB(X, Y)), SUB(MUL(X, X), MUL(Y, Y))),
    "a quotient of products": (FDIV(FMUL(X, num(4.0)), FMUL(Y, num(2.0))), MUL(DIV(X, Y), num(2.0))),
    "a divisor that cancels in the source": (FDIV(FADD(FMUL(X, Z), Y), Z), ADD(X, DIV(Y, Z))),
    "a factor that is divided by in both": (FADD(FMUL(FDIV(X, Z), Z), Y), ADD(Y, DIV(MUL(Z, X), Z))),
    "the same detour": (FMUL(FSUB(FADD(X, num(9.0)), num(9.0)), Y), MUL(Y, SUB(ADD(X, num(9.0)), num(9.0)))),
}
DETOURS: dict[str, tuple[Term, Term, FloatMode]] = {
    "there and back": (RADD(X, num(0.0)), ADD(ADD(X, num(1.0)), num(-1.0)), "reassoc"),
    "a literal in two parts": (RADD(X, num(3.0)), ADD(ADD(X, num(1.0)), num(2.0)), "reassoc"),
    "a factor in two parts": (RMUL(X, num(2.0)), MUL(MUL(X, num(2.0**50)), num(2.0**-49)), "reassoc"),
    "factors that were not there": (RMUL(X, Y), MUL(MUL(X, num(2.0)), MUL(Y, num(0.5))), "reassoc"),
    "beside other flags": (NADD(NADD(X, Y), num(0.0)), ADD(ADD(X, num(4.0)), ADD(Y, num(-4.0))), "real"),
    "a sum that cancels": (FMUL(X, num(2.0)), SUB(MUL(ADD(X, num(1.0)), num(2.0)), num(2.0)), "real"),
    "multiples that cancel": (FMUL(X, num(2.0)), SUB(MUL(X, num(5.0)), MUL(X, num(3.0))), "real"),
    "scaled and back": (FMUL(X, num(2.0)), MUL(MUL(X, num(2.0**-99)), num(2.0**100)), "real"),
    "dividend and divisor scaled": (FDIV(X, Y), DIV(MUL(X, num(2.0**-99)), MUL(Y, num(2.0**-99))), "real"),
    "a divisor that cancels": (FDIV(X, Y), DIV(X, SUB(ADD(Y, num(8.0)), num(8.0))), "real"),
    "a square that cancels": (FSUB(FMUL(X, X), FMUL(Y, Y)), MUL(ADD(X, Y), SUB(X, Y)), "real"),
    "a factor that cancels what the sum does": (
        FADD(X, FMUL(X, num(-2.0))),
        ADD(X, MUL(X, SUB(ADD(num(-2.0), X), X))),
        "real",
    ),
    "a factor beyond all floats": (
        FMUL(X, Y),
        MUL(MUL(X, num(2.0**-120)), MUL(MUL(Y, num(2.0**100)), num(2.0**20))),
        "real",
    ),
    "a factor that is divided by": (FADD(X, FDIV(Y, Z)), ADD(DIV(MUL(X, Z), Z), DIV(Y, Z)), "real"),
    "a divisor that multiplies": (FADD(X, FDIV(Y, Z)), ADD(MUL(DIV(X, Z), Z), DIV(Y, Z)), "real"),
    "a common divisor": (FADD(X, FDIV(Y, Z)), DIV(ADD(MUL(X, Z), Y), Z), "real"),
    "a factor that is divided by twice": (
        FMUL(FDIV(FMUL(X, Z), Z), Y),
        MUL(DIV(MUL(X, MUL(Z, Z)), MUL(Z, Z)), Y),
        "real",
    ),
    "a fused product that is divided": (
        FADD(FADD(X, Y), FDIV(Y, Z)),
        ADD(fused(MUL(X, Z), DIV(num(1.0), Z), Y), DIV(Y, Z)),
        "real",
    ),
    "the inverse of an inverse": (
        FADD(FMUL(X, Y), FDIV(Z, X)),
        ADD(DIV(Y, DIV(num(1.0), X)), DIV(Z, X)),
        "real",
    ),
    "more than cancels in the source": (
        FMUL(FSUB(FADD(X, num(1.0)), num(1.0)), Y),
        MUL(SUB(ADD(X, num(64.0)), num(64.0)), Y),
        "real",
    ),
}


@pytest.mark.parametrize("name", LICENSED)
def test_what_flags_license_is_proved(name: str) -> None:
    source, target = LICENSED[name]
    assert licensed_equal(T.pool, source, target, "strict", 64) is not None


@pytest.mark.parametrize("name", DETOURS)
def test_a_detour_is_licensed_by_a_mode_alone(name: str) -> None:
    source, target, mode = DETOURS[name]
    assert licensed_equal(T.pool, source, target, "strict", 64) is None
    assert licensed_equal(T.pool, source, target, mode, 64) is not None


SINGLE, HALF = FloatType("f32"), FloatType("f16")
U, V, W = (T.leaf(k, HALF) for k in range(3, 6))


def cast(name: str, to: FloatType, flags: str) -> Callable[[Term], Term]:
    return (lambda a: T.op(name, a, to=to, fastmath=flags)) if flags else (lambda a: T.op(name, a, to=to))


EXT, TRUNC = cast("extf", SINGLE, ""), cast("truncf", HALF, "")
FEXT, FTRUNC = cast("extf", SINGLE, "fast"), cast("truncf", HALF, "fast")
WIDER = {
    "a cast there and back is left out": (FADD(FEXT(FTRUNC(X)), Y), ADD(Y, X)),
    "a cast there and back stays": (FADD(FADD(X, FEXT(FTRUNC(Y))), Z), ADD(X, ADD(EXT(TRUNC(Y)), Z))),
    "a sum in a wider format": (
        FADD(FADD(U, V), W),
        TRUNC(ADD(EXT(TRUNC(ADD(EXT(U), EXT(V)))), EXT(W))),
    ),
    "another order in the wider format": (
        FTRUNC(FADD(FADD(FEXT(U), FEXT(V)), FEXT(W))),
        TRUNC(ADD(EXT(U), ADD(EXT(V), EXT(W)))),
    ),
}
NARROWER = {
    "a sum in a narrower format": (FADD(X, Y), EXT(ADD(TRUNC(X), TRUNC(Y)))),
    "a sum that is rounded to a narrower format": (FADD(X, Y), EXT(TRUNC(ADD(X, Y)))),
    "operands that are": (FADD(X, Y), ADD(EXT(TRUNC(X)), Y)),
    "a sum in the format of its operands": (FADD(FEXT(U), FEXT(V)), EXT(ADD(U, V))),
    "one in the format of the result": (
        FTRUNC(FADD(FADD(FEXT(U), FEXT(V)), FEXT(W))),
        ADD(ADD(U, V), W),
    ),
    "what is rounded elsewhere": (
        FADD(FADD(X, Y), FEXT(FTRUNC(X))),
        ADD(ADD(EXT(TRUNC(X)), Y), EXT(TRUNC(X))),
    ),
}


@pytest.mark.parametrize("name", WIDER)
def test_flags_let_a_sum_be_more_precise(name: str) -> None:
    source, target = WIDER[name]
    assert licensed_equal(T.pool, source, target, "strict", 64) is not None


@pytest.mark.parametrize("name", NARROWER)
@pytest.mark.parametrize("mode", ["strict", "reassoc"])
def test_no_flag_lets_it_be_computed_in_a_narrower_format(name: str, mode: FloatMode) -> None:
    source, target = NARROWER[name]
    assert licensed_equal(T.pool, source, target, mode, 64) is None
    assert licensed_equal(T.pool, source, target, "real", 64) is not None


P = T.leaf(6, BOOL)
ZERO, MINUS = num(0.0), num(-0.0)


def chosen(a: Term, b: Term) -> Term:
    return T.choose(P, a, b)


def greater(a: Term, b: Term) -> Term:
    return T.op("maximumf", a, b)


OTHERWISE = {
    "a zero of the other sign": (chosen(FADD(X, Y), ZERO), chosen(ADD(Y, X), MINUS)),
    "a zero of which another operator tells the sign": (
        FADD(FADD(X, Y), greater(ZERO, Z)),
        ADD(ADD(Y, X), greater(MINUS, Z)),
    ),
    "a sum that may be another zero": (FADD(chosen(FADD(X, Y), X), X), ADD(X, chosen(ADD(Y, X), ADD(X, ZERO)))),
    "a product of the source's that is no literal": (
        FADD(chosen(FMUL(X, ZERO), ZERO), X),
        ADD(X, chosen(MUL(X, ZERO), MUL(X, ZERO))),
    ),
    "a quotient that is rounded": (
        FADD(FADD(chosen(FADD(X, Y), X), X), FDIV(Z, Y)),
        ADD(ADD(chosen(ADD(X, Y), MUL(DIV(X, Y), Y)), X), DIV(Z, Y)),
    ),
}
MADE = {
    "a zero in place of a product": (chosen(FADD(X, Y), FMUL(X, ZERO)), chosen(ADD(Y, X), MINUS)),
    "what is added to a zero": (chosen(FADD(X, Y), FADD(X, ZERO)), chosen(ADD(Y, X), X)),
    "the literal itself": (chosen(FADD(FADD(X, Y), Z), ZERO), chosen(ADD(X, ADD(Y, Z)), ZERO)),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_no_flag_says_what_other_operators_are_given(name: str) -> None:
    source, target = OTHERWISE[name]
    assert licensed_equal(T.pool, source, target, "strict", 64) is None
    assert licensed_equal(T.pool, source, target, "real", 64) is not None


@pytest.mark.parametrize("name", MADE)
def test_a_flag_says_it_of_what_arithmetic_makes(name: str) -> None:
    source, target = MADE[name]
    assert licensed_equal(T.pool, source, target, "strict", 64) is not None


def test_literals_whose_product_is_no_float() -> None:
    wide = Terms(FloatType("f64"))
    x, great = wide.leaf(0), wide.literal(1e300)
    source, target = x, x
    for _ in range(3):
        source = wide.op("mulf", source, great, fastmath="fast")
        target = wide.op("mulf", great, target)
    assert licensed_equal(wide.pool, source, target, "strict", 64) is not None


def test_one_that_folds_is_no_more_than_refined() -> None:
    """Both have the flags: the one with fewer literals is among the orders of the other, and not the reverse."""
    long, short = RADD(RADD(X, num(1.0)), num(2.0)), RADD(X, num(3.0))
    found = licensed_equal(T.pool, long, short, "strict", 64)
    assert found is not None and not found.converse
    assert licensed_equal(T.pool, short, long, "strict", 64) is None
