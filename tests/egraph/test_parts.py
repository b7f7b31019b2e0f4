"""A sweep in parts proves what a sweep in one does, and takes no step that does not hold here."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from tests.egraph.test_sweep import RIGHT, WRONG, Recipe, make
from tests.egraph.test_sweep import terms_of_path as terms

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IntType
from hecv.process.forked_child import Beside
from hecv.sweep.cut_sweeping import cut_sweep
from hecv.sweep.cut_sweeping.assumed_merges import Supposed
from hecv.sweep.cut_sweeping.cut_sweep import QuickSweep
from hecv.sweep.cut_sweeping.parallel_sweep import Parts
from hecv.sweep.cut_sweeping.representatives import Places
from hecv.sweep.cut_sweeping.shape_prover import Facts, ShapeProver
from hecv.sweep.cuts.fingerprints import Fingerprints
from hecv.sweep.cuts.merge_steps import Journal, Step, unpacked
from hecv.sweep.cuts.operator_kinds import Kinds
from hecv.sweep.cuts.poison_sources import Taints

I8 = IntType(8)


def _new(pool: TermPool, facts: Facts | None = None) -> tuple[QuickSweep, ShapeProver]:
    facts = facts or Facts(64)
    prover = ShapeProver(facts, lambda: True)
    return QuickSweep(pool, facts.kinds, prover, Taints(64, frozenset(), lambda t: False)), prover


@pytest.mark.one_in(6)
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("recipe", [*RIGHT[:2], Recipe("function", 1_000, 0), *WRONG[:2]], ids=lambda r: r.name)
def test_parts_prove_what_the_whole_does(recipe: Recipe, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _proved_in_parts(recipe, count, monkeypatch) == (not recipe.wrong)


def _proved_in_parts(recipe: Recipe, count: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a sweep in parts proves a pair; what took the place of a term has its value."""
    monkeypatch.setattr(cut_sweep, "LONG", 0)
    pool = TermPool()
    (source, target), *_ = make(recipe).paths
    outputs = [tuple(terms(pool, path)[k] for k in path.outputs) for path in (source, target)]
    orders = postorder(outputs[0]), postorder(outputs[1])
    sweep, prover = _new(pool)
    parts = Parts(sweep, pool, prover, orders, count)
    parts.begin()
    parts.finish()
    sweep.again(list(outputs[1]))
    ends = [(sweep.became(a), sweep.became(b)) for a, b in zip(*outputs, strict=True)]
    values = Fingerprints(samples=100, edges=30)
    found = [*orders[0], *orders[1]]
    for term in postorder((*found, *map(sweep.became, found))):
        values.of(term)
    for term in found:
        assert values.of(term) == values.of(sweep.became(term)), term
    return all(a is b for a, b in ends)


def test_parts_that_fail_beside_are_looked_at_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: QuickSweep) -> Journal:
        raise MemoryError

    monkeypatch.setattr(QuickSweep, "write_down", fails)
    test_parts_prove_what_the_whole_does(Recipe("function", 1_000, 0), 2, monkeypatch)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("recipe", [Recipe("function", 1_000, 0), WRONG[0]], ids=lambda r: r.name)
