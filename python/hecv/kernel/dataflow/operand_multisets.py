"""Reductions as multisets, checked: two chains of one associative and commutative operator combine the same operands.

A bag is claimed as nodes: terms whose operands are combined, and for each instance of the root the instances at which
they are (`reach`). The operands are those of the chain's operators at the node. An operand is one of these:

- a piece: it stops there;
- a read: each statement that wrote what is read is a node;
- a `select` on an affine condition: each of its operands is a node where it is selected;
- settled: a piece where it is no neutral literal, and that literal where it is one
  (`hecv.dataflow.reductions.constant_terms`).

Theorem: let the reach of each node be, exactly, what the operands of all nodes lead to, with the root's own instances
at the root; and let no two paths lead from one root to the same instance of a node. Then the chain at a root combines
the pieces at the instances that their nodes reach, each once. Proof: each operand leads to an earlier instance or a
smaller term, so there is one such reach. For an idempotent operator, paths may meet.

Two chains are equal if a bijection maps the pieces of one to those of the other at each pair of related roots, and
matched pieces are equal, which is left to be proved. Before that, pieces of one bag may cancel
(`hecv.dataflow.reductions.cancellation` states the law): for one root no instance is in two pairs, and in each pair one
is the inverse of the other. Links of the target have only flags that all of the source's have; those with flags that do
more than license an order run only for roots for which one of the source's does
(`hecv.dataflow.reductions.reassociation.links_alone`).
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.reductions.bag_keys import ends, keyed, one_to_one
from hecv.dataflow.reductions.cancellation import Cancelled, Cancelling
from hecv.dataflow.reductions.constant_terms import Literals
from hecv.dataflow.reductions.reassociation import Chain, Piece, Run, is_unit, is_zero, numbers_of, operands
from hecv.kernel.certificate.dataflow_format import Action, Node
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow.claim_lookup import Texts, position_at


class Bag:
    """The pieces of one chain, and the terms that link them."""

    def __init__(
        self,
        space: Isl,
        flow: Dataflow,
        texts: Texts,
        chain: Chain,
        root: At,
        nodes: Sequence[Node],
        literals: Literals,
        op: str,
        step: str,
    ) -> None:
        """`op` is one of the operators of the chain.

        Raises: Rejected if the nodes are not the chain at the root.
        """
        self._literals = literals
        self._op = op
        self._space = space
        self._flow = flow
        self._chain = chain
        self._nodes = nodes
        self._step = step
        self.links: list[Term] = []
        self._linked: list[isl.Set] = []
        self.pieces: list[Piece] = []
        self._at = [self._term(node) for node in nodes]
        first = (root.statement.name, len(root.statement.dims))
        ends = [(at.statement.name, len(at.statement.dims)) for at in self._at]
        self._reach = [texts.map(n.reach, first, end, step) for n, end in zip(nodes, ends, strict=True)]
        self._need(bool(nodes) and self._at[0].key() == root.key() and not nodes[0].negative, "it has another root")
        self._ways: list[list[isl.Map]] = [[] for _ in nodes]
        self._ways[0].append(flow.domains[root.statement.name].identity())
        for number in range(len(nodes)):
            self._combine(number)
        for number in range(len(nodes)):
            self._require_reach(number)

    def run(self) -> Run:
        """Where the links run."""
        return Run(self.links, self._linked, numbers_of(self.pieces))

    def cancel(self, cancelling: Cancelling, claims: Sequence[tuple[int, int, str]], op: str, texts: Texts) -> None:
        """Leaves out the pieces that cancel.

        Raises: Rejected if they do not cancel.
        """
        for k, n, text in claims:
            self._need(0 <= k <= n < len(self.pieces), "there is no such piece")
            known = cancelling.pairs(self.pieces[k], self.pieces[n], op)
            if known is None:
                raise Rejected(self._step, "these pieces do not cancel")
            pairs = texts.like(text, known, self._step)
            self._need(bool(pairs.is_subset(known)), "these pieces do not cancel there")
            cancelled = Cancelled(k, n, pairs)
            self._need(cancelled.once(), "an instance is cancelled twice")
            self.pieces = list(cancelling.without(self.pieces, [cancelled]))

    def _need(self, holds: bool, why: str) -> None:
        if not holds:
            raise Rejected(self._step, why)

    def _term(self, node: Node) -> At:
        position = position_at(self._flow.program, node.place, self._step)
        if not isinstance(position, At):
            raise Rejected(self._step, "a node is no term")
        return position

    def _combine(self, number: int) -> None:
        """Where the operands of a node lead."""
        at, node = self._at[number], self._nodes[number]
        found = list(operands(at.term, self._chain, self.links, node.negative))
        self._need(len(found) == len(node.actions), "a node has other operands")
        if self._chain.links(at.term, node.negative):
            self._linked.append(self._reach[number].domain())
        for (term, negative), action in zip(found, node.actions, strict=True):
            self._act(number, At(at.statement, term), negative, action)

    def _act(self, number: int, operand: At, negative: bool, action: Action) -> None:
        name, targets = action
        match name:
            case "stop":
                self._need(not targets, "what stops leads nowhere")
                self.pieces.append(Piece(operand, negative, self._reach[number]))
            case "settle":
                self._need(not targets, "what settles leads nowhere")
                piece = Piece(operand, negative, self._reach[number])
                self.pieces += self._literals.settled(piece, self._op) or [piece]
            case "select":
                self._select(number, operand, negative, targets)
            case _:
                self._follow(number, operand, negative, targets)

    def _follow(self, number: int, operand: At, negative: bool, targets: tuple[int, ...]) -> None:
        self._need(operand.term.op == "load", "it is no read")
        producers = self._flow.producers[operand.statement.name, operand.term]
        certain = producers.certain()
        self._need(len(targets) == len(certain), "it has other writers")
        for target, (writer, pairs) in zip(targets, certain, strict=True):
            assert writer.value is not None
            self._need(self._chain.idempotent or _one_way(self._reach[number], pairs), "an instance counts twice")
            self._lead(target, At(writer, writer.value), negative, self._reach[number].apply_range(pairs))
        without = producers.without_write()
        if without is not None:
            self.pieces.append(Piece(operand, negative, self._reach[number].intersect_range(without)))

    def _select(self, number: int, operand: At, negative: bool, targets: tuple[int, ...]) -> None:
        self._need(operand.term.op == "arith.select" and len(targets) == 2, "it does not select one of two")
        condition, *branches = operand.term.args
        statement = operand.statement
        for target, holds, branch in zip(targets, (True, False), branches, strict=True):
            try:
                text = statement.translator.condition(condition, holds)
            except NotAffine as problem:
                raise Rejected(self._step, f"isl does not hold {problem.text}") from None
            where = self._space.set(f"{{ {statement.tuple_text()} : {text} }}")
            self._lead(target, At(statement, branch), negative, self._reach[number].intersect_range(where))

    def _lead(self, target: int, at: At, negative: bool, way: isl.Map) -> None:
        self._need(0 <= target < len(self._nodes), "it leads to no node")
        same = self._at[target].key() == at.key() and self._nodes[target].negative == negative
        self._need(same, "it leads to another term")
        self._ways[target].append(way)

    def _require_reach(self, number: int) -> None:
        """Checks that the reach of a node is the union of all paths to it, each instance by one of them."""
        reach = self._reach[number]
        together = reach.subtract(reach)
        for way in self._ways[number]:
            self._need(self._chain.idempotent or bool(together.is_disjoint(way)), "an instance counts twice")
            together = together.union(way)
        self._need(bool(together.is_equal(reach)), f"node {number} is reached at other instances")


def _one_way(reach: isl.Map, onward: isl.Map) -> bool:
    """Whether no two instances that one root reaches lead on to the same one."""
    return bool(reach.domain_map().range_product(reach.range_map().apply_range(onward)).is_injective())


class Match(Struct, frozen=True):
    """Two matched pieces with the pairs of their matched instances."""

    source: Piece
    target: Piece
    pairs: isl.Map


class Matching:
    """A bijection between the pieces of two bags at each pair of related roots."""

    def __init__(
        self, texts: Texts, source: Bag, target: Bag, relation: isl.Map, signed: bool, once: bool, step: str
    ) -> None:
        """`signed`: the sign of a zero matters. `once`: each instance is in one pair."""
        self._texts = texts
        self._once = once
        self._step = step
        self._pieces = source.pieces, target.pieces
        links = [*source.links, *target.links]
        self._need(bool(links), "neither is a chain")
        self._units = [[is_unit(links[0].op, p.at.term) for p in side] for side in self._pieces]
        self._need(not signed or self._same_zeros(relation), "only one of the chains has a +0")
        self._left, self._right = keyed(*[[p.instances for p in side] for side in self._pieces], relation=relation)

    def matched(self, matches: Sequence[tuple[int, int, str]]) -> list[Match]:
        """The matched pieces, if the pairs are a bijection.

        Raises: Rejected.
        """
        found: list[Match] = []
        covered = [[part.subtract(part) for part in side] for side in (self._left, self._right)]
        for k, n, text in matches:
            self._need(0 <= k < len(self._left) and 0 <= n < len(self._right), "there is no such piece")
            first, second = self._pieces[0][k], self._pieces[1][n]
            alike = (first.negative, first.at.term.type) == (second.negative, second.at.term.type)
            self._need(alike, "pieces of another sign or type belong together")
            pairs = self._pairs(text, k, n)
            ours, theirs = ends(pairs)
            if self._once:
                self._need(one_to_one(pairs), "an instance is in two pairs")
                apart = covered[0][k].is_disjoint(ours) and covered[1][n].is_disjoint(theirs)
                self._need(bool(apart), "an instance is in two pairs")
            covered[0][k], covered[1][n] = covered[0][k].union(ours), covered[1][n].union(theirs)
            found.append(Match(first, second, pairs.range().unwrap()))
        for side, whole in enumerate((self._left, self._right)):
            for part, done, unit in zip(whole, covered[side], self._units[side], strict=True):
                self._need(unit or bool(part.is_subset(done)), "a piece is in no pair")
        return found

    def _need(self, holds: bool, why: str) -> None:
        if not holds:
            raise Rejected(self._step, why)

    def _pairs(self, text: str, k: int, n: int) -> isl.Map:
        """Pairs of instances of two pieces, by key."""
        product = self._left[k].range_product(self._right[n])
        pairs = self._texts.like(text, product, self._step)
        self._need(bool(pairs.is_subset(product)), "the pairs are of other instances")
        return pairs

    def _same_zeros(self, relation: isl.Map) -> bool:
        """Whether related roots either both have a +0 among their operands, or neither has one."""
        ours, theirs = ([p.instances.domain() for p in side if is_zero(p.at.term, p.negative)] for side in self._pieces)
        left, right = relation.domain(), relation.range()
        for part in ours:
            left = left.subtract(part)
        for part in theirs:
            right = right.subtract(part)
        only = relation.subtract_domain(left).intersect_range(right)
        other = relation.intersect_domain(left).subtract_range(right)
        return bool(only.is_empty()) and bool(other.is_empty())
