"""A forked child that works in parallel: it inherits all data of this process and sends its results through a pipe."""

from __future__ import annotations

import gc
import os
import pickle
import signal
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NoReturn

FAILED: Final = 70
"""The status of a child that has no result."""

FILES: Final = 1 << 12
"""Files with smaller numbers are closed in the child: an end of a pipe that is open there would keep from whoever
reads it that this process has ended."""

HEAD: Final = 8
"""Before each result stands its length, in so many bytes."""


class Beside:
    """A child that works while this process goes on, and has one result or one after the other."""

    def __init__(self, *works: Callable[[], Any], files: Collection[int] = ()) -> None:
        """With `files` that stay open in the child."""
        self._reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _live(works, writer, files)
        os.close(writer)
        self._left = len(works)
        self._ended = False

    def result(self) -> Any | None:
        """What the next of the works returned; None where it or one before it failed. Waits for it, and after the last
        for the child to end."""
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
        """So many bytes; fewer where the child ends before."""
        parts: list[bytes] = []
        while size and (data := os.read(self._reader, min(size, 1 << 20))):
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def end(self) -> None:
        """Ends the child, if it has not ended."""
        if not self._ended:
            os.kill(self._pid, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        os.close(self._reader)
        self._ended = True
        return os.waitpid(self._pid, 0)[1]


def _send(writer: int, results: SimpleQueue[bytes | None]) -> None:
    """Sends what is put into a queue until there is None."""
    while (data := results.get()) is not None:
        rest = memoryview(len(data).to_bytes(HEAD, "little") + data)
        try:
            while rest:
                rest = rest[os.write(writer, rest) :]
        except OSError:  # nobody is left who reads it
            os._exit(FAILED)


def _live(works: Iterable[Callable[[], Any]], writer: int, files: Collection[int]) -> NoReturn:
    """Works and sends each result; ends without the parent's exit handlers and unflushed output."""
    gc.freeze()  # what was made before stays, and is not searched again and again
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
