"""An op is added by one function with its facts: then it is read, run, encoded, bounded, normalised, and decided."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import INDEX, IntType
from hecv.egraph.normal_forms.integer_identities import Alternatives
from hecv.egraph.normal_forms.integer_terms import Maker
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.laws.all_laws import LAWS
from hecv.normal.memory.reduction_updates import neutral
from hecv.ops import OPERATORS
from hecv.ops.op_facts import Facts
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.smt.term_equality import EqualValues
from hecv.sweep.cuts.operator_kinds import Kinds
from hecv.sweep.window_prover import WindowProver
from hecv.sweep.window_sweep import Sweep

from .saturating_sum import ADDED, llvm
from .test_facts import NO_FACTS, holds

pytestmark = pytest.mark.egraph

I8 = IntType(8)


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPERATORS, ADDED, llvm.operators[ADDED])


def leaves(pool: TermPool) -> tuple[Term, Term, Term]:
    x, y, z = (pool.make("leaf", (), I8, (("number", k), ("proper", True))) for k in range(3))
    return x, y, z


def of(pool: TermPool, *operands: Term) -> Term:
    return pool.make(ADDED, operands, I8)


def number(pool: TermPool, value: int) -> Term:
    return pool.integer(value, I8)


def test_its_facts_hold() -> None:
    facts = llvm.operators[ADDED].facts
    names = [n for n in Facts.__struct_fields__ if getattr(facts, n) != getattr(NO_FACTS, n)]
    assert len(names) == 6 and all(holds(ADDED, name, facts) for name in names)


def test_it_is_run_and_encoded() -> None:
    pool = TermPool()
    x, y, _ = leaves(pool)
    assert [Evaluator()(of(pool, x, y), pair) for pair in ((3, 4), (200, 100))] == [7, 255]
    assert EqualValues().ask(of(pool, x, y), of(pool, y, x), 5_000) is True
    assert EqualValues().ask(of(pool, x, y), pool.make("arith.addi", (x, y), I8), 5_000) is False


def test_its_chains_have_a_normal_form() -> None:
    """In any order and grouping, without zeros, and with how often each operand occurs."""
    pool, engine = TermPool(), TermEngine(LAWS)
    x, y, z = leaves(pool)
    whole = of(pool, of(pool, x, y), z)
    assert engine.equal(whole, of(pool, y, of(pool, z, of(pool, x, number(pool, 0))))).proved
    assert engine.equal(of(pool, of(pool, x, number(pool, 255)), y), number(pool, 255)).proved
    assert not engine.equal(whole, of(pool, y, of(pool, z, of(pool, x, x)))).proved
    assert not engine.equal(of(pool, x, x), x).proved


def test_its_bounds_decide_comparisons() -> None:
    pool = TermPool()
    make, (x, y, _) = Maker(pool), leaves(pool)
    low = [make("andi", t, number(pool, 3)) for t in (x, y)]
    (found,) = Alternatives(pool).of(make.compare("ult", of(pool, *low), number(pool, 7)))
    assert found is pool.integer(1, IntType(1))


def test_updates_by_it_have_a_neutral_operand() -> None:
    pool = TermPool()
    assert neutral(pool, ADDED, I8) is number(pool, 0)
    assert neutral(pool, ADDED, INDEX) is None


def test_the_sweep_exchanges_its_operands() -> None:
    pool = TermPool()
    x, y, z = leaves(pool)
    kind = Kinds(64).of(of(pool, x, y), [x, y])
    assert kind.commutative and kind.harmless and kind.folds and not kind.opaque
    prover = WindowProver()
    sweep = Sweep(pool, prover, prover.is_proper, frozenset())
    source, target = of(pool, of(pool, x, y), z), of(pool, z, of(pool, y, x))
    sweep.run(postorder((source,)), postorder((target,)))
    assert sweep.became(source) is sweep.became(target)


PROGRAM = """
func.func @f(%a: i32, %b: i32, %c: i32) -> i32 {{
  %0 = llvm.intr.uadd.sat({}, {}) : (i32, i32) -> i32
  %1 = llvm.intr.uadd.sat({}, {}) : (i32, i32) -> i32
  return %1 : i32
}}
"""
SOURCE = PROGRAM.format("%a", "%b", "%0", "%c")
TARGETS = {
    "equivalent": PROGRAM.format("%b", "%a", "%c", "%0"),
    "not equivalent": PROGRAM.format("%b", "%a", "%c", "%b"),
}
ADDED_BY = llvm.operators[ADDED].semantics.__module__
CHECK = f"""
import sys
import hecv.ops
from {ADDED_BY} import ADDED, llvm
hecv.ops.OPERATORS[ADDED] = llvm.operators[ADDED]
from hecv.cli.main import main
sys.exit(main(["check", *sys.argv[1:]]))
"""
"""`hecv check` with one more operator, before anything reads the table of them."""


@pytest.mark.parametrize("verdict", TARGETS)
def test_a_pair_over_it_is_decided(verdict: str, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("source.mlir", "target.mlir")]
    for file, text in zip(files, (SOURCE, TARGETS[verdict]), strict=True):
        file.write_text(text)
    command = [sys.executable, "-c", CHECK, *map(str, files)]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env={**os.environ, **paths}, capture_output=True, text=True)
    assert run.returncode == list(TARGETS).index(verdict), run.stderr
    assert run.stdout.startswith(f"{verdict}: @f")
