"""Divisions by the length of a row: what they are, and what that claims."""

from __future__ import annotations

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, IntType
from hecv.dataflow.model.delinearized_subscripts import Claim, Rows
from hecv.mlir.read.memref_views import subscripts
from hecv.program.index import quasi_affine

POOL = TermPool()
N, M = POOL.extent(0, 1), POOL.extent(0, 2)
P, J, K = (POOL.induction(depth, INDEX) for depth in range(3))


def position(*parts: tuple[Term, ...]) -> Term:
    """The sum of the products."""
    total = POOL.integer(0)
    for factors in parts:
        product = POOL.integer(1)
        for factor in factors:
            product = quasi_affine.multiply(POOL, product, factor)
        total = quasi_affine.add(POOL, total, product)
    return total


def settled(at: Term, extents: tuple[Term, ...], plain: bool = True) -> tuple[tuple[Term | None, ...], list[Claim]]:
    rows = Rows(POOL, plain)
    return tuple(rows.subscript(index) for index in subscripts(POOL, at, extents)), rows.claims


def test_a_matrix() -> None:
    found, claims = settled(position((P, N), (J,)), (POOL.extent(0, 0), N))
    assert found == (P, J)
    assert set(claims) == {Claim(J, N)}


def test_more_dimensions() -> None:
    found, claims = settled(position((P, N, M), (J, M), (K,)), (POOL.extent(0, 0), N, M))
    assert found == (P, J, K)
    assert set(claims) == {Claim(K, M), Claim(J, N)}


def test_a_step_of_several_rows_and_a_constant() -> None:
    three = POOL.integer(3)
    found, claims = settled(position((P, N, three), (N,), (J,), (three,)), (POOL.extent(0, 0), N))
    assert found == (quasi_affine.combine(POOL, 1, ((P, 3),)), quasi_affine.add(POOL, J, three))
    assert set(claims) == {Claim(quasi_affine.add(POOL, J, three), N)}


def test_an_inner_dimension_of_known_extent() -> None:
    four = POOL.integer(4)
    found, claims = settled(position((P, N, four), (J, four), (K,)), (POOL.extent(0, 0), N, four))
    assert found[:2] == (P, quasi_affine.add(POOL, J, quasi_affine.floordiv(POOL, K, four)))
    assert Claim(quasi_affine.add(POOL, J, quasi_affine.floordiv(POOL, K, four)), N) in claims


@pytest.mark.parametrize("plain", [True, False])
def test_what_is_no_multiple_of_a_row(plain: bool) -> None:
    found, claims = settled(P, (POOL.extent(0, 0), N), plain)
    assert found == ((None, None) if plain else (POOL.integer(0), P))
    assert claims == ([] if plain else [Claim(P, N)] * 2)


def test_what_may_be_poison_does_not_cancel() -> None:
    read = POOL.read(7, INDEX)
    found, _ = settled(position((P, N), (read,)), (POOL.extent(0, 0), N))
    assert found == (None, None)


def test_a_literal_within_an_atom_is_no_number_of_rows() -> None:
    """A word that is cast may be computed with literals of its own type."""
    word = IntType(32)
    third = POOL.make("arith.divui", (POOL.argument(1, word), POOL.integer(3, word)), word)
    cast = POOL.make("arith.index_cast", (third,), INDEX)
    found, _ = settled(position((P, N), (cast,)), (POOL.extent(0, 0), N))
    assert found == (None, None)


def test_a_product_of_variables_stays() -> None:
    found, _ = settled(position((P, N), (P, J)), (POOL.extent(0, 0), N))
    assert found == (None, None)


def test_subscripts_of_known_extents_are_one_division_each() -> None:
    extents = tuple(map(POOL.integer, (5, 1, 4, 6)))
    at = POOL.argument(0, INDEX)
    assert list(subscripts(POOL, at, extents)) == [
        quasi_affine.floordiv(POOL, at, POOL.integer(24)),
        POOL.integer(0),
        quasi_affine.modulo(POOL, quasi_affine.floordiv(POOL, at, POOL.integer(6)), POOL.integer(4)),
        quasi_affine.modulo(POOL, at, POOL.integer(6)),
    ]
