"""The quick sweep: as `hecv.egraph.sweep`, for programs of any length.

A term of the target that is the operator of a term of the source on equal operands is that term: most are. For any
other its fingerprint names candidates, and a cut (`hecv.egraph.cuts`) is proved, once for each shape. No operator is
entered into a normal form, and the time for a term does not depend on the length of the program.

Once much of the target has no place in the source the sweep gives up: larger programs are not proved by parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.base.types import is_wide
from hecv.egraph.apart import Apart
from hecv.egraph.candidates import FEW, Candidates
from hecv.egraph.cuts import Cut, Shape, shape_of
from hecv.egraph.kinds import Kinds
from hecv.egraph.places import Places
from hecv.egraph.questions import Questions
from hecv.egraph.record import Record
from hecv.egraph.shapes import ShapeProver
from hecv.egraph.steps import Journal, Step
from hecv.egraph.suspects import Suspects, made_of
from hecv.egraph.taints import Atoms, Taints
from hecv.egraph.windows import View, windows

DEPTHS: Final = (1, 2, 4)
"""How far a term is opened to be a literal."""

BRIEF: Final = 6
"""Windows that are tried to show equal what is only more to be known."""

LONG: Final = 4_000
"""In programs with so many terms a term is looked at briefly first, and again where suspects stand above each other."""

MOST_MEMBERS: Final = 6
MOST_TIMES: Final = 2
"""So many that are one of what terms are made of are looked at, and a term is looked at again so often."""

HOPELESS: Final = 400
"""Terms without a place in the source after which the sweep gives up, where they are more than those with one."""


class QuickSweep:
    """One quick sweep over the terms of a pair of programs. `proves` shows shapes equal for all values of their leaves,
    `taints` knows what poison depends on."""

    def __init__(
        self,
        pool: TermPool,
        kinds: Kinds,
        proves: ShapeProver,
        taints: Taints,
        index_width: int = 64,
        record: Record | None = None,
    ) -> None:
        self._record: Final = record
        self._places: Final = Places(pool, kinds, taints, index_width, record)
        self._proves: Final = proves
        self._candidates: Final = Candidates(self._places)
        self._questions: Final = Questions(self._places, self._candidates)
        self._missed = 0
        self._thorough = True
        """Whether all is tried for every term."""
        self._suspects: Final = Suspects(self._places, self._candidates)
        self._tried: Final[Counter[int]] = Counter()
        self._at = 0
        """The term that is looked at."""
        self.doubtful: Final[list[Term]] = []
        """Terms of the source that may be something simpler."""
        self.journal: Journal | None = None
        self.gave_up = False
        self.missing = 1
        """It gives up where more than one in so many terms, of those that are searched, are not found."""
        self.one_way = False
        """Whether a term of the target took the place of one that it refines and may not equal."""
        self.uses: Counter[str] = Counter()

    def run(self, source: Sequence[Term], target: Sequence[Term], exact: bool = False) -> None:
        """Sweeps over the terms of both programs, each with operands before users; with `exact`, what takes the place
        of a term of the target is poison where that is, too."""
        self.begin(len(source) + len(target))
        self.enter(source)
        self.simplify(self.doubtful)
        self.match(target, exact)
        self.finish()

    def begin(self, terms: int) -> None:
        """Says how many terms both programs have."""
        self._thorough = terms < LONG

    def enter(self, source: Sequence[Term]) -> None:
        """Gives places to the terms of the source, as they are known without a proof."""
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
        """Unites terms of the source with what they are shown to be."""
        places = self._places
        for term in terms:
            if places.became[term.id] is not term:
                continue
            self._at = term.id
            places.look(term)
            found = self._simplified(term)
            if found is not None and found is not term:
                places.simplify(term, found)

    def match(self, target: Sequence[Term], exact: bool = False) -> None:
        """Gives places to terms of the target."""
        places = self._places
        for term in target:
            if term.id in places.became:
                continue
            self._at = term.id
            known = places.known(term, exact)
            self._settle(term, known, self._matched(term, exact) if known is None else None, exact)
            if self._missed > HOPELESS and self._missed * self.missing > self.uses["sweep-window"]:
                self.gave_up = True
                break

    def _settle(self, term: Term, known: Term | None, found: Term | None, exact: bool) -> None:
        places = self._places
        place = known or found or places.keep(term, True)
        places.settle(term, place)
        if place is not term and (known is None or places.hides(term)):
            self._also(term)
        elif place is term:
            self._suspect(term, exact)

    def adopt(self, terms: Sequence[Term], steps: Mapping[int, Sequence[Step]]) -> None:
        """As `simplify`, by steps that were found elsewhere."""
        for term in terms:
            for step in steps.get(term.id, ()):
                self._at = term.id
                if self._holds_here(step):
                    self._places.simplify(step.ends()[1], self._places.became[step.ends()[0].id])

    def _holds_here(self, step: Step) -> bool:
        """Whether the ends of a step are shown equal by what is known here."""
        for term in step.stands:
            if term.op == "const":
                self._places.met(term)
        if not self._places.shows(step) or not self._proves(step.shape):
            return False
        self._note(step.shape, dict(enumerate(step.stands)))
        return True

    def write_down(self) -> Journal:
        """Writes down all steps from now on."""
        self.journal = Journal()
        return self.journal

    def finish(self) -> None:
        """Ends the sweep, or what was done again."""
        self.one_way = self._places.one_way

    def became(self, term: Term) -> Term:
        """What took the place of a term; itself where it was not swept."""
        return self._places.became.get(term.id, term)

    def rebuilt(self, term: Term) -> Term:
        """The operator at the root of `term` over what took the places of its operands."""
        return self._places.rebuilt(term)

    def is_proper(self, term: Term) -> bool:
        """Whether a term that took the place of another is never poison."""
        return self._places.is_proper(term)

    # Second looks

    def _suspect(self, term: Term, exact: bool) -> None:
        """Notes that a term of the target was given a place of its own."""
        if self._suspects.note(term):
            self._revisit(term, exact)

    def again(self, roots: Sequence[Term], exact: bool = False) -> bool:
        """Looks again at what seems to be in the source below terms of the target; whether anything was shown."""
        before = self.uses.total()
        if not self._thorough:
            for root in roots:
                if root.id in self._places.became:
                    self._revisit(root, exact)
        self.one_way = self._places.one_way
        return self.uses.total() > before

    def _revisit(self, term: Term, exact: bool) -> None:
        """Tries all for the suspects near below a term, and for itself."""
        places = self._places
        self._thorough, before = True, self._thorough
        for suspect in self._suspects.below(term):
            if places.became[suspect.id] is suspect and self._tried[suspect.id] < MOST_TIMES:
                self._tried[suspect.id] += 1
                self._unite_below(suspect)
                places.look(suspect)
                found = self._matched(suspect, exact)
                if found is not None:
                    places.unite(suspect, found)
        self._thorough = before

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
                    if any(self._seems(m, other) for m in members):
                        places.unite(place, other)
                        break

    def _seems(self, member: Term, other: Term) -> bool:
        """Whether an operator is shown to be another place."""
        if not member.args or not self._places.is_searched(member):
            return False
        return any(self._holds(*w) for w in self._about(member, other, True))

    # Proofs

    def _matched(self, term: Term, exact: bool) -> Term | None:
        """What the latest term of the target is shown to be: first by what both do, then by what becomes of it."""
        places = self._places
        number, atoms = places.latest.number, places.latest.atoms
        deep = self._thorough or bool(atoms)
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
            self._missed += found is None
        return found

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

    def _also(self, term: Term) -> None:
        """Unites the place of a term of the target with others of the source that it is shown to be, too."""
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
            shapes = islice(self._about(term, candidate, self._thorough), None if len(bucket) <= FEW else BRIEF)
            # What is one in the source may be told apart in a wide window: it is looked for in all of them.
            if any(self._holds(*w) for w in shapes) or (place.op == "const" and self._is_literal(candidate)):
                places.unite(place, other)

    def _is_literal(self, candidate: Term) -> bool:
        """Whether a term of the source is shown to be a literal by what was learnt since it got its place."""
        if not candidate.args:
            return False
        self._places.look(candidate)
        return self._places.latest.searched and self._as_literal(candidate) is not None

    def _simplified(self, term: Term) -> Term | None:
        """What a term of the source is known or shown to be."""
        places = self._places
        latest = places.latest
        found = places.folded(term)
        if found is not None or not latest.searched:
            return found
        found = self._as_literal(term) or self._as_leaf(term, True)
        if found is not None or not self._candidates.has(latest.number):
            return found
        deep = self._thorough
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
        view = View(self.became, places.rank, places.program.opens)
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
            self.journal.steps.append((self._at, Step.of(shape, places)))
