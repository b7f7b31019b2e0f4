"""Terms as entries: what is kept of them, and what is told apart."""

from __future__ import annotations

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, FloatType, IntType
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.egraph.total_terms import EXACT, TO_BITS, TO_EXACT, Dag
from hecv.laws.all_laws import LAWS
from hecv.ops import OPERATORS
from hecv.patterns.equations.constant_folding import Folder

from .terms import FLAGS, Terms

ENGINE = TermEngine(LAWS)


def linear(pool: TermPool, *args: Term, constant: int = 0) -> Term:
    attrs = (("constant", constant), ("coefficients", (1,) * len(args)))
    return pool.make("affine.linear", args, INDEX, attrs)


def test_flags_are_dropped() -> None:
    t, dag = Terms(), Dag.empty()
    x, y = t.leaf(0), t.leaf(1)
    plain = dag.enter(t.op("muli", x, y))
    assert dag.enter(t.op("muli", x, y, overflow="nsw")) == plain
    assert dag.enter(t.op("muli", x, y, overflow="none")) == plain
    assert dag.enter(t.op("muli", y, x)) != plain


@pytest.mark.parametrize("name", FLAGS)
def test_flags_change_no_value(name: str) -> None:
    folder, type_ = Folder(), IntType(3)
    for flag in FLAGS[name]:
        for pair in [(a, b) for a in range(8) for b in range(8)]:
            plain = folder.fold(f"arith.{name}", (), (type_, type_), type_, pair)
            assert folder.fold(f"arith.{name}", (flag,), (type_, type_), type_, pair) == plain


def test_a_predicate_is_kept() -> None:
    t, dag = Terms(), Dag.empty()
    x, y = t.leaf(0), t.leaf(1)
    assert dag.enter(t.compare("slt", x, y)) != dag.enter(t.compare("ult", x, y))


def test_exact_integers_and_bits_are_told_apart() -> None:
    t, dag = Terms(INDEX), Dag.empty()
    x, y = t.leaf(0), t.leaf(1)
    whole = dag.entries[dag.enter(linear(t.pool, x, y))]
    assert (whole.symbol.op, whole.symbol.type) == (TO_BITS, INDEX)
    inner = dag.entries[whole.args[0]]
    assert inner.symbol.type == EXACT
    assert [dag.entries[a].symbol.op for a in inner.args] == [TO_EXACT, TO_EXACT]


def test_wrapping_says_nothing_of_exact_integers() -> None:
    """`(x + 1) floordiv 2` over the integers differs from that of the sum that wraps, at the greatest `x`."""
    t = Terms(INDEX)
    x, one = t.leaf(0), t.literal(1)
    wrapping = t.op("addi", x, one)
    exact = linear(t.pool, x, constant=1)
    halves = [t.pool.make("affine.floordiv", (e,), INDEX, (("divisor", 2),)) for e in (wrapping, exact)]
    assert not ENGINE.equal(*halves).proved
    turned = t.op("addi", one, x)
    assert ENGINE.equal(halves[0], t.pool.make("affine.floordiv", (turned,), INDEX, (("divisor", 2),))).proved


def test_exact_sums_have_a_normal_form() -> None:
    t = Terms(INDEX)
    x, y, z = t.leaf(0), t.leaf(1), t.leaf(2)
    left = t.pool.make("affine.mul", (linear(t.pool, x, y), z), INDEX)
    right = linear(t.pool, *[t.pool.make("affine.mul", pair, INDEX) for pair in ((z, y), (x, z))])
    assert ENGINE.equal(left, right).proved


def test_what_shows_a_payload_is_no_function_of_equal_floats() -> None:
    t = Terms(FloatType("f32"))
    f, g = t.leaf(0), t.leaf(1)

    def bits(x: Term) -> Term:
        return t.op("bitcast", x, to=IntType(32))

    assert "arith.bitcast" in OPERATORS
    left, right = t.op("addf", f, g), t.op("addf", g, f)
    assert ENGINE.equal(left, right).proved
    assert ENGINE.equal(bits(left), bits(left)).proved
    assert not ENGINE.equal(bits(left), bits(right)).proved


def test_an_unknown_operator_is_a_function() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)

    def f(z: Term) -> Term:
        return t.pool.make("test.unknown", (z,), t.type)

    assert ENGINE.equal(f(t.op("addi", x, y)), f(t.op("addi", y, x))).proved
    assert not ENGINE.equal(f(x), f(y)).proved


def test_an_uninterpreted_operator_is_not_folded() -> None:
    t = Terms(FloatType("f32"))
    root = t.pool.make("math.exp", (t.literal(0.0),), t.type)
    assert not ENGINE.equal(root, t.literal(1.0)).proved


@pytest.mark.parametrize("width", [63, 64, 65, 128])
def test_literals_of_wide_types_are_folded(width: int) -> None:
    t = Terms(IntType(width))
    greatest = (1 << width) - 1
    source = t.op("divui", t.literal(greatest), t.literal(3))
    assert ENGINE.equal(source, t.literal(greatest // 3)).proved
    assert not ENGINE.equal(source, t.literal(greatest // 3 - 1)).proved
    total = t.op("remui", t.op("muli", t.literal(greatest), t.literal(greatest)), t.literal(10))
    assert ENGINE.equal(total, t.literal(1)).proved


def test_index_has_the_width_that_is_said() -> None:
    t = Terms(INDEX)
    square = t.op("muli", t.literal(1 << 16), t.literal(1 << 16))
    assert TermEngine(LAWS, index_width=32).equal(square, t.literal(0)).proved
    assert TermEngine(LAWS, index_width=64).equal(square, t.literal(1 << 32)).proved
    assert not TermEngine(LAWS, index_width=64).equal(square, t.literal(0)).proved
    negative = t.op("subi", t.literal(0), t.literal(1))
    assert ENGINE.equal(negative, t.literal(-1)).proved
