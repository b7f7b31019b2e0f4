"""Clean expressions: how a tensor of the sequential model is put together from tensors of the ranks, without arithmetic
other than sums over ranks (GraphGuard, section 4); their values, as arrays and as comprehensions. `expression_text` has
how they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from math import prod
from operator import add
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hecv.tensors.comprehension import Comprehension, Scalar, leaf, select
from hecv.tensors.definitions.aten_layout import reshaped
from hecv.tensors.generalisation import concatenated, reduced
from hecv.tensors.index_terms import Index, both
from hecv.tensors.term_values import evaluate

Kind = Literal["concat", "sum", "stack", "replicate"]
Shape = tuple[int, ...]


class Tensor(Struct, frozen=True):
    """A tensor of a rank."""

    name: str
    rank: int


class Join(Struct, frozen=True):
    """Tensors of several ranks as one."""

    kind: Kind
    parts: tuple[Expression, ...]
    dim: int = 0


class Slice(Struct, frozen=True):
    """A part of one dimension."""

    part: Expression
    dim: int
    start: int
    stop: int


class Transpose(Struct, frozen=True):
    """Two dimensions change places."""

    part: Expression
    first: int
    second: int


class Reshape(Struct, frozen=True):
    """The same elements in row-major order."""

    part: Expression
    sizes: Shape


class Pad(Struct, frozen=True):
    """Zeros around one dimension."""

    part: Expression
    dim: int
    before: int
    after: int


Expression = Tensor | Join | Slice | Transpose | Reshape | Pad


SEQUENTIAL: Final = -1
"""The rank of a tensor of the sequential model."""


class Unclean(Exception):
    """The text is no clean expression, or it does not fit the tensors; the message says why. `unknown` is the name of a
    tensor that there is not."""

    def __init__(self, text: str, unknown: str = "") -> None:
        super().__init__(text)
        self.unknown: Final = unknown


def tensors_in(expression: Expression) -> tuple[Tensor, ...]:
    """The tensors of ranks that the expression reads, in order."""
    if isinstance(expression, Tensor):
        return (expression,)
    parts = expression.parts if isinstance(expression, Join) else (expression.part,)
    return tuple(t for part in parts for t in tensors_in(part))


def replaced(expression: Expression, tensor: Callable[[Tensor], Expression]) -> Expression:
    """The expression with something else for each tensor of a rank."""
    if isinstance(expression, Tensor):
        return tensor(expression)
    if isinstance(expression, Join):
        return replace(expression, parts=tuple(replaced(p, tensor) for p in expression.parts))
    return replace(expression, part=replaced(expression.part, tensor))


def choices(expression: Expression) -> list[Expression]:
    """The expression with one part of each replication for all of them, each part in one of these at least."""
    if isinstance(expression, Tensor):
        return [expression]
    if not isinstance(expression, Join):
        return [replace(expression, part=part) for part in choices(expression.part)]
    if expression.kind == "replicate":
        return [choice for part in expression.parts for choice in choices(part)]
    each = [choices(part) for part in expression.parts]
    count = max(map(len, each))
    return [replace(expression, parts=tuple(c[min(k, len(c) - 1)] for c in each)) for k in range(count)]


def replications(expression: Expression) -> list[Join]:
    """The parts that say that tensors are equal on several ranks."""
    if isinstance(expression, Tensor):
        return []
    parts = expression.parts if isinstance(expression, Join) else (expression.part,)
    mine = [expression] if isinstance(expression, Join) and expression.kind == "replicate" else []
    return mine + [r for part in parts for r in replications(part)]


def distinct(expression: Expression) -> list[Tensor]:
    """The tensors of an expression, of those called replicated the first."""
    if isinstance(expression, Tensor):
        return [expression]
    parts = expression.parts if isinstance(expression, Join) else (expression.part,)
    if isinstance(expression, Join) and expression.kind == "replicate":
        parts = parts[:1]
    return [t for part in parts for t in distinct(part)]


def covers(expression: Expression) -> bool:
    """Whether each element of the value is one of a tensor of the ranks: there is no padding."""
    if isinstance(expression, Tensor):
        return True
    parts = expression.parts if isinstance(expression, Join) else (expression.part,)
    return not isinstance(expression, Pad) and all(map(covers, parts))


def array_of(expression: Expression, arrays: Callable[[Tensor], Any]) -> Any:
    """The value as a NumPy array.

    Raises: Unclean if shapes do not fit.
    """
    try:
        return _array(expression, arrays)
    except ValueError as problem:
        raise Unclean(str(problem)) from None


def _array(e: Expression, arrays: Callable[[Tensor], Any]) -> Any:
    match e:
        case Tensor():
            return arrays(e)
        case Join():
            parts = [_array(p, arrays) for p in e.parts]
            _require_fitting(e, [p.shape for p in parts])
            if e.kind == "concat":
                return np.concatenate(parts, axis_of(e.dim, parts[0].ndim))
            if e.kind == "stack":
                return np.stack(parts, axis_of(e.dim, parts[0].ndim + 1))
            return parts[0] if e.kind == "replicate" else np.sum(parts, axis=0)
        case Slice():
            whole = _array(e.part, arrays)
            axis = axis_of(e.dim, whole.ndim)
            _require_inside(e, whole.shape[axis])
            return whole[(slice(None),) * axis + (slice(e.start, e.stop),)]
        case Transpose():
            whole = _array(e.part, arrays)
            return np.swapaxes(whole, axis_of(e.first, whole.ndim), axis_of(e.second, whole.ndim))
        case Reshape():
            whole = _array(e.part, arrays)
            return np.reshape(whole, _sizes(e.sizes, whole.shape))
        case Pad():
            whole = _array(e.part, arrays)
            _require_positive(e)
            widths = [(0, 0)] * whole.ndim
            widths[axis_of(e.dim, whole.ndim)] = e.before, e.after
            return np.pad(whole, widths)


def _require_fitting(e: Join, shapes: Sequence[Shape]) -> None:
    """Raises: Unclean, if tensors of these sizes cannot be joined so."""
    first = shapes[0]
    axis = axis_of(e.dim, len(first) + (e.kind == "stack")) if e.kind in ("concat", "stack") else None
    if all(shape == first for shape in shapes):
        return
    for shape in shapes:
        same = len(shape) == len(first) and all(
            m == n or (e.kind == "concat" and k == axis) for k, (m, n) in enumerate(zip(shape, first, strict=True))
        )
        if not same:
            along = f" along dimension {e.dim}" if e.kind == "concat" else ""
            raise Unclean(f"{e.kind} of tensors of different sizes{along}: {list(first)} and {list(shape)}")


def _require_inside(e: Slice, size: int) -> None:
    if not 0 <= e.start <= e.stop <= size:
        raise Unclean(f"slice {e.start}:{e.stop} of a dimension of {size}")


def _require_positive(e: Pad) -> None:
    if e.before < 0 or e.after < 0:
        raise Unclean(f"pad of {e.before} before and {e.after} behind")


def axis_of(dim: int, rank: int) -> int:
    """A dimension counted from the first one.

    Raises: Unclean if there is no such dimension.
    """
    if not -rank <= dim < rank:
        raise Unclean(f"dimension {dim} of a tensor with {rank}")
    return dim % rank


def comprehension_of(expression: Expression, tensor: Callable[[Tensor], Comprehension]) -> Comprehension:
    """The value as a comprehension over those of the ranks' tensors.

    Raises: Unclean if shapes do not fit.
    """
    match expression:
        case Tensor():
            return tensor(expression)
        case Join():
            parts = [comprehension_of(p, tensor) for p in expression.parts]
            return _joined(expression, parts, [_within(p, tensor) for p in expression.parts])
        case Slice(dim=dim, start=start, stop=stop):
            whole = comprehension_of(expression.part, tensor)
            axis = axis_of(dim, whole.rank)
            _require_inside(expression, whole.shape[axis])
            return _moved(whole, axis, start, stop - start)
        case Transpose():
            whole = comprehension_of(expression.part, tensor)
            a, b = axis_of(expression.first, whole.rank), axis_of(expression.second, whole.rank)
            return _swapped(whole, a, b)
        case Reshape():
            whole = comprehension_of(expression.part, tensor)
            return _reshaped(whole, _sizes(expression.sizes, whole.shape))
        case Pad(dim=dim, before=before, after=after):
            whole = comprehension_of(expression.part, tensor)
            axis = axis_of(dim, whole.rank)
            size = whole.shape[axis]
            _require_positive(expression)

            def at(*i: Index) -> Scalar:
                k = i[axis] - before
                return select(both(k >= 0, k < size), whole[(*i[:axis], k, *i[axis + 1 :])], 0)

            shape = (*whole.shape[:axis], before + size + after, *whole.shape[axis + 1 :])
            return Comprehension(shape, at, whole.element)


def _sizes(sizes: Shape, of: Shape) -> Shape:
    rest = prod(n for n in sizes if n != -1)
    found = tuple(prod(of) // rest if n == -1 and rest else n for n in sizes)
    if any(n < 0 for n in found) or sizes.count(-1) > 1 or prod(found) != prod(of):
        raise Unclean(f"reshape of {list(of)} to {list(sizes)}")
    return found


def _moved(whole: Comprehension, axis: int, start: int, size: int) -> Comprehension:
    shape = (*whole.shape[:axis], size, *whole.shape[axis + 1 :])
    return Comprehension(shape, lambda *i: whole[(*i[:axis], i[axis] + start, *i[axis + 1 :])], whole.element)


def _within(part: Expression, tensor: Callable[[Tensor], Comprehension]) -> tuple[Comprehension, int] | None:
    """The tensor that a part is a slice of, and where it starts there."""
    return (comprehension_of(part.part, tensor), part.start) if isinstance(part, Slice) else None


def _is_part(part: Shape, whole: Shape, axis: int) -> bool:
    """Whether these are the sizes of a slice along this dimension: no other one differs."""
    return (*part[:axis], *part[axis + 1 :]) == (*whole[:axis], *whole[axis + 1 :])


def _swapped(whole: Comprehension, a: int, b: int) -> Comprehension:
    order = list(range(whole.rank))
    order[a], order[b] = order[b], order[a]
    shape = tuple(whole.shape[k] for k in order)
    return Comprehension(shape, lambda *i: whole[tuple(i[k] for k in order)], whole.element)


def _reshaped(whole: Comprehension, sizes: Shape) -> Comprehension:
    return Comprehension(sizes, lambda *i: reshaped(whole, sizes, i), whole.element)


def _joined(
    join: Join, parts: list[Comprehension], within: Sequence[tuple[Comprehension, int] | None] = ()
) -> Comprehension:
    """Joined parts; `within` has what parts are slices of along the dimension of a concatenation. There an element is
    read at the index that others read it at, where the slice has but one element and so no index."""
    first = parts[0]
    _require_fitting(join, [p.shape for p in parts])
    if join.kind in ("replicate", "sum"):
        if join.kind == "replicate":
            return first

        def total(*i: Index) -> Scalar:
            terms = [part[i] for part in parts]
            return reduced("sum", terms) or reduce(add, terms)

        return Comprehension(first.shape, total, first.element)
    axis = axis_of(join.dim, first.rank + (join.kind == "stack"))
    if join.kind == "stack":
        parts = [_reshaped(p, (*p.shape[:axis], 1, *p.shape[axis:])) for p in parts]
        first = parts[0]
    ends = list(accumulate(p.shape[axis] for p in parts))
    wholes, starts = list(parts), [0] * len(parts)
    for k, found in enumerate(within if join.kind == "concat" else ()):
        if found is not None and _is_part(parts[k].shape, found[0].shape, axis):
            wholes[k], starts[k] = found

    def at(*i: Index) -> Scalar:
        found = concatenated(parts, axis, i)
        if found is not None:
            return found
        for k in reversed(range(len(parts))):
            end, offset, part = ends[k], ends[k] - parts[k].shape[axis], wholes[k]
            here = part[(*i[:axis], i[axis] - offset + starts[k], *i[axis + 1 :])]
            found = here if found is None else select(i[axis] < end, here, found)
        assert found is not None
        return found

    return Comprehension((*first.shape[:axis], ends[-1], *first.shape[axis + 1 :]), at, first.element)


def solved(
    expression: Expression,
    whole: Comprehension,
    shapes: Callable[[Tensor], Shape],
    known: Container[Tensor] = (),
) -> Mapping[Tensor, Comprehension] | None:
    """The tensors of the ranks, where the expression is equal to `whole`: each is a part of it. None where the
    expression does not determine them (a sum), or says nothing of some elements (a slice), unless they are `known`."""
    found: dict[Tensor, Comprehension] = {}
    pieces: dict[tuple[Tensor, int], list[tuple[int, Comprehension]]] = {}

    def solve(e: Expression, value: Comprehension) -> bool:
        match e:
            case Tensor():
                found.setdefault(e, value)
                return True
            case Join(kind="replicate"):
                return all(solve(p, value) for p in e.parts)
            case Join(kind="concat"):
                axis, start = axis_of(e.dim, value.rank), 0
                for part in e.parts:
                    size = shape_of(part, shapes)[axis]
                    if not solve(part, _moved(value, axis, start, size)):
                        return False
                    start += size
                return True
            case Join(kind="stack"):
                axis = axis_of(e.dim, value.rank)
                for k, part in enumerate(e.parts):
                    inner = _moved(value, axis, k, 1)
                    if not solve(part, _reshaped(inner, (*value.shape[:axis], *value.shape[axis + 1 :]))):
                        return False
                return True
            case Slice(part=Tensor() as tensor) if tensor in known:
                return True
            case Slice(part=Tensor() as tensor):
                axis = axis_of(e.dim, value.rank)
                pieces.setdefault((tensor, axis), []).append((e.start, value))
                return True
            case Transpose():
                return solve(e.part, _swapped(value, axis_of(e.first, value.rank), axis_of(e.second, value.rank)))
            case Reshape():
                return solve(e.part, _reshaped(value, shape_of(e.part, shapes)))
            case Pad():
                axis = axis_of(e.dim, value.rank)
                return solve(e.part, _moved(value, axis, e.before, shape_of(e.part, shapes)[axis]))
            case _:
                return len(e.parts) == 1 and solve(e.parts[0], value) if isinstance(e, Join) else False

    if not solve(expression, whole):
        return None
    for (tensor, axis), parts in pieces.items():
        ordered = sorted(parts, key=lambda p: p[0])
        ends = list(accumulate((p.shape[axis] for _, p in ordered), initial=0))
        if [start for start, _ in ordered] != ends[:-1] or ends[-1] != shapes(tensor)[axis]:
            return None  # some elements are in no slice, or in several
        found.setdefault(tensor, _joined(Join("concat", (), axis), [p for _, p in ordered]))
    return found


def places_in(expression: Expression, shape: Shape, shapes: Callable[[Tensor], Shape]) -> Mapping[Tensor, Any] | None:
    """`solved` for any value of these sizes: for each element of a tensor of a rank, the place among the elements of
    the value at which it stands, as NumPy arrays."""
    found = solved(expression, leaf("", shape), shapes)
    if found is None:
        return None
    numbers = np.arange(prod(shape)).reshape(shape)
    return {t: evaluate(part, {"": numbers}).astype(np.int64) for t, part in found.items()}


def shape_of(expression: Expression, shapes: Callable[[Tensor], Shape]) -> Shape:
    """The sizes of the value.

    Raises: Unclean if shapes do not fit.
    """
    return comprehension_of(expression, lambda t: leaf(f"{t.name}@{t.rank}", shapes(t))).shape
