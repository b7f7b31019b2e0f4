"""The quick sweep: what takes the place of a term has its value, right rewrites are proved, wrong ones never."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep

import pytest
from tests.egraph.test_sweep import RIGHT, WRONG, Made, Recipe, make
from tests.egraph.test_sweep import terms_of_path as terms

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IntType
from hecv.prove.terms.sat_sweeping import sweep_terms
from hecv.sweep.cut_sweeping import candidate_proof, cut_sweep
from hecv.sweep.cut_sweeping.candidate_refutation import Apart
from hecv.sweep.cut_sweeping.cut_sweep import QuickSweep
from hecv.sweep.cut_sweeping.shape_prover import Facts, ShapeProver
from hecv.sweep.cuts.fingerprints import Fingerprints
from hecv.sweep.cuts.leaf_cuts import Cut, Program, Shape, general
from hecv.sweep.cuts.operator_kinds import Kinds
from hecv.sweep.cuts.poison_sources import Taints
from hecv.sweep.window_prover import WindowProver
from hecv.sweep.window_sweep import closed

pytestmark = pytest.mark.egraph

I8, I1 = IntType(8), IntType(1)


def _sweep(pool: TermPool, poisonous: frozenset[int] = frozenset()) -> QuickSweep:
    facts, prover = Facts(64), WindowProver()
    taints = Taints(64, poisonous, lambda t: prover.is_proper(closed(pool, t, taints.is_opaque)))
    return QuickSweep(pool, facts.kinds, ShapeProver(facts, lambda: True), taints)


def _swept(made: Made) -> tuple[QuickSweep, list[tuple[Term, Term]], list[Term]]:
    """The sweep over the first function of a pair, its outputs on both sides, and all terms."""
    pool = TermPool()
    (source, target), *_ = made.paths
    outputs = [tuple(terms(pool, path)[k] for k in path.outputs) for path in (source, target)]
    orders = [postorder(o) for o in outputs]
    sweep = _sweep(pool)
    sweep.run(orders[0], orders[1])
    return sweep, list(zip(*outputs, strict=True)), [*orders[0], *orders[1]]


def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes all programs long ones, whose terms are looked at briefly first."""
    monkeypatch.setattr(cut_sweep, "LONG", 0)


def _equal(sweep: QuickSweep, outputs: list[tuple[Term, Term]]) -> bool:
    return all(sweep.became(a) is sweep.became(b) for a, b in outputs)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("recipe", [*RIGHT, Recipe("function", 1_000, 0)], ids=lambda r: r.name)
def test_what_takes_a_place_has_the_value(recipe: Recipe) -> None:
    sweep, outputs, found = _swept(make(recipe))
    values = Fingerprints(samples=200, edges=50)
    for term in postorder((*found, *map(sweep.became, found))):
        values.of(term)
    for term in found:
        assert values.of(term) == values.of(sweep.became(term)), term
    assert _equal(sweep, outputs)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("recipe", [*WRONG, Recipe("function", 1_000, 1, wrong=True)], ids=lambda r: r.name)
def test_a_wrong_step_is_not_proved(recipe: Recipe) -> None:
    assert not _equal(*_swept(make(recipe))[:2])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("recipe", [*RIGHT, *WRONG], ids=lambda r: r.name)
