"""Reassociation: which operators may be regrouped, and what chains of one associative and commutative operator satisfy.

Integer sums, products, conjunctions, disjunctions, exclusive ors and extrema have one value in any order and grouping;
so have `maximumf` and `minimumf`. A float sum or product has where that is licensed (`hecv.ops.fastmath_flags`): by the
mode, or by flags of the source's ops.

Zeros: an IEEE sum is -0 only if all summands are -0, in any order. So -0 may be dropped, and of +0 it only matters
whether there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import copysign, isfinite
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IntType
from hecv.dataflow.model.term_instances import At
from hecv.normal.memory.reduction_updates import HARMLESS
from hecv.ops.fastmath_flags import IMPLIED, POISONING, FloatMode, flags_of, regroups

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
"""Float operators that are associative only by a fast-math licence."""

SIGNED: Final = frozenset({"arith.addf", "arith.subf"})
"""Operators whose result depends on the sign of a zero, so that adding +0 may change it."""


class Chain(Struct, frozen=True):
    """The operators of one chain; the second operand of those in `subtracts` counts negated.

    `absorbs` tells which terms are links. `distributes`: negating a chain negates its operands. `idempotent`: an
    operand counts once however often it occurs.
    """

    absorbs: Callable[[Term], bool]
    subtracts: frozenset[str] = frozenset()
    distributes: bool = True
    idempotent: bool = False

    def links(self, term: Term, negative: bool) -> bool:
        """Whether a term, negated or not, is a link, so that its operands are operands of the chain."""
        return self.absorbs(term) and (self.distributes or not negative)


class Piece(Struct, frozen=True):
    """A summand of a chain: the term of `at`, negated or not, at the images of an instance of the root."""

    at: At
    negative: bool
    instances: isl.Map


def chains_of(family: frozenset[str], source: Term, mode: FloatMode, to_the_bit: bool) -> Iterator[tuple[Chain, Chain]]:
    """The possible chains of the family in source and target, for the comparison of `source`.

    `to_the_bit`: an op shows which NaN a float is, so no chain of floats is regrouped.
    """
    if not isinstance(source.type, IntType | FloatType) or (to_the_bit and isinstance(source.type, FloatType)):
        return
    if not family & LICENSED:
        chain = _chain(family, mode, lambda term: not flags_of(term.attrs) or isinstance(term.type, IntType))
        yield chain, chain
        return
    licensed = _chain(family, mode, lambda term: regroups(term.attrs, mode))
    if source.op in family and not licensed.absorbs(source):
        return
    yield licensed, licensed
    if mode == "strict":
        yield licensed, _chain(family, mode, lambda term: True)


def _chain(family: frozenset[str], mode: FloatMode, licensed: Callable[[Term], bool]) -> Chain:
    def absorbs(term: Term) -> bool:
        return term.op in family and licensed(term)

    # -(a + b) is -0 where (-a) + (-b) is +0: a = 1, b = -1.
    distributes = "arith.subf" not in family or mode == "real"
    return Chain(absorbs, family & SUBTRACTS, distributes, bool(family & IDEMPOTENT))


def operands(root: Term, chain: Chain, links: list[Term], negated: bool = False) -> Iterator[tuple[Term, bool]]:
    """The operands of a chain with their signs; the root alone if it is no link. The links are appended to `links`."""
    stack = [(root, negated)]
    while stack:
        term, negative = stack.pop()
        if not chain.links(term, negative):
            yield term, negative
            continue
        links.append(term)
        left, right = term.args
        stack += [(right, negative != (term.op in chain.subtracts)), (left, negative)]


def may_link(source: Sequence[Term], target: Sequence[Term], mode: FloatMode) -> bool:
    """Whether the target's links have only flags that all of the source's links have by licence."""
    if not target or isinstance(target[0].type, IntType):
        return not any(flags_of(term.attrs) for term in target)
    common = frozenset[str].intersection(*_flags(source)) if source else frozenset[str]()
    return all(flags <= common | IMPLIED[mode] for flags in _flags(target))


def lacks_flags(source: Sequence[Term], target: Sequence[Term], mode: FloatMode) -> bool:
    """Whether the source's links have flags that the target's may lack."""
    ours, theirs = ({f - IMPLIED[mode] for f in _flags(links)} for links in (source, target))
    return any(ours) and ours != theirs


class Run(Struct, frozen=True):
    """The links of a bag, the roots for which at least one of them is run, and the roots with a finite literal among
    their operands; by node and by piece."""

    links: Sequence[Term]
    linked: Sequence[isl.Set]
    numbers: Sequence[isl.Set]


def numbers_of(pieces: Sequence[Piece]) -> tuple[isl.Set, ...]:
    """The roots with a finite literal among their operands, by piece."""
    literals = ((literal(p.at.term), p) for p in pieces)
    return tuple(p.instances.domain() for value, p in literals if value is not None and isfinite(value))


def links_alone(own: Run, other: Run, relation: isl.Map, mode: FloatMode) -> bool:
    """Whether links of one bag with flags (beyond those that only license another order) run at a root while no link of
    the other bag runs at the related root. `relation` leads from the roots of the one to those of the other.

    If both run links, a NaN among the operands makes both poison under `nnan`. Failing case: the sum of a single
    operand, in a loop that does not run, is `x` itself: it is not poison where `x + -0.0` is, and no zero of either
    sign under `nsz`. A literal that is a finite number makes no poison.
    """
    flags = frozenset[str]().union(*_flags(own.links)) - HARMLESS - IMPLIED[mode]
    if not flags:
        return False
    found = relation.intersect_domain(_union(own.linked, relation.domain()))
    for part in (*other.linked, *(other.numbers if flags <= POISONING else ())):
        found = found.subtract_range(part)
    return not found.is_empty()


def _union(parts: Sequence[isl.Set], like: isl.Set) -> isl.Set:
    found = like.subtract(like)
    for part in parts:
        found = found.union(part)
    return found


def _flags(links: Sequence[Term]) -> frozenset[frozenset[str]]:
    """The flags of the links of a chain, as the sets that occur."""
    return frozenset(flags_of(term.attrs) for term in links)


def is_unit(op: str, term: Term) -> bool:
    """Whether a literal is neutral in a chain of the operator."""
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


def is_zero(term: Term, negative: bool) -> bool:
    """Whether a literal, negated if `negative`, is +0."""
    value = literal(term)
    return value == 0 and (copysign(1.0, float(value)) == 1.0) != negative
