"""A long pair is swept beside the runs: the verdict is that of a sweep in one part, and no process is left behind."""

from __future__ import annotations

import os
from typing import Any, Literal

import pytest
from tests.egraph.test_sweep import Recipe, make

from hecv.base.term import Term, TermPool
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir import importer
from hecv.mlir.importer import parse, read_function
from hecv.normal.integers.idle_operators import comparable
from hecv.process.forked_child import Beside
from hecv.prove.pair.pair_context import Task
from hecv.prove.terms import sat_sweeping
from hecv.run.interpreter.outcome_analysis import terms_of
from hecv.sweep.cut_sweeping import cut_sweep, parallel_sweep
from hecv.verdict.decision import decide


def _task(recipe: Recipe, cores: int) -> Task:
    pair = make(recipe)
    modules = parse(pair.source, "src.mlir"), parse(pair.target, "tgt.mlir")
    name = "f" if recipe.shape == "loop" else "f0"
    return Task(modules, (name, name), (), Switches(), Strategy(), 0, crosscheck=False, cores=cores)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, started: list[Beside]) -> list[Beside]:
    """The processes that are started, with parts that short pairs have, too."""
    monkeypatch.setattr(sat_sweeping, "PART", 300)
    monkeypatch.setattr(cut_sweep, "LONG", 0)
    return started


def _nothing_runs() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


@pytest.mark.one_in(8)
@pytest.mark.parametrize("shape", ["function", "loop"])
@pytest.mark.parametrize("wrong", [False, True])
def test_a_long_pair_is_swept_beside_the_runs(
    shape: Literal["function", "loop"], wrong: bool, begun: list[Beside]
) -> None:
    recipe = Recipe(shape, 1_000, 0, wrong)
    alone = decide(_task(recipe, 1), lambda stage, runs: None)
    assert not begun
    report = decide(_task(recipe, 2), lambda stage, runs: None)
    assert len(begun) == 1
    assert report.verdict == alone.verdict == ("not-equivalent" if wrong else "equivalent")
    assert report.engine == alone.engine
    assert _nothing_runs()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("wrong", [False, True])
def test_the_source_is_entered_while_the_target_is_read(
    wrong: bool, begun: list[Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[bool] = []
    fits = sat_sweeping.Entered.fits

    def fitting(self: sat_sweeping.Entered, order: list[Term], poisonous: set[int]) -> bool:
        entered.append(fits(self, order, poisonous))
        return entered[-1]

    monkeypatch.setattr(sat_sweeping.Entered, "fits", fitting)
    monkeypatch.setattr(importer, "LONG", 0)
    report = decide(_task(Recipe("function", 1_000, 0, wrong), 2), lambda stage, runs: None)
    assert report.verdict == ("not-equivalent" if wrong else "equivalent")
    assert entered == [True] and len(begun) == 2
    assert _nothing_runs()


def test_what_was_entered_fits_a_pair_with_the_same_terms_and_leaves_that_may_be_poison(
    begun: list[Beside],
) -> None:
    pool, task = TermPool(), _task(Recipe("function", 1_000, 0), 1)
    source = comparable(pool, read_function(task.modules[0], "f0", pool))
    entered = sat_sweeping.enter(pool, source, 64, sat_sweeping.SECONDS)
    assert entered is not None and entered.fits(terms_of(source), set())
    assert not entered.fits(terms_of(source), {terms_of(source)[0].id})
    assert not entered.fits(terms_of(source)[:-1], set())


def test_equal_programs_are_not_swept(begun: list[Beside]) -> None:
    text = make(Recipe("function", 1_000, 0)).source
    modules = parse(text, "src.mlir"), parse(text, "tgt.mlir")
    task = Task(modules, ("f0", "f0"), (), Switches(), Strategy(), 0, crosscheck=False, cores=2)
    assert decide(task, lambda stage, runs: None).verdict == "equivalent"
    assert not begun


def test_parts_that_leave_much_open_are_swept_as_a_whole(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this pair a few terms are not found at once, in parts as in the whole."""
    monkeypatch.setattr(cut_sweep, "HOPELESS", 0)
    monkeypatch.setattr(parallel_sweep, "MISSING", 1_000_000)
    made: list[object] = []
    make_sweep = sat_sweeping._made  # pyright: ignore[reportPrivateUsage]

    def making(*given: Any) -> Any:
        made.append(given)
        return make_sweep(*given)

    monkeypatch.setattr(sat_sweeping, "_made", making)
    monkeypatch.setattr(sat_sweeping, "sliced", lambda functions, count: None)
    report = decide(_task(Recipe("function", 1_000, 0), 2), lambda stage, runs: None)
    assert report.verdict == "equivalent"
    assert begun and len(made) == 2


@pytest.mark.one_in(6)
def test_what_parts_do_not_find_the_whole_does(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    """Here another process finds nothing in its part of the target, and says that there is nothing."""

    def leaves_all(self: cut_sweep.QuickSweep, target: list[Term], *given: object) -> None:
        match(self, target, {}, {t.id for t in target})

    match = cut_sweep.QuickSweep.adopt_matches
    monkeypatch.setattr(cut_sweep.QuickSweep, "adopt_matches", leaves_all)
    monkeypatch.setattr(cut_sweep.QuickSweep, "again", lambda *given: False)
    report = decide(_task(Recipe("function", 1_000, 0), 2), lambda stage, runs: None)
    assert report.verdict == "equivalent"
