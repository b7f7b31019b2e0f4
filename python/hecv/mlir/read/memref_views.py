"""Memref values as views: the map from indices of the view to elements of a memory.

Views exist only in the frontend. Their loads and stores become those of the underlying memory, at composed subscripts.
Where the extents of the view say more than those of the memory, an access states its own bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, ScalarType
from hecv.program.index import quasi_affine
from hecv.program.tree import Memory

Terms = tuple[Term, ...]
Groups = tuple[tuple[int, ...], ...]
"""Reassociation groups: adjacent dimensions that are, or become, one dimension."""

Shape = tuple[int | None, ...]
"""The extents that a type states, None where dynamic."""


class Window(Struct, frozen=True):
    """A rectangular window: dimension `d` of the source has index `offsets[d] + strides[d] * i`, where `i` is the
    index of the window's dimension `own[d]`, or 0 if that is None."""

    offsets: Terms
    strides: Terms
    own: tuple[int | None, ...]


class Spread(Struct, frozen=True):
    """Dimension `d` of the source has index `offsets[d]`, plus `strides[k] * i[k]` for each dimension `k` of the
    view with `own[k] == d`."""

    offsets: Terms
    strides: Terms
    own: tuple[int, ...]


class Collapsed(Struct, frozen=True):
    """Each group of dimensions, with these `extents`, becomes one dimension in row-major order."""

    groups: Groups
    extents: Terms


class Expanded(Struct, frozen=True):
    """Each dimension becomes a group of dimensions with these `extents`, in row-major order."""

    groups: Groups
    extents: Terms


class Strided(Struct, frozen=True):
    """The element at `offset + sum(strides[k] * i[k])` of a row-major buffer of these `extents`."""

    offset: Term
    strides: Terms
    extents: Terms


Step = Window | Spread | Collapsed | Expanded | Strided


class Strides(Struct, frozen=True):
    """The layout of a view in the buffer of its memory, in elements.

    `origin` is the position from which the view's own offset is counted, if not the first: `memref.view` starts a new
    buffer.
    """

    offset: Term
    strides: Terms
    origin: Term | None = None

    def own_offset(self, pool: TermPool) -> Term:
        """The offset as `memref.extract_strided_metadata` gives it."""
        return self.offset if self.origin is None else quasi_affine.subtract(pool, self.offset, self.origin)


class View(Struct, frozen=True):
    """A memref value: `steps` lead from the memory to the view.

    `implied[k]`: an index in bounds for the memory is in bounds for dimension `k` of the view. `strides` is None if the
    memory's own layout is not row-major, or if they are unknown.
    """

    memory: Memory
    extents: Terms
    steps: tuple[Step, ...]
    implied: tuple[bool, ...]
    strides: Strides | None


class Choice(Struct, frozen=True):
    """A selected memref: `then` if the i1 term `condition` holds, otherwise `otherwise`
    (`hecv.mlir.aliasing.selected_memrefs`).

    `forked`: a branch took one way or the other, so the condition is not poison, and only the chosen memref needs to
    satisfy its extents.
    """

    condition: Term
    then: View | Choice
    otherwise: View | Choice
    forked: bool = False


Memref = View | Choice
"""What a memref value is."""


class Aggregate(Struct, frozen=True):
    """A vector or tensor as a value (`hecv.mlir.values.aggregate_values`).

    `element` gives the element at an index, and emits what it needs at the location of an op. The value reads
    `memories`, and stays the same until one of them is written. `whole` is the view of its elements, if they are all of
    a memory. `plain`: an element is a function of the index for which nothing is emitted.
    """

    extents: Terms
    kind: ScalarType
    element: Callable[[ir.Operation, Terms], Term]
    memories: frozenset[int] = frozenset()
    whole: View | None = None
    plain: bool = False


class Part(Struct, frozen=True):
    """The bytes from `start` to `end` of a buffer, viewed as elements of one type (`hecv.mlir.memory.byte_views`)."""

    start: int
    end: int
    element: ScalarType


class Aggregates(dict[ir.Value, Aggregate]):
    """Aggregates by SSA value, and the values that read each memory."""

    def __init__(self) -> None:
        super().__init__()
        self._readers: dict[int, set[ir.Value]] = {}

    def __setitem__(self, value: ir.Value, meaning: Aggregate) -> None:
        super().__setitem__(value, meaning)
        for memory in meaning.memories:
            self._readers.setdefault(memory, set()).add(value)

    def readers(self, memory: int) -> set[ir.Value]:
        """The values that read the memory with this id."""
        return self._readers.get(memory, set())

    def release(self, memory: int) -> None:
        """Notes that no value so far reads the memory any more."""
        self._readers.pop(memory, None)


