"""Queries about two small terms: are their total values equal for all leaves, and is a term never poison?"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, postorder
from hecv.base.types import IntType
from hecv.smt.bit_blasting import Blaster
from hecv.smt.term_encoding import Encoder
from hecv.smt.term_refinement import same
from hecv.smt.z3_goals import Proved, Refuted, decide
from hecv.smt.z3_theory import Unencodable

QUESTIONS: Final = 200
"""Queries after which Z3's memory is released."""


class EqualValues:
    """Answers queries about small terms; one Z3 context serves many of them."""

    def __init__(self, index_width: int = 64) -> None:
        self._index_width: Final = index_width
        self._made: Encoder | None = None
        self._blasters: dict[int, Blaster] = {}
        self._asked = 0

    def ask(self, left: Term, right: Term, milliseconds: int) -> bool | None:
        """True if the values are equal, ignoring poison and undefined behaviour, False if not, None if Z3 does not say.

        Requires: both are of one pool.
        """
        encoder = self._encoder()
        try:
            one, other = encoder.terms((left, right))
        except Unencodable:
            return None
        goal = same(one, other)
        if not encoder.abstractions and all(isinstance(t.type, IntType) for t in postorder((left, right))):
            return self._blaster(encoder, milliseconds).holds(goal)
        answer = decide(goal, (), milliseconds)
        if isinstance(answer, Proved):
            return True
        return False if isinstance(answer, Refuted) and not encoder.abstractions else None

    def is_proper(self, term: Term, milliseconds: int) -> bool:
        """True if Z3 shows that a term is never poison."""
        encoder = self._encoder()
        try:
            made = encoder.term(term)
        except Unencodable:
            return False
        return isinstance(decide(encoder.not_(made.poison), (), milliseconds), Proved)

    def _blaster(self, encoder: Encoder, milliseconds: int) -> Blaster:
        found = self._blasters.get(milliseconds)
        if found is None:
            found = self._blasters[milliseconds] = Blaster(encoder.context, milliseconds)
        return found

    def _encoder(self) -> Encoder:
        """The encoder for the next query. It is reused, as setting up Z3 takes longer than a small query."""
        if self._made is None or self._asked == QUESTIONS:
            self._blasters = {}
            self._made, self._asked = Encoder(self._index_width), 0
        self._asked += 1
        return self._made
