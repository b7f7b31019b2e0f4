"""A long pair of functions in slices: statements that follow each other on both sides, and all that they compute.

Where statements of different slices have few terms in common, as loops have that stand one after the other, each slice
is swept in a process of its own, and knows nothing of what the others find. Both functions do the same where each slice
of one does what that of the other does: they are compared statement by statement anyway
(`hecv.sweep.statement_alignment`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term
from hecv.process.forked_child import Beside
from hecv.program.tree import Evaluate, Function, Statement, roots, walk
from hecv.run.interpreter.outcome_analysis import terms_of

FIRST: Final = 0.6
"""The first slice is so many times as long as another: this process has more to do meanwhile."""

MOST_TWICE: Final = 0.1
"""Of all terms so many may be in several slices."""

LARGEST: Final = 0.75
"""Of all terms a slice has so many at most."""

T = TypeVar("T")


class Slice(Struct, frozen=True):
    """Statements of both functions, as functions, and the terms of these, operands before users."""

    functions: tuple[Function, Function]
    orders: tuple[list[Term], list[Term]]


def sliced(functions: tuple[Function, Function], count: int) -> list[Slice] | None:
    """Functions of one shape in so many slices; None where these had much in common, and where a function evaluates
    what may be undefined outside of loops and branches: that concerns all that stands behind it.

    Requires: both have statements of the same kinds in the same blocks, operators that are only evaluated aside.
    """
    bodies = [f.body for f in functions]
    if any(isinstance(s, Evaluate) for body in bodies for s in body) or len(bodies[0]) < count:
        return None
    weights = [sum(pair) for pair in zip(*map(_weights, bodies), strict=True)]
    ends = _ends(weights, count)
    if ends is None:
        return None
    slices: list[Slice] = []
    for start, end in zip([0, *ends], ends, strict=False):
        source, target = (replace(f, body=f.body[start:end]) for f in functions)
        slices.append(Slice((source, target), (terms_of(source), terms_of(target))))
    size = sum(len(order) for one in slices for order in one.orders)
    return slices if size <= sum(weights) * (1 + MOST_TWICE) else None


def _weights(body: Sequence[Statement]) -> list[int]:
    """How many terms each statement has that none before it has."""
    seen: set[int] = set()
    found: list[int] = []
    for statement in body:
        before = len(seen)
        waiting = [t for s in walk((statement,)) for t in roots(s)]
        while waiting:
            term = waiting.pop()
            if term.id not in seen:
                seen.add(term.id)
                waiting += term.args
        found.append(len(seen) - before)
    return found


def _ends(weights: Sequence[int], count: int) -> list[int] | None:
    """Where slices end; None where one would be most of all."""
    total, sums = sum(weights), [0, *accumulate(weights)]
    limits = [total * (FIRST + k) / (FIRST + count - 1) for k in range(count)]
    ends = [min(range(len(sums)), key=lambda k, limit=limit: abs(sums[k] - limit)) for limit in limits]
    ends[-1] = len(weights)  # also of statements at the end that have no terms of their own
    sizes = [sums[end] - sums[start] for start, end in zip([0, *ends], ends, strict=False)]
    return ends if min(sizes) > 0 and max(sizes) <= total * LARGEST else None


class Slices(Generic[T]):
    """Slices that are swept in processes of their own, the first in this one."""

    def __init__(self, slices: Sequence[Slice], sweep: Callable[[Slice], T]) -> None:
        self._slices: Final = slices
        self._sweep: Final[Callable[[Slice], T]] = sweep
        self._others: Final = [Beside(partial(sweep, one)) for one in slices[1:]]

    def finish(self) -> list[T]:
        """What came of each slice; where a process failed, it is swept here."""
        try:
            found = [self._sweep(self._slices[0])]
            for one, other in zip(self._slices[1:], self._others, strict=True):
                found.append(other.result() or self._sweep(one))
            return found
        finally:
            self.end()

    def end(self) -> None:
        """Ends the processes that have not ended."""
        for other in self._others:
            other.end()
