"""What facts show of index terms holds wherever the facts do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_affine import VALUES, Recipes, evaluate

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX
from hecv.program.index import quasi_affine
from hecv.program.index.index_ranges import NOTHING, Facts

MOST = 6


@st.composite
def places(draw: st.DrawFn) -> tuple[TermPool, Facts, Term, tuple[int, ...]]:
    """Values of arguments, facts that hold of them, and an index term."""
    values = draw(VALUES)
    recipes = Recipes(draw, values)
    facts = NOTHING
    for _ in range(draw(st.integers(1, MOST))):
        term, meant = recipes.term(2)
        if meant is not None and quasi_affine.is_proper(term):
            sign = 1 if meant >= 0 else -1
            less = draw(st.integers(0, abs(meant)))
            facts = facts.with_known(recipes.pool, quasi_affine.combine(recipes.pool, -less, ((term, sign),)))
    term, meant = recipes.term(2)
    exact = draw(st.booleans()) and meant is not None  # near 0 is where an error by one shows
    return recipes.pool, facts, quasi_affine.combine(recipes.pool, -(meant or 0) if exact else 0, ((term, 1),)), values


@given(places(), st.integers(-3, 3))
def test_what_is_shown_holds(place: tuple[TermPool, Facts, Term, tuple[int, ...]], near: int) -> None:
    pool, facts, term, values = place
    assert all((evaluate(f, values) or 0) >= 0 for f in facts.known)
    term = quasi_affine.combine(pool, near, ((term, 1),))
    value = evaluate(term, values)
    if quasi_affine.is_proper(term) and facts.nonnegative(pool, term):
        assert value is not None and value >= 0


POOL = TermPool()
P, Q, N = (POOL.argument(k, INDEX) for k in range(3))


def form(constant: int, *parts: tuple[Term, int]) -> Term:
    return quasi_affine.combine(POOL, constant, parts)


def floor(term: Term, by: int) -> Term:
    return quasi_affine.floordiv(POOL, term, POOL.integer(by))


SHOWN = {
    "a bound of a bound": ((form(0, (P, 1)), form(0, (Q, 1), (P, -1))), floor(Q, 4), 0),
    "a floor of a difference": ((form(-1, (N, 1), (P, -1)),), form(1, (floor(form(0, (N, 1), (P, -1)), 2), 2)), 1),
    "strides": ((form(-5, (floor(N, 5), 5), (P, -1)),), form(-5, (N, 1), (P, -1)), 0),
    "a product": ((form(-2, (P, 1)), form(-3, (Q, 1))), quasi_affine.multiply(POOL, P, Q), 6),
    "the other side of a product": (
        (form(0, (P, 1)), form(2, (P, -1)), form(0, (Q, 1)), form(3, (Q, -1))),
        form(0, (quasi_affine.multiply(POOL, P, Q), -1)),
        -6,
    ),
    "floors of one number": ((), form(0, (floor(N, 4), 4), (floor(N, 8), -8)), 0),
}


@pytest.mark.parametrize("name", SHOWN)
def test_is_shown(name: str) -> None:
    """The bound is shown, and no more than that."""
    known, term, least = SHOWN[name]
    facts = NOTHING.with_known(POOL, *known)
    assert facts.nonnegative(POOL, form(-least, (term, 1)))
    assert not facts.nonnegative(POOL, form(-least - 1, (term, 1)))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(-9, 9), st.integers(-99, 99))
def test_a_floor_of_a_floor_is_one(first: int, second: int, more: int, value: int) -> None:
    nested = floor(form(more, (floor(P, first), 1)), second)
    assert evaluate(nested, (value, 0, 0)) == (value // first + more) // second
    whole = first * second
    assert whole == 1 or nested is floor(form(more * first, (P, 1)), whole)


@given(st.integers(1, 9), st.integers(2, 9), st.integers(1, 9), st.integers(-99, 99), st.integers(-99, 99))
def test_common_factors_of_a_floor_cancel(factor: int, by: int, other: int, more: int, value: int) -> None:
    term = floor(form(more, (P, factor * other)), factor * by)
    assert evaluate(term, (value, 0, 0)) == (factor * other * value + more) // (factor * by)
    assert term is floor(form(more // factor, (P, other)), by)


@given(st.integers(-30, 30), st.integers(0, 30), st.integers(1, 40))
def test_the_only_value_of_a_floor_is_known(low: int, length: int, by: int) -> None:
    facts = NOTHING.with_known(POOL, form(-low, (P, 1)), form(low + length, (P, -1)))
    values = {value // by for value in range(low, low + length + 1)}
    found = floor(P, by)
    if by > 1:
        assert facts.quotient(POOL, found) == (values.pop() if len(values) == 1 else None)
