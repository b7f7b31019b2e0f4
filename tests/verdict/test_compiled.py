"""Differences that MLIR's JIT finds where the interpreter does not come to an end."""

from __future__ import annotations

import pytest
from tests.kernel.pairs import Pair

from hecv.claim.result import FunctionReport
from hecv.prove.pair import pair_context
from hecv.refute import jit_runs
from hecv.verdict import refuted
from hecv.verdict.decision import decide

SOURCE = """
func.func @f(%A: memref<64x8xf32>, %B: memref<8xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 8 {
      %x = affine.load %A[%i, %j] : memref<64x8xf32>
      %s = affine.load %B[%j] : memref<8xf32>
      %t = arith.addf %s, %x : f32
      affine.store %t, %B[%j] : memref<8xf32>
    }
  }
  return
}
"""
LATE = SOURCE.replace("%A[%i, %j]", "%A[%i, 7 - %j]")
BEYOND = SOURCE.replace("%A[%i, %j]", "%A[%i, %j + %i floordiv 63]")
UNWRITTEN = SOURCE.replace("affine.store %t, %B", "affine.store %u, %B").replace(
    "      affine.store",
    "      %a = memref.alloc() : memref<1xf32>\n      %u = affine.load %a[0] : memref<1xf32>\n      affine.store",
)


def report(target: str, monkeypatch: pytest.MonkeyPatch, longer: int = 100_000) -> FunctionReport:
    """The verdict where an input is too long after 1,000 steps; a difference is confirmed by `longer` runs."""
    monkeypatch.setattr(pair_context, "BUDGET", 1_000)
    monkeypatch.setattr(refuted, "LONGER", longer)
    return decide(Pair(SOURCE, target).task(), lambda stage, runs: None)


def test_what_is_too_long_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(LATE, monkeypatch)
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.engines == ("slice", "jit")
    assert found.counterexample.kind == "value"


def test_what_the_interpreter_does_not_confirm_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(LATE, monkeypatch, longer=100)
    assert found.verdict == "unknown" and found.unknown is not None
    assert "MLIR's JIT finds a difference" in found.unknown.text
    assert "the interpreter does not finish in 100 steps" in found.unknown.text


@pytest.mark.one_in(6)
@pytest.mark.egraph
@pytest.mark.parametrize("target", [BEYOND, UNWRITTEN], ids=["beyond", "unwritten"])
def test_what_may_be_undefined_is_not_compiled(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the end of a buffer, and where nothing was written, code may do anything."""
    monkeypatch.setattr(jit_runs, "attempt", lambda *_: pytest.fail("the target may be undefined"))
    assert report(target, monkeypatch).verdict == "unknown"


def test_equal_ones_stay_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    target = SOURCE.replace("arith.addf %s, %x", "arith.addf %x, %s")
    assert report(target, monkeypatch).verdict == "equivalent"


def test_the_element_that_differs_is_enough_for_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes 64 of 512 iterations."""
    found = report(LATE, monkeypatch, longer=500)
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.engines == ("slice", "jit")
