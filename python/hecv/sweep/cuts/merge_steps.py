"""Merge steps that can be replayed: a proved shape, and terms that have the values of its rows.

A step is checked against what is proved where it is applied (`Places.shows`); the only thing taken from it is that the
shape was proved. So another process may find it, from guesses of what this one will have proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from hecv.base.term import Term, TermPool, literal
from hecv.base.value import Scalar
from hecv.sweep.cuts.leaf_cuts import Shape
from hecv.sweep.cuts.operator_kinds import Kinds


class Step(Struct, frozen=True):
    """A shape with a term for each of its rows; both ends are equal if each term has the value of its row."""

    shape: Shape
    stands: tuple[Term, ...]

    @staticmethod
    def of(shape: Shape, places: Mapping[int, Term]) -> Step:
        """The step of a shape whose rows have these terms."""
        return Step(shape, tuple([places[row] for row in range(len(shape) - 1)]))

    def ends(self) -> tuple[Term, Term]:
        """The two terms that the step proves equal, the term in question last."""
        first, last = self.shape[-1]
        return self.stands[first], self.stands[last]


Packed = tuple[int, int, tuple[int | tuple[int, Scalar], ...]]
"""A step in a message: the term it is about, the number of its shape, and the terms; a new literal by type and value.
"""


class Journal(Struct):
    """The steps of a sweep, by the number of the term that they are about."""

    steps: list[tuple[int, Step]] = field(default_factory=list[tuple[int, Step]])

    def packed(self, size: int, kinds: Kinds) -> tuple[list[Shape], list[Packed]]:
        """Shapes and steps for a message; the receiver knows terms with an `id` below `size`."""
        shapes: dict[Shape, int] = {}
        found: list[Packed] = []
        for at, step in self.steps:
            stands = [_packed(t, size, kinds) for t in step.stands]
            if None not in stands:
                number = shapes.setdefault(step.shape, len(shapes))
                found.append((at, number, tuple([s for s in stands if s is not None])))
        return list(shapes), found


def _packed(term: Term, size: int, kinds: Kinds) -> int | tuple[int, Scalar] | None:
    """A term as it is sent; None for one that is not known there."""
    if term.id < size:
        return term.id
    value = literal(term)
    return None if value is None else (kinds.type_number(term.type), value)


def unpacked(pool: TermPool, kinds: Kinds, shapes: Sequence[Shape], packed: Sequence[Packed]) -> dict[int, list[Step]]:
    """The steps of a message, by the number of the term that they are about."""
    terms = pool.terms()
    found: dict[int, list[Step]] = {}
    for at, number, stands in packed:
        made = [
            terms[s] if isinstance(s, int) else pool.make("const", (), kinds.type(s[0]), (("value", s[1]),))  # type: ignore[arg-type]
            for s in stands
        ]
        found.setdefault(at, []).append(Step(shapes[number], tuple(made)))
    return found
