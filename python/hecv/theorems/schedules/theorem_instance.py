"""An instance of a loop theorem at one place in a program: two blocks that are equal if its obligations hold.

Equal means: as functions of the free variables (enclosing induction variables, arguments, extents) and of the memory,
for all values that the `Surroundings` allow; undefined on the same inputs, and with accesses to the same elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from hecv.base.term import Term
from hecv.program.tree import Block, Loop
from hecv.theorems.schedules.schedule_tree import Part, Schedule

INDEX_WIDTH: Final = 64
"""Theorems take `index` to have so many bits."""


class Branch(Struct, frozen=True):
    """A branch that the place stands in: `condition` is `holds` there."""

    condition: Term
    holds: bool


class Surroundings(Struct, frozen=True):
    """Where a block stands: how many loops enclose it, and which of these (and of the branches) may be relied on.

    `known` is empty for an equality of blocks by themselves. Otherwise the equality is one of the outermost statement
    among `known`, with the block inside it.
    """

    depth: int
    known: tuple[Loop | Branch, ...] = ()
    assumptions: tuple[Term, ...] = ()


class Obligation(Struct, frozen=True):
    """A condition that has to be shown; `holds` answers no where it cannot be shown."""

    name: str
    holds: Callable[[], bool]


class Scheduled(Struct, frozen=True):
    """The law of schedules for these two, over the same parts; `reorders` as in
    `hecv.theorems.schedules.schedule_equality`."""

    parts: tuple[Part, ...]
    before: tuple[Schedule, ...]
    after: tuple[Schedule, ...]
    reorders: bool


class Applied(Struct, frozen=True):
    """Another theorem for a block, of which the statement `at` a place matters, or a term (`by`)."""

    theorem: str
    block: Block
    at: int = 0
    by: Term | None = None


class Instance(Struct, frozen=True):
    """A theorem at one place: `before` equals `after` where every obligation holds. `of` is what is stated, from which
    `hecv.theorems.transforms.theorem_reconstruction` makes the same again."""

    name: str
    before: Block
    after: Block
    obligations: tuple[Obligation, ...]
    of: Scheduled | Applied

    def broken(self, without: Sequence[str] = ()) -> str | None:
        """The first obligation that does not hold, None where all do; those in `without` are not looked at."""
        return next((o.name for o in self.obligations if o.name not in without and not o.holds()), None)
