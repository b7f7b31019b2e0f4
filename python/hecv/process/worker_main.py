"""The main loop of a worker process: sets its own limits, then runs the tasks whose numbers it is sent, one at a time."""

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
from typing import Any, Final, Literal, NoReturn

from msgspec import Struct

NEAR: Final = 1 << 24
"""With fewer bytes left, what fails does so for want of memory."""

LIBRARY: Final = 1 << 26
"""More bytes than any library maps that is loaded when it is needed."""

COLLECTIONS: Final = (300_000, 100, 100)
"""How seldom a worker looks for cycles of objects: it makes many that live as long as itself, and few cycles."""

SELDOM: Final = (4_000_000, 100, 100)
"""How seldom while a long pair is decided: to look through all its terms takes a twentieth of the time."""

UNTIDY: Final = 128 << 20
"""With so many bytes more than at its start, or than were left the last time, a worker looks for cycles of objects
between two pieces of work."""

GROWN: Final = 384 << 20
"""With so many it ends, and another takes its place."""

KEPT: Final = ((-1, 64 << 20), (-3, 32 << 20))
"""Parameters of glibc's `mallopt` (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD): of what is freed so many bytes stay with the
process, and blocks of up to so many are among it."""

NUMBER: Final = struct.Struct("=q")
"""How the number of a piece of work is sent, and the length of a message."""

FAILED: Final = 70
"""The status of a worker that could not say what happened to it."""

Stage = Callable[[str, int], None]
"""Called by the work as it goes on: what it does now, and how many runs were made so far."""

Work = Callable[[Stage], Any]


class Limits(Struct, frozen=True):
    """For one piece of work: `seconds`, but for those in which its process waits for a core (`waited`), `megabytes` of
    address space beyond what its process has."""

    seconds: float
    megabytes: int


def waited(process: int | Literal["self"] = "self") -> float:
    """The seconds in which a process could have gone on and had no core; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def live(works: Sequence[Work], limits: Limits, numbers: int, writer: int) -> NoReturn:
    """Attempts the works whose numbers are read from one pipe until it ends, and sends what comes of each to the other.

    The messages are `("stage", what, runs)`; then `("result", value)`, `("last", value)` where the worker ends, or
    `("stopped", reason, text)`, after which it ends, too: whatever failed may have left something behind. It ends
    without the parent's exit handlers and unflushed output.
    """
    try:
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        faulthandler.disable()  # pytest's would print the parent's stack
        gc.freeze()  # what was read before stays, and is not searched again and again
        gc.set_threshold(*COLLECTIONS)
        _keep_freed()
        os.dup2(2, 1)  # stdout is for the answer, whatever a library prints
        _serve(works, limits, numbers, writer)
    except BaseException:  # the pipe is gone, or memory even for a message: the parent sees that no result came
        os._exit(FAILED)
    os._exit(0)


def _keep_freed() -> None:
    """Has memory that is freed stay with this process: to get that of a Z3 context from the system again and again, for
    each function, takes longer than most questions."""
    with suppress(AttributeError, OSError):  # where the C library is another
        allocator = ctypes.CDLL(None)
        for parameter, size in KEPT:
            allocator.mallopt(parameter, size)


@contextmanager
def seldom_searched(rarely: bool) -> Generator[None]:
    """Cycles of objects are looked for `rarely` meanwhile, if at all; by the processes that are started, too. What is
    there then is not looked through afterwards."""
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
    """How much more memory this process keeps than at first."""

    def __init__(self) -> None:
        self._first = _resident()
        self._untidy = UNTIDY

    def has_grown(self) -> bool:
        """Whether that is much; what looks so is looked through for cycles, but not again and again."""
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
    """Bytes of this process: of its address space, or of what of it is in memory."""
    return int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()


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
    """Whether the address space is all but used up: then anything may fail without saying why, Python's compiler and
    the loading of libraries too."""
    left = resource.getrlimit(resource.RLIMIT_AS)[0] - _pages(0)
    loading = isinstance(error, ImportError | SyntaxError | OSError) or "libz3" in str(error)
    return left < (LIBRARY if loading else NEAR)


def _send(writer: int, message: tuple[Any, ...]) -> None:
    pickled = pickle.dumps(message)
    data = NUMBER.pack(len(pickled)) + pickled
    while data:
        data = data[os.write(writer, data) :]


def _confine(limits: Limits) -> None:
    """Sets soft limits for the next piece of work. That on CPU time ends a worker whose parent was killed."""
    _limit(resource.RLIMIT_AS, _pages(0) + (limits.megabytes << 20))
    _limit(resource.RLIMIT_CPU, ceil(process_time() + limits.seconds) + 1)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
