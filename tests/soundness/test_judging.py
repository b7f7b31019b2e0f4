"""What judges mutants: it sees what is wrong, and every kind of edit is made of some pair of the lit suite."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.claim.semantic_options import Switches
from hecv.mlir.importer import parse, read_alone
from hecv.prove.pair.pair_context import Known
from hecv.prove.pair.prover import Prover, Shown
from hecv.refute.input_search import Search

from . import attempts, judging
from .confirming import confirmed
from .judging import Judge, finishes
from .mutants import CERTAIN, EDITS, Edit, edits_of, kind_of, spelt
from .rearrangements import (
    drop_statement,
    fuse_loops,
    hoist_statement,
    parallel_loop,
    repeat_statement,
    reverse_loop,
    split_loop,
    swap_statements,
)
from .subjects import GROWERS, Subject, grown, options_of

pytestmark = pytest.mark.egraph

PROGRAM = """
func.func @f(%A: memref<?xi32>, %n: index, %x: i32) {
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<?xi32>
    %w = arith.addi %v, %x : i32
    affine.store %w, %A[%i] : memref<?xi32>
  }
  return
}
"""
PLAIN = Subject("plain", PROGRAM, PROGRAM.replace("addi %v, %x", "addi %x, %v"))
LIT_TESTS = Path(__file__).parents[2] / "lit_tests"


def columns(subject: Subject, every: int = 1, count: int = 3 * len(EDITS)) -> Counter[str]:
    judge = Judge([subject], 1, every)
    found = (judge(number) for number in range(count))
    return sum((Counter(j.columns) for j in found if j is not None), Counter[str]())


def outcomes(subject: Subject) -> list[tuple[str, ...] | None]:
    judge = Judge([subject], 1, 1000)
    found = (judge(number) for number in range(len(EDITS), 2 * len(EDITS)))
    return [None if one is None else one.columns for one in found]


def test_mutants_are_killed_or_equal() -> None:
    found = columns(PLAIN)
    assert found["killed"] > 5 and found["equivalent"] > 0 and not found["wrong"]
    assert found["tried"] == found["flow"] == found["killed"]
    assert found["mutants"] == sum(found[c] for c in ("killed", "open", "unknown", "refines", "equivalent"))


def test_a_proof_of_what_a_run_refutes_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "IDENTITY", _lying(attempts.IDENTITY))
    assert columns(PLAIN)["wrong"] > 5


def _lying(prover: Prover) -> Prover:
    return replace(prover, prove=lambda case, budget: Shown("lies", ()))


@pytest.mark.parametrize("engine", ["STRICTER", "INFORMED", "UNROLLED", "CLOSED_FORM"])
def test_engines_that_are_asked_last_are_held_to_runs(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what a run refutes `hecv check` asks them nothing."""
    monkeypatch.setattr(attempts, engine, _lying(getattr(attempts, engine)))
    monkeypatch.setattr(attempts, "PATIENT", ("last",))
    assert columns(PLAIN, count=len(EDITS))["wrong"] > 2


def test_a_verdict_that_runs_contradict_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def lies(first: object, second: object) -> bool:
        return True

    monkeypatch.setattr(judging, "same_program", lies)
    assert columns(PLAIN, every=1000)["wrong"] > 5


@pytest.mark.one_in(8)
def test_what_mutants_share_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of a source, and of terms, gives each mutant the columns that it has alone, unless the budget ended
    a proof there: of what is kept, isl's reading counts but once."""
    subjects = [PLAIN, *(s for s in map(grown, range(0, len(GROWERS), 3)) if finishes(s))]
    shared = [columns for subject in subjects for columns in outcomes(subject)]
    monkeypatch.setattr(judging._Shared, "known", property(lambda own: Known(), lambda own, given: None))
    alone = [columns for subject in subjects for columns in outcomes(subject)]
    assert len(shared) == len(alone)
    for ours, theirs in zip(shared, alone, strict=True):
        proved = ours is not None and not {"equivalent", "refines"}.isdisjoint(ours)
        assert ours == theirs or (proved and theirs == ("mutants", "open"))


@pytest.mark.one_in(8)
def test_what_licences_leave_open_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what a run of its own cannot tell, hecv's runs say it."""
    loose = PROGRAM.replace("i32", "f32").replace("addi", "addf")
    subject = Subject("loose", loose, loose.replace("addf %v, %x", "addf %v, %x fastmath<reassoc>"))
    asked: list[str] = []
    search = Search.search

    def noted(inputs: Search, seconds: float, most: int, steps: int | None = None) -> object:
        asked.append(inputs.functions[0].name)
        return search(inputs, seconds, most, steps)

    monkeypatch.setattr(Search, "search", noted)
    assert not columns(subject, every=1000)["wrong"] and asked


def test_switches_are_those_of_the_test() -> None:
    text = "// RUN: %exits 0 hecv check %S/a.src.mlir %s --fp real --assume nonneg --alias may | FileCheck %s\n"
    assert options_of(text) == (Switches(may_overlap=True, floats="real"), ("nonneg",))
    assert options_of("// RUN: %exits 0 hecv check %s %s --fp real") == (Switches(), ())


