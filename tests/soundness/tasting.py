"""Whether MLIR comes back from a text, as a child process finds that parses many: one for each takes longer than most
mutants."""

from __future__ import annotations

import faulthandler
import gc
import os
import resource
import signal
import struct
from contextlib import suppress
from math import ceil
from time import process_time
from typing import Final, NoReturn

from hecv.base.diagnostics import InputError
from hecv.mlir.importer import new_context, parse
from hecv.mlir.module.crash_guard import SECONDS

LENGTH: Final = struct.Struct("=q")
KEPT: Final = 5_000
"""So many texts a child parses: its context keeps all that it was ever given."""

PARSED, REFUSED = b"+", b"-"


class Taster:
    """A child that parses texts, one after the other; another takes the place of one that a text ends."""

    def __init__(self) -> None:
        self._pid, self._owner, self._texts, self._answers, self._count = 0, 0, -1, -1, 0

    def __call__(self, text: str) -> bool | None:
        """Whether the text is a program; None where the parser did not come back from it."""
        if self._owner != os.getpid() or self._pid == 0 or self._count >= KEPT:
            self.end()
            self._begin()
        self._count += 1
        data = text.encode(errors="surrogatepass")
        answer = b""
        with suppress(BrokenPipeError):
            _write(self._texts, LENGTH.pack(len(data)) + data)
            answer = os.read(self._answers, 1)
        if answer:
            return answer == PARSED
        self.end()
        return None

    def _begin(self) -> None:
        texts, self._texts = os.pipe()
        self._answers, answers = os.pipe()
        self._count, self._owner, self._pid = 0, os.getpid(), os.fork()
        if self._pid == 0:
            _taste(texts, answers)
        os.close(texts)
        os.close(answers)

    def end(self) -> None:
        """Ends the child, unless it is that of a process which this one was forked from."""
        if self._pid:
            os.close(self._texts)
            os.close(self._answers)
            if self._owner == os.getpid():
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
            self._pid = 0

    def __del__(self) -> None:
        self.end()


def _taste(texts: int, answers: int) -> NoReturn:
    """What the child does, until nobody writes to it any more: its parent's files are not its own."""
    gc.freeze()  # an e-graph that is taken down here waits for threads that are not here
    try:
        faulthandler.disable()
        os.dup2(texts, 0)
        os.dup2(answers, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.closerange(3, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1024))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        context, hard = new_context(), resource.getrlimit(resource.RLIMIT_CPU)[1]
        while head := os.read(0, LENGTH.size):
            text = _read(LENGTH.unpack(head)[0]).decode(errors="surrogatepass")
            resource.setrlimit(resource.RLIMIT_CPU, (ceil(process_time()) + SECONDS, hard))
            try:
                parse(text, "text.mlir", context, guarded=False)
                answer = PARSED
            except InputError:
                answer = REFUSED
            os.write(1, answer)
    finally:
        os._exit(0)


def _read(length: int) -> bytes:
    parts: list[bytes] = []
    while length > 0 and (part := os.read(0, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _write(to: int, data: bytes) -> None:
    while data:
        data = data[os.write(to, data) :]
