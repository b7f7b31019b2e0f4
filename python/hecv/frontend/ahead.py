"""A function that is read ahead: by another process, while this one reads another function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final

from msgspec import Struct

from hecv.base.beside import Beside
from hecv.base.sending import Parcel, packed, unpacked
from hecv.base.term import Term, TermPool
from hecv.graph.tree import Function

_NUMBERED: Final = "contents"
"""Terms by whose number in the pool constants are known."""


class Meanwhile(Struct, frozen=True):
    """What else is done: `here` while this process waits, with what it has read; there with all `terms` that were read,
    each of which is found something about or nothing. What was found is `told`, by the numbers of terms here."""

    here: Callable[[Function], None]
    terms: Callable[[Sequence[Term]], Sequence[Any | None]]
    told: Callable[[Mapping[int, Any]], None]


class Ahead:
    """The reading of a function into some pool. What cannot be read elsewhere, or made here of what was, is read here,
    so that nothing depends on where it is read."""

    def __init__(self, read: Callable[[TermPool], Function], meanwhile: Meanwhile | None = None) -> None:
        self._read: Final = read
        self._meanwhile: Final = meanwhile
        self._other: Beside | None = None

    def begin(self) -> None:
        """Has it read by another process."""
        self._other = Beside(self._sent)

    def finish(self, pool: TermPool) -> Function:
        """The function, of terms of this pool.

        Raises: as the reading does.
        """
        sent = None if self._other is None else self._other.result()
        received = None if sent is None else _received(pool, sent[0])
        if sent is None or received is None:
            return self._read(pool)
        function, terms = received
        if self._meanwhile is not None:
            found = zip(terms, sent[1], strict=True)
            self._meanwhile.told({t.id: one for t, one in found if one is not None})
        return function

    def __enter__(self) -> Ahead:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._other is not None:
            self._other.end()

    def _sent(self) -> tuple[Parcel, Sequence[Any | None]]:
        pool = TermPool()
        parcel = packed(pool, self._read(pool))
        return parcel, self._meanwhile.terms(pool.terms()) if self._meanwhile is not None else ()


def _received(pool: TermPool, parcel: Parcel) -> tuple[Function, list[Term]] | None:
    """What was read there, and its terms; None where these would be others here: those of index arithmetic have their
    operands in the order in which these were made."""
    if _NUMBERED in parcel.ops:
        return None
    return unpacked(pool, parcel, lambda op: op.startswith("affine."))
