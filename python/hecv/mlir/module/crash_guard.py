"""Crash guard: tries work in a child process first, since MLIR's parser and verifier crash or hang on some texts."""

from __future__ import annotations

import faulthandler
import gc
import os
import resource
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final

SECONDS: Final = 5
"""CPU time that a text gets."""
WAITS: Final = 12
"""So many seconds may go by for each of CPU time: on a busy machine, or where a lock is held that no thread here will
let go, as of a process with threads the child has but one."""
BYTES_A_SECOND: Final = 2_000_000
"""Of text for which a second more is given: MLIR parses ten times as many."""


@contextmanager
def unheard() -> Generator[None]:
    """What is written to standard error meanwhile, by whatever code, goes nowhere."""
    heard, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(heard, 2)
        os.close(nowhere)
        os.close(heard)


def crash_of(work: Callable[[], object], size: int) -> str | None:
    """How `work` on so many bytes ended a child process; None where it came back, by a result or an exception.

    Requires: no other thread of this process holds what `work` waits for.
    """
    seconds = SECONDS + size // BYTES_A_SECOND
    pid = os.fork()
    if pid == 0:
        gc.freeze()  # what the parent has is not taken down here: it may have threads, which are not here
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
