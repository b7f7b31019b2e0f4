"""A quick sweep in parts: terms of the source that may be something simpler are looked at in several processes at once.

What a process finds is a list of steps (`hecv.egraph.steps`). This process looks at the first part, and takes the steps
of the others in their order, each of which it checks against what it has shown itself. The other processes begin as
soon as the source is entered, while this one may do something else. Nothing depends on how fast they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from hecv.base.beside import Beside
from hecv.base.term import Term, TermPool
from hecv.egraph.cuts import Shape
from hecv.egraph.quick import QuickSweep
from hecv.egraph.shapes import Answers, ShapeProver
from hecv.egraph.steps import Packed, unpacked

FIRST: Final = 0.6
"""The first part is so many times as long as another: this process has more to do meanwhile."""


MISSING: Final = 8
"""A sweep over the whole may find more: where more than one in so many terms are not found, it is for that to try."""


class Found(Struct, frozen=True):
    """What another process found in a part."""

    shapes: list[Shape]
    steps: list[Packed]
    answers: Answers


class Parts:
    """A sweep over both programs, over the source in so many parts."""

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
        self._parts: list[Sequence[Term]] = []
        self._others: list[Beside] = []

    def begin(self) -> None:
        """Enters the source, and has all parts but the first looked at beside."""
        sweep, kinds = self._sweep, self._prover.kinds
        source, target = self._orders
        sweep.begin(len(source) + len(target))
        sweep.enter(source)
        for term in (*source, *target):  # so that kinds and types have the same numbers in all processes
            kinds.type_number(term.type)
            if term.args:
                kinds.of(term, list(term.args))
        self._parts = _divided(sweep.doubtful, self._count)
        self._others = [Beside(partial(self._search, part)) for part in self._parts[1:]]

    def finish(self) -> None:
        """Sweeps over what is left.

        Requires: it was begun.
        """
        sweep = self._sweep
        try:
            sweep.simplify(self._parts[0])
            for part, other in zip(self._parts[1:], self._others, strict=True):
                self._adopt(part, other.result())
        finally:
            self.end()
        sweep.missing = MISSING
        sweep.match(self._orders[1])
        sweep.finish()

    def end(self) -> None:
        """Ends the processes that have not ended."""
        for other in self._others:
            other.end()

    def _search(self, part: Sequence[Term]) -> Found:
        """What is found in a part, in a process of its own."""
        size, prover = len(self._pool.terms()), self._prover
        sizes = prover.kinds.sizes()
        prover.forget()
        journal = self._sweep.write_down()
        self._sweep.simplify(part)
        shapes, steps = journal.packed(size, prover.kinds)
        if prover.kinds.sizes() != sizes:
            raise RuntimeError("a kind or type has a number that only this process knows")
        return Found(shapes, steps, prover.answers())

    def _adopt(self, part: Sequence[Term], found: Found | None) -> None:
        """Takes the steps that another process found; where it failed, looks at the part."""
        if found is None:
            self._sweep.simplify(part)
            return
        self._prover.learn(found.answers, found.shapes)
        self._sweep.adopt(part, unpacked(self._pool, self._prover.kinds, found.shapes, found.steps))


def _divided(terms: Sequence[Term], count: int) -> list[Sequence[Term]]:
    """Parts of one length but the first."""
    ends = [round(len(terms) * (FIRST + k) / (FIRST + count - 1)) for k in range(count)]
    return [terms[start:end] for start, end in zip([0, *ends], ends, strict=False)]
