"""Work beside this process: in a forked child that knows all that is known here, and sends what comes of it."""

from __future__ import annotations

import gc
import os
import pickle
import signal
from collections.abc import Callable
from typing import Any, Final, NoReturn

FAILED: Final = 70
"""The status of a child that has no result."""

FILES: Final = 1 << 12
"""Files with smaller numbers are closed in the child: an end of a pipe that is open there would keep from whoever
reads it that this process has ended."""


class Beside:
    """A child that works while this process goes on."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _live(work, writer)
        os.close(writer)
        self._ended = False

    def result(self) -> Any | None:
        """What `work` returned; None where it failed. Waits for the child to end."""
        parts: list[bytes] = []
        while data := os.read(self._reader, 1 << 20):
            parts.append(data)
        failed = self._wait() != 0
        return None if failed else pickle.loads(b"".join(parts))

    def end(self) -> None:
        """Ends the child, if it has not ended."""
        if not self._ended:
            os.kill(self._pid, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        os.close(self._reader)
        self._ended = True
        return os.waitpid(self._pid, 0)[1]


def _live(work: Callable[[], Any], writer: int) -> NoReturn:
    """Works and sends the result; ends without the parent's exit handlers and unflushed output."""
    try:
        os.closerange(3, writer)
        os.closerange(writer + 1, FILES)
        gc.freeze()  # what was made before stays, and is not searched again and again
        data = memoryview(pickle.dumps(work(), pickle.HIGHEST_PROTOCOL))
        while data:
            data = data[os.write(writer, data) :]
    except BaseException:  # whatever it was, the parent goes on without a result
        os._exit(FAILED)
    os._exit(0)
