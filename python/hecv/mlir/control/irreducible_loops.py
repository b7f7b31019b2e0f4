"""Irreducible loops (several entries) made reducible by a gate: all entries go through it, and a selector says which.

Each edge to an entry leads to the gate instead, and the gate leads to each entry. A node dominates another with gates
if and only if it does so without: wherever a gate leads to an entry, control could have come to that entry from outside
the loop.

Cites: Erosa, Hendren, "Taming Control Flow" (ICCL 1994); MLIR's `CFGToSCF`, which multiplexes the same edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct


class Gated(Struct, frozen=True):
    """A reducible graph, and the entries behind each gate; gates are the nodes after all others."""

    successors: Sequence[Sequence[int]]
    entries: Mapping[int, Sequence[int]]


def gated(successors: Sequence[Sequence[int]]) -> Gated:
    """The graph with a gate for each irreducible loop, without edges of nodes unreachable from node 0. No edge leads
    to node 0."""
    reached = _reached(successors)
    graph = [list(s) if n in reached else [] for n, s in enumerate(successors)]
    entries: dict[int, Sequence[int]] = {}
    pending = _components(graph, range(len(graph)))
    while pending:
        loop = pending.pop()
        ways = sorted({s for n, targets in enumerate(graph) if n not in loop for s in targets} & loop)
        header = ways[0]
        if len(ways) > 1:
            header = len(graph)
            entries[header] = ways
            graph = [[header if s in ways else s for s in targets] for targets in graph]
            graph.append(ways)
        pending += _components(graph, loop - {header})
    return Gated(graph, entries)


def _reached(successors: Sequence[Sequence[int]]) -> set[int]:
    found, stack = {0}, [0]
    while stack:
        fresh = set(successors[stack.pop()]) - found
        found |= fresh
        stack.extend(fresh)
    return found


def _components(graph: Sequence[Sequence[int]], among: Iterable[int]) -> list[set[int]]:
    """The strongly connected components, among some nodes, that contain a cycle (Tarjan, 1972)."""
    inside = set(among)
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: list[int] = []
    found: list[set[int]] = []
    for root in inside:
        if root in number:
            continue
        stack = [(root, iter(graph[root]))]
        number[root] = lowest[root] = len(number)
        open_.append(root)
        while stack:
            node, rest = stack[-1]
            fresh = next((s for s in rest if s in inside and (s not in number or s in lowest)), None)
            if fresh is None:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number[node]:
                    component = set(open_[open_.index(node) :])
                    del open_[open_.index(node) :]
                    for done in component:
                        del lowest[done]
                    if len(component) > 1 or node in graph[node]:
                        found.append(component)
            elif fresh in number:
                lowest[node] = min(lowest[node], number[fresh])
            else:
                number[fresh] = lowest[fresh] = len(number)
                open_.append(fresh)
                stack.append((fresh, iter(graph[fresh])))
    return found
