"""Exchange of results between the workers of one sweep: shapes, and whether they were proved.

Workers meet many of the same shapes. The result for a shape does not depend on who asks, so a lost message costs only
time: the shape is asked about twice.
"""

from __future__ import annotations

import fcntl
import marshal
import os
from collections.abc import Iterator, Sequence
from select import PIPE_BUF
from typing import Final

from hecv.sweep.cuts.leaf_cuts import Shape

ROOM: Final = 1 << 20
"""The capacity of an inbox in bytes."""

HEAD: Final = 2
"""The bytes of the length before each message."""

Sizes = tuple[int, int]
"""The numbers of kinds and of types."""

Message = tuple[Shape, str | None]
"""A shape and what proved it; None if nothing did."""


class Line:
    """The connection of one process: it reads its own inbox and writes to those of the others."""

    def __init__(self, inbox: int, others: Sequence[int], sizes: Sizes) -> None:
        """Shapes mean the same to all while no process has more kinds and types than these `sizes`."""
        self.sizes: Final = sizes
        self._inbox: Final = inbox
        self._others: Final = others
        self._rest = b""

    def tell(self, message: Message) -> None:
        """Sends a message to all that have room for it."""
        data = marshal.dumps(message)
        if len(data) + HEAD > PIPE_BUF:  # it might arrive between parts of another
            return
        for other in self._others:
            try:
                os.write(other, len(data).to_bytes(HEAD, "little") + data)
            except OSError:  # full, or nobody is left who reads it
                continue

    def heard(self) -> Iterator[Message]:
        """The messages that have arrived."""
        try:
            data = self._rest + os.read(self._inbox, ROOM)
        except OSError:  # there are none
            return
        at = 0
        while at + HEAD <= len(data):
            end = at + HEAD + int.from_bytes(data[at : at + HEAD], "little")
            if end > len(data):
                break
            yield marshal.loads(data[at + HEAD : end])
            at = end
        self._rest = data[at:]


class Exchange:
    """The inboxes of all processes, made before the fork."""

    def __init__(self, count: int) -> None:
        self._pipes: Final = [os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) for _ in range(count)]
        for _, writer in self._pipes:
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, ROOM)

    def files(self) -> list[int]:
        """The file descriptors that must stay open where a line is used."""
        return [end for pipe in self._pipes for end in pipe]

    def line(self, number: int, sizes: Sizes) -> Line:
        """The line of the process with a number; `sizes` are those at the time of the fork."""
        writers = [writer for k, (_, writer) in enumerate(self._pipes) if k != number]
        return Line(self._pipes[number][0], writers, sizes)

    def close(self) -> None:
        """Closes the exchange in this process; may be called twice."""
        for end in self.files():
            os.close(end)
        self._pipes.clear()
