"""The hypotheses of an induction: obligations that are proved or being proved, with an undo log."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from hecv.dataflow.model.term_instances import Place

Key = tuple[Place, Place]


class Table:
    """Obligations with the relations on which they hold, the latest relation of each, and the instances at which
    operators are known to be defined.

    `one_way`: something was used that proves refinement in one direction only.
    """

    def __init__(self) -> None:
        self._obligations: dict[Key, isl.Map] = {}
        self._latest: dict[Key, isl.Map] = {}
        self._covered: dict[Place, isl.Set] = {}
        self._log: list[tuple[str, object, object]] = []
        self.one_way = False

    @property
    def obligations(self) -> Mapping[Key, isl.Map]:
        return self._obligations

    def mark(self) -> int:
        """A savepoint for `undo`."""
        return len(self._log)

    def undo(self, mark: int) -> None:
        """Restores the table to the savepoint `mark`."""
        while len(self._log) > mark:
            kind, key, old = self._log.pop()
            if kind == "one way":
                self.one_way = False
                continue
            table = {"obligations": self._obligations, "latest": self._latest, "covered": self._covered}[kind]
            if old is None:
                del table[key]  # type: ignore[arg-type]
            else:
                table[key] = old  # type: ignore[index]

    def put(self, key: Key, relation: isl.Map) -> None:
        """Records as a hypothesis that an obligation holds on `relation`."""
        self._log.append(("obligations", key, self._obligations.get(key)))
        self._obligations[key] = relation

    def replace_latest(self, key: Key, relation: isl.Map) -> isl.Map | None:
        """Replaces the latest relation of an obligation; returns the one before, None at first."""
        latest = self._latest.get(key)
        self._log.append(("latest", key, latest))
        self._latest[key] = relation
        return latest

    def covered(self, place: Place) -> isl.Set | None:
        """The instances at which an operator is known to be defined wherever the other side is."""
        return self._covered.get(place)

    def cover(self, place: Place, instances: isl.Set) -> None:
        """Records that the other side evaluates this operator on the same operands at these instances."""
        known = self._covered.get(place)
        self._log.append(("covered", place, known))
        self._covered[place] = instances if known is None else known.union(instances)

    def note_one_way(self) -> None:
        if not self.one_way:
            self._log.append(("one way", None, None))
            self.one_way = True
