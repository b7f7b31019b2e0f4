"""Aliasing of results: which buffers two runs returned, and whether a write through a result tells them apart.

A write to an element of a result changes an element of an argument, of a global or of another result, or none of these.
Different offsets or strides do not count if no element lies elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from msgspec import Struct

from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.program.tree import STANDINGS, Returned, Standing
from hecv.run.interpreter.interpreter import Finished

_STANDINGS: Final = (
    Standing.WHOLE,
    *(Standing.PART,) * 2,
    *(Standing.UNKNOWN,) * 2,
    Standing.DEAD,
)
"""The kind of a returned buffer, by its number (`STANDINGS`)."""


class Cell(Struct, frozen=True):
    """An element: of input number `buffer` at a row-major position; or, with `own`, of a local allocation: result
    number `buffer`, which is all of it, or related to it as `own` says."""

    buffer: int
    position: int
    own: Standing | None = None


class Moved(Struct, frozen=True):
    """What a write to the element `index` of a result changes on either side."""

    result: int
    index: tuple[int, ...]
    source: Cell
    target: Cell


def hidden(returned: Sequence[Returned], end: Finished) -> frozenset[int]:
    """The numbers of the results that say which buffers are returned; the caller does not see them."""
    return frozenset(k for r in returned for k in r.scalars(len(_shape(end, r))))


def moved(
    returned: Sequence[Returned], arguments: tuple[Value, ...], source: Finished, target: Finished
) -> Moved | None:
    """An element that lies in different places in the target's result and the source's, so that a caller can tell; None
    if there is none, or if it is unknown."""
    returned = [r for r in returned if r.which is None]
    if not returned or any(n is POISON for end in (source, target) for n in _numbers(returned, end)):
        return None
    both = [_places(returned, end, arguments) for end in (source, target)]
    known = all(c.own is not Standing.UNKNOWN for side in both for cells in side for c, _ in cells)
    for each, ours, theirs in zip(returned, *both, strict=True):
        for index, first, second in zip(product(*map(range, _shape(source, each))), ours, theirs, strict=True):
            if first[1] != second[1] and _is_seen(first[0], second[0], known):
                return Moved(each.result, index, first[0], second[0])
    return None


def agree(returned: Sequence[Returned], arguments: tuple[Value, ...], one: Finished, other: Finished) -> bool:
    """Whether two runs of one function returned the same buffers, as far as a caller can tell. Poison in the first may
    be anything."""
    if any(n is POISON for n in _numbers(returned, one)):
        return True
    sides = [[[where for _, where in cells] for cells in _places(returned, end, arguments)] for end in (one, other)]
    return sides[0] == sides[1]


def _shape(end: Finished, returned: Returned) -> tuple[int, ...]:
    taken = end.arguments[returned.taken]
    assert isinstance(taken, Buffer)
    return taken.shape


def _numbers(returned: Sequence[Returned], end: Finished) -> Iterator[Scalar]:
    """What a run says of the buffers that it returns."""
    return (end.results[k] for r in returned for k in r.scalars(len(_shape(end, r))))


def _places(
    returned: Sequence[Returned], end: Finished, arguments: tuple[Value, ...]
) -> list[list[tuple[Cell, tuple[object, int]]]]:
    """The elements of each returned memref in row-major order, none where the functions plainly return the same, and
    what tells the place of each from all others that a caller knows.

    That is in an allocation of the function's own the first element of a result that lies there: where in it a part
    begins nobody can tell, only which elements two parts have in common.
    """
    first: dict[tuple[int, int], Cell] = {}
    found: list[list[tuple[Cell, tuple[object, int]]]] = []
    for each in returned:
        found.append([])
        for position, cell in enumerate(_cells(each, end, len(arguments))):
            if cell.own is not None:
                seen = first.setdefault((cell.buffer, cell.position), Cell(each.result, position, cell.own))
                found[-1].append((seen, (("own", seen.buffer, seen.own is Standing.DEAD), seen.position)))
            else:
                found[-1].append((cell, _where(cell, arguments)))
    return found


def _cells(returned: Returned, end: Finished, inputs: int) -> Iterator[Cell]:
    """The elements of a returned memref in row-major order by their place in its buffer, which is for one of the
    function's own the first result that is of it; none where the functions plainly return the same."""
    if returned.which is not None:
        return
    shape = _shape(end, returned)
    buffer, offset, *strides = (n for n in _numbers((returned,), end) if isinstance(n, int))
    own = None
    if buffer >= inputs:
        buffer, standing = divmod(buffer - inputs, STANDINGS)
        own = _STANDINGS[standing]
    for index in product(*map(range, shape)):
        yield Cell(buffer, offset + sum(s * i for s, i in zip(strides, index, strict=True)), own)


def _is_seen(ours: Cell, theirs: Cell, known: bool) -> bool:
    """Whether a caller can tell two places apart that are not the same. It must not write to a constant. Which elements
    results have in common it can tell, if it is `known` where in allocations they lie."""
    if min(ours.buffer, theirs.buffer) < 0:
        return False
    return theirs.own is Standing.DEAD or known or not (ours.own and theirs.own)


def _where(cell: Cell, arguments: Sequence[Value]) -> tuple[object, int]:
    """What tells a place that is no allocation's from all others, also where inputs share their memory."""
    if cell.buffer < 0:
        return ("constant", cell.buffer), cell.position
    value = arguments[cell.buffer]
    assert isinstance(value, Buffer)
    return (id(value.data), cell.position) if value.store is None else (id(value.store), value.start + cell.position)
