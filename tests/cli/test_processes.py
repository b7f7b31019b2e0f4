"""Whole processes: exit status, stdout, stderr, and the JSON promised to other tools."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import PACKAGE, Shell
from .programs import ADD, FIRST, UNROLL, UNROLLED

REPORT_KEYS = [
    "schema",
    "verdict",
    "relation",
    "seconds",
    "seed",
    "versions",
    "diagnostics",
    "functions",
    "uncertified",
]
FUNCTION_KEYS = [
    *["name", "verdict", "evidence", "engine", "seconds", "assumptions", "rules", "conditions"],
    *["runs", "runs_skipped", "stop_reason", "unknown", "counterexample", "localization"],
]
DIAGNOSTIC_KEYS = {"severity", "name", "message", "file", "line", "column", "help"}


def error(shell: Shell, *arguments: str, given: str | None = None) -> dict[str, Any]:
    """The first diagnostic of a command that must be refused, as text and as JSON alike."""
    text = shell.run(*arguments, given=given)
    assert (text.status, text.out) == (2, "")
    answer = shell.run(*arguments, "--format", "json", given=given)
    report = answer.json()
    assert (answer.status, answer.err) == (2, "")
    assert list(report) == REPORT_KEYS and (report["schema"], report["verdict"]) == ("hecv.verdict/1", "error")
    first = report["diagnostics"][0]
    assert set(first) == DIAGNOSTIC_KEYS
    assert f"error[{first['name']}]: {first['message']}" in text.said
    return first


# Text


def test_equivalent_as_text(shell: Shell) -> None:
    answer = shell.check(ADD, ADD)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("equivalent: @f (proved; ")


def test_counterexample_as_text(shell: Shell) -> None:
    answer = shell.check(UNROLL, UNROLLED)
    lines = answer.out.splitlines()
    assert answer.status == 1
    assert lines[0].startswith("not equivalent: @unroll (")
    assert lines[1] == "  input    %lb = 11, %A = memref<?xi32> [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"
    assert lines[2] == "  source   %A = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"
    assert lines[3] == "  target   %A = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]"
    assert lines[4:8] == [
        "  --> tgt.mlir:18:7",
        "    |",
        " 18 |       affine.store %1, %arg1[%arg2] : memref<?xi32>",
        "    |       ^^^^^^^^^^^^ %A[9] is 2, expected 1",
    ]
    assert lines[8] == "   = note: both were run on this input by the interpreter and by MLIR's JIT"


def test_integers_have_their_sign_everywhere(shell: Shell) -> None:
    source = """
