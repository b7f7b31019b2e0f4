"""Runs a tool such that nobody can tell, and has the run validated by a child process beside it.

    read the command line  ->  start a child that loads hecv  ->  run the tool, copying what it reads and writes
                           ->  the child validates the run, and writes its report  ->  end as the tool ended

The tool gets the streams of this process wherever what passes there can be read otherwise: a regular file is read
again, a pipe or terminal is copied. Light: hecv is loaded only in the child.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import stat
import sys
from contextlib import suppress
from errno import EACCES, EAGAIN, EISDIR, ENOENT
from typing import Any, Final, NamedTuple, NoReturn

from hecv.toolchain.run_record import Run, unvalidated, write_record
from hecv.toolchain.tool_command import ToolCommand, read_command
from hecv.toolchain.validating_child import ValidatingChild

REPORTS: Final = "HECV_REPORT_DIR"
FAIL: Final = "HECV_FAIL"
LIMIT: Final = "HECV_TIME_LIMIT"
USUAL_LIMIT: Final = 20.0
"""Seconds for the validation of a run."""

PIECE: Final = 1 << 16
MOST_BYTES: Final = 1 << 26
"""Bytes of a program that are kept for validation."""

NOT_FOUND: Final = 127
NOT_RUNNABLE: Final = 126
"""Exit statuses of a shell for a command that it cannot run."""

IGNORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, which the tool would inherit."""

FORWARDED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Settings(NamedTuple):
    """Where reports are written, whether a refuted run fails, and the seconds for a run."""

    folder: str | None
    fails: bool
    limit: float


def settings_of(limit: float | None) -> Settings:
    """The settings in the environment; a limit from the command line goes before that of the environment.

    Raises: ValueError if the limit is not a positive number.
    """
    text = os.environ.get(LIMIT)
    if limit is None and text:
        limit = float(text)
        if not 0 < limit <= 1e7:
            raise ValueError(text)
    return Settings(os.environ.get(REPORTS) or None, os.environ.get(FAIL) == "1", limit or USUAL_LIMIT)


def main() -> NoReturn:
    """Runs the command that the arguments of this process are, as `hecv wrap` does, without loading the other verbs."""
    try:
        status = run(sys.argv[1:], settings_of(None))
    except ValueError as problem:
        _say(f"hecv: {LIMIT} is not a positive number: {problem}\n")
        status = 2
    os._exit(status)


def run(command: list[str], settings: Settings) -> int:
    """Runs the command, and ends as it ends: gives its exit status, or dies by the signal that ended it.

    With `fails`, gives 1 after a run that is refuted.
    """
    program = _find(command[0])
    if isinstance(program, int):
        return program
    if settings.folder is not None and not _made(settings.folder):
        settings = settings._replace(folder=None)
    if settings.folder is None and not settings.fails:
        _become(program, command)
    plan = read_command(command[1:])
    refusal = plan.refusal or _refused(plan)
    if refusal is not None:
        _write(settings, Run(command, program, _names(plan)), refusal)
        _become(program, command)
    return _Watched(command, program, plan, settings).run()


def _find(name: str) -> str | int:
    """The path of the program, found as a shell finds it, or the exit status of a shell that does not find it."""
    if "/" in name:
        problem = ENOENT if not os.path.exists(name) else EISDIR if os.path.isdir(name) else EACCES
        if problem != EACCES or not os.access(name, os.X_OK):
            _say(f"hecv: {name}: {os.strerror(problem)}\n")
            return NOT_FOUND if problem == ENOENT else NOT_RUNNABLE
        return name
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if name and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    _say(f"hecv: {name}: command not found\n")
    return NOT_FOUND


