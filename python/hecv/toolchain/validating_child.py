"""A child process that validates a run of a tool: by a server, or by loading hecv while the tool runs.

Light: hecv is loaded only in the child.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
from contextlib import suppress
from time import monotonic
from typing import Any, Final, NamedTuple, NoReturn

from hecv.server.client import run_by_server
from hecv.toolchain.run_record import Run

BESIDE: Final = "--beside"
"""The option of `hecv wrap` by which a server takes the place of the child (`validate_beside`)."""

PIECE: Final = 1 << 16
FILES: Final = 1 << 12
"""File descriptors below this are closed in the child: an end of a pipe that is open here hides its end from others."""

PATIENCE: Final = 5
LOADING: Final = 60
"""Seconds beyond PATIENCE times the limit until a child that does not answer is given up: the machine may be busy."""

GRACE: Final = 1.0
"""Seconds for the child to end its own children."""


class Answer(NamedTuple):
    """What validation found: the text about refuted functions, empty if there are none, and why there is no report, if
    there is none."""

    refuted: str = ""
    problem: tuple[str, str | None] | None = None


class ValidatingChild:
    """The child; it writes its reports to `folder`, if one is given."""

    def __init__(self, folder: str | None) -> None:
        tasks, self._tasks = os.pipe()
        self._answers, answers = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _live(folder, tasks, answers)
        os.close(tasks)
        os.close(answers)

    def validate(self, run: Run) -> Answer:
        """Waits for the validation of a run."""
        with suppress(OSError), open(self._tasks, "wb") as file:
            pickle.dump(run, file)
        data = self._received(PATIENCE * run.limit + LOADING)
        status = self.end()
        if data is None:
            return Answer(problem=("the time limit was reached", f"{run.limit:g} s"))
        if not data:
            return Answer(problem=("hecv crashed", f"its process ended with status {status}"))
        return pickle.loads(data)

    def _received(self, seconds: float) -> bytes | None:
        """What the child writes until it ends; None if that takes too long."""
        data, until = bytearray(), monotonic() + seconds
        while True:
            if not select.select([self._answers], [], [], max(0.0, until - monotonic()))[0]:
                return None
            piece = os.read(self._answers, PIECE)
            if not piece:
                return bytes(data)
            data += piece

    def end(self) -> int:
        """Ends the child, with the processes that it started, if it still runs; gives its exit status."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        until = monotonic() + GRACE
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG if monotonic() < until else 0)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if monotonic() + 0.01 > until:
                os.kill(self.pid, signal.SIGKILL)
            select.select([], [], [], 0.005)


def _live(folder: str | None, tasks: int, answers: int) -> NoReturn:
    """The life of the child: has a server validate the run, or loads hecv and does it itself."""
    try:
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, _stop)
        for number, file in enumerate((tasks, answers, os.open(os.devnull, os.O_RDWR))):
            os.dup2(file, number)
        os.closerange(3, FILES)
        status = run_by_server(["wrap", BESIDE, folder or ""])
        if status is None:
            validate_beside(folder)
    except BaseException:
        os._exit(1)
    os._exit(status or 0)


def validate_beside(folder: str | None) -> None:
    """Reads a run from standard input, validates it, and writes the answer to standard output.

    Reports go to `folder`, if one is given. What is printed meanwhile is lost.
    """
    answers, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    answer = _answer(folder)
    with suppress(OSError), open(answers, "wb") as file:
        pickle.dump(answer, file)


def _stop(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt  # what started children ends them


def _answer(folder: str | None) -> Any:
    try:
        from hecv.toolchain.run_validation import validate

        with open(0, "rb", closefd=False) as file:
            data = file.read()
        return validate(pickle.loads(data), folder) if data else Answer()
    except Exception:
        from traceback import format_exc

        return Answer(problem=("hecv failed", format_exc()))
