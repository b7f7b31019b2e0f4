"""A bijection between the summands ("pieces") of two bags; the terms of matched pieces are then to be proved equal.

Which instances match is guessed from what their terms read: equal elements of the arguments, through copies, equal
subscripts of other arrays, equal indices; if that leaves a choice, equal induction variables. That the guess is
one-to-one and complete is verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, postorder
from hecv.base.types import INDEX
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, access_text
from hecv.dataflow.reductions.bag_keys import ends, keyed, one_to_one
from hecv.dataflow.reductions.reassociation import Piece
from hecv.program.tree import MemoryKind

MOST_GUESSES: Final = 24
DEEPEST_COPY: Final = 6
INPUTS: Final = (MemoryKind.ARGUMENT, MemoryKind.GLOBAL)


class Match(Struct, frozen=True):
    """Two matched pieces, by their `numbers` in their bags, with the pairs of matched instances; `keyed` has these
    pairs by the key of a pair of related roots."""

    numbers: tuple[int, int]
    source: Piece
    target: Piece
    pairs: isl.Map
    keyed: isl.Map


class Matcher:
    """Matches pieces of bags of two programs."""

    def __init__(self, space: Isl, source: Dataflow, target: Dataflow) -> None:
        self._space = space
        self._flows = source, target
        self._origins: dict[tuple[int, str, int, bool], tuple[str, isl.Map] | None] = {}
        self._past_literals = False
        self._has_literals = False

    def matches(
        self, source: Sequence[Piece], target: Sequence[Piece], relation: isl.Map, once: bool
    ) -> list[Match] | None:
        """A bijection: pairs of pieces and instances that cover both bags at all related instances of their roots; None
        if none is found. With `once`, each instance is in one pair.

        Reads of padding are no elements of an argument. They are first matched by their place alone; then as the
        element that they read where they do not read padding. Where an instance may be in many pairs, one pair for each
        is still the likeliest.
        """
        for way in (True,) if once else (True, False):
            for past_literals in (False, True):
                self._past_literals = past_literals
                found = self._matched(source, target, relation, way)
                if found is not None or not self._has_literals:
                    break
            if found is not None:
                return found
        return None

    def _matched(
        self, source: Sequence[Piece], target: Sequence[Piece], relation: isl.Map, once: bool
    ) -> list[Match] | None:
        left, right = keyed([p.instances for p in source], [p.instances for p in target], relation)
        found: list[Match] = []
        covered = [part.subtract(part) for part in right]
        for k, piece in enumerate(source):
            rest = left[k]
            for n, other in self._likeliest(piece, target):
                if rest.is_empty():
                    break
                open_ = right[n].subtract(covered[n]) if once else right[n]
                match = self._match((k, n), (piece, other), (rest, open_), once)
                if match is None:
                    continue
                found.append(match)
                ours, theirs = ends(match.keyed)
                rest = self._space.coalesced(rest.subtract(ours))
                covered[n] = self._space.coalesced(covered[n].union(theirs))
            if not rest.is_empty():
                return None
        spare = [part.subtract(done) for part, done in zip(right, covered, strict=True)]
        if once:
            return found if all(part.is_empty() for part in spare) else None
        again = self._repeated(source, target, left, spare)
        return None if again is None else found + again

    def _repeated(
        self, source: Sequence[Piece], target: Sequence[Piece], left: list[isl.Map], spare: list[isl.Map]
    ) -> list[Match] | None:
        """Pairs for what is left of the target's pieces, with what the source's are in other pairs already: an operand
        that counts once may stand on one side twice."""
        found: list[Match] = []
        for n, other in enumerate(target):
            rest = spare[n]
            for k, piece in enumerate(source):
                match = None if rest.is_empty() else self._match((k, n), (piece, other), (left[k], rest), False)
                if match is not None:
                    found.append(match)
                    rest = self._space.coalesced(rest.subtract(ends(match.keyed)[1]))
            if not rest.is_empty():
                return None
        return found

    def _match(
        self, numbers: tuple[int, int], pieces: tuple[Piece, Piece], where: tuple[isl.Map, isl.Map], once: bool
    ) -> Match | None:
        """Instances of two pieces that belong together, among those of `where`; None where there are none."""
        piece, other = pieces
        if not _may_match(piece, other) or where[1].is_empty():
            return None
        pairs = self._pairs(piece.at, other.at, *where, once)
        if pairs is None:
            return None
        return Match(numbers, piece, other, self._space.coalesced(pairs.range().unwrap()), pairs)

    def _likeliest(self, piece: Piece, others: Sequence[Piece]) -> list[tuple[int, Piece]]:
        """The pieces of the other bag with their numbers, those first that read what `piece` reads; where that is
        nothing, the same term first."""
        names = self._reads(0, piece.at).keys()

        def unlikely(other: tuple[int, Piece]) -> tuple[bool, bool]:
            at = other[1].at
            return self._reads(1, at).keys() != names, not names and at.term is not piece.at.term

        return sorted(enumerate(others), key=unlikely)

    def _pairs(self, source: At, target: At, left: isl.Map, right: isl.Map, once: bool) -> isl.Map | None:
        """Pairs of instances by key, `key -> [source -> target]`, one-to-one with `once`; None where there are none."""
        together = left.range_product(right)
        for guess in self._guesses(source, target, left, right):
            pairs = together.intersect_range(guess.wrap())
            if pairs.is_empty():
                return None
            if not once or one_to_one(pairs):
                return pairs
        return None

    # Guesses

    def _guesses(self, source: At, target: At, left: isl.Map, right: isl.Map) -> Iterator[isl.Map]:
        """Relations of instances that may belong together, the widest first."""
        base = self._alike(source, target, left.range(), right.range())
        yield base
        equal = self._equal_variables(source.statement, target.statement, left.range(), right.range())
        made = 0
        for count in (1, 2, 3):
            for chosen in combinations(equal, count):
                if len({a for a, _, _ in chosen}) < count or len({b for _, b, _ in chosen}) < count:
                    continue
                made += 1
                if made > MOST_GUESSES:
                    return
                guess = base
                for _, _, same in chosen:
                    guess = guess.intersect(same)
                yield guess

    def _equal_variables(
        self, source: Instances, target: Instances, left: isl.Set, right: isl.Set
    ) -> list[tuple[int, int, isl.Map]]:
        """Pairs of induction variables that may take the same values, innermost first, and where they do."""
        first, second = self._variables(source), self._variables(target)
        found: list[tuple[int, int, isl.Map]] = []
        for a in reversed(range(len(first))):
            for b in reversed(range(len(second))):
                ours, theirs = left.apply(first[a]), right.apply(second[b])
                if ours.is_subset(theirs) or theirs.is_subset(ours):
                    found.append((a, b, first[a].apply_range(second[b].reverse())))
        return found

    def _variables(self, statement: Instances) -> list[isl.Map]:
        """The value of each induction variable at the instances of a statement."""
        texts = [q.text for _, q in sorted(statement.translator.variables.items())]
        return [self._space.map(f"{{ {statement.tuple_text()} -> [{text}] }}") for text in texts]

    def _alike(self, source: At, target: At, left: isl.Set, right: isl.Set) -> isl.Map:
        """The instances at which two terms read the same elements and have the same indices."""
        guess = isl.Map.universe(isl.Map.from_domain_and_range(left, right).get_space())
        for same in self._equalities(source, target):
            guess = guess.intersect(same)
        return guess

    def _equalities(self, source: At, target: At) -> Iterator[isl.Map]:
        ours, theirs = self._reads(0, source), self._reads(1, target)
        for name in ours.keys() & theirs.keys():
            for first, second in zip(ours[name], theirs[name], strict=False):
                yield first.apply_range(second.reverse())
        left, right = self._indices(source), self._indices(target)
        for first, second in zip(left, right, strict=False):
            if len(left) == len(right):
                yield first.apply_range(second.reverse())

    def _indices(self, at: At) -> list[isl.Map]:
        """The index terms whose value a term uses, other than as subscripts, in order."""
        found: list[isl.Map] = []
        stack, seen = [at.term], set[int]()
        while stack:
            term = stack.pop()
            if term.id in seen or term.op == "load":
                continue
            seen.add(term.id)
            if term.type == INDEX or term.op == "iv":
                try:
                    text = at.statement.translator.index(term).text
                except NotAffine:
                    continue
                found.append(self._space.map(f"{{ {at.statement.tuple_text()} -> [{text}] }}"))
            else:
                stack += reversed(term.args)
        return found

    def _reads(self, side: int, at: At) -> dict[str, list[isl.Map]]:
        """What the reads of a term read, by the name of an argument's array; others by their rank."""
        found: dict[str, list[isl.Map]] = {}
        for load in (t for t in postorder((at.term,)) if t.op == "load"):
            name, element = self._origin(side, at.statement, load)
            found.setdefault(name, []).append(element)
        return found

    def _origin(self, side: int, statement: Instances, load: Term) -> tuple[str, isl.Map]:
        """The element of an argument that a read sees, through copies, else its subscripts of what it reads."""
        key = (side, statement.name, load.id, self._past_literals)
        if key not in self._origins:
            self._origins[key] = self._argument(self._flows[side], statement, load, DEEPEST_COPY)
        known = self._origins[key]
        if known is not None:
            return known
        access = statement.reads[load]
        subscripts = access.indices[access.private :]
        name = f"rank{len(subscripts)}"
        return name, self._space.map(f"{{ {statement.tuple_text()} -> {name}[{', '.join(subscripts)}] }}")

    def _argument(self, flow: Dataflow, statement: Instances, load: Term, depth: int) -> tuple[str, isl.Map] | None:
        """The one argument's array whose initial values a read sees, with the element; None where there is none."""
        producers = flow.producers[statement.name, load]
        access = statement.reads[load]
        parts: list[tuple[str, isl.Map]] = []
        if producers.initial is not None:
            if flow.program.arrays[access.array].memory.kind not in INPUTS:
                return None
            text = access_text(statement.tuple_text(), access, statement.domain_text())
            parts.append((access.array, self._space.map(f"{{ {text} }}").intersect_domain(producers.initial)))
        for writer, step in producers.writes:
            value = writer.value
            if value is not None and value.op == "const":
                self._has_literals = True
            if value is not None and (value.op == "ub.poison" or (value.op == "const" and self._past_literals)):
                continue
            if value is None or value.op != "load" or depth == 0:
                return None
            onward = self._argument(flow, writer, value, depth - 1)
            if onward is None:
                return None
            parts.append((onward[0], step.apply_range(onward[1])))
        if not parts or len({name for name, _ in parts}) != 1:
            return None
        whole = parts[0][1]
        for _, part in parts[1:]:
            whole = whole.union(part)
        return parts[0][0], whole


def _may_match(source: Piece, target: Piece) -> bool:
    """Whether two pieces have one sign and type, and are the same literal if one of them is a literal."""
    first, second = source.at.term, target.at.term
    if (source.negative, first.type) != (target.negative, second.type):
        return False
    return first is second if "const" in (first.op, second.op) else True
