"""Structuring of control flow graphs: any graph as nested sequences, without copies of code.

A block entered by one edge of a branch only stands within that branch. Any other block follows its immediate dominator,
in the order of the graph; if control may already be on its way to another block by then, it is guarded by a selector. A
natural loop stands in the place of its header; a loop with several entries gets a gate as its header
(`hecv.mlir.control.irreducible_loops`).

Cites: Ramsey, "Beyond Relooper" (ICFP 2022), for the nesting by dominators; here a selector stands for its `br`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from msgspec import Struct

from hecv.mlir.control.irreducible_loops import gated


class Shape(Enum):
    """The kind of a loop's exit."""

    WHILE = "by the branch at the end of its header"
    DO_WHILE = "by the branch at the end of its last block, which stands last in its sequence"
    SELECTED = "where the selector does not name its header"


class Visit(Struct, frozen=True):
    """The code of a block; `inline` is what stands in the arms of its terminator, by successor."""

    block: int
    inline: Mapping[int, Sequence[Item]]


class Guarded(Struct, frozen=True):
    """Runs `items` if the selector is `block`."""

    block: int
    items: Sequence[Item]


class Repeat(Struct, frozen=True):
    """A loop; `items` begin with its header."""

    header: int
    shape: Shape
    items: Sequence[Item]


Item = Visit | Guarded | Repeat


class Structure(Struct, frozen=True):
    """A graph as a sequence.

    The selector must be set on each edge to a block in `selected`. Blocks in `direct` get their arguments from one edge
    in their own scope; all others get them through cells. `gates` are node numbers that are no blocks: a gate is
    visited if the selector names one of its entries, and continues there.
    """

    items: Sequence[Item]
    selected: frozenset[int]
    direct: frozenset[int]
    gates: Mapping[int, Sequence[int]] = {}


def structure(successors: Sequence[Sequence[int]], end: int) -> Structure:
    """The graph as a sequence; node 0 is the entry, `end` the exit."""
    try:
        return _Structurer(successors, end, {}).run()
    except _Irreducible:
        found = gated(successors)
        return _Structurer(found.successors, end, found.entries).run()


class _Irreducible(Exception):
    """A loop has two entries."""


