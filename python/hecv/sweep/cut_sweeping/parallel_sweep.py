"""A cut sweep in parallel: parts of the source, then of the target, are swept in several processes.

A worker's result is a list of steps (`hecv.sweep.cuts.merge_steps`). This process sweeps the first part, and applies
the steps of the others in their order; each is checked against what this process has proved itself. The workers begin
as soon as the source is entered, while this process may do something else: each with a part of the source (terms that
may be something simpler), and then with one of the target, before which all candidates are assumed equal. The result
does not depend on how fast they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.process.forked_child import Beside
from hecv.sweep.cut_sweeping.cut_sweep import QuickSweep, Steps
from hecv.sweep.cut_sweeping.shape_exchange import Exchange
from hecv.sweep.cut_sweeping.shape_prover import Answers, ShapeProver
from hecv.sweep.cuts.leaf_cuts import Shape
from hecv.sweep.cuts.merge_steps import Packed, unpacked

FIRST: Final = 0.6
"""The length of the source's first part, relative to the others: this process has more to do meanwhile."""

FIRST_OF_TARGET: Final = 1.0
"""The same for the target: the results of the others are applied here, one after the other."""

PIECES: Final = 8
"""The number of messages in which a worker sends its results for the target, so that the first are applied early."""

MISSING: Final = 8
"""If more than one in this many terms is not merged, a sweep over the whole program is left to try."""


class Found(Struct, frozen=True):
    """The results of another process for its part."""

    shapes: list[Shape]
    steps: list[Packed]
    answers: Answers
    left: Collection[int] = ()


class Part(Struct, frozen=True):
    """The work of one process: terms of the source, and of the target from `start` on, piece by piece."""

    source: Sequence[Term]
    start: int
    target: Sequence[Term]
    pieces: Sequence[Sequence[Term]]


class Parts:
    """A sweep over both programs, in parts."""

    def __init__(
        self,
        sweep: QuickSweep,
        pool: TermPool,
        prover: ShapeProver,
        orders: tuple[Sequence[Term], Sequence[Term]],
        count: int,
    ) -> None:
        self._sweep: Final = sweep
        self._pool: Final = pool
        self._prover: Final = prover
        self._orders: Final = orders
        self._count: Final = count
        self._size = 0
        self._sizes = 0, 0
        """So many terms, and kinds and types, all processes have."""
        self._parts: list[Part] = []
        self._others: list[Beside] = []
        self._exchange: Final = Exchange(count)

    def begin(self) -> None:
        """Enters the source, and starts the workers for all parts but the first."""
        sweep, kinds = self._sweep, self._prover.kinds
        source, target = self._orders
        sweep.begin(len(source) + len(target))
        sweep.enter(source)
        for term in target:  # so that kinds and types have the same numbers in all processes
            kinds.type_number(term.type)
            if term.args:
                kinds.of(term, list(term.args))
        sweep.missing = MISSING
        self._size, self._sizes = len(self._pool.terms()), kinds.sizes()
        self._parts = _parts(sweep.doubtful, target, self._count)
        files = self._exchange.files()
        for number, part in enumerate(self._parts[1:], 1):
            simplified = partial(self._simplified, number, part.source)
            matched = [partial(self._matched, part, piece) for piece in part.pieces]
            self._others.append(Beside(simplified, *matched, files=files))
        self._prover.line = self._exchange.line(0, self._sizes)

    def finish(self) -> None:
        """Sweeps the rest, and applies the workers' results.

        Requires: `begin` was called.
        """
        sweep = self._sweep
        try:
            sweep.simplify(self._parts[0].source)
            for part, other in zip(self._parts[1:], self._others, strict=True):
                self._adopt(part.source, other.result())
            sweep.match(self._parts[0].target)
            for part, other in zip(self._parts[1:], self._others, strict=True):
                for piece in part.pieces:
                    if not sweep.gave_up:
                        self._adopt_matches(piece, other.result())
        finally:
            self.end()
        sweep.finish()

    def end(self) -> None:
        """Ends the workers that still run."""
        for other in self._others:
            other.end()
        self._prover.line = None
        self._exchange.close()

    def _simplified(self, number: int, part: Sequence[Term]) -> Found:
        """What is found in a part of the source, in a process of its own."""
        self._prover.line = self._exchange.line(number, self._sizes)
        return self._written(lambda: self._sweep.simplify(part))

    def _matched(self, part: Part, piece: Sequence[Term]) -> Found | None:
        """What is found in a piece of a part of the target, whatever the terms before the part are; None where that is
        too little."""
        sweep = self._sweep
        if piece is part.pieces[0]:
            sweep.suppose(self._orders[1][: part.start])
        found = self._written(lambda: sweep.match(piece))
        assert sweep.supposed is not None
        return None if sweep.gave_up else replace(found, left=sweep.supposed.left.intersection(t.id for t in piece))

    def _written(self, sweep: Callable[[], None]) -> Found:
        """What a sweep in this process finds, which is one beside another."""
        prover = self._prover
        prover.forget()
        journal = self._sweep.write_down()
        sweep()
        shapes, steps = journal.packed(self._size, prover.kinds)
        if prover.kinds.sizes() != self._sizes:
            raise RuntimeError("a kind or type has a number that only this process knows")
        return Found(shapes, steps, prover.answers())

    def _adopt(self, part: Sequence[Term], found: Found | None) -> None:
        """Takes the steps that another process found; where it failed, looks at the part."""
        if found is None:
            self._sweep.simplify(part)
        else:
            self._sweep.adopt(part, self._learnt(found))

    def _adopt_matches(self, part: Sequence[Term], found: Found | None) -> None:
        if found is None:
            self._sweep.match(part)
        else:
            self._sweep.adopt_matches(part, self._learnt(found), found.left)

    def _learnt(self, found: Found) -> Steps:
        self._prover.learn(found.answers, found.shapes)
        return unpacked(self._pool, self._prover.kinds, found.shapes, found.steps)


def _parts(source: Sequence[Term], target: Sequence[Term], count: int) -> list[Part]:
    """So many parts of both."""
    targets = _divided(target, count, FIRST_OF_TARGET)
    ends = accumulate(map(len, targets))
    divided = zip(_divided(source, count, FIRST), targets, ends, strict=True)
    return [Part(part, end - len(own), own, _divided(own, PIECES)) for part, own, end in divided]


def _divided(terms: Sequence[Term], count: int, first: float = 1.0) -> list[Sequence[Term]]:
    """Parts of one length but the `first`."""
    ends = [round(len(terms) * (first + k) / (first + count - 1)) for k in range(count)]
    return [terms[start:end] for start, end in zip([0, *ends], ends, strict=False)]
