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

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IntType
from hecv.dataflow.model.term_instances import At
from hecv.normal.memory.reduction_updates import HARMLESS
from hecv.ops import OPERATORS, facts_about
from hecv.ops.fastmath_flags import IMPLIED, POISONING, FloatMode, flags_of, regroups


def families() -> dict[str, frozenset[str]]:
    """The operators that are links of one kind of chain, by the associative and commutative operator among them."""
    found: dict[str, set[str]] = {}
    for op, operator in OPERATORS.items():
        family = operator.facts.family(op)
        if family is not None and operator.strict:
            found.setdefault(family, set()).add(op)
    return {family: frozenset(links) for family, links in found.items()}


def needs_licence(op: str) -> bool:
    """Whether a float operator is a link of chains by licence only."""
    family = facts_about(op).family(op)
    return family is not None and facts_about(family).regroups


def signs_zero(op: str) -> bool:
    """Whether an operator is a link of float sums: the sign of a zero depends on it, so +0 may change one."""
    neutral = facts_about(op).neutral
    return needs_licence(op) and neutral == 0


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


def chains_of(
    name: str, family: frozenset[str], source: Term, mode: FloatMode, to_the_bit: bool
) -> Iterator[tuple[Chain, Chain]]:
    """What may be a chain of the family in the source and in the target, where `source` is compared; `name` is the
    associative operator of the family.

    `to_the_bit`: an op shows which NaN a float is, so no chain of floats is regrouped.
    """
    if not isinstance(source.type, IntType | FloatType) or (to_the_bit and isinstance(source.type, FloatType)):
        return
    if not needs_licence(name):
        chain = _chain(name, family, mode, lambda term: not flags_of(term.attrs) or isinstance(term.type, IntType))
        yield chain, chain
        return
    licensed = _chain(name, family, mode, lambda term: regroups(term.attrs, mode))
    if source.op in family and not licensed.absorbs(source):
        return
    yield licensed, licensed
    if mode == "strict":
        yield licensed, _chain(name, family, mode, lambda term: True)


def _chain(name: str, family: frozenset[str], mode: FloatMode, licensed: Callable[[Term], bool]) -> Chain:
    def absorbs(term: Term) -> bool:
        return term.op in family and licensed(term)

    # -(a + b) is -0 where (-a) + (-b) is +0: a = 1, b = -1.
    distributes = not signs_zero(name) or mode == "real"
    subtracts = frozenset(op for op in family if facts_about(op).subtracts)
    return Chain(absorbs, subtracts, distributes, facts_about(name).idempotent)


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
    return value is not None and value == facts_about(op).neutral_in(term.type)


def is_zero(term: Term, negative: bool) -> bool:
    """Whether a literal, negated if `negative`, is +0."""
    value = literal(term)
    return value == 0 and (copysign(1.0, float(value)) == 1.0) != negative
