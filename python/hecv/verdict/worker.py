"""A child process for each piece of work: within limits of time and memory, and whatever happens to it stays there."""

from __future__ import annotations

import faulthandler
import gc
import io
import os
import pickle
import resource
import select
import signal
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NoReturn

NEAR = 1 << 24
"""With fewer bytes left, what fails does so for want of memory."""

COLLECTIONS = (100_000, 20, 100)
"""How seldom a worker looks for cycles of objects: it makes many that live as long as itself."""

Stage = Callable[[str, int], None]
"""Called by the work as it goes on: what it does now, and how many runs were made so far."""

Work = Callable[[Stage], Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` of wall clock, `megabytes` of address space beyond what this process has."""

    seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The work has no result after so many seconds. `stage` and `runs` are the last it reported; `text` says what
    happened."""

    reason: Literal["time-limit", "memory-limit", "crash", "exception"]
    text: str
    stage: str
    runs: int
    seconds: float = 0.0


@dataclass(slots=True)
class _Child:
    """A worker that was forked, and what it has written so far."""

    number: int
    pid: int
    reader: int
    started: float
    received: bytearray


def run_apart(work: Work, limits: Limits, tick: Callable[[str, float], None]) -> Any | Stopped:
    """What `work` returns in a forked child, or how it ended without.

    `tick` is called a few times a second with the stage and the seconds passed.
    """
    return run_all((work,), limits, lambda number, stage, seconds: tick(stage, seconds), 1)[0]


def run_all(
    works: Sequence[Work], limits: Limits, tick: Callable[[int, str, float], None], jobs: int
) -> list[Any | Stopped]:
    """What each of the works returns in a forked child of its own, or how it ended without; `jobs` run at a time.

    `tick` is called a few times a second with the number of a work, its stage and the seconds passed.
    """
    outcomes: list[Any | Stopped] = [None] * len(works)
    running: dict[int, _Child] = {}
    waiting = iter(enumerate(works))
    try:
        while True:
            for number, work in islice(waiting, jobs - len(running)):
                child = _start(number, work, limits)
                running[child.reader] = child
            if not running:
                return outcomes
            for child, timed_out in _ended(running, limits.seconds, tick):
                del running[child.reader]
                status = _reap(child)
                outcome = _outcome(bytes(child.received), timed_out, status, limits)
                if isinstance(outcome, Stopped):
                    outcome = replace(outcome, seconds=monotonic() - child.started)
                outcomes[child.number] = outcome
    finally:
        for child in running.values():
            _reap(child)


def _start(number: int, work: Work, limits: Limits) -> _Child:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _live(work, limits, writer)
    os.close(writer)
    return _Child(number, pid, reader, monotonic(), bytearray())


def _reap(child: _Child) -> int:
    """Ends the child if it has not ended; gives its exit status."""
    os.close(child.reader)
    _end(child.pid)
    return os.waitpid(child.pid, 0)[1]


def _ended(
    running: Mapping[int, _Child], seconds: float, tick: Callable[[int, str, float], None]
) -> list[tuple[_Child, bool]]:
    """Reads what the children write, for a while; those that ended, and whether because their time was up."""
    now = monotonic()
    left = min(child.started + seconds - now for child in running.values())
    ready = select.select(list(running), [], [], min(0.25, max(left, 0)))[0]
    found: list[tuple[_Child, bool]] = []
    for reader in ready:
        data = os.read(reader, 1 << 16)
        running[reader].received += data
        if not data:
            found.append((running[reader], False))
    now = monotonic()
    for child in running.values():
        if now - child.started >= seconds and all(child is not other for other, _ in found):
            found.append((child, True))
        elif not ready:
            tick(child.number, _last_stage(bytes(child.received))[0], now - child.started)
    return found


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


def _live(work: Work, limits: Limits, writer: int) -> NoReturn:
    """Runs `work` within the limits and ends the process, without the parent's exit handlers and unflushed output."""
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        faulthandler.disable()  # pytest's would print the parent's stack
        gc.freeze()  # what was read before stays, and is not searched again and again
        gc.set_threshold(*COLLECTIONS)
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
