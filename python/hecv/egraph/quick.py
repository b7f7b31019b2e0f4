"""The quick sweep: as `hecv.egraph.sweep`, for programs of any length.

A term of the target that is the operator of a term of the source on equal operands is that term: most are. For any
other its fingerprint names candidates, and a cut (`hecv.egraph.cuts`) is proved, once for each shape. No operator is
entered into a normal form, and the time for a term does not depend on the length of the program.

A term of the source may be shown to be a literal, or another term. Where the target then uses what the source does
not know to be equal, one term of the target that both are unites the two (`_unite`). Once much of the target has no
place in the source the sweep gives up: larger programs are not proved by parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType
from hecv.base.value import Scalar
from hecv.egraph.cuts import Cut, Shape, shape_of
from hecv.egraph.fingerprints import Fingerprints
from hecv.egraph.kinds import Kind, Kinds
from hecv.egraph.record import Record
from hecv.egraph.taints import NONE, Atoms, Taints
from hecv.egraph.windows import View, windows
from hecv.execute.python import LeftOpen

FEW: Final = 3
"""Of so many terms of one fingerprint all are candidates; of more those that are near."""

MOST_NEAR: Final = 4
RECENT: Final = 8
"""So many near ones are tried, and so many users of each operand are looked at."""

MODES: Final = ((1, False), (1, True), (2, True), (3, True))
"""How far a term is opened to be proved at once, and whether as its program has it."""

DEPTHS: Final = (1, 2, 3)
"""How far a term is opened to be a literal; but for the last, to be another term of its program."""

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
        self._pool: Final = pool
        self._kinds: Final = kinds
        self._proves: Final = proves
        self._taints: Final = taints
        self._leaves: Final = Fingerprints(index_width)
        self._values: dict[int, Sequence[Scalar]] = {}
        self._prints: dict[tuple[Scalar, ...], int] = {}
        self._print_of: dict[int, int] = {}
        self._places: dict[int, Term] = {}
        self._became: dict[int, Term] = {}
        self._keys: dict[tuple[object, ...], Term] = {}
        self._kind_of: dict[int, Kind] = {}
        self._atoms: dict[int, Atoms] = {}
        self._fresh: set[int] = set()
        self._buckets: dict[int, list[Term]] = {}
        self._above: dict[tuple[int, int], list[Term]] = {}
        self._indexed: set[int] = set()
        self._members: dict[int, list[int]] = {}
        self._offering = True
        self._missed = 0
        self._shown = False
        self.one_way = False
        """Whether a term of the target took the place of one that it refines and may not equal."""
        self.uses: Counter[str] = Counter()

    def run(self, source: Sequence[Term], target: Sequence[Term], exact: bool = False) -> None:
        """Sweeps over the terms of both programs, each with operands before users; with `exact`, what takes the place
        of a term of the target is poison where that is, too."""
        became = self._became
        for term in source:
            if term.id not in became:
                place = self._place(term, True)
                self._settle(term, place)
                self._offer(term, place)
        self._offering = False
        for term in target:
            if term.id not in became:
                self._shown = False
                place = self._place(term, exact)
                self._settle(term, place)
                if place is not term:
                    self._also(term)
                elif self._missed > HOPELESS and self._missed > self.uses["sweep-window"]:
                    return

    def became(self, term: Term) -> Term:
        """What took the place of a term; itself where it was not swept."""
        return self._became.get(term.id, term)

    def rebuilt(self, term: Term) -> Term:
        """The operator at the root of `term` over what took the places of its operands."""
        args = tuple([self.became(a) for a in term.args])
        return term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)

    def is_proper(self, term: Term) -> bool:
        """Whether a term that took the place of another is never poison."""
        return term.id in self._places and term.id not in self._atoms

    # Places

    def _place(self, term: Term, exact: bool) -> Term:
        """What takes the place of a term, given what took those of its operands."""
        if not term.args:
            return self._leaf(term)
        became = self._became
        args = [became[a.id] for a in term.args]
        kind = self._kinds.of(term, args)
        ids = [a.id for a in args]
        if kind.commutative and ids[0] > ids[1]:
            ids[0], ids[1] = ids[1], ids[0]
        key: tuple[object, ...] = (kind.number, *ids)
        atoms, flagged = NONE, key
        if not kind.harmless or (self._atoms and any(a in self._atoms for a in ids)):
            atoms = self._taints.of(self.rebuilt(term))
            flagged = (*key, atoms) if atoms else key
        for known in (flagged, key):
            found = self._keys.get(known)
            if found is not None and self._refines(atoms, found, exact):
                return became[found.id]
        found = self._simplified(term, kind, args, atoms, exact)
        if found is None:
            found = self._kept(term, kind, atoms)
        self._keys[flagged] = found
        self._keys.setdefault(key, found)
        return found

    def _simplified(self, term: Term, kind: Kind, args: list[Term], atoms: Atoms, exact: bool) -> Term | None:
        """What takes the place of an operator that no term is on the same operands; None where it stays."""
        values = self._latest = self._evaluated(term, kind, args)
        self._number = self._prints.setdefault((self._kinds.type_number(term.type), *values), len(self._prints))
        searched = not kind.opaque and not isinstance(term.type, FloatType)
        if searched and not self._offering and self._number in self._buckets:
            found = self._similar(term, atoms, exact)
            if found is not None:
                return found
        if kind.folds and not atoms and all(a.op == "const" for a in args):
            if self._record is not None:
                self._record.folded(term)
            return self._literal(term, values[0])
        if term.op == "arith.select" and args[0].op == "const":
            if self._record is not None:
                self._record.chosen(kind, args, self._kinds)
            return args[1] if literal(args[0]) else args[2]
        return self._collapsed(term, values, atoms, exact) if searched else None

    def _kept(self, term: Term, kind: Kind, atoms: Atoms) -> Term:
        self._kind_of[term.id] = kind
        self._enter(term, self._latest, self._number, atoms)
        if not self._offering:
            self._fresh.add(term.id)
        return term

    def _enter(self, term: Term, values: Sequence[Scalar], number: int, atoms: Atoms) -> None:
        self._places[term.id] = term
        self._values[term.id] = values
        self._print_of[term.id] = number
        self._taints.know(term, atoms)
        if atoms:
            self._atoms[term.id] = atoms

    def _leaf(self, term: Term) -> Term:
        values = self._leaves.of(term)
        number = self._prints.setdefault((self._kinds.type_number(term.type), *values), len(self._prints))
        self._enter(term, values, number, self._taints.of(term))
        return term

    def _literal(self, term: Term, value: Scalar) -> Term:
        constant = self._pool.make("const", (), term.type, (("value", value),))  # type: ignore[arg-type]
        found = self._became.get(constant.id)
        if found is None:
            found = self._leaf(constant)
            self._settle(constant, found)
        return found

    def _evaluated(self, term: Term, kind: Kind, args: list[Term]) -> Sequence[Scalar]:
        try:
            return kind.column(*[self._values[a.id] for a in args]) if kind.column else self._leaves.drawn(term)
        except LeftOpen:
            return self._leaves.drawn(term)

    def _refines(self, mine: Atoms, other: Term, exact: bool) -> bool:
        """Whether what has the atoms `mine` may be replaced by `other`, whose total value it has."""
        if not self._fits(mine, other, exact):
            return False
        self.one_way |= mine != self._atoms.get(other.id, NONE)
        return True

    def _fits(self, mine: Atoms, other: Term, exact: bool) -> bool:
        theirs = self._atoms.get(other.id, NONE)
        return mine == theirs or (mine <= theirs and not exact)

    # Candidates

    def _offer(self, term: Term, place: Term) -> None:
        """Makes a term of the source a candidate."""
        number = self._print_of[place.id]
        bucket = self._buckets.setdefault(number, [])
        bucket.append(term)
        if number in self._indexed:
            self._index(number, term)
        elif len(bucket) > FEW:
            self._indexed.add(number)
            for known in bucket:
                self._index(number, known)

    def _index(self, number: int, term: Term) -> None:
        became = self._became
        for name in {became[b.id].id for a in term.args for b in (a, *a.args) if b.op != "const"}:
            self._above.setdefault((name, number), []).append(term)

    def _candidates(self, number: int, cut: Cut) -> list[Term]:
        """Terms of the source with a fingerprint: all, or those that are near above leaves of the cut."""
        bucket = self._buckets.get(number, [])
        if len(bucket) <= FEW:
            return bucket
        counts: Counter[int] = Counter()
        found: dict[int, Term] = {}
        for leaf in cut.leaves:
            for term in self._above.get((leaf, number), ())[-RECENT:]:
                counts[term.id] += 1
                found[term.id] = term
        order = sorted(found, key=lambda k: (-counts[k], -k))
        return [found[k] for k in order[:MOST_NEAR]]

    # Proofs

    def _similar(self, term: Term, atoms: Atoms, exact: bool) -> Term | None:
        """A term of the source that a cut shows equal, by what both do and not by what becomes of it."""
        number = self._number
        for depth, given in MODES:
            cut = self._cut(term, depth, given)
            for candidate in self._candidates(number, cut):
                place = self._became[candidate.id]
                fits = (given or place.id not in cut.leaves) and self._fits(atoms, place, exact)
                if fits and self._holds(cut, cut.shape(candidate)):
                    return self._chosen(atoms, place, exact)
        return None

    def _collapsed(self, term: Term, values: Sequence[Scalar], atoms: Atoms, exact: bool) -> Term | None:
        """A literal or a leaf of a cut that the term is, or what larger windows show."""
        cut, number = self._cut(term, 1, False), self._number
        if values[0] == values[-1] and values.count(values[0]) == len(values) and not atoms:
            constant = self._pool.make("const", (), term.type, (("value", values[0]),))  # type: ignore[arg-type]
            cuts = (self._cut(term, k, False) for k in DEPTHS)
            if any(self._holds(c, c.literal(constant)) for c in cuts):
                return self._literal(term, values[0])
        for leaf in cut.leaves:
            place = self._places[leaf]
            fits = self._print_of[leaf] == number and self._fits(atoms, place, exact)
            if fits and self._holds(cut, cut.is_leaf(leaf)):
                return self._chosen(atoms, place, exact)
        if number not in self._buckets:
            return None
        if self._offering:
            return self._within(term, number, atoms)
        fitting = [c for c in self._candidates(number, cut) if self._fits(atoms, self._became[c.id], exact)]
        for candidate in fitting[:2]:
            if self._by_windows(term, candidate, 30):
                return self._chosen(atoms, self._became[candidate.id], exact)
        self._missed += 1
        return None

    def _within(self, term: Term, number: int, atoms: Atoms) -> Term | None:
        """A term of the same program that the term is."""
        for depth in DEPTHS[:-1]:
            cut = self._cut(term, depth, False)
            for candidate in self._buckets[number][-2:]:
                place = self._became[candidate.id]
                if self._fits(atoms, place, True) and self._holds(cut, cut.shape(candidate)):
                    return self._chosen(atoms, place, True)
        return None

    def _settle(self, term: Term, place: Term) -> None:
        self._became[term.id] = place
        self._members.setdefault(place.id, []).append(term.id)

    def _also(self, term: Term) -> None:
        place = self._became[term.id]
        kind = self._kinds.of(term, [self._became[a.id] for a in term.args]) if term.args else None
        if kind is None or kind.opaque or isinstance(term.type, FloatType):
            return
        if not self._shown and not self._cut(term, 1, True).collapsed(term, place):
            return
        number = self._print_of[place.id]
        bucket = self._buckets.get(number, ())
        if len({self._became[c.id].id for c in bucket}) < 2:
            return
        for depth, given in MODES[:3]:
            cut = self._cut(term, depth, given)
            for candidate in self._candidates(number, cut):
                other = self._became[candidate.id]
                if other is not self._became[term.id] and self._holds(cut, cut.shape(candidate)):
                    self._unite(self._became[term.id], other)

    def _unite(self, one: Term, other: Term) -> None:
        """Says that what two places hold is equal, poison and all."""
        if one is other or self._atoms.get(one.id, NONE) != self._atoms.get(other.id, NONE):
            return
        if one.op == "const" or (other.op != "const" and one.id < other.id):
            one, other = other, one
        moved = self._members.pop(one.id, [])
        for number in moved:
            self._became[number] = other
        self._members.setdefault(other.id, []).extend(moved)

    def _cut(self, term: Term, depth: int, given: bool) -> Cut:
        return Cut(term, self._became, self._fresh, self._kinds, self._kind_of, depth, given)

    def _chosen(self, atoms: Atoms, place: Term, exact: bool) -> Term:
        self._refines(atoms, place, exact)
        self.uses["sweep-window"] += 1
        self._shown = True
        return place

    def _by_windows(self, term: Term, candidate: Term, most: int) -> bool:
        """Whether a window that grows where it has to shows two terms equal."""
        view = View(self.became, self._rank, self._opens)
        for window in windows(candidate, term, view, most):
            leaves: dict[int, Term] = {}
            shape = shape_of(window, self._became, self._kinds, leaves)
            if self._proves(shape):
                if self._record is not None:
                    self._record.merged(shape, leaves)
                return True
        return False

    def _holds(self, cut: Cut, shape: Shape) -> bool:
        """Whether the latest shape of a cut is shown."""
        if not self._proves(shape):
            return False
        if self._record is not None:
            self._record.merged(shape, dict(cut.places))
        return True

    def _rank(self, term: Term) -> int:
        """Where a term stands in its program; that of the term in question is the last."""
        place = self._became.get(term.id)
        return 1 << 60 if place is None else place.id

    def _opens(self, term: Term) -> bool:
        """Whether windows look into a term."""
        if not term.args:
            return False
        kind = self._kind_of.get(term.id)
        if kind is None:
            kind = self._kinds.of(term, [self._became[a.id] for a in term.args])
        return not kind.opaque
