"""Silent stores: writes of the value that an element already holds.

A nest that copies an array to a buffer, changes some elements of the buffer, and copies the buffer back, writes most
elements with what they hold. With these writes, the dataflow leads a read through every round of copies; without them
it leads straight to the computation. Leaving out a silent store changes the contents of memory at no time. So all of
them may be left out together: each is silent in the program in which the others run.

A write of an instance `w` is silent if its value is what an instance `k` of another statement copied from the same
element, and the last write to the element before `w` is also the last one before `k`, or neither has any. It is not
used for an array that others may overlap if it is written so, or is the target of the copy, and one of those may be
written in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import islpy as isl
from msgspec.structs import replace

from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import (
    Dataflow,
    Idle,
    Isl,
    Producers,
    Writer,
    elements_of,
    flow_of,
    written_before,
)

MOST_ROUNDS: Final = 3
"""The most rounds: a copy back of a copy becomes silent once the copy of that copy is left out."""


def without_idle_writes(space: Isl, flow: Dataflow) -> Dataflow:
    """The dataflow of the program without its silent stores; `flow` itself if there are none.

    Raises: Unverified, islpy.Error.
    """
    for _ in range(MOST_ROUNDS):
        found = [idle for writers in flow.writers.values() for w in writers for idle in _idle(space, flow, w)]
        if not found:
            break
        writers = {name: tuple([_kept(space, w, found) for w in writers]) for name, writers in flow.writers.items()}
        flow = replace(flow_of(space, flow.program, flow.domains, writers), idle=(*flow.idle, tuple(found)))
    return flow


def _kept(space: Isl, writer: Writer, found: Sequence[Idle]) -> Writer:
    """A writer restricted to instances that are not silent; the writer itself if these are all."""
    idle = [i.step.domain() for i in found if i.writer == writer.statement.name]
    if not idle:
        return writer
    instances, time = writer.instances, writer.time
    for part in idle:
        instances, time = instances.subtract_range(part), time.subtract_domain(part)
    return replace(writer, instances=space.coalesced(instances), time=space.coalesced(time))


def _idle(space: Isl, flow: Dataflow, writer: Writer) -> Iterator[Idle]:
    """The instances of a writer that are known to change nothing."""
    statement = writer.statement
    assert statement.write is not None
    array, value = statement.write.array, statement.value
    if value is None or value.op != "load" or flow.program.overlapping(array):
        return
    copies = [(k, step) for k, step in flow.producers[statement.name, value].certain() if _copies(k, array)]
    if not copies:
        return
    before = written_before(space, flow, writer)
    for copier, step in copies:
        found = space.coalesced(_unchanged(space, flow, writer, before, copier, step))
        if not found.is_empty():
            yield Idle(statement.name, copier.name, found)


def _copies(statement: Instances, array: str) -> bool:
    """Whether a statement writes what it reads of an array."""
    value = statement.value
    return value is not None and value.op == "load" and statement.reads[value].array == array


def _unchanged(
    space: Isl, flow: Dataflow, writer: Writer, before: Producers, copier: Instances, step: isl.Map
) -> isl.Map:
    """The part of `step` that is silent: an instance writes back what the copier read from the same element, and the
    element was not written since (`before`). `step` leads from instances to those of the copier that wrote what they
    read."""
    assert copier.value is not None
    read = flow.producers[copier.name, copier.value]
    step = step.intersect_domain(writer.instances.range())
    elements = elements_of(space, copier, copier.reads[copier.value])
    same = writer.instances.reverse().intersect(step.apply_range(elements)).domain()
    unchanged = same.subtract(same)
    for one, last in before.writes:
        for other, first in read.writes:
            if one is other:
                unchanged = unchanged.union(last.intersect(step.apply_range(first)).domain())
    if before.initial is not None and read.initial is not None:
        unchanged = unchanged.union(before.initial.intersect(step.intersect_range(read.initial).domain()))
    return step.intersect_domain(unchanged.intersect(same))
