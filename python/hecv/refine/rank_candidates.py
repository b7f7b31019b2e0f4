"""Clean expressions that have the value of a sequential tensor on runs: proposed from sums and sums of squares, then
compared element by element. What they say is proved elsewhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.refine.clean_expressions import Expression, Join, Slice, Tensor, Unclean, array_of, replaced
from hecv.relate.graphs.layouts import close

MOST: Final = 4
"""Expressions, at most, for one sequential tensor."""

MOST_GROUPS: Final = 16
"""Groups of ranks, at most, whose tensors are joined without those of others."""

_NEAR: Final = 1e-9

LARGE: Final = 1e30
"""Numbers from here on stand for infinity, or nothing has written them."""


class Digest(Struct, frozen=True):
    """Sum, sum of squares, and sum of absolute values of a tensor; masks and buffers hold numbers that do not count."""

    total: float
    squares: float
    scale: float


def digest(array: Any) -> Digest:
    """The digest of an array."""
    flat = np.asarray(array, np.float64).reshape(-1)
    flat = flat[np.abs(flat) < LARGE]
    size = float(np.abs(flat).sum())
    return Digest(float(flat.sum()), float(flat @ flat), size)


def _near(left: float, right: float, scale: float) -> bool:
    return abs(left - right) <= _NEAR * (abs(left) + scale)


class Family(Struct, frozen=True):
    """One tensor of the ranks' programs: its different values, each by the ranks that have it."""

    name: str
    classes: tuple[tuple[int, ...], ...]

    def part(self, number: int) -> Expression:
        """The tensor of one class."""
        ranks = self.classes[number]
        tensors = tuple(Tensor(self.name, r) for r in ranks)
        return tensors[0] if len(tensors) == 1 else Join("replicate", tensors)


Sizes = tuple[tuple[int, ...], ...]

Runs = Sequence[Mapping[str, Any]]
"""For each input set: values by name."""


