"""Equality of two chains of one associative and commutative operator: of loops that sum up in another order.

Integer sums, products, conjunctions, disjunctions, exclusive ors and extrema are the same in any order and grouping;
so are `maximumf` and `minimumf`. A float sum or product is where that is licensed (`hecv.dialects.licences`): by the
mode, or by flags of the source's ops. Both chains are read as bags (`hecv.poly.bags`), their pieces are matched
one-to-one (`hecv.poly.matching`), and that matched pieces are equal is left to the induction. It stays well-founded:
the pieces of a chain are smaller terms, or belong to earlier instances.

Where a piece of the source is poison, so is its chain, and any target will do. The links of the target must not make
poison of their own: they may have only those flags that the source's links have by licence.

Zeros: a sum in IEEE arithmetic is -0 only where all that is summed is -0, in any order. So -0 may be dropped, and of
+0 it only matters whether there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import copysign
from typing import Final

import islpy as isl

from hecv.base.term import Term, literal, postorder
from hecv.base.types import FloatType, IntType
from hecv.dialects.licences import IMPLIED, FloatMode, flags_of, regroups
from hecv.poly.bags import Bag, Bags, Chain, Piece
from hecv.poly.dataflow import Dataflow, Isl
from hecv.poly.matching import Matcher
from hecv.poly.pieces import Pieces
from hecv.poly.positions import At, Position

FAMILIES: Final = (
    frozenset({"arith.addi", "arith.subi"}),
    frozenset({"arith.muli"}),
    frozenset({"arith.andi"}),
    frozenset({"arith.ori"}),
    frozenset({"arith.xori"}),
    *(frozenset({f"arith.{name}"}) for name in ("minsi", "maxsi", "minui", "maxui", "maximumf", "minimumf")),
    frozenset({"arith.addf", "arith.subf"}),
    frozenset({"arith.mulf"}),
)
SUBTRACTS: Final = frozenset({"arith.subi", "arith.subf"})
IDEMPOTENT: Final = frozenset(
    f"arith.{name}" for name in ("andi", "ori", "minsi", "maxsi", "minui", "maxui", "maximumf", "minimumf")
)
LICENSED: Final = frozenset({"arith.addf", "arith.subf", "arith.mulf"})
"""Float operators that are associative by licence only."""

Prove = Callable[[Position, Position, isl.Map], bool]


@dataclass(frozen=True, slots=True)
class Regrouped:
    """Two chains are equal; `one_way` tells that the source's links have flags that the target's lack."""

    one_way: bool


class Reductions:
    """Compares chains of two programs."""

    def __init__(self, space: Isl, source: Dataflow, target: Dataflow, mode: FloatMode, to_the_bit: bool) -> None:
        """`to_the_bit` tells that an op shows which NaN a float is: no chain of floats is then regrouped."""
        self._mode: FloatMode = mode
        self._to_the_bit = to_the_bit
        self._bags = Bags(space, source), Bags(space, target)
        self._pieces = Pieces(space, source), Pieces(space, target)
        self._matcher = Matcher(space, source, target)
        self._families = [f for f in FAMILIES if not f & LICENSED or self._is_licensed(f, source)]

    def concerns(self, source: Position, target: Position) -> bool:
        """Whether one of the two is a chain that may be regrouped, of a type that both have."""
        return next(self._chains(source, target), None) is not None

    def attempt(self, source: Position, target: Position, relation: isl.Map, prove: Prove) -> Regrouped | None:
        """How the chains compare; None where they were not shown equal, or neither is read through memory."""
        if not (isinstance(source, At) and isinstance(target, At)):
            return None
        for left, right in self._chains(source, target):
            first, second = self._bags[0].of(source, left), self._bags[1].of(target, right)
            if first is None or second is None or not (first.through_memory or second.through_memory):
                continue
            if not (first.links or second.links) or not self._may_link(first, second):
                continue
            pieces = self._without_units(first, second, relation)
            if pieces is None:
                continue
            matches = self._matcher.matches(*pieces, relation, not left.idempotent)
            if matches is None or any((m.source.at, m.target.at) == (source, target) for m in matches):
                continue
            if all(prove(m.source.at, m.target.at, m.pairs) for m in matches):
                ours, theirs = ({f - IMPLIED[self._mode] for f in _flags(bag)} for bag in (first, second))
                return Regrouped(any(ours) and ours != theirs)
        return None

    def occur(self) -> bool:
        """Whether either program stores what an operator made that may be regrouped, one on floats by licence."""
        return any(bags.stores(self._may_regroup) for bags in self._bags)

    def _may_regroup(self, term: Term) -> bool:
        if not any(term.op in family for family in self._families):
            return False
        return term.op not in LICENSED or regroups(term.attrs, self._mode)

    # Which operators are links

    def _is_licensed(self, family: frozenset[str], source: Dataflow) -> bool:
        """Whether the source has an operator of the family that may be regrouped; without one, no chain of its may."""
        values = tuple(s.value for s in source.program.statements if s.value is not None)
        return any(t.op in family and regroups(t.attrs, self._mode) for t in postorder(values))

    def _chains(self, source: Position, target: Position) -> Iterator[tuple[Chain, Chain]]:
        if not (isinstance(source, At) and isinstance(target, At)) or source.term.type != target.term.type:
            return
        roots = self._bags[0].roots(source) | self._bags[1].roots(target)
        if not isinstance(source.term.type, IntType | FloatType):
            return
        for family in self._families:
            if family & roots:
                yield from self._of_family(family, source)

    def _of_family(self, family: frozenset[str], source: At) -> Iterator[tuple[Chain, Chain]]:
        if self._to_the_bit and isinstance(source.term.type, FloatType):
            return
        if not family & LICENSED:
            chain = self._chain(family, lambda term: not flags_of(term.attrs) or isinstance(term.type, IntType))
            yield chain, chain
            return
        licensed = self._chain(family, lambda term: regroups(term.attrs, self._mode))
        if source.term.op in family and not licensed.absorbs(source.term):
            return
        yield licensed, licensed
        if self._mode == "strict":
            yield licensed, self._chain(family, lambda term: True)

    def _chain(self, family: frozenset[str], licensed: Callable[[Term], bool]) -> Chain:
        def absorbs(term: Term) -> bool:
            return term.op in family and licensed(term)

        # -(a + b) is -0 where (-a) + (-b) is +0: a = 1, b = -1.
        distributes = "arith.subf" not in family or self._mode == "real"
        return Chain(absorbs, family & SUBTRACTS, distributes, bool(family & IDEMPOTENT))

    def _may_link(self, source: Bag, target: Bag) -> bool:
        """Whether the target's links have only flags that all of the source's have by licence, and no other."""
        if not target.links or isinstance(target.links[0].type, IntType):
            return not any(flags_of(term.attrs) for term in target.links)
        common = frozenset[str].intersection(*_flags(source)) if source.links else frozenset[str]()
        return all(flags <= common | IMPLIED[self._mode] for flags in _flags(target))

    # Units

    def _without_units(
        self, source: Bag, target: Bag, relation: isl.Map
    ) -> tuple[tuple[Piece, ...], tuple[Piece, ...]] | None:
        """Both bags without what changes nothing; None where one has a +0 that matters."""
        op = (source.links or target.links)[0].op
        # A +0 that a mask chooses counts like any other.
        first, second = (p.apart(bag.pieces) for p, bag in zip(self._pieces, (source, target), strict=True))
        signed = op in ("arith.addf", "arith.subf") and self._mode != "real"
        if signed and not self._same_zeros(first, second, relation):
            return None
        left, right = (
            tuple(p for p in pieces if not self._is_unit(op, p.at.term, p.negative)) for pieces in (first, second)
        )
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
            if _is_zero(piece.at.term, 1.0, piece.negative):
                own = piece.instances.domain()
                found = own if found is None else found.union(own)
        return found

    def _is_unit(self, op: str, term: Term, negative: bool) -> bool:
        value = literal(term)
        if value is None:
            return False
        match op:
            case "arith.addi" | "arith.subi" | "arith.ori" | "arith.xori" | "arith.maxui":
                return value == 0
            case "arith.muli":
                return value == 1
            case "arith.mulf":
                return value == 1.0
            case "arith.andi" | "arith.minui" if isinstance(term.type, IntType):
                return value == (1 << term.type.width) - 1
            case "arith.minsi" if isinstance(term.type, IntType):
                return value == (1 << (term.type.width - 1)) - 1
            case "arith.maxsi" if isinstance(term.type, IntType):
                return value == 1 << (term.type.width - 1)
            case "arith.addf" | "arith.subf":
                return value == 0
            case "arith.maximumf":
                return value == float("-inf")
            case "arith.minimumf":
                return value == float("inf")
            case _:
                return False


def _is_zero(term: Term, sign: float, negative: bool) -> bool:
    """Whether a literal, negated or not, is the zero of that sign."""
    value = literal(term)
    return value == 0 and (copysign(1.0, float(value)) == sign) != negative


def _flags(bag: Bag) -> frozenset[frozenset[str]]:
    """The flags of the links of a chain, as the sets that occur."""
    return frozenset(flags_of(term.attrs) for term in bag.links)
