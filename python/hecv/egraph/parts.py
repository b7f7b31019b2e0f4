"""A quick sweep in parts, each in a process of its own, all but the first from guesses of what those before it show.

What a process finds is a list of steps (`hecv.egraph.steps`). This process sweeps over the first part, and takes the
steps of the others in their order, each of which it checks against what it has shown itself. A step that rests on a
wrong guess does not hold, and its term is looked at as in a sweep in one part; so are those next to the border, where
what is below was only guessed. Nothing depends on how fast the processes are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from hecv.base.beside import Beside
from hecv.base.term import Term, TermPool
from hecv.egraph.cuts import Shape
from hecv.egraph.quick import QuickSweep
from hecv.egraph.shapes import Answers, ShapeProver
from hecv.egraph.steps import Packed, Step, unpacked

WARM: Final = 1_500
"""So many terms before a part are not guessed, but looked at as those of the part: it is these that it is made of."""

FIRST: Final = 1.2
"""The first part of a target is so many times as long as another, before which much is to be guessed."""


@dataclass(frozen=True, slots=True)
class Found:
    """What another process found in a part, and what it took for something else without a step; it `gave_up` where too
    much has no place."""

    shapes: list[Shape]
    steps: list[Packed]
    answers: Answers
    forced: frozenset[int]
    gave_up: bool


def run_parts(
    sweep: QuickSweep,
    pool: TermPool,
    prover: ShapeProver,
    orders: tuple[Sequence[Term], Sequence[Term]],
    counts: tuple[int, int],
) -> None:
    """Sweeps over both programs in so many parts: first the source, so that all of it is known, then the target."""
    source, target = orders
    sweep.begin(len(source) + len(target))
    sweep.enter(source)
    for term in (*source, *target):  # so that kinds and types have the same numbers in all processes
        prover.kinds.type_number(term.type)
        if term.args:
            prover.kinds.of(term, list(term.args))
    parts = Parts(sweep, pool, prover)
    parts.run(_divided(sweep.doubtful, counts[0], 1), parts.source)
    parts.run(_divided(target, counts[1], FIRST), parts.target)
    sweep.finish()


def _divided(terms: Sequence[Term], count: int, first: float) -> list[Sequence[Term]]:
    """Parts of one length but the first, which is so many times as long."""
    ends = [round(len(terms) * (first + k) / (first + count - 1)) for k in range(count)]
    return [terms[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@dataclass(frozen=True, slots=True)
class Side:
    """How parts of one side are swept: `look` here, `guess` what stands before a part, `adopt` the steps of another
    process, given what is to be looked at all the same."""

    look: Callable[[Sequence[Term]], None]
    guess: Callable[[Sequence[Term]], None]
    adopt: Callable[[Sequence[Term], Mapping[int, Sequence[Step]], set[int]], None]


class Parts:
    """The parts of a sweep."""

    def __init__(self, sweep: QuickSweep, pool: TermPool, prover: ShapeProver) -> None:
        self._sweep: Final = sweep
        self._pool: Final = pool
        self._prover: Final = prover
        self.source: Final = Side(sweep.simplify, lambda terms: None, sweep.adopt_source)
        self.target: Final = Side(sweep.match, self._guess, sweep.adopt)

    def run(self, parts: Sequence[Sequence[Term]], side: Side) -> None:
        """Sweeps over the parts of one side, the first here and the others beside."""
        others: list[Beside] = []
        before: list[Term] = list(parts[0])
        try:
            for part in parts[1:]:
                others.append(Beside(partial(self._search, side, tuple(before), part)))
                before += part
            side.look(parts[0])
            border = {t.id for t in parts[0] if t.args}
            for part, other in zip(parts[1:], others, strict=True):
                if self._sweep.gave_up:
                    break
                self._adopt(side, part, border, other.result())
                border.update(t.id for t in part if t.args)
        finally:
            for other in others:
                other.end()

    def _guess(self, before: Sequence[Term]) -> None:
        start = max(len(before) - WARM, 0)
        self._sweep.guess(before[:start])
        self._sweep.match(before[start:])

    def _search(self, side: Side, before: Sequence[Term], part: Sequence[Term]) -> Found:
        """What is found in a part, in a process of its own."""
        size, sweep, prover = len(self._pool.terms()), self._sweep, self._prover
        sizes = prover.kinds.sizes()
        prover.forget()
        side.guess(before)
        journal = sweep.write_down()
        side.look(part)
        shapes, steps = journal.packed(size, prover.kinds)
        if prover.kinds.sizes() != sizes:
            raise RuntimeError("a kind or type has a number that only this process knows")
        return Found(shapes, steps, prover.answers(), frozenset(sweep.forced), sweep.gave_up)

    def _adopt(self, side: Side, part: Sequence[Term], before: set[int], found: Found | None) -> None:
        """Takes the steps that another process found; where there are none, looks at the part."""
        if found is not None:
            self._prover.learn(found.answers, found.shapes)
        if found is None or found.gave_up:
            side.look(part)
            return
        steps = unpacked(self._pool, self._prover.kinds, found.shapes, found.steps)
        side.adopt(part, steps, before | found.forced)
