"""Representatives ("places") of the terms of two programs: one for all terms that are proved equal.

A term is identified by its operator on the representatives of its operands (congruence). If two representatives are
merged, so are those of the same operator on them; an operator whose operands have all become literals becomes a
literal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import is_wide
from hecv.base.value import Scalar
from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.sweep.cuts.fingerprints import Fingerprints
from hecv.sweep.cuts.leaf_cuts import LITERAL, Program
from hecv.sweep.cuts.merge_record import Record
from hecv.sweep.cuts.merge_steps import Step
from hecv.sweep.cuts.operator_kinds import Kind, Kinds
from hecv.sweep.cuts.poison_sources import NONE, Atoms, Taints

NEAR_BELOW: Final = 2
MOST_BELOW: Final = 24
"""Limits of the search for a term below another: the depth (`NEAR_BELOW`, not counting terms that only the target has),
and the number of terms."""

Key = tuple[object, ...]


class Latest(Struct):
    """What is known of the term that gets its representative next; `new`: no representative has its fingerprint."""

    term: Term
    kind: Kind
    args: list[Term]
    key: Key
    atoms: Atoms
    values: Sequence[Scalar]
    number: int
    new: bool
    searched: bool

    @property
    def single(self) -> bool:
        """Whether no known representative and no literal seems equal to it."""
        return self.new and (self.values[0] != self.values[-1] or len(set(self.values)) > 1)


class Places:
    """The representatives of a pair's terms, with the values, the fingerprint and the poison atoms of each."""

    def __init__(
        self, pool: TermPool, kinds: Kinds, taints: Taints, index_width: int, record: Record | None = None
    ) -> None:
        self._record: Final = record
        self._pool: Final = pool
        self._kinds: Final = kinds
        self._taints: Final = taints
        self._leaves: Final = Fingerprints(index_width)
        self._values: dict[int, Sequence[Scalar]] = {}
        self._prints: dict[Key, int] = {}
        self._by_id: dict[int, Term] = {}
        self._keys: dict[Key, Term] = {}
        self._kind_of: dict[int, Kind] = {}
        self._atoms: dict[int, Atoms] = {}
        self._users: dict[int, list[Term]] = {}
        self._fresh: set[int] = set()
        self.reasoned: set[int] = set()
        """The terms that are one of those below them, or a literal, for reasons that may not be seen from above."""
        self.members: dict[int, list[Term]] = {}
        """The terms whose place is taken, by the place."""
        self.became: dict[int, Term] = {}
        self.print_of: dict[int, int] = {}
        self.one_way = False
        """Whether a term took the place of one that it refines and may not equal."""
        self.latest: Latest
        self.program: Final = Program(self.became, self._fresh, kinds, self._kind_of, self.kind_of)

    def place(self, number: int) -> Term:
        """The representative with a number."""
        return self._by_id[number]

    def taken(self, term: Term) -> Term:
        """The representative of a term; itself if it has none yet."""
        return self.became.get(term.id, term)

    def kind_of(self, term: Term) -> Kind:
        """The kind of a term over the representatives of its operands."""
        try:
            return self._kind_of[term.id]
        except KeyError:
            found = self._kind_of[term.id] = self._kinds.of(term, [self.became[a.id] for a in term.args])
            return found

    def rebuilt(self, term: Term) -> Term:
        """The operator at the root of `term` over the representatives of its operands."""
        args = tuple([self.became.get(a.id, a) for a in term.args])
        return term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)

    def is_proper(self, term: Term) -> bool:
        """Whether a representative is never poison."""
        return term.id in self._by_id and term.id not in self._atoms

    def is_searched(self, term: Term) -> bool:
        """Whether windows may prove an operator equal to another term."""
        return not self.kind_of(term).opaque and not is_wide(term.type)

    def varies(self, place: Term) -> bool:
        """Whether the samples of a representative differ, so that it is no literal."""
        values = self._values[place.id]
        return values.count(values[0]) != len(values)

    def rank(self, term: Term) -> int:
        """The position of a term in its program; that of the current term is the last."""
        place = self.became.get(term.id)
        return 1 << 60 if place is None else place.id

    def known(self, term: Term, exact: bool) -> Term | None:
        """The representative of a leaf, or of an operator that was met on the same operands; None if there is none, and
        then `latest` describes the term."""
        if not term.args:
            return self._leaf(term)
        became = self.became
        args = [became[a.id] for a in term.args]
        kind = self._kinds.of(term, args)
        key = _key(kind, args)
        atoms, flagged = NONE, key
        if not kind.harmless or (self._atoms and any(a.id in self._atoms for a in args)):
            atoms = self._taints.of(self.rebuilt(term))
            flagged = (*key, atoms) if atoms else key
        for known in (flagged, key):
            found = self._keys.get(known)
            if found is not None and self.refines(atoms, became[found.id], exact):
                return became[found.id]
        self._look(term, kind, args, key, atoms)
        return None

    def look(self, term: Term) -> None:
        """Makes an operator that has a representative the latest term."""
        args = [self.became[a.id] for a in term.args]
        kind = self._kinds.of(term, args)
        atoms = NONE if kind.harmless else self._taints.of(self.rebuilt(term))
        if self._atoms and any(a.id in self._atoms for a in args):
            atoms = self._taints.of(self.rebuilt(term))
        self._look(term, kind, args, _key(kind, args), atoms)

    def _look(self, term: Term, kind: Kind, args: list[Term], key: Key, atoms: Atoms) -> None:
        values = self._evaluated(term, kind, args)
        count = len(self._prints)
        number = self._prints.setdefault((self._kinds.type_number(term.type), *values), count)
        self._kind_of[term.id] = kind
        searched = not kind.opaque and not is_wide(term.type)
        self.latest = Latest(term, kind, args, key, atoms, values, number, number == count, searched)

    def folded(self, term: Term) -> Term | None:
        """What the latest term folds to if its operands, or its condition, are literals."""
        latest = self.latest
        if latest.kind.folds and not latest.atoms and all(a.op == "const" for a in latest.args):
            self._note_fold(term)
            return self.literal(term, latest.values[0])
        if term.op == "arith.select" and latest.args[0].op == "const":
            self._note_choice(latest.kind, latest.args)
            return latest.args[1] if literal(latest.args[0]) else latest.args[2]
        return None

    def _note_fold(self, term: Term) -> None:
        if self._record is not None:
            self._record.folded(term)

    def _note_choice(self, kind: Kind, args: list[Term]) -> None:
        if self._record is not None:
            self._record.chosen(kind, args, self._kinds)

    def keep(self, term: Term, fresh: bool) -> Term:
        """Makes the latest term its own representative; `fresh` if only the target has it."""
        latest = self.latest
        self._enter(term, latest.values, latest.number, latest.atoms)
        if fresh:
            self._fresh.add(term.id)
        return term

    def settle(self, term: Term, place: Term) -> None:
        """Sets the representative of a term; if it has operands, it must be the latest term."""
        self.became[term.id] = place
        members = self.members.get(place.id)
        if members is None:
            self.members[place.id] = [term]
        else:
            members.append(term)
        if place is not term and self._is_below(term, place):
            self.reasoned.add(term.id)
        if not term.args or self.latest.term is not term:
            return
        latest, users = self.latest, self._users
        if latest.atoms:
            self._keys[(*latest.key, latest.atoms)] = place
            self._keys.setdefault(latest.key, place)
        else:
            self._keys[latest.key] = place
        for a in {a.id for a in latest.args}:
            known = users.get(a)
            if known is None:
                users[a] = [term]
            else:
                known.append(term)

    def hides(self, term: Term) -> bool:
        """Whether a term or one of its operands was merged with a term below it, for reasons that may not be visible
        from above."""
        return term.id in self.reasoned or any(a.id in self.reasoned for a in term.args)

    def _is_below(self, term: Term, place: Term) -> bool:
        """Whether a term is one of those below it, or a literal that folding alone does not show."""
        became = self.became
        if place.op == "const":
            return any(became[a.id].op != "const" or a.id in self.reasoned for a in term.args)
        waiting, left = [(a, NEAR_BELOW) for a in term.args], MOST_BELOW
        for below, depth in waiting:
            found, left = became[below.id], left - 1
            if found is place:
                return True
            depth -= found.id not in self._fresh
            if depth and left > 0:
                waiting += [(a, depth) for a in below.args]
        return False

    def literal(self, like: Term, value: Scalar) -> Term:
        """The representative of a literal of the type of `like`."""
        return self.met(self._pool.make("const", (), like.type, (("value", value),)))  # type: ignore[arg-type]

    def met(self, constant: Term) -> Term:
        """The representative of a literal, which may occur in neither program."""
        found = self.became.get(constant.id)
        if found is None:
            found = self._leaf(constant)
            self.became[constant.id] = found
            self.members.setdefault(found.id, []).append(constant)
        return found

    def simplify(self, term: Term, place: Term) -> None:
        """Merges a term of the source with a simpler representative that it is proved equal to."""
        if self._is_below(term, place):
            self.reasoned.add(term.id)
        self.unite(self.became[term.id], place)

    def shows(self, step: Step) -> bool:
        """Whether the terms of a step are known to have the values of its rows: then the ends are equal if its shape is
        proved."""
        became, stands = self.became, step.stands
        for term, (head, *rest) in zip(stands, step.shape[:-1], strict=True):
            if head < 0:
                place = became.get(term.id)
                if place is None or self._kinds.type_number(term.type) != rest[0]:
                    return False
                if head == LITERAL and (place.op != "const" or place.attrs[0][1] != rest[1]):
                    return False
                continue
            if len(term.args) != len(rest) or any(a.id not in became for a in term.args):
                return False
            kind = self.kind_of(term)
            if kind.number != head or kind.opaque:
                return False
            if any(became[a.id] is not became.get(stands[k].id) for a, k in zip(term.args, rest, strict=True)):
                return False
        return True

    def unite(self, one: Term, other: Term) -> None:
        """Merges two representatives that are proved equal, and by congruence the same operators on them."""
        waiting = [(one, other)]
        while waiting:
            pair = [self.became[t.id] for t in waiting.pop()]
            if pair[0] is pair[1] or self._atoms.get(pair[0].id, NONE) != self._atoms.get(pair[1].id, NONE):
                continue
            kept, lost = sorted(pair, key=lambda t: (t.op != "const", t.id in self._fresh, t.id))
            assert lost.op != "const", "two literals were shown equal"
            moved = self.members.pop(lost.id)
            for member in moved:
                self.became[member.id] = kept
            self.members[kept.id] += moved
            self._fresh.discard(lost.id)
            users = self._users.pop(lost.id, [])
            self._users.setdefault(kept.id, []).extend(users)
            for user in users:
                waiting += self._again(user)

    def _again(self, user: Term) -> Iterator[tuple[Term, Term]]:
        """What a term is known to be by now, besides its place."""
        place = self.became[user.id]
        args = [self.became[a.id] for a in user.args]
        kind = self._kind_of[user.id] = self._kinds.of(user, args)
        if not kind.harmless or any(a.id in self._atoms for a in args):
            return
        yield self._keys.setdefault(_key(kind, args), place), place
        if kind.folds and all(a.op == "const" for a in args):
            self._note_fold(user)
            yield self.literal(user, self._evaluated(user, kind, args)[0]), place
        elif user.op == "arith.select" and args[0].op == "const":
            self._note_choice(kind, args)
            yield args[1] if literal(args[0]) else args[2], place

    # Values and poison

    def fits(self, mine: Atoms, other: Term, exact: bool) -> bool:
        """Whether `other` may be the representative of a term with poison atoms `mine`, whose total value it has."""
        theirs = self._atoms.get(other.id, NONE)
        return mine == theirs or (mine <= theirs and not exact)

    def refines(self, mine: Atoms, other: Term, exact: bool) -> bool:
        """Like `fits`, and notes if only refinement holds (`one_way`)."""
        if not self.fits(mine, other, exact):
            return False
        self.one_way |= mine != self._atoms.get(other.id, NONE)
        return True

    def _leaf(self, term: Term) -> Term:
        values = self._leaves.of(term)
        number = self._prints.setdefault((self._kinds.type_number(term.type), *values), len(self._prints))
        self._enter(term, values, number, self._taints.of(term))
        return term

    def _enter(self, term: Term, values: Sequence[Scalar], number: int, atoms: Atoms) -> None:
        self._by_id[term.id] = term
        self._values[term.id] = values
        self.print_of[term.id] = number
        self._taints.know(term, atoms)
        if atoms:
            self._atoms[term.id] = atoms

    def _evaluated(self, term: Term, kind: Kind, args: list[Term]) -> Sequence[Scalar]:
        try:
            return kind.column(*[self._values[a.id] for a in args]) if kind.column else self._leaves.drawn(term)
        except LeftOpen:
            return self._leaves.drawn(term)


def _key(kind: Kind, args: list[Term]) -> Key:
    ids = [a.id for a in args]
    if kind.commutative and ids[0] > ids[1]:
        ids[0], ids[1] = ids[1], ids[0]
    return (kind.number, *ids)
