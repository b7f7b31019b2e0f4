"""Normal forms over the reals: each is a number where the expression is one, and two of one form are equal."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecv.elements.real_field import Field
from hecv.elements.real_sums import ONE, ZERO, Sum

LEAVES = {"x": 0.7, "y": -1.3, "z": 2.1}
CLOSE = 1e-6


def _evaluate(field: Field, sum_: Sum) -> float:
    """The number that a normal form stands for."""
    return sum(float(c) * _monomial(field, m) for m, c in field.sums[sum_].items())


def _monomial(field: Field, monomial: int) -> float:
    whole = field.monomials[monomial]
    powers = [_power(_atom(field, a), p, field.atoms[a][0] == "prime") for a, p in whole.factors]
    return math.prod(powers) * math.exp(_evaluate(field, whole.exponent))


def _power(base: float, doubled: int, prime: bool) -> float:
    if prime:
        return base ** (doubled / 4)
    return math.sqrt(base) ** doubled if doubled % 2 else base ** (doubled // 2)


def _atom(field: Field, atom: int) -> float:
    kind, *of = field.atoms[atom]
    if kind == "leaf":
        return LEAVES[str(of[0])]
    if kind == "prime":
        return float(str(of[0]))
    inner = _evaluate(field, int(str(of[0])))
    known = {
        "sum": lambda: inner,
        "log": lambda: math.log(inner),
        "part": lambda: max(inner, 0.0),
        "positive": lambda: float(inner > 0),
        "zero": lambda: float(inner == 0),
    }
    return known[str(kind)]()


Expression = tuple[str, tuple["Expression", ...]] | str | int
UNARY = ("neg", "exp", "root", "inverse", "log", "part", "square")

expressions = st.recursive(
    st.sampled_from(tuple(LEAVES)) | st.integers(-3, 3),
    lambda inner: (
        st.tuples(st.sampled_from(UNARY), st.tuples(inner))
        | st.tuples(st.sampled_from(("add", "mul", "choose")), st.tuples(inner, inner))
    ),
    max_leaves=10,
)


def _number(e: Expression) -> float:
    """The value in floats; NaN where there is none, or it is too large or near a limit to tell."""
    if isinstance(e, int):
        return float(e)
    if isinstance(e, str):
        return LEAVES[e]
    args = [_number(a) for a in e[1]]
    if any(not abs(a) < 30 for a in args):
        return math.nan
    match e[0], args:
        case "neg", [a]:
            return -a
        case "exp", [a]:
            return math.exp(a)
        case "root", [a]:
            return math.sqrt(a) if a > 1e-3 else math.nan
        case "inverse", [a]:
            return 1 / a if abs(a) > 1e-3 else math.nan
        case "log", [a]:
            return math.log(a) if a > 1e-3 else math.nan
        case "part", [a]:
            return max(a, 0.0)
        case "square", [a]:
            return a * a
        case "add", [a, b]:
            return a + b
        case "mul", [a, b]:
            return a * b
        case _, [a, b]:
            return math.nan if abs(a) < 1e-6 else (a if a > 0 else b)


def _read(field: Field, e: Expression) -> Sum:
    if isinstance(e, int):
        return field.number(Fraction(e))
    if isinstance(e, str):
        return field.atom("leaf", e)
    args = [_read(field, a) for a in e[1]]
    match e[0], args:
        case "neg", [a]:
            return field.scale(a, -1)
        case "exp", [a]:
            return field.exponential(a)
        case "root", [a]:
            return field.root(a)
        case "inverse", [a]:
            return field.inverse(a)
        case "log", [a]:
            return field.logarithm(a)
        case "part", [a]:
            return field.positive_part(a)
        case "square", [a]:
            return field.multiply(a, a)
        case "add", [a, b]:
            return field.add(((a, 1), (b, 1)))
        case "mul", [a, b]:
            return field.multiply(a, b)
        case _, [a, b]:
            return field.add(((b, 1), (field.multiply(field.is_positive(a), field.subtract(a, b)), 1)))


@pytest.mark.one_in(2)
@settings(max_examples=400)
@given(expressions, st.sampled_from((1, 6, 1000)))
def test_a_normal_form_is_the_number_that_its_expression_is(e: Expression, longest: int) -> None:
    expected = _number(e)
    if math.isnan(expected) or abs(expected) > 1e6:
        return
    field = Field(longest)
    assert _evaluate(field, _read(field, e)) == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


def _xy(longest: int = 1000) -> tuple[Field, Sum, Sum]:
    field = Field(longest)
    return field, field.atom("leaf", "x"), field.atom("leaf", "y")


def test_the_maximum_cancels_in_a_softmax() -> None:
    f, x, y = _xy()
    m = f.atom("leaf", "m")
    shifted = [f.exponential(f.subtract(a, m)) for a in (x, y)]
    plain = [f.exponential(a) for a in (x, y)]
    first, second = (f.multiply(e[0], f.inverse(f.add([(a, 1) for a in e]))) for e in (shifted, plain))
    assert first == second


def test_roots_meet() -> None:
    f, x, y = _xy()
    s = f.add(((f.multiply(x, x), 1), (y, 1), (ONE, Fraction(1, 2))))
    assert f.multiply(f.root(s), f.root(s)) == s
    assert f.inverse(f.root(s)) == f.multiply(f.root(s), f.inverse(s))
    eighth = f.root(f.number(Fraction(1, 8)))
    assert f.multiply(eighth, eighth) == f.number(Fraction(1, 8))
    assert f.multiply(eighth, f.root(f.number(Fraction(8)))) == ONE


def test_fourth_roots_of_numbers_meet() -> None:
    f, x, _ = _xy()
    sixth, fourth = f.root(f.number(Fraction(1, 6))), f.root(f.root(f.number(Fraction(1, 6))))
    assert f.multiply(fourth, fourth) == sixth
    assert f.multiply(f.multiply(fourth, fourth), f.multiply(fourth, fourth)) == f.number(Fraction(1, 6))
    assert f.multiply(f.inverse(fourth), fourth) == ONE
    assert f.multiply(fourth, f.root(f.root(f.number(Fraction(216))))) == f.root(f.number(Fraction(6)))
    # The root of a product with a number under a root, and an eighth root, which is left as it is.
    assert f.root(f.multiply(sixth, x)) == f.multiply(fourth, f.root(x))
    assert f.multiply(f.root(fourth), f.root(fourth)) == fourth


def test_the_root_of_a_square_is_the_magnitude() -> None:
    f, x, _ = _xy()
    root = f.root(f.multiply(x, x))
    assert root == f.magnitude(x)
    assert root != x


def test_a_product_under_a_root_is_not_split() -> None:
    f, x, y = _xy()
    assert f.root(f.multiply(x, y)) != f.multiply(f.root(x), f.root(y))


def test_closed_sums_are_opened_to_compare() -> None:
    f, x, y = _xy(longest=1)
    s, d = f.add(((x, 1), (y, 1))), f.subtract(x, y)
    product = f.multiply(s, d)
    squares = f.subtract(f.multiply(x, x), f.multiply(y, y))
    assert product != squares
    assert f.equal(product, squares)
    assert not f.equal(product, f.add(((squares, 1), (ONE, 1))))


def test_fractions_are_compared_over_a_common_divisor() -> None:
    f, x, y = _xy()
    s = f.add(((x, 1), (ONE, 1)))
    t = f.add(((y, 1), (ONE, 2)))
    left = f.add(((f.inverse(s), 1), (f.inverse(t), 1)))
    right = f.multiply(f.add(((s, 1), (t, 1))), f.inverse(f.multiply(s, t)))
    assert f.equal(left, right)
    assert not f.equal(left, f.scale(right, 2))


def test_what_decides_a_selection() -> None:
    f, x, _ = _xy()
    assert f.decided_by(f.is_positive(f.scale(x, 3))) == (x, True)
    assert f.decided_by(f.subtract(ONE, f.is_positive(x))) == (f.scale(x, -1), False)
    assert f.decided_by(ONE) is None
    assert f.is_positive(f.number(Fraction(-2))) == ZERO
