"""Equality of two reductions: one associative and commutative operator over the same values, in another order.

`hecv.dataflow.reductions.reassociation` says what may be regrouped. Both chains are read as bags
(`hecv.dataflow.reductions.reduction_bags`), their pieces are matched one-to-one
(`hecv.dataflow.reductions.bag_matching`), and the equality of matched pieces is left to the induction. It stays
well-founded: the pieces of a chain are smaller terms, or belong to earlier instances.

Poison: if a piece of the source is poison, so is its chain, and any target value will do. The links of the target must
    not add poison: they may have only those flags that the source's links have by licence, and run with
    poison-generating flags only where one of the source's links is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.term_instances import At, Place, Position
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.reductions.bag_matching import Match, Matcher
from hecv.dataflow.reductions.bag_nodes import Node, Nodes
from hecv.dataflow.reductions.bag_pieces import Pieces
from hecv.dataflow.reductions.cancellation import Cancelled, Cancelling
from hecv.dataflow.reductions.constant_terms import Literals
from hecv.dataflow.reductions.reassociation import (
    Chain,
    Piece,
    chains_of,
    families,
    is_unit,
    is_zero,
    lacks_flags,
    links_alone,
    may_link,
    needs_licence,
    signs_zero,
)
from hecv.dataflow.reductions.reduction_bags import Bag, Bags
from hecv.ops.fastmath_flags import FloatMode, regroups

Prove = Callable[[Position, Position, isl.Map], bool]
_Links = tuple[Sequence[Term], Sequence[Term]]
_Undone = tuple[tuple[Cancelled, ...], tuple[Cancelled, ...]]


class Regrouped(Struct, frozen=True):
    """Two chains are equal; `one_way`: the source's links have flags that the target's lack, or run where none of the
    target's does."""

    one_way: bool


class Grouping(Struct, frozen=True):
    """How two chains may be equal: what is a chain, by its operator and a number, the nodes of both, the pieces of
    either that cancel and those that belong together, by their numbers among those of the nodes."""

    family: str
    variant: int
    nodes: tuple[list[Node], list[Node]]
    cancelled: _Undone
    matches: tuple[tuple[int, int, Match], ...]


