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
"""Terms by whose id in the pool constants are numbered."""


class Ahead:
    """The reading of a function, possibly in another process.

    What cannot be read there, or rebuilt here from what was read, is read here, so that no result depends on where it
    is read.
    """

    def __init__(self, read: Callable[[TermPool], Function]) -> None:
        self._read: Final = read
        self._other: Beside | None = None

    def begin(self) -> None:
        """Starts reading in another process."""
        self._other = Beside(self._sent)

    def finish(self, pool: TermPool) -> Function:
        """The function, over terms of this pool.

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
    """The function that was read there; None if its terms would differ here: index arithmetic orders operands by
    their age."""
    if _NUMBERED in parcel.ops:
        return None
    return unpacked(pool, parcel, lambda op: op.startswith("affine."))