@pytest.mark.parametrize("edit", EDITS, ids=kind_of)
def test_no_kind_is_empty(edit: object) -> None:
    texts = (t.read_text() for t in sorted(LIT_TESTS.glob("verify/*/*.tgt.mlir")))
    number = EDITS.index(edit)  # type: ignore[arg-type]
    for text in texts:
        if not edits_of(text, edit, Random(0), 3):  # type: ignore[arg-type]
            continue
        judge = Judge([Subject("any", text, text)], 0, 1000)
        if judge(number) is not None:
            return
    pytest.fail("no pair has a mutant of that kind")


@pytest.mark.parametrize("number", range(len(GROWERS)))
def test_programs_grow_the_same_again_and_some_run(number: int) -> None:
    numbers = range(number, 8 * len(GROWERS), len(GROWERS))
    assert grown(number) == grown(number) != grown(numbers[1])
    assert any(map(finishes, map(grown, numbers)))


@pytest.mark.one_in(8)
def test_no_two_numbers_or_seeds_have_the_same_mutant_of_a_kind() -> None:
    subject = Subject("plain", PROGRAM, PROGRAM.replace("addi %v, %x", "addi %x, %v"))
    found = [
        (one.kind, one.digest)
        for seed in (0, 1, 2)
        for judge in (Judge([subject], seed, 1000, parts=2, growing=True),)
        for number in range(0, 4 * len(EDITS), 7)
        if (one := judge(number)) is not None
    ]
    assert len(found) > 20 and len(set(found)) == len(found)


def test_mlir_runs_what_is_called_equal() -> None:
    """What a reader takes for another program is seen by who does not read it."""
    module = parse(PROGRAM, "f.mlir")
    (target,) = (read_alone(module, "f", TermPool()),)
    runs = judging._outcomes(target, Random(0), 64)
    assert confirmed(module, target, runs, 64) == (True, None)
    other = parse(PROGRAM.replace("addi", "subi"), "f.mlir")
    ran, wrong = confirmed(other, target, runs, 64)
    assert ran and wrong is not None and "by MLIR" in wrong


def test_some_of_what_is_equal_is_compiled() -> None:
    found = columns(PLAIN, every=1000, count=len(EDITS))
    assert 0 < found["compiled"] <= found["equivalent"]


BOUNDED = """
func.func @f(%A: memref<8xi32>, %B: memref<8xi32>, %n: index) {
  affine.for %i = 0 to 8 {
    %v = affine.load %A[%i] : memref<8xi32>
    %w = arith.addi %v, %v : i32
    affine.store %w, %B[%i] : memref<8xi32>
    affine.store %v, %A[%i] : memref<8xi32>
  }
  affine.for %j = 0 to 8 {
    %x = affine.load %B[%j] : memref<8xi32>
    affine.store %x, %A[%j] : memref<8xi32>
  }
  return
}
"""


@pytest.mark.parametrize(
    ("edit", "line", "expected"),
    [
        (split_loop, 3, "affine.store %w, %B[%i] : memref<8xi32>\n}\naffine.for %i = 0 to 8 {\n%v = affine.load"),
        (fuse_loops, 3, "%zzx = affine.load %B[%i] : memref<8xi32>\naffine.store %zzx, %A[%i] : memref<8xi32>\n}\nret"),
        (reverse_loop, 9, "affine.apply affine_map<(d0)[] -> (7 - d0)>(%j)[]\n%x = affine.load %B[%zzr]"),
        (parallel_loop, 9, "affine.parallel (%j) = (0) to (8) {"),
        (swap_statements, 3, "{\naffine.for %j = 0 to 8 {"),
        (hoist_statement, 7, "{\naffine.store %v, %A[%i] : memref<8xi32>\naffine.for %i"),
        (drop_statement, 3, "{\naffine.for %j = 0 to 8 {"),
        (repeat_statement, 9, "return"),
    ],
)
def test_statements_are_rearranged_whole(edit: Edit, line: int, expected: str) -> None:
    lines = BOUNDED.split("\n")
    made = [m for m in (edit(lines, line - 1, Random(k)) for k in range(9)) if m is not None]
    assert any(expected in "\n".join(one.strip() for one in m) for m in made)
    assert edit is hoist_statement or all(parse("\n".join(m), "f.mlir") for m in made)


def test_edits_that_draw_nothing_say_so() -> None:
    lines = BOUNDED.split("\n")
    for edit in EDITS:
        made = [str([edit(lines, at, Random(k)) for at in range(len(lines))]) for k in range(30)]
        assert len(set(made)) == 1 or edit not in CERTAIN, kind_of(edit)


def test_a_program_is_spelt_otherwise() -> None:
    text = spelt(PROGRAM)
    assert '"arith.addi"(' in text and "%x" not in text
    assert spelt(text) == text
