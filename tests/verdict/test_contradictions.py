"""A proof and a run that contradict each other are an error of hecv, with all that is needed to see it again."""

from __future__ import annotations

import pytest

from hecv import check as flow
from hecv.check import Options, check
from hecv.claim.result import FunctionReport, Report, exit_code, summarize
from hecv.dataflow.dataflow_proof import Proved, Statistics
from hecv.prove.dataflow import array_dataflow
from hecv.prove.dataflow.array_dataflow import Flow
from hecv.prove.pair.pair_context import Case

ADD = "func.func @f(%a: i32, %b: i32) -> i32 {\n  %s = arith.addi %a, %b : i32\n  return %s : i32\n}\n"
SUB = ADD.replace("addi", "subi")
NAMES = ("a.mlir", "b.mlir")


def claim(case: Case, operations: int) -> Flow:
    """A prover that proves everything."""
    assert case.pair is not None
    statistics = Statistics((1, 1), 1, 0)
    return Flow(case.pair, Proved(converse=True, one_way=None, initialised=True, safe=True, statistics=statistics))


@pytest.mark.parametrize("crosscheck", ["0", "1"])
def test_proof_of_what_a_run_refutes(monkeypatch: pytest.MonkeyPatch, crosscheck: str) -> None:
    monkeypatch.setattr(array_dataflow, "attempt", claim)
    monkeypatch.setenv("HECV_CROSSCHECK", crosscheck)
    report = check(ADD, SUB, NAMES, Options(seed=5))
    assert (report.verdict, report.internal, exit_code(report)) == ("error", True, 4)
    (diagnostic,) = report.diagnostics
    assert diagnostic.name == "proof-contradicts-run"
    for word in ("@f", "a.mlir b.mlir", "--seed 5", "%a = ", "%b = "):
        assert word in diagnostic.message


def test_exception_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(task: object, stage: object) -> FunctionReport:
        raise AssertionError("cannot be")

    monkeypatch.setattr(flow, "decide", fail)
    report = check(ADD, ADD, NAMES, Options())
    assert exit_code(report) == 4 and "AssertionError: cannot be" in report.diagnostics[0].message


@pytest.mark.parametrize(
    ("verdicts", "worst", "status"),
    [
        (["equivalent"], "equivalent", 0),
        (["equivalent", "refines"], "refines", 0),
        (["unknown", "refines"], "unknown", 3),
        (["unknown", "not-equivalent"], "not-equivalent", 1),
        (["not-equivalent", "error"], "error", 4),
    ],
)
def test_the_worst_counts(verdicts: list[str], worst: str, status: int) -> None:
    functions = tuple(FunctionReport("f", v) for v in verdicts)  # type: ignore[arg-type]
    report = summarize(Report("error", "refines", 0.0, 0), functions)
    assert (report.verdict, exit_code(report)) == (worst, status)


def test_relation_equivalent_asks_for_both_directions() -> None:
    report = summarize(Report("error", "equivalent", 0.0, 0), (FunctionReport("f", "refines"),))
    assert exit_code(report) == 3
