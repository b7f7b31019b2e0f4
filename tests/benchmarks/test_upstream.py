"""MLIR's own suite: which commands a test has, what becomes of its functions, and that a run goes on where it ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import upstream  # noqa: E402

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"

TEST = """// RUN: mlir-opt %s -allow-unregistered-dialect -canonicalize \\
// RUN:   -split-input-file 2>&1 | FileCheck %s
// RUN: mlir-opt %s -no-such-pass

func.func @sum(%a: i32) -> i32 {
  %c = arith.constant 0 : i32
  %0 = arith.addi %a, %c : i32
  return %0 : i32
}
func.func @same(%a: i32) -> i32 {
  return %a : i32
}

// -----

func.func @compared(%x: index) -> i1 {
  %c = index.constant 0
  %d = index.sub %c, %x
  %r = index.cmp sgt(%d, %c)
  return %r : i1
}
func.func @strange(%a: i32) -> i32 {
  %c = arith.constant 0 : i32
  %0 = arith.addi %a, %c : i32
  %1 = "some.op"(%0) : (i32) -> i32
  return %1 : i32
}
"""


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("RUN: mlir-opt %s -cse", [(("FILE", "-cse"),)]),
        ("RUN: mlir-opt < %s -cse > %t 2>&1", [(("-cse", "FILE"),)]),
        ("RUN: mlir-opt %s -a='b c' -verify-diagnostics | FileCheck %s", [(("FILE", "-a=b c"),)]),
        ("RUN: mlir-opt-22 %s -a | mlir-opt -b | FileCheck %s", [(("FILE", "-a"), ("-b",))]),
        ("RUN: mlir-opt %s -a && mlir-opt %s -b; not mlir-opt %s", [(("FILE", "-a"),), (("FILE", "-b"),)]),
        ("RUN: mlir-translate %s | mlir-opt -b", []),
        ("DEFINE: %{p} = -a %{q}\nDEFINE: %{q} = -b\nRUN: mlir-opt %s %{p}", [(("FILE", "-a", "-b"),)]),
        ("RUN: mlir-opt %s \\\nRUN: -a \\\nRUN: -b", [(("FILE", "-a", "-b"),)]),
        ("RUN: mlir-opt %s -o %t 2> %S/x", [(("FILE", "-o", "TMP/t"),)]),
    ],
)
def test_commands_of_a_test(tmp_path: Path, text: str, stages: list[tuple[tuple[str, ...], ...]]) -> None:
    file = tmp_path / "a.mlir"
    file.write_text("".join(f"// {line}\n" for line in text.splitlines()))
    found = [line.stages for line in upstream.lines_of(file, "TMP")]
    assert found == [tuple(tuple(w.replace("FILE", str(file)) for w in words) for words in line) for line in stages]


def run(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    script = str(ROOT / "benchmarks" / "upstream.py")
    command = [sys.executable, script, "--mlir-test", str(folder), "--tool", MLIR_OPT, *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def test_the_table(tmp_path: Path) -> None:
    """Two runs of a file; again, nothing is run, and the table is the same."""
    folder, out = tmp_path / "test", tmp_path / "out.json"
    (folder / "Dialect" / "Sum").mkdir(parents=True)
    (folder / "Dialect" / "Sum" / "a.mlir").write_text(TEST)
    arguments = ("--folders", "Sum", "--jobs", "1", "--seconds", "60", "--out", str(out))
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    row = json.loads(out.read_text())["folders"]["total"]
    counts = {"runs": 2, "not_compared": 1, "identical": 1, "changed": 3, "decided": 3, "refuted": 1}
    assert {name: row[name] for name in counts} == counts
    assert (row["registered"], row["registered_decided"], row["unknown"]) == (2, 2, {})
    assert "not-equivalent: @compared (chunk 2) Dialect/Sum/a.mlir:1" in done.stdout
    results = out.with_suffix(".jsonl")
    first = results.read_text()
    assert [json.loads(line)["stage"] for line in first.splitlines()] == [0, 0]
    results.write_text(first + '{"file": "Dialect/S')  # as where a run was killed
    assert run(folder, *arguments).stdout == done.stdout
    assert results.read_text() == first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--folders", "Nothing"), "no folder Nothing in"),
        (("--seconds", "0"), "--seconds is 0, expected more than 0"),
        (("--tool", "no-such-tool"), "no command no-such-tool; name one with --tool"),
        ((), "no RUN line calls mlir-opt in"),
    ],
)
def test_what_is_not_there(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 2 and said in done.stderr
