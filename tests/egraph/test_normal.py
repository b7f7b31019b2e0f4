"""Normal forms: what they identify is equal, and what is one polynomial is identified."""

from __future__ import annotations

import random
from itertools import product

import pytest

from hecv.base.ring_polynomials import MONOMIALS, boolean_product, boolean_sum, boolean_union, ring_product, ring_sum
from hecv.base.term import Term
from hecv.base.types import IntType
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.laws.all_laws import LAWS
from hecv.patterns.equations.constant_folding import Folder

from .terms import Terms, value

ENGINE = TermEngine(LAWS[:1])
"""Hardly any law: what it proves is proved by normal forms."""

RING = ("addi", "subi", "muli")
BITWISE = ("andi", "ori", "xori")


def _random(t: Terms, rng: random.Random, operators: tuple[str, ...], size: int) -> Term:
    known = [t.leaf(0), t.leaf(1), t.literal(rng.randrange(16)), t.literal(-1)]
    for _ in range(size):
        known.append(t.op(rng.choice(operators), rng.choice(known), rng.choice(known)))
    return known[-1]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("operators", [RING, BITWISE, RING + BITWISE])
@pytest.mark.parametrize("seed", range(30))
def test_sound(operators: tuple[str, ...], seed: int) -> None:
    rng, folder = random.Random(seed), Folder()
    width = rng.choice((1, 2, 3))
    t = Terms(IntType(width))
    for _ in range(20):
        left, right = (_random(t, rng, operators, rng.randrange(1, 6)) for _ in range(2))
        if not ENGINE.equal(left, right).proved:
            continue
        for leaves in product(range(1 << width), repeat=2):
            at = dict(enumerate(leaves))
            assert value(left, at, folder) == value(right, at, folder), (left, right)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", range(30))
def test_bitwise_operators_are_decided(seed: int) -> None:
    """One bit of each leaf decides: equal at all values of one bit, so equal."""
    rng, folder = random.Random(seed), Folder()
    t = Terms(IntType(1))
    for _ in range(20):
        left, right = (_random(t, rng, BITWISE, rng.randrange(1, 7)) for _ in range(2))
        equal = all(
            value(left, {0: a, 1: b}, folder) == value(right, {0: a, 1: b}, folder)
            for a, b in product(range(2), repeat=2)
        )
        assert ENGINE.equal(left, right).proved == equal, (left, right)


def test_a_cube_of_a_sum() -> None:
    t = Terms(IntType(17))
    x, y = t.leaf(0), t.leaf(1)
    s = t.op("addi", x, y)
    cube = t.op("muli", t.op("muli", s, s), s)

    def power(*factors: Term) -> Term:
        whole = factors[0]
        for factor in factors[1:]:
            whole = t.op("muli", whole, factor)
        return whole

    parts = [power(x, x, x), power(t.literal(3), x, x, y), power(y, x, y, t.literal(3)), power(y, y, y)]
    expanded = t.op("addi", t.op("addi", parts[2], parts[0]), t.op("addi", parts[1], parts[3]))
    assert ENGINE.equal(cube, expanded).proved
    assert not ENGINE.equal(cube, t.op("addi", expanded, t.literal(1))).proved


def test_the_modulus_counts() -> None:
    t = Terms(IntType(8))
    x = t.leaf(0)
    assert ENGINE.equal(t.op("muli", x, t.literal(256)), t.literal(0)).proved
    assert ENGINE.equal(t.op("shli", x, t.literal(8)), t.literal(0)).proved
    assert ENGINE.equal(t.op("shli", x, t.literal(7)), t.op("muli", t.literal(128), x)).proved
    assert not ENGINE.equal(t.op("shli", x, t.literal(1)), t.op("shli", x, t.literal(9))).proved


def test_complement_is_both_a_sum_and_bitwise() -> None:
    t = Terms(IntType(8))
    x, y = t.leaf(0), t.leaf(1)
    minus_one = t.literal(-1)
    assert ENGINE.equal(t.complement(x), t.op("subi", minus_one, x)).proved
    assert ENGINE.equal(t.complement(t.op("subi", minus_one, x)), x).proved
    left = t.op("andi", t.op("subi", minus_one, x), y)
    assert ENGINE.equal(left, t.complement(t.op("ori", x, t.complement(y)))).proved
    assert ENGINE.equal(t.op("addi", t.complement(x), t.op("addi", x, t.literal(1))), t.literal(0)).proved


def test_products_beyond_the_budget_are_none() -> None:
    many = {(k,): 1 for k in range(MONOMIALS)}
    assert ring_product([many, many], 0) is None
    assert ring_product([many, {(1,): 2}], 0) is not None
    sets = {frozenset((k,)): 1 for k in range(MONOMIALS)}
    assert boolean_product([sets, sets], 1) is None


def test_polynomials_cancel() -> None:
    assert ring_sum([({(1,): 3}, 1), ({(1,): 1}, -3)], 256) == {}
    assert ring_sum([({(1,): 128}, 2)], 256) == {}
    a = frozenset((1,))
    assert boolean_sum([{a: 5}, {a: 5}]) == {}
    assert boolean_union([{a: 7}, {a: 7}], 7) == {a: 7}