func.func @f(%A: memref<2xi32>, %p: i1) -> i1 {
  %c = arith.constant -3 : i32
  affine.store %c, %A[1] : memref<2xi32>
  return %p : i1
}"""
    answer = shell.check(source, source.replace("-3", "-4"))
    assert "%A[1] is -4, expected -3" in answer.out and "-3]" in answer.out
    negated = source.replace("  return %p", "  %t = arith.constant true\n  %q = arith.xori %p, %t : i1\n  return %q")
    assert "is true, expected false" in shell.check(source, negated).out


def test_relation(shell: Shell) -> None:
    flagged = ADD.replace(" : i32\n", " overflow<nsw> : i32\n", 1)
    assert shell.check(flagged, ADD).status == 0
    answer = shell.check(flagged, ADD, "--relation", "equivalent")
    assert answer.status == 3 and answer.out.startswith("refines: @f")


def test_no_colour_unless_on_a_terminal(shell: Shell) -> None:
    assert "\x1b" not in shell.check(ADD, FIRST).out


# JSON


def test_json_keys(shell: Shell) -> None:
    for target, status in ((ADD, 0), (FIRST, 1)):
        answer = shell.check(ADD, target, "--format=json", "--seed", "3")
        report = answer.json()
        assert (answer.status, answer.err) == (status, "")
        assert list(report) == REPORT_KEYS and report["seed"] == 3
        assert set(report["versions"]) >= {"hecv", "mlir"}
        (function,) = report["functions"]
        assert list(function)[: len(FUNCTION_KEYS)] == FUNCTION_KEYS


# Input that is refused


def test_missing_file(shell: Shell) -> None:
    shell.write("src.mlir", ADD)
    assert error(shell, "check", "src.mlir", "nowhere.mlir")["name"] == "file-not-found"


def test_empty_file(shell: Shell) -> None:
    assert error(shell, "check", shell.write("a.mlir", ADD), shell.write("b.mlir", " "))["name"] == "file-empty"


def test_binary_file(shell: Shell) -> None:
    (shell.folder / "b.mlir").write_bytes(b"ML\xefR\0\1")
    assert error(shell, "check", shell.write("a.mlir", ADD), "b.mlir")["name"] == "file-not-text"


def test_parse_error(shell: Shell) -> None:
    broken = shell.write("b.mlir", ADD.replace("addi %a", "addi %undefined"))
    first = error(shell, "check", shell.write("a.mlir", ADD), broken)
    assert (first["file"], first["line"], first["column"]) == ("b.mlir", 2, 19)
    assert first["message"] == "use of undeclared SSA value name"
    text = shell.run("check", "a.mlir", "b.mlir").err
    assert " 2 |   %s = arith.addi %undefined, %b : i32\n   |                   ^^^^^^^^^^" in text


def test_signatures_differ(shell: Shell) -> None:
    one = "func.func @f(%A: memref<8xf32>) {\n  return\n}\n"
    files = shell.write("a.mlir", one), shell.write("b.mlir", one.replace("8", "9"))
    first = error(shell, "check", *files)
    assert first["name"] == "signature-mismatch" and (first["file"], first["line"]) == ("b.mlir", 1)
    assert first["message"] == "@f has type (memref<9xf32>) -> (), expected (memref<8xf32>) -> ()"


def test_missing_function(shell: Shell) -> None:
    two = ADD + ADD.replace("@f", "@g")
    first = error(shell, "check", shell.write("a.mlir", two), shell.write("b.mlir", ADD + ADD.replace("@f", "@h")))
    assert first["name"] == "missing-function" and "@g" in first["message"] and first["file"] == "a.mlir"


def test_unknown_function_asked_for(shell: Shell) -> None:
    first = error(shell, "check", shell.write("a.mlir", ADD), shell.write("b.mlir", ADD), "--func", "g")
    assert first["name"] == "missing-function" and "@f" in first["help"]


def test_no_public_function(shell: Shell) -> None:
    empty = shell.write("a.mlir", "module {\n}\n")
    assert error(shell, "check", empty, empty)["name"] == "no-function"


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("lb <= ", 7, "expected a number"),
        ("m >= 1", 1, "name of an argument"),
        ("lb * lb >= 1", 4, "not linear"),
        ("lb != 1", 4, "comparison"),
        ("A >= 1", 1, "memref<?xi32>"),
        ("dim(A, 1) >= 1", 8, "below 1"),
        ("lb >= 1 2", 9, "end"),
    ],
)
def test_wrong_assumption(shell: Shell, text: str, column: int, word: str) -> None:
    files = shell.write("a.mlir", UNROLL), shell.write("b.mlir", UNROLLED)
    first = error(shell, "check", *files, "--assume", "lb <= 10", "--assume", text)
    assert first["name"] == "invalid-assumption" and word in first["message"]
    assert (first["file"], first["line"], first["column"]) == ("--assume", 2, column)


# Usage


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["check"],
        ["check", "a.mlir"],
        ["frobnicate"],
        ["check", "a", "b", "--format", "xml"],
        ["check", "a", "b", "--time-limit", "0"],
        ["check", "a", "b", "--time-limit", "nan"],
        ["check", "a", "b", "--seed", "x"],
        ["check", "-", "-"],
    ],
)
def test_usage_errors(shell: Shell, arguments: list[str]) -> None:
    answer = shell.run(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("error[usage]: ")


def test_usage_error_as_json(shell: Shell) -> None:
    assert error(shell, "check", "a.mlir")["name"] == "usage"


def test_standard_input(shell: Shell) -> None:
    name = shell.write("a.mlir", ADD)
    assert shell.run("check", "-", name, given=ADD).status == 0
    answer = shell.run("check", name, "-", given=FIRST)
    assert answer.status == 1 and "<stdin>:" in answer.out


# Limits and accidents


TILED = Path(__file__).parent.parent.parent / "benchmarks" / "polybench" / "cnn_forward_dyn.mlir"


def test_time_limit(shell: Shell) -> None:
    answer = shell.run(
        "check", str(TILED), str(TILED), "--engine", "dataflow", "--time-limit", "0.05", "--format", "json"
    )
    (function,) = answer.json()["functions"]
    assert answer.status == 3
    assert (function["unknown"]["reason"], function["stop_reason"]) == ("budget", "time-limit")


def test_memory_limit(shell: Shell) -> None:
    answer = shell.run(
        "check", str(TILED), str(TILED), "--engine", "dataflow", "--memory-limit", "1", "--format", "json"
    )
    (function,) = answer.json()["functions"]
    assert answer.status == 3
    assert function["unknown"]["reason"] in ("budget", "crash")
    assert function["stop_reason"] in ("memory-limit", None)


BETWEEN = """
func.func @f(%a: i64) -> i1 {
  %lo = arith.constant -5 : i64
  %hi = arith.constant 100 : i64
  %p = arith.cmpi sge, %a, %lo : i64
  %q = arith.cmpi slt, %a, %hi : i64
  %in = arith.andi %p, %q : i1
  return %in : i1
}
"""
BELOW = """
func.func @f(%a: i64) -> i1 {
  %c5 = arith.constant 5 : i64
  %c105 = arith.constant 105 : i64
  %s = arith.addi %a, %c5 : i64
  %in = arith.cmpi ult, %s, %c105 : i64
  return %in : i1
}
"""


@pytest.mark.parametrize("megabytes", ["2", "5", "10", "30", "50"])
def test_memory_that_does_not_hold_the_libraries(shell: Shell, megabytes: str) -> None:
    """Provers are loaded when they are needed: what fails then, Python's compiler or the loader, does not say why."""
    answer = shell.check(BETWEEN, BELOW, "--memory-limit", megabytes, "--format", "json")
    (function,) = answer.json()["functions"]
    assert (answer.status, function["verdict"]) in ((0, "equivalent"), (3, "unknown")), answer.out


