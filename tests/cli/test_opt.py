"""`hecv opt` as a process, and what becomes of passes that end badly."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from hecv.check import Options
from hecv.mlir.passes.pass_pipeline import Pass
from hecv.mlir.passes.pass_runner import Ran, Stage, Trial
from hecv.mlir.passes.python_bindings import Bindings
from hecv.pipeline import PipelineReport, run_pipeline

from .conftest import Shell
from .programs import UNROLL
from .test_processes import FUNCTION_KEYS

BY_TWO = "affine-loop-unroll{unroll-factor=2}"
REPORT_KEYS = [
    *["schema", "verdict", "relation", "seconds", "seed", "versions", "diagnostics"],
    *["pipeline", "guilty", "not_run", "steps"],
]
STEP_KEYS = [
    *["pass", "options", "anchor", "pipeline", "verdict", "seconds", "ran", "changed", "source", "target"],
    *["unchanged", "functions", "diagnostics", "checked"],
]

DEAD_DIVISION = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %a : i32
}
"""

LOAD = """
func.func @f(%m: memref<4xi32>, %i: index) -> i32 {
  %q = memref.load %m[%i] : memref<4xi32>
  return %q : i32
}
"""

UNKNOWN_OP = """
func.func @f(%a: i32) -> i32 {
  %unused = arith.muli %a, %a : i32
  %b = llvm.or disjoint %a, %a : i32
  return %b : i32
}
"""