def test_a_brief_look_shows_as_much(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    _brief(monkeypatch)
    sweep, outputs, found = _swept(make(recipe))
    sweep.again([b for _, b in outputs])
    values = Fingerprints(samples=200, edges=50)
    for term in postorder((*found, *map(sweep.became, found))):
        values.of(term)
    for term in found:
        assert values.of(term) == values.of(sweep.became(term)), term
    assert _equal(sweep, outputs) is not recipe.wrong


def _quotients(pool: TermPool) -> tuple[Term, Term]:
    """A quotient of what is never negative, for a reason that hides behind a choice that is known, in two ways."""
    wide = IntType(32)
    narrow, y = pool.make("arith.extui", (pool.argument(0, I8),), wide), pool.argument(1, wide)
    chosen = pool.make("arith.select", (pool.integer(1, I1), narrow, y), wide)
    quotient = pool.make("arith.divsi", (chosen, pool.integer(32, wide)), wide)
    turned = pool.make("arith.xori", (narrow, pool.integer(1 << 31, wide)), wide)
    shifted = pool.make("arith.shrui", (turned, pool.integer(5, wide)), wide)
    return quotient, pool.make("arith.subi", (shifted, pool.integer(1 << 26, wide)), wide)


def test_what_only_a_second_look_shows_unites_its_users(monkeypatch: pytest.MonkeyPatch) -> None:
    _brief(monkeypatch)
    pool = TermPool()
    y = pool.argument(1, IntType(32))
    source, target = (pool.make("arith.muli", (t, y), y.type) for t in _quotients(pool))
    sweep = _sweep(pool)
    sweep.run(postorder((source,)), postorder((target,)))
    assert sweep.became(source) is not sweep.became(target)
    assert sweep.again((target,))
    assert sweep.became(source) is sweep.became(target)
    assert not sweep.one_way


def test_a_second_look_reaches_what_is_below_much_that_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    _brief(monkeypatch)
    pool = TermPool()
    quotient, total = _quotients(pool)
    other, part = total, pool.argument(1, IntType(32))
    for k in range(100):
        part = pool.make("arith.xori", (part, pool.integer(k * k + 1, part.type)), part.type)
        part = pool.make("arith.muli", (part, part), part.type)
        total = total if k % 5 else pool.make("arith.addi", (total, part), part.type)
    sweep = _sweep(pool)
    sweep.run(postorder((quotient,)), postorder((total,)))
    assert sweep.became(quotient) is not sweep.became(other)
    assert sweep.again((total,))
    assert sweep.became(quotient) is sweep.became(other)


def test_a_brief_look_opens_what_hides_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exclusive sum of a number and its remainder, of which what either has is the number, what both have the
    remainder."""
    _brief(monkeypatch)
    pool, kind = TermPool(), IntType(16)
    x, y = pool.argument(0, kind), pool.argument(1, kind)
    number = pool.make("arith.subi", (x, y), kind)
    rest, ones = pool.make("arith.remui", (number, pool.integer(64, kind)), kind), pool.integer(0xFFFF, kind)
    either, both = (pool.make(f"arith.{op}", (rest, number), kind) for op in ("ori", "andi"))
    target = pool.make("arith.andi", (either, pool.make("arith.xori", (both, ones), kind)), kind)
    source = pool.make("arith.xori", (rest, number), kind)
    sweep = _sweep(pool)
    sweep.run(postorder((source,)), postorder((target,)))
    assert sweep.became(source) is sweep.became(target)


def test_a_brief_look_opens_no_more_than_hides_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exclusive sum of numbers without a common bit, of which one is a remainder of a remainder."""
    _brief(monkeypatch)
    pool, kind = TermPool(), IntType(32)
    x, whole = pool.argument(0, kind), pool.integer(64, kind)
    high = pool.make("arith.shli", (pool.argument(1, kind), pool.integer(7, kind)), kind)
    inner = (
        pool.make("arith.remui", (x, pool.integer(8, kind)), kind),
        pool.make("arith.andi", (x, pool.integer(7, kind)), kind),
    )
    rests = [pool.make("arith.remui", (t, whole), kind) for t in inner]
    source = pool.make("arith.xori", (rests[0], high), kind)
    either, both = (pool.make(f"arith.{op}", (rests[1], high), kind) for op in ("ori", "andi"))
    target = pool.make("arith.subi", (either, both), kind)
    sweep = _sweep(pool)
    sweep.run(postorder((source,)), postorder((target,)))
    assert sweep.became(source) is sweep.became(target)


def test_a_literal_is_shown_by_what_took_the_places_of_operands() -> None:
    """A multiple of 16 and what is less than 16, as is seen once much is left out that changes nothing."""
    pool, kind = TermPool(), IntType(32)
    number = pool.make("arith.remui", (pool.argument(0, kind), pool.integer(16, kind)), kind)
    for k in range(2, 8):
        more = pool.make("arith.ori", (number, pool.argument(k, kind)), kind)
        number = pool.make("arith.andi", (more, number), kind)
    high = pool.make("arith.shli", (pool.argument(1, kind), pool.integer(4, kind)), kind)
    both = pool.make("arith.andi", (high, number), kind)
    sweep = _sweep(pool)
    sweep.run(postorder((both,)), ())
    assert sweep.became(both) is pool.integer(0, kind)


def test_what_is_a_literal_by_what_was_learnt_later_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_proof, "BRIEF", 0)
    pool, kind = TermPool(), IntType(32)
    small = pool.make("arith.remui", (pool.argument(0, kind), pool.integer(16, kind)), kind)
    high = [pool.make("arith.shli", (pool.argument(k, kind), pool.integer(4, kind)), kind) for k in (1, 2, 3, 4)]
    hidden = pool.make("arith.minui", (small, pool.make("arith.addi", (small, small), kind)), kind)
    both = [pool.make("arith.andi", (h, hidden), kind) for h in high]
    sweep = _sweep(pool)
    sweep._finding._as_literal = lambda term: None  # type: ignore[method-assign]
    sweep.run(postorder(tuple(both)), ())
    del sweep._finding._as_literal
    assert sweep.became(both[0]) is both[0]
    turned = [pool.make("arith.xori", (t, pool.integer((1 << 32) - 1, kind)), kind) for t in (high[0], hidden)]
    target = pool.make("arith.xori", (pool.make("arith.ori", tuple(turned), kind), turned[0].args[1]), kind)
    zero = pool.integer(0, kind)
    sweep._matched = lambda term, exact: sweep._places.literal(term, 0) if term is target else None
    sweep.run((), postorder((target,)))
    assert sweep.became(both[0]) is zero


