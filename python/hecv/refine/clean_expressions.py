"""Clean expressions: how a tensor of the sequential model is put together from tensors of the ranks, without arithmetic
other than sums over ranks (GraphGuard, section 4).

| text | denotes |
| --- | --- |
| `t@r` | tensor `t` of rank `r` |
| `replicate(t)` | `t`, which is equal on all ranks that have it |
| `concat(t, dim=d)`, `sum(t)`, `stack(t, dim=d)` | of `t` of all ranks that have it, in the order of ranks |
| `concat(e1, e2, dim=d)` and so on | of these |
| `interleave(t, dim=d, block=n)` | of blocks of `n` (1 if there is no `block`) of each rank in turn |
| `concat(t, dim=d, ranks=[0, 2])` and so on | of `t` of these ranks |
| `concat(r: e, dim=d)` and so on | of `e` once a rank, where `e` has `t@r` |
| `slice(e, dim, start, stop)` | a part of one dimension |
| `transpose(e, a, b)`, `reshape(e, n, m)` | |
| `pad(e, dim, before, after)` | with zeros around |
"""

from __future__ import annotations

import re
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


class Unclean(Exception):
    """The text is no clean expression, or it does not fit the tensors; the message says why."""


# Reading

_TOKEN: Final = re.compile(r"\s*(?:(-?\d+)(?![\w.@])|([A-Za-z_][\w.]*(?:@\w+)?)|(.))")
_ARGUMENTS: Final = {"slice": 3, "transpose": 2, "pad": 3}
_JOINS: Final = ("concat", "sum", "stack", "replicate", "interleave")
_ALONG: Final = ("concat", "stack", "interleave")
"""Those that have a dimension."""


SEQUENTIAL: Final = -1
"""The rank of a tensor of the sequential model."""


def parse(
    text: str, ranks_of: Callable[[str], Sequence[int]], shapes: Callable[[Tensor], Shape] | None = None
) -> Expression:
    """The clean expression that `text` is; `ranks_of` says which ranks have a tensor of this name, and of the empty
    name which ranks there are. A name without a rank is of the sequential model where `ranks_of` says so. `shapes` are
    the sizes of tensors, without which nothing can be interleaved.

    Raises: Unclean.
    """
    return _Parser(text, ranks_of, shapes).whole()


