"""Candidates: the terms of a source that a term of the target may equal, by fingerprint and by structure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from hecv.base.term import Term
from hecv.sweep.cut_sweeping.representatives import Places

FEW: Final = 3
"""The most terms of one fingerprint that all become candidates; of more, only those that are near."""

MOST_NEAR: Final = 8
RECENT: Final = 8
"""The most near candidates, and the most users of each operand that are considered."""

NEAR: Final = 24
"""The most terms below a term that define which candidates are near it."""


class Candidates:
    """The terms of a source that have representatives, by fingerprint numbers."""

    def __init__(self, places: Places) -> None:
        self._places: Final = places
        self._buckets: Final[dict[int, list[Term]]] = {}
        self._above: Final[dict[int, dict[int, list[Term]]]] = {}
        self._indexed: Final[set[int]] = set()
        self._nearest: tuple[Term | None, set[int]] = None, set()
        """What is near below the term that was asked about last: it is mostly asked about twice."""

    def offer(self, term: Term, place: Term) -> None:
        """Makes a term of the source a candidate."""
        number = self._places.print_of[place.id]
        bucket = self._buckets.setdefault(number, [])
        bucket.append(term)
        if number in self._indexed:
            self._index(number, term)
        elif len(bucket) > FEW:
            self._indexed.add(number)
            for known in bucket:
                self._index(number, known)

    def has(self, number: int) -> bool:
        """Whether some term has the fingerprint."""
        return number in self._buckets

    def all(self, number: int) -> Sequence[Term]:
        """All terms with the fingerprint."""
        return self._buckets.get(number, ())

    def of(self, number: int, term: Term) -> Sequence[Term]:
        """The candidates for a term: all with the fingerprint, or those near above the terms that it is made of."""
        bucket = self._buckets.get(number, ())
        if len(bucket) <= FEW:
            return bucket
        found: dict[int, Term] = {}
        if self._nearest[0] is not term:
            self._nearest = term, self._near(term)
        near, members, above = self._nearest[1], self._places.members, self._above
        for name in near:
            for member in members.get(name, ()):
                users = above.get(member.id)
                if users is not None:
                    for user in users.get(number, ())[-RECENT:]:
                        found[user.id] = user
        if len(found) < 2:
            return list(found.values())
        return sorted(found.values(), key=lambda t: (self._distance(t, near), -t.id))[:MOST_NEAR]

    def only(self, number: int) -> Term | None:
        """The one representative of all terms with the fingerprint; None if there are several, or none."""
        became = self._places.became
        found = {became[t.id].id: became[t.id] for t in self._buckets.get(number, ())[: FEW + 1]}
        return next(iter(found.values())) if len(found) == 1 else None

    def _index(self, number: int, term: Term) -> None:
        for name in {b.id for a in term.args for b in (a, *a.args) if b.op != "const"}:
            self._above.setdefault(name, {}).setdefault(number, []).append(term)

    def _distance(self, candidate: Term, near: set[int]) -> int:
        """How much of what a candidate is made of is not near, less what is."""
        became = self._places.became
        below = [a for a in candidate.args if became[a.id].op != "const"]
        names = {became[b.id].id for a in below for b in (a, *a.args)}
        far = [a for a in below if became[a.id].id not in near]
        return sum(4 for a in far if all(became[b.id].id not in near for b in a.args)) - len(names & near)

    def _near(self, term: Term) -> set[int]:
        """What became of what is below a term: of what the target has alone first, then of more."""
        became, fresh, near = self._places.became, self._places.program.fresh, set[int]()
        waiting, border = deque([term]), deque[Term]()
        while (waiting or border) and len(near) < NEAR:
            below = waiting.popleft() if waiting else border.popleft()
            for a in below.args:
                place = became[a.id]
                if place.op != "const" and place.id not in near:
                    near.add(place.id)
                    (waiting if place.id in fresh else border).append(a)
        return near
