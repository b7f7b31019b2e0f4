"""Whiles that are not counted, by induction over their turns.

Both functions are cut at such a loop (`hecv.graph.cuts`) into what is done before it, one turn, and what is done after
it. Where the target's parts refine the source's, each as a function of the arguments, the memory and the state that
lives across the cut, the target refines the source: both loops begin in one state, go on or end together, and are in
one state again. So they make as many turns, or neither ends.

- What holds of a part is shown for state and memory without poison. So what the source carries must be such, as its
  operators show; of the target it is then the same.
- Memory of a function's own is new in each part. Where several use it, or might carry poison from it, all parts are
  shown to read only what they have written.
- Which values of the two states belong together is guessed: every guess has to pass the proof.
- Floats are compared without licences, where no op shows which NaN one is: what a licence leaves open need not be
  decided alike in two parts.

A part may have such a loop again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.base.types import FloatType
from hecv.dialects import exposes
from hecv.dialects.registry import licensed
from hecv.execute.analysis import chooses, poison_in, terms_of
from hecv.execute.patterns import Patterns
from hecv.graph.counted import count_loops
from hecv.graph.cuts import Cut, State, cut
from hecv.graph.rewriting import rename
from hecv.graph.tree import Alloc, Function, MemoryKind, While, walk
from hecv.poly.prove import Proved, Statistics

RULE: Final = "while-induction"
MOST_GUESSES: Final = 6
DEEPEST: Final = 4
"""Whiles one after the other, or in each other."""

Prove = Callable[[tuple[Function, Function]], Proved | None]
Pairing = tuple[tuple[State, ...], tuple[State, ...]]


@dataclass(frozen=True, slots=True)
class Turned:
    """The target refines the source; `one_way` says why the converse is not shown. `loops` are the pairs of whiles."""

    one_way: str | None
    statistics: Statistics
    loops: int


def prove_by_turns(
    pool: TermPool, functions: tuple[Function, Function], index_width: int, prove: Prove, seconds: float
) -> Turned | None:
    """How the functions compare by their parts; None where that is not shown, or neither has a while that is not
    counted. `prove` compares functions without such loops for all arguments; no guess is begun after so many seconds.

    Requires: index arithmetic does not overflow, and no memory of the caller's overlaps another.
    """
    if not all(any(isinstance(s, While) for s in walk(f.body)) for f in functions):
        return None
    terms = [t for f in functions for t in terms_of(f)]
    if any(map(chooses, functions)) or any(map(exposes, terms)):
        return None
    if any(isinstance(t.type, FloatType) and licensed(t.attrs) for t in terms):
        return None
    return _Induction(pool, index_width, prove, monotonic() + seconds).compare(functions, DEEPEST)


@dataclass(frozen=True, slots=True)
class _Induction:
    pool: TermPool
    index_width: int
    prove: Prove
    deadline: float

    def compare(self, functions: tuple[Function, Function], depth: int, written: bool = False) -> Turned | None:
        """How two functions compare, by their parts where they have a while; `written` asks that they read of
        memory of their own only what was written."""
        first, second = (replace(f, body=count_loops(self.pool, f)) for f in functions)
        if not any(isinstance(s, While) for f in (first, second) for s in walk(f.body)):
            proved = self.prove(functions)
            usable = proved is not None and (proved.initialised or not written)
            return Turned(proved.one_way, proved.statistics, 0) if proved is not None and usable else None
        source, target = cut(self.pool, first, first.body), cut(self.pool, second, second.body)
        if source is None or target is None or depth == 0 or self._poison(source, True):
            return None
        written = written or bool(source.scratch or target.scratch) or self._poison(source, False)
        one_way = "what the target carries from turn to turn may be poison" if self._poison(target, written) else None
        found = self._by_parts(source, target, depth - 1, written)
        return found and replace(found, one_way=found.one_way or one_way)

    def _poison(self, at: Cut, written: bool) -> bool:
        """Whether state or memory may be poison at a cut of a function, by the least that its operators tell; memory of
        its own is no source of poison where it is read only as `written`."""
        function = at.function
        if written:
            own = [s.memory for s in walk(function.body) if isinstance(s, Alloc)]
            proper = {m.id: replace(m, kind=MemoryKind.CELL) for m in own}
            function = replace(function, body=rename(function.body, proper))
        terms, memories = poison_in(function, terms_of(function), Patterns(self.index_width))
        shared = {a.memory.id for a in function.inputs() if a.memory is not None}
        states = (*at.carried, *at.going, *at.left)
        cells = {s.cell.id for s in states if s.cell is not None}
        values = {self.pool.read(s.load.id, s.type).id for s in states if s.load is not None}
        return bool(memories & (shared | cells) or terms & values)

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
                    whole = _together((before, turn, after))
                    return replace(whole, loops=whole.loops + 1)
        return None

    def _turn(
        self, source: Cut, target: Cut, carried: Pairing, left: Pairing, depth: int, written: bool
    ) -> Turned | None:
        """One turn as a whole or, where array dataflow knows too little of the condition, in two parts."""
        whole = self._part(source.turn(carried[0], left[0]), target.turn(carried[1], left[1]), depth, written)
        if whole is not None:
            return whole
        for going in islice(_pairings(source.going, target.going), MOST_GUESSES):
            tests = source.test(carried[0], going[0], left[0]), target.test(carried[1], going[1], left[1])
            test = self._part(*tests, depth, written)
            if test is None:
                continue
            step = self._part(source.step(going[0], carried[0]), target.step(going[1], carried[1]), depth, written)
            if step is not None:
                return _together((test, step))
        return None

    def _part(self, source: Function, target: Function, depth: int, written: bool) -> Turned | None:
        return self.compare((source, target), depth, written) if monotonic() < self.deadline else None


def _together(parts: Sequence[Turned]) -> Turned:
    """What the parts of a function show of it."""
    counts = [p.statistics for p in parts]
    whole = Statistics(
        (sum(c.statements[0] for c in counts), sum(c.statements[1] for c in counts)),
        sum(c.visits for c in counts),
        sum(c.widenings for c in counts),
        sum(c.regrouped for c in counts),
    )
    one_way = next((p.one_way for p in parts if p.one_way is not None), None)
    return Turned(one_way, whole, sum(p.loops for p in parts))


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
