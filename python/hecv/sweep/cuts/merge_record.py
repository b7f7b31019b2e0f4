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
    """A shape that proved two values equal; `leaves` are the terms of its leaves, by row."""

    shape: Shape
    leaves: Mapping[int, Term]


class Record(Struct):
    """The steps of a sweep.

    `flagged`: operators over the representatives of their operands whose flags make no poison, with the depth to which
    operands are expanded to prove it.
    """

    steps: list[Merge | Term] = field(default_factory=list[Merge | Term])
    flagged: list[tuple[Term, int]] = field(default_factory=list[tuple[Term, int]])

    def merged(self, shape: Shape, leaves: Mapping[int, Term]) -> None:
        """Records that both sides of a shape are equal for these leaves."""
        self.steps.append(Merge(shape, leaves))

    def folded(self, term: Term) -> None:
        """Records that a term whose operands are literals is a literal."""
        self.steps.append(term)

    def chosen(self, kind: Kind, args: Sequence[Term], kinds: Kinds) -> None:
        """Records that a select by a literal is one of its arms."""
        rows = [(LITERAL, kinds.type_number(args[0].type), literal(args[0]))]
        rows += [(LEAF, kinds.type_number(a.type)) for a in args[1:]]
        rows += [(kind.number, 0, 1, 2), (1 if literal(args[0]) else 2, 3)]
        self.merged(tuple(rows), {1: args[1], 2: args[2]})

    def proper(self, term: Term, depth: int) -> None:
        """Records that an operator makes no poison, if its operands are expanded to `depth`."""
        self.flagged.append((term, depth))
