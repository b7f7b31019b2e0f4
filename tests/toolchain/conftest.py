"""Tools as a user runs them: folders with MLIR files, and `hecv wrap` before a tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import hecv

PACKAGE = str(Path(hecv.__file__).parent.parent)
MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"
HECV = f"{sys.executable} -m hecv"

SUMS = """
func.func @twice(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @same(%a: i32) -> i32 {
  return %a : i32
}
"""

CHUNKS = """
func.func @first(%a: i32) -> i32 {
  %c = arith.constant 0 : i32
  %0 = arith.addi %a, %c : i32
  return %0 : i32
}
// -----
func.func @second(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %0 = arith.muli %a, %c : i32
  return %0 : i32
}
"""

WRONG = r"""
#!/bin/sh
# A tool like mlir-opt with a wrong pass: each sum becomes a difference.
exec {mlir_opt} "$@" | sed 's/arith.addi/arith.subi/'
"""


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder with a file of sums, a file of chunks, and the tool `wrong-opt`."""

    folder: Path

    @property
    def package(self) -> str:
        return PACKAGE

    @property
    def reports(self) -> Path:
        return self.folder / "reports"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def shell(self, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
        """The line run by bash, without what it writes to files before."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("HECV_")}
        path = f"{self.folder}:{Path(MLIR_OPT).parent}:{kept['PATH']}"
        env = kept | {"PATH": path, "PYTHONPATH": PACKAGE} | environment
        command = ["/bin/bash", "-o", "pipefail", "-c", line]
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, timeout=120, check=False)

    def wrapped(self, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
        """The line with reports, where `$T` is `hecv wrap --`."""
        return self.shell(line, T=f"{HECV} wrap --", HECV_REPORT_DIR=str(self.reports), **environment)

    def records(self) -> list[dict[str, Any]]:
        """The reports, by file name."""
        return [json.loads(path.read_text()) for path in sorted(self.reports.glob("*.json"))]

    def record(self) -> dict[str, Any]:
        """The only report."""
        (one,) = self.records()
        return one


def _furnished(folder: Path) -> Bench:
    made = Bench(folder)
    made.write("sums.mlir", SUMS)
    made.write("chunks.mlir", CHUNKS)
    made.write("wrong-opt", WRONG.format(mlir_opt=MLIR_OPT)).chmod(0o755)
    return made


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return _furnished(tmp_path / "wrapped")


@pytest.fixture
def bare(tmp_path: Path) -> Bench:
    """The same, to run tools in that are not wrapped."""
    return _furnished(tmp_path / "bare")
