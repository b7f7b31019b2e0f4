"""Reductions as multisets: what a chain of one associative and commutative operator combines.

The value of `s = s + f(i)` after a loop is the sum of the old `s` and of every `f(i)`: a sum over a set of instances. A
chain is followed through memory: if an operand is a read whose producers are chains of the same operator, these are
part of it. What is left are *pieces*: a term of a statement, and a relation from each instance of the chain's root to
the instances of the statement that contribute. An instance contributes once: for each read that is followed it is shown
that no two paths lead from the root to one instance; else the read itself is a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

import islpy as isl
from msgspec import Struct, field

from hecv.base.term import Term
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.reductions.reassociation import Chain, Piece, Run, numbers_of, operands
from hecv.dataflow.reductions.transitive_closure import Closures, Spot

MOST_STATEMENTS: Final = 500
MOST_OPERANDS: Final = 200
MOST_RESTARTS: Final = 8
DEEPEST_COPY: Final = 6


class Reached(Struct, frozen=True):
    """A chain that belongs to a bag, negated or not, the instances that a root reaches, and the chains that each of its
    operands reads (none for a piece)."""

    at: At
    negative: bool
    reach: isl.Map
    edges: tuple[tuple[Spot, ...], ...]


class Bag(Struct, frozen=True):
    """A chain as a multiset: its pieces, and the terms that link them, with the roots for which these are `run`.

    `through_memory`: a read was followed. `withheld`: a read was not followed because it is subtracted. `nodes` are the
    chains that it consists of.
    """

    pieces: tuple[Piece, ...]
    links: tuple[Term, ...]
    run: Run
    through_memory: bool
    withheld: bool
    nodes: tuple[Reached, ...]


class _Slot(Struct, frozen=True):
    """An operand of a chain within one statement. `edges` lead to the statements that produce it, as far as it is
    followed; `rest` are the instances at which it is not."""

    term: Term
    negative: bool
    edges: tuple[tuple[Spot, isl.Map], ...] = ()
    rest: isl.Set | None = None


class _Graph(Struct):
    """The chains that belong to one root, and what they are linked by. Chains that are subtracted are `followed` or
    not; then `withheld` tells whether there is one."""

    followed: bool = False
    withheld: bool = False
    at: dict[Spot, At] = field(default_factory=dict[Spot, At])
    slots: dict[Spot, list[_Slot]] = field(default_factory=dict[Spot, list[_Slot]])
    links: list[Term] = field(default_factory=list[Term])

    def edges(self, place: Spot) -> Iterator[tuple[int, Spot, isl.Map]]:
        for k, slot in enumerate(self.slots[place]):
            for target, step in slot.edges:
                yield k, target, step


Refused = set[tuple[Spot, int]]
Reach = dict[Spot, isl.Map]


class _Again(Exception):
    """Reads that must not be followed were found; the search starts again without."""


class Bags:
    """Reads chains of one program as bags."""

    def __init__(self, space: Isl, flow: Dataflow) -> None:
        self._space = space
        self._flow = flow
        self._closures = Closures(space, flow)

    def of(self, root: At, chain: Chain, subtracted: bool = False) -> Bag | None:
        """The bag of the chain at `root`; None if it has too many parts. With `subtracted`, chains that are read and
        then subtracted are part of it."""
        refused: Refused = set()
        for _ in range(MOST_RESTARTS):
            graph = self._graph(root, chain, refused, subtracted)
            if graph is None:
                return None
            try:
                return self._bag(graph, self._reach(graph, root, chain, refused), chain)
            except _Again:
                continue
        return None

    def roots(self, at: At) -> frozenset[str]:
        """The operators that may be at the root of a position's value: its own, or if it reads, directly or through
        copies, those of what was written."""
        return frozenset(self._roots(at.statement, at.term, DEEPEST_COPY))

    def _roots(self, statement: Instances, term: Term, depth: int) -> Iterator[str]:
        if term.op != "load":
            yield term.op
        elif depth:
            for writer, _ in self._flow.producers[statement.name, term].writes:
                yield from self._roots(writer, _value(writer), depth - 1)

    def stores(self, wanted: Callable[[Term], bool]) -> bool:
        """Whether some statement stores a `wanted` term."""
        return any(s.value is not None and wanted(s.value) for s in self._flow.program.statements)

    def _bag(self, graph: _Graph, reach: Reach, chain: Chain) -> Bag:
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
            Reached(graph.at[p], p[2], instances, tuple(tuple(place for place, _ in s.edges) for s in graph.slots[p]))
            for p, instances in reach.items()
        )
        linked = tuple(n.reach.domain() for n in nodes if chain.links(n.at.term, n.negative))
        run = Run(graph.links, linked, numbers_of(pieces))
        return Bag(tuple(pieces), tuple(graph.links), run, followed, graph.withheld, nodes)

    # The graph of chains

    def _graph(self, root: At, chain: Chain, refused: Refused, subtracted: bool) -> _Graph | None:
        graph = _Graph(subtracted and chain.distributes)
        waiting = [_spot(root)]
        while waiting:
            spot = waiting.pop()
            if spot in graph.at:
                continue
            at = graph.at[spot] = root if spot == _spot(root) else self._position(spot)
            operands = _operands(at.term, chain, graph.links, spot[2])
            if operands is None or len(graph.at) > MOST_STATEMENTS:
                return None
            graph.slots[spot] = slots = [
                self._slot(graph, at, (spot, k), operand, chain, refused) for k, operand in enumerate(operands)
            ]
            for slot in slots:
                waiting += [target for target, _ in slot.edges]
        return graph

    def _slot(
        self,
        graph: _Graph,
        at: At,
        place: tuple[Spot, int],
        operand: tuple[Term, bool],
        chain: Chain,
        refused: Refused,
    ) -> _Slot:
        term, negative = operand
        if place in refused or not self._continues(at.statement, term, chain):
            return _Slot(term, negative)
        if negative and not graph.followed:
            graph.withheld = True
            return _Slot(term, negative)
        producers = self._flow.producers[at.statement.name, term]
        edges = [((writer.name, _value(writer).id, negative), step) for writer, step in producers.certain()]
        return _Slot(term, negative, tuple(edges), producers.without_write())

    def _continues(self, statement: Instances, term: Term, chain: Chain, depth: int = DEEPEST_COPY) -> bool:
        """Whether a term reads, directly or through copies, what a chain made."""
        if term.op != "load" or depth == 0:
            return False
        writers = [writer for writer, _ in self._flow.producers[statement.name, term].writes]
        if any(chain.absorbs(_value(writer)) for writer in writers):
            return True
        return any(self._continues(writer, _value(writer), chain, depth - 1) for writer in writers)

    def _position(self, spot: Spot) -> At:
        statement = next(s for s in self._flow.program.statements if s.name == spot[0])
        return At(statement, _value(statement))

    # How often each instance contributes

    def _reach(self, graph: _Graph, root: At, chain: Chain, refused: Refused) -> Reach:
        """The instances of each chain that the root's instances lead to, each by one way.

        Raises: _Again where that cannot be shown; `refused` then has more reads.
        """
        reach: Reach = {}
        start = self._flow.domains[root.statement.name].identity()
        entries: dict[Spot, list[tuple[isl.Map, tuple[Spot, int] | None]]] = {_spot(root): [(start, None)]}
        for group in _components(graph, _spot(root)):
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

    def _refuse(self, refused: Refused, *reads: tuple[Spot, int]) -> None:
        refused.update(reads)
        raise _Again

    def _merged(
        self, entries: list[tuple[isl.Map, tuple[Spot, int] | None]], chain: Chain, refused: Refused
    ) -> isl.Map | None:
        """All ways into a chain as one relation; that they are disjoint is shown."""
        merged: isl.Map | None = None
        for relation, read in entries:
            if merged is not None and not chain.idempotent and not merged.is_disjoint(relation):
                assert read is not None
                self._refuse(refused, read)
            merged = relation if merged is None else self._space.coalesced(merged.union(relation))
        return merged

    def _closed(
        self,
        graph: _Graph,
        group: tuple[Spot, ...],
        entering: Mapping[Spot, isl.Map | None],
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
        closure = self._closures.of({p: graph.at[p].statement for p in group}, steps, not chain.idempotent)
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


def _value(writer: Instances) -> Term:
    assert writer.value is not None
    return writer.value


def _spot(root: At) -> Spot:
    return (*root.key(), False)


def _operands(root: Term, chain: Chain, links: list[Term], negated: bool) -> list[tuple[Term, bool]] | None:
    """The operands of a chain with their signs, None if there are too many."""
    found = list(islice(operands(root, chain, links, negated), MOST_OPERANDS + 1))
    return found if len(found) <= MOST_OPERANDS else None


def leads_one_way(reach: isl.Map, onward: isl.Map) -> bool:
    """Whether no two instances that one root reaches lead on to the same one.

    Tried first for all roots together, which have fewer disjuncts: if it holds there, it holds for each.
    """
    if onward.is_injective():
        return True
    moved = reach.range_map().apply_range(onward)
    return bool(reach.domain_map().range_product(moved).is_injective())


def _components(graph: _Graph, root: Spot) -> list[tuple[Spot, ...]]:
    """The strongly connected components of a graph, each before what it leads to (Tarjan)."""
    index: dict[Spot, int] = {}
    low: dict[Spot, int] = {}
    stack: list[Spot] = []
    found: list[tuple[Spot, ...]] = []

    def visit(place: Spot) -> None:
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
