"""Candidate cuts: the cuts of a term and a candidate that may prove them equal, smallest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from hecv.base.term import Term
from hecv.sweep.cut_sweeping.candidates import FEW, Candidates
from hecv.sweep.cut_sweeping.representatives import Places
from hecv.sweep.cuts.leaf_cuts import Cut, Shape

WIDE: Final = 3
"""The depth to which a term is expanded to be told apart from a candidate."""

NEAR_REASONS: Final = 6
NEAR_HIDDEN: Final = 3
MOST_REASONS: Final = 8
ALL_CHOICES: Final = 4
"""Limits of the search for merged terms below both sides that cuts must expand: depth of the search (`NEAR_REASONS`),
in brief (`NEAR_HIDDEN`); the most terms of which some subsets are expanded (`MOST_REASONS`), or all subsets."""


class Questions:
    """Generates the windows to prove for the terms of a sweep."""

    def __init__(self, places: Places, candidates: Candidates) -> None:
        self._places: Final = places
        self._candidates: Final = candidates

    def nearest(self, cut: Cut, candidate: Term) -> Iterator[tuple[Cut, Shape]]:
        """The smallest windows: down to what both sides have, as the `cut` of the term."""
        place = self._places.became[candidate.id]
        if place.id in cut.leaves:
            yield cut, cut.is_leaf(place.id)
        if candidate.args:
            yield cut, cut.shape(candidate)

    def further(self, term: Term, candidate: Term, deep: bool) -> Iterator[tuple[Cut, Shape]]:
        """Larger windows: the term down to what the candidate is made of.

        With `deep`, also with leaves expanded whose operator cannot have all values, and with some merged terms
        expanded: both may be equal for the reason that made these equal to an operand or a literal.
        """
        if not candidate.args:
            return
        places = self._places
        program, became = places.program, places.became
        above = {became[a.id].id for a in candidate.args}
        below = {became[b.id].id for a in candidate.args if program.opens(a) for b in a.args}
        cut = Cut(term, program, above | below)
        yield cut, cut.shape(candidate)
        alone = below | {became[a.id].id for a in candidate.args if not program.opens(a)}
        if below:
            cut = Cut(term, program, alone)
            yield cut, cut.shape(candidate, 2)
        if not deep:
            for through in self._hidden(term):
                cut = Cut(term, program, None, through=through)
                yield cut, cut.shape(candidate)
                cut = Cut(term, program, above | below, through=through)
                yield cut, cut.shape(candidate)
            return
        cut = Cut(term, program, narrow=True)
        if cut.narrowed:
            yield cut, cut.shape(candidate)
        few = len(self._candidates.all(places.print_of[became[candidate.id].id])) <= FEW
        for through in _choices(self._reasons(term, candidate), few):
            cut = Cut(term, program, None, through=through)
            yield cut, cut.shape(candidate)
            cut = Cut(term, program, above | below, through=through)
            yield cut, cut.shape(candidate)
            if below:
                cut = Cut(term, program, alone, through=through)
                yield cut, cut.shape(candidate, 2)

    def wide(self, term: Term) -> Cut:
        """A window of the term with much of what is below it, as the target has it."""
        return Cut(term, self._places.program, (), WIDE)

    def _hidden(self, term: Term) -> Iterator[frozenset[int]]:
        """The terms that a term is made of, by way of what only the target has, that are something below them: the
        nearest, then with those that are further below."""
        places, level = self._places, list(term.args)
        found = frozenset[int]()
        for _ in range(NEAR_HIDDEN):
            more = {a.id for a in level if a.id in places.reasoned} - found
            if more:
                found |= more
                yield found
            level = [b for a in level if a.id in places.program.fresh for b in a.args]

    def _reasons(self, term: Term, candidate: Term) -> list[int]:
        """The terms near below both that are something below them, for reasons that cuts do not show."""
        places, found = self._places, dict[int, None]()
        level = [*term.args, *candidate.args, *(b for a in candidate.args for b in a.args)]
        for _ in range(NEAR_REASONS):
            reasons = [a for a in level if a.id in places.reasoned]
            found.update((a.id, None) for a in reasons)
            fresh = [a for a in level if a.id in places.program.fresh]
            level = [b for a in (*reasons, *fresh) for b in a.args if b.id not in found]
        return list(found)[:MOST_REASONS]


def _choices(numbers: Sequence[int], few: bool) -> Iterator[frozenset[int]]:
    """Some of the sets of these: all, all but one or two, one to three, and of few any."""
    whole, count = frozenset(numbers), len(numbers)
    sizes = range(count, 0, -1) if count <= ALL_CHOICES else (count, count - 1, 1, count - 2, 2, 3)
    sizes = sizes[: None if few else 2]
    for size in sizes:
        for chosen in combinations(whole, size):
            yield frozenset(chosen)
