"""Silent stores, checked: writes of the value that the element already holds.

An instance is claimed to be silent (`idle`) together with an instance of a copier. The claim is correct if

1. the copier writes what it reads of the element that the instance writes;
2. the instance writes what it reads of the element that the copier writes;
3. the copier runs before, and no write to either element runs between the two, nor one of an array that may overlap.

So the element still holds what the copier read from it, and that value is written to it again. All claims of a round
are about the program without the writes that earlier rounds leave out; in that program each write of the round changes
nothing, so without all of them memory holds the same at all times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from hecv.base.term import Term
from hecv.dataflow.model.scop import Access, Flattened, Instances
from hecv.dataflow.model.value_dataflow import Isl
from hecv.kernel.certificate.dataflow_format import Idle
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow.claim_lookup import Texts, statements
from hecv.kernel.dataflow.instance_schedule import Times


def without_idle(
    space: Isl, texts: Texts, program: Flattened, domains: Mapping[str, isl.Set], rounds: Sequence[Sequence[Idle]]
) -> Times:
    """The schedule of a program without the stores that are claimed to be silent.

    Raises: Rejected if a claim is wrong.
    """
    times = Times(space, program, domains, domains)
    for number, found in enumerate(rounds):
        writing = dict(times.writing)
        for idle in found:
            step = f"idle writes of {idle.writer}, round {number}"
            unchanged = _unchanged(texts, program, times, idle, step)
            writing[idle.writer] = space.coalesced(writing[idle.writer].subtract(unchanged))
        times = Times(space, program, domains, writing)
    return times


def _unchanged(texts: Texts, program: Flattened, times: Times, idle: Idle, step: str) -> isl.Set:
    """The instances that are claimed to be idle, if they are."""
    writer, copier = (_copy(program, name, step) for name in (idle.writer, idle.copier))
    pairs = texts.map(idle.step, (idle.writer, len(writer.dims)), (idle.copier, len(copier.dims)), step)
    (read, written), (held, kept) = _accesses(writer), _accesses(copier)
    if written.array != held.array or read.array != kept.array or program.overlapping(written.array):
        raise Rejected(step, "it writes no array that it was copied from, or one that others may overlap")
    copied = times.elements(writer, written).apply_range(times.elements(copier, held).reverse())
    back = times.elements(writer, read).apply_range(times.writes(copier).reverse())
    if not (pairs.is_subset(copied) and pairs.is_subset(back)):
        raise Rejected(step, "it does not write back what was copied from the element")
    before = pairs.apply_range(times.of(copier))
    if not before.is_subset(times.past(writer)):
        raise Rejected(step, "the copy does not run before it")
    between = before.apply_range(times.later)
    for access in (written, read):
        if not between.is_disjoint(times.written(writer, times.elements(writer, access))):
            raise Rejected(step, f"{access.array} is written in between")
    others = [w for name in program.overlapping(read.array) for w in times.writers.get(name, ())]
    between = between.intersect(times.past(writer))
    if any(not between.intersect_range(times.of(other).range()).is_empty() for other in others):
        raise Rejected(step, f"what may overlap {read.array} is written in between")
    return pairs.domain()


def _copy(program: Flattened, name: str, step: str) -> Instances:
    statement = statements(program).get(name)
    if statement is None or statement.write is None or _value(statement) is None:
        raise Rejected(step, f"{name} does not write what it reads")
    return statement


def _value(statement: Instances) -> Term | None:
    value = statement.value
    return value if value is not None and value.op == "load" else None


def _accesses(statement: Instances) -> tuple[Access, Access]:
    """What a copy reads, and where it writes that."""
    value = _value(statement)
    assert value is not None and statement.write is not None
    return statement.reads[value], statement.write