class Candidates:
    """The tensors of all ranks, to be looked up by value. `names` has, by rank, the name of each in `runs`; `given` are
    expressions that hold of some tensors, whose order of parts others may have along a dimension of theirs; `groups`
    are ranks that a collective joins."""

    def __init__(
        self,
        names: Sequence[Mapping[str, str]],
        runs: Runs,
        given: Sequence[Expression] = (),
        groups: Iterable[frozenset[int]] = (),
    ) -> None:
        self._groups: Final = tuple(groups)[:MOST_GROUPS]
        self._orders: Final = dict.fromkeys(e for e in given if isinstance(e, Join) and _is_order(e))
        self._names: Final = names
        self._runs: Final = runs
        self._digests: Final[dict[str, Digest]] = {}
        self._layouts: Final[dict[tuple[Sizes, tuple[int, ...]], tuple[Expression, ...]]] = {}
        self.families: Final[list[Family]] = list(self._families())
        self._named: Final[dict[str, list[Family]]] = {}
        for family in self.families:
            self._named.setdefault(family.name, []).append(family)
        self._by_squares = sorted((self._squares(f), k) for k, f in enumerate(self.families))
        self._keys = [key for key, _ in self._by_squares]
        self._by_total = sorted((self._total(f), k) for k, f in enumerate(self.families))
        self._totals = [key for key, _ in self._by_total]

    def array(self, tensor: Tensor, run: int) -> Any:
        """The value of a tensor of a rank on one input set."""
        return self._runs[run][self._names[tensor.rank][tensor.name]]

    def _digest(self, name: str) -> Digest:
        if name not in self._digests:
            self._digests[name] = digest(self._runs[0][name])
        return self._digests[name]

    def _families(self) -> Iterator[Family]:
        ranks: dict[str, list[int]] = {}
        for r, names in enumerate(self._names):
            for name, joined in names.items():
                if joined in self._runs[0]:
                    ranks.setdefault(name, []).append(r)
        for name, having in ranks.items():
            classes: dict[str, list[int]] = {}
            for r in having:
                mine = self._names[r][name]
                same = next((known for known in classes if known == mine or self._equal(known, mine)), mine)
                classes.setdefault(same, []).append(r)
            yield Family(name, tuple(map(tuple, classes.values())))
            if len(classes) < len(having):
                yield Family(name, tuple((r,) for r in having))
            if len(classes) > 1:
                for group in classes.values():
                    yield Family(name, (tuple(group),))
            for group in self._groups:
                within = [tuple(r for r in ranks if r in group) for ranks in classes.values()]
                if len(group) < len(having) and group.issubset(having) and sum(map(bool, within)) > 1:
                    yield Family(name, tuple(filter(None, within)))

    def _equal(self, left: str, right: str) -> bool:
        ours, theirs = self._digest(left), self._digest(right)
        if not _near(ours.squares, theirs.squares, ours.scale):
            return False
        return all(run[left].shape == run[right].shape and same_values(run[left], run[right]) for run in self._runs)

    def _squares(self, family: Family) -> float:
        return sum(self._digest(self._joined(family, k)).squares for k in range(len(family.classes)))

    def _total(self, family: Family) -> float:
        return sum(self._digest(self._joined(family, k)).total for k in range(len(family.classes)))

    def _joined(self, family: Family, number: int) -> str:
        return self._names[family.classes[number][0]][family.name]

    # Look-up

    def of(self, values: Sequence[Any], first: str = "") -> list[Expression]:
        """Clean expressions with these values, one an input set; those of the tensor called `first` come first, then
        those of few different parts."""
        sought = digest(values[0])
        found: list[Expression] = []
        seen: set[int] = set()
        for keys, listed, value in (
            (self._keys, self._by_squares, sought.squares),
            (self._totals, self._by_total, sought.total),
        ):
            margin = _NEAR * (abs(value) + sought.scale) + 1e-300
            first_near, last_near = bisect_left(keys, value - margin), bisect_right(keys, value + margin)
            seen.update(k for _, k in listed[first_near:last_near])
        # In the order of the program, which is the same in each layer.
        near = sorted(seen, key=lambda k: (self.families[k].name != first, len(self.families[k].classes), k))
        for family in map(self.families.__getitem__, near):
            for expression in self._forms(family, values[0].shape):
                if self.holds(expression, values):
                    found.append(expression)
                    break
            if len(found) == MOST:
                break
        return found

    def of_family(self, name: str, values: Sequence[Any]) -> list[Expression]:
        """Clean expressions over one tensor of the ranks with these values."""
        return [
            expression
            for family in self._named.get(name, ())
            for expression in self._forms(family, values[0].shape)
            if self.holds(expression, values)
        ]

    def holds(self, expression: Expression, values: Sequence[Any]) -> bool:
        """Whether the expression has these values on all input sets."""
        try:
            made = [array_of(expression, lambda t, k=k: self.array(t, k)) for k in range(len(values))]
        except Unclean:
            return False
        return all(m.shape == v.shape and same_values(v, m) for m, v in zip(made, values, strict=True))

    def _forms(self, family: Family, shape: tuple[int, ...]) -> Iterator[Expression]:
        """The family joined in all ways that give this shape."""
        sizes = tuple(self._runs[0][self._joined(family, k)].shape for k in range(len(family.classes)))
        layouts = self._layouts.get((sizes, shape))
        if layouts is None:
            layouts = self._layouts[sizes, shape] = (*_layouts(sizes, shape), *_ordered(self._orders, sizes, shape))
        if layouts:
            parts = tuple(map(family.part, range(len(sizes))))
            for layout in layouts:
                yield replaced(layout, lambda t: parts[t.rank])


def same_values(left: Any, right: Any) -> bool:
    """Whether arrays of one shape are equal; of floats, but for rounding."""
    if np.array_equal(left, right):
        return True
    if left.dtype == np.float64 and right.dtype == np.float64:
        return close(left, right)
    return False


PIECES: Final = (2, 3)
"""Into how many equal parts a tensor of each rank may be cut, where first parts stand before second ones: merged gate
and up, merged query, key and value."""