def whole(pool: TermPool, memory: Memory, row_major: bool = True) -> View:
    """The view that is all of `memory`."""
    strides = Strides(pool.integer(0), row_major_strides(pool, memory.extents)) if row_major else None
    return View(memory, memory.extents, (), (True,) * len(memory.extents), strides)


def row_major_strides(pool: TermPool, extents: Terms) -> Terms:
    """The strides of a row-major buffer: for each dimension the product of the extents after it."""
    return tuple(product(pool, extents[k + 1 :]) for k in range(len(extents)))


def product(pool: TermPool, factors: Terms) -> Term:
    """The product of index terms."""
    result = pool.integer(1)
    for factor in factors:
        result = quasi_affine.multiply(pool, result, factor)
    return result


def element(pool: TermPool, view: View, indices: Terms) -> Terms:
    """The subscripts in the view's memory of the element at `indices` of the view."""
    for step in reversed(view.steps):
        indices = tuple(_below(pool, step, indices))
    return indices


def rows_of(pool: TermPool, view: View) -> tuple[Terms, ...] | None:
    """The subscripts, in its memory, of a view's first element, and for each dimension the difference to those of
    the next element; None if the difference may depend on the element."""
    if any(not isinstance(step, Window | Spread | Expanded) for step in view.steps):
        return None
    rank = len(view.extents)
    units = [tuple(pool.integer(int(k == d)) for d in range(rank)) for k in range(-1, rank)]
    first, *others = (element(pool, view, unit) for unit in units)
    apart = (zip(other, first, strict=True) for other in others)
    return (first, *(tuple(quasi_affine.subtract(pool, a, b) for a, b in pairs) for pairs in apart))


def _below(pool: TermPool, step: Step, indices: Terms) -> Iterator[Term]:
    """The indices in the source of `step`."""
    match step:
        case Window(offsets, strides, own):
            for offset, stride, dimension in zip(offsets, strides, own, strict=True):
                index = pool.integer(0) if dimension is None else indices[dimension]
                yield quasi_affine.add(pool, offset, quasi_affine.multiply(pool, stride, index))
        case Spread(offsets, strides, own):
            for d, offset in enumerate(offsets):
                steps = zip(strides, indices, own, strict=True)
                parts = tuple((quasi_affine.multiply(pool, stride, i), 1) for stride, i, k in steps if k == d)
                yield quasi_affine.combine(pool, 0, ((offset, 1), *parts))
        case Collapsed((), extents):
            yield from (pool.integer(0) for _ in extents)
        case Collapsed(groups, extents):
            for index, group in zip(indices, groups, strict=True):
                yield from subscripts(pool, index, tuple(extents[d] for d in group))
        case Expanded(groups, extents):
            for group in groups:
                yield position(pool, tuple(indices[d] for d in group), tuple(extents[d] for d in group))
        case Strided(offset, strides, extents):
            parts = (quasi_affine.multiply(pool, s, i) for s, i in zip(strides, indices, strict=True))
            address = quasi_affine.combine(pool, 0, ((offset, 1), *((p, 1) for p in parts)))
            yield from subscripts(pool, address, extents)


def position(pool: TermPool, indices: Terms, extents: Terms) -> Term:
    """The row-major position of the element at `indices`."""
    result = pool.integer(0)
    for index, extent in zip(indices, extents, strict=True):
        result = quasi_affine.add(pool, quasi_affine.multiply(pool, result, extent), index)
    return result


def subscripts(pool: TermPool, at: Term, extents: Terms) -> Iterator[Term]:
    """The subscripts of the element at row-major position `at`.

    Ensures: they are out of bounds if the position is; only the first dimension that is not of extent 1 can be.
    """
    first = next((k for k, extent in enumerate(extents) if literal(extent) != 1), len(extents) - 1)
    found: list[Term] = []
    inner = 1
    for extent in reversed(extents[first:]):
        row = quasi_affine.floordiv(pool, at, pool.integer(inner)) if inner else pool.integer(0)
        found.append(row if len(found) == len(extents) - 1 - first else quasi_affine.modulo(pool, row, extent))
        value = literal(extent)
        if isinstance(value, int):
            inner *= value
        else:
            at, inner = quasi_affine.floordiv(pool, row, extent), 1
    yield from (pool.integer(0) for _ in range(first))
    yield from reversed(found)


