"""Cancellation in a bag: a value that is added and subtracted again.

A running sum takes one element in and lets another go, `s += a[i + 7] - a[i - 1]`. It holds all that was added without
all that was subtracted; what is in both is in neither. `x - x` is 0 over integers and real numbers, and so is `x ^ x`.
So both may be left out if `x` is never poison, and is a number: `1 / y - 1 / y` has no value at 0. For one root, no
instance is in two pairs.

Two terms of one program have one value by its dataflow: operators are functions, and two reads have one value if one
instance wrote what both read, or if both read the initial value of one element.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, name_of
from hecv.base.types import FloatType, IntType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.real_valued import Numbers
from hecv.dataflow.model.term_instances import At, is_index
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, access_text
from hecv.dataflow.reductions.bag_keys import ends, one_to_one
from hecv.dataflow.reductions.reassociation import Piece
from hecv.ops import OPERATORS, facts_about
from hecv.ops.fastmath_flags import FloatMode

DEEPEST_COPY: Final = 6

Origins = dict[str, isl.Map]
"""The origins of a read's value, by the name of the statement that wrote it or of the array whose initial value it is.
"""


class Cancelled(Struct, frozen=True):
    """Two pieces, or one twice, by their numbers, and the pairs of their instances that cancel, for each root."""

    first: int
    second: int
    pairs: isl.Map

    def once(self) -> bool:
        """Whether for each root, no instance is in two pairs."""
        first, second = ends(self.pairs)
        return one_to_one(self.pairs) and (self.first != self.second or bool(first.is_disjoint(second)))


class Cancelling:
    """Finds, and proves, cancellation in bags of one program."""

    def __init__(self, space: Isl, flow: Dataflow, proper: Proper, mode: FloatMode) -> None:
        self._space = space
        self._flow = flow
        self._proper = proper
        self._mode = mode
        self._numbers = Numbers(flow)
        self._same: dict[tuple[tuple[str, int], tuple[str, int]], isl.Map | None] = {}
        self._origins: dict[tuple[str, int], Origins] = {}

    def found(self, pieces: Sequence[Piece], op: str) -> tuple[Cancelled, ...]:
        """The pieces that cancel in a bag of an operator, as far as they do so one-to-one."""
        rest, found = tuple(pieces), list[Cancelled]()
        for k, n in combinations_with_replacement(range(len(rest)), 2):
            pairs = self.pairs(rest[k], rest[n], op)
            if pairs is None or pairs.is_empty():
                continue
            cancelled = Cancelled(k, n, self._space.coalesced(pairs))
            if cancelled.once():
                found.append(cancelled)
                rest = self.without(rest, [cancelled])
        return tuple(found)

    def without(self, pieces: Sequence[Piece], cancelled: Sequence[Cancelled]) -> tuple[Piece, ...]:
        """The bag without the pieces that cancel."""
        rest = list(pieces)
        for c in cancelled:
            for number, end in zip((c.first, c.second), ends(c.pairs), strict=True):
                piece = rest[number]
                left = self._space.coalesced(piece.instances.subtract(end))
                rest[number] = Piece(piece.at, piece.negative, left)
        return tuple(rest)

    def pairs(self, first: Piece, second: Piece, op: str) -> isl.Map | None:
        """For each root, the pairs of instances of two pieces of which one is the inverse of the other; None if there
        are none."""
        if not self._may_cancel(first, second, op):
            return None
        if not all(self._has_value(p.at) for p in (first, second)):
            return None
        same = self._equal(first.at, second.at)
        if same is not None and first is second:
            same = same.intersect(isl.Map.lex_lt(same.get_space().domain()))
        return None if same is None else first.instances.range_product(second.instances).intersect_range(same.wrap())

    def _may_cancel(self, first: Piece, second: Piece, op: str) -> bool:
        kind = first.at.term.type
        if kind != second.at.term.type or not (isinstance(kind, IntType) or self._mode == "real"):
            return False
        undone_by = facts_about(op).undone_by
        return bool(undone_by) and (undone_by == op or first.negative != second.negative)

    def _has_value(self, at: At) -> bool:
        """Whether a term always has a value of its type."""
        if isinstance(at.term.type, FloatType) and not self._numbers.term(at.statement, at.term):
            return False
        return self._proper.term(at.statement, at.term)

    # Equal terms

    def _equal(self, first: At, second: At) -> isl.Map | None:
        """Pairs of instances at which two terms have one value; None where none are known."""
        key = first.key(), second.key()
        if key not in self._same:
            self._same[key] = self._compared(first, second)
        return self._same[key]

    def _compared(self, first: At, second: At) -> isl.Map | None:
        one, two = first.term, second.term
        if one.type != two.type:
            return None
        if one.op == "load" and two.op == "load":
            return self._same_origin(first, second)
        if is_index(one) and is_index(two) and (one.args or one.op == "iv"):
            return self._same_index(first, second)
        if one is two and one.op in ("const", "arg", "dim"):
            return isl.Map.from_domain_and_range(*(self._flow.domains[at.statement.name] for at in (first, second)))
        if one.op not in OPERATORS or (one.op, name_of(one), one.attrs) != (two.op, name_of(two), two.attrs):
            return None
        return self._same_operands(first, second) if one.args and len(one.args) == len(two.args) else None

    def _same_operands(self, first: At, second: At) -> isl.Map | None:
        found: isl.Map | None = None
        for left, right in zip(first.term.args, second.term.args, strict=True):
            same = self._equal(At(first.statement, left), At(second.statement, right))
            if same is None:
                return None
            found = same if found is None else found.intersect(same)
        return found

    def _same_index(self, first: At, second: At) -> isl.Map | None:
        try:
            one, two = (self._image(at, at.statement.translator.index(at.term).text) for at in (first, second))
        except NotAffine:
            return None
        return one.apply_range(two.reverse())

    def _image(self, at: At, text: str) -> isl.Map:
        found = self._space.map(f"{{ {at.statement.tuple_text()} -> [{text}] }}")
        return found.intersect_domain(self._flow.domains[at.statement.name])

    def _same_origin(self, first: At, second: At) -> isl.Map | None:
        ours, theirs = (self._origins_of(at, DEEPEST_COPY) for at in (first, second))
        found: isl.Map | None = None
        for name in ours.keys() & theirs.keys():
            same = ours[name].apply_range(theirs[name].reverse())
            found = same if found is None else found.union(same)
        return found

    def _origins_of(self, at: At, depth: int) -> Origins:
        """Where the value of a read is from, at the instances at which that is known: through copies."""
        if at.key() not in self._origins:
            found = Origins()
            for name, origin in self._steps(at, depth):
                found[name] = origin if name not in found else found[name].union(origin)
            self._origins[at.key()] = found
        return self._origins[at.key()]

    def _steps(self, at: At, depth: int) -> list[tuple[str, isl.Map]]:
        statement, load = at.statement, at.term
        producers = self._flow.producers[statement.name, load]
        if producers.unsettled is not None:
            return []
        found: list[tuple[str, isl.Map]] = []
        if producers.initial is not None:
            access = statement.reads[load]
            text = access_text(statement.tuple_text(), access, statement.domain_text())
            found.append((access.array, self._space.map(f"{{ {text} }}").intersect_domain(producers.initial)))
        for writer, step in producers.writes:
            value: Term | None = writer.value
            if value is not None and value.op == "load" and depth:
                onward = self._origins_of(At(writer, value), depth - 1)
                found += [(name, step.apply_range(origin)) for name, origin in onward.items()]
            else:
                found.append((writer.name, step))
        return found