def _become(program: str, command: list[str]) -> NoReturn:
    """Replaces this process by the tool."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(program, command)
    except OSError as problem:
        _say(f"hecv: {command[0]}: {problem.strerror}\n")
        os._exit(NOT_RUNNABLE)


def _refused(plan: ToolCommand) -> str | None:
    """Why what the tool reads and writes cannot be seen without disturbing it."""
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            return "a standard stream is closed"
    for path, role in ((plan.source, "input"), (plan.target, "output")):
        if path != "-" and os.path.exists(path) and not os.path.isfile(path):
            return f"the {role} is not a regular file"
    return None


def _names(plan: ToolCommand) -> tuple[str, str]:
    """The names of source and target in reports."""
    return "<stdin>" if plan.source == "-" else plan.source, "<stdout>" if plan.target == "-" else plan.target


def _write(settings: Settings, run: Run, reason: str, detail: str | None = None) -> None:
    """Reports that a run is not validated."""
    if settings.folder is not None:
        try:
            write_record(settings.folder, run, unvalidated(run, reason, detail))
        except OSError as problem:
            _unwritable(settings.folder, problem)


def _made(folder: str) -> bool:
    """Makes the folder for reports; says why not, if it cannot be written."""
    try:
        os.makedirs(folder, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
    except OSError as problem:
        _unwritable(folder, problem)
        return False
    return True


def _unwritable(folder: str, problem: OSError) -> None:
    _say(f"hecv: cannot write a report to {folder}: {problem.strerror}\n")


def _say(text: str) -> None:
    """Writes to standard error, if that is still there."""
    with suppress(OSError):
        os.write(2, text.encode(errors="backslashreplace"))


class _Watched:
    """One run of the tool, watched from its start to its end."""

    def __init__(self, command: list[str], program: str, plan: ToolCommand, settings: Settings) -> None:
        self._command, self._program, self._plan, self._settings = command, program, plan, settings
        self._tool = 0
        self._child: ValidatingChild | None = None
        self._broken = False

    def run(self) -> int:
        run = Run(self._command, self._program, _names(self._plan), limit=self._settings.limit)
        run = run._replace(split=self._plan.split, output_split=self._plan.output_split, doubtful=self._plan.doubtful)
        source = _Source(self._plan.source)
        target = _Target(self._plan.target)
        self._child = ValidatingChild(self._settings.folder)
        for number in FORWARDED:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._forward)
        try:
            self._start(source, target)
        except OSError as problem:  # the file is no program
            self._child.end()
            _say(f"hecv: {self._command[0]}: {problem.strerror}\n")
            return NOT_RUNNABLE
        status = self._pump(source, target)
        run = run._replace(status=status, merged=target.merged, source=source.text(), target=target.text())
        self._leave(self._settings.fails and run.status == 0)
        if self._validated(run, source):
            return 1
        if status < 0 or (self._broken and status == 0):
            _die(-status if status < 0 else signal.SIGPIPE)
        return status

    def _forward(self, number: int, frame: object) -> None:
        """Hands a signal on to the tool; after its end, this process dies of it, as the tool would have."""
        if self._tool:
            with suppress(ProcessLookupError):
                os.kill(self._tool, number)
        else:
            if self._child is not None:
                self._child.end()
            _die(number)

    # Copying

    def _start(self, source: _Source, target: _Target) -> None:
        """Starts the tool.

        Raises: OSError.
        """
        given = os.pipe() if source.is_copied else None
        taken = os.pipe() if target.is_copied else None
        actions: list[Any] = [(os.POSIX_SPAWN_DUP2, given[0], 0)] if given else []
        if taken:
            actions += [(os.POSIX_SPAWN_DUP2, taken[1], stream) for stream in ((1, 2) if target.merged else (1,))]
        environment = dict(os.environ)
        self._tool = os.posix_spawn(self._program, self._command, environment, file_actions=actions, setsigdef=IGNORED)
        if given:
            os.close(given[0])
            os.set_blocking(given[1], False)
            source.writer = given[1]
        if taken:
            os.close(taken[1])
            target.reader = taken[0]

    def _pump(self, source: _Source, target: _Target) -> int:
        """Copies the streams of the tool until it has ended; gives its exit status, negative for a signal."""
        handle, status = os.pidfd_open(self._tool), None
        while status is None or target.reader is not None:
            waiting = select.poll()
            if status is None:
                waiting.register(handle, select.POLLIN)
                source.register(waiting)
            if target.reader is not None:
                waiting.register(target.reader, select.POLLIN)
            ready = dict(waiting.poll())
            source.step(ready)
            if target.reader in ready and not target.step():
                self._broken = True
            if handle in ready:
                status = os.waitstatus_to_exitcode(os.waitpid(self._tool, 0)[1])
                self._tool = 0
                source.stop()
        os.close(handle)
        return status

    # Validation

    def _leave(self, speaks: bool) -> None:
        """Closes the streams that others may wait for."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1) if speaks else (0, 1, 2):
            os.dup2(nowhere, stream)
        os.close(nowhere)

    def _validated(self, run: Run, source: _Source) -> bool:
        """Validates a run that has ended, or reports why not; true if a refuted run is to fail."""
        assert self._child is not None
        reason = self._unseen(run, source)
        if reason is not None:
            self._child.end()
            _write(self._settings, run, reason)
            return False
        answer = self._child.validate(run)
        if answer.problem is not None:
            _write(self._settings, run, *answer.problem)
        if answer.refuted and self._settings.fails:
            _say(answer.refuted)
            return True
        return False

    def _unseen(self, run: Run, source: _Source) -> str | None:
        """Why there is nothing to compare."""
        if run.status is None or run.status < 0:
            return f"the tool was ended by {signal.Signals(-(run.status or 0)).name}"
        if run.status:
            return f"the tool failed with exit status {run.status}"
        if self._broken:
            return "nobody read the output"
        if run.source is None:
            return "the tool did not read all of its input" if source.is_copied else "the input cannot be read"
        if run.target is None:
            return "the output was not written, or cannot be read"
        return None