class Reductions:
    """Compares reductions of two programs."""

    def __init__(
        self,
        space: Isl,
        flows: tuple[Dataflow, Dataflow],
        proper: tuple[Proper, Proper],
        mode: FloatMode,
        to_the_bit: bool,
        pool: TermPool,
    ) -> None:
        """`to_the_bit` tells that an op shows which NaN a float is: no chain of floats is then regrouped."""
        self._mode: FloatMode = mode
        self._to_the_bit = to_the_bit
        self._flows = source, target = flows
        self._bags = Bags(space, source), Bags(space, target)
        sides = tuple(zip(flows, proper, strict=True))
        self._pieces = tuple(Pieces(space, flow, Literals(space, flow, pool, own, mode)) for flow, own in sides)
        self._cancelling = tuple(Cancelling(space, *side, mode) for side in sides)
        self._known: dict[tuple[int, Place, tuple[str, int, bool]], Bag | None] = {}
        self._matcher = Matcher(space, source, target)
        named = families().items()
        self._families = {op: f for op, f in named if not needs_licence(op) or self._is_licensed(f, source)}

    def concerns(self, source: Position, target: Position) -> bool:
        """Whether one of the two is a chain that may be regrouped, and both have one type."""
        return next(self._chains(source, target), None) is not None

    def attempt(self, source: Position, target: Position, relation: isl.Map, prove: Prove) -> Regrouped | None:
        """How the chains compare; None if they were not proved equal, or neither is read through memory."""
        if not (isinstance(source, At) and isinstance(target, At)):
            return None
        for _, _, chains, (first, second) in self._bagged(source, target):
            if not (first.through_memory or second.through_memory):
                continue
            if links_alone(second.run, first.run, relation.reverse(), self._mode):
                continue
            for deep in (False, True):
                pieces = self._without_units(first, second, relation, deep)
                if pieces is None:
                    continue
                matches, _ = self._matches((first.links, second.links), pieces, relation, not chains[0].idempotent)
                if matches is None or any((m.source.at, m.target.at) == (source, target) for m in matches):
                    continue
                if all(prove(m.source.at, m.target.at, m.pairs) for m in matches):
                    lacks = lacks_flags(first.links, second.links, self._mode)
                    alone = links_alone(first.run, second.run, relation, self._mode)
                    return Regrouped(lacks or alone)
        return None

    def groupings(self, source: At, target: At, relation: isl.Map) -> Iterator[Grouping]:
        """Every way in which the chains are equal, provided that matched pieces are."""
        found = ((deep, *bags) for bags in self._bagged(source, target) for deep in (False, True))
        for deep, family, variant, chains, (first, second) in found:
            if links_alone(second.run, first.run, relation.reverse(), self._mode):
                continue
            sides = zip(self._flows, self._pieces, chains, (first, second), (source, target), strict=True)
            links = first.links, second.links
            one, two = (Nodes(*side, (links[0] or links[1])[0].op, deep) for side in sides)
            matches, cancelled = self._matched(one.pieces, two.pieces, links, relation, chains[0])
            if matches is not None and all((m.source.at, m.target.at) != (source, target) for _, _, m in matches):
                yield Grouping(family, variant, (one.nodes, two.nodes), cancelled, matches)

    def _bagged(self, source: At, target: At) -> Iterator[tuple[str, int, tuple[Chain, Chain], tuple[Bag, Bag]]]:
        """What may be a chain in the source and in the target, with its operator and number, and their bags: first with
        what is subtracted as it is read, then with what that was made of."""
        for family, variant, left, right in self._numbered(source, target):
            for subtracted in (False, True):
                number = family, variant, subtracted
                first, second = self._bag(0, source, left, number), self._bag(1, target, right, number)
                if first is None or second is None or not (first.links or second.links):
                    break
                if not may_link(first.links, second.links, self._mode):
                    break
                yield family, variant, (left, right), (first, second)
                if not (first.withheld or second.withheld):
                    break

    def _bag(self, side: int, root: At, chain: Chain, number: tuple[str, int, bool]) -> Bag | None:
        """The bag of the chain at a root, by what is a chain: the same at whatever instances it is compared."""
        key = side, root.key(), number
        if key not in self._known:
            self._known[key] = self._bags[side].of(root, chain, number[2])
        return self._known[key]

    def _matched(
        self, source: list[Piece], target: list[Piece], links: _Links, relation: isl.Map, chain: Chain
    ) -> tuple[tuple[tuple[int, int, Match], ...] | None, _Undone]:
        """Pieces of two bags that belong together, with their numbers, None where there are none; and what cancels."""
        op = (links[0] or links[1])[0].op
        if signs_zero(op) and self._mode != "real" and not self._same_zeros(tuple(source), tuple(target), relation):
            return None, ((), ())
        kept = [
            [k for k, p in enumerate(side) if not (is_unit(op, p.at.term) or p.instances.is_empty())]
            for side in (source, target)
        ]
        ours, theirs = (tuple(side[k] for k in numbers) for side, numbers in zip((source, target), kept, strict=True))
        found, undone = self._matches(links, (ours, theirs), relation, not chain.idempotent)
        if found is None:
            return None, ((), ())
        first, second = (
            tuple(Cancelled(numbers[c.first], numbers[c.second], c.pairs) for c in side)
            for numbers, side in zip(kept, undone, strict=True)
        )
        return tuple((kept[0][m.numbers[0]], kept[1][m.numbers[1]], m) for m in found), (first, second)

    def _matches(
        self, links: _Links, pieces: tuple[tuple[Piece, ...], tuple[Piece, ...]], relation: isl.Map, once: bool
    ) -> tuple[list[Match] | None, _Undone]:
        """Pieces of two bags that belong together; where there are none, those of what is left when each bag is without
        what cancels in it, and what that is."""
        found, undone = self._matcher.matches(*pieces, relation, once), ((), ())
        if found is not None:
            return found, undone
        sides = zip(self._cancelling, pieces, links, strict=True)
        ours, theirs = (c.found(bag, linked[0].op) if linked else () for c, bag, linked in sides)
        if not (ours or theirs):
            return None, undone
        left, right = self._cancelling[0].without(pieces[0], ours), self._cancelling[1].without(pieces[1], theirs)
        return self._matcher.matches(left, right, relation, once), (ours, theirs)

    def occur(self) -> bool:
        """Whether either program stores the result of an operator that may be regrouped (on floats, by licence)."""
        return any(bags.stores(self._may_regroup) for bags in self._bags)

    def _may_regroup(self, term: Term) -> bool:
        if not any(term.op in family for family in self._families.values()):
            return False
        return not needs_licence(term.op) or regroups(term.attrs, self._mode)

    # Which operators are links

    def _is_licensed(self, family: frozenset[str], source: Dataflow) -> bool:
        """Whether the source has an operator of the family that may be regrouped; without one, no chain of its may."""
        values = tuple(s.value for s in source.program.statements if s.value is not None)
        return any(t.op in family and regroups(t.attrs, self._mode) for t in postorder(values))

    def _chains(self, source: Position, target: Position) -> Iterator[tuple[Chain, Chain]]:
        return ((left, right) for _, _, left, right in self._numbered(source, target))

    def _numbered(self, source: Position, target: Position) -> Iterator[tuple[str, int, Chain, Chain]]:
        """What may be a chain in the source and in the target, with the operator of its family and a number."""
        if not (isinstance(source, At) and isinstance(target, At)) or source.term.type != target.term.type:
            return
        roots = self._bags[0].roots(source) | self._bags[1].roots(target)
        for op, family in self._families.items():
            if family & roots:
                choices = chains_of(op, family, source.term, self._mode, self._to_the_bit)
                yield from ((op, variant, *choice) for variant, choice in enumerate(choices))

    # Units

    def _without_units(
        self, source: Bag, target: Bag, relation: isl.Map, deep: bool
    ) -> tuple[tuple[Piece, ...], tuple[Piece, ...]] | None:
        """Both bags without what changes nothing; None where one has a +0 that matters."""
        op = (source.links or target.links)[0].op
        # A +0 that a mask chooses counts like any other.
        bags = zip(self._pieces, (source, target), strict=True)
        first, second = (pieces.apart(bag.pieces, op, deep) for pieces, bag in bags)
        signed = signs_zero(op) and self._mode != "real"
        if signed and not self._same_zeros(first, second, relation):
            return None
        left, right = (tuple(p for p in pieces if not is_unit(op, p.at.term)) for pieces in (first, second))
        return left, right

    def _same_zeros(self, source: tuple[Piece, ...], target: tuple[Piece, ...], relation: isl.Map) -> bool:
        """Whether related roots either both have a +0 among their operands, or neither has one."""
        ours, theirs = (self._with_zero(pieces) for pieces in (source, target))
        if ours is None and theirs is None:
            return True
        domain, range_ = relation.domain(), relation.range()
        left = ours if ours is not None else domain.subtract(domain)
        right = theirs if theirs is not None else range_.subtract(range_)
        only = relation.intersect_domain(left).subtract_range(right)
        other = relation.intersect_range(right).subtract_domain(left)
        return bool(only.is_empty()) and bool(other.is_empty())

    def _with_zero(self, pieces: tuple[Piece, ...]) -> isl.Set | None:
        found: isl.Set | None = None
        for piece in pieces:
            if is_zero(piece.at.term, piece.negative):
                own = piece.instances.domain()
                found = own if found is None else found.union(own)
        return found
