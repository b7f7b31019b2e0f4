"""Copy propagation in the dataflow: where a value was computed, through copies and through selects that choose nothing.

If a branch replaces one lane of a vector, every other lane is `select(c, x[i], y[i])` whose two arms read a value from
the same place. The condition is never poison, so the select equals that value, and is poison exactly where the value
is.
"""

from __future__ import annotations

from typing import Final

import islpy as isl

from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.reaching_definitions import Origins
from hecv.dataflow.model.term_instances import At, Place, Position, is_undefined, reads
from hecv.dataflow.model.value_dataflow import Dataflow

DEEPEST: Final = 200
"""The most copies and selects that a value is traced through."""

Ways = list[tuple[Position, isl.Map]]
"""Where values were computed: positions, each with the map to its instances from those that have its values."""


class Made:
    """Where the values of one program were computed; one object a proof, so that answers are cached."""

    def __init__(self, origins: Origins, flow: Dataflow, proper: Proper) -> None:
        self._origins: Final = origins
        self._flow: Final = flow
        self._proper: Final = proper
        self._known: Final[dict[Place, Ways]] = {}
        self._open: Final[set[Place]] = set()

    def idle(self, position: Position, instances: isl.Set) -> Ways:
        """Where the value of a `select` was computed, for those of the instances at which both arms are one value;
        empty if there are none.

        Raises: islpy.Error.
        """
        if not _selects(position):
            return []
        own = self._of(position)
        found = ((place, way.intersect_domain(instances)) for place, way in own if place.key() != position.key())
        return [(place, way) for place, way in found if not way.is_empty()]

    def _of(self, position: Position) -> Ways:
        """Where the values of a position were computed, exactly one place for each instance."""
        key = position.key()
        if key not in self._known:
            if key in self._open or len(self._open) == DEEPEST:  # the place itself is where it was made
                return self._itself(position)
            self._open.add(key)
            self._known[key] = self._found(position)
            self._open.discard(key)
        return self._known[key]

    def _itself(self, position: Position) -> Ways:
        assert isinstance(position, At)
        return [(position, self._flow.domains[position.statement.name].identity())]

    def _found(self, position: Position) -> Ways:
        if reads(position):
            steps = self._origins.of(self._flow, position)
            return [found for origin, step in steps if step is not None for found in self._behind(origin, step)]
        assert isinstance(position, At)
        if not self._may_be_idle(position):
            return self._itself(position)
        first, second = (self._of(At(position.statement, arm)) for arm in position.term.args[1:])
        rest, found = self._flow.domains[position.statement.name], Ways()
        for place, way in first:
            for other, to_other in second:
                if place.key() == other.key() and not is_undefined(place):
                    same = way.intersect(to_other)
                    rest = rest.subtract(same.domain())
                    found.append((place, same))
        return [*found, (position, rest.identity())]

    def _behind(self, origin: Position, step: isl.Map) -> Ways:
        """Where the values were made that a step leads to."""
        if not (reads(origin) or _selects(origin)):
            return [(origin, step)]
        ways = ((place, step.apply_range(way)) for place, way in self._of(origin))
        return [(place, way) for place, way in ways if not way.is_empty()]

    def _may_be_idle(self, position: At) -> bool:
        """Whether a `select` may be one value: both arms are reads, and its condition is never poison."""
        if not _selects(position) or not all(arm.op == "load" for arm in position.term.args[1:]):
            return False
        return self._proper.term(position.statement, position.term.args[0])


def without_choice(
    source: Position, target: Position, relation: isl.Map, side: int, ways: Ways
) -> tuple[list[tuple[Position, Position, isl.Map]], isl.Map]:
    """The obligations left after the `select` on one `side` is replaced by its one value as `ways` say, and the rest of
    the relation, where it is a real choice."""
    parts: list[tuple[Position, Position, isl.Map]] = []
    for place, way in ways:
        if side == 0:
            parts.append((place, target, way.reverse().apply_range(relation)))
            relation = relation.subtract_domain(way.domain())
        else:
            parts.append((source, place, relation.apply_range(way)))
            relation = relation.subtract_range(way.domain())
    return parts, relation


def _selects(position: Position) -> bool:
    return isinstance(position, At) and position.term.op == "arith.select"
