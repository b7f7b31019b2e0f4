"""Layouts: where the elements of one tensor stand in another, found from values and written as digits of indices.

A layout maps the indices of the target's tensor to those of the source's. Both are split into digits
(`i = 8 * h + d`), and each digit of one side is a digit of the other: transposes, reshapes, and any chain of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.tensors.comprehension import Comprehension
from hecv.tensors.index_terms import Index, Size, index

CLOSE: Final = 1e-9
"""Relative difference, at most, of values in f64 that are taken as equal."""


class Digit(Struct, frozen=True):
    """A digit of a target index that is a digit of a source index: `target[to] // below % size`, times `weight`, is
    added to `source[of]`."""

    to: int
    below: int
    size: int
    of: int
    weight: int


class Layout(Struct, frozen=True):
    """The indices of the source's tensor for those of the target's."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    digits: tuple[Digit, ...]

    def indices(self, target: Sequence[Index]) -> tuple[Index, ...]:
        """The indices of the source for these of the target."""
        found = [index(0)] * len(self.source)
        for digit in self.digits:
            part = target[digit.to] // digit.below
            if digit.below * digit.size != self.target[digit.to]:
                part = part % digit.size
            found[digit.of] = found[digit.of] + part * digit.weight
        return tuple(found)

    def applied(self, source: Comprehension, shape: tuple[int, ...]) -> Comprehension:
        """The source's tensor, in the order of the target's and its shape: the layout's own, or one in which `Size`s
        stand for some of its sizes."""
        return Comprehension(shape, lambda *i: source[self.indices(i)], source.element)

    @property
    def is_identity(self) -> bool:
        return self.source == self.target and all(
            d.to == d.of and d.below == 1 and d.weight == 1 and d.size == self.source[d.of] for d in self.digits
        )


def identity(shape: tuple[int, ...]) -> Layout:
    """The layout of a tensor as itself."""
    return Layout(
        shape, shape, tuple(Digit(d, 1, n, d, 1) for d, n in enumerate(shape) if isinstance(n, Size) or n > 1)
    )


def close(left: Any, right: Any) -> bool:
    """Whether arrays of one shape are equal but for rounding; NaN equals NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        scale = max(1e-30, float(np.max(np.abs(left), where=np.isfinite(left), initial=0.0)))
        near = np.abs(left - right) <= CLOSE * (np.abs(left) + 1e-3 * scale)
        return bool(np.all(near | (left == right) | (np.isnan(left) & np.isnan(right))))


def locate(source: Any, target: Any) -> Layout | None:
    """The layout by which the target's values are the source's; none if values repeat and no plain reshape fits."""
    if source.size != target.size or not source.size:
        return None
    if close(source.reshape(-1), target.reshape(-1)):
        return layout_of(np.arange(source.size), source.shape, target.shape)
    ours, theirs = source.reshape(-1), target.reshape(-1)
    first, second = np.argsort(ours, kind="stable"), np.argsort(theirs, kind="stable")
    places = np.empty(ours.size, np.int64)
    places[second] = first
    if not close(ours[places], theirs):
        return None
    return layout_of(places, source.shape, target.shape)


def layout_of(places: Any, source: tuple[int, ...], target: tuple[int, ...]) -> Layout | None:
    """The layout that maps the flat target index `k` to the flat source index `places[k]`; none if it is no map of
    digits."""
    if places[0] != 0:
        return None
    found, rest, below = list[tuple[int, int, int]](), places, 1  # places below it, size, stride in the source
    while rest.size > 1:
        stride = int(rest[1])
        size = _run(rest, stride)
        if size < 2 or rest.size % size:
            return None
        rows = rest.reshape(-1, size)
        if not np.array_equal(rows, rows[:, :1] + stride * np.arange(size)):
            return None
        found.append((below, size, stride))
        rest, below = rows[:, 0], below * size
    digits = [d for digit in found for d in _within(digit, source, target)]
    if any(d is None for d in digits):
        return None
    return Layout(source, target, tuple(d for d in digits if d is not None))


def _run(row: Any, stride: int) -> int:
    """The largest divisor of the length up to which the row goes in steps of `stride`."""
    steps = np.flatnonzero(row != stride * np.arange(row.size))
    length = int(steps[0]) if steps.size else int(row.size)
    return next(n for n in range(length, 0, -1) if row.size % n == 0)


def _within(digit: tuple[int, int, int], source: tuple[int, ...], target: tuple[int, ...]) -> list[Digit | None]:
    """A digit, cut where a dimension of either side ends; None where it cannot be."""
    below, size, stride = digit
    found: list[Digit | None] = []
    while size > 1:
        to, inner = _dimension(target, below)
        of, outer = _dimension(source, stride)
        part = min(size, target[to] * inner // below, source[of] * outer // stride)
        if size % part or (target[to] * inner) % (below * part) or (source[of] * outer) % (stride * part):
            return [*found, None]
        if below % inner or stride % outer or part < 2:
            return [*found, None]
        found.append(Digit(to, below // inner, part, of, stride // outer))
        below, size, stride = below * part, size // part, stride * part
    return found


def _dimension(shape: tuple[int, ...], flat: int) -> tuple[int, int]:
    """The dimension in which a flat stride lies, and the stride of that dimension."""
    strides = list(accumulate(reversed(shape[1:]), mul, initial=1))[::-1]
    return next((d, s) for d, (s, n) in enumerate(zip(strides, shape, strict=True)) if n > 1 and s <= flat < s * n)