class _Parser:
    def __init__(
        self, text: str, ranks_of: Callable[[str], Sequence[int]], shapes: Callable[[Tensor], Shape] | None
    ) -> None:
        self._shapes = shapes
        self._tokens = [next(t for t in m.groups() if t is not None) for m in _TOKEN.finditer(text.strip())]
        self._ranks_of = ranks_of
        self._at = 0
        self._bound: dict[str, int] = {}

    def whole(self) -> Expression:
        found = self._expression()
        if self._at < len(self._tokens):
            raise Unclean(f"`{self._tokens[self._at]}` stands behind the expression")
        return found

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else ""

    def _take(self, expected: str | None = None) -> str:
        found = self._peek()
        if not found or (expected is not None and found != expected):
            raise Unclean(f"expected {expected or 'more'}, found {f'`{found}`' if found else 'the end'}")
        self._at += 1
        return found

    def _integer(self) -> int:
        found = self._take()
        if not re.fullmatch(r"-?\d+", found):
            raise Unclean(f"expected a number, found `{found}`")
        return int(found)

    def _expression(self) -> Expression:
        name = self._take()
        if self._peek() == "(":
            return self._call(name)
        tensor, _, rank = name.partition("@")
        if not re.fullmatch(r"[A-Za-z_][\w.]*", tensor):
            raise Unclean(f"`{name}` is no tensor of a rank: write `name@rank`")
        if not rank and SEQUENTIAL in self._ranks_of(tensor):
            return Tensor(tensor, SEQUENTIAL)
        if not rank:
            raise Unclean(f"`{name}` names no rank: write `{name}@0`, or `replicate({name})`")
        number = self._bound.get(rank, int(rank) if rank.isdigit() else None)
        if number is None:
            raise Unclean(f"`{rank}` of `{name}` is no rank")
        if number not in self._ranks_of(tensor):
            raise Unclean(f"rank {number} has no tensor `{tensor}`")
        return Tensor(tensor, number)

    def _call(self, name: str) -> Expression:
        self._take("(")
        if name in _JOINS:
            return self._join(name)  # pyright: ignore[reportArgumentType]
        if name not in (*_ARGUMENTS, "reshape"):
            raise Unclean(f"`{name}` is not clean: there are {', '.join((*_JOINS, *_ARGUMENTS, 'reshape'))}")
        part, numbers = self._expression(), list[int]()
        while self._peek() == ",":
            self._take(",")
            numbers.append(self._integer())
        self._take(")")
        if name == "reshape":
            return Reshape(part, tuple(numbers))
        if len(numbers) != _ARGUMENTS[name]:
            raise Unclean(f"`{name}` takes {_ARGUMENTS[name]} numbers behind its expression, not {len(numbers)}")
        if name == "transpose":
            return Transpose(part, *numbers)
        return Slice(part, *numbers) if name == "slice" else Pad(part, *numbers)

    def _join(self, kind: Kind | Literal["interleave"]) -> Expression:
        template = None
        start, variable = self._at, self._peek()
        if self._peek(1) == ":":
            self._take()
            self._take(":")
            template = self._at
            self._bound[variable] = -1
            self._skip()
        parts: list[Expression] = []
        bare: str | None = None
        dim, ranks, block = None, None, None
        while self._peek() != ")":
            if self._at != (template if template is not None else start) and self._tokens[self._at - 1] != ",":
                self._take(",")
            if self._peek(1) == "=":
                key = self._take()
                self._take("=")
                if {"dim": dim, "ranks": ranks, "block": block}.get(key) is not None:
                    raise Unclean(f"`{kind}` has two of `{key}`")
                if key == "dim" and kind in _ALONG:
                    dim = self._integer()
                elif key == "ranks":
                    ranks = self._list()
                elif key == "block" and kind == "interleave":
                    block = self._integer()
                else:
                    raise Unclean(f"`{kind}` takes no `{key}`")
            elif re.fullmatch(r"[A-Za-z_][\w.]*", self._peek()) and self._peek(1) in (",", ")") and bare is None:
                bare = self._take()
            else:
                parts.append(self._expression())
        self._take(")")
        if (dim is None) == (kind in _ALONG):
            raise Unclean(f"`{kind}` needs `dim=`")
        if template is not None:
            parts = self._each(variable, template, ranks)
        elif bare is not None:
            if parts:
                raise Unclean(f"`{bare}` names no rank")
            have = self._ranks_of(bare)
            if not have:
                raise Unclean(f"no rank has a tensor `{bare}`")
            missing = [r for r in ranks or () if r not in have]
            if missing:
                raise Unclean(f"rank {missing[0]} has no tensor `{bare}`")
            parts = [Tensor(bare, r) for r in (have if ranks is None else ranks)]
        if not parts:
            raise Unclean(f"`{kind}` of nothing")
        if kind == "interleave":
            return self._interleaved(parts, dim or 0, 1 if block is None else block)
        return Join(kind, tuple(parts), dim or 0)

    def _interleaved(self, parts: list[Expression], dim: int, block: int) -> Expression:
        """The concatenation of blocks of one dimension, of each part in turn."""
        if self._shapes is None:
            raise Unclean("`interleave` of tensors whose sizes are not known")
        shapes = [shape_of(part, self._shapes) for part in parts]
        axis = _axis(dim, len(shapes[0]))
        if any(shape != shapes[0] for shape in shapes):
            raise Unclean("interleave of tensors of different sizes")
        size = shapes[0][axis]
        if block < 1 or size % block:
            raise Unclean(f"interleave of blocks of {block} of a dimension of {size}")
        slices = [Slice(part, axis, k, k + block) for k in range(0, size, block) for part in parts]
        return Join("concat", tuple(slices), axis)

    def _skip(self) -> None:
        """Goes to the end of an expression, whose rank variable has no value yet."""
        depth = 0
        while self._peek() and (depth or self._peek() not in (",", ")")):
            depth += {"(": 1, ")": -1}.get(self._take(), 0)

    def _each(self, variable: str, template: int, ranks: list[int] | None) -> list[Expression]:
        end, found = self._at, list[Expression]()
        have = self._ranks_of("")
        for rank in have if ranks is None else ranks:
            self._bound[variable], self._at = rank, template
            found.append(self._expression())
        del self._bound[variable]
        self._at = end
        return found

    def _list(self) -> list[int]:
        self._take("[")
        found: list[int] = []
        while self._peek() != "]":
            if found:
                self._take(",")
            found.append(self._integer())
        self._take("]")
        return found


# Writing


def text_of(expression: Expression, ranks_of: Callable[[str], Sequence[int]]) -> str:
    """The text that `parse` reads, as short as it can be."""

    def text(e: Expression) -> str:
        match e:
            case Tensor():
                return e.name if e.rank == SEQUENTIAL else f"{e.name}@{e.rank}"
            case Join():
                dim = [f"dim={e.dim}"] if e.kind in ("concat", "stack") else []
                return f"{e.kind}({', '.join([*_parts(e), *dim])})"
            case Slice():
                return f"slice({text(e.part)}, {e.dim}, {e.start}, {e.stop})"
            case Transpose():
                return f"transpose({text(e.part)}, {e.first}, {e.second})"
            case Reshape():
                return f"reshape({', '.join([text(e.part), *map(str, e.sizes)])})"
            case Pad():
                return f"pad({text(e.part)}, {e.dim}, {e.before}, {e.after})"

    def _parts(e: Join) -> list[str]:
        names = {p.name for p in e.parts if isinstance(p, Tensor)}
        if len(names) == 1 and all(isinstance(p, Tensor) for p in e.parts):
            ranks = [p.rank for p in e.parts if isinstance(p, Tensor)]
            name = names.pop()
            return [name] if ranks == list(ranks_of(name)) else [name, f"ranks={ranks}"]
        each = [re.sub(r"@\d+", "@r", text(p)) for p in e.parts]
        ranks = [set(re.findall(r"@(\d+)", text(p))) for p in e.parts]
        if len(set(each)) == 1 and ranks == [{str(r)} for r in ranks_of("")]:
            return [f"r: {each[0]}"]
        return [text(p) for p in e.parts]

    return text(expression)


