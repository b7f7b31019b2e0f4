"""The record of a sweep, for its certificate: the shapes that were used, with what stood for their leaves.

Nothing here is trusted. Whatever is missing or wrong makes the certificate fail (`hecv.kernel`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from hecv.base.term import Term, literal
from hecv.sweep.cuts.leaf_cuts import LEAF, LITERAL, Shape
from hecv.sweep.cuts.operator_kinds import Kind, Kinds


class Merge(Struct, frozen=True):
    """A shape that made two values equal; `leaves` are by row, among others."""

    shape: Shape
    leaves: Mapping[int, Term]


class Record(Struct):
    """The steps of a sweep: `flagged` are operators over what took the places of their operands, which make no
    poison, and how far their operands are opened to show that."""

    steps: list[Merge | Term] = field(default_factory=list[Merge | Term])
    flagged: list[tuple[Term, int]] = field(default_factory=list[tuple[Term, int]])

    def merged(self, shape: Shape, leaves: Mapping[int, Term]) -> None:
        """Both sides of a shape are equal for these leaves."""
        self.steps.append(Merge(shape, leaves))

    def folded(self, term: Term) -> None:
        """A term whose operands are literals is a literal."""
        self.steps.append(term)

    def chosen(self, kind: Kind, args: Sequence[Term], kinds: Kinds) -> None:
        """A choice by a literal is one of its branches."""
        rows = [(LITERAL, kinds.type_number(args[0].type), literal(args[0]))]
        rows += [(LEAF, kinds.type_number(a.type)) for a in args[1:]]
        rows += [(kind.number, 0, 1, 2), (1 if literal(args[0]) else 2, 3)]
        self.merged(tuple(rows), {1: args[1], 2: args[2]})

    def proper(self, term: Term, depth: int) -> None:
        """An operator makes no poison, whose operands are opened so far."""
        self.flagged.append((term, depth))
