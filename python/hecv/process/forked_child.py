"""A forked child that works in parallel: it inherits all data of this process and sends its results through a pipe."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NoReturn

from hecv.base.forking import fork

FAILED: Final = 70
"""Exit status of a child without a result."""

FILES: Final = 1 << 12
"""File descriptors below this are closed in the child: an inherited end of a pipe would hide from its reader that this
process has ended."""

HEAD: Final = 8
"""Bytes of the length that precedes each result."""


class Beside:
    """A child process that works while this process goes on; it has one result for each of its works."""

    def __init__(self, *works: Callable[[], Any], files: Collection[int] = ()) -> None:
        """The file descriptors `files` stay open in the child."""
        self._reader, writer = os.pipe()
        self._pid = fork()
        if self._pid == 0:
            _live(works, writer, files)
        os.close(writer)
        self._left = len(works)
        self._ended = False

    def result(self) -> Any | None:
        """Waits for the next result; None if that work or one before it failed. After the last, waits for the child
        to end."""
        if self._ended:
            return None
        self._left -= 1
        size = int.from_bytes(self._read(HEAD), "little")
        data = self._read(size)
        failed = not size or len(data) < size
        if failed or not self._left:
            failed |= self._wait() != 0
        return None if failed else pickle.loads(data)

    def _read(self, size: int) -> bytes:
        """`size` bytes; fewer if the child ends before."""
        parts: list[bytes] = []
        while size and (data := os.read(self._reader, min(size, 1 << 20))):
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def end(self) -> None:
        """Kills the child if it is still running."""
        if not self._ended:
            os.kill(self._pid, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        os.close(self._reader)
        self._ended = True
        return os.waitpid(self._pid, 0)[1]


def _send(writer: int, results: SimpleQueue[bytes | None]) -> None:
    """Writes the queue's items to the pipe until the item is None."""
    while (data := results.get()) is not None:
        rest = memoryview(len(data).to_bytes(HEAD, "little") + data)
        try:
            while rest:
                rest = rest[os.write(writer, rest) :]
        except OSError:  # nobody is left who reads it
            os._exit(FAILED)


def _live(works: Iterable[Callable[[], Any]], writer: int, files: Collection[int]) -> NoReturn:
    """Works and sends each result, then exits without the parent's exit handlers and unflushed output."""
    results = SimpleQueue[bytes | None]()
    # A pipe holds little, and nobody may read it before much more is done.
    sending = Thread(target=_send, args=(writer, results))
    try:
        kept = sorted({2, writer, *files, FILES})
        for one, other in pairwise(kept):
            os.closerange(one + 1, other)
        sending.start()
        for work in works:
            results.put(pickle.dumps(work(), pickle.HIGHEST_PROTOCOL))
        status = 0
    except BaseException:  # whatever it was, the parent goes on without a result
        status = FAILED
    results.put(None)
    if sending.ident is not None:
        sending.join()
    os._exit(status)
