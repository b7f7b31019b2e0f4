"""Whole processes: `hecv` is run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import hecv

PACKAGE = str(Path(hecv.__file__).parent.parent)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a process ended and what it wrote."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder with files, and `hecv` to run in it."""

    folder: Path

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(dedent(text).lstrip("\n"))
        return name

    def run(self, *arguments: str, given: str | None = None, **environment: str) -> Answer:
        env = {k: v for k, v in os.environ.items() if not k.startswith("HECV_")}
        env |= {"PYTHONPATH": PACKAGE, **environment}
        command = [sys.executable, "-m", "hecv", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=env, input=given, capture_output=True, text=True, timeout=120
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def check(self, source: str, target: str, *options: str, **environment: str) -> Answer:
        """`hecv check` on two texts, in `src.mlir` and `tgt.mlir`."""
        files = self.write("src.mlir", source), self.write("tgt.mlir", target)
        return self.run("check", *files, *options, **environment)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def verdict(shell: Shell) -> Callable[..., dict[str, Any]]:
    """The JSON report on two texts, with HECV_CROSSCHECK: every verdict has to survive it."""

    def ask(source: str, target: str, *options: str) -> dict[str, Any]:
        answer = shell.check(source, target, *options, "--format", "json", HECV_CROSSCHECK="1")
        report = answer.json()
        expected = {"equivalent": 0, "refines": 0, "not-equivalent": 1, "unknown": 3}
        if "equivalent" in options:
            expected["refines"] = 3
        assert answer.status == expected[report["verdict"]], answer
        return report

    return ask