def test_what_is_supposed_wrongly_shows_nothing_wrong(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a part of which every other term is taken for something of the source that it is not."""
    seeming = Supposed._seeming  # pyright: ignore[reportPrivateUsage]
    strangers: dict[object, Term] = {}

    def wrong(self: Supposed, term: Term) -> Term | None:
        found = seeming(self, term)
        stranger = strangers.get(term.type)
        if found is not None:
            strangers[term.type] = found
        return stranger if found is not None and stranger is not None and term.id % 2 else found

    monkeypatch.setattr(Supposed, "_seeming", wrong)
    proved = _proved_in_parts(recipe, 2, monkeypatch)
    assert not (proved and recipe.wrong)


@pytest.mark.parametrize("turned", [False, True])
def test_a_term_of_the_target_is_taken_for_what_it_refines_alone(turned: bool) -> None:
    """`x * 2` refines `x + x nsw`, which may be poison, and may not be refined by it; the step is that of both."""
    pool, facts = TermPool(), Facts(64)
    x, two = pool.argument(0, I8), pool.make("const", (), I8, (("value", 2),))
    flagged = pool.make("arith.addi", (x, x), I8, (("overflow", "nsw"),))
    plain = pool.make("arith.muli", (x, two), I8)
    finding, _ = _new(pool, facts)
    finding.enter(postorder((flagged,)))
    finding.suppose(())
    journal = finding.write_down()
    finding.match(postorder((plain,)))
    ((_, step),) = journal.steps
    source, target = (plain, flagged) if turned else (flagged, plain)
    if turned:
        step = replace(step, shape=(*step.shape[:-1], step.shape[-1][::-1]))
    assert step.ends() == (source, target)
    sweep, _ = _new(pool, facts)
    sweep.enter(postorder((source,)))
    sweep.adopt_matches(postorder((target,)), {target.id: [step]}, ())
    sweep.finish()
    assert (sweep.became(target) is source) != turned
    assert sweep.one_way != turned


@pytest.mark.one_in(2)
def test_a_part_that_needs_a_kind_of_its_own_is_looked_at_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that numbers a type while it supposes what stands before its part has no results from there on."""
    suppose = QuickSweep.suppose
    results: list[object] = []

    def numbers(self: QuickSweep, target: Sequence[Term]) -> None:
        self._places._kinds.type_number(IntType(77))  # pyright: ignore[reportPrivateUsage]
        suppose(self, target)

    result = Beside.result

    def noted(self: Beside) -> object:
        results.append(result(self))
        return results[-1]

    monkeypatch.setattr(QuickSweep, "suppose", numbers)
    monkeypatch.setattr(Beside, "result", noted)
    assert _proved_in_parts(Recipe("function", 1_000, 0), 2, monkeypatch)
    assert results[0] is not None and set(results[1:]) == {None}


def test_what_was_begun_can_be_ended() -> None:
    pool = TermPool()
    (source, target), *_ = make(RIGHT[0]).paths
    source_order, target_order = (postorder(tuple(terms(pool, p)[k] for k in p.outputs)) for p in (source, target))
    sweep, prover = _new(pool)
    parts = Parts(sweep, pool, prover, (source_order, target_order), 2)
    parts.begin()
    parts.end()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def _double(pool: TermPool) -> tuple[Term, Term, Term]:
    """`x + x`, `x * 2` and `y * 2`."""
    x, y, two = pool.argument(0, I8), pool.argument(1, I8), pool.make("const", (), I8, (("value", 2),))
    return (
        pool.make("arith.addi", (x, x), I8),
        pool.make("arith.muli", (x, two), I8),
        pool.make("arith.muli", (y, two), I8),
    )


def _step(pool: TermPool) -> tuple[Step, Kinds]:
    """The step that a sweep takes to show that `x * 2` is `x + x`."""
    first, second, _ = _double(pool)
    sweep, prover = _new(pool)
    sweep.enter(postorder((first,)))
    journal = sweep.write_down()
    sweep.match(postorder((second,)))
    ((_, step),) = journal.steps
    assert step.ends() == (first, second)
    return step, prover.kinds


def _shows(pool: TermPool, kinds: Kinds, step: Step) -> bool:
    """Whether a step holds where no two of the terms are known to be equal."""
    places = Places(pool, kinds, Taints(64, frozenset(), lambda t: False), 64)
    for term in postorder(_double(pool)):
        place = places.known(term, True) or places.keep(term, False)
        places.settle(term, place)
    return places.shows(step)


def test_a_step_is_taken_where_it_holds() -> None:
    pool = TermPool()
    step, kinds = _step(pool)
    assert _shows(pool, kinds, step)


@pytest.mark.parametrize("row", range(4))
def test_a_step_about_other_terms_is_not_taken(row: int) -> None:
    pool = TermPool()
    step, kinds = _step(pool)
    first, _, other = _double(pool)
    for stranger in (other, other.args[0], first, pool.make("const", (), I8, (("value", 3),))):
        changed = replace(step, stands=(*step.stands[:row], stranger, *step.stands[row + 1 :]))
        if changed != step:
            assert not _shows(pool, kinds, changed), stranger


def test_steps_are_sent_with_new_literals_and_without_unknown_terms() -> None:
    pool = TermPool()
    step, kinds = _step(pool)
    size = step.stands[0].id + 1
    shapes, packed = Journal([(7, step)]).packed(len(pool.terms()), kinds)
    assert unpacked(pool, kinds, shapes, packed) == {7: [step]}
    literals = tuple(t if t.op == "const" or t.id < size else step.stands[0] for t in step.stands)
    shapes, packed = Journal([(7, replace(step, stands=literals))]).packed(size, kinds)
    assert any(isinstance(s, tuple) for s in packed[0][2])
    assert unpacked(pool, kinds, shapes, packed)[7][0].stands == literals
    assert Journal([(7, step)]).packed(size, kinds) == ([], [])


def test_what_fails_beside_has_no_result() -> None:
    def fails() -> int:
        raise ValueError

    assert Beside(lambda: [1, 2]).result() == [1, 2]
    assert Beside(fails).result() is None
    both = Beside(lambda: 1, fails, lambda: 2)
    assert [both.result() for _ in range(4)] == [1, None, None, None]
    both.end()
    all_three = Beside(lambda: 1, lambda: None, lambda: "3" * (1 << 20))
    assert [all_three.result() for _ in range(3)] == [1, None, "3" * (1 << 20)]
    left = Beside(lambda: 1)
    left.end()
    left.end()