# Truth values about indices. They fold, so that what holds whatever the values are leaves nothing to state.


def compare(pool: TermPool, predicate: str, left: Term, right: Term) -> Term:
    """`left <predicate> right` of index terms; predicates are `eq`, `sle` and `slt`."""
    form = quasi_affine.linear(quasi_affine.subtract(pool, left, right))
    if form.terms:
        return pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))
    held = {"eq": form.constant == 0, "sle": form.constant <= 0, "slt": form.constant < 0}[predicate]
    return pool.integer(int(held), BOOL)


def both(pool: TermPool, *conditions: Term) -> Term:
    """Each of the conditions holds."""
    return _joined(pool, "arith.andi", 1, conditions)


def either(pool: TermPool, *conditions: Term) -> Term:
    """One of the conditions holds."""
    return _joined(pool, "arith.ori", 0, conditions)


def _joined(pool: TermPool, op: str, neutral: int, conditions: Terms) -> Term:
    result: Term | None = None
    for condition in dict.fromkeys(conditions):
        value = literal(condition)
        if value == neutral:
            continue
        if value is not None:
            return condition
        result = condition if result is None else pool.make(op, (result, condition), BOOL)
    return pool.integer(neutral, BOOL) if result is None else result


def within(pool: TermPool, index: Term, extent: Term) -> Term:
    """`0 <= index < extent`."""
    return both(pool, compare(pool, "sle", pool.integer(0), index), compare(pool, "slt", index, extent))


def bounds(pool: TermPool, view: View, indices: Terms) -> Term:
    """The bounds that the view's extents demand of `indices`, beyond those of its memory."""
    stated = zip(indices, view.extents, view.implied, strict=True)
    return both(pool, *(within(pool, index, extent) for index, extent, implied in stated if not implied))


# Views of views


def windowed(pool: TermPool, view: View, offsets: Terms, sizes: Terms, strides: Terms, kept: tuple[int, ...]) -> View:
    """For each dimension `d` of `view`, the `sizes[d]` indices `offsets[d] + strides[d] * k`; `kept` are the
    remaining dimensions, in order."""
    own = tuple(kept.index(d) if d in kept else None for d in range(len(sizes)))
    one, zero = pool.integer(1), pool.integer(0)
    asked = zip(offsets, strides, sizes, strict=True)
    full = [
        implied and triple == (zero, one, extent)
        for implied, triple, extent in zip(view.implied, asked, view.extents, strict=True)
    ]
    # A dimension that is dropped has extent 1 and index 0: there is nothing to state about it.
    lies = view.strides
    if lies is not None:
        moved = tuple(quasi_affine.multiply(pool, s, o) for s, o in zip(lies.strides, offsets, strict=True))
        offset = quasi_affine.combine(pool, 0, ((lies.offset, 1), *((m, 1) for m in moved)))
        apart = tuple(quasi_affine.multiply(pool, lies.strides[d], strides[d]) for d in kept)
        lies = Strides(offset, apart, lies.origin)
    step = Window(offsets, strides, own)
    extents = tuple(sizes[d] for d in kept)
    return View(view.memory, extents, (*view.steps, step), tuple(full[d] for d in kept), lies)


def in_bounds(pool: TermPool, extents: Terms, offsets: Terms, sizes: Terms, strides: Terms) -> Term:
    """The condition that each dimension of a window is empty, or its first and last index are within `extents`.

    Cites: LangRef, memref.subview: one that is out of bounds is undefined behaviour; its runtime check looks at the
           last position only where the size is not zero.
    """
    conditions: list[Term] = []
    zero = pool.integer(0)
    for offset, size, stride, extent in zip(offsets, sizes, strides, extents, strict=True):
        if offset is zero and literal(stride) == 1 and size is extent:
            continue
        rest = quasi_affine.subtract(pool, size, pool.integer(1))
        last = quasi_affine.add(pool, offset, quasi_affine.multiply(pool, rest, stride))
        ends = both(pool, within(pool, offset, extent), within(pool, last, extent))
        conditions.append(either(pool, compare(pool, "eq", size, zero), ends))
        conditions.append(compare(pool, "sle", zero, size))
    return both(pool, *conditions)


def permuted(pool: TermPool, view: View, sources: tuple[int, ...]) -> View:
    """The view whose dimension `k` is dimension `sources[k]` of `view`."""
    rank = len(sources)
    step = Window((pool.integer(0),) * rank, (pool.integer(1),) * rank, tuple(sources.index(d) for d in range(rank)))
    lies = view.strides and replace(view.strides, strides=tuple(view.strides.strides[d] for d in sources))
    extents = tuple(view.extents[d] for d in sources)
    return View(view.memory, extents, (*view.steps, step), tuple(view.implied[d] for d in sources), lies)


