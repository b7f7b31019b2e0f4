"""Known bits and value ranges of integer terms, for all values of their leaves, by what each operator declares.

An operator that declares none has all values of its type.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, literal
from hecv.base.types import IndexType, IntType
from hecv.ops import facts_about
from hecv.ops.integer_bounds import Bounds, bounds


class TermBounds:
    """The bounds of terms, for all values of their leaves. `index` terms have bounds if the index width is known."""

    def __init__(self, index_width: int | None = None) -> None:
        self._known: Final[dict[int, Bounds]] = {}
        self._index_width: Final = index_width

    def of(self, term: Term) -> Bounds:
        """The bounds of a term.

        Requires: it is an integer, of the one pool that is asked about.
        """
        known = self._known.get(term.id)
        if known is not None:
            return known
        waiting = [term]
        while waiting:
            last = waiting[-1]
            below = [a for a in last.args if a.id not in self._known and self._width(a)]
            if below and last.id not in self._known:
                waiting += below
                continue
            waiting.pop()
            if last.id not in self._known:
                self._known[last.id] = self._made(last)
        return self._known[term.id]

    def _made(self, term: Term) -> Bounds:
        value, width = literal(term), self._width(term)
        assert width
        if isinstance(value, int):
            value %= 1 << width
            return bounds(width, unsigned=(value, value))
        made = facts_about(term.op).bounds
        if made is None or not all(map(self._width, term.args)):
            return bounds(width)
        return made(term, width, [self._known[a.id] for a in term.args])

    def _width(self, term: Term) -> int:
        """The bits of an integer, 0 of what has no bounds."""
        if isinstance(term.type, IndexType):
            return self._index_width or 0
        return term.type.width if isinstance(term.type, IntType) else 0
