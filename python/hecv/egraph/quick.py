"""The quick sweep: as `hecv.egraph.sweep`, for programs of any length.

A term of the target that is the operator of a term of the source on equal operands is that term: most are. For any
other its fingerprint names candidates, and a cut (`hecv.egraph.cuts`) is proved, once for each shape. No operator is
entered into a normal form, and the time for a term does not depend on the length of the program.

Once much of the target has no place in the source the sweep gives up: larger programs are not proved by parts.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.egraph.cuts import Cut, Shape, shape_of
from hecv.egraph.kinds import Kinds
from hecv.egraph.places import Places
from hecv.egraph.record import Record
from hecv.egraph.taints import Atoms, Taints
from hecv.egraph.windows import View, windows

FEW: Final = 3
"""Of so many terms of one fingerprint all are candidates; of more those that are near."""

MOST_NEAR: Final = 8
RECENT: Final = 8
"""So many near ones are tried, and so many users of each operand are looked at."""

NEAR: Final = 24
"""So many terms below one are those that near ones are made of, too."""

DEPTHS: Final = (1, 2, 4)
"""How far a term is opened to be a literal."""

NEAR_REASONS: Final = 6
MOST_REASONS: Final = 8
ALL_CHOICES: Final = 4
"""So far below terms are reasons looked for that cuts do not show; of so many some are opened, of so many any."""

BRIEF: Final = 6
"""Windows that are tried to show equal what is only more to be known."""

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
        self._buckets: dict[int, list[Term]] = {}
        self._above: dict[int, dict[int, list[Term]]] = {}
        self._indexed: set[int] = set()
        self._missed = 0
        self.one_way = False
        """Whether a term of the target took the place of one that it refines and may not equal."""
        self.uses: Counter[str] = Counter()

    def run(self, source: Sequence[Term], target: Sequence[Term], exact: bool = False) -> None:
        """Sweeps over the terms of both programs, each with operands before users; with `exact`, what takes the place
        of a term of the target is poison where that is, too."""
        places = self._places
        for term in source:
            if term.id not in places.became:
                place = places.known(term, True) or self._simplified(term) or places.keep(term, False)
                places.settle(term, place)
                self._offer(term, place)
        for term in target:
            if term.id in places.became:
                continue
            known = places.known(term, exact)
            place = known or self._matched(term, exact) or places.keep(term, True)
            places.settle(term, place)
            if place is not term and (known is None or places.hides(term)):
                self._also(term)
            if self._missed > HOPELESS and self._missed > self.uses["sweep-window"]:
                return
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

    # Candidates

    def _offer(self, term: Term, place: Term) -> None:
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

    def _index(self, number: int, term: Term) -> None:
        for name in {b.id for a in term.args for b in (a, *a.args) if b.op != "const"}:
            self._above.setdefault(name, {}).setdefault(number, []).append(term)

    def _candidates(self, number: int, term: Term) -> list[Term]:
        """Terms of the source with a fingerprint: all, or those that are near above what a term is made of."""
        bucket = self._buckets.get(number, [])
        if len(bucket) <= FEW:
            return bucket
        found: dict[int, Term] = {}
        near = self._near(term)
        for name in near:
            for member in self._places.members.get(name, ()):
                found.update((user.id, user) for user in self._above.get(member, {}).get(number, ())[-RECENT:])
        return sorted(found.values(), key=lambda t: (self._distance(t, near), -t.id))[:MOST_NEAR]

    def _distance(self, candidate: Term, near: set[int]) -> int:
        """How much of what a candidate is made of is not near, less what is."""
        became = self._places.became
        below = [a for a in candidate.args if became[a.id].op != "const"]
        names = {became[b.id].id for a in below for b in (a, *a.args)}
        far = [a for a in below if became[a.id].id not in near]
        return sum(4 for a in far if all(became[b.id].id not in near for b in a.args)) - len(names & near)

    def _near(self, term: Term) -> set[int]:
        """What became of what is below a term: of what the target has alone first, then of more."""
        program, near = self._places.program, set[int]()
        waiting, border = deque([term]), deque[Term]()
        while (waiting or border) and len(near) < NEAR:
            below = waiting.popleft() if waiting else border.popleft()
            for a in below.args:
                place = program.became[a.id]
                if place.op != "const" and place.id not in near:
                    near.add(place.id)
                    (waiting if place.id in program.fresh else border).append(a)
        return near

    # Proofs

    def _matched(self, term: Term, exact: bool) -> Term | None:
        """What the latest term of the target is shown to be: first by what both do, then by what becomes of it."""
        places = self._places
        number, atoms = places.latest.number, places.latest.atoms
        found = places.folded(term)
        if not places.latest.searched:
            return found
        if number not in self._buckets:
            return found or self._as_literal(term) or self._as_leaf(term, exact)
        for candidate in self._candidates(number, term) if found is None else ():
            place = places.became[candidate.id]
            if places.fits(atoms, place, exact) and any(self._holds(*w) for w in self._shapes(term, candidate)):
                found = self._chosen(atoms, place, exact)
                break
        found = found or self._as_literal(term) or self._as_leaf(term, exact) or self._by_windows(term, exact)
        self._missed += found is None
        return found

    def _also(self, term: Term) -> None:
        """Unites the place of a term of the target with others of the source that it is shown to be, too."""
        places = self._places
        number = places.print_of[places.became[term.id].id]
        bucket = self._buckets.get(number, ())
        if len(bucket) < 2 or not term.args or not places.is_searched(term):
            return
        if len(bucket) <= FEW and len({places.became[c.id].id for c in bucket}) < 2:
            return
        for candidate in self._candidates(number, term):
            place, other = places.became[term.id], places.became[candidate.id]
            shapes = islice(self._shapes(term, candidate), None if len(bucket) <= FEW else BRIEF)
            if place is not other and any(self._holds(*w) for w in shapes):
                places.unite(place, other)

    def _shapes(self, term: Term, candidate: Term) -> Iterator[tuple[Cut, Shape]]:
        """Windows of both: down to what both have, then as the target has it down to what the candidate is made of, and
        then with some of what is one of its operands or a literal opened: the reason may be the same."""
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
        few = len(self._buckets[places.print_of[place.id]]) <= FEW
        for through in _choices(self._reasons(term, candidate), few):
            cut = Cut(term, program, None, through=through)
            yield cut, cut.shape(candidate)
            cut = Cut(term, program, above | below, through=through)
            yield cut, cut.shape(candidate)
            if below:
                cut = Cut(term, program, alone, through=through)
                yield cut, cut.shape(candidate, 2)

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
        if found is not None or latest.number not in self._buckets:
            return found
        for candidate in self._candidates(latest.number, term)[:2]:
            place = places.became[candidate.id]
            if places.fits(latest.atoms, place, True) and any(self._holds(*w) for w in self._shapes(term, candidate)):
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
        for candidate in self._candidates(places.latest.number, term)[:2]:
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
