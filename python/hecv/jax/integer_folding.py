"""Constant folding of integers and truth values in StableHLO: subscripts, trip counts and numbers of ranks that a
program computes are known before it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

MOST: Final = 1 << 16
"""Elements, at most, of an array that is folded."""

DTYPES: Final[Mapping[str, Any]] = {
    "i1": np.bool_,
    **{f"i{n}": np.dtype(f"int{n}").type for n in (8, 16, 32, 64)},
    **{f"ui{n}": np.dtype(f"uint{n}").type for n in (8, 16, 32, 64)},
}
"""The type of an array that holds elements of this type; floats are not folded."""

Folding = Callable[..., Any]


def _quotient(x: Any, y: Any) -> Any:
    """Rounded to zero.

    Raises: ZeroDivisionError.
    """
    if not np.all(y):
        raise ZeroDivisionError
    down = x // y
    return down + ((x % y != 0) & ((x < 0) != (y < 0))).astype(down.dtype)


_POINTWISE: Final[Mapping[str, Folding]] = {
    "add": lambda x, y: x | y if x.dtype == np.bool_ else x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x & y if x.dtype == np.bool_ else x * y,
    "divide": _quotient,
    "remainder": lambda x, y: x - _quotient(x, y) * y,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "negate": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "select": np.where,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
}

WHOLE: Final[Mapping[str, Folding]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "maximum": max,
    "minimum": min,
}
"""Ops on whole numbers."""

COMPARISONS: Final[Mapping[str, Folding]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def folded(
    op: str, operands: Sequence[Any], shape: tuple[int, ...], element: str, numbers: Mapping[str, Sequence[int]]
) -> Any:
    """The result of an op on known arrays, None if it is not folded; `numbers` are its attributes."""
    dtype = DTYPES.get(element)
    if dtype is None or int(np.prod(shape)) > MOST:
        return None
    try:
        with np.errstate(over="ignore"):
            found = _folded(op, operands, shape, numbers)
    except ZeroDivisionError:
        return None
    return None if found is None else np.asarray(found).astype(dtype).reshape(shape)


def _folded(op: str, operands: Sequence[Any], shape: tuple[int, ...], numbers: Mapping[str, Sequence[int]]) -> Any:
    if op in _POINTWISE:
        return _POINTWISE[op](*operands)
    match op:
        case "convert" | "reshape":
            return operands[0] != 0 if op == "convert" and numbers["boolean"][0] else operands[0]
        case "iota":
            along = int(numbers["iota_dimension"][0])
            sizes = [n if d == along else 1 for d, n in enumerate(shape)]
            return np.broadcast_to(np.arange(shape[along]).reshape(sizes), shape)
        case "broadcast_in_dim":
            places = list(numbers["broadcast_dimensions"])
            order = sorted(range(len(places)), key=places.__getitem__)
            moved = np.transpose(operands[0], order)
            sizes = [1] * len(shape)
            for place, size in zip(sorted(places), moved.shape, strict=True):
                sizes[place] = size
            return np.broadcast_to(moved.reshape(sizes), shape)
        case "transpose":
            return np.transpose(operands[0], list(numbers["permutation"]))
        case "slice":
            parts = zip(*(numbers[k] for k in ("start_indices", "limit_indices", "strides")), strict=True)
            return operands[0][tuple(slice(a, b, c) for a, b, c in parts)]
        case "dynamic_slice":
            whole, starts = operands[0], operands[1:]
            places = [
                min(max(int(s), 0), n - size)
                for s, n, size in zip(starts, whole.shape, numbers["slice_sizes"], strict=True)
            ]
            return whole[tuple(slice(a, a + size) for a, size in zip(places, numbers["slice_sizes"], strict=True))]
        case "concatenate":
            return np.concatenate(operands, int(numbers["dimension"][0]))
        case _:
            return None