def test_a_flag_is_shown_not_to_be_broken_by_what_is_further_below() -> None:
    """A sum of what was narrowed after it had been widened."""
    pool, wide, wider = TermPool(), IntType(32), IntType(64)
    small = [pool.make("arith.extsi", (pool.argument(k, I8),), wider) for k in range(3)]
    inner = pool.make("arith.addi", (pool.make("arith.addi", (small[0], small[1]), wider), small[2]), wider)
    narrowed = pool.make("arith.trunci", (inner,), wide)
    one = pool.make("arith.extui", (pool.argument(3, I1),), wide)
    flagged = pool.make("arith.addi", (one, narrowed), wide, (("overflow", "nsw"),))
    orders = postorder((flagged,)), postorder((pool.make("arith.addi", (narrowed, one), wide),))
    done, _ = sweep_terms(pool, orders, set(), 64, 10.0)
    assert done.became(flagged) is done.became(orders[1][-1])
    assert not done.one_way


def test_time_that_others_take_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    run = QuickSweep.run

    def late(sweep: QuickSweep, source: list[Term], target: list[Term], exact: bool = False) -> None:
        sleep(0.3)
        run(sweep, source, target, exact)

    monkeypatch.setattr(QuickSweep, "run", late)
    pool = TermPool()
    x, y = pool.argument(0, I8), pool.argument(1, I8)
    either, both = (pool.make(f"arith.{op}", (x, y), I8) for op in ("ori", "andi"))
    orders = (
        postorder((pool.make("arith.xori", (x, y), I8),)),
        postorder((pool.make("arith.subi", (either, both), I8),)),
    )
    done, _ = sweep_terms(pool, orders, set(), 64, 0.25)
    assert done.became(orders[0][-1]) is done.became(orders[1][-1])


def test_flags_and_poison_of_leaves() -> None:
    pool = TermPool()
    x, y = pool.argument(0, I8), pool.read(1, I8)
    flagged = pool.make("arith.addi", (x, y), I8, (("overflow", "nsw"),))
    plain = pool.make("arith.addi", (y, x), I8)
    for source, target, equal in ((flagged, plain, True), (plain, flagged, False)):
        sweep = _sweep(pool, frozenset({y.id}))
        sweep.run(postorder((source,)), postorder((target,)))
        assert (sweep.became(source) is sweep.became(target)) is equal
        assert sweep.one_way is equal


def test_a_masked_choice_is_no_refinement_where_a_branch_may_be_poison() -> None:
    pool = TermPool()
    c, x, y = pool.argument(0, I1), pool.read(1, I8), pool.read(2, I8)
    source = pool.make("arith.select", (c, x, y), I8)
    apart = pool.make("arith.andi", (pool.make("arith.xori", (x, y), I8), pool.make("arith.extsi", (c,), I8)), I8)
    target = pool.make("arith.xori", (y, apart), I8)
    for poisonous, equal in ((frozenset[int](), True), (frozenset({x.id, y.id}), False)):
        sweep = _sweep(pool, poisonous)
        sweep.run(postorder((source,)), postorder((target,)))
        assert (sweep.became(source) is sweep.became(target)) is equal


def test_a_division_that_may_be_undefined_is_equal_on_equal_operands_only() -> None:
    pool = TermPool()
    x, y = pool.argument(0, I8), pool.argument(1, I8)
    zero = pool.make("arith.subi", (y, y), I8)
    quotient, other = (pool.make("arith.divui", (x, d), I8) for d in (zero, pool.make("arith.xori", (y, y), I8)))
    sweep = _sweep(pool)
    sweep.run(postorder((quotient,)), postorder((other, pool.make("arith.divui", (zero, zero), I8))))
    assert sweep.became(quotient) is sweep.became(other)
    assert sweep.became(quotient).op == "arith.divui"