class _Structurer:
    def __init__(self, successors: Sequence[Sequence[int]], end: int, gates: Mapping[int, Sequence[int]]) -> None:
        self._successors = successors
        self._end = end
        self._gates = gates
        self._order = _reverse_postorder(successors)
        self._rank = {node: k for k, node in enumerate(self._order)}
        self._predecessors: dict[int, list[int]] = {n: [] for n in self._order}
        for node in self._order:
            for successor in successors[node]:
                self._predecessors[successor].append(node)
        self._dominator = self._dominators()
        self._loops = self._natural_loops()
        self._children: dict[int, list[int]] = {n: [] for n in self._order}
        for node in self._order[1:]:
            self._children[self._dominator[node]].append(node)
        self._inline = frozenset(n for n in self._order[1:] if self._is_inline(n))
        self._selected: set[int] = set()
        self._left_out: set[tuple[int, int]] = set()

    def run(self) -> Structure:
        items, _ = self._sequence(0, None)
        entries = {e for own in self._gates.values() for e in own}
        selected = (self._selected - self._gates.keys()) | entries
        return Structure(items, frozenset(selected), self._inline - self._loops.keys() - entries, self._gates)

    # The graph

    def _dominators(self) -> dict[int, int]:
        """The immediate dominator of each node (Cooper, Harvey, Kennedy, 2001); the entry is its own."""
        found = {0: 0}
        changed = True
        while changed:
            changed = False
            for node in self._order[1:]:
                known = [p for p in self._predecessors[node] if p in found]
                best = known[0]
                for other in known[1:]:
                    best = self._meet(found, best, other)
                changed = changed or found.get(node) != best
                found[node] = best
        return found

    def _meet(self, found: Mapping[int, int], left: int, right: int) -> int:
        while left != right:
            while self._rank[left] > self._rank[right]:
                left = found[left]
            while self._rank[right] > self._rank[left]:
                right = found[right]
        return left

    def _dominates(self, above: int, node: int) -> bool:
        while self._rank[node] > self._rank[above]:
            node = self._dominator[node]
        return node == above

    def _natural_loops(self) -> dict[int, set[int]]:
        """The nodes of each loop by its header."""
        loops: dict[int, set[int]] = {}
        for node in self._order:
            for header in self._successors[node]:
                if self._rank[header] > self._rank[node]:
                    continue
                if not self._dominates(header, node):
                    raise _Irreducible
                self._gather(loops.setdefault(header, {header}), node)
        return loops

    def _gather(self, loop: set[int], last: int) -> None:
        """Adds to `loop` the nodes that reach `last` without passing the header, which is already in it."""
        stack = [last]
        while stack:
            node = stack.pop()
            if node not in loop:
                loop.add(node)
                stack.extend(self._predecessors[node])

    def _innermost(self, node: int) -> int | None:
        """The header of the innermost loop that contains `node`."""
        holding = [h for h, nodes in self._loops.items() if node in nodes]
        return min(holding, key=lambda h: len(self._loops[h]), default=None)

    def _level(self, node: int) -> int | None:
        """The header of the innermost loop around `node`; a header stands outside, with its whole loop."""
        holding = [h for h, nodes in self._loops.items() if node in nodes and h != node]
        return min(holding, key=lambda h: len(self._loops[h]), default=None)

    def _is_inline(self, node: int) -> bool:
        """True if a single edge enters the node, or its loop, at its own level."""
        forward = [p for p in self._predecessors[node] if self._rank[p] < self._rank[node]]
        if len(forward) != 1 or node == self._end:
            return False
        return self._level(node) == self._innermost(forward[0])

    # Sequences

    def _sequence(self, node: int, within: int | None) -> tuple[list[Item], set[int]]:
        """The items in the place of `node` inside the loop `within`, and the possible next nodes."""
        items: list[Item] = []
        while True:
            head, pending, followers = self._head(node, within)
            items.append(head)
            last = None
            for place, follower in enumerate(followers):
                if pending == {follower} and place == len(followers) - 1:
                    last = follower
                    break
                pending = self._follow(follower, within, pending, items)
            if last is None:
                return items, pending
            node = last

    def _follow(self, follower: int, within: int | None, pending: set[int], items: list[Item]) -> set[int]:
        if follower not in pending:
            return pending
        inner, out = self._sequence(follower, within)
        if pending == {follower}:
            items.extend(inner)
            return out
        self._selected |= pending
        items.append(Guarded(follower, inner))
        return (pending - {follower}) | out

    def _head(self, node: int, within: int | None) -> tuple[Item, set[int], list[int]]:
        """The item for `node`, the possible next nodes, and its followers at its level. At the exit node control
        stays, whatever comes next in the sequence."""
        if node == self._end:
            return Visit(node, {}), {node}, []
        if node in self._loops and node != within:
            repeat, out = self._repeat(node)
            loop, level = self._loops[node], self._level(node)
            after = [n for n in self._order if n not in loop and self._dominator[n] in loop and self._level(n) == level]
            return repeat, out, after
        inline: dict[int, Sequence[Item]] = {}
        pending: set[int] = set()
        branches = len(self._successors[node]) > 1
        for successor in self._successors[node]:
            if branches and successor in self._inline and self._rank[successor] > self._rank[node]:
                inline[successor], out = self._sequence(successor, within)
                pending |= out
            elif (node, successor) not in self._left_out:
                pending.add(successor)
        level = self._innermost(node)
        children = [c for c in self._children[node] if c not in inline and self._level(c) == level]
        return Visit(node, inline), pending, children

    def _repeat(self, header: int) -> tuple[Repeat, set[int]]:
        """The loop, and the possible next nodes after it."""
        loop = self._loops[header]
        exits = [(n, s) for n in loop for s in self._successors[n] if s not in loop]
        if header not in self._gates and len(exits) == 1 and self._is_two_way(exits[0][0]):
            found = self._single_exit(header, exits[0])
            if found is not None:
                return found, {exits[0][1]}
        items, out = self._sequence(header, header)
        self._selected |= {*out, header}
        return Repeat(header, Shape.SELECTED, items), out - {header}

    def _is_two_way(self, node: int) -> bool:
        return len(self._successors[node]) == 2

    def _single_exit(self, header: int, exit_edge: tuple[int, int]) -> Repeat | None:
        """The loop with a single exit edge, if that edge stands where a loop can be left; None otherwise."""
        leaving = exit_edge[0]
        selected = set(self._selected)
        self._left_out.add(exit_edge)
        items, out = self._sequence(header, header)
        if out == {header}:
            if header not in self._successors[leaving] and leaving == header:
                return Repeat(header, Shape.WHILE, items)
            last = items[-1]
            if header in self._successors[leaving] and isinstance(last, Visit) and last.block == leaving:
                return Repeat(header, Shape.DO_WHILE, items)
        self._left_out.discard(exit_edge)
        self._selected = selected
        return None


def _reverse_postorder(successors: Sequence[Sequence[int]]) -> list[int]:
    """The nodes reachable from node 0, each before its successors by forward edges."""
    seen = {0}
    order: list[int] = []
    stack = [(0, iter(successors[0]))]
    while stack:
        node, rest = stack[-1]
        fresh = next((s for s in rest if s not in seen), None)
        if fresh is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(fresh)
            stack.append((fresh, iter(successors[fresh])))
    return order[::-1]