def code_of(expression: Expression) -> str:
    """The value in Python, by NumPy, from `ranks`, one dictionary of arrays a rank."""
    match expression:
        case Tensor():
            return f"ranks[{expression.rank}][{expression.name!r}]"
        case Join(kind="replicate"):
            return code_of(expression.parts[0])
        case Join(kind="sum"):
            return f"({' + '.join(map(code_of, expression.parts))})"
        case Join():
            function = "concatenate" if expression.kind == "concat" else "stack"
            return f"np.{function}([{', '.join(map(code_of, expression.parts))}], {expression.dim})"
        case Slice():
            return (
                f"np.take({code_of(expression.part)}, range({expression.start}, {expression.stop}), {expression.dim})"
            )
        case Transpose():
            return f"np.swapaxes({code_of(expression.part)}, {expression.first}, {expression.second})"
        case Reshape():
            return f"np.reshape({code_of(expression.part)}, {expression.sizes})"
        case Pad():
            part, widths = code_of(expression.part), (expression.before, expression.after)
            each = f"{widths} if d == {expression.dim} else (0, 0) for d in range({part}.ndim)"
            return f"np.pad({part}, [{each}])"


# Meaning


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
                return np.concatenate(parts, _axis(e.dim, parts[0].ndim))
            if e.kind == "stack":
                return np.stack(parts, _axis(e.dim, parts[0].ndim + 1))
            return parts[0] if e.kind == "replicate" else np.sum(parts, axis=0)
        case Slice():
            whole = _array(e.part, arrays)
            axis = _axis(e.dim, whole.ndim)
            _require_inside(e, whole.shape[axis])
            return whole[(slice(None),) * axis + (slice(e.start, e.stop),)]
        case Transpose():
            whole = _array(e.part, arrays)
            return np.swapaxes(whole, _axis(e.first, whole.ndim), _axis(e.second, whole.ndim))
        case Reshape():
            whole = _array(e.part, arrays)
            return np.reshape(whole, _sizes(e.sizes, whole.shape))
        case Pad():
            whole = _array(e.part, arrays)
            _require_positive(e)
            widths = [(0, 0)] * whole.ndim
            widths[_axis(e.dim, whole.ndim)] = e.before, e.after
            return np.pad(whole, widths)


def _require_fitting(e: Join, shapes: Sequence[Shape]) -> None:
    """Raises: Unclean, if tensors of these sizes cannot be joined so."""
    first = shapes[0]
    axis = _axis(e.dim, len(first) + (e.kind == "stack")) if e.kind in _ALONG else None
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


def _axis(dim: int, rank: int) -> int:
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
            axis = _axis(dim, whole.rank)
            _require_inside(expression, whole.shape[axis])
            return _moved(whole, axis, start, stop - start)
        case Transpose():
            whole = comprehension_of(expression.part, tensor)
            a, b = _axis(expression.first, whole.rank), _axis(expression.second, whole.rank)
            return _swapped(whole, a, b)
        case Reshape():
            whole = comprehension_of(expression.part, tensor)
            return _reshaped(whole, _sizes(expression.sizes, whole.shape))
        case Pad(dim=dim, before=before, after=after):
            whole = comprehension_of(expression.part, tensor)
            axis = _axis(dim, whole.rank)
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
    axis = _axis(join.dim, first.rank + (join.kind == "stack"))
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
                axis, start = _axis(e.dim, value.rank), 0
                for part in e.parts:
                    size = shape_of(part, shapes)[axis]
                    if not solve(part, _moved(value, axis, start, size)):
                        return False
                    start += size
                return True
            case Join(kind="stack"):
                axis = _axis(e.dim, value.rank)
                for k, part in enumerate(e.parts):
                    inner = _moved(value, axis, k, 1)
                    if not solve(part, _reshaped(inner, (*value.shape[:axis], *value.shape[axis + 1 :]))):
                        return False
                return True
            case Slice(part=Tensor() as tensor) if tensor in known:
                return True
            case Slice(part=Tensor() as tensor):
                axis = _axis(e.dim, value.rank)
                pieces.setdefault((tensor, axis), []).append((e.start, value))
                return True
            case Transpose():
                return solve(e.part, _swapped(value, _axis(e.first, value.rank), _axis(e.second, value.rank)))
            case Reshape():
                return solve(e.part, _reshaped(value, shape_of(e.part, shapes)))
            case Pad():
                axis = _axis(e.dim, value.rank)
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
