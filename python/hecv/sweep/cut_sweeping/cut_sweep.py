"""The cut sweep: SAT sweeping as in `hecv.sweep.window_sweep`, for programs of any length.

A term of the target that is the same operator on merged operands as a term of the source is that term: most are. For
any other its fingerprint gives candidates, and a cut (`hecv.sweep.cuts.leaf_cuts`) is proved, once for each shape. No
operator is entered into a normal form, and the time for a term does not depend on the length of the program.

Once much of the target has no equal in the source the sweep gives up: larger programs are not proved by parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.base.types import is_wide
from hecv.sweep.cut_sweeping.assumed_merges import Supposed
from hecv.sweep.cut_sweeping.candidate_proof import Finding
from hecv.sweep.cut_sweeping.candidates import Candidates
from hecv.sweep.cut_sweeping.representatives import Places
from hecv.sweep.cut_sweeping.shape_prover import ShapeProver
from hecv.sweep.cut_sweeping.unproved_candidates import Suspects, made_of
from hecv.sweep.cuts.merge_record import Record
from hecv.sweep.cuts.merge_steps import Journal, Step
from hecv.sweep.cuts.operator_kinds import Kinds
from hecv.sweep.cuts.poison_sources import Taints

LONG: Final = 4_000
"""The number of terms from which a program is swept briefly first, and again where unproved candidates are stacked."""

MOST_MEMBERS: Final = 6
MOST_TIMES: Final = 2
"""The most merged terms considered among those a term is made of (`MOST_MEMBERS`); the most times a term is tried
again."""

HOPELESS: Final = 400
"""The number of target terms without an equal in the source above which the sweep may give up."""

Steps = Mapping[int, Sequence[Step]]
"""Merge steps, by the number of the term that they are about."""


class QuickSweep:
    """One cut sweep over the terms of a pair of programs.

    `proves` proves shapes for all values of their leaves, `taints` computes poison atoms.
    """

    def __init__(
        self,
        pool: TermPool,
        kinds: Kinds,
        proves: ShapeProver,
        taints: Taints,
        index_width: int = 64,
        record: Record | None = None,
    ) -> None:
        self._places: Final = Places(pool, kinds, taints, index_width, record)
        self._candidates: Final = Candidates(self._places)
        self._finding: Final = Finding(self._places, self._candidates, proves, record)
        self._suspects: Final = Suspects(self._places, self._candidates)
        self.supposed: Supposed | None = None
        """What terms seem to be, where what stands before them was not looked at."""
        self._tried: Final[Counter[int]] = Counter()
        self._put_off: Final[set[int]] = set()
        """Terms of the target that may be further terms of the source."""
        self.doubtful: Final[list[Term]] = []
        """Terms of the source that may be something simpler."""
        self.gave_up = False
        self.missing = 1
        """It gives up where more than one in so many terms, of those that are searched, are not found."""
        self.one_way = False
        """Whether a term of the target took the place of one that it refines and may not equal."""

    @property
    def uses(self) -> Counter[str]:
        """How many terms were merged, by the kind of proof."""
        return self._finding.uses

    def run(self, source: Sequence[Term], target: Sequence[Term], exact: bool = False) -> None:
        """Sweeps both programs' terms, each with operands before users.

        With `exact`, the representative of a target term is poison wherever the term is, and nowhere else.
        """
        self.begin(len(source) + len(target))
        self.enter(source)
        self.simplify(self.doubtful)
        self.match(target, exact)
        self.finish()

    def begin(self, terms: int) -> None:
        """Prepares for programs of `terms` terms in all."""
        self._finding.thorough = terms < LONG

    def enter(self, source: Sequence[Term]) -> None:
        """Gives the terms of the source their representatives, without proofs."""
        places = self._places
        for term in source:
            if term.id in places.became:
                continue
            known = places.known(term, True)
            place = known or places.folded(term) or places.keep(term, False)
            places.settle(term, place)
            self._candidates.offer(term, place)
            # A quotient that is not searched may be once its divisor is shown to be a literal.
            if known is None and place is term and not is_wide(term.type) and not places.latest.single:
                self.doubtful.append(term)

    def simplify(self, terms: Sequence[Term]) -> None:
        """Merges terms of the source with simpler ones that they are proved equal to."""
        places, finding = self._places, self._finding
        for term in terms:
            if places.became[term.id] is not term:
                continue
            finding.at = term.id
            places.look(term)
            found = finding.simplified(term)
            if found is not None and found is not term:
                places.simplify(term, found)

    def match(self, target: Sequence[Term], exact: bool = False) -> None:
        """Gives terms of the target their representatives."""
        places, finding = self._places, self._finding
        for term in target:
            if term.id in places.became:
                continue
            finding.at = term.id
            known = places.known(term, exact)
            self._settle(term, known, finding.matched(term, exact) if known is None else None, exact)
            if self._is_hopeless():
                break

    def _is_hopeless(self) -> bool:
        missed = self._finding.missed
        self.gave_up = missed > HOPELESS and missed * self.missing > self.uses["sweep-window"]
        return self.gave_up

    def _settle(self, term: Term, known: Term | None, found: Term | None, exact: bool) -> None:
        places = self._places
        place = known or found or places.keep(term, True)
        places.settle(term, place)
        if place is not term and (known is None or places.hides(term)):
            if self._finding.thorough:
                self._finding.also(term)
            else:
                self._put_off.add(term.id)
            if self.supposed is not None and found is not None:
                self.supposed.found()
        elif place is term:
            self._suspect(term, exact)

    def finish(self) -> None:
        """Ends the sweep, or a repeated part of it."""
        self.one_way = self._places.one_way

    def became(self, term: Term) -> Term:
        """The representative of a term; itself if it was not swept."""
        return self._places.taken(term)

    def rebuilt(self, term: Term) -> Term:
        """The operator at the root of `term` over the representatives of its operands."""
        return self._places.rebuilt(term)

    def is_proper(self, term: Term) -> bool:
        """Whether a representative is never poison."""
        return self._places.is_proper(term)

    # Steps that are found elsewhere, and elsewhere

    def write_down(self) -> Journal:
        """Starts to record all steps."""
        self._finding.journal = Journal()
        return self._finding.journal

    def suppose(self, target: Sequence[Term]) -> None:
        """Assumes representatives of terms of the target, so that those after them can be swept.

        From now on the sweep proves nothing: its steps hold only where they are applied.
        """
        supposed = self.supposed = Supposed(self._places, self._candidates)
        for term in target:
            if term.id not in self._places.became:
                supposed.settle(term)

    def adopt(self, terms: Sequence[Term], steps: Steps) -> None:
        """Like `simplify`, by steps that were found elsewhere."""
        for term in terms:
            self._unite_by(term, steps.get(term.id, ()))

    def adopt_matches(self, target: Sequence[Term], steps: Steps, left: Container[int], exact: bool = False) -> None:
        """Like `match`, by steps found elsewhere; terms that were `left` unmerged there are not tried again."""
        places, finding = self._places, self._finding
        for term in target:
            if term.id in places.became:
                continue
            finding.at = term.id
            given = steps.get(term.id, ())
            place = places.known(term, exact) or places.folded(term)
            if place is None and term.id not in left:
                place = finding.taken(given, exact) or finding.matched(term, exact)
            place = place or places.keep(term, True)
            places.settle(term, place)
            if place is term:
                self._suspect(term, exact)
            else:
                self._unite_by(term, given)
            if self._is_hopeless():
                break

    def _unite_by(self, term: Term, steps: Sequence[Step]) -> None:
        """Unites what steps show equal that were found of a term."""
        places = self._places
        self._finding.at = term.id
        for step in steps:
            first, last = step.ends()
            is_news = last.id in places.became and places.became[last.id] is not places.became.get(first.id)
            if is_news and self._finding.takes(step):
                places.simplify(last, places.became[first.id])

    # Second looks

    def _suspect(self, term: Term, exact: bool) -> None:
        """Notes that a term of the target was given a place of its own."""
        stacked = self._suspects.note(term)
        if self.supposed is not None:
            self.supposed.missed(term, self._suspects.below(term) if stacked else ())
        elif stacked:
            self._revisit(term, exact)

    def again(self, roots: Sequence[Term], exact: bool = False) -> bool:
        """Tries the unproved candidates below terms of the target again; whether anything was proved."""
        before = self.uses.total()
        if not self._finding.thorough:
            for root in roots:
                if root.id in self._places.became:
                    self._revisit(root, exact)
        self.one_way = self._places.one_way
        return self.uses.total() > before

    def _revisit(self, term: Term, exact: bool) -> None:
        """Tries all for the suspects near below a term, and for itself."""
        places, finding = self._places, self._finding
        finding.thorough, before = True, finding.thorough
        for suspect in self._suspects.below(term):
            if places.became[suspect.id] is suspect and self._tried[suspect.id] < MOST_TIMES:
                self._tried[suspect.id] += 1
                self._unite_put_off(suspect)
                self._unite_below(suspect)
                places.look(suspect)
                found = finding.matched(suspect, exact)
                if found is not None:
                    places.unite(suspect, found)
        finding.thorough = before

    def _unite_put_off(self, term: Term) -> None:
        """Unites what a term is made of with what else that is in the source: few have to be asked about."""
        places = self._places
        for place in made_of(places, term).values():
            for member in places.members.get(place.id, [])[-MOST_MEMBERS:]:
                if member.id in self._put_off:
                    self._put_off.discard(member.id)
                    self._finding.also(member)

    def _unite_below(self, term: Term) -> None:
        """Unites what a term is made of with what candidates are made of, where they seem to be equal."""
        places = self._places
        number = places.print_of[places.became[term.id].id]
        for candidate in self._candidates.of(number, term)[:2]:
            mine = made_of(places, term)
            theirs = [p for p in made_of(places, candidate).values() if p.id not in mine]
            for other in theirs:
                alike = [p for p in mine.values() if places.print_of[p.id] == places.print_of[other.id]]
                for place in alike:
                    # What was united meanwhile has moved.
                    members = places.members.get(place.id, [])[-MOST_MEMBERS:]
                    if any(self._finding.seems(m, other) for m in members):
                        places.unite(place, other)
                        break
