"""What a chain of one associative and commutative operator combines, as a bag of terms at instances.

The value of `s = s + f(i)` after a loop is the sum of what `s` held before and of every `f(i)`: a sum over a set of
instances. A chain is read through memory: where an operand of the chain is a read whose producers are again chains of
the operator, these are part of it. What is left are *pieces*: a term of a statement, and a relation that gives for each
instance of the chain's root the instances of the statement that contribute. An instance contributes once: of each read
that is followed it is shown that no two ways lead from the root to one instance, else the read itself is a piece.

How far a recurrence reaches is guessed and then verified: with `step` the map from an instance to the one whose result
it uses, `reach = identity + reach after step` has one solution, because every step leads to an earlier time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import islpy as isl

from hecv.base.term import Term
from hecv.poly.chains import Chain, operands
from hecv.poly.dataflow import Dataflow, Isl, access_text
from hecv.poly.positions import At, Place
from hecv.poly.statements import Instances

MOST_STATEMENTS: Final = 40
MOST_OPERANDS: Final = 200
MOST_RESTARTS: Final = 8
DEEPEST_COPY: Final = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """What contributes to a chain: the term of `at`, negated or not, at the images of an instance of the root."""

    at: At
    negative: bool
    instances: isl.Map


@dataclass(frozen=True, slots=True)
class Reached:
    """A chain that belongs to a bag, the instances that a root reaches, and the chains that each of its operands reads,
    none where it is a piece."""

    at: At
    reach: isl.Map
    edges: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True, slots=True)
class Bag:
    """The pieces of a chain, and the terms that link them. `through_memory` tells that a read was followed. `nodes` are
    the chains that it is made of."""

    pieces: tuple[Piece, ...]
    links: tuple[Term, ...]
    through_memory: bool
    nodes: tuple[Reached, ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    """An operand of a chain within one statement. `edges` lead to the statements that produce it, as far as it is
    followed; `rest` are the instances at which it is not."""

    term: Term
    negative: bool
    edges: tuple[tuple[Place, isl.Map], ...] = ()
    rest: isl.Set | None = None


@dataclass(slots=True)
class _Graph:
    """The chains that belong to one root, by their place, and what they are linked by."""

    at: dict[Place, At] = field(default_factory=dict[Place, At])
    slots: dict[Place, list[_Slot]] = field(default_factory=dict[Place, list[_Slot]])
    links: list[Term] = field(default_factory=list[Term])

    def edges(self, place: Place) -> Iterator[tuple[int, Place, isl.Map]]:
        for k, slot in enumerate(self.slots[place]):
            for target, step in slot.edges:
                yield k, target, step


Refused = set[tuple[Place, int]]
Reach = dict[Place, isl.Map]
Step = tuple[Place, Place, isl.Map]
"""From one chain to another: the instance whose result an instance uses."""
Closure = dict[tuple[Place, Place], isl.Map]


class _Again(Exception):
    """Reads that must not be followed were found; the search starts again without."""


class Bags:
    """Reads chains of one program."""

    def __init__(self, space: Isl, flow: Dataflow) -> None:
        self._space = space
        self._flow = flow
        self._orders: dict[tuple[str, str, int, bool], isl.Map] = {}
        self._rewrites: dict[tuple[str, str, int, bool], isl.Map] = {}

    def of(self, root: At, chain: Chain) -> Bag | None:
        """The bag of the chain at `root`; None where it has too many parts."""
        refused: Refused = set()
        for _ in range(MOST_RESTARTS):
            graph = self._graph(root, chain, refused)
            if graph is None:
                return None
            try:
                return self._bag(graph, self._reach(graph, root, chain, refused))
            except _Again:
                continue
        return None

    def roots(self, at: At) -> frozenset[str]:
        """The operators that may be at the root of what a position has: its own, or where it reads, directly or
        through copies, those of what was written."""
        return frozenset(self._roots(at.statement, at.term, DEEPEST_COPY))

    def _roots(self, statement: Instances, term: Term, depth: int) -> Iterator[str]:
        if term.op != "load":
            yield term.op
        elif depth:
            for writer, _ in self._flow.producers[statement.name, term].writes:
                yield from self._roots(writer, _value(writer), depth - 1)

    def stores(self, wanted: Callable[[Term], bool]) -> bool:
        """Whether some statement stores a term that is wanted."""
        return any(s.value is not None and wanted(s.value) for s in self._flow.program.statements)

    def _bag(self, graph: _Graph, reach: Reach) -> Bag:
        pieces: list[Piece] = []
        for place, instances in reach.items():
            for slot in graph.slots[place]:
                own = instances if not slot.edges else None
                if slot.edges and slot.rest is not None:
                    own = instances.intersect_range(slot.rest)
                if own is not None and not own.is_empty():
                    at = At(graph.at[place].statement, slot.term)
                    pieces.append(Piece(at, slot.negative, self._space.coalesced(own)))
        followed = any(slot.edges for slots in graph.slots.values() for slot in slots)
        nodes = tuple(
            Reached(graph.at[p], instances, tuple(tuple(place for place, _ in s.edges) for s in graph.slots[p]))
            for p, instances in reach.items()
        )
        return Bag(tuple(pieces), tuple(graph.links), followed, nodes)

    # The graph of chains

    def _graph(self, root: At, chain: Chain, refused: Refused) -> _Graph | None:
        graph = _Graph()
        waiting = [root]
        while waiting:
            at = waiting.pop()
            place = at.key()
            if place in graph.at:
                continue
            graph.at[place] = at
            operands = _operands(at.term, chain, graph.links)
            if operands is None or len(graph.at) > MOST_STATEMENTS:
                return None
            graph.slots[place] = slots = [
                self._slot(at, place, k, term, negative, chain, refused) for k, (term, negative) in enumerate(operands)
            ]
            for slot in slots:
                waiting += [self._position(target) for target, _ in slot.edges]
        return graph

    def _slot(
        self, at: At, place: Place, number: int, term: Term, negative: bool, chain: Chain, refused: Refused
    ) -> _Slot:
        followed = not negative and (place, number) not in refused and self._continues(at.statement, term, chain)
        if not followed:
            return _Slot(term, negative)
        producers = self._flow.producers[at.statement.name, term]
        edges = [((writer.name, _value(writer).id), step) for writer, step in producers.certain()]
        return _Slot(term, negative, tuple(edges), producers.without_write())

    def _continues(self, statement: Instances, term: Term, chain: Chain, depth: int = DEEPEST_COPY) -> bool:
        """Whether a term reads, directly or through copies, what a chain made."""
        if term.op != "load" or depth == 0:
            return False
        writers = [writer for writer, _ in self._flow.producers[statement.name, term].writes]
        if any(chain.absorbs(_value(writer)) for writer in writers):
            return True
        return any(self._continues(writer, _value(writer), chain, depth - 1) for writer in writers)

    def _position(self, place: Place) -> At:
        statement = next(s for s in self._flow.program.statements if s.name == place[0])
        return At(statement, _value(statement))

    # How often each instance contributes

    def _reach(self, graph: _Graph, root: At, chain: Chain, refused: Refused) -> Reach:
        """The instances of each chain that the root's instances lead to, each by one way.

        Raises: _Again where that cannot be shown; `refused` then has more reads.
        """
        reach: Reach = {}
        start = self._flow.domains[root.statement.name].identity()
        entries: dict[Place, list[tuple[isl.Map, tuple[Place, int] | None]]] = {root.key(): [(start, None)]}
        for group in _components(graph, root.key()):
            entering = {place: self._merged(entries.get(place, []), chain, refused) for place in group}
            own = self._closed(graph, group, entering, chain, refused)
            reach.update(own)
            for place in group:
                for k, target, step in graph.edges(place):
                    if target in group:
                        continue
                    if not chain.idempotent and not leads_one_way(own[place], step):
                        self._refuse(refused, (place, k))
                    entries.setdefault(target, []).append((own[place].apply_range(step), (place, k)))
        return reach

    def _refuse(self, refused: Refused, *reads: tuple[Place, int]) -> None:
        refused.update(reads)
        raise _Again

    def _merged(
        self, entries: list[tuple[isl.Map, tuple[Place, int] | None]], chain: Chain, refused: Refused
    ) -> isl.Map | None:
        """All ways into a chain as one relation; that they are disjoint is shown."""
        merged: isl.Map | None = None
        for relation, read in entries:
            if merged is not None and not chain.idempotent and not merged.is_disjoint(relation):
                assert read is not None
                self._refuse(refused, read)
            merged = relation if merged is None else merged.union(relation)
        return merged

    def _closed(
        self,
        graph: _Graph,
        group: tuple[Place, ...],
        entering: Mapping[Place, isl.Map | None],
        chain: Chain,
        refused: Refused,
    ) -> Reach:
        """The instances of a group of chains that use each other's results, from those where the group is entered."""
        inner = [(p, k, t, step) for p in group for k, t, step in graph.edges(p) if t in group]
        if not inner:
            (place,) = group
            entry = entering[place]
            assert entry is not None
            return {place: entry}
        reads = {(p, k) for p, k, _, _ in inner}
        steps = [(p, t, step) for p, _, t, step in inner]
        closure = self._closure({p: graph.at[p].statement for p in group}, steps, not chain.idempotent)
        if closure is None:
            self._refuse(refused, *reads)
            raise AssertionError
        found: Reach = {}
        for (start, end), onward in closure.items():
            entry = entering[start]
            if entry is None:
                continue
            further = entry.apply_range(onward)
            clash = end in found and not found[end].is_disjoint(further)
            if not chain.idempotent and (clash or not leads_one_way(entry, onward)):
                self._refuse(refused, *reads)
            found[end] = further if end not in found else found[end].union(further)
        return found

    def _closure(self, statements: Mapping[Place, Instances], steps: list[Step], once: bool) -> Closure | None:
        """All instances that instances lead to by any number of steps, verified; None where no guess is right.

        With `once`, each instance has one next at most.
        """
        if once and not all(
            first[2].domain().is_disjoint(second[2].domain())
            for n, first in enumerate(steps)
            for second in steps[:n]
            if first[0] == second[0]
        ):
            return None
        for guess in (self._by_element, self._by_dimension, self._since_end, self._by_isl):
            closure = guess(statements, steps)
            if closure is not None and self._is_closure(statements, steps, closure):
                return closure
        return None

    def _is_closure(
        self,
        statements: Mapping[Place, Instances],
        steps: list[Step],
        guess: Closure,
    ) -> bool:
        """Whether the guess is the identity and, after each step, the guess again."""
        for start in statements:
            for end in statements:
                parts = [step.apply_range(guess[t, end]) for p, t, step in steps if p == start]
                if start == end:
                    parts.append(self._flow.domains[start[0]].identity())
                whole = guess[start, end]
                together = whole.subtract(whole)
                for part in parts:
                    together = together.union(part)
                if not whole.is_equal(together):
                    return False
        return True

    def _by_element(self, statements: Mapping[Place, Instances], _: list[Step]) -> Closure | None:
        """Every earlier write of the same element by these statements, without another write in between."""
        writes = [s.write for s in statements.values()]
        arrays = {None if w is None else w.array for w in writes}
        if len(arrays) != 1 or None in arrays:
            return None
        own = {s.name for s in statements.values()}
        array = arrays.pop()
        others = [s for s in self._flow.program.statements if s.write is not None and s.write.array == array]
        resets = [s for s in others if s.name not in own]
        length = 1 + max(len(s.schedule) for s in others)
        guess: Closure = {}
        for p, first in statements.items():
            for q, second in statements.items():
                pairs = self._later(first, second, length, True)
                for reset in resets:
                    after = self._later(first, reset, length, False)
                    pairs = pairs.subtract(after.apply_range(self._later(reset, second, length, False)))
                guess[p, q] = self._space.coalesced(pairs)
        return guess

    def _later(self, first: Instances, second: Instances, length: int, or_equal: bool) -> isl.Map:
        """Pairs of instances that write one element, the first after the second."""
        key = first.name, second.name, length, or_equal
        if key not in self._rewrites:
            same = self._written(first).apply_range(self._written(second).reverse())
            self._rewrites[key] = same.intersect(self._before(first, second, length, or_equal))
        return self._rewrites[key]

    def _before(self, first: Instances, second: Instances, length: int, or_equal: bool) -> isl.Map:
        """Pairs of instances of which the second runs before the first, or is it."""
        key = first.name, second.name, length, or_equal
        if key not in self._orders:
            times = isl.Space.set_alloc(self._space.context, 0, length)
            order = isl.Map.lex_ge(times) if or_equal else isl.Map.lex_gt(times)
            later = self._time(first, length).apply_range(order)
            self._orders[key] = later.apply_range(self._time(second, length).reverse())
        return self._orders[key]

    def _written(self, statement: Instances) -> isl.Map:
        assert statement.write is not None
        text = access_text(statement.tuple_text(), statement.write, statement.domain_text())
        return self._space.map(f"{{ {text} }}").intersect_params(self._space.known)

    def _time(self, statement: Instances, length: int) -> isl.Map:
        padding = ["0"] * (length - len(statement.schedule))
        text = f"{{ {statement.tuple_text()} -> [{', '.join([*statement.schedule, *padding])}] }}"
        return self._space.map(text).intersect_domain(self._flow.domains[statement.name])

    def _by_dimension(self, statements: Mapping[Place, Instances], steps: list[Step]) -> Closure:
        """Every earlier instance of these statements in the same iterations of the loops that no step leaves."""
        common = range(min(len(s.dims) for s in statements.values()))
        kept = [k for k in common if all(self._keeps(statements[p], statements[q], k, step) for p, q, step in steps)]
        length = 1 + max(len(s.schedule) for s in statements.values())
        return {
            (p, q): self._before(first, second, length, True).intersect(self._same(first, second, kept))
            for p, first in statements.items()
            for q, second in statements.items()
        }

    def _since_end(self, statements: Mapping[Place, Instances], steps: list[Step]) -> Closure:
        """Those of `_by_dimension` since the last instance that no step leaves: there a chain begins anew."""
        pairs = self._by_dimension(statements, steps)
        ends: dict[Place, isl.Set] = {p: self._flow.domains[s.name] for p, s in statements.items()}
        for p, _, step in steps:
            ends[p] = ends[p].subtract(step.domain())
        found: Closure = {}
        for (p, q), earlier in pairs.items():
            for r, last in ends.items():
                onward = pairs[r, q].subtract(self._flow.domains[q[0]].identity()) if r == q else pairs[r, q]
                earlier = earlier.subtract(pairs[p, r].intersect_range(last).apply_range(onward))
            found[p, q] = self._space.coalesced(earlier)
        return found

    def _keeps(self, first: Instances, second: Instances, dimension: int, step: isl.Map) -> bool:
        return bool(step.is_subset(self._same(first, second, [dimension])))

    def _same(self, first: Instances, second: Instances, dimensions: list[int]) -> isl.Map:
        """Pairs of instances that agree in some dimensions."""
        names = [f"o{k}" for k in range(len(second.dims))]
        equal = " and ".join(f"{first.dims[k]} = {names[k]}" for k in dimensions) or "1 = 1"
        return self._space.map(f"{{ {first.tuple_text()} -> {second.name}[{', '.join(names)}] : {equal} }}")

    def _by_isl(self, statements: Mapping[Place, Instances], steps: list[Step]) -> Closure | None:
        """isl's transitive closure of a recurrence of one statement."""
        if len(statements) != 1:
            return None
        ((place, statement),) = statements.items()
        step = steps[0][2]
        for _, _, more in steps[1:]:
            step = step.union(more)
        closed, _ = step.transitive_closure()
        return {(place, place): closed.union(self._flow.domains[statement.name].identity())}


