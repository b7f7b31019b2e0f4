"""One child process for one piece of work: within limits of time and memory, and whatever happens to it stays there."""

from __future__ import annotations

import faulthandler
import io
import os
import pickle
import resource
import select
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NoReturn

NEAR = 1 << 24
"""With fewer bytes left, what fails does so for want of memory."""

Stage = Callable[[str, int], None]
"""Called by the work as it goes on: what it does now, and how many runs were made so far."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` of wall clock, `megabytes` of address space beyond what this process has."""

    seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The work has no result. `stage` and `runs` are the last it reported; `text` says what happened."""

    reason: Literal["time-limit", "memory-limit", "crash", "exception"]
    text: str
    stage: str
    runs: int


def run_apart(work: Callable[[Stage], Any], limits: Limits, tick: Callable[[str, float], None]) -> Any | Stopped:
    """What `work` returns in a forked child, or how it ended without.

    `tick` is called a few times a second with the stage and the seconds passed.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _live(work, limits, writer)
    os.close(writer)
    try:
        received, timed_out = _receive(reader, limits.seconds, tick)
    finally:
        os.close(reader)
        _end(pid)
        status = os.waitpid(pid, 0)[1]
    return _outcome(received, timed_out, status, limits)


def _receive(reader: int, seconds: float, tick: Callable[[str, float], None]) -> tuple[bytes, bool]:
    """All that the child writes until it ends or time is up."""
    started = monotonic()
    received = bytearray()
    while True:
        passed = monotonic() - started
        if passed >= seconds:
            return bytes(received), True
        ready, _, _ = select.select([reader], [], [], min(0.25, seconds - passed))
        if not ready:
            tick(_last_stage(bytes(received))[0], passed)
            continue
        data = os.read(reader, 1 << 16)
        if not data:
            return bytes(received), False
        received += data


def _end(pid: int) -> None:
    """Ends the child with all that it started; a child that has ended by itself is left to be reaped."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _messages(received: bytes) -> list[Any]:
    """The whole messages among the bytes received."""
    stream = io.BytesIO(received)
    found: list[Any] = []
    while True:
        try:
            found.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            return found


def _last_stage(received: bytes) -> tuple[str, int]:
    stages = [m[1:] for m in _messages(received) if m[0] == "stage"]
    return stages[-1] if stages else ("start", 0)


def _outcome(received: bytes, timed_out: bool, status: int, limits: Limits) -> Any | Stopped:
    for message in _messages(received):
        if message[0] == "result":
            return message[1]
    stage, runs = _last_stage(received)
    for message in _messages(received):
        if message[0] == "stopped":
            return Stopped(message[1], message[2], stage, runs)
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if timed_out or ended_by == signal.SIGXCPU:
        return Stopped("time-limit", f"the time limit of {limits.seconds:g} s was reached", stage, runs)
    if ended_by is None:
        return Stopped("crash", f"the worker ended with status {os.WEXITSTATUS(status)}", stage, runs)
    return Stopped("crash", f"the worker crashed with {signal.Signals(ended_by).name}", stage, runs)


# The child.


def _live(work: Callable[[Stage], Any], limits: Limits, writer: int) -> NoReturn:
    """Runs `work` within the limits and ends the process, without the parent's exit handlers and unflushed output."""
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        faulthandler.disable()  # pytest's would print the parent's stack
        os.dup2(2, 1)  # stdout is for the answer, whatever a library prints
        _confine(limits)
        _send(writer, _attempt(lambda: work(lambda stage, runs: _send(writer, ("stage", stage, runs))), limits))
    except BaseException:  # the pipe is gone, or memory even for a message: the parent sees that no result came
        os._exit(70)
    os._exit(0)


def _attempt(work: Callable[[], Any], limits: Limits) -> tuple[Any, ...]:
    try:
        return ("result", work())
    except Exception as error:
        if _is_out_of_memory(error) or _is_near_limit(error):
            return ("stopped", "memory-limit", f"the memory limit of {limits.megabytes} MB was reached")
        return ("stopped", "exception", traceback.format_exc())


def _is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out, in Python, in C++, or in isl."""
    return isinstance(error, MemoryError) or "bad_alloc" in str(error) or "allocation failure" in str(error)


def _is_near_limit(error: Exception) -> bool:
    """Whether C code failed without saying why while the address space was all but used up."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return isinstance(error, SystemError) and limit - pages * resource.getpagesize() < NEAR


def _send(writer: int, message: tuple[Any, ...]) -> None:
    data = pickle.dumps(message)
    while data:
        data = data[os.write(writer, data) :]


def _confine(limits: Limits) -> None:
    """Sets soft limits. That on CPU time ends a worker whose parent was killed."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + (limits.megabytes << 20))
    _limit(resource.RLIMIT_CPU, ceil(limits.seconds) + 1)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
