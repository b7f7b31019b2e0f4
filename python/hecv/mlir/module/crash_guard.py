"""Crash guard: tries work in a child process first, since MLIR's parser and verifier crash or hang on some texts."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from math import ceil
from time import process_time
from typing import Final

from hecv.base.forking import fork

SECONDS: Final = 5
"""CPU seconds for a text."""
WAITS: Final = 12
"""Wall-clock seconds per CPU second: the machine may be busy, or a thread that the child lacks may hold a lock."""
BYTES_A_SECOND: Final = 2_000_000
"""Bytes of text for each further CPU second; MLIR parses ten times as many."""


@contextmanager
def unheard() -> Generator[None]:
    """Discards everything written to standard error meanwhile, by any code."""
    heard, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(heard, 2)
        os.close(nowhere)
        os.close(heard)


def _seconds(size: int) -> int:
    """CPU seconds for `size` bytes of text."""
    return SECONDS + size // BYTES_A_SECOND


@contextmanager
def bounded(size: int) -> Generator[None]:
    """Work on `size` bytes in a process that nobody else needs: it ends (SIGXCPU) if that takes too long."""
    usual = resource.getrlimit(resource.RLIMIT_CPU)
    soft = ceil(process_time()) + _seconds(size)
    limits = [limit for limit in (soft, *usual) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_CPU, (min(limits), usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, usual)


def crash_of(work: Callable[[], object], size: int) -> str | None:
    """How a child process ended that ran `work` on `size` bytes; None if it returned or raised an exception.

    Requires: no other thread of this process holds a lock that `work` waits for.
    """
    seconds = _seconds(size)
    pid = fork()
    if pid == 0:
        try:
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
            signal.alarm(WAITS * seconds)
            work()
        finally:
            os._exit(0)
    try:
        status = os.waitpid(pid, 0)[1]
    except BaseException:
        with suppress(ProcessLookupError, ChildProcessError):  # the signal may come after the child's end was heard of
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise
    if os.WIFEXITED(status):  # what `work` calls may end the process itself, which is no answer
        code = os.WEXITSTATUS(status)
        return f"ended the process with status {code}" if code else None
    end = os.WTERMSIG(status)
    if end in (signal.SIGXCPU, signal.SIGKILL):
        return f"took more than {seconds} s" if end == signal.SIGXCPU else "was killed"
    if end == signal.SIGALRM:
        return f"did not come back within {WAITS * seconds} s"
    return f"crashed with {signal.Signals(end).name}"
