"""Topological order of e-nodes: operands come first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hecv.egraph.session import Node


def operands_first(nodes: Sequence[Sequence[Node]]) -> Iterable[tuple[int, Node]]:
    """Each e-node with its class, once every class among its operands has a node before it."""
    waiting: dict[int, list[tuple[int, Node, list[int]]]] = {}
    ready: list[tuple[int, Node]] = []
    seen: set[int] = set()
    for home, members in enumerate(nodes):
        for node in members:
            missing = list(set(node.args))
            if missing:
                waiting.setdefault(missing[0], []).append((home, node, missing))
            else:
                ready.append((home, node))
    position = 0
    while position < len(ready):
        home, node = ready[position]
        position += 1
        yield home, node
        if home in seen:
            continue
        seen.add(home)
        for user, waiter, missing in waiting.pop(home, []):
            left = [m for m in missing if m not in seen]
            if left:
                waiting.setdefault(left[0], []).append((user, waiter, left))
            else:
                ready.append((user, waiter))
