"""Pass runner for tools with the command line of mlir-opt: one process a pass."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location, Severity
from hecv.mlir.passes.pass_pipeline import Pass
from hecv.mlir.passes.pass_runner import CRASH, Ran, Stage, Trial, failed

_HEADER: Final = re.compile(r"^Pass Manager with \d+ passes:\n", re.MULTILINE)
_PASS: Final = re.compile(r"^  --([\w.-]+)", re.MULTILINE)
_MESSAGE: Final = re.compile(r"^(.*?):(\d+):(\d+): (error|warning|note): (.*)$")
_SEVERITIES: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "note": "note"}
NAME_TOOL: Final = "name a program with the command line of mlir-opt: `--tool mlir-opt=PATH`"
VERSIONS: Final = range(30, 15, -1)
"""LLVM versions, newest first: distributions install `mlir-opt-22`."""


class Tool(Struct, frozen=True):
    """A `Runner`: the passes of the program `path`."""

    path: str

    def try_out(self, pipeline: str) -> Trial:
        """The result of parsing the pipeline and running it on an empty module."""
        done = self._call("module {}\n", f"--pass-pipeline={pipeline}", "--dump-pass-pipeline")
        header = _HEADER.search(done.stderr)
        if header is None:
            self._require_mlir()
            return Trial(None, done.stderr or f"{self.path} ended with status {done.returncode}")
        expanded, _, said = done.stderr[header.end() :].partition("\n\n")
        return Trial(expanded, said)

    def run(self, text: str, file: str, passes: Sequence[Pass], stage: Stage) -> Ran:
        """Runs the passes, each on the text that the one before it printed."""
        texts: list[str] = []
        for number, one in enumerate(passes):
            stage(f"running {one}", number)
            arguments = ("--allow-unregistered-dialect", f"--pass-pipeline={one.pipeline}")
            done = self._call(texts[-1] if texts else text, *arguments)
            if done.returncode != 0:
                shown = file if not texts else None
                return Ran(tuple(texts), tuple(_problems(one, done, shown)))
            texts.append(done.stdout)
        return Ran(tuple(texts))

    def names(self) -> Iterable[str]:
        """The names of passes."""
        return _PASS.findall(self._call("", "--list-passes").stdout)

    def listing(self) -> str:
        """Help text for an unknown pass name."""
        return f"`{self.path} --list-passes` lists passes; without --tool passes are those of another version of MLIR"

    def _require_mlir(self) -> None:
        """Raises: InputError if the program is none with the command line of mlir-opt."""
        said = self._call("", "--version")
        if said.returncode != 0 or "LLVM" not in said.stdout:
            message = f"{self.path} does not take a pass pipeline: it is no mlir-opt"
            raise InputError(Diagnostic("error", "tool-not-runnable", message, help=NAME_TOOL))

    def _call(self, given: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Raises: InputError if the program cannot be started."""
        command = [self.path, *arguments]
        try:
            return subprocess.run(command, input=given, capture_output=True, text=True, errors="replace", check=False)
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            message = f"cannot run {self.path}: {reason}"
            raise InputError(Diagnostic("error", "tool-not-runnable", message, help=NAME_TOOL)) from None


def find_tool(given: str) -> Tool:
    """The tool named by `NAME`, `PATH` or `NAME=PATH`; a name is also tried with a version suffix, as distributions
    install it.

    Raises: InputError if there is none.
    """
    name, _, path = given.partition("=")
    wanted = [path] if path else [name, *(f"{name}-{version}" for version in VERSIONS)]
    found = next((where for where in map(shutil.which, wanted) if where), None)
    if found is None:
        if os.path.exists(path or name):
            message = f"{path or name} is no program that can be run"
            raise InputError(Diagnostic("error", "tool-not-runnable", message, help=NAME_TOOL))
        hint = "give its path, `--tool mlir-opt=PATH`, or leave --tool out: the bindings have most passes"
        raise InputError(Diagnostic("error", "tool-not-found", f"there is no program {path or name}", help=hint))
    return Tool(found)


def _problems(one: Pass, done: subprocess.CompletedProcess[str], file: str | None) -> Iterator[Diagnostic]:
    """The diagnostics of a failed run of the tool; locations are kept if they are in the user's file."""
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        yield Diagnostic("error", "pass-crashed", f"{one} crashed with {name}{_assertion(done.stderr)}", help=CRASH)
        return
    shown = [found for found in map(_MESSAGE.match, done.stderr.splitlines()) if found]
    if not any(found[4] == "error" for found in shown):
        yield failed(one, f"it ended with status {done.returncode}{_last_line(done.stderr)}")
    for found in shown:
        if not found[5].startswith("see current operation"):
            severity = _SEVERITIES[found[4]]
            message = found[5].strip() if severity == "note" else f"{one}: {found[5].strip()}"
            yield Diagnostic(severity, "pass-failed", message, _location(found, file))


def _location(found: re.Match[str], file: str | None) -> Location | None:
    line, column = int(found[2]), int(found[3])
    return Location(file, line, column) if file is not None and found[1] == "<stdin>" and line else None


def _assertion(said: str) -> str:
    line = next((line for line in said.splitlines() if "Assertion" in line or "UNREACHABLE" in line), None)
    return f": {line.strip()}" if line else ""


def _last_line(said: str) -> str:
    lines = said.strip().splitlines()
    return f": {lines[-1]}" if lines else ""
