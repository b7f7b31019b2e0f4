"""The search for a simulation between loop headers (`hecv.kernel.simulation_check`).

Headers belong together if paths from headers that do come to them. What the variables of the target are in terms of
those of the source is guessed from the first such paths, and a guess that another pair of paths contradicts is dropped,
until none is. What is left is proved by the checker's own obligations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import process_time
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.kernel.certificate.simulation_format import Fact, Kept, Move, Relation, Simulation, Variable
from hecv.kernel.simulation_check import Ask, Both, Now, Simulator, Step, by_solver
from hecv.kernel.terms.solvers import Solver
from hecv.normal.summaries.loop_segments import ENTRY, EXIT, Untraceable, split
from hecv.program.tree import Alloc, Function, MemoryKind, walk
from hecv.prove.whiles.header_facts import is_bound, proposed_facts
from hecv.prove.whiles.path_samples import Samples
from hecv.smt.path_queries import Claim, Premises

MILLISECONDS: Final = 300
"""For each question to Z3."""
MOST_RELATIONS: Final = 40

HOPS: Final = ((2, 1), (0, 1), (1, 2), (3, 1), (4, 1), (1, 3), (1, 4), (8, 1), (1, 8))
"""Over how many headers of the source and the target both may go on, other than one."""
LIKELY: Final = 1
UNLIKELY: Final = 9
"""Ranks of guesses: those that the values of a first pair of paths suggest are likely."""

Place = tuple[int, int]
Hops = tuple[int, int]


class Simulated(Struct, frozen=True):
    """A simulation that was shown; `converse` if the source refines the target, too."""

    proof: Simulation
    converse: bool


def simulate(pool: TermPool, functions: Both, index_width: int, seconds: float) -> Simulated | None:
    """A simulation of the source by the target; None where none is found in so many seconds.

    Requires: index arithmetic does not overflow, and no memory of the caller's overlaps another.
    """
    try:
        memories = _paired(*functions)
        deadline = process_time() + seconds
        simulator = Simulator(pool, functions, memories, index_width, _asking(index_width, deadline))
        found = _Search(simulator, deadline).run()
    except (Untraceable, _Late):
        return None
    return None if found is None else Simulated(Simulation(found[0], memories), found[1])


class _Late(Exception):
    """The time is up."""


def _asking(index_width: int, deadline: float) -> Ask:
    """Asks Z3 what no values refute."""
    samples, solved = Samples(index_width), by_solver(Solver("z3", index_width, MILLISECONDS), index_width)

    def ask(step: str, known: Premises, claim: Claim) -> bool:
        if process_time() > deadline:
            raise _Late
        return not samples.refute(known, claim) and solved(step, known, claim)

    return ask


class _Search:
    def __init__(self, simulator: Simulator, deadline: float) -> None:
        self._simulator = simulator
        self._deadline = deadline
        self._guesses: dict[Place, dict[Variable, list[Kept]]] = {}
        self._moves: dict[Place, dict[int, Hops]] = {}
        self._restructured = False
        self._facts: dict[Place, list[Fact]] = {}

    def run(self) -> tuple[tuple[Relation, ...], bool] | None:
        """The relations, and whether the converse holds.

        Raises: Untraceable, _Late.
        """
        for self._restructured in (False, True):
            self._guesses, self._moves = {(ENTRY, ENTRY): {}}, {}
            while self._refine():
                if len(self._guesses) > MOST_RELATIONS:
                    return None
            plain = self._shown()
            if plain is not None:
                break
        else:
            plain = None
        if plain is not None and plain[1]:
            return plain
        # Something is not shown, which may need to know more of the source's values.
        proposed = proposed_facts(self._simulator)
        try:
            for wanted in (is_bound, lambda fact: True):
                for place in self._guesses:
                    self._facts[place] = [fact for fact in proposed.get(place[0], ()) if wanted(fact)]
                while self._weaken():
                    pass
                found = self._shown()
                plain = found or plain
                if found is not None and found[1]:
                    break
        except _Late:
            pass
        return plain

    def _shown(self) -> tuple[tuple[Relation, ...], bool] | None:
        """The relations and whether the converse holds, if the target is shown to refine the source."""
        relations = tuple(map(self._relation, self._guesses))
        if not self._simulator.is_well_founded(relations):
            return None
        by_place = self._simulator.by_place(relations)
        for relation in relations:
            if next(self._simulator.failures(relation, by_place, False), None) is not None:
                return None
        return relations, all(next(self._simulator.failures(r, by_place, True), None) is None for r in relations)

    def _weaken(self) -> bool:
        """Drops the facts that a pair of paths does not keep; False if there are none."""
        changed = False
        for at in list(self._guesses):
            for step in self._simulator.steps(self._relation(at)):
                to = self._relation(step.end) if step.end in self._guesses else None
                if to is None or not to.facts:
                    continue
                failing = {f.which for f in self._simulator.kept_facts(self._relation(at), step, to)}
                self._facts[step.end] = [f for k, f in enumerate(to.facts) if k not in failing]
                changed |= bool(failing)
        return changed

    def _tick(self) -> None:
        if process_time() > self._deadline:
            raise _Late

    def _relation(self, at: Place, moves: Mapping[int, Hops] | None = None) -> Relation:
        kept = tuple([guesses[0] for _, guesses in sorted(self._guesses[at].items()) if guesses])
        chosen = self._moves.get(at, {}) if moves is None else moves
        told = tuple([Move(end, *hops) for end, hops in sorted(chosen.items())])
        return Relation(*at, kept, tuple(self._facts.get(at, ())), told)

    def _refine(self) -> bool:
        """Takes up headers that are new, chooses how far both go on from each, and drops guesses that a pair of paths
        contradicts; False if there are none."""
        changed = False
        for at in list(self._guesses):
            changed |= self._restructured and self._moved(at)
            relation = self._relation(at)
            for step in self._simulator.steps(relation):
                self._tick()
                if EXIT in step.end or not step.is_defined:
                    continue
                if step.end not in self._guesses:
                    found = self._proposed(relation, step)
                    self._guesses[step.end] = {variable: kept for variable, (_, kept) in found.items()}
                    changed = True
                changed |= self._dropped(relation, step)
        return changed

    def _moved(self, at: Place) -> bool:
        """Chooses over how many headers both go, by where the target first comes to, where one is not right; True if a
        choice is new."""
        chosen = dict(self._moves.get(at, {}))
        for end in sorted({step.target.first for step in self._simulator.steps(self._relation(at))}):
            if end in chosen or not self._misses(at, chosen, end):
                continue
            for hops in HOPS:
                if not self._misses(at, {**chosen, end: hops}, end):
                    chosen[end] = hops
                    break
        if chosen == self._moves.get(at, {}):
            return False
        self._moves[at] = chosen
        return True

    def _misses(self, at: Place, moves: Mapping[int, Hops], end: int) -> bool:
        """Whether something does not belong together after these moves, of paths on which the target first comes to
        `end`."""
        relation = self._relation(at, moves)
        try:
            steps = [s for s in self._simulator.steps(relation) if s.target.first == end and s.is_defined]
        except Untraceable:
            return True
        # What is quickly told first: where only one function ends, it is to be shown that this never happens.
        steps.sort(key=lambda s: (EXIT in s.end, s.end != (EXIT, EXIT)))
        return any(self._misfits(relation, step) for step in steps)

    def _misfits(self, relation: Relation, step: Step) -> bool:
        self._tick()
        if EXIT not in step.end and step.end not in self._guesses:
            return any(rank > LIKELY for rank, _ in self._proposed(relation, step).values())
        known = {} if EXIT in step.end else {step.end: self._relation(step.end)}
        return next(self._simulator.apart(relation, step, known), None) is not None

    def _dropped(self, relation: Relation, step: Step) -> bool:
        """Drops the guesses of where a pair of paths ends that it contradicts."""
        to = self._relation(step.end)
        failing = [f.which for f in self._simulator.apart(relation, step, {step.end: to}) if f.what == "value"]
        for variable in failing:
            assert isinstance(variable, tuple)
            self._guesses[step.end][variable].pop(0)
        return bool(failing)

    def _proposed(self, relation: Relation, step: Step) -> dict[Variable, tuple[int, list[Kept]]]:
        """For each variable of the target what it may be where a pair of paths ends, and the rank of the likeliest."""
        ours, theirs = (self._simulator.then(relation, step, side) for side in (False, True))
        source, target = self._simulator.source, self._simulator.target
        found: dict[Variable, tuple[int, list[Kept]]] = {}
        given = source.live[step.source.end]
        for place, variable in enumerate(target.live[step.target.end]):
            type_ = target.types[variable]
            of_type = [v for v in given if source.types[v] == type_]
            ranked = list(_guessed(variable, theirs(variable), of_type, ours, type_))
            ranked.sort(key=lambda g: (g[0], g[1].source is None or given.index(g[1].source) != place))
            found[variable] = ranked[0][0] if ranked else UNLIKELY, [kept for _, kept in ranked]
        return found


def _guessed(
    variable: Variable, value: Term, of_type: Sequence[Variable], ours: Now, type_: ScalarType
) -> Iterator[tuple[int, Kept]]:
    """What a variable of the target may be, likely guesses with low ranks."""
    for other in of_type:
        held = ours(other)
        if held is value:
            yield 0, Kept(variable, other, 0)
            continue
        offset = None if isinstance(type_, FloatType) else _difference(held, value, type_)
        yield (2, Kept(variable, other, 0)) if offset is None else (1, Kept(variable, other, offset))
    number = literal(value)
    if isinstance(number, int):
        yield 3, Kept(variable, None, number)


def _difference(one: Term, other: Term, type_: ScalarType) -> int | None:
    """What is to be added to one term for the other; None if that is not plain."""
    first, second = (_apart(t) for t in (one, other))
    if first[0] is not second[0]:
        return None
    offset = second[1] - first[1]
    return offset % (1 << type_.width) if isinstance(type_, IntType) else offset


def _apart(term: Term) -> tuple[Term | None, int]:
    value = literal(term)
    return (None, value) if isinstance(value, int) else split(term)


def _paired(source: Function, target: Function) -> tuple[tuple[int, int], ...]:
    """Memories of their own that may belong together: of one shape, in their order."""
    ours, theirs = (
        [s.memory for s in walk(f.body) if isinstance(s, Alloc) and s.memory.kind is MemoryKind.LOCAL]
        for f in (source, target)
    )
    found: list[tuple[int, int]] = []
    for memory in theirs:
        for other in ours:
            if (other.element, other.extents) == (memory.element, memory.extents):
                found.append((memory.id, other.id))
                ours.remove(other)
                break
    return tuple(found)
