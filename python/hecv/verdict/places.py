"""Which buffers two runs returned, and how a caller could tell them apart: by a write through a result.

A caller who writes to an element of what it got changes an element of an argument, of a global or of another result, or
none of these. That offsets or strides differ is not seen where no element lies elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from msgspec import Struct

from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.execute.interpreter import Finished
from hecv.graph.tree import STANDINGS, Returned, Standing


class Cell(Struct, frozen=True):
    """An element: of input number `buffer` at a row-major position; or of an allocation of the function's own, which is
    number `buffer` of its results, all of it or as it stands otherwise."""

    buffer: int
    position: int
    own: Standing | None = None


class Moved(Struct, frozen=True):
    """What writing to the element `index` of a result changes on either side."""

    result: int
    index: tuple[int, ...]
    source: Cell
    target: Cell


def hidden(returned: Sequence[Returned], end: Finished) -> frozenset[int]:
    """The numbers of the results that say which buffers are returned."""
    return frozenset(k for r in returned for k in r.scalars(len(_shape(end, r))))


def moved(
    returned: Sequence[Returned], arguments: tuple[Value, ...], source: Finished, target: Finished
) -> Moved | None:
    """An element that lies elsewhere in what the target returned than in what the source did, so that a caller can
    tell; None where there is none, or that is not known."""
    returned = [r for r in returned if r.which is None]
    if not returned or any(n is POISON for end in (source, target) for n in _numbers(returned, end)):
        return None
    both = [[list(_cells(r, end, len(arguments))) for r in returned] for end in (source, target)]
    parts = any(c.own is Standing.PART for side in both for cells in side for c in cells)
    for each, ours, theirs in zip(returned, *both, strict=True):
        for index, first, second in zip(product(*map(range, _shape(source, each))), ours, theirs, strict=True):
            if _where(first, arguments) != _where(second, arguments) and _is_seen(first, second, parts):
                return Moved(each.result, index, first, second)
    return None


def agree(returned: Sequence[Returned], arguments: tuple[Value, ...], one: Finished, other: Finished) -> bool:
    """Whether two runs of one function returned the same buffers, as far as compiled code tells: where in an allocation
    of the function's own it does not. What is poison in the first may be anything."""
    if any(n is POISON for n in _numbers(returned, one)):
        return True
    sides = [
        [c.buffer if c.own else _where(c, arguments) for r in returned for c in _cells(r, end, len(arguments))]
        for end in (one, other)
    ]
    return sides[0] == sides[1]


def _shape(end: Finished, returned: Returned) -> tuple[int, ...]:
    taken = end.arguments[returned.taken]
    assert isinstance(taken, Buffer)
    return taken.shape


def _numbers(returned: Sequence[Returned], end: Finished) -> Iterator[Scalar]:
    """What a run says of the buffers that it returns."""
    return (end.results[k] for r in returned for k in r.scalars(len(_shape(end, r))))


def _cells(returned: Returned, end: Finished, inputs: int) -> Iterator[Cell]:
    """The elements of a returned memref in row-major order; none where the functions plainly return the same."""
    if returned.which is not None:
        return
    shape = _shape(end, returned)
    buffer, offset, *strides = (n for n in _numbers((returned,), end) if isinstance(n, int))
    own = None
    if buffer >= inputs:
        buffer, standing = divmod(buffer - inputs, STANDINGS)
        own = {0: Standing.WHOLE, STANDINGS - 1: Standing.DEAD}.get(standing, Standing.PART)
        offset, strides = 0, [prod(shape[k + 1 :]) for k in range(len(shape))]
    for index in product(*map(range, shape)):
        yield Cell(buffer, offset + sum(s * i for s, i in zip(strides, index, strict=True)), own)


def _is_seen(ours: Cell, theirs: Cell, parts: bool) -> bool:
    """Whether a caller can tell two places apart that are not the same. It must not write to a constant. Of which
    allocations results are it can tell where each is all of one; else what it knows may be `parts` that lie apart."""
    if min(ours.buffer, theirs.buffer) < 0:
        return False
    return theirs.own is Standing.DEAD or not (parts and ours.own and theirs.own)


def _where(cell: Cell, arguments: Sequence[Value]) -> tuple[object, int]:
    """What tells a place from all others, also where inputs share their memory."""
    if cell.own is not None or cell.buffer < 0:
        return (cell.own, cell.buffer), cell.position
    value = arguments[cell.buffer]
    assert isinstance(value, Buffer)
    return (id(value.data), cell.position) if value.store is None else (id(value.store), value.start + cell.position)
