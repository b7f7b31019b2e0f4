"""The process that runs one request: a fork of the server that becomes what the client's process is.

It gets the client's open files under their numbers, folder, environment, arguments, umask, limits, cores and niceness.
It is a session of its own, so it has no terminal that could interrupt it: the server does, when the client hangs up.
"""

from __future__ import annotations

import ctypes
import fcntl
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from hecv.server.client import VARIABLE
from hecv.server.request import Request, Standing, take

PR_SET_PDEATHSIG: Final = 1
INTERNAL: Final = 4

Run = Callable[[], object]
"""Runs the command of `sys.argv` and exits."""


def become(request: Request, standing: Standing, files: list[int], run: Run, server: int) -> NoReturn:
    """Runs the command as the client would; `files` are open here under other numbers."""
    try:
        _detach(server)
        _take_files(dict(zip(request.files, files, strict=True)))
        sys.stdin, sys.stdout, sys.stderr = (_stream(number, *form) for number, form in enumerate(request.streams))
        take(standing)
        os.chdir(request.folder)
        os.environb.clear()
        os.environb.update({k: v for k, v in request.environment.items() if k != VARIABLE.encode()})
        own = 0 if sys.flags.safe_path else 1
        sys.path[:own] = [request.first] if request.first else []
        sys.argv = ["hecv", *request.arguments]
        run()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = INTERNAL
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(status)


def _detach(server: int) -> None:
    """Leaves the signal handlers and the session of the process `server`; ends when that ends."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with suppress(AttributeError, OSError):  # where the C library is another
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != server:
        os._exit(INTERNAL)


def _take_files(files: dict[int, int]) -> None:
    """Moves open files to the numbers that they have at the client, and closes all others."""
    beyond = max(files) + 1
    moved = {number: fcntl.fcntl(file, fcntl.F_DUPFD, beyond) for number, file in files.items()}
    for number, file in moved.items():
        os.dup2(file, number)
    _close_others(files)


def _close_others(kept: Collection[int]) -> None:
    for number in map(int, os.listdir("/proc/self/fd")):
        if number not in kept:
            with suppress(OSError):  # that of the folder itself
                os.close(number)


def _stream(number: int, encoding: str, errors: str) -> io.TextIOWrapper:
    """A standard stream as Python makes it at its start."""
    if number == 0:
        return open(0, encoding=encoding, errors=errors, closefd=False)
    buffering = 1 if number == 2 or os.isatty(number) else -1
    return open(number, "w", buffering, encoding=encoding, errors=errors, closefd=False)


def kill_session(leader: int) -> None:
    """Kills all processes of the session of a process that has not been waited for."""
    while others := [pid for pid in _members(leader) if pid != leader]:
        for pid in others:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(leader, signal.SIGKILL)


def _members(session: int) -> Iterator[int]:
    """The processes of a session that have not ended."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                # The name of the program, which comes before in brackets, may hold anything.
                state, _, _, its, *_ = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                if int(its) == session and state not in "ZX":
                    yield int(name)
