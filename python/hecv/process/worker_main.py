"""Main loop of a worker process: sets its own limits, then runs the tasks whose numbers it is sent, one at a time."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from time import process_time
from typing import Any, Final, NoReturn

from msgspec import Struct

from hecv.base.system_errors import system_error

NEAR: Final = 1 << 24
"""Bytes. With less address space left, a failure is taken for lack of memory."""

LIBRARY: Final = 1 << 26
"""Bytes, more than any library that is loaded on demand maps."""

COLLECTIONS: Final = (300_000, 100, 100)
"""Thresholds of a worker's cycle collector: it makes many objects that live as long as itself, and few cycles."""

SELDOM: Final = (4_000_000, 100, 100)
"""Thresholds while a long pair is decided: a collection over all its terms takes a twentieth of the time."""

UNTIDY: Final = 128 << 20
"""Bytes of growth since the start, or since the last collection, after which a worker collects cycles between tasks."""

GROWN: Final = 384 << 20
"""Bytes of growth after which a worker ends and another one replaces it."""

KEPT: Final = ((-1, 64 << 20), (-3, 32 << 20))
"""Parameters of glibc's `mallopt`: M_TRIM_THRESHOLD, bytes of freed memory that the process keeps, and
M_MMAP_THRESHOLD, the largest block that may be among it."""

PARENT_ENDS: Final = 1
"""The option PR_SET_PDEATHSIG of Linux's `prctl`."""

NUMBER: Final = struct.Struct("=q")
"""Encoding of a task number and of a message length."""

FAILED: Final = 70
"""Exit status of a worker that could not report what happened to it."""

Stage = Callable[[str, int], None]
"""Called by a task with its current stage, and how many runs it has made so far."""

Work = Callable[[Stage], Any]


class Limits(Struct, frozen=True):
    """The limits of one task: `seconds` by the clock, of which so many were `spent` before, and `megabytes` of address
    space beyond what the process has at the start."""

    seconds: float
    megabytes: int
    spent: float = 0.0


def live(works: Sequence[Work], limits: Limits, numbers: int, writer: int) -> NoReturn:
    """The life of a worker: runs the tasks whose numbers it reads from one pipe until it closes, and writes outcomes
    to the other.

    The messages are `("stage", what, runs)`; then `("result", value)`, `("last", value)` if the worker ends, or
    `("stopped", reason, text)`, after which it also ends, since a failure may have left something behind. It exits
    without the parent's exit handlers and unflushed output.
    """
    try:
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        _end_with_parent()
        faulthandler.disable()  # pytest's would print the parent's stack
        gc.set_threshold(*COLLECTIONS)
        _keep_freed()
        os.dup2(2, 1)  # stdout is for the answer, whatever a library prints
        _serve(works, limits, numbers, writer)
    except BaseException:  # the pipe is gone, or memory even for a message: the parent sees that no result came
        os._exit(FAILED)
    os._exit(0)


def _end_with_parent() -> None:
    """Has the system end this process when its parent ends, whatever ends that."""
    with suppress(AttributeError, OSError):  # where the system is another
        ctypes.CDLL(None).prctl(PARENT_ENDS, signal.SIGKILL)


def _keep_freed() -> None:
    """Makes malloc keep freed memory in the process.

    Getting the memory of a Z3 context from the system again for each function takes longer than most queries.
    """
    with suppress(AttributeError, OSError):  # where the C library is another
        allocator = ctypes.CDLL(None)
        for parameter, size in KEPT:
            allocator.mallopt(parameter, size)


@contextmanager
def searched_at(thresholds: tuple[int, int, int]) -> Generator[None]:
    """Python's cycle collector has these thresholds meanwhile."""
    usual = gc.get_threshold()
    gc.set_threshold(*thresholds)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def seldom_searched(rarely: bool) -> Generator[None]:
    """With `rarely`, Python's cycle collector runs seldom meanwhile, in child processes too; what exists at the end
    is exempt from later collections."""
    usual = gc.get_threshold()
    if rarely:
        gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        if rarely:
            gc.freeze()
        gc.set_threshold(*usual)


def _serve(works: Sequence[Work], limits: Limits, numbers: int, writer: int) -> None:
    depth, memory = sys.getrecursionlimit(), _Memory()
    while data := os.read(numbers, NUMBER.size):
        work = works[NUMBER.unpack(data)[0]]
        sys.setrecursionlimit(depth)
        _confine(limits)
        message = _attempt(lambda work=work: work(lambda stage, runs: _send(writer, ("stage", stage, runs))), limits)
        if message[0] == "result" and len(works) > 1 and memory.has_grown():
            message = ("last", *message[1:])
        _send(writer, message)
        if message[0] != "result":
            return


class _Memory:
    """How much more memory this process uses than at its start."""

    def __init__(self) -> None:
        self._first = _resident()
        self._untidy = UNTIDY

    def has_grown(self) -> bool:
        """True if the growth exceeds the limit. Apparent growth is first collected for cycles, but not again and
        again."""
        grown = _resident() - self._first
        if grown < self._untidy or grown >= GROWN:  # the cycles of a process that ends need not be found
            return grown >= GROWN
        gc.collect()
        grown = _resident() - self._first
        self._untidy = grown + UNTIDY
        return grown >= GROWN


def _resident() -> int:
    return _pages(1)


def _pages(field: int) -> int:
    """A size of this process in bytes: address space, or resident memory."""
    return int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()


def _attempt(work: Callable[[], Any], limits: Limits) -> tuple[Any, ...]:
    try:
        return ("result", work())
    except Exception as error:
        if _is_out_of_memory(error) or _is_near_limit(error):
            return ("stopped", "memory-limit", f"the memory limit of {limits.megabytes} MB was reached")
        refused = system_error(error)
        if refused is not None:
            return ("stopped", "system-error", refused)
        return ("stopped", "exception", traceback.format_exc())


def _is_out_of_memory(error: Exception) -> bool:
    """True if memory ran out, in Python, in C++, or in isl."""
    return isinstance(error, MemoryError) or "bad_alloc" in str(error) or "allocation failure" in str(error)


def _is_near_limit(error: Exception) -> bool:
    """True if the address space is almost used up: then anything may fail without saying why, including Python's
    compiler and the loading of libraries."""
    left = resource.getrlimit(resource.RLIMIT_AS)[0] - _pages(0)
    loading = isinstance(error, ImportError | SyntaxError | OSError) or "libz3" in str(error)
    return left < (LIBRARY if loading else NEAR)


def _send(writer: int, message: tuple[Any, ...]) -> None:
    pickled = pickle.dumps(message)
    data = NUMBER.pack(len(pickled)) + pickled
    while data:
        data = data[os.write(writer, data) :]


def _confine(limits: Limits) -> None:
    """Sets soft limits for the next task. The limit on CPU time ends a worker whose parent was killed."""
    _limit(resource.RLIMIT_AS, _pages(0) + (limits.megabytes << 20))
    _limit(resource.RLIMIT_CPU, ceil(process_time() + limits.seconds) + 1)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
