"""Case split of an obligation by producer: which statement wrote what the terms read, for lanes with different
constants.

With `c` and `d` from literals, `x[i] * c[i]` and `x[i] << d[i]` are a different equation in each lane.
"""

from __future__ import annotations

from typing import Final

import islpy as isl

from hecv.base.term import Term, literal, postorder
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Position
from hecv.dataflow.model.value_dataflow import Dataflow, Isl

MOST_PARTS: Final = 64
"""The most producers of a read that is split."""


def by_literal(
    space: Isl, flows: tuple[Dataflow, Dataflow], source: Position, target: Position, relation: isl.Map
) -> list[isl.Map]:
    """A partition of the relation in which, on each part, one read of a term has a single producer; empty if no term
    has a read with several producers that all write literals.

    Raises: islpy.Error.
    """
    for side, position in enumerate((source, target)):
        if not isinstance(position, At):
            continue
        own = relation.domain() if side == 0 else relation.range()
        for load in postorder((position.term,)):
            found = _written(flows[side], position.statement, load, own) if load.op == "load" else []
            if 1 < len(found) <= MOST_PARTS:
                cut = (relation.intersect_domain(w) if side == 0 else relation.intersect_range(w) for w in found)
                return [space.coalesced(part) for part in cut]
    return []


def _written(flow: Dataflow, statement: Instances, load: Term, own: isl.Set) -> list[isl.Set]:
    """The instances of `own` by the producer of their read; empty if some producer writes no literal."""
    producers = flow.producers.get((statement.name, load))
    if producers is None or producers.unsettled is not None or len(producers.writes) < 2:
        return []
    if any(writer.value is None or literal(writer.value) is None for writer, _ in producers.writes):
        return []
    if producers.initial is not None and not producers.initial.is_disjoint(own):
        return []
    parts = [own.intersect(step.domain()) for _, step in producers.writes]
    return [part for part in parts if not part.is_empty()]
