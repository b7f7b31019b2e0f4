"""Where the value of a read comes from, as positions: what was written, or was there before."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from hecv.poly.dataflow import Dataflow, Isl, access_text, undefined_at_first
from hecv.poly.positions import At, Initial, Position


def origins(space: Isl, flow: Dataflow, position: Position) -> Iterator[tuple[Position, isl.Map | None]]:
    """What was written, in the order of the producers, then what was there, each with the map from the instances of the
    read; the position itself, and None, if it is no read.

    Requires: no arrays overlap.
    """
    if not isinstance(position, At) or position.term.op != "load":
        yield position, None
        return
    producers = flow.producers[position.statement.name, position.term]
    for writer, pairs in producers.writes:
        assert writer.value is not None
        yield At(writer, writer.value), pairs
    if producers.initial is not None:
        access = position.statement.reads[position.term]
        text = access_text(position.statement.tuple_text(), access, position.statement.domain_text())
        elements = space.map(f"{{ {text} }}").intersect_domain(producers.initial)
        yield Initial(access.array, undefined_at_first(flow.program, access.array)), elements
