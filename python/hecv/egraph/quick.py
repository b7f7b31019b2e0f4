"""The quick sweep: as `hecv.egraph.sweep`, for programs of any length.

A term of the target that is the operator of a term of the source on equal operands is that term: most are. For any
other its fingerprint names candidates, and a cut (`hecv.egraph.cuts`) is proved, once for each shape. No operator is
entered into a normal form, and the time for a term does not depend on the length of the program.

Once much of the target has no place in the source the sweep gives up: larger programs are not proved by parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.egraph.candidates import FEW, Candidates
from hecv.egraph.cuts import Cut, Shape, shape_of
from hecv.egraph.kinds import Kinds
from hecv.egraph.places import Places
from hecv.egraph.record import Record
from hecv.egraph.taints import Atoms, Taints
from hecv.egraph.windows import View, windows

DEPTHS: Final = (1, 2, 4)
"""How far a term is opened to be a literal."""

NEAR_REASONS: Final = 6
MOST_REASONS: Final = 8
ALL_CHOICES: Final = 4
"""So far below terms are reasons looked for that cuts do not show; of so many some are opened, of so many any."""

BRIEF: Final = 6
"""Windows that are tried to show equal what is only more to be known."""

LONG: Final = 4_000
"""In programs with so many terms a term is looked at briefly first, and again where suspects stand above each other."""

SUSPICIOUS: Final = 4
"""So many terms of the target above each other that seem to be terms of the source, and are not shown to be."""

MOST_AGAIN: Final = 64
MOST_MEMBERS: Final = 6
MOST_TIMES: Final = 2
"""So many terms below such a one are looked at again, and so many that are one of them, each so often."""

HOPELESS: Final = 400
"""Terms without a place in the source after which the sweep gives up, where they are more than those with one."""


class QuickSweep:
    """One quick sweep over the terms of a pair of programs. `proves` shows shapes equal for all values of their leaves,
    `taints` knows what poison depends on."""

    def __init__(
        self,
        pool: TermPool,
        kinds: Kinds,
        proves: Callable[[Shape], bool],
        taints: Taints,
        index_width: int = 64,
        record: Record | None = None,
    ) -> None:
        self._record: Final = record
        self._places: Final = Places(pool, kinds, taints, index_width, record)
        self._proves: Final = proves
        self._candidates: Final = Candidates(self._places)
        self._missed = 0
        self._thorough = True
        """Whether all is tried for every term."""
        self._suspects: Final[dict[int, int]] = {}
        """Terms that only the target has and that seem to be in the source, and what only the target has above these:
        how many stand above each other that were not looked at again."""
        self._tried: Final[Counter[int]] = Counter()
        self.one_way = False
        """Whether a term of the target took the place of one that it refines and may not equal."""
        self.uses: Counter[str] = Counter()

    def run(self, source: Sequence[Term], target: Sequence[Term], exact: bool = False) -> None:
        """Sweeps over the terms of both programs, each with operands before users; with `exact`, what takes the place
        of a term of the target is poison where that is, too."""
        places = self._places
        self._thorough = len(source) + len(target) < LONG
        for term in source:
            if term.id not in places.became:
                place = places.known(term, True) or self._simplified(term) or places.keep(term, False)
                places.settle(term, place)
                self._candidates.offer(term, place)
        for term in target:
            if term.id in places.became:
                continue
            known = places.known(term, exact)
            place = known or self._matched(term, exact) or places.keep(term, True)
            places.settle(term, place)
            if place is not term and (known is None or places.hides(term)):
                self._also(term)
            elif place is term:
                self._suspect(term, exact)
            if self._missed > HOPELESS and self._missed > self.uses["sweep-window"]:
                break
        self.one_way = places.one_way

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
        places, suspects = self._places, self._suspects
        below = [suspects[place.id] for a in term.args if (place := places.became[a.id]).id in suspects]
        if term.args and places.latest.searched and self._candidates.has(places.latest.number):
            below = [max(below, default=0) + 1]
        if below:
            suspects[term.id] = max(below) % SUSPICIOUS
        if below and max(below) == SUSPICIOUS:
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
        for suspect in self._suspects_below(term):
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
            mine = self._made_of(term)
            theirs = [p for p in self._made_of(candidate).values() if p.id not in mine]
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
        return any(self._holds(*w) for w in self._shapes(member, other, True))

    def _made_of(self, term: Term) -> dict[int, Term]:
        """The places of what a term is made of: down to what is not the target's alone, and once more."""
        places, found = self._places, dict[int, Term]()
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

    def _suspects_below(self, term: Term) -> list[Term]:
        """The terms that only the target has and that seem to be in the source, operands before users: those that are
        reached by way of others, and of what is above them."""
        places, found = self._places, dict[int, Term]()
        waiting = [term]
        for below in waiting:
            place = places.became[below.id]
            suspected = place.id in self._suspects and place.id in places.program.fresh
            if place.id in found or not suspected or len(found) >= MOST_AGAIN:
                continue
            found[place.id] = place
            waiting += place.args
        return sorted([t for t in found.values() if self._candidates.has(places.print_of[t.id])], key=lambda t: t.id)

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
        for candidate in self._candidates.of(number, term) if found is None else ():
            place = places.became[candidate.id]
            if places.fits(atoms, place, exact) and any(self._holds(*w) for w in self._shapes(term, candidate, deep)):
                found = self._chosen(atoms, place, exact)
                break
        found = found or self._as_literal(term) or self._as_leaf(term, exact)
        if found is None and deep:
            found = self._by_windows(term, exact)
            self._missed += found is None
        return found

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
            shapes = islice(self._shapes(term, candidate, self._thorough), None if len(bucket) <= FEW else BRIEF)
            if place is not other and any(self._holds(*w) for w in shapes):
                places.unite(place, other)

    def _shapes(self, term: Term, candidate: Term, deep: bool) -> Iterator[tuple[Cut, Shape]]:
        """Windows of both: down to what both have, then as the target has it down to what the candidate is made of;
        then, if they are to be `deep`, with leaves opened that cannot have all values, and with some of what is one of
        its operands or a literal: the reason may be the same."""
        places = self._places
        program, became = places.program, places.became
        cut = Cut(term, program)
        place = became[candidate.id]
        if place.id in cut.leaves:
            yield cut, cut.is_leaf(place.id)
        if not candidate.args:
            return
        yield cut, cut.shape(candidate)
        above = {became[a.id].id for a in candidate.args}
        below = {became[b.id].id for a in candidate.args if program.opens(a) for b in a.args}
        cut = Cut(term, program, above | below)
        yield cut, cut.shape(candidate)
        alone = below | {became[a.id].id for a in candidate.args if not program.opens(a)}
        if below:
            cut = Cut(term, program, alone)
            yield cut, cut.shape(candidate, 2)
        if not deep:
            through = frozenset(self._hidden(term))
            if through:
                cut = Cut(term, program, None, through=through)
                yield cut, cut.shape(candidate)
                cut = Cut(term, program, above | below, through=through)
                yield cut, cut.shape(candidate)
            return
        cut = Cut(term, program, narrow=True)
        if cut.narrowed:
            yield cut, cut.shape(candidate)
        few = len(self._candidates.all(places.print_of[place.id])) <= FEW
        for through in _choices(self._reasons(term, candidate), few):
            cut = Cut(term, program, None, through=through)
            yield cut, cut.shape(candidate)
            cut = Cut(term, program, above | below, through=through)
            yield cut, cut.shape(candidate)
            if below:
                cut = Cut(term, program, alone, through=through)
                yield cut, cut.shape(candidate, 2)

    def _hidden(self, term: Term) -> Iterator[int]:
        """The terms that a term is made of, by way of what only the target has, that are something below them."""
        places = self._places
        for a in term.args:
            if a.id in places.reasoned:
                yield a.id
            elif a.id in places.program.fresh:
                yield from (b.id for b in a.args if b.id in places.reasoned)

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
        for candidate in self._candidates.of(latest.number, term)[:2]:
            place = places.became[candidate.id]
            fits = places.fits(latest.atoms, place, True)
            if fits and any(self._holds(*w) for w in self._shapes(term, candidate, deep)):
                return self._chosen(latest.atoms, place, True)
        return None

    def _as_literal(self, term: Term) -> Term | None:
        latest, program = self._places.latest, self._places.program
        values = latest.values
        if latest.atoms or values[0] != values[-1] or values.count(values[0]) != len(values):
            return None
        constant = self._places.literal(term, values[0])
        cuts = (Cut(term, program, (), depth) for depth in DEPTHS)
        shown = any(self._holds(c, c.literal(constant)) for c in cuts)
        return constant if shown else None

    def _as_leaf(self, term: Term, exact: bool) -> Term | None:
        places, latest = self._places, self._places.latest
        if latest.new:
            return None
        cut = Cut(term, places.program)
        for leaf in cut.leaves:
            place = places.place(leaf)
            if places.print_of[leaf] != latest.number or not places.fits(latest.atoms, place, exact):
                continue
            deeper = (Cut(term, places.program, (leaf,), depth) for depth in DEPTHS[1:])
            if self._holds(cut, cut.is_leaf(leaf)) or any(
                leaf in d.leaves and self._holds(d, d.is_leaf(leaf)) for d in deeper
            ):
                return self._chosen(latest.atoms, place, exact)
        return None

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
                    if self._record is not None:
                        self._record.merged(shape, leaves)
                    return self._chosen(atoms, place, exact)
        return None

    def _holds(self, cut: Cut, shape: Shape) -> bool:
        """Whether the latest shape of a cut is shown."""
        if not self._proves(shape):
            return False
        if self._record is not None:
            self._record.merged(shape, dict(cut.places))
        return True


def _choices(numbers: Sequence[int], few: bool) -> Iterator[frozenset[int]]:
    """Some of the sets of these: all, all but one or two, one to three, and of few any."""
    whole, count = frozenset(numbers), len(numbers)
    sizes = range(count, 0, -1) if count <= ALL_CHOICES else (count, count - 1, 1, count - 2, 2, 3)
    sizes = sizes[: None if few else 2]
    for size in sizes:
        for chosen in combinations(whole, size):
            yield frozenset(chosen)
