"""Aliased inputs: memref arguments that share memory, as `--alias may` allows.

Arguments share memory as a whole (buffers with one list of elements) or in part (windows of one store that begin at
different elements). Windows begin a few elements apart, or by a row or half a buffer: if order matters between elements
of two arguments, it mostly does then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import prod
from random import Random

from hecv.base.term import Term
from hecv.base.types import MemRefType
from hecv.base.value import Buffer, Scalar, Value
from hecv.program.tree import Function


def may_share(functions: Sequence[Function]) -> bool:
    """Whether runs on overlapping arguments are meaningful: there are such arguments, and no call gets buffers of its
    own."""
    inputs, count = functions[0].inputs(), len(functions[0].arguments)
    kinds = [(m.element, n < count) for n in _candidates(functions, True) if (m := inputs[n].memory) is not None]
    shared = any(a == b and (one or other) for (a, one), (b, other) in combinations(kinds, 2))
    return shared and not any(f.callees for f in functions)


def even(function: Function, point: Mapping[Term, int]) -> dict[Term, int]:
    """The point with equal dynamic extents, so that buffers have equally many elements."""
    dims = {e for n in _candidates([function]) for e in _extents(function, n) if e in point}
    most = max((point[e] for e in dims), default=0)
    return {**point, **dict.fromkeys(dims, most)}


def share(functions: Sequence[Function], arguments: tuple[Value, ...], random: Random) -> tuple[Value, ...]:
    """The arguments with two of them, or all that can be, as the same memory, one of them possibly a global; unchanged
    if none can. Two globals never overlap."""
    function, count = functions[0], len(functions[0].arguments)
    numbers = _candidates(functions, True)
    held = [n for n in numbers if n >= count]
    chosen = random.choice(held) if held else None
    buffers = {n: v for n in numbers if (n < count or n == chosen) and isinstance(v := arguments[n], Buffer)}
    pairs = [(a, b) for a, b in combinations(buffers, 2) if _alike(function, arguments, a, b)]
    if pairs and random.random() < 0.5:
        pairs = [random.choice(pairs)]
    found = list(arguments)
    for first, second in pairs:
        one, two = found[first], buffers[second]
        assert isinstance(one, Buffer)
        found[second] = Buffer(two.shape, one.data)
    return tuple(found)


def shift(functions: Sequence[Function], arguments: tuple[Value, ...], random: Random) -> tuple[Value, ...]:
    """The arguments with at least two of one element type as windows of one store, each overlapping the one before;
    unchanged if none can."""
    function = functions[0]
    buffers = {n: v for n in _candidates(functions) if isinstance(v := arguments[n], Buffer) and v.data}
    kinds = {n: m.element for n in buffers if (m := function.arguments[n].memory) is not None}
    pairs = [(a, b) for a, b in combinations(kinds, 2) if kinds[a] == kinds[b]]
    if not pairs:
        return arguments
    chosen = list(random.choice(pairs))
    more = [n for n in kinds if n not in chosen and kinds[n] == kinds[chosen[0]]]
    chosen += more if random.random() < 0.5 else []
    random.shuffle(chosen)
    starts = {chosen[0]: 0}
    for before, number in pairwise(chosen):
        starts[number] = starts[before] + _distance(buffers[before], buffers[number], random)
    return _windows(arguments, starts)


def kept(before: Sequence[Value], after: Sequence[Value]) -> tuple[Value, ...]:
    """`after` with the sharing of `before`: as a whole if it has equally many elements, in part with the same
    distances."""
    found = list(after)
    for first, second, distance in _shared(before):
        one, two = found[first], found[second]
        assert isinstance(one, Buffer) and isinstance(two, Buffer)
        if distance is None and len(one.data) == len(two.data):
            found[second] = Buffer(two.shape, one.data)
    stores = {id(v.store): v.store for v in before if isinstance(v, Buffer) and v.store is not None}
    for store in stores.values():
        starts = {n: v.start for n, v in enumerate(before) if isinstance(v, Buffer) and v.store is store}
        found = list(_windows(found, starts))
    return tuple(found)


def changed(arguments: Sequence[Value], number: int, value: Value) -> tuple[Value, ...]:
    """The arguments with one value replaced, also in those that share its memory."""
    old, found = arguments[number], list(arguments)
    found[number] = value
    if not isinstance(value, Buffer) or not isinstance(old, Buffer):
        return tuple(found)
    if old.store is None:
        same = ((n, v) for n, v in enumerate(arguments) if isinstance(v, Buffer) and v.data is old.data)
        for n, other in same:
            found[n] = Buffer(other.shape, value.data)
        return tuple(found)
    store = [*old.store]
    store[old.start : old.start + len(value.data)] = value.data
    for n, other in enumerate(arguments):
        if isinstance(other, Buffer) and other.store is old.store:
            data = store[other.start : other.start + len(other.data)]
            found[n] = Buffer(other.shape, data, store, other.start)
    return tuple(found)


def notes(function: Function, arguments: Sequence[Value]) -> tuple[str, ...]:
    """Which arguments share memory, in words."""
    names = [a.name if a.name.startswith("@") else f"%{a.name}" for a in function.inputs()]
    return tuple(_note(names, *found) for found in _shared(arguments))


def _note(names: Sequence[str], first: int, second: int, distance: int | None) -> str:
    if distance is None:
        return f"{names[first]} and {names[second]} are the same memory in this input"
    if distance < 0:
        first, second, distance = second, first, -distance
    return f"{names[second]} begins at element {distance} of {names[first]} in this input"


def sharing(arguments: Sequence[Value]) -> tuple[tuple[int, int, int | None], ...]:
    """The pairs of arguments that share memory; for a partial overlap, with the distance."""
    return tuple(_shared(arguments))


def _shared(arguments: Sequence[Value]) -> Iterator[tuple[int, int, int | None]]:
    """Each argument that shares memory with an earlier one, after the first of these, and how far it begins behind that
    one: None where they are the same memory as a whole."""
    first: dict[int, tuple[int, int]] = {}
    for number, value in enumerate(arguments):
        if isinstance(value, Buffer):
            memory = value.data if value.store is None else value.store
            owner, start = first.setdefault(id(memory), (number, value.start))
            if owner != number:
                yield owner, number, None if value.store is None else value.start - start


def _windows(arguments: Sequence[Value], starts: Mapping[int, int]) -> tuple[Value, ...]:
    """The arguments with some as windows of one store that begin at these places; where two overlap, the later argument
    says what is there."""
    given = {n: v for n in sorted(starts) if isinstance(v := arguments[n], Buffer)}
    lowest = min(starts.values())
    size = max(starts[n] - lowest + len(v.data) for n, v in given.items())
    filler = next((v.data[0] for v in given.values() if v.data), None)
    if filler is None:
        return tuple(arguments)
    store: list[Scalar] = [filler] * size
    for number, value in given.items():
        at = starts[number] - lowest
        store[at : at + len(value.data)] = value.data
    found = list(arguments)
    for number, value in given.items():
        at = starts[number] - lowest
        found[number] = Buffer(value.shape, store[at : at + len(value.data)], store, at)
    return tuple(found)


def _distance(first: Buffer, second: Buffer, random: Random) -> int:
    """How far behind the first buffer the second begins, so that they have an element in common."""
    rows = (prod(b.shape[d:]) for b in (first, second) for d in range(1, len(b.shape)))
    steps = {1, 2, len(first.data) // 2, len(second.data) // 2, *(r + k for r in rows for k in (-1, 0, 1))}
    fits = [d for s in sorted(steps) for d in (s, -s) if -len(second.data) < d < len(first.data)]
    return random.choice(fits) if fits else 0


def _candidates(functions: Sequence[Function], with_globals: bool = False) -> list[int]:
    """The arguments, and globals, that may share memory with another: memrefs whose elements lie row by row, and that
    neither function takes for alone, apart or aligned. A caller need not know a private global."""
    function, alone = functions[0], set[int]()
    for each in functions:
        said = each.alone | {m for pair in each.distinct for m in pair} | {m for m, _ in each.aligned}
        alone |= {n for n, a in enumerate(each.inputs()) if a.memory is not None and a.memory.id in said}
    inputs = function.inputs() if with_globals else function.arguments
    shared = ((n, a) for n, a in enumerate(inputs) if a.is_shared() and a.name not in function.private)
    types = [(n, a.type) for n, a in shared if n not in alone]
    return [n for n, t in types if isinstance(t, MemRefType) and t.layout is None]


def _extents(function: Function, number: int) -> tuple[Term, ...]:
    memory = function.arguments[number].memory
    return () if memory is None else memory.extents


def _alike(function: Function, arguments: Sequence[Value], first: int, second: int) -> bool:
    one, two = function.inputs()[first].memory, function.inputs()[second].memory
    left, right = arguments[first], arguments[second]
    assert one is not None and two is not None and isinstance(left, Buffer) and isinstance(right, Buffer)
    return one.element == two.element and len(left.data) == len(right.data)
