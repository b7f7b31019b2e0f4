"""Closed forms of buffers and constants: numbers, positions, masks by distance, tables of angles, cosines and sines.

The first three are exact. A table is the function that it samples up to the rounding of its storage and of the angles:
that is an assumption, and `deviation` is the largest difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct

from hecv.tensors.comprehension import (
    Comprehension,
    Condition,
    Index,
    Scalar,
    apply,
    both,
    index,
    real,
    scalar,
    select,
)

ROUNDING: Final = {"f64": 2.0**-50, "f32": 2.0**-23, "bf16": 2.0**-8, "f16": 2.0**-10}
"""Rounding of a stored value of at most 1, with a factor of 2 to spare."""

ANGLES: Final = 2.0**-20
"""Rounding of an angle that is computed in f32, relative, with a factor of 8 to spare for the frequency."""

MOST_DIFFERENCES: Final = 2
"""Values of a mask, at most."""


class ClosedForm(Struct, frozen=True):
    """A tensor by a formula. `array` are its exact values, `text` the formula in words; `over` is the tensor that it is
    a function of, if any, and `deviation` the largest difference from what is stored."""

    kind: Literal["number", "positions", "mask", "table"]
    tensor: Comprehension
    array: Any
    text: str = ""
    over: str | None = None
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


class _Arrangement(Struct, frozen=True):
    """How the columns of a table are angles, cosines or sines of `m` frequencies: in columns of a number, for each of
    them the function and the frequency, and the element at a column."""

    name: str
    columns: Callable[[int], list[tuple[str, int]]]
    at: Callable[[Index, int, _Element], Scalar]


def _one(function: str) -> Iterator[_Arrangement]:
    yield _Arrangement(function, lambda m: [(function, k) for k in range(m)], lambda i, m, f: f(function, i))
    yield _Arrangement(
        f"{function}, twice,",
        lambda m: [(function, k % m) for k in range(2 * m)],
        lambda i, m, f: select(i < m, f(function, i), f(function, i - m)),
    )
    yield _Arrangement(
        f"{function}, each twice,",
        lambda m: [(function, k // 2) for k in range(2 * m)],
        lambda i, m, f: f(function, i // 2),
    )


_VALUES: Final[Mapping[str, Callable[[Any], Any]]] = {"angle": lambda angle: angle, "cos": np.cos, "sin": np.sin}

_ARRANGEMENTS: Final = (
    *_one("cos"),
    *_one("sin"),
    _Arrangement(
        "cos, then sin,",
        lambda m: [("cos", k) for k in range(m)] + [("sin", k) for k in range(m)],
        lambda i, m, f: select(i < m, f("cos", i), f("sin", i - m)),
    ),
    _Arrangement(
        "cos and sin in turn",
        lambda m: [(function, k) for k in range(m) for function in ("cos", "sin")],
        lambda i, m, f: select((i % 2).equals(0), f("cos", i // 2), f("sin", i // 2)),
    ),
    *_one("angle"),
)


def table_form(array: Any, element: str, frequencies: Mapping[str, tuple[Any, Comprehension]]) -> ClosedForm | None:
    """The formula of a table of position times frequency, or of cosines or sines of that, with the frequencies of one
    of these tensors; rows are positions."""
    shape = array.shape
    if array.dtype.kind != "f" or array.ndim < 2 or element not in ROUNDING:
        return None
    leading = next(k for k in range(array.ndim) if shape[k] > 1 or k == array.ndim - 2)
    table = array.reshape(shape[leading], -1)
    rows, columns = table.shape
    if rows < 2:
        return None
    for name, (values, tensor) in frequencies.items():
        for arrangement in _ARRANGEMENTS:
            named = arrangement.columns(values.size)
            if len(named) != columns:
                continue
            angles = np.arange(rows)[:, None] * values.reshape(-1)[[k for _, k in named]][None, :]
            exact = np.stack(
                [_VALUES[function](column) for (function, _), column in zip(named, angles.T, strict=True)], 1
            )
            away = np.abs(table - exact)
            if (away <= ROUNDING[element] * np.abs(exact) + ANGLES * np.abs(angles)).all():
                made = _table(array, element, leading, arrangement, tensor)
                text = f"{arrangement.name} of position * {name}"
                return ClosedForm("table", made, exact.reshape(shape), text, name, float(away.max()))
    return None


def _table(
    array: Any, element: str, leading: int, arrangement: _Arrangement, frequencies: Comprehension
) -> Comprehension:
    inner, size = array.shape[leading + 1 :], int(np.prod(frequencies.shape))

    def at(*i: Index) -> Scalar:
        column = index(0)
        for n, k in zip(inner, i[leading + 1 :], strict=True):
            column = column * n + k

        def term(function: str, number: Index) -> Scalar:
            place = tuple(number if n == size and n > 1 else index(0) for n in frequencies.shape)
            angle = real(i[leading]) * frequencies[place]
            return angle if function == "angle" else apply(function, angle)

        return arrangement.at(column, size, term)

    return Comprehension(array.shape, at, element)