@pytest.mark.parametrize("deep", [False, True])
def test_what_differs_in_a_wide_window_is_told_apart(deep: bool) -> None:
    pool = TermPool()
    a, b = pool.argument(0, I8), pool.argument(1, I8)
    ones = pool.integer(255, I8)
    both = pool.make("arith.andi", (a, b), I8)
    either = pool.make("arith.ori", (a, b), I8)
    inverse = pool.make("arith.xori", (b, ones), I8)
    rest = pool.make("arith.andi", (a, inverse), I8)
    same = pool.make("arith.subi", (a, rest), I8)
    sweep = _sweep(pool)
    sweep.run([a, b, both], [a, b, either, ones, inverse, rest, same])
    assert sweep.became(same) is both and sweep.became(either) is either
    told = {t: Apart(t, sweep._finding._questions, sweep._finding._proves, deep)(both) for t in (either, same)}
    assert told == {either: not deep, same: False}


def test_of_what_is_told_apart_in_a_brief_look_no_more_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    _brief(monkeypatch)
    monkeypatch.setattr(Fingerprints, "of", lambda self, term: (0,) * 32)  # all seem to be equal
    pool = TermPool()
    a, b = pool.argument(0, I8), pool.argument(1, I8)
    both, either = (pool.make(f"arith.{op}", (a, b), I8) for op in ("andi", "ori"))
    sweep = _sweep(pool)
    asked: list[Term] = []

    def further(term: Term, candidate: Term, deep: bool) -> Iterator[tuple[Cut, Shape]]:
        asked.append(candidate)
        yield from ()

    monkeypatch.setattr(sweep._finding._questions, "further", further)
    sweep.run([a, b, both], [a, b, either])
    assert sweep.became(either) is either and both not in asked


@pytest.mark.parametrize("divisor, equal", [(1, True), (2, False)])
@pytest.mark.parametrize("op", ["divui", "remui", "divsi", "remsi"])
def test_a_divisor_that_is_shown_to_be_a_literal_after_it_was_entered(op: str, divisor: int, equal: bool) -> None:
    """The source divides by `(x & 0xf0 & 0x0f) | 1`, and the target not at all."""
    pool = TermPool()
    x, y, z = (pool.argument(k, I8) for k in range(3))
    low = pool.make("arith.andi", (pool.make("arith.andi", (x, pool.integer(240, I8)), I8), pool.integer(15, I8)), I8)
    one = pool.make("arith.ori", (low, pool.integer(divisor, I8)), I8)
    quotient = pool.make(f"arith.{op}", (y, one), I8)
    source = pool.make("arith.muli", (quotient, z), I8)
    target = pool.make("arith.muli", (z, y), I8) if op.startswith("div") else pool.integer(0, I8)
    sweep = _sweep(pool)
    sweep.run(postorder((source,)), postorder((target,)))
    assert (sweep.became(source) is sweep.became(target)) is equal


def test_a_divisor_that_is_not_always_one_is_no_literal() -> None:
    """The divisor is 1 where the highest bit of `x` is 0."""
    pool = TermPool()
    x, y = pool.argument(0, I8), pool.argument(1, I8)
    one = pool.make("arith.ori", (pool.make("arith.shrui", (x, pool.integer(7, I8)), I8), pool.integer(2, I8)), I8)
    one = pool.make("arith.shrui", (one, pool.integer(1, I8)), I8)
    other = pool.make("arith.addi", (one, pool.make("arith.shrui", (x, pool.integer(7, I8)), I8)), I8)
    quotients = [pool.make("arith.divui", (y, d), I8) for d in (one, other)]
    sweep = _sweep(pool)
    sweep.run(postorder(tuple(quotients)), postorder((y,)))
    assert sweep.became(quotients[0]) is y
    assert sweep.became(quotients[1]) is not y


def test_shapes_without_their_literals() -> None:
    pool, kinds = TermPool(), Kinds(64)
    x = pool.argument(0, I8)
    became = {t.id: t for t in (x, *(pool.integer(k, I8) for k in (3, 5)))}
    program = Program(became, (), kinds, {}, lambda term: kinds.of(term, list(term.args)))
    shapes: list[Shape] = []
    for k in (3, 5):
        term = pool.make("arith.addi", (x, pool.integer(k, I8)), I8)
        shapes.append(Cut(term, program).literal(pool.integer(7, I8)))
    assert shapes[0] != shapes[1]
    assert general(shapes[0]) == general(shapes[1])
