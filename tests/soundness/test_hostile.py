"""Hostile input: within the limits there is an answer or a diagnostic, never a traceback."""

from __future__ import annotations

from random import Random

import pytest

from hecv.check import Options, check
from hecv.verdict.result import Report

from .hostile import PLAIN, Case, adversarial, spoiled

OPTIONS = Options(seconds=8.0, megabytes=4096)
CASES = tuple(adversarial(20))


def text(contents: bytes) -> str:
    return contents.decode("utf-8", "replace")


def require_answer(report: Report) -> None:
    """An error is one of the input, told by its name and place."""
    found = [*report.diagnostics, *(d for f in report.functions for d in f.diagnostics)]
    assert not report.internal and not any("Traceback" in d.message for d in found), found
    assert report.verdict != "error" or found
    for function in report.functions:
        assert function.verdict != "not-equivalent" or function.counterexample is not None


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_adversarial(case: Case) -> None:
    require_answer(check(text(case.source), text(case.target), ("s.mlir", "t.mlir"), OPTIONS))


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_spoiled(first: int) -> None:
    for seed in range(first, first + 20):
        require_answer(check(PLAIN, spoiled(PLAIN, Random(seed)), ("s.mlir", "t.mlir"), OPTIONS))


@pytest.mark.long
def test_many_spoiled() -> None:
    for seed in range(1_000, 2_500):
        require_answer(check(PLAIN, spoiled(PLAIN, Random(seed)), ("s.mlir", "t.mlir"), OPTIONS))
