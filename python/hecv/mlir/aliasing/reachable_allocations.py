"""Memory that a caller can reach through a returned memref beyond the elements of that memref.

A caller that holds a view of an allocation can reach all of it, as it has the base. So where both functions return
views of allocations, the whole allocations are compared: they have the same extents, and the same contents at the
return. Both are written to additional arguments (`Role.AROUND`), which a proof compares like any others. Runs skip
them, since no element of a result shows them.

An argument of unknown layout is a memory of its shape, and the position of a window in it is given by subscripts. Read
as positions in a row-major buffer, these tell windows apart by their elements. Where a window has no element, or one
along a dimension, offset and strides may still differ; so the subscripts themselves are compared like an allocation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX, MemRefType, ScalarType
from hecv.mlir.read.memref_views import Terms, position
from hecv.program.tree import (
    Argument,
    Chosen,
    Function,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Place,
    Role,
    Standing,
    Statement,
    Store,
    walk,
)

Pair = tuple[Function, Function]


class _Compared(Struct, frozen=True):
    """Two allocations of which both functions return parts, as memories of one `shape`."""

    memories: tuple[Memory, Memory]
    shape: tuple[int | None, ...]


def with_surroundings(pool: TermPool, functions: Pair) -> tuple[Function, Function, frozenset[int]]:
    """The functions with additional arguments for the allocations of which they return parts, the same for both; and
    the first results of these allocations.

    Raises: Unsupported if the position of a window is unknown.
    """
    source, target = _Writer(pool, functions[0]), _Writer(pool, functions[1])
    compared: set[int] = set()
    ways = zip(*(f.returned for f in functions), strict=True)
    for number, both in ((a.result, (a.which, b.which)) for a, b in ways):
        allocations = _compared(functions, number, both)
        if allocations is not None:
            compared.add(number)
            for writer, memory in zip((source, target), allocations.memories, strict=True):
                writer.add_whole(number, memory, allocations.shape)
        rows = _rows(functions, both)
        for writer, own in zip((source, target), rows or (), strict=rows is not None):
            writer.add_numbers(f"place of result{number}", own)
    return source.finish(), target.finish(), frozenset(compared)


def _compared(functions: Pair, number: int, both: tuple[Place | Chosen | None, ...]) -> _Compared | None:
    """The allocations whose first result is number `number` in both functions, if some result is only a part of one.

    None if there is no such pair, or their extents cannot be compared.
    """
    parts = [p for f in functions for r in f.returned if isinstance(p := r.which, Place) and p.buffer == number]
    first = [p for p in both if isinstance(p, Place) and p.buffer == number and p.standing is not Standing.DEAD]
    if len(first) < len(functions) or all(p.standing is Standing.WHOLE for p in parts):
        return None
    one, other = (f.memories()[p.memory] for f, p in zip(functions, first, strict=True))
    shape = _common_shape(one.extents, other.extents)
    return None if shape is None or one.element != other.element else _Compared((one, other), shape)


def _common_shape(one: Terms, other: Terms) -> tuple[int | None, ...] | None:
    """A shape for memories of both extents: the common one, or a flat buffer of as many elements."""
    known = [[n for n in map(literal, extents) if isinstance(n, int)] for extents in (one, other)]
    if len(known[0]) == len(one) and len(known[1]) == len(other):
        if known[0] == known[1]:
            return tuple(known[0])
        return (prod(known[0]),) if prod(known[0]) == prod(known[1]) else None
    if len(one) != len(other):
        return None
    pairs = [(literal(a), literal(b)) for a, b in zip(one, other, strict=True)]
    return tuple(a if isinstance(a, int) and a == b else None for a, b in pairs)


def _rows(functions: Pair, both: tuple[Place | Chosen | None, ...]) -> tuple[Terms, Terms] | None:
    """The subscripts of two windows of one argument of unknown layout; None if there is nothing to compare."""
    for side, (one, other) in enumerate((both, both[::-1])):
        if isinstance(one, Place) and one.rows and isinstance(other, Chosen):
            raise Unsupported(f"where it returns a part of {one.buffer} is not known", functions[side].location)
    one, other = both
    if not isinstance(one, Place) or not isinstance(other, Place):
        return None
    if one.buffer != other.buffer or one.rows == other.rows:
        return None
    first, second = (tuple(t for row in place.rows for t in row) for place in (one, other))
    if len(first) != len(second):
        raise Unsupported(f"where it returns a part of {one.buffer} is not known", functions[1].location)
    return first, second


class _Writer:
    """Adds arguments to a function, and the statements that write them at its return."""

    def __init__(self, pool: TermPool, function: Function) -> None:
        self._pool = pool
        self._function = function
        self._memories = max(function.memories(), default=-1)
        self._statements = max((s.id for s in walk(function.body)), default=-1)
        self._arguments: list[Argument] = []
        self._body: list[Statement] = []

    def finish(self) -> Function:
        """The function with all additions."""
        function, count = self._function, len(self._arguments)
        if not count:
            return function
        hidden = tuple(replace(g, number=g.number + count) for g in function.globals)
        arguments, body = (*function.arguments, *self._arguments), (*function.body, *self._body)
        return replace(function, arguments=arguments, globals=hidden, body=body)

    def add_whole(self, number: int, memory: Memory, shape: Sequence[int | None]) -> None:
        """Adds the contents of the allocation `memory`, and those of its extents that `shape` leaves open."""
        around = self._argument(f"around result{number}", memory.element, shape)
        self._body += self._copied(memory, around, ())
        open_extents = [n for n, known in zip(memory.extents, shape, strict=False) if known is None]
        if open_extents:
            self.add_numbers(f"extents around result{number}", open_extents)

    def add_numbers(self, name: str, numbers: Sequence[Term]) -> None:
        """Adds index terms."""
        memory = self._argument(name, INDEX, (len(numbers),))
        self._body += [Store(self._next(), memory, (self._pool.integer(k),), n) for k, n in enumerate(numbers)]

    def _argument(self, name: str, element: ScalarType, shape: Sequence[int | None]) -> Memory:
        number = len(self._function.arguments) + len(self._arguments)
        self._memories += 1
        pool = self._pool
        extents = tuple(pool.extent(number, k) if n is None else pool.integer(n) for k, n in enumerate(shape))
        memory = Memory(self._memories, MemoryKind.ARGUMENT, name, element, extents)
        kind = MemRefType(tuple(shape), element)
        self._arguments.append(Argument(number, name, kind, None, memory, Role.AROUND))
        return memory

    def _copied(self, memory: Memory, around: Memory, at: Terms) -> tuple[Statement, ...]:
        """Statements that copy the elements at subscripts that begin with `at`, as far as the target has room."""
        depth = len(at)
        if depth == len(memory.extents):
            load, store = self._next(), self._next()
            to = at if len(around.extents) == depth else (position(self._pool, at, memory.extents),)
            value = self._pool.read(load, memory.element)
            return Load(load, memory, at), Store(store, around, to, value)
        number, iv, pool = self._next(), self._pool.induction(depth, INDEX), self._pool
        ends = (memory.extents[depth], *around.extents[depth : depth + 1])
        uppers = tuple(dict.fromkeys(ends)) if len(around.extents) == len(memory.extents) else ends[:1]
        body = self._copied(memory, around, (*at, iv))
        return (Loop(number, iv, (pool.integer(0),), uppers, pool.integer(1), False, body),)

    def _next(self) -> int:
        self._statements += 1
        return self._statements


def without_surroundings(function: Function) -> Function:
    """The function as runs use it: without writes to memories that only a proof compares."""
    around = {a.memory.id for a in function.arguments if a.role is Role.AROUND and a.memory is not None}
    if not around:
        return function
    body = tuple(
        s for s in function.body if not any(isinstance(t, Store) and t.memory.id in around for t in walk((s,)))
    )
    return replace(function, body=body)