def collapsed(pool: TermPool, view: View, groups: Groups, shape: Shape) -> View:
    """Each group of dimensions of `view` as one dimension; `shape` has the extents that its type states.

    Requires: each group has one dimension, or `contiguous` holds.
    """
    extents = tuple(product(pool, tuple(view.extents[d] for d in group)) for group in groups)
    implied = tuple(all(view.implied[d] for d in group) for group in groups)
    lies = view.strides and replace(view.strides, strides=tuple(_innermost(view, g, shape) for g in groups))
    step = Collapsed(groups, view.extents)
    return View(view.memory, extents, (*view.steps, step), implied, lies)


def wide(group: tuple[int, ...], shape: Shape) -> list[int]:
    """The dimensions of a group whose extent is not 1 by type. MLIR ignores the strides of the others, but not of
    those that are 1 only at run time."""
    return [d for d in group if shape[d] != 1]


def _innermost(view: View, group: tuple[int, ...], shape: Shape) -> Term:
    """The stride from one element of a group to the next: that of its last dimension whose extent is not 1. If there
    is none, MLIR takes the stride of the first."""
    assert view.strides is not None
    return view.strides.strides[(wide(group, shape) or group[:1])[-1]]


def contiguous(pool: TermPool, view: View, groups: Groups, shape: Shape) -> Term:
    """The condition that the dimensions of each group are contiguous in memory; `shape` has the extents that the
    type states.

    Cites: LangRef, memref.collapse_shape: one that is not contiguous at run time is undefined behaviour.
    """
    assert view.strides is not None
    strides = view.strides.strides
    conditions: list[Term] = []
    for group in groups:
        # The stride of a dimension of extent 1 leads nowhere, nor does any where there is no element.
        counted = wide(group, shape)
        empty = [compare(pool, "eq", view.extents[d], pool.integer(0)) for d in counted]
        for place, (outer, inner) in enumerate(pairwise(counted), 1):
            span = quasi_affine.multiply(pool, strides[inner], view.extents[inner])
            if literal(compare(pool, "eq", strides[outer], span)) == 1:
                continue
            within_it = product(pool, tuple(view.extents[d] for d in counted[place:]))
            whole_span = quasi_affine.multiply(pool, strides[counted[-1]], within_it)
            once = compare(pool, "eq", view.extents[outer], pool.integer(1))
            conditions.append(either(pool, compare(pool, "eq", strides[outer], whole_span), once, *empty))
    return both(pool, *conditions)


def expanded(pool: TermPool, view: View, groups: Groups, extents: Terms) -> View:
    """Each dimension of `view` as a group of dimensions of these `extents`."""
    implied = [False] * len(extents)
    for source, group in enumerate(groups):
        for dimension in group:
            others = (literal(extents[d]) == 1 for d in group if d != dimension)
            implied[dimension] = view.implied[source] and literal(extents[dimension]) != 1 and all(others)
    lies = view.strides
    if lies is not None:
        strides: dict[int, Term] = {}
        for group, stride in zip(groups, lies.strides, strict=True):
            inner = row_major_strides(pool, tuple(extents[d] for d in group))
            strides |= {d: quasi_affine.multiply(pool, stride, s) for d, s in zip(group, inner, strict=True)}
        # A dimension of none of them is of extent 1, and made of rank 0: its stride is one element, all parts of it.
        one = product(pool, tuple(extents[d] for d in strides))
        lies = replace(lies, strides=tuple(strides.get(d, one) for d in range(len(extents))))
    step = Expanded(groups, extents)
    return View(view.memory, extents, (*view.steps, step), tuple(implied), lies)


def strided(pool: TermPool, memory: Memory, lies: Strides, sizes: Terms) -> View:
    """A view of `sizes` elements in the buffer of `memory`, at these strides.

    Requires: `memory` is row-major.
    """
    everything = whole(pool, memory)
    # Extents that are equal from the second on keep every index in its own row.
    if lies == everything.strides and sizes[1:] == memory.extents[1:]:
        return View(memory, sizes, (), (sizes == memory.extents, *[True] * (len(sizes) - 1))[: len(sizes)], lies)
    step = Strided(lies.offset, lies.strides, memory.extents)
    return View(memory, sizes, (step,), (False,) * len(sizes), lies)
