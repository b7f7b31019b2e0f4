"""Inputs whose memref arguments share memory: what `--alias may` allows.

Arguments that share memory are the same memory as a whole: buffers with one list of elements. That is enough to tell
apart programs of which one relies on its arguments being distinct.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random

from hecv.base.term import Term
from hecv.base.types import MemRefType
from hecv.base.value import Buffer, Value
from hecv.graph.tree import Function, Loop, walk


def may_share(functions: Sequence[Function]) -> bool:
    """Whether runs on arguments that share memory say something: there are such arguments, and no parallel loop, whose
    races are looked for memory by memory."""
    parallel = any(isinstance(s, Loop) and s.parallel for f in functions for s in walk(f.body))
    return not parallel and len(_candidates(functions[0])) > 1


def even(function: Function, point: Mapping[Term, int]) -> dict[Term, int]:
    """The point with all dynamic extents alike, so that buffers have as many elements."""
    dims = {e for n in _candidates(function) for e in _extents(function, n) if e in point}
    most = max((point[e] for e in dims), default=0)
    return {**point, **dict.fromkeys(dims, most)}


def share(function: Function, arguments: tuple[Value, ...], random: Random) -> tuple[Value, ...]:
    """The arguments with two that are the same memory, or all that can be; as they are where none can."""
    buffers = {n: v for n in _candidates(function) if isinstance(v := arguments[n], Buffer)}
    pairs = [(a, b) for a, b in combinations(buffers, 2) if _alike(function, arguments, a, b)]
    if pairs and random.random() < 0.5:
        pairs = [random.choice(pairs)]
    found = list(arguments)
    for first, second in pairs:
        one, two = found[first], buffers[second]
        assert isinstance(one, Buffer)
        found[second] = Buffer(two.shape, one.data)
    return tuple(found)


def kept(before: Sequence[Value], after: Sequence[Value]) -> tuple[Value, ...]:
    """`after` with what shared memory before sharing it still, as far as it has as many elements."""
    found = list(after)
    for first, second in _shared(before):
        one, two = found[first], found[second]
        assert isinstance(one, Buffer) and isinstance(two, Buffer)
        if len(one.data) == len(two.data):
            found[second] = Buffer(two.shape, one.data)
    return tuple(found)


def notes(function: Function, arguments: Sequence[Value]) -> tuple[str, ...]:
    """Which arguments share memory, in words."""
    names = [a.name for a in function.inputs()]
    return tuple(f"%{names[a]} and %{names[b]} are the same memory in this input" for a, b in _shared(arguments))


def sharing(arguments: Sequence[Value]) -> tuple[tuple[int, int], ...]:
    """The pairs of arguments that share memory."""
    return tuple(_shared(arguments))


def _shared(arguments: Sequence[Value]) -> Iterator[tuple[int, int]]:
    """Each argument that shares memory with an earlier one, after the first of these."""
    first: dict[int, int] = {}
    for number, value in enumerate(arguments):
        if isinstance(value, Buffer) and value.shape:
            owner = first.setdefault(id(value.data), number)
            if owner != number:
                yield owner, number


def _candidates(function: Function) -> list[int]:
    """The arguments that may be the same memory as another: memrefs of some rank whose elements lie row by row."""
    types = [(n, a.type) for n, a in enumerate(function.arguments) if a.is_shared()]
    return [n for n, t in types if isinstance(t, MemRefType) and t.shape and t.layout is None]


def _extents(function: Function, number: int) -> tuple[Term, ...]:
    memory = function.arguments[number].memory
    return () if memory is None else memory.extents


def _alike(function: Function, arguments: Sequence[Value], first: int, second: int) -> bool:
    one, two = function.arguments[first].memory, function.arguments[second].memory
    left, right = arguments[first], arguments[second]
    assert one is not None and two is not None and isinstance(left, Buffer) and isinstance(right, Buffer)
    return one.element == two.element and len(left.data) == len(right.data)