def opt(shell: Shell, text: str, pipeline: str, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the JSON report."""
    answer = shell.run("opt", shell.write("in.mlir", text), f"--pass-pipeline={pipeline}", "--format=json", *options)
    assert answer.err == ""
    return answer.status, answer.json()


def verdicts(report: dict[str, Any]) -> list[str]:
    return [step["verdict"] for step in report["steps"]]


# Verdicts and exit codes


@pytest.mark.one_in(2)
def test_the_first_refuted_pass_is_guilty(shell: Shell) -> None:
    status, report = opt(shell, UNROLL, f"canonicalize,{BY_TWO},cse,{BY_TWO}")
    assert (status, report["verdict"], report["guilty"]) == (1, "not-equivalent", 1)
    assert verdicts(report) == ["equivalent", "not-equivalent", "equivalent", "not-equivalent"]
    (function,) = report["steps"][1]["functions"]
    assert function["counterexample"]["inputs"]["arg0"] > 10


def test_each_step_is_checked_against_its_own_input(shell: Shell) -> None:
    """The second pass repairs nothing and breaks nothing: it is right about what it was given."""
    status, report = opt(shell, UNROLL, f"{BY_TWO},lower-affine")
    assert status == 1 and verdicts(report) == ["not-equivalent", "equivalent"]


def test_assumptions_use_the_names_of_the_file(shell: Shell) -> None:
    for tool in ([], ["--tool", "mlir-opt"]):
        status, report = opt(shell, UNROLL, f"{BY_TWO},lower-affine", "--assume", "lb <= 10", *tool)
        assert status == 0 and verdicts(report) == ["equivalent", "equivalent"]


def test_relation(shell: Shell) -> None:
    status, report = opt(shell, DEAD_DIVISION, "canonicalize")
    assert (status, verdicts(report)) == (0, ["refines"])
    status, report = opt(shell, DEAD_DIVISION, "canonicalize,cse", "--relation", "equivalent")
    assert (status, report["verdict"], verdicts(report)) == (3, "refines", ["refines", "equivalent"])
    answer = shell.run("opt", "in.mlir", "--pass-pipeline=canonicalize", "--relation=equivalent")
    assert (
        "\nrefines: @f (" in answer.out
        and "\nrefines: 1 of 1 pass is proved one way only: 1 (canonicalize) (" in answer.out
    )


def test_unknown(shell: Shell) -> None:
    status, report = opt(shell, UNKNOWN_OP, "cse,canonicalize")
    assert (status, report["verdict"], report["guilty"]) == (3, "unknown", None)
    answer = shell.run("opt", "in.mlir", "--pass-pipeline=cse,canonicalize,cse")
    assert answer.status == 3 and "unsupported-op: " in answer.out and "`llvm.or`" in answer.out
    assert "\nunknown: 1 of 3 passes is not proved: 1 (cse) (" in answer.out


@pytest.mark.one_in(6)
def test_what_stays_is_not_read(shell: Shell) -> None:
    """A program that cannot be read is still the same program."""
    status, report = opt(shell, UNKNOWN_OP, "symbol-dce,func.func(affine-loop-unroll)")
    assert status == 0 and verdicts(report) == ["equivalent", "equivalent"]
    assert [step["unchanged"] for step in report["steps"]] == [["f"], ["f"]]


def test_standard_input(shell: Shell) -> None:
    answer = shell.run("opt", "-", "--pass-pipeline", f"builtin.module(func.func({BY_TWO}))", given=UNROLL)
    assert answer.status == 1 and "input    %lb = 11" in answer.out
    assert "\x1b" not in answer.out + answer.err


# JSON


def test_json_keys(shell: Shell) -> None:
    status, report = opt(shell, UNROLL, f"{BY_TWO},cse,transform-interpreter,cse")
    assert status == 2 and list(report) == REPORT_KEYS and report["schema"] == "hecv.pipeline/1"
    assert all(list(step) == STEP_KEYS for step in report["steps"])
    assert list(report["steps"][0]["functions"][0])[: len(FUNCTION_KEYS)] == FUNCTION_KEYS
    assert (report["verdict"], report["guilty"], report["not_run"]) == ("error", 0, ["builtin.module(cse)"])
    assert [step["ran"] for step in report["steps"]] == [True, True, False]
    assert report["steps"][2]["diagnostics"][0]["name"] == "pass-failed"


def test_errors_are_objects_too(shell: Shell) -> None:
    for text, pipeline, options, name in [
        ("func.func", "cse", [], "parse-error"),
        ("module {}", "cse", [], "no-function"),
        (UNROLL, "cse,", [], "invalid-pipeline"),
        (UNROLL, "cs", [], "unknown-pass"),
        (UNROLL, "cse", ["--assume", "q >= 1"], "invalid-assumption"),
        (UNROLL, "cse", ["--func", "g"], "missing-function"),
        (UNROLL, "cse", ["--tool", "no-such-tool"], "tool-not-found"),
        (UNROLL, "cse", ["--save-steps", "in.mlir"], "file-unwritable"),
        (UNROLL, "cse", ["-o", "-"], "usage"),
        (UNROLL, "cse", ["-o", "no/such/folder/out.mlir"], "file-unwritable"),
    ]:
        status, report = opt(shell, text, pipeline, *options)
        assert (status, list(report), report["verdict"]) == (2, REPORT_KEYS, "error")
        assert (report["diagnostics"][0]["name"], report["steps"]) == (name, [])


# Files


def test_files_are_those_that_reports_name(shell: Shell) -> None:
    status, report = opt(shell, UNROLL, f"cse,{BY_TWO}", "--save-steps", "steps", "-o", "out.mlir")
    step = report["steps"][1]
    assert (status, step["source"], step["target"]) == (1, "steps/01-cse.mlir", "steps/02-affine-loop-unroll.mlir")
    again = shell.run("check", step["source"], step["target"])
    assert again.status == 1
    assert (shell.folder / "out.mlir").read_text() == (shell.folder / step["target"]).read_text()
    place = step["functions"][0]["localization"]["target"]
    line = (shell.folder / place["file"]).read_text().splitlines()[place["line"] - 1]
    assert line[place["column"] - 1 :].startswith(place["op"])


# Passes that end badly


class Scripted:
    """A runner whose passes of some names do something else."""

    def __init__(self, deeds: dict[str, Callable[[], object]]) -> None:
        self._deeds = deeds
        self._real = Bindings()

    def try_out(self, pipeline: str) -> Trial:
        return self._real.try_out(pipeline)

    def names(self) -> Iterable[str]:
        return self._real.names()

    def run(self, text: str, file: str, passes: Sequence[Pass], stage: Stage) -> Ran:
        texts: list[str] = []
        for number, one in enumerate(passes):
            stage(f"running {one}", number)
            self._deeds.get(one.name, lambda: None)()
            texts += self._real.run(texts[-1] if texts else text, file, [one], lambda stage, done: None).texts
        return Ran(tuple(texts))


def scripted(pipeline: str, name: str, deed: Callable[[], object], seconds: float = 60) -> PipelineReport:
    return run_pipeline(UNROLL, "in.mlir", pipeline, Scripted({name: deed}), Options(seconds=seconds))


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("deed", "seconds", "name", "word"),
    [
        (crash, 60, "pass-crashed", "symbol-dce crashed with SIGSEGV"),
        (lambda: os._exit(7), 60, "pass-crashed", "symbol-dce ended with status 7"),
        (lambda: time.sleep(60), 1, "pass-stopped", "symbol-dce: the time limit of 1 s was reached"),
        (lambda: bytearray(1 << 36), 60, "pass-stopped", "symbol-dce: the memory limit of 8192 MB was reached"),
    ],
)
def test_passes_before_one_that_ends_badly_are_checked(
    deed: Callable[[], object], seconds: float, name: str, word: str
) -> None:
    report = scripted(f"{BY_TWO},symbol-dce,cse", "symbol-dce", deed, seconds)
    assert (report.total.verdict, report.total.internal, report.final, report.guilty) == ("error", False, None, 0)
    assert [s.report.verdict for s in report.steps] == ["not-equivalent", "error"]
    (problem,) = report.steps[1].report.diagnostics
    assert (problem.name, problem.message) == (name, word)


def test_a_bug_of_hecv_is_told_as_one() -> None:
    report = scripted("cse", "cse", lambda: {}["missing"])
    assert report.total.internal and report.total.verdict == "error" and report.steps == ()
    assert report.total.diagnostics[0].name == "internal-error"


# Dialects that are not read


LOWERINGS = [
    "convert-to-llvm",
    "cse,convert-func-to-llvm,canonicalize,reconcile-unrealized-casts",
    "func.func(convert-arith-to-llvm),convert-func-to-llvm,cse",
]


@pytest.mark.parametrize("pipeline", LOWERINGS)
def test_a_lowering_of_scalars_is_decided(shell: Shell, pipeline: str) -> None:
    status, report = opt(shell, DEAD_DIVISION, pipeline)
    assert (status, report["verdict"]) == (0, "refines" if "cse" in pipeline else "equivalent")
    assert all(s["checked"] for s in report["steps"])


@pytest.mark.parametrize("pipeline", LOWERINGS)
def test_a_lowering_of_memory_is_unknown(shell: Shell, pipeline: str) -> None:
    status, report = opt(shell, LOAD, pipeline)
    assert (status, report["verdict"], report["not_run"]) == (3, "unknown", [])
    lowered = next(k for k, s in enumerate(report["steps"]) if s["pass"] in ("convert-to-llvm", "convert-func-to-llvm"))
    assert report["steps"][lowered]["functions"][0]["unknown"]["text"] == "the llvm dialect is not read"
    assert [s["checked"] for s in report["steps"]] == [k <= lowered for k in range(len(report["steps"]))]
    answer = shell.run("opt", "in.mlir", f"--pass-pipeline={pipeline}", "-o", "out.mlir")
    left = len(report["steps"]) - lowered - 1
    verb = "pass after it ran and is" if left == 1 else "passes after it ran and are"
    assert left == 0 or f"note: {left} {verb} not checked: the llvm dialect is not read" in answer.said
    assert "llvm.func @f" in (shell.folder / "out.mlir").read_text()


def test_what_is_wrong_before_a_lowering_is_refuted(shell: Shell) -> None:
    status, report = opt(shell, UNROLL, f"{BY_TWO},lower-affine,convert-to-llvm,cse")
    assert (status, report["verdict"], report["guilty"]) == (1, "not-equivalent", 0)
    assert verdicts(report)[2:] == ["unknown", "unknown"]
