"""Writes that change nothing: of what an element holds already.

A nest that copies a whole array to a buffer, changes some elements of the buffer, and copies all of it back, writes
most elements with what they hold. Dataflow that keeps these writes leads a read through all the rounds of copies that
there were; without them it leads to what computed the value. Such a write can be left out: no memory ever holds
anything else. That is so of all of them together, since each is one in a program in which the others run.

A write of an instance `w` changes nothing where its value is what an instance `k` of another statement copied from the
same element, and the last write to the element before `w` is the last one before `k` too, or neither has any.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import islpy as isl

from hecv.poly.dataflow import Dataflow, Isl, Producers, Writer, elements_of, flow_of, written_before
from hecv.poly.statements import Instances

MOST_ROUNDS: Final = 3
"""So often writes are left out: what copies a copy back changes nothing once that is left out which copies the copy."""


def without_idle_writes(space: Isl, flow: Dataflow) -> Dataflow:
    """The dataflow of the program without writes that change nothing; `flow` itself where there are none.

    Raises: Unverified, islpy.Error.
    """
    for _ in range(MOST_ROUNDS):
        writers = {name: tuple([_kept(space, flow, w) for w in found]) for name, found in flow.writers.items()}
        if all(kept is w for name, found in flow.writers.items() for kept, w in zip(writers[name], found, strict=True)):
            break
        flow = replace(flow_of(space, flow.program, flow.domains, writers), idle=True)
    return flow


def _kept(space: Isl, flow: Dataflow, writer: Writer) -> Writer:
    """A writer with only those of its instances that may change something, itself where these are all."""
    idle = _idle(space, flow, writer)
    if idle is None or idle.is_empty():
        return writer
    instances, time = writer.instances.subtract_range(idle), writer.time.subtract_domain(idle)
    return replace(writer, instances=space.coalesced(instances), time=space.coalesced(time))


def _idle(space: Isl, flow: Dataflow, writer: Writer) -> isl.Set | None:
    """The instances of a writer that are known to change nothing, None where there can be none."""
    statement = writer.statement
    assert statement.write is not None
    array, value = statement.write.array, statement.value
    if value is None or value.op != "load" or flow.program.overlapping(array):
        return None
    copies = [(k, step) for k, step in flow.producers[statement.name, value].writes if _copies(k, array)]
    if not copies:
        return None
    before = written_before(space, flow, writer)
    found = [_unchanged(space, flow, writer, before, copier, step) for copier, step in copies]
    idle = found[0]
    for more in found[1:]:
        idle = idle.union(more)
    return space.coalesced(idle)


def _copies(statement: Instances, array: str) -> bool:
    """Whether a statement writes what it reads of an array."""
    value = statement.value
    return value is not None and value.op == "load" and statement.reads[value].array == array


def _unchanged(
    space: Isl, flow: Dataflow, writer: Writer, before: Producers, copier: Instances, step: isl.Map
) -> isl.Set:
    """The instances that write back what the copier, to whose instances `step` leads, read of the same element and was
    not written `before` them since."""
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
    return unchanged.intersect(same)
