"""Assumed merges: a worker that begins in the middle of a target assumes the merges of the terms before it.

The assumptions are guesses by fingerprint (`hecv.sweep.cuts.fingerprints`), and nothing found from here on is trusted:
the worker finds steps (`hecv.sweep.cuts.merge_steps`), each of which is applied only where what it rests on is proved.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from typing import Final

from hecv.base.term import Term
from hecv.sweep.cut_sweeping.candidates import Candidates
from hecv.sweep.cut_sweeping.representatives import Places

MOST_NEXT: Final = 6
"""The most terms of one fingerprint that are tried before, and after, the current position in the source."""

MEMORY: Final = 64
OFTEN: Final = 0.2
"""The share of recent candidates without a proof above which further merges are assumed without one."""


class Supposed:
    """The assumed representatives of a target's terms."""

    def __init__(self, places: Places, candidates: Candidates) -> None:
        self._places: Final = places
        self._candidates: Final = candidates
        self._at = 0
        """The number of the term of the source that was met last: programs are in much the same order."""
        self.left: Final[set[int]] = set()
        """The numbers of terms that were looked at, not found, and not taken for what they seem to be."""
        self._missing = 1.0
        """How many of the latest terms that seem to be in the source were not found."""

    def settle(self, term: Term) -> None:
        """Gives a term of the target its representative: a term with its values.

        Requires: its operands came before.
        """
        places = self._places
        known = places.known(term, False)
        found = known or self._seeming(term) or places.keep(term, True)
        places.settle(term, found)
        if known is not None and known.args:
            self._at = known.id

    def _seeming(self, term: Term) -> Term | None:
        """What the latest term seems to be. What has one value is nothing: half of what seems a literal is none."""
        places, latest = self._places, self._places.latest
        found = places.folded(term)
        if found is not None or not latest.searched or latest.values.count(latest.values[0]) == len(latest.values):
            return found
        for candidate in self._near(self._candidates.all(latest.number), term):
            place = places.became[candidate.id]
            if places.fits(latest.atoms, place, False):
                return place
        return None

    def _near(self, bucket: Sequence[Term], term: Term) -> Sequence[Term]:
        """Those of the same op first, then those that stand where the target has got to."""
        if len(bucket) < 2:
            return bucket
        here = bisect(bucket, self._at, key=lambda t: t.id)
        near = bucket[max(0, here - MOST_NEXT) : here + MOST_NEXT]
        return sorted(near, key=lambda t: (t.op != term.op, abs(t.id - self._at)))

    def found(self) -> None:
        """Records that a term after the assumed ones was proved to be one of the source."""
        self._missing -= self._missing / MEMORY

    def missed(self, term: Term, stacked: Iterable[Term]) -> None:
        """Assumes the merge of an unproved term if many are unproved: an assumption below them was wrong, and the terms
        above would fail too. Otherwise assumes the merges of the terms that are `stacked` on each other."""
        places = self._places
        seems = places.varies(term) and self._candidates.has(places.print_of[term.id])
        self._missing += (seems - self._missing) / MEMORY
        if self._missing < OFTEN:
            self.left.add(term.id)
        for suspect in (term,) if seems and self._missing > OFTEN else stacked:
            if places.became[suspect.id] is suspect and places.varies(suspect):
                for candidate in self._near(self._candidates.all(places.print_of[suspect.id]), suspect)[:1]:
                    self.left.discard(suspect.id)
                    places.unite(suspect, places.became[candidate.id])