class _Source:
    """What the tool reads: a file, or standard input, which is copied unless it is a regular file."""

    def __init__(self, path: str) -> None:
        self.writer: int | None = None
        self._kept: bytearray | None = bytearray()
        self._waiting = b""
        self._ended = True
        self.is_copied = False
        if path != "-":
            self._kept = _file_bytes(path)
        elif stat.S_ISREG(os.fstat(0).st_mode):
            self._kept = _rest_of(0, os.lseek(0, 0, os.SEEK_CUR))
        else:
            self.is_copied, self._ended = True, False

    def text(self) -> bytes | None:
        """All that the tool read; None if that is not known."""
        return bytes(self._kept) if self._ended and self._kept is not None else None

    def register(self, waiting: select.poll) -> None:
        if self.writer is not None:
            waiting.register(self.writer, select.POLLOUT if self._waiting else 0)
            if not self._waiting:
                waiting.register(0, select.POLLIN)

    def step(self, ready: dict[int, int]) -> None:
        """Copies what can be copied now."""
        if self.writer is None:
            return
        try:
            if self.writer in ready:
                self._waiting = self._waiting[os.write(self.writer, self._waiting) :] if self._waiting else b""
                if ready[self.writer] & select.POLLERR:
                    self.stop()
            elif 0 in ready:
                self._waiting = os.read(0, PIECE)
                self._kept = _longer(self._kept, self._waiting)
                if not self._waiting:
                    self._ended = True
                    self.stop()
        except BlockingIOError:
            pass
        except OSError:  # the tool reads no more
            self.stop()

    def stop(self) -> None:
        if self.writer is not None:
            os.close(self.writer)
            self.writer = None


class _Target:
    """What the tool writes: a file, or standard output, which is copied unless it is a regular file.

    If standard error goes the same way, both are copied by one pipe (`merged`), so that their order stays.
    """

    def __init__(self, path: str) -> None:
        self.reader: int | None = None
        self.is_copied = self.merged = False
        self._path, self._start = path, 0
        self._kept: bytearray | None = bytearray()
        self._before = _state(path)
        if path != "-":
            return
        out, err = os.fstat(1), os.fstat(2)
        self.merged = (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino) and not os.isatty(2)
        self.is_copied = not stat.S_ISREG(out.st_mode) or not os.access("/proc/self/fd/1", os.R_OK)
        if not self.is_copied:
            self._start = out.st_size if _appends(1) else os.lseek(1, 0, os.SEEK_CUR)

    def text(self) -> bytes | None:
        """All that the tool wrote; None if it did not write, or that is not known."""
        if self._path != "-":
            kept = None if _state(self._path) == self._before else _file_bytes(self._path)
        elif self.is_copied:
            kept = self._kept
        else:
            kept = _rest_of(1, self._start)
        return None if kept is None else bytes(kept)

    def step(self) -> bool:
        """Copies what can be copied now; false if nobody reads it any more."""
        assert self.reader is not None
        data = os.read(self.reader, PIECE)
        self._kept = _longer(self._kept, data)
        written = not data or _written(data)
        if not data or not written:
            os.close(self.reader)
            self.reader = None
        return written


def _written(data: bytes) -> bool:
    """Writes to standard output; false if nobody reads it any more."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(1, left) :]
        except OSError as problem:
            if problem.errno != EAGAIN:
                return False
            select.select([], [1], [])
    return True


def _longer(kept: bytearray | None, data: bytes) -> bytearray | None:
    """The bytes with more; None if they are too many."""
    if kept is None or len(kept) + len(data) > MOST_BYTES:
        return None
    kept += data
    return kept


def _state(path: str) -> tuple[int, ...] | None:
    """What changes when a file is written; None if there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _file_bytes(path: str) -> bytearray | None:
    try:
        with open(path, "rb") as file:
            return _longer(bytearray(), file.read(MOST_BYTES + 1))
    except (OSError, ValueError):
        return None


def _rest_of(stream: int, start: int) -> bytearray | None:
    """A regular file behind a stream from an offset on, without moving the stream."""
    try:
        with open(f"/proc/self/fd/{stream}", "rb") as file:
            file.seek(start)
            return _longer(bytearray(), file.read(MOST_BYTES + 1))
    except OSError:
        return None


def _appends(stream: int) -> bool:
    from fcntl import F_GETFL, fcntl

    return bool(fcntl(stream, F_GETFL) & os.O_APPEND)


def _die(number: int) -> NoReturn:
    """Ends this process by a signal, without a core dump of it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # a signal that does not end a process
