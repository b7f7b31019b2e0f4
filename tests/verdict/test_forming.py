"""The normal forms of a long pair are made beside its runs: the verdict is that of one process, and none is left."""

from __future__ import annotations

import os

import pytest
from msgspec.structs import replace
from tests.kernel.pairs import Pair, of_files

from hecv.claim.result import FunctionReport
from hecv.process.forked_child import Beside
from hecv.prove.pair import normal_form_identity
from hecv.verdict.decision import decide

ONE_BY_ONE = """func.func @f(%A: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xf32>
    %b = arith.mulf %a, %x : f32
    affine.store %b, %A[%i] : memref<8xf32>
  }
  return
}"""
TWO_BY_TWO = """func.func @f(%A: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 step 2 {
    %a = affine.load %A[%i] : memref<8xf32>
    %b = arith.mulf %a, %x : f32
    affine.store %b, %A[%i] : memref<8xf32>
    %c = affine.load %A[%i + 1] : memref<8xf32>
    %d = arith.mulf %c, %x : f32
    affine.store %d, %A[%i + 1] : memref<8xf32>
  }
  return
}"""
UNROLLED = Pair(ONE_BY_ONE, TWO_BY_TWO)
WRONG = Pair(ONE_BY_ONE, TWO_BY_TWO.replace("mulf %c", "mulf %a"))
SUM = """func.func @f(%A: memref<8xi32>, %x: i32) -> i32 {
  %s = affine.for %i = 0 to 8 iter_args(%t = %x) -> i32 {
    %a = affine.load %A[%i] : memref<8xi32>
    %b = arith.addi %t, %a : i32
    affine.yield %b : i32
  }
  return %s : i32
}"""
SHORT_SUM = Pair(SUM, SUM.replace("0 to 8", "0 to 7"))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, started: list[Beside]) -> list[Beside]:
    """The processes that are started, for short pairs, too."""
    monkeypatch.setattr(normal_form_identity, "LONG", 1)
    return started


def _decided(pair: Pair, cores: int) -> FunctionReport:
    return decide(replace(pair.task(), cores=cores), lambda stage, runs: None)


def _nothing_runs() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


TILED = "affine-loop-tile/partial-tiles"
"""Its forms are two programs, which array dataflow shows equal."""


@pytest.mark.parametrize("pair", [UNROLLED, WRONG, SHORT_SUM, of_files(TILED), of_files(TILED, bad=True)])
def test_forms_are_made_beside_the_runs(pair: Pair, begun: list[Beside]) -> None:
    alone = _decided(pair, 1)
    assert not begun
    report = _decided(pair, 2)
    assert len(begun) == 1
    assert (report.verdict, report.engine, report.rules) == (alone.verdict, alone.engine, alone.rules)
    assert (report.counterexample, report.localization) == (alone.counterexample, alone.localization)
    assert report.runs and _nothing_runs()


def test_one_form_is_a_proof(begun: list[Beside]) -> None:
    report = _decided(UNROLLED, 2)
    assert begun and (report.verdict, report.engine) == ("equivalent", "form")
    assert [(rule.name, rule.uses) for rule in report.rules] == [("same-normal-form", 1)]


def test_what_dataflow_shows_beside_the_runs_is_not_asked_here(
    begun: list[Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    def here(*given: object) -> None:
        raise AssertionError("this process proves the pair")

    monkeypatch.setattr("hecv.prove.dataflow.array_dataflow.prove", here)
    report = _decided(of_files(TILED), 2)
    assert begun and (report.verdict, report.engine) == ("equivalent", "dataflow")
    assert report.proof is not None and report.proof.visits


def test_a_process_that_fails_is_done_without(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Beside, "result", lambda self: self.end())
    report = _decided(UNROLLED, 2)
    assert begun and (report.verdict, report.engine) == ("equivalent", "form")


def test_forms_are_compared_here_where_nothing_was_run(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether no input is defined is asked of isl in that case."""
    monkeypatch.setattr("hecv.refute.input_search.Search.first_search", lambda self, seconds, most: None)
    report = _decided(UNROLLED, 2)
    assert begun and (report.verdict, report.engine, report.runs) == ("equivalent", "form", 0)
