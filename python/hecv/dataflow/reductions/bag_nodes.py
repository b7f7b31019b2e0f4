"""The nodes of a bag as a certificate has them (`hecv.kernel.dataflow.operand_multisets`): chains and their pieces."""

from __future__ import annotations

import islpy as isl
from msgspec import Struct

from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow
from hecv.dataflow.reductions.bag_pieces import DEEPEST, Pieces
from hecv.dataflow.reductions.reassociation import Chain, Piece, operands
from hecv.dataflow.reductions.reduction_bags import Bag
from hecv.dataflow.reductions.transitive_closure import Spot

Action = tuple[str, tuple[int, ...]]


class Node(Struct):
    """A term whose operands are combined at the instances that a root reaches, and what each operand becomes."""

    at: At
    negative: bool
    reach: isl.Map
    depth: int
    actions: list[Action]


class Nodes:
    """Records the nodes of one bag, and its pieces in the order of the nodes."""

    def __init__(self, flow: Dataflow, pieces: Pieces, chain: Chain, bag: Bag, root: At, op: str, deep: bool) -> None:
        self._op, self._deep = op, deep
        self._flow = flow
        self._apart = pieces
        found = sorted(bag.nodes, key=lambda node: node.negative or node.at.key() != root.key())
        self.nodes = [Node(n.at, n.negative, n.reach, DEEPEST, []) for n in found]
        self.pieces: list[Piece] = []
        self._numbers: dict[Spot, int] = {(*n.at.key(), n.negative): k for k, n in enumerate(found)}
        edges = [n.edges for n in found]
        number = 0
        while number < len(self.nodes):
            node = self.nodes[number]
            for k, (term, negative) in enumerate(operands(node.at.term, chain, [], node.negative)):
                known = edges[number][k] if number < len(edges) else ()
                node.actions.append(self._action(node, At(node.at.statement, term), negative, known))
            number += 1

    def _action(self, node: Node, at: At, negative: bool, known: tuple[Spot, ...]) -> Action:
        if known:
            self._keep_rest(node, at, negative)
            return "follow", tuple(self._numbers.get(place, -1) for place in known)
        piece = Piece(at, negative, node.reach)
        name, parts = self._apart.step(piece, self._deep) if node.depth else ("stop", [])
        if name == "stop":
            found = self._apart.settled(piece, self._op)
            self.pieces += found or [piece]
            return "stop" if found is None else "settle", ()
        if name == "follow":
            self._keep_rest(node, at, negative)
        first = len(self.nodes)
        self.nodes += [Node(p.at, p.negative, p.instances, node.depth - 1, []) for p in parts]
        return name, tuple(range(first, len(self.nodes)))

    def _keep_rest(self, node: Node, at: At, negative: bool) -> None:
        without = self._flow.producers[at.statement.name, at.term].without_write()
        if without is not None:
            self.pieces.append(Piece(at, negative, node.reach.intersect_range(without)))