def test_interrupted_while_it_waits_for_input(shell: Shell) -> None:
    name = shell.write("a.mlir", ADD)
    read, write = os.pipe()
    command = [sys.executable, "-m", "hecv", "check", name, "-"]
    env = {**os.environ, "PYTHONPATH": PACKAGE}
    process = subprocess.Popen(
        command,
        cwd=shell.folder,
        env=env,
        stdin=read,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A suite that runs in the background of a shell is started with interrupts ignored, and its children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(read)
        os.close(write)
    assert process.returncode == 130 and "Traceback" not in err


def test_ended_with_its_workers(shell: Shell) -> None:
    """Who ends a check, as `timeout` does, ends what it has started, too."""
    command = [sys.executable, "-m", "hecv", "check", "--engine", "theorems", str(TILED), str(TILED)]
    process = subprocess.Popen(command, cwd=shell.folder, env={**os.environ, "PYTHONPATH": PACKAGE})
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        while not (workers := started.read_text().split()):
            assert process.poll() is None
            time.sleep(0.005)
        process.terminate()
        assert process.wait(timeout=60) == 143
    finally:
        process.kill()
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_workers_end_with_a_process_that_is_killed() -> None:
    code = """
import time
from hecv.process.worker_pool import Limits, run_apart
run_apart(lambda stage: time.sleep(60), Limits(60.0, 1024), lambda stage, seconds: None)
"""
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PACKAGE})
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not (workers := started.read_text().split()):
        assert process.poll() is None
        time.sleep(0.01)
    handle = os.pidfd_open(int(workers[0]))
    time.sleep(0.5)  # until it has begun to live
    process.kill()
    process.wait()
    assert select.select([handle], [], [], 20)[0], "the worker goes on"
    os.close(handle)


# The other verbs


def test_graph(shell: Shell) -> None:
    name = shell.write("a.mlir", UNROLL)
    text = shell.run("graph", name)
    assert text.status == 0 and "%A" in text.out
    dot = shell.run("graph", name, "--format", "dot", "--func", "unroll")
    assert dot.status == 0 and dot.out.startswith("digraph")
    as_json = shell.run("graph", name, "--format", "json")
    assert as_json.status == 0 and as_json.json()["functions"][0]["name"] == "unroll"


def test_graph_errors(shell: Shell) -> None:
    unknown = '"my.op"(%a) : (i32) -> i32'
    name = shell.write("a.mlir", ADD.replace("arith.addi %a, %b : i32", unknown))
    assert shell.run("graph", name).status == 3
    assert shell.run("graph", name, "--func", "g").status == 2
    assert shell.run("graph", "nowhere.mlir").status == 2


def test_version(shell: Shell) -> None:
    assert shell.run("--version").out.startswith("hecv ")


def test_an_end_that_python_drops_comes_again() -> None:
    """Python ignores exceptions in finalisers and in what is called around a fork."""
    code = """
import os, signal, time
from hecv.cli.main import _stop
class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
signal.signal(signal.SIGTERM, _stop)
try:
    Dropped()
    time.sleep(30)
except KeyboardInterrupt:
    print("seen")
"""
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PACKAGE}
    )
    assert found.stdout == "seen\n" and "_Terminated" in found.stderr


FORGED = r"""
    func.func @f(%x: i32) -> i32 {
      %r = call @"g\0Aequivalent: @f\1B[2K"(%x) : (i32) -> i32 // \x1b[31m
      return %r : i32
    }
    func.func private @"g\0Aequivalent: @f\1B[2K"(i32) -> i32
""".replace(r"\x1b", "\x1b")
"""A name with a line of its own, which says a verdict, and a line with an escape in a comment."""


def test_a_program_prints_no_lines_of_its_own(shell: Shell) -> None:
    other = FORGED.replace("%r = call", "%y = arith.addi %x, %x : i32 %r = call").replace("(%x) :", "(%y) :")
    answer = shell.check(FORGED, other)
    assert answer.status == 1 and "\nequivalent" not in answer.out
    assert "@g\\u000aequivalent: @f\\u001b[2K" in answer.out and "\x1b" not in answer.out
    assert "// \\u001b[31m" in answer.out
    assert "\x1b" not in shell.run("graph", "src.mlir").out
