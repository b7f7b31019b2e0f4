"""The schedule law: the statement instances of two schedules in isl, and the obligations that make the schedules equal.

An instance is a part and the values of its induction variables; its time is the path to it: position, variable,
position and so on.
"""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IntType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.value_dataflow import Budget, Isl
from hecv.program.index import quasi_affine
from hecv.theorems.schedules.block_accesses import Accesses, changed, conflicts, names, private
from hecv.theorems.schedules.isl_schedules import Reader, Reading, Run
from hecv.theorems.schedules.schedule_tree import Copy, For, Part, Schedule
from hecv.theorems.schedules.theorem_instance import Obligation, Surroundings

OPERATIONS = 3_000_000
"""The budget of isl operations for all obligations of one instance."""


def _steps_fit(item: Schedule) -> bool:
    """Every step is a positive value of its type: 8 is -8 in i4."""
    match item:
        case Copy():
            return True
        case For(type=type_, step=step, body=body):
            fits = not isinstance(type_, IntType) or step < 1 << (type_.width - 1)
            return fits and step > 0 and all(map(_steps_fit, body))


class Comparison:
    """Two schedules over the same parts, and their obligations.

    Raises: NotAffine if isl cannot express a bound.
    """

    def __init__(
        self,
        pool: TermPool,
        around: Surroundings,
        parts: tuple[Part, ...],
        before: tuple[Schedule, ...],
        after: tuple[Schedule, ...],
        reorders: bool,
    ) -> None:
        self._parts, self._before, self._after = parts, before, after
        reader = Reader(pool, around)
        self._reader = reader
        self._readings = (reader.schedule(before), reader.schedule(after))
        self._length = max((len(r.time) for reading in self._readings for r in reading.runs), default=1)
        self._accesses = [Accesses(pool, reader, around.depth, part) for part in parts] if reorders else None
        self._space = Isl(reader.parameters, reader.given, OPERATIONS)
        self._relations: tuple[list[isl.Map], list[isl.Map]] | None = None
        self._wraps: tuple[isl.Set, isl.Set] | None = None

    def obligations(self) -> tuple[Obligation, ...]:
        """The obligations under which the two schedules are equal."""
        return (
            self.reachable(),
            Obligation("steady-bounds", lambda: self._shown(self._steady)),
            Obligation("steps-fit", lambda: all(map(_steps_fit, (*self._before, *self._after)))),
            Obligation("in-type", lambda: not self._readings[0].sums & self._readings[1].sums),
            Obligation("same-wraps", lambda: self._shown(self._same_wraps)),
            Obligation("same-iterations", lambda: self._shown(self._same)),
            Obligation("once-each", lambda: self._shown(self._once)),
            Obligation("in-order", lambda: self._shown(self._ordered)),
        )

    def reachable(self) -> Obligation:
        """The obligation that the place can be reached."""
        return Obligation("reachable", lambda: self._shown(self._reachable))

    def race_free(self, exempt: frozenset[int]) -> Obligation:
        """The obligation that no run of the first part writes what another run accesses, outside `exempt` memories."""
        return Obligation("race-free", lambda: self._shown(lambda: self._unrelated(exempt)))

    def no_wraps(self) -> Obligation:
        """The obligation that no loop over `iN` steps out of its type."""
        return Obligation("no-wraps", lambda: self._shown(lambda: all(s.is_empty() for s in self._wrapping())))

    def _shown(self, check: Callable[[], bool]) -> bool:
        try:
            return check()
        except (isl.Error, Budget, NotAffine):
            return False

    def _reachable(self) -> bool:
        """The place can be reached: what follows from the impossible is not asserted."""
        return not self._space.known.is_empty()

    def _steady(self) -> bool:
        """No bound changes while the schedules run; one that may be undefined both evaluate, whatever happens."""
        written = frozenset[int]().union(*(changed(p.block) for p in self._parts))
        before, after = self._readings
        for term in before.top | before.below | after.top | after.below:
            if any(t.op == "load" and t.attr("memory") in written for t in postorder((term,))):
                return False
            if not quasi_affine.is_proper(term) and not (term in before.top and term in after.top):
                return False
        return True

    def _wrapping(self) -> tuple[isl.Set, isl.Set]:
        if self._wraps is None:
            none = self._space.known.subtract(self._space.known)
            found = [none, none]
            for side, reading in enumerate(self._readings):
                for dims, constraints in reading.wraps:
                    where = self._space.set(f"{{ [{', '.join(dims)}] : {' and '.join(constraints)} }}").params()
                    found[side] = found[side].union(where.intersect(self._space.known))
            self._wraps = (found[0], found[1])
        return self._wraps

    def _same_wraps(self) -> bool:
        """Loops over `iN` step out of their type on the same inputs."""
        before, after = self._wrapping()
        return bool(before.is_equal(after))

    def _maps(self) -> tuple[list[isl.Map], list[isl.Map]]:
        """For each part, the times of its instances: values to time, on both sides."""
        if self._relations is None:
            before, after = self._readings
            self._relations = (self._times(before), self._times(after))
        return self._relations

    def _times(self, reading: Reading) -> list[isl.Map]:
        wrapping = self._wrapping()
        known = self._space.known.subtract(wrapping[0].union(wrapping[1]))
        maps: list[isl.Map] = []
        for number, part in enumerate(self._parts):
            values = ", ".join(f"x{k}" for k in range(len(part.types)))
            time = ", ".join(f"t{k}" for k in range(self._length))
            found = self._space.map(f"{{ P{number}[{values}] -> [{time}] : 1 = 0 }}")
            for run in reading.runs:
                if run.part == number:
                    found = found.union(self._space.map(self._run(run)))
            maps.append(self._space.coalesced(found.intersect_params(known)))
        return maps

    def _run(self, run: Run) -> str:
        padded = [*run.time, *["0"] * (self._length - len(run.time))]
        names = [f"x{k}" for k in range(len(run.values))]
        times = [f"t{k}" for k in range(self._length)]
        equal = [f"{a} = {b}" for a, b in zip([*names, *times], [*run.values, *padded], strict=True)]
        body = " and ".join([*equal, *run.constraints]) or "1 = 1"
        within = f"exists {', '.join(run.dims)} : {body}" if run.dims else body
        return f"{{ P{run.part}[{', '.join(names)}] -> [{', '.join(times)}] : {within} }}"

    def _same(self) -> bool:
        """Both schedules run the same instances."""
        before, after = self._maps()
        return all(a.domain().is_equal(b.domain()) for a, b in zip(before, after, strict=True))

    def _once(self) -> bool:
        """Neither runs an instance twice."""
        return all(m.is_single_valued() for side in self._maps() for m in side)

    def _ordered(self) -> bool:
        """Of two instances that run in opposite orders, none writes what the other accesses; and what a memory private
        to both holds, no part uses that does not allocate it, and in the end it comes from the same instance."""
        before, after = self._maps()
        times = isl.Space.set_alloc(self._space.context, 0, self._length)
        earlier, later = isl.Map.lex_lt(times), isl.Map.lex_gt(times)
        swapped: dict[tuple[int, int], isl.Map] = {}
        for one in range(len(self._parts)):
            for other in range(len(self._parts)):
                first = before[one].apply_range(earlier).apply_range(before[other].reverse())
                found = first.intersect(after[one].apply_range(later).apply_range(after[other].reverse()))
                if not found.is_empty():
                    swapped[one, other] = found
        return not swapped or (self._independent(swapped) and self._same_last(swapped, before, earlier))

    def _unrelated(self, exempt: frozenset[int]) -> bool:
        accesses = self._accesses
        if accesses is None:
            return False
        runs = self._maps()[0][0].domain()
        # Of each pair once: which of the two is the first does not matter.
        pairs = isl.Map.from_domain_and_range(runs, runs).intersect(isl.Map.lex_lt(runs.get_space()))
        return not conflicts(self._space, accesses[0], accesses[0], pairs, exempt)

    def _independent(self, swapped: dict[tuple[int, int], isl.Map]) -> bool:
        accesses = self._accesses
        if accesses is None:
            return False
        return not any(
            conflicts(self._space, accesses[one], accesses[other], pairs) for (one, other), pairs in swapped.items()
        )

    def _same_last(self, swapped: dict[tuple[int, int], isl.Map], before: list[isl.Map], earlier: isl.Map) -> bool:
        own = [private(p.block) for p in self._parts]
        read = frozenset[int]().union(*(names(p.block) - private(p.block) for p in self._parts))
        for (one, other), pairs in swapped.items():
            for memory in own[one] & own[other]:
                if memory in read:  # by a part that sees whichever of the two ran last before it
                    return False
                last = before[other].domain()
                for third in range(len(self._parts)):
                    if memory in own[third]:
                        follows = before[other].apply_range(earlier).apply_range(before[third].reverse())
                        last = last.subtract(follows.domain())
                if not pairs.range().intersect(last).is_empty():
                    return False
        return True


def compared(
    pool: TermPool,
    around: Surroundings,
    parts: tuple[Part, ...],
    before: tuple[Schedule, ...],
    after: tuple[Schedule, ...],
    reorders: bool = False,
) -> tuple[Obligation, ...]:
    """The obligations under which two schedules over the same parts are equal; one that fails if isl cannot express a
    bound.

    Without `reorders` the instances must run in the same order.
    """
    try:
        return Comparison(pool, around, parts, before, after, reorders).obligations()
    except NotAffine:
        return (Obligation("affine", lambda: False),)


def nonnegative(pool: TermPool, around: Surroundings, term: Term) -> bool:
    """Whether the place can be reached, and an index term is at least 0 wherever it is."""
    reader = Reader(pool, around)
    try:
        text = reader.text(term, {})
        space = Isl(reader.parameters, reader.given, OPERATIONS)
        below = space.set(f"{{ : {text} < 0 }}").params().intersect(space.known)
        return bool(below.is_empty()) and not space.known.is_empty()
    except (isl.Error, NotAffine):
        return False
