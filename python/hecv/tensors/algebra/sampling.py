"""Refutation by sampling: values of both sides where leaves hold pseudo-random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast
from zlib import crc32

import numpy as np

from hecv.tensors.algebra.leaf_facts import LeafFacts
from hecv.tensors.comprehension import Read, Reduce, Scalar
from hecv.tensors.index_terms import Position, Variable
from hecv.tensors.substitution import Rewriter, subterms
from hecv.tensors.term_values import Array, Evaluator

SAMPLES: Final = 2
"""Choices of the leaves."""

POINTS: Final = 3
"""Values of the index variables at which both sides are compared, one at a time."""

LARGEST: Final = 1 << 20
"""Elements of a reduction, nested ones multiplied, up to which terms are evaluated."""

WHOLE: Final = 16
"""The largest sample of an integer without bounds."""

APART: Final = 1e-8
"""Relative difference in f64 that rounding does not explain."""


def differ(variables: Sequence[Variable], left: Scalar, right: Scalar, facts: LeafFacts) -> bool:
    """Whether both sides have different finite values at some sampled point."""
    left, right = _unfolded(left, facts), _unfolded(right, facts)
    terms = subterms(left, right)
    positions = [t for p in terms if isinstance(p, Position) for t in subterms(p.scalar) if isinstance(t, Read)]
    if any(facts.of(t.tensor).integers is None and not facts.of(t.tensor).boolean for t in positions):
        return False
    if any(isinstance(t, Reduce) and _size(t) > LARGEST for t in terms):
        return False
    generator = np.random.default_rng(len(terms))
    for sample in range(SAMPLES):
        evaluator = Evaluator(lambda name, at, n=sample: _element(n, name, at, facts), {})
        for point in range(POINTS):
            values = {v: np.array([int(generator.integers(v.extent)) if point else v.extent - 1]) for v in variables}
            try:
                one, other = (evaluator.on(t, values, tuple(variables)).item() for t in (left, right))
            except (KeyError, MemoryError, TypeError):
                return False
            if np.isfinite(one) and np.isfinite(other) and abs(one - other) > APART * max(abs(one), abs(other), 1e-3):
                return True
    return False


def _size(term: Reduce) -> int:
    own = 1
    for v in term.variables:
        own *= v.extent
    inner = [t for t in subterms(term.body) if isinstance(t, Reduce)]
    return own * max(map(_size, inner), default=1)


def _unfolded(term: Scalar, facts: LeafFacts) -> Scalar:
    """The term with definitions in place of leaves that have one."""
    return _Unfolder(facts).scalar(term)


class _Unfolder(Rewriter):
    def __init__(self, facts: LeafFacts) -> None:
        super().__init__({})
        self.facts = facts

    def scalar(self, term: Scalar) -> Scalar:
        found = super().scalar(term)
        if isinstance(found, Read) and (fact := self.facts.of(found.tensor)).equals is not None:
            variables, body = fact.equals
            change = {
                cast(Variable, v.terms[0][0]): i for v, i in zip(variables, found.indices, strict=True) if v.terms
            }
            return self.scalar(Rewriter(change).scalar(body))
        return found


def _element(sample: int, name: str, at: Sequence[Array], facts: LeafFacts) -> Array:
    """Pseudo-random elements of a leaf that depend on the sample, the name and the indices alone."""
    fact = facts.of(name)
    state = np.full(np.broadcast_shapes(*(i.shape for i in at)), crc32(name.encode()) + 7919 * sample, dtype=np.uint64)
    for i in at:
        state = _mixed(state + i.astype(np.int64).astype(np.uint64))
    state = _mixed(state)
    if fact.boolean:
        return (state & np.uint64(1)).astype(np.float64)
    if fact.integers is not None:
        low, high = fact.integers
        return low + (state % np.uint64(high - low + 1)).astype(np.float64)
    if fact.whole:
        return (state % np.uint64(2 * WHOLE + 1)).astype(np.float64) - WHOLE
    return (state >> np.uint64(11)).astype(np.float64) / 2.0**52 - 1.0 + 1e-3 * sample


def _mixed(state: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """One round of SplitMix64."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
