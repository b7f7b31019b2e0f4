"""Unproved candidates ("suspects"): terms of a target that seem equal to a source term, and what is near below them."""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term
from hecv.sweep.cut_sweeping.candidates import Candidates
from hecv.sweep.cut_sweeping.representatives import Places

SUSPICIOUS: Final = 4
"""The number of unproved candidates stacked on each other after which they are tried again."""

MOST_AGAIN: Final = 64
"""The most terms below such a stack that are tried again."""


class Suspects:
    """The unproved candidates of a sweep."""

    def __init__(self, places: Places, candidates: Candidates) -> None:
        self._places: Final = places
        self._candidates: Final = candidates
        self._above: Final[dict[int, int]] = {}
        """Terms that only the target has and that seem to be in the source, and what only the target has above these:
        how many stand above each other that were not looked at again."""

    def note(self, term: Term) -> bool:
        """Records that the latest term, of the target, became its own representative; whether so many unproved
        candidates are stacked that they are to be tried again."""
        places, above = self._places, self._above
        below = [above[place.id] for a in term.args if (place := places.became[a.id]).id in above]
        if term.args and places.latest.searched and self._candidates.has(places.latest.number):
            below = [max(below, default=0) + 1]
        if below:
            above[term.id] = max(below) % SUSPICIOUS
        return bool(below) and max(below) == SUSPICIOUS

    def below(self, term: Term) -> list[Term]:
        """The unproved candidates at and below a term that only the target has, operands before users."""
        places, found = self._places, dict[int, Term]()
        waiting = [term]
        for below in waiting:
            place = places.became[below.id]
            suspected = place.id in self._above and place.id in places.program.fresh
            if place.id in found or not suspected or len(found) >= MOST_AGAIN:
                continue
            found[place.id] = place
            waiting += place.args
        return sorted([t for t in found.values() if self._candidates.has(places.print_of[t.id])], key=lambda t: t.id)


def made_of(places: Places, term: Term) -> dict[int, Term]:
    """The representatives that a term is made of: through those that only the target has, and one level more."""
    found: dict[int, Term] = {}
    waiting = [(a, 2) for a in term.args]
    for below, depth in waiting:
        place = places.became[below.id]
        if place.op == "const" or place.id in found or len(found) >= MOST_AGAIN:
            continue
        found[place.id] = place
        depth -= place.id not in places.program.fresh
        if depth:
            waiting += [(a, depth) for a in below.args]
    return found