def _value(writer: Instances) -> Term:
    assert writer.value is not None
    return writer.value


def _operands(root: Term, chain: Chain, links: list[Term]) -> list[tuple[Term, bool]] | None:
    """The operands of a chain with their signs, None if there are too many."""
    found = list(islice(operands(root, chain, links), MOST_OPERANDS + 1))
    return found if len(found) <= MOST_OPERANDS else None


def leads_one_way(reach: isl.Map, onward: isl.Map) -> bool:
    """Whether no two instances that one root reaches lead on to the same one."""
    moved = reach.range_map().apply_range(onward)
    return bool(reach.domain_map().range_product(moved).is_injective())


def _components(graph: _Graph, root: Place) -> list[tuple[Place, ...]]:
    """The strongly connected components of a graph, each before what it leads to (Tarjan)."""
    index: dict[Place, int] = {}
    low: dict[Place, int] = {}
    stack: list[Place] = []
    found: list[tuple[Place, ...]] = []

    def visit(place: Place) -> None:
        index[place] = low[place] = len(index)
        stack.append(place)
        for _, target, _ in graph.edges(place):
            if target not in index:
                visit(target)
                low[place] = min(low[place], low[target])
            elif target in stack:
                low[place] = min(low[place], index[target])
        if low[place] == index[place]:
            cut = stack.index(place)
            found.append(tuple(stack[cut:]))
            del stack[cut:]

    visit(root)
    return found[::-1]
