"""Sweeping: what takes the place of a term has its value, right rewrites are proved, and a wrong step never is."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IntType
from hecv.sweep.cuts.fingerprints import Fingerprints
from hecv.sweep.cuts.poison_sources import Taints
from hecv.sweep.cuts.term_windows import View, terms_of_shape, windows
from hecv.sweep.window_prover import WindowProver
from hecv.sweep.window_sweep import Sweep

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from datapath_pairs import Made, Recipe, draw, make
from datapath_rewriter import Datapath, evaluate

pytestmark = pytest.mark.egraph

I8, I16 = IntType(8), IntType(16)
RIGHT = [Recipe("function", lines, seed) for lines in (60, 150) for seed in range(6)]
WRONG = [Recipe("function", lines, seed, wrong=True) for lines in (40, 150) for seed in range(12)]


def terms_of_path(pool: TermPool, path: Datapath) -> list[Term]:
    found: list[Term] = []
    for node in path.nodes:
        kind = IntType(node.width)
        args = tuple(found[a] for a in node.args)
        if node.op == "input":
            found.append(pool.argument(node.value, kind))
        elif node.op == "constant":
            found.append(pool.integer(node.value, kind))
        else:
            flags = (("overflow", node.flag),) if node.flag else ()
            attrs = (("predicate", node.predicate),) if node.predicate else flags
            found.append(pool.make(f"arith.{node.op}", args, kind, attrs))
    return found


def _swept(made: Made) -> tuple[Sweep, list[tuple[Term, Term]], list[Term]]:
    """The sweep over the first function of a pair, its outputs on both sides, and all terms."""
    pool = TermPool()
    (source, target), *_ = made.paths
    outputs = [tuple(terms_of_path(pool, path)[k] for k in path.outputs) for path in (source, target)]
    orders = [postorder(o) for o in outputs]
    prover = WindowProver()
    sweep = Sweep(pool, prover, prover.is_proper, frozenset())
    sweep.run(*orders)
    return sweep, list(zip(*outputs, strict=True)), [*orders[0], *orders[1]]


def _equal(sweep: Sweep, outputs: list[tuple[Term, Term]]) -> bool:
    return all(sweep.became(a) is sweep.became(b) for a, b in outputs)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("recipe", RIGHT, ids=lambda r: r.name)
def test_what_takes_a_place_has_the_value(recipe: Recipe) -> None:
    sweep, _, terms = _swept(make(recipe))
    values = Fingerprints(samples=200, edges=50)
    for term in postorder((*terms, *map(sweep.became, terms))):
        values.of(term)
    for term in terms:
        assert values.of(term) == values.of(sweep.became(term)), term


@pytest.mark.one_in(6)
def test_right_rewrites_are_proved() -> None:
    found = [_equal(*_swept(make(recipe))[:2]) for recipe in RIGHT]
    assert sum(found) >= len(RIGHT) - 1, found


@pytest.mark.one_in(6)
@pytest.mark.parametrize("recipe", WRONG, ids=lambda r: r.name)
def test_a_wrong_step_is_not_proved(recipe: Recipe) -> None:
    assert not _equal(*_swept(make(recipe))[:2])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("shape", ["sum", "product"])
@pytest.mark.parametrize("wrong", [False, True])
def test_long_chains_in_any_order(shape: str, wrong: bool) -> None:
    assert _equal(*_swept(make(Recipe(shape, 1_000, 0, wrong)))[:2]) is not wrong  # type: ignore[arg-type]


def test_a_target_without_a_flag_refines() -> None:
    pool = TermPool()
    x, y = pool.argument(0, I8), pool.argument(1, I8)
    flagged = pool.make("arith.addi", (x, y), I8, (("overflow", "nsw"),))
    plain = pool.make("arith.addi", (y, x), I8)
    for source, target, equal in ((flagged, plain, True), (plain, flagged, False)):
        prover = WindowProver()
        sweep = Sweep(pool, prover, prover.is_proper, frozenset())
        sweep.run(postorder((source,)), postorder((target,)))
        assert (sweep.became(source) is sweep.became(target)) is equal
        assert sweep.one_way is equal


def test_literals_that_overflow_are_no_literal() -> None:
    """What an operator on literals computes is not its value where that is poison."""
    pool = TermPool()
    most, one = pool.integer(127, I8), pool.integer(1, I8)
    flagged = pool.make("arith.addi", (most, one), I8, (("overflow", "nsw"),))
    plain = pool.make("arith.addi", (most, one), I8)
    for target, equal in ((flagged, False), (pool.integer(128, I8), True)):
        prover = WindowProver()
        sweep = Sweep(pool, prover, prover.is_proper, frozenset())
        sweep.run(postorder((plain,)), postorder((target,)))
        assert (sweep.became(plain) is sweep.became(target)) is equal


def test_poison_of_a_choice() -> None:
    pool = TermPool()
    c, x, y = pool.argument(0, IntType(1)), pool.read(1, I8), pool.read(2, I8)
    one = pool.make("arith.select", (c, x, y), I8)
    same = pool.make("arith.select", (c, x, x), I8)
    both = pool.make("arith.addi", (x, y), I8)
    taints = Taints(64, {x.id, y.id}, lambda term: False)
    atoms = {t.id: taints.of(t) for t in postorder((one, same, both))}
    assert atoms[one.id] == {one.id}
    assert atoms[same.id] == {x.id}
    assert atoms[both.id] == {x.id, y.id}


def test_a_masked_choice_is_no_refinement_where_a_branch_may_be_poison() -> None:
    pool = TermPool()
    c, x, y = pool.argument(0, IntType(1)), pool.read(1, I8), pool.read(2, I8)
    source = pool.make("arith.select", (c, x, y), I8)
    mask = pool.make("arith.extsi", (c,), I8)
    apart = pool.make("arith.andi", (pool.make("arith.xori", (x, y), I8), mask), I8)
    target = pool.make("arith.xori", (y, apart), I8)
    for poisonous, equal in ((frozenset[int](), True), (frozenset({x.id, y.id}), False)):
        prover = WindowProver()
        sweep = Sweep(pool, prover, prover.is_proper, poisonous)
        sweep.run(postorder((source,)), postorder((target,)))
        assert (sweep.became(source) is sweep.became(target)) is equal


def test_windows_stop_at_what_both_have() -> None:
    pool = TermPool()
    x, y = (pool.make("arith.muli", (pool.argument(k, I16), pool.argument(2, I16)), I16) for k in (0, 1))
    source = pool.make("arith.addi", (x, y), I16)
    carry = pool.make("arith.shli", (pool.make("arith.andi", (x, y), I16), pool.integer(1, I16)), I16)
    target = pool.make("arith.addi", (pool.make("arith.xori", (x, y), I16), carry), I16)
    view = View(lambda t: t, lambda t: t.id, lambda t: bool(t.args))
    first, second = terms_of_shape(pool, next(windows(source, target, view)).shape())
    leaves = {t.id for t in postorder((first, second)) if t.op == "leaf"}
    assert first.op == second.op == "arith.addi" and len(leaves) == 2


@pytest.mark.parametrize("recipe", [*RIGHT[:8], *WRONG[:8]], ids=lambda r: r.name)
def test_pairs_are_what_they_claim(recipe: Recipe) -> None:
    made = make(recipe)
    lines, random = made.target.count("\n"), Random(1)
    assert made.steps * 100 >= 20 * lines or lines < 60
    agree = True
    for source, target in made.paths:
        trials = [draw(source, random) for _ in range(200)]
        agree &= all(evaluate(source, inputs) == evaluate(target, inputs) for inputs in trials)
    assert agree is not recipe.wrong


@pytest.mark.parametrize("recipe", RIGHT, ids=lambda r: r.name)
def test_pairs_are_not_equal_by_sharing_alone(recipe: Recipe) -> None:
    pool = TermPool()
    (source, target), *_ = make(recipe).paths
    sides = [[terms_of_path(pool, path)[k] for k in path.outputs] for path in (source, target)]
    assert sides[0] != sides[1]