def _layouts(sizes: Sizes, shape: tuple[int, ...]) -> Iterator[Expression]:
    """The clean expressions of this shape over parts of these sizes; part k is the tensor of rank k."""
    parts = [Tensor("", k) for k in range(len(sizes))]
    if len(parts) == 1:
        if sizes[0] == shape:
            yield parts[0]
        return
    if any(len(s) != len(shape) for s in sizes):
        return
    for kind, dim in _kinds(shape):
        if _size(kind, dim, sizes) == shape:
            yield _join(kind, dim, parts)
    yield from _interleaved(parts, sizes, shape)
    for outer in (n for n in range(2, len(parts)) if len(parts) % n == 0):
        yield from _nested(parts, sizes, shape, outer)


def _kinds(shape: tuple[int, ...]) -> list[tuple[str, int]]:
    return [*(("concat", d) for d in range(len(shape))), ("sum", 0)]


def _interleaved(parts: list[Tensor], sizes: Sizes, shape: tuple[int, ...]) -> Iterator[Expression]:
    for dim in range(len(shape)):
        if _size("concat", dim, sizes) != shape:
            continue
        for count in PIECES:
            if all(s[dim] % count == 0 for s in sizes):
                yield Join(
                    "concat",
                    tuple(
                        Slice(p, dim, s[dim] // count * k, s[dim] // count * (k + 1))
                        for k in range(count)
                        for p, s in zip(parts, sizes, strict=True)
                    ),
                    dim,
                )


def _is_order(given: Join) -> bool:
    """Whether this is a concatenation of slices along its own dimension."""
    return given.kind == "concat" and all(
        isinstance(p, Slice) and p.dim == given.dim and isinstance(p.part, Tensor) for p in given.parts
    )


def _ordered(orders: Iterable[Join], sizes: Sizes, shape: tuple[int, ...]) -> Iterator[Expression]:
    """These concatenations of slices, along each dimension in which they give this shape."""
    for order in orders:
        slices = [
            (p.part.rank, p.start, p.stop) for p in order.parts if isinstance(p, Slice) if isinstance(p.part, Tensor)
        ]
        for dim in range(len(shape)):
            if any(r >= len(sizes) or len(sizes[r]) <= dim or sizes[r][dim] < stop for r, _, stop in slices):
                continue
            made = Join("concat", tuple(Slice(Tensor("", r), dim, a, b) for r, a, b in slices), dim)
            found = [(*sizes[r][:dim], b - a, *sizes[r][dim + 1 :]) for r, a, b in slices]
            if _size("concat", dim, found) == shape:
                yield made


def _nested(parts: list[Tensor], sizes: Sizes, shape: tuple[int, ...], outer: int) -> Iterator[Expression]:
    """Joins of joins: groups of consecutive classes, or of every so many."""
    inner = len(parts) // outer
    for groups in (
        [list(range(k * inner, (k + 1) * inner)) for k in range(outer)],
        [list(range(k, len(parts), outer)) for k in range(outer)],
    ):
        for (first, a), (second, b) in product(_kinds(shape), _kinds(shape)):
            if first == second and (first == "sum" or a == b):
                continue
            within = [_size(second, b, [sizes[k] for k in group]) for group in groups]
            if _size(first, a, within) == shape:
                yield _join(first, a, [_join(second, b, [parts[k] for k in group]) for group in groups])


def _join(kind: str, dim: int, parts: Sequence[Expression]) -> Expression:
    return Join("sum" if kind == "sum" else "concat", tuple(parts), dim)


def _size(kind: str, dim: int, sizes: Sequence[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    first = sizes[0]
    if first is None or any(s is None for s in sizes):
        return None
    if kind == "sum":
        return first if all(s == first for s in sizes) else None
    rest = [(*s[:dim], *s[dim + 1 :]) for s in sizes if s is not None]
    if any(r != rest[0] for r in rest):
        return None
    return (*first[:dim], sum(s[dim] for s in sizes if s is not None), *first[dim + 1 :])
