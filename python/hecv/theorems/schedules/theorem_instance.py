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
"""The width of `index` in bits for which the theorems hold."""


class Branch(Struct, frozen=True):
    """A branch around the place: its `condition` equals `holds` there."""

    condition: Term
    holds: bool


class Surroundings(Struct, frozen=True):
    """The place of a block: how many loops enclose it, and which of these (and of the branches) may be relied on.

    If `known` is empty, the equality is one of blocks by themselves. Otherwise it is one of the outermost statement in
    `known`, with the block inside it.
    """

    depth: int
    known: tuple[Loop | Branch, ...] = ()
    assumptions: tuple[Term, ...] = ()


class Obligation(Struct, frozen=True):
    """A proof obligation; `holds` is False also if it cannot be decided."""

    name: str
    holds: Callable[[], bool]


class Scheduled(Struct, frozen=True):
    """The schedule law for two schedules over the same parts; `reorders` as in
    `hecv.theorems.schedules.schedule_equality`."""

    parts: tuple[Part, ...]
    before: tuple[Schedule, ...]
    after: tuple[Schedule, ...]
    reorders: bool


class Applied(Struct, frozen=True):
    """Another theorem applied to a block; `at` is the place of the statement it is about, `by` a term, if it needs
    these."""

    theorem: str
    block: Block
    at: int = 0
    by: Term | None = None


class Instance(Struct, frozen=True):
    """A theorem at one place: `before` equals `after` if every obligation holds.

    `of` is what is stated, from which `hecv.theorems.transforms.theorem_reconstruction` makes the same instance again.
    """

    name: str
    before: Block
    after: Block
    obligations: tuple[Obligation, ...]
    of: Scheduled | Applied

    def broken(self, without: Sequence[str] = ()) -> str | None:
        """The first obligation that does not hold, None if all do; those in `without` are skipped."""
        return next((o.name for o in self.obligations if o.name not in without and not o.holds()), None)
