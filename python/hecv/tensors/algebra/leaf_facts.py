"""What is known of the leaves of comprehensions: ranges of integers, booleans, definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from hecv.tensors.comprehension import (
    Comprehension,
    Index,
    Scalar,
    at_least_zero,
    fresh,
    index,
    real,
    scalar,
    truth,
)


class LeafFact(Struct, frozen=True):
    """What is known of one leaf."""

    integers: tuple[int, int] | None = None
    """Elements are integers with these bounds, both included."""
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
    """What is known of a leaf that holds these values: a definition where they are affine in the indices, or 0 and 1
    on two sides of a line; else the range, if they are integers."""
    values = np.asarray(array)
    finite = bool(np.all(np.isfinite(values))) if values.dtype.kind == "f" else True
    if values.size == 0 or values.dtype.kind not in "biuf" or not finite:
        return LeafFact(finite=finite, sizes=values.shape)
    if values.dtype.kind == "f" and not np.array_equal(values, np.rint(values)):
        one = values.flat[0]
        constant = (tuple(fresh(n) for n in values.shape), scalar(float(one))) if np.all(values == one) else None
        return LeafFact(finite=True, equals=constant, sizes=values.shape)
    low, high = int(values.min()), int(values.max())
    boolean = values.dtype.kind == "b" or (low >= 0 and high <= 1)
    indices = tuple(fresh(n) for n in values.shape)
    found = _affine(values, indices)
    if found is None and boolean:
        found = _half_plane(values, indices)
    return LeafFact(
        integers=(low, high),
        boolean=boolean,
        finite=True,
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


def _half_plane(values: np.ndarray[Any, Any], indices: tuple[Index, ...]) -> Scalar | None:
    """Booleans as the truth of `i - j >= c` for two of the dimensions, or `i >= c` for one, or the reverse."""
    axes = [axis for axis, n in enumerate(values.shape) if n > 1 and np.any(np.diff(values.astype(np.int8), axis=axis))]
    if not 1 <= len(axes) <= 2:
        return None
    grids = np.indices(values.shape)
    holds = values.astype(bool)
    signs = [(1,), (-1,)] if len(axes) == 1 else [(1, -1), (-1, 1), (1, 1), (-1, -1)]
    for sign in signs:
        number = np.add.reduce([s * grids[a] for s, a in zip(sign, axes, strict=True)])
        least = int(number[holds].min())
        if np.array_equal(number >= least, holds):
            value = index(-least)
            for s, a in zip(sign, axes, strict=True):
                value += indices[a] * s
            return truth(at_least_zero(value))
    return None
