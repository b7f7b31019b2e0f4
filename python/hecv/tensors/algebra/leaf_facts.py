"""What is known of the leaves of comprehensions: ranges of integers, booleans, definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from hecv.tensors.comprehension import Comprehension, Scalar, real, scalar, select
from hecv.tensors.index_terms import Index, at_least_zero, fresh, index


class LeafFact(Struct, frozen=True):
    """What is known of one leaf."""

    integers: tuple[int, int] | None = None
    """Elements are integers with these bounds, both included."""
    whole: bool = False
    """Elements are integers, of which no bounds need be known."""
    boolean: bool = False
    """Elements are 0 or 1."""
    finite: bool = False
    """No element is infinite. Where it is not known it is assumed, and the assumption is counted."""
    equals: tuple[tuple[Index, ...], Scalar] | None = None
    """The element at these index variables, whose extents are the sizes of the leaf."""
    because: str = ""
    """If not empty, `equals` is an assumption with this text (`table samples cos(p * f)`)."""
    sizes: tuple[int, ...] | None = None


NOTHING = LeafFact()


class LeafFacts(Struct, frozen=True):
    """What is known of leaves, by their names."""

    leaves: Mapping[str, LeafFact] = {}

    def of(self, name: str) -> LeafFact:
        return self.leaves.get(name, NOTHING)


def defined_as(tensor: Comprehension, because: str = "") -> LeafFact:
    """The fact that a leaf has the elements of a comprehension."""
    return LeafFact(equals=tensor.generic(), because=because, finite=True, sizes=tensor.shape)


def fact_of_array(array: np.ndarray[Any, Any]) -> LeafFact:
    """What is known of a leaf that holds these values: a definition where they are affine in the indices, repeat or
    grow in equal steps, or are two values on two sides of a line (a mask); else the range, if they are integers."""
    values = np.asarray(array)
    if values.size == 0 or values.dtype.kind not in "biuf" or (values.dtype.kind == "f" and np.isnan(values).any()):
        return LeafFact(sizes=values.shape)
    finite = bool(np.all(np.isfinite(values)))
    indices = tuple(fresh(n) for n in values.shape)
    whole = finite and np.array_equal(values, np.rint(values))
    found = (_affine(values, indices) or _stepwise(values, indices)) if whole else None
    found = found or _half_plane(values, indices)
    low, high = (int(values.min()), int(values.max())) if whole else (0, -1)
    return LeafFact(
        integers=(low, high) if whole else None,
        boolean=whole and low >= 0 and high <= 1,
        finite=finite,
        equals=None if found is None else (indices, found),
        sizes=values.shape,
    )


def _affine(values: np.ndarray[Any, Any], indices: tuple[Index, ...]) -> Scalar | None:
    """The integers as an affine function of the indices."""
    integers = values.astype(np.int64)
    origin = int(integers.flat[0])
    total, guess = index(origin), np.full((1,) * values.ndim, origin, dtype=np.int64)
    for axis, (i, n) in enumerate(zip(indices, values.shape, strict=True)):
        if n > 1:
            step = int(integers[tuple(1 if a == axis else 0 for a in range(values.ndim))]) - origin
            total += i * step
            guess = guess + step * np.arange(n).reshape([n if a == axis else 1 for a in range(values.ndim)])
    return real(total) if np.array_equal(np.broadcast_to(guess, values.shape), integers) else None


def _stepwise(values: np.ndarray[Any, Any], indices: tuple[Index, ...]) -> Scalar | None:
    """Integers of one dimension as `a + s * (i mod n)` or `a + s * (i floordiv n)`: positions or numbers of documents
    of equal length."""
    if values.ndim != 1 or values.size < 2:
        return None
    integers, places, origin = values.astype(np.int64), np.arange(values.size), int(values[0])
    changes, returns = np.flatnonzero(integers != origin), np.flatnonzero(integers[1:] == origin)
    if changes.size == 0:
        return None
    first, step = int(changes[0]), int(integers[changes[0]]) - origin
    if np.array_equal(origin + step * (places // first), integers):
        return real(indices[0] // first * step + origin)
    period = int(returns[0]) + 1 if returns.size else values.size
    if first == 1 and np.array_equal(origin + step * (places % period), integers):
        return real(indices[0] % period * step + origin)
    return None


def _half_plane(values: np.ndarray[Any, Any], indices: tuple[Index, ...]) -> Scalar | None:
    """One value, or two: one where `i - j >= c` for two of the dimensions, or `i >= c` for one, and the other else."""
    low, high = values.min(), values.max()
    if not np.all((values == low) | (values == high)):
        return None
    below, above = (_exact(low), _exact(high))
    holds = values == high
    axes = [axis for axis in range(values.ndim) if np.any(np.diff(holds.astype(np.int8), axis=axis))]
    if not axes:
        return above
    signs = {1: [(1,), (-1,)], 2: [(1, -1), (-1, 1), (1, 1), (-1, -1)]}.get(len(axes), [])
    grids = np.indices(values.shape)
    for sign in signs:
        number = np.add.reduce([s * grids[a] for s, a in zip(sign, axes, strict=True)])
        least = int(number[holds].min())
        if np.array_equal(number >= least, holds):
            value = index(-least)
            for s, a in zip(sign, axes, strict=True):
                value += indices[a] * s
            return select(at_least_zero(value), above, below)
    return None


def _exact(value: Any) -> Scalar:
    return scalar(float(value)) if np.issubdtype(type(value), np.floating) else scalar(int(value))
