"""What the search asks of a graph of tensors: who makes a value, who uses it, which values no input changes, and how
often a block repeats."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Leaf, Node, TensorGraph, TensorType

LONGEST_PERIOD: Final = 1_000
"""Ops, at most, of a block that is looked for as repeated."""

KEEPING: Final = tuple(
    f"aten.{name}."
    for name in (
        *("alias", "clone", "contiguous", "detach", "flatten", "lift_fresh_copy", "permute", "reshape", "squeeze", "t"),
        *("transpose", "unflatten", "unsqueeze", "view", "_unsafe_view"),
    )
)
"""Ops whose results have all elements of their operand, in another shape or order."""


class GraphIndex:
    """A graph, by the names of its values."""

    def __init__(self, graph: TensorGraph) -> None:
        self.graph: Final = graph
        self.leaves: Final[Mapping[str, Leaf]] = {leaf.name: leaf for leaf in graph.leaves}
        self.makers: Final[Mapping[str, tuple[int, int]]] = {
            name: (k, r) for k, node in enumerate(graph.nodes) for r, name in enumerate(node.results)
        }
        """The number of the node that makes a value, and which of its results it is."""

    def node_of(self, name: str) -> Node | None:
        """The node that makes a value; none for a leaf."""
        found = self.makers.get(name)
        return None if found is None else self.graph.nodes[found[0]]

    def operands_of(self, name: str) -> tuple[str, ...]:
        """The values that the node that makes a value reads; none for a leaf."""
        found = self.makers.get(name)
        return () if found is None else self._operands[found[0]]

    @cached_property
    def _operands(self) -> tuple[tuple[str, ...], ...]:
        return tuple(map(operands_of, self.graph.nodes))

    def type_of(self, name: str) -> TensorType:
        """The type of a value."""
        found = self.makers.get(name)
        return self.leaves[name].type if found is None else self.graph.nodes[found[0]].types[found[1]]

    def origin(self, name: str) -> str:
        """The first value that has the elements of a value, all of them, in whatever shape and order."""
        node = self.node_of(name)
        while node is not None and node.op.startswith(KEEPING):
            (operand,) = operands_of(node)
            if self.type_of(operand).element != node.types[0].element:
                break  # `view` as another type
            name, node = operand, self.node_of(operand)
        return name

    @cached_property
    def users(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the nodes that read a value."""
        found: dict[str, list[int]] = {}
        for k, operands in enumerate(self._operands):
            for name in dict.fromkeys(operands):
                found.setdefault(name, []).append(k)
        return {name: tuple(numbers) for name, numbers in found.items()}

    @cached_property
    def varying(self) -> frozenset[str]:
        """The values that depend on an input or a parameter."""
        found = {leaf.name for leaf in self.graph.leaves if leaf.kind in ("input", "parameter")}
        for node, operands in zip(self.graph.nodes, self._operands, strict=True):
            if not found.isdisjoint(operands):
                found.update(node.results)
        return frozenset(found)

    @cached_property
    def live(self) -> frozenset[str]:
        """The values that an output depends on."""
        return self.above(*(ref.name for _, ref in self.graph.outputs))

    def above(self, *names: str) -> frozenset[str]:
        """These values and those that they are computed from."""
        found, waiting = set[str](), list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.operands_of(name)
        return frozenset(found)

    def first_uses(self) -> Mapping[str, int]:
        """The number of the first node that reads each leaf."""
        return {leaf: self.users[leaf][0] if leaf in self.users else len(self.graph.nodes) for leaf in self.leaves}


def repeated_blocks(graph: TensorGraph) -> int:
    """How often the block of ops that repeats longest stands in a row; 1 if no blocks are half of the graph."""
    keys = [(node.op, tuple(t.shape for t in node.types)) for node in graph.nodes]
    best, count = 0, 1
    for period in range(2, min(LONGEST_PERIOD, len(keys) // 2) + 1):
        run = longest = 0
        for k in range(len(keys) - period):
            run = run + 1 if keys[k] == keys[k + period] else 0
            longest = max(longest, run)
        if longest > best and longest >= period and 2 * (longest + period) >= len(keys):
            best, count = longest, longest // period + 1
    return count
