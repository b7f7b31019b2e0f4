"""Parallel loops under `--alias may`: those that access one argument race as in order they do, others may."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.verdict.result import FunctionReport
from hecv.verdict.switches import Switches

ARGUMENTS = "%A: memref<?xf32>, %B: memref<?xf32>, %n: index"


def loop(memory: str, op: str, parallel: bool, read: str = "%i", to: str | None = None) -> str:
    head = "affine.parallel (%i) = (1) to (%n)" if parallel else "affine.for %i = 1 to %n"
    return (
        f"{head} {{\n%x = affine.load {memory}[{read}] : memref<?xf32>\n%y = arith.{op} %x, %x : f32\n"
        f"affine.store %y, {to or memory}[%i] : memref<?xf32>\n}}\n"
    )


def function(*loops: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n{''.join(loops)}return\n}}"


def report(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> FunctionReport:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    options = Options(seconds=30, switches=Switches(may_overlap=True))
    return check(source, target, ("s.mlir", "t.mlir"), options).functions[0]


TWO = function(loop("%A", "addf", False), loop("%B", "mulf", False))


def test_loops_over_one_argument_each(monkeypatch: pytest.MonkeyPatch) -> None:
    target = function(loop("%A", "addf", True), loop("%B", "mulf", True))
    found = report(TWO, target, monkeypatch)
    assert (found.verdict, found.engine) == ("equivalent", "dataflow")
    assert report(target, TWO, monkeypatch).verdict == "equivalent"


def test_loops_that_change_places(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(TWO, function(loop("%B", "mulf", True), loop("%A", "addf", True)), monkeypatch)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None and found.counterexample.kind == "value"


def test_a_race_within_one_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    in_order, at_once = (function(loop("%A", "addf", parallel, "%i - 1")) for parallel in (False, True))
    found = report(in_order, at_once, monkeypatch)
    assert found.counterexample is not None and found.counterexample.kind == "race"


def test_a_race_between_two_arguments_is_not_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the second begins an element later, the loop in order has a result, and the parallel one a race."""
    in_order, at_once = (function(loop("%A", "addf", parallel, to="%B")) for parallel in (False, True))
    found = report(in_order, at_once, monkeypatch)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None and found.counterexample.kind == "race"
    assert report(at_once, in_order, monkeypatch).verdict == "unknown"
