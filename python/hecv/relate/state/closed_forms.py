"""Closed forms of buffers and constants: numbers, positions, masks by distance, tables of angles, cosines and sines.

The first three are exact. A table is the function that it samples up to the rounding of its storage and of the angles:
that is an assumption, and `deviation` is the largest difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct

from hecv.tensors.comprehension import Comprehension, Scalar, apply, real, scalar, select
from hecv.tensors.index_terms import Condition, Index, both, index

ROUNDING: Final = {"f64": 2.0**-50, "f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-10}
"""Rounding of a stored value of at most 1, with a factor of 2 to spare."""

ANGLES: Final = 2.0**-20
"""Rounding of an angle that is computed in f32, relative, with a factor of 8 to spare for the frequency."""

MOST_DIFFERENCES: Final = 2
"""Values of a mask, at most."""

MOST_PARTS: Final = 64
"""Tables, at most, in one buffer: some models have one for each layer."""


class ClosedForm(Struct, frozen=True):
    """A tensor by a formula. `array` are its exact values, `text` the formula in words; `over` are the tensors that it
    is a function of, and `deviation` the largest difference from what is stored."""

    kind: Literal["number", "positions", "mask", "table"]
    tensor: Comprehension
    array: Any
    text: str = ""
    over: tuple[str, ...] = ()
    deviation: float = 0.0


def exact_form(array: Any, element: str) -> ClosedForm | None:
    """The formula of an array of one number, of an integer function of positions, or of a mask by distance."""
    if not array.size:
        return None
    flat = array.reshape(-1)
    if np.isnan(flat.astype(np.float64)).any():
        return None
    if (flat == flat[0]).all():
        value = _number(flat[0])
        return ClosedForm("number", Comprehension(array.shape, lambda *_: value, element), array)
    if array.dtype.kind in "iu":
        return _affine(array, element)
    return _banded(array, element)


def _number(value: Any) -> Scalar:
    return scalar(value.item() if not isinstance(value.item(), bool) else int(value.item()))


def _affine(array: Any, element: str) -> ClosedForm | None:
    first = int(array.reshape(-1)[0])
    steps = [int(np.take(array, 1, d).reshape(-1)[0]) - first if n > 1 else 0 for d, n in enumerate(array.shape)]
    grid = np.indices(array.shape)
    if not np.array_equal(array, first + sum(s * g for s, g in zip(steps, grid, strict=True))):
        return None

    def at(*i: Index) -> Scalar:
        return real(sum((k * s for k, s in zip(i, steps, strict=True)), index(first)))

    return ClosedForm("positions", Comprehension(array.shape, at, element), array)


def _banded(array: Any, element: str) -> ClosedForm | None:
    """Two values: one where the distance of the last two indices is in an interval."""
    if array.ndim < 2 or np.unique(array.reshape(-1)).size > MOST_DIFFERENCES:
        return None
    rows, columns = array.shape[-2:]
    flat = array.reshape(-1, rows, columns)
    if not (flat == flat[:1]).all():
        return None
    distance = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    for value in np.unique(flat):
        inside = distance[flat[0] == value]
        low, high = int(inside.min()), int(inside.max())
        if np.array_equal(flat[0] == value, (distance >= low) & (distance <= high)):
            other = next(v for v in np.unique(flat) if v != value)
            bounds = (low if low > 1 - rows else None), (high if high < columns - 1 else None)

            return ClosedForm("mask", _band(array, element, (value, other), bounds), array)
    return None


def _band(array: Any, element: str, values: tuple[Any, Any], bounds: tuple[int | None, int | None]) -> Comprehension:
    inside, outside = map(_number, values)
    return Comprehension(array.shape, lambda *i: select(_between(i[-1] - i[-2], *bounds), inside, outside), element)


def _between(value: Index, low: int | None, high: int | None) -> Condition:
    return both(*(() if low is None else (value >= low,)), *(() if high is None else (value <= high,)))


# Tables


_Element = Callable[[str, Index], Scalar]
"""Position times frequency, or its cosine or sine, by the number of the frequency."""


class Frequencies(Struct, frozen=True):
    """A vector of frequencies: what it is called, the leaf that it is of, if any, its values and its elements."""

    text: str
    leaf: str | None
    array: Any
    tensor: Comprehension


def frequencies_of(name: str, array: Any, tensor: Comprehension) -> Iterator[Frequencies]:
    """The vector of frequencies that a tensor of floats may be, or those that the rows of a matrix may be."""
    if array.dtype.kind != "f" or array.size < 2:
        return
    if array.size == max(array.shape):
        along = array.shape.index(array.size)
        yield Frequencies(name, name, array.reshape(-1), _line(tensor, along, (0,) * array.ndim))
    elif array.ndim == 2 and array.shape[0] <= MOST_PARTS and array.shape[1] > 1:
        for k, row in enumerate(array):
            yield Frequencies(f"{name}[{k}]", name, row, _line(tensor, 1, (k, 0)))


def _line(tensor: Comprehension, along: int, places: tuple[int, ...]) -> Comprehension:
    """The elements of a tensor along one dimension, at these places of the others."""

    def at(number: Index) -> Scalar:
        return tensor[tuple(number if d == along else index(place) for d, place in enumerate(places))]

    return Comprehension((tensor.shape[along],), at, tensor.element)


class _Arrangement(Struct, frozen=True):
    """How the columns of a table are angles, cosines or sines of `m` frequencies, `each` columns a frequency: for each
    column the function and the frequency, and the element at a column."""

    name: str
    each: int
    columns: Callable[[int], list[tuple[str, int]]]
    at: Callable[[Index, int, _Element], Scalar]


def _one(function: str) -> Iterator[_Arrangement]:
    yield _Arrangement(function, 1, lambda m: [(function, k) for k in range(m)], lambda i, m, f: f(function, i))
    yield _Arrangement(
        f"{function}, twice,",
        2,
        lambda m: [(function, k % m) for k in range(2 * m)],
        lambda i, m, f: select(i < m, f(function, i), f(function, i - m)),
    )
    yield _Arrangement(
        f"{function}, each twice,",
        2,
        lambda m: [(function, k // 2) for k in range(2 * m)],
        lambda i, m, f: f(function, i // 2),
    )


_VALUES: Final[Mapping[str, Callable[[Any], Any]]] = {"angle": lambda angle: angle, "cos": np.cos, "sin": np.sin}

_ARRANGEMENTS: Final = (
    *_one("cos"),
    *_one("sin"),
    _Arrangement(
        "cos, then sin,",
        2,
        lambda m: [("cos", k) for k in range(m)] + [("sin", k) for k in range(m)],
        lambda i, m, f: select(i < m, f("cos", i), f("sin", i - m)),
    ),
    _Arrangement(
        "cos and sin in turn",
        2,
        lambda m: [(function, k) for k in range(m) for function in ("cos", "sin")],
        lambda i, m, f: select((i % 2).equals(0), f("cos", i // 2), f("sin", i // 2)),
    ),
    *_one("angle"),
)


class _Part(Struct, frozen=True):
    """Columns of a table, from `start` to `stop` along one dimension, and what they are of which frequencies."""

    start: int
    stop: int
    arrangement: _Arrangement
    frequencies: Frequencies
    exact: Any


def table_form(array: Any, element: str, frequencies: Sequence[Frequencies]) -> ClosedForm | None:
    """The formula of a table of position times frequency, or of cosines or sines of that, or of several such tables
    that are stacked or joined. One dimension is positions."""
    if array.dtype.kind != "f" or array.ndim < 2 or not array.size or element not in ROUNDING:
        return None
    for rows in range(array.ndim):
        if array.shape[rows] < 2:
            continue
        columns = np.moveaxis(array, rows, 0)
        for along in range(array.ndim - 1):
            parts = _parts(columns, along, element, frequencies)
            if parts:
                return _joined_parts(array, element, rows, along, parts)
    return None


def _parts(columns: Any, along: int, element: str, frequencies: Sequence[Frequencies]) -> list[_Part] | None:
    """The tables that columns, [positions, ...], are made of along one dimension of the columns, the widest first."""
    found: list[_Part] = []
    start, width = 0, columns.shape[along + 1]
    while start < width:
        rest = np.take(columns, range(start, width), along + 1)
        part = _widest(rest, along, element, frequencies, start) if len(found) < MOST_PARTS else None
        if part is None:
            return None
        found.append(part)
        start = part.stop
    return found


def _widest(columns: Any, along: int, element: str, frequencies: Sequence[Frequencies], start: int) -> _Part | None:
    """The widest table that columns begin with."""
    whole = columns.shape[along + 1]
    one = prod(columns.shape[1:]) // whole
    fitting = [
        (f.array.size * arrangement.each // one, f, arrangement)
        for f in frequencies
        for arrangement in _ARRANGEMENTS
        if f.array.size * arrangement.each % one == 0 and f.array.size * arrangement.each <= one * whole
    ]
    for width, of, arrangement in sorted(fitting, key=lambda f: -f[0]):
        cut = np.take(columns, range(width), along + 1)
        table, named = cut.reshape(len(cut), -1), arrangement.columns(of.array.size)
        if _is_sampled(table[:2], of, named, element) is not None:
            exact = _is_sampled(table, of, named, element)
            if exact is not None:
                return _Part(start, start + width, arrangement, of, exact.reshape(cut.shape))
    return None


def _is_sampled(table: Any, of: Frequencies, named: list[tuple[str, int]], element: str) -> Any | None:
    """The exact values of what a table samples, if it is that but for the rounding of angles and storage."""
    angles = np.arange(len(table))[:, None] * of.array[[k for _, k in named]][None, :]
    exact = np.stack([_VALUES[function](column) for (function, _), column in zip(named, angles.T, strict=True)], 1)
    allowed = ROUNDING[element] * np.abs(exact) + ANGLES * np.abs(angles)
    return exact if (np.abs(table - exact) <= allowed).all() else None


def _joined_parts(array: Any, element: str, rows: int, along: int, parts: list[_Part]) -> ClosedForm:
    """The table whose dimension `rows` is positions and whose columns are parts along one of the other dimensions."""
    shape = tuple(n for d, n in enumerate(array.shape) if d != rows)
    exact = np.moveaxis(np.concatenate([part.exact for part in parts], along + 1), 0, rows)

    def at(*i: Index) -> Scalar:
        columns = (*i[:rows], *i[rows + 1 :])
        found = None
        for part in reversed(parts):
            inner = (*shape[:along], part.stop - part.start, *shape[along + 1 :])
            places = (*columns[:along], columns[along] - part.start, *columns[along + 1 :])
            here = _element(part, i[rows], inner, places)
            found = here if found is None else select(columns[along] < part.stop, here, found)
        assert found is not None
        return found

    text = ", ".join(f"{part.arrangement.name} of position * {part.frequencies.text}" for part in parts)
    over = tuple(dict.fromkeys(p.frequencies.leaf for p in parts if p.frequencies.leaf))
    away = float(np.abs(array - exact).max())
    return ClosedForm("table", Comprehension(array.shape, at, element), exact, text, over, away)


def _element(part: _Part, position: Index, inner: tuple[int, ...], places: tuple[Index, ...]) -> Scalar:
    """The element of a part at a position, and at a place among its columns."""
    column = index(0)
    for n, k in zip(inner, places, strict=True):
        column = column * n + k

    def term(function: str, number: Index) -> Scalar:
        angle = real(position) * part.frequencies.tensor[(number,)]
        return angle if function == "angle" else apply(function, angle)

    return part.arrangement.at(column, part.frequencies.array.size, term)
