"""The proof of a candidate merge in a cut sweep (`hecv.sweep.cut_sweeping.cut_sweep`).

By cuts whose shapes are proved, a term is merged with a candidate, with a literal, or with a term below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from hecv.base.term import Term
from hecv.sweep.cut_sweeping.candidate_cuts import Questions
from hecv.sweep.cut_sweeping.candidate_refutation import Apart
from hecv.sweep.cut_sweeping.candidates import FEW, Candidates
from hecv.sweep.cut_sweeping.representatives import Places
from hecv.sweep.cut_sweeping.shape_prover import ShapeProver
from hecv.sweep.cuts.leaf_cuts import Cut, Shape, shape_of
from hecv.sweep.cuts.merge_record import Record
from hecv.sweep.cuts.merge_steps import Journal, Step
from hecv.sweep.cuts.poison_sources import Atoms
from hecv.sweep.cuts.term_windows import View, windows

DEPTHS: Final = (1, 2, 4)
"""The depths to which a term is expanded to be proved a literal."""

BRIEF: Final = 6
"""The most windows tried for an equality that is useful, not needed."""


class Finding:
    """Finds what the latest term of `places` is equal to, by `candidates` and shapes that `proves` proves.

    `record` and `journal` collect what was proved; `at` is the current term of the sweep.
    """

    def __init__(self, places: Places, candidates: Candidates, proves: ShapeProver, record: Record | None) -> None:
        self._record: Final = record
        self._places: Final = places
        self._candidates: Final = candidates
        self._questions: Final = Questions(places, candidates)
        self._proves: Final = proves
        self.thorough = True
        """Whether all is tried for every term."""
        self.missed = 0
        """The terms that seem to be in the source and were not found, where all was tried."""
        self.at = 0
        """The number of the term that is looked at."""
        self.journal: Journal | None = None
        self.uses: Counter[str] = Counter()

    def matched(self, term: Term, exact: bool) -> Term | None:
        """The representative that the latest term of the target is proved to refine: a folded literal, a candidate, a
        literal or a leaf; None if none is."""
        places = self._places
        number, atoms = places.latest.number, places.latest.atoms
        deep = self.thorough or bool(atoms)
        found = places.folded(term)
        if not places.latest.searched:
            return found
        if not self._candidates.has(number):
            return found or self._as_literal(term) or self._as_leaf(term, exact)
        cut = None
        if found is None:
            cut = Cut(term, places.program)
            found = self._candidate(term, exact, cut, deep)
        found = found or self._as_literal(term) or self._as_leaf(term, exact, cut)
        if found is None and deep:
            found = self._by_windows(term, exact)
            self.missed += found is None
        return found

    def seems(self, member: Term, other: Term) -> bool:
        """Whether an operator is proved equal to another representative."""
        if not member.args or not self._places.is_searched(member):
            return False
        return any(self._holds(*w) for w in self._about(member, other, True))

    def takes(self, step: Step) -> bool:
        """Whether the ends of a step from another process are proved equal by what is known here."""
        for term in step.stands:
            if term.op == "const":
                self._places.met(term)
        if not self._places.shows(step) or not self._proves(step.shape):
            return False
        self._note(step.shape, dict(enumerate(step.stands)))
        return True

    def taken(self, steps: Iterable[Step], exact: bool) -> Term | None:
        """The representative of the latest term of the target that one of these steps proves."""
        places = self._places
        term, atoms = places.latest.term, places.latest.atoms
        for step in steps:
            if step.ends()[1] is term and self.takes(step):
                place = places.became[step.ends()[0].id]
                if places.fits(atoms, place, exact):
                    return self._chosen(atoms, place, exact)
        return None

    def _candidate(self, term: Term, exact: bool, cut: Cut, deep: bool) -> Term | None:
        """The term of the source that does what the latest term of the target does, whose first `cut` is given."""
        places = self._places
        number, atoms = places.latest.number, places.latest.atoms
        apart = Apart(term, self._questions, self._proves, deep)
        for candidate in self._candidates.of(number, term):
            place = places.became[candidate.id]
            if not places.fits(atoms, place, exact):
                continue
            near, further = self._questions.nearest(cut, candidate), self._questions.further(term, candidate, deep)
            if any(self._holds(*w) for w in near) or (not apart(candidate) and any(self._holds(*w) for w in further)):
                return self._chosen(atoms, place, exact)
        return None

    def also(self, term: Term) -> None:
        """Merges the representative of a term of the target with other source terms that it is proved equal to."""
        places = self._places
        number = places.print_of[places.became[term.id].id]
        bucket = self._candidates.all(number)
        if len(bucket) < 2 or not term.args or not places.is_searched(term):
            return
        if len(bucket) <= FEW and len({places.became[c.id].id for c in bucket}) < 2:
            return
        for candidate in self._candidates.of(number, term):
            place, other = places.became[term.id], places.became[candidate.id]
            if place is other:
                continue
            shapes = islice(self._about(term, candidate, self.thorough), None if len(bucket) <= FEW else BRIEF)
            # What is one in the source may be told apart in a wide window: it is looked for in all of them.
            if any(self._holds(*w) for w in shapes) or (place.op == "const" and self._is_literal(candidate)):
                places.unite(place, other)

    def _is_literal(self, candidate: Term) -> bool:
        """Whether a term of the source is shown to be a literal by what was learnt since it got its place."""
        if not candidate.args:
            return False
        self._places.look(candidate)
        return self._places.latest.searched and self._as_literal(candidate) is not None

    def simplified(self, term: Term) -> Term | None:
        """A simpler representative that a term of the source is proved equal to; None if there is none."""
        places = self._places
        latest = places.latest
        found = places.folded(term)
        if found is not None or not latest.searched:
            return found
        found = self._as_literal(term) or self._as_leaf(term, True)
        if found is not None or not self._candidates.has(latest.number):
            return found
        deep = self.thorough
        apart = Apart(term, self._questions, self._proves, deep)
        earlier = [c for c in self._candidates.of(latest.number, term) if c.id < term.id]
        for candidate in earlier[:2]:
            place = places.became[candidate.id]
            fits = place is not term and places.fits(latest.atoms, place, True)
            if not fits or apart(candidate):
                continue
            if any(self._holds(*w) for w in self._about(term, candidate, deep)):
                return self._chosen(latest.atoms, place, True)
        return None

    def _as_literal(self, term: Term) -> Term | None:
        latest, program = self._places.latest, self._places.program
        values = latest.values
        if latest.atoms or values[0] != values[-1] or values.count(values[0]) != len(values):
            return None
        constant = self._places.literal(term, values[0])
        for simplified in (False, True):
            deep = Cut(term, program, (), DEPTHS[-1], simplified=simplified)
            if simplified and not deep.replaced:
                break
            if deep.whole and self._proves.refutes(deep.literal(constant)):
                continue
            smaller = (Cut(term, program, (), depth, simplified=simplified) for depth in DEPTHS[:-1])
            if any(self._holds(c, c.literal(constant)) for c in (*smaller, deep)):
                return constant
        return None

    def _as_leaf(self, term: Term, exact: bool, cut: Cut | None = None) -> Term | None:
        places, latest = self._places, self._places.latest
        if latest.new:
            return None
        cut = cut or Cut(term, places.program)
        for leaf in cut.leaves:
            place = places.place(leaf)
            if places.print_of[leaf] != latest.number or not places.fits(latest.atoms, place, exact):
                continue
            deep = Cut(term, places.program, (leaf,), DEPTHS[-1])
            if leaf in deep.leaves and deep.whole and self._proves.refutes(deep.is_leaf(leaf)):
                continue
            smaller = Cut(term, places.program, (leaf,), DEPTHS[1])
            if any(leaf in c.leaves and self._holds(c, c.is_leaf(leaf)) for c in (cut, smaller, deep)):
                return self._chosen(latest.atoms, place, exact)
        return None

    def _about(self, term: Term, candidate: Term, deep: bool) -> Iterator[tuple[Cut, Shape]]:
        """All questions about a term and a candidate."""
        yield from self._questions.nearest(Cut(term, self._places.program), candidate)
        yield from self._questions.further(term, candidate, deep)

    def _chosen(self, atoms: Atoms, place: Term, exact: bool) -> Term:
        self._places.refines(atoms, place, exact)
        self.uses["sweep-window"] += 1
        return place

    def _by_windows(self, term: Term, exact: bool) -> Term | None:
        """A term of the source that a window shows equal which grows where it has to."""
        places = self._places
        atoms = places.latest.atoms
        view = View(places.taken, places.rank, places.program.opens)
        for candidate in self._candidates.of(places.latest.number, term)[:2]:
            place = places.became[candidate.id]
            if not places.fits(atoms, place, exact):
                continue
            for window in windows(candidate, term, view, 30):
                leaves: dict[int, Term] = {}
                shape = shape_of(window, places.became, places.program.kinds, leaves)
                if self._proves(shape):
                    self._note(shape, leaves)
                    return self._chosen(atoms, place, exact)
        return None

    def _holds(self, cut: Cut, shape: Shape) -> bool:
        """Whether the latest shape of a cut is shown."""
        if not self._proves(shape):
            return False
        self._note(shape, cut.places)
        return True

    def _note(self, shape: Shape, places: Mapping[int, Term]) -> None:
        """Writes down that a shape was used, with what stands for its rows."""
        if self._record is not None:
            self._record.merged(shape, dict(places))
        if self.journal is not None:
            self.journal.steps.append((self.at, Step.of(shape, places)))
