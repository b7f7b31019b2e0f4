"""What many ranks compute as one term in the rank: its value for each rank is the term of the rank."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hecv.tensors.comprehension import Comprehension, Scalar, apply, leaf, real, select, sum_of
from hecv.tensors.generalisation import concatenated, generalised, reduced
from hecv.tensors.index_terms import Index, Variable, fresh
from hecv.tensors.substitution import substitute

RANKS = 5
X, W = leaf("x", (40,)), leaf("w", (40, 8))
I = fresh(8)  # noqa: E741


def variable(i: Index) -> Variable:
    found = i.terms[0][0]
    assert isinstance(found, Variable)
    return found


ALIKE: list[Callable[[int], Scalar]] = [
    lambda r: X[I],
    lambda r: X[I + 8 * r],
    lambda r: X[(I + 8 * r) // 2] * real(3 - r),
    lambda r: select(20 + r > I * 5, X[I + 8 * r], apply("exp", X[I])),
    lambda r: sum_of(8, lambda k: W[I + 8 * r, k] * X[k]),
    lambda r: sum_of(8, lambda k: sum_of(8, lambda n: W[k + 8 * r, n] * X[n + r])),
]

APART: list[Callable[[int], Scalar]] = [
    lambda r: X[I + r * r],
    lambda r: select(I + 8 * r < 20, X[I], apply("exp", X[I])),  # decided for some ranks
    lambda r: X[I * (r + 1)],
    lambda r: leaf(f"x{r}", (40,))[I],
    lambda r: X[I] if r else W[I, 0],
    lambda r: sum_of(8 - r, lambda k: X[k]),
    lambda r: apply("exp" if r else "log", X[I]),
    lambda r: X[(I + 3 * r) // 4],
]


@pytest.mark.parametrize("term", ALIKE)
def test_the_term_for_a_rank_is_that_of_the_rank(term: Callable[[int], Scalar]) -> None:
    rank = fresh(RANKS)
    found = generalised([term(r) for r in range(RANKS)], rank)
    assert found is not None
    for r in range(RANKS):
        # bound variables are new ones in each term: a second generalisation says whether terms are the same
        mine = substitute(found, {variable(rank): Index(r, ())})
        assert generalised([mine, term(r)] * 2, fresh(4)) is not None
        assert mine is term(r) or "sum" in repr(mine)


@pytest.mark.parametrize("term", APART)
def test_terms_that_differ_in_more_have_none(term: Callable[[int], Scalar]) -> None:
    assert generalised([term(r) for r in range(RANKS)], fresh(RANKS)) is None


def test_a_variable_bound_in_one_term_is_not_one_that_is_free_in_another() -> None:
    held: list[Scalar] = []
    bound = sum_of(8, lambda k: held.append(X[k]) or X[k])
    others = [sum_of(8, lambda k: X[k]) for _ in range(3)]
    assert generalised([bound, *others], fresh(4)) is not None
    assert generalised([bound * held[0], *(o * X[I] for o in others)], fresh(4)) is None


def test_an_element_of_many_parts_is_that_of_one_whole() -> None:
    parts = [Comprehension((8,), lambda i, r=r: X[i + 8 * r]) for r in range(RANKS)]
    place = fresh(40)
    assert concatenated(parts, 0, (place,)) is X[place]
    assert concatenated(parts, 0, (I + 16,)) is X[I + 16]
    assert concatenated(parts[:3], 0, (fresh(24),)) is None
    assert concatenated([*parts[:4], Comprehension((4,), lambda i: X[i])], 0, (place,)) is None
    assert concatenated([parts[k] for k in (1, 0, 2, 3)], 0, (fresh(32),)) is None


def test_terms_reduced_over_ranks() -> None:
    found = reduced("sum", [X[I + 8 * r] for r in range(RANKS)])
    assert found is not None and repr(found).startswith("sum[")
    assert reduced("sum", [X[I], X[I + 8]]) is None
