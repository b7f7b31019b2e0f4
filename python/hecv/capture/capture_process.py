"""Runs the capture of a model in a child process within limits, so that a user's file cannot harm this process."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from hecv.base.diagnostics import Diagnostic, InputError, Location, Unsupported
from hecv.parameters.captured_model import (
    UNSUPPORTED_SIZES,
    Captured,
    CapturedGraph,
    FailedRun,
    Failure,
    from_plain,
)
from hecv.tensors.graph_files import graph_from_plain, read_archive
from hecv.tensors.tensor_graph import SizeSymbol, SourceLine

USAGE = "name a file and a function in it: model.py:f"

BESIDE: Final = 8192
"""Megabytes of address space for a framework's libraries and threads."""


class UnsupportedSizes(Unsupported):
    """A model with symbolic sizes that cannot be captured with these; what is known of other sizes does not count."""


def parse_spec(spec: str) -> tuple[str, str]:
    """The file and the function named by `FILE.py:FUNCTION`.

    Raises: InputError.
    """
    file, colon, function = spec.rpartition(":")
    if not colon or not file or not function.isidentifier():
        raise InputError(Diagnostic("error", "usage", f"`{spec}` does not name a model", help=USAGE))
    try:
        found = Path(file).is_file()
    except OSError as error:  # as of a name that is too long
        text = f"cannot read {file}: {error.strerror}"
        raise InputError(Diagnostic("error", "file-unreadable", text, help="check the path")) from error
    if not found:
        text = f"there is no file {file}"
        raise InputError(Diagnostic("error", "file-not-found", text, help="check the path and the folder you are in"))
    return file, function


def capture(spec: str, seconds: float, megabytes: int) -> Captured:
    """Captures the model named by `FILE.py:FUNCTION` as MLIR.

    Raises: InputError if there is none; Unsupported if it has an op that is not lowered.
    """
    found = _captured(spec, "mlir", seconds, megabytes)
    assert isinstance(found, Captured)
    return found


def capture_graph(spec: str, seconds: float, megabytes: int) -> CapturedGraph:
    """Captures the model named by `FILE.py:FUNCTION` as a graph of tensors.

    Raises: InputError if there is none; Unsupported if it has an op that no graph holds.
    """
    found = _captured(spec, "graph", seconds, megabytes)
    assert isinstance(found, CapturedGraph)
    return found


def _captured(spec: str, form: str, seconds: float, megabytes: int) -> Captured | CapturedGraph:
    file, function = parse_spec(spec)
    with tempfile.TemporaryDirectory(prefix="hecv-") as folder:
        out = Path(folder) / "model.npz"
        command = [sys.executable, "-m", "hecv.capture.capture_worker", file, function, str(out), form]
        said = run_child(command, seconds, megabytes)
        try:
            plain, arrays = read_archive(out)
        except (FileNotFoundError, ValueError):  # it ended before it wrote, or while it did
            text = f"the process that ran {spec} {said}"
            hint = "run the file with python to see why"
            raise InputError(Diagnostic("error", "model-crash", text, help=hint)) from None
    if "graph" in plain:
        graph = graph_from_plain(plain["graph"], arrays)
        failed = plain["failed"] and FailedRun(
            plain["failed"][0], plain["failed"][1] and SourceLine(*plain["failed"][1])
        )
        fixed, given, literals = (tuple(plain[key]) for key in ("fixed", "given", "literals"))
        sizes = tuple(SizeSymbol(*symbol) for symbol in plain["sizes"])
        return CapturedGraph(plain["framework"], graph, fixed, given, failed, literals, sizes)
    found = from_plain(plain)
    if isinstance(found, Captured):
        return found
    raise problem_of(found, file)


def run_child(command: list[str], seconds: float, megabytes: int, limited: int = resource.RLIMIT_AS) -> str:
    """Runs a child process within limits and says how it ended. `limited` is what may have so many megabytes."""
    process = subprocess.Popen(
        command, stdout=2, start_new_session=True, preexec_fn=lambda: _confine(megabytes, limited)
    )
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"took longer than the time limit of {seconds:g} s"
    finally:
        _end(process)
    if status < 0:
        return f"crashed with {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the child and everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _confine(megabytes: int, limited: int) -> None:
    hard = resource.getrlimit(limited)[1]
    wanted = (megabytes + BESIDE) << 20
    resource.setrlimit(limited, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def problem_of(failure: Failure, file: str) -> InputError | Unsupported:
    """The failure of a capture as an exception."""
    place = Location(failure.file or file, failure.line, 1) if failure.line else None
    if failure.name == UNSUPPORTED_SIZES:
        return UnsupportedSizes(failure.text, place)
    if failure.unsupported:
        return Unsupported(failure.text, place)
    return InputError(Diagnostic("error", failure.name, failure.text, place, failure.help))
