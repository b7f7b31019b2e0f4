"""The search for a proof by induction over the turns of whiles (`hecv.kernel.while_induction_check`): which states
belong together.

Which values of the two states belong together is guessed: every guess has to pass the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from time import process_time
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.dataflow.dataflow_proof import Proved, Statistics
from hecv.kernel.certificate.file_format import Dataflow, Turns
from hecv.kernel.while_induction_check import (
    are_comparable,
    carries_poison,
    has_while,
    returns_early,
    with_counted_loops,
)
from hecv.normal.summaries.cutpoints import Cut, State, cut
from hecv.program.tree import Function

MOST_GUESSES: Final = 6
DEEPEST: Final = 4
"""Whiles one after the other, or in each other."""

Prove = Callable[[tuple[Function, Function]], Proved | None]
Pairing = tuple[tuple[State, ...], tuple[State, ...]]


class Turned(Struct, frozen=True):
    """The target refines the source; `one_way` says why the converse is not shown. `loops` are the pairs of whiles.
    `proof` says which states belong together, and nothing of parts without such loops."""

    one_way: str | None
    statistics: Statistics
    loops: int
    proof: Turns | Dataflow


def prove_by_turns(
    pool: TermPool, functions: tuple[Function, Function], index_width: int, prove: Prove, seconds: float
) -> Turned | None:
    """How the functions compare by their parts; None where that is not shown, or neither has a while that is not
    counted. `prove` compares functions without such loops for all arguments; no guess is begun after so many seconds.

    Requires: index arithmetic does not overflow, and no memory of the caller's overlaps another.
    """
    if not all(map(has_while, functions)) or not are_comparable(functions):
        return None
    return _Induction(pool, index_width, prove, process_time() + seconds).compare(functions, DEEPEST)


class _Induction(Struct, frozen=True):
    pool: TermPool
    index_width: int
    prove: Prove
    deadline: float

    def compare(self, functions: tuple[Function, Function], depth: int, written: bool = False) -> Turned | None:
        """How two functions compare, by their parts where they have a while; `written` asks that they read of
        memory of their own only what was written."""
        first, second = (with_counted_loops(self.pool, f) for f in functions)
        if not has_while(first) and not has_while(second):
            proved = self.prove(functions)
            usable = proved is not None and (proved.initialised or not written)
            return (
                Turned(proved.one_way, proved.statistics, 0, Dataflow(None)) if proved is not None and usable else None
            )
        source, target = cut(self.pool, first, first.body), cut(self.pool, second, second.body)
        if source is None or target is None or depth == 0 or returns_early(source) or returns_early(target):
            return None
        if carries_poison(self.pool, source, self.index_width, True):
            return None
        shared = bool(source.scratch or target.scratch)
        written = written or shared or carries_poison(self.pool, source, self.index_width, False)
        poison = carries_poison(self.pool, target, self.index_width, written)
        one_way = "what the target carries from turn to turn may be poison" if poison else None
        found = self._by_parts(source, target, depth - 1, written)
        return found and replace(found, one_way=found.one_way or one_way)

    def _by_parts(self, source: Cut, target: Cut, depth: int, written: bool) -> Turned | None:
        """By a guess of which states belong together under which each part is proved."""
        for carried in islice(_pairings(source.carried, target.carried), MOST_GUESSES):
            before = self._part(source.first_part(carried[0]), target.first_part(carried[1]), depth, written)
            if before is None:
                continue
            for left in islice(_pairings(source.left, target.left), MOST_GUESSES):
                turn = self._turn(source, target, carried, left, depth, written)
                if turn is None:
                    continue
                after = self._part(source.last_part(left[0]), target.last_part(left[1]), depth, written)
                if after is not None:
                    numbers = _numbers(target.carried, carried), _numbers(target.left, left)
                    return _together((before, *turn[0], after), *numbers, turn[1])
        return None

    def _turn(
        self, source: Cut, target: Cut, carried: Pairing, left: Pairing, depth: int, written: bool
    ) -> tuple[tuple[Turned, ...], tuple[int, ...] | None] | None:
        """One turn as a whole or, where array dataflow knows too little of the condition, in two parts, with the states
        that belong together between them."""
        whole = self._part(source.turn(carried[0], left[0]), target.turn(carried[1], left[1]), depth, written)
        if whole is not None:
            return (whole,), None
        for going in islice(_pairings(source.going, target.going), MOST_GUESSES):
            tests = source.test(carried[0], going[0], left[0]), target.test(carried[1], going[1], left[1])
            test = self._part(*tests, depth, written)
            if test is None:
                continue
            step = self._part(source.step(going[0], carried[0]), target.step(going[1], carried[1]), depth, written)
            if step is not None:
                return (test, step), _numbers(target.going, going)
        return None

    def _part(self, source: Function, target: Function, depth: int, written: bool) -> Turned | None:
        return self.compare((source, target), depth, written) if process_time() < self.deadline else None


def _together(
    parts: Sequence[Turned], carried: tuple[int, ...], left: tuple[int, ...], going: tuple[int, ...] | None
) -> Turned:
    """What the parts of a function show of it."""
    counts = [p.statistics for p in parts]
    whole = Statistics(
        (sum(c.statements[0] for c in counts), sum(c.statements[1] for c in counts)),
        sum(c.visits for c in counts),
        sum(c.widenings for c in counts),
        sum(c.regrouped for c in counts),
    )
    one_way = next((p.one_way for p in parts if p.one_way is not None), None)
    proof = Turns(carried, left, going, tuple([p.proof for p in parts]))
    return Turned(one_way, whole, 1 + sum(p.loops for p in parts), proof)


def _numbers(states: Sequence[State], pairing: Pairing) -> tuple[int, ...]:
    """Which of the target's states belong to those of the source."""
    return tuple([next(k for k, s in enumerate(states) if s is chosen) for chosen in pairing[1]])


def _pairings(source: Sequence[State], target: Sequence[State]) -> Iterator[Pairing]:
    """Ways in which the states may belong together, likely ones first: values that begin alike, then in order."""
    if len(source) != len(target):
        return
    yield from ((tuple(source), chosen) for chosen in _chosen(source, tuple(target)))


def _chosen(source: Sequence[State], left: tuple[State, ...]) -> Iterator[tuple[State, ...]]:
    if not source:
        yield ()
        return
    wanted = source[0]
    fitting = [s for s in left if s.type == wanted.type]
    for chosen in sorted(fitting, key=lambda s: not _alike(wanted.first, s.first)):
        rest = tuple([s for s in left if s is not chosen])
        yield from ((chosen, *others) for others in _chosen(source[1:], rest))


def _alike(first: Term | None, second: Term | None) -> bool:
    return first is not None and first is second
