"""Ids of e-classes that were made inside the e-graph, by rules."""

from __future__ import annotations

from typing import Final

from hecv.egraph.enode_order import operands_first
from hecv.egraph.session import Classes, Goal, Node


class Namer:
    """Gives ids to classes; for a class without one, an e-node of it is entered again."""

    def __init__(self, goal: Goal, classes: Classes) -> None:
        self._goal: Final = goal
        self._ids: Final = {home: number for number, home in classes.of.items()}
        self._chosen: Final[dict[int, Node]] = {}
        for home, node in operands_first(classes.nodes):
            self._chosen.setdefault(home, node)

    def name(self, home: int) -> int | None:
        """An id of the class."""
        if home not in self._ids:
            node = self._chosen.get(home)
            if node is None:
                return None
            operands = [self.name(a) for a in node.args]
            known = tuple(o for o in operands if o is not None)
            if len(known) < len(operands):
                return None
            self._ids[home] = self._goal.add([Node(node.symbol, known)])[0]
        return self._ids[home]
