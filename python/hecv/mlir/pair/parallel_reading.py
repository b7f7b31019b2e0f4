"""Reads a function ahead in another process, while this process reads the other function of the pair."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Final

from hecv.base.term import TermPool
from hecv.process.forked_child import Beside
from hecv.process.term_transfer import Parcel, packed, unpacked
from hecv.program.tree import Function

_NUMBERED: Final = "contents"
"""Terms by whose number in the pool constants are known."""


class Ahead:
    """The reading of a function into some pool. What cannot be read elsewhere, or made here of what was, is read here,
    so that nothing depends on where it is read."""

    def __init__(self, read: Callable[[TermPool], Function]) -> None:
        self._read: Final = read
        self._other: Beside | None = None

    def begin(self) -> None:
        """Has it read by another process."""
        self._other = Beside(self._sent)

    def finish(self, pool: TermPool) -> Function:
        """The function, of terms of this pool.

        Raises: as the reading does.
        """
        parcel = None if self._other is None else self._other.result()
        return (parcel and _received(pool, parcel)) or self._read(pool)

    def __enter__(self) -> Ahead:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._other is not None:
            self._other.end()

    def _sent(self) -> Parcel:
        pool = TermPool()
        return packed(pool, self._read(pool))


def _received(pool: TermPool, parcel: Parcel) -> Function | None:
    """What was read there; None where its terms would be others here: those of index arithmetic have their operands in
    the order in which these were made."""
    if _NUMBERED in parcel.ops:
        return None
    return unpacked(pool, parcel, lambda op: op.startswith("affine."))
