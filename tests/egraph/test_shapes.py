"""Questions about shapes: what values refute before a solver is asked, and that they refute nothing that holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, FloatType, IndexType, IntType
from hecv.egraph.normal_forms.integer_terms import Maker
from hecv.smt.term_equality import EqualValues
from hecv.sweep.cut_sweeping.shape_prover import Facts, ShapeProver
from hecv.sweep.cut_sweeping.shape_samples import AIMED, STAGES, Samples
from hecv.sweep.cuts.leaf_cuts import Cut, Program, Shape

pytestmark = pytest.mark.egraph

I1, I16, I32, I64 = (IntType(width) for width in (1, 16, 32, 64))
F16 = FloatType("f16")

Sides = Callable[[TermPool, Maker], tuple[Term, Term]]


def _prover(sides: Sides, facts: Facts | None = None) -> tuple[ShapeProver, Shape]:
    """A prover, and the shape of a term and a literal, or one of its leaves."""
    pool, facts = TermPool(), facts or Facts(64)
    term, other = sides(pool, Maker(pool))
    became = {t.id: t for t in pool.terms()}
    kinds = facts.kinds
    program = Program(became, {t.id for t in pool.terms()}, kinds, {}, lambda t: kinds.of(t, list(t.args)))
    cut = Cut(term, program)
    shape = cut.literal(other) if other.op == "const" else cut.is_leaf(other.id)
    return ShapeProver(facts, lambda: True), shape


def _sum_is(pool: TermPool, make: Maker) -> tuple[Term, Term]:
    """`x + y + 770401121` is never 0: but where the sum of the leaves is what undoes the literal."""
    total = make("addi", make("addi", pool.argument(0, I32), pool.argument(1, I32)), make.number(770401121, I32))
    return make.compare("eq", total, make.number(0, I32)), make.number(0, I1)


def _mask_is(pool: TermPool, make: Maker) -> tuple[Term, Term]:
    """`zext(x) < y ^ 0x8afd8a87`, but where both are near."""
    small = make.cast("arith.extui", pool.argument(0, I16), I32)
    large = make("xori", pool.argument(1, I32), make.number(0x8AFD8A87, I32))
    return make.compare("ult", small, large), make.number(1, I1)


def _shifted_is(pool: TermPool, make: Maker) -> tuple[Term, Term]:
    """`(x >> 3) + 4261950379` is not below 16, but where `x` is what undoes it, shifted."""
    total = make("addi", make("shrsi", pool.argument(0, I32), make.number(3, I32)), make.number(4261950379, I32))
    return make.compare("ult", total, make.number(16, I32)), make.number(0, I1)


def _all_ones(pool: TermPool, make: Maker) -> tuple[Term, Term]:
    """Twelve bits are never all 1."""
    bits = pool.argument(0, I1)
    for k in range(1, 12):
        bits = make("andi", bits, pool.argument(k, I1))
    return bits, make.number(0, I1)


def _extremum(pool: TermPool, make: Maker) -> tuple[Term, Term]:
    """`max(x, y - 576460752303423488)` is `x`, for such `y` as seem to be small."""
    x, y = pool.argument(0, I64), pool.argument(1, I64)
    near = make("xori", make("subi", y, make.number(576460752303423488, I64)), x)
    return make("select", make.compare("ne", near, x), x, make("addi", x, make.number(1, I64))), x


def _compared(pool: TermPool, factor: float) -> tuple[Term, Term]:
    """`x * factor > 1.0` as a literal."""
    x, one = pool.argument(0, F16), pool.real(1.0, F16)
    product = pool.make("arith.mulf", (x, pool.real(factor, F16)), F16, ())
    return pool.make("arith.cmpf", (product, one), I1, (("predicate", "ogt"),)), pool.integer(0, I1)


def test_a_literal_may_be_a_float() -> None:
    """`x * 0.0 > 1.0` is false for every `x`, infinities and NaN too; `x * -2.0 > 1.0` is not."""
    prover, shape = _prover(lambda pool, make: _compared(pool, -2.0))
    assert prover.refutes(shape) and not prover(shape)
    prover, shape = _prover(lambda pool, make: _compared(pool, 0.0))
    assert not prover.refutes(shape)


REFUTED: list[Sides] = [_sum_is, _mask_is, _shifted_is, _all_ones, _extremum]


@pytest.mark.parametrize("sides", REFUTED, ids=lambda s: s.__name__)
def test_no_solver_is_asked_about_what_differs_near_a_literal(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> bool:
        raise AssertionError("a solver was asked")

    monkeypatch.setattr(EqualValues, "ask", asked)
    prover, shape = _prover(sides)
    assert not prover(shape)


def _square(pool: TermPool, make: Maker) -> tuple[Term, Term]:
    """The second bit of a square is 0."""
    x = pool.argument(0, I16)
    return make("andi", make("muli", x, x), make.number(2, I16)), make.number(0, I16)


def test_a_shape_that_holds_is_shown() -> None:
    prover, shape = _prover(_square)
    assert prover(shape)
    assert prover.uses == {"smt-window": 1}


def test_what_was_shown_or_refuted_of_other_programs_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts(64)
    for sides in (_square, _sum_is):
        prover, shape = _prover(sides, facts)
        prover(shape)
    monkeypatch.setattr(EqualValues, "ask", lambda *_: pytest.fail("a solver was asked"))
    monkeypatch.setattr(ShapeProver, "_differs", lambda *_: pytest.fail("values were tried"))
    again, shape = _prover(_square, facts)
    assert again(shape)
    assert (again.asked, again.uses) == (1, {"smt-window": 1})
    again, shape = _prover(_sum_is, facts)
    assert not again(shape)
    assert not again.asked


def test_what_there_was_no_time_for_is_asked_again() -> None:
    facts = Facts(64)
    _, shape = _prover(_square, facts)
    assert not ShapeProver(facts, lambda: False)(shape)
    assert ShapeProver(facts, lambda: True)(shape)


def test_what_a_solver_left_open_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts(64)
    prover, shape = _prover(_square, facts)
    with monkeypatch.context() as patched:
        patched.setattr(EqualValues, "ask", lambda *_: None)
        assert not prover(shape)
    assert ShapeProver(facts, lambda: True)(shape)


@pytest.mark.parametrize("type_", [I1, IntType(3), I16, I64, IntType(100), INDEX], ids=str)
def test_values_are_of_their_type(type_: IntType | IndexType) -> None:
    samples = Samples(64)
    width = 64 if isinstance(type_, IndexType) else type_.width
    least, most = (-(1 << 63), 1 << 63) if isinstance(type_, IndexType) else (0, 1 << width)
    near = samples.neighbours((5, 770401121, -1), type_)
    columns = [samples.drawn(2, type_, stage) for stage in range(len(STAGES))]
    columns += [samples.aimed(2, type_, near, aim) for aim in range(len(AIMED))]
    assert [len(c) for c in columns] == [*STAGES, *AIMED]
    assert all(isinstance(v, int) and least <= v < most for c in columns for v in c)
