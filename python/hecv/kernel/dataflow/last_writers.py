"""Value-based dependences, checked: a certificate claims who wrote what each read reads.

A claim is a set of pairs of instances, of the read and of a write, and a set of instances that read the initial value.
It is correct if

1. each pair accesses one element, the write runs before the read, and no pair is claimed twice;
2. no write to that element runs between the two of a pair;
3. each instance of the read is in a pair or in the initial set, and for the latter no write to the element runs before.

Two instances of one program never run at the same time, so by 2 a read is in at most one pair: a sum counts each value
that it reads once (`hecv.kernel.dataflow.operand_multisets`). All this is about writes to the array itself: a read is
`unsettled` if another array that may overlap it is written after that write and before the read. Silent stores
(`hecv.kernel.dataflow.silent_store_check`) do not count as writes here.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term
from hecv.dataflow.model.scop import Access, Flattened, Instances
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, Producers
from hecv.kernel.certificate.dataflow_format import Idle, Read
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow.claim_lookup import Texts, position_at, statements
from hecv.kernel.dataflow.instance_schedule import Times
from hecv.kernel.dataflow.silent_store_check import without_idle


def verified(
    space: Isl, texts: Texts, program: Flattened, claims: Sequence[Read], idle: Sequence[Sequence[Idle]]
) -> Dataflow:
    """The dataflow that a certificate claims of a program, without its silent stores (`idle`).

    Raises: Rejected if a claim is wrong, or a read of an array that is written has none.
    """
    domains = {s.name: space.domain(s) for s in program.statements}
    times = without_idle(space, texts, program, domains, idle)
    claimed: dict[tuple[str, Term], Read] = {}
    for claim in claims:
        position = position_at(program, claim.place, _step(claim.place))
        if not isinstance(position, At) or position.term not in position.statement.reads:
            raise Rejected(_step(claim.place), "it is no read")
        if (position.statement.name, position.term) in claimed:
            raise Rejected(_step(claim.place), "something is claimed of it twice")
        claimed[position.statement.name, position.term] = claim
    producers: dict[tuple[str, Term], Producers] = {}
    for statement in program.statements:
        for load, access in statement.reads.items():
            key, domain = (statement.name, load), domains[statement.name]
            others = [w for name in program.overlapping(access.array) for w in times.writers.get(name, ())]
            if domain.is_empty() or (access.array not in times.writers and not others):
                producers[key] = Producers((), None if domain.is_empty() else domain)
            elif key in claimed:
                claim = _Claim(space, texts, program, times, statement, access, domain)
                producers[key] = claim.checked(claimed[key], others)
            else:
                raise Rejected(f"read of {access.array} in {statement.name}", "nothing is claimed of it")
    return Dataflow(program, domains, producers, times.all_writers())


def _step(place: tuple[str, int]) -> str:
    return f"read {place[1]} of {place[0]}"


class _Claim(Struct, frozen=True):
    """A read of which something is claimed."""

    space: Isl
    texts: Texts
    program: Flattened
    times: Times
    statement: Instances
    access: Access
    domain: isl.Set

    def checked(self, claim: Read, others: Sequence[Instances]) -> Producers:
        """The claimed producers, if they are correct; `others` write arrays that may overlap the one that is read."""
        step = _step(claim.place)
        elements = self.times.elements(self.statement, self.access)
        before = self.times.past(self.statement)
        writers = self.times.writers.get(self.access.array, ())
        same = {w.name: elements.apply_range(self.times.writes(w).reverse()) for w in writers}
        empty = before.subtract(before)
        # From a read to the times at which its element is written before it, and at which the claimed write is.
        writes, last = empty, empty
        for writer in writers:
            writes = writes.union(same[writer.name].apply_range(self.times.of(writer)).intersect(before))
        found: list[tuple[Instances, isl.Map]] = []
        for name, text in claim.writes:
            writer = statements(self.program).get(name)
            if writer is None or name not in same:
                raise Rejected(step, f"{name} does not write {self.access.array}")
            pairs = self._pairs(writer, text, step)
            if not pairs.is_subset(same[name]):
                raise Rejected(step, f"{name} does not write what is read")
            written = pairs.apply_range(self.times.of(writer))
            if found and not written.is_disjoint(last):
                raise Rejected(step, f"a write by {name} is claimed twice")
            found.append((writer, pairs))
            last = last.union(written)
        initial = self._initial(claim.initial, step)
        if not last.is_subset(before):
            raise Rejected(step, "a write does not run before it")
        if not last.apply_range(self.times.later).intersect(writes).is_empty():
            raise Rejected(step, "another write runs in between")
        if not self.domain.is_subset(last.domain() if initial is None else last.domain().union(initial)):
            raise Rejected(step, "it is not said where some instance has its value from")
        if initial is not None and not initial.is_disjoint(writes.domain()):
            raise Rejected(step, "what it reads was written before")
        return self._overtaken(Producers(tuple(found), initial), before, last, others)

    def _overtaken(self, found: Producers, before: isl.Map, last: isl.Map, others: Sequence[Instances]) -> Producers:
        """The producers, with the instances for which one of the `others` writes between `last` and the read."""
        if not others:
            return found
        between = before.intersect(last.apply_range(self.times.later)).union(before.subtract_domain(last.domain()))
        parts = [between.intersect_range(self.times.of(other).range()).domain() for other in others]
        unsettled = parts[0]
        for part in parts[1:]:
            unsettled = unsettled.union(part)
        if unsettled.is_empty():
            return found
        return replace(found, unsettled=unsettled, between=between.intersect_domain(unsettled))

    def _pairs(self, writer: Instances, text: str, step: str) -> isl.Map:
        ends = (self.statement.name, len(self.statement.dims)), (writer.name, len(writer.dims))
        return self.texts.map(text, *ends, step)

    def _initial(self, text: str | None, step: str) -> isl.Set | None:
        if text is None:
            return None
        return self.texts.set(text, (self.statement.name, len(self.statement.dims)), step)
