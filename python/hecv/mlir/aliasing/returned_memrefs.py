"""Returned memrefs: which buffer each result is.

The contents of a returned memref are written at the return to an additional argument, as those of a tensor are. Which
buffer it is has to be told separately: a caller that gets an argument back may write to it through either name.

If both functions plainly return the same buffers, nothing is added. Otherwise each function states them as numbers, in
additional results: the buffer's number, the offset and the strides. Functions with equal numbers return the same
buffers. Where numbers differ, a caller can tell if writing some element changes another place
(`hecv.refute.result_aliasing`). The rest of a buffer that is returned in part is compared separately
(`hecv.mlir.aliasing.reachable_allocations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX
from hecv.mlir.aliasing.reachable_allocations import with_surroundings
from hecv.mlir.aliasing.selected_memrefs import is_never_poison, leaves
from hecv.mlir.read.function_reader import Meaning, Reader
from hecv.mlir.read.memref_views import (
    Aggregate,
    Choice,
    Collapsed,
    Expanded,
    Strides,
    Terms,
    View,
    both,
    compare,
    product,
    row_major_strides,
    rows_of,
)
from hecv.mlir.read.operand_preconditions import Stated
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    STANDINGS,
    Chosen,
    Dealloc,
    Function,
    Memory,
    MemoryKind,
    Place,
    Returned,
    Standing,
    Store,
    walk,
)


def identities(
    reader: Reader, op: ir.Operation, values: Sequence[Meaning], results: Sequence[Memory], tensors: frozenset[int]
) -> tuple[Returned, ...]:
    """Which buffer each returned memref is; `op` is the terminator, and `results` take the contents.

    Of the results `tensors` only the contents count.

    Raises: Unsupported if it is unknown.
    """
    named = [(k, v) for k, v in enumerate(values) if isinstance(v, (View, Choice)) and k not in tensors]
    # What a branch or a loop frees may be alive here: a run that reads its contents shows whether it is.
    freed = {s.memory.id for s in reader.block if isinstance(s, Dealloc)} if named else set[int]()
    for number in tensors:
        value = values[number]
        for view in leaves(value) if isinstance(value, (View, Choice)) else ():
            if view.memory.id in reader.stack:
                reader.reject(op, f"result {number}: %{view.memory.name} does not live on after the return")
    owners: dict[int, list[int]] = {}
    for number, value in named:
        for memory in {v.memory.id for v in leaves(value) if v.memory.kind is MemoryKind.LOCAL}:
            owners.setdefault(memory, []).append(number)
    chosen = {number for number, value in named if isinstance(value, Choice)}

    def place(number: int, value: View | Choice) -> Place | Chosen:
        if isinstance(value, Choice):
            ways = place(number, value.then), place(number, value.otherwise)
            settled = value.forked or is_never_poison(value.condition)
            if not settled and any(p.standing is Standing.DEAD for p in _leaves(*ways)):
                reader.reject(op, f"result {number}: one that it may be does not live on after the return")
            return Chosen(value.condition, *ways)
        if value.memory.kind is not MemoryKind.LOCAL:
            return _of_caller(reader, op, number, value, number not in chosen)
        shared = owners[value.memory.id]
        if len(shared) > 1 and not chosen.isdisjoint(shared):
            reader.reject(op, f"result {number}: a condition tells whether it is %{value.memory.name}")
        standing = _standing(reader, op, number, value, freed)
        lies = value.strides if standing is Standing.PART else None
        layout = () if lies is None else (lies.offset, *lies.strides)
        return Place(shared[0], layout, standing, value.memory.id)

    return tuple(Returned(number, results[number].id, place(number, value)) for number, value in named)


def _standing(reader: Reader, op: ir.Operation, number: int, value: View, freed: set[int]) -> Standing:
    """How much of one of its own allocations the function returns."""
    memory = value.memory
    if memory.id in reader.cloned:
        reader.reject(op, f"result {number}: a clone may be the memref that it is of")
    if any(memory is part for parts in reader.parts.values() for _, part in parts):
        reader.reject(op, f"result {number}: bytes that are seen as several types")
    if memory.id not in reader.heap or memory.id in freed:
        return Standing.DEAD
    if value.strides is None or not _is_told(op, number, value.strides):
        return Standing.UNKNOWN
    reshaped = all(isinstance(step, Collapsed | Expanded) for step in value.steps)
    sizes = (product(reader.pool, extents) for extents in (value.extents, memory.extents))
    return Standing.WHOLE if reshaped and literal(compare(reader.pool, "eq", *sizes)) == 1 else Standing.PART


def _of_caller(reader: Reader, op: ir.Operation, number: int, value: View, alone: bool) -> Place:
    """The position of a memref in an argument or global; `alone`: it is the only candidate for the result."""
    memory, pool = value.memory, reader.pool
    name = memory.name if memory.kind is MemoryKind.GLOBAL else f"argument {memory.id}"
    if value.strides is not None and _is_told(op, number, value.strides):
        return Place(name, (value.strides.offset, *value.strides.strides))
    rows = rows_of(pool, value)
    if rows is None or (value.steps and not alone):
        reader.reject(op, f"result {number}: where it lies in %{memory.name} is not known")
    usual = row_major_strides(pool, memory.extents)
    layout = tuple(_sum(pool, map(partial(quasi_affine.multiply, pool), usual, row)) for row in rows)
    return Place(name, layout, rows=rows)


def _is_told(op: ir.Operation, number: int, lies: Strides) -> bool:
    """True if the returned memref is identified by its offset. If its own offset is counted from the base of another
    buffer, its type has to state that offset."""
    if lies.origin is None:
        return True
    around = op.parent
    assert around is not None
    kind = ir.FunctionType(ir.TypeAttr(around.attributes["function_type"]).value).results[number]
    _, offset = ir.MemRefType(kind).get_strides_and_offset()
    return offset != ir.ShapedType.get_dynamic_stride_or_offset()


def _sum(pool: TermPool, terms: Iterable[Term]) -> Term:
    return quasi_affine.combine(pool, 0, tuple((term, 1) for term in terms))


def written_out(stated: Stated, returned: Returned) -> Returned:
    """What is returned, with the preconditions that ops state of indices written out in its terms."""

    def place(which: Place | Chosen) -> Place | Chosen:
        if isinstance(which, Place):
            rows = tuple(tuple(map(stated.value, row)) for row in which.rows)
            return replace(which, layout=tuple(map(stated.value, which.layout)), rows=rows)
        return Chosen(stated.value(which.condition), place(which.then), place(which.otherwise))

    return returned if returned.which is None else replace(returned, which=place(returned.which))


def terms(returned: Returned) -> Iterator[Term]:
    """The terms in the identity of a returned memref."""
    left = [] if returned.which is None else [returned.which]
    while left:
        which = left.pop()
        if isinstance(which, Place):
            yield from which.layout
            yield from chain.from_iterable(which.rows)
        else:
            yield which.condition
            left += [which.then, which.otherwise]


def places(returned: Returned) -> Iterator[Place]:
    """The possible positions of a returned memref."""
    return _leaves(*(() if returned.which is None else (returned.which,)))


def _leaves(*which: Place | Chosen) -> Iterator[Place]:
    left = list(which)
    while left:
        way = left.pop()
        if isinstance(way, Place):
            yield way
        else:
            left += [way.then, way.otherwise]


def require_extents(
    reader: Reader, op: ir.Operation, results: Sequence[Memory], values: Sequence[Term | Aggregate]
) -> None:
    """Emits that the argument that takes a result has the result's extents: other inputs are excluded."""
    for memory, value in zip(results, values, strict=True):
        if isinstance(value, Aggregate):
            same = (compare(reader.pool, "eq", a, b) for a, b in zip(memory.extents, value.extents, strict=True))
            reader.require(op, both(reader.pool, *same), f"%{memory.name} has other extents than what is returned")


# Pairing


def paired(functions: tuple[Function, Function], pool: TermPool) -> tuple[Function, Function]:
    """The functions, with results that state which buffers they return, unless they plainly return the same ones.

    Requires: the same hidden arguments.
    Raises:   Unsupported if the source returns memory that does not live on, or results differ in kind.
    """
    source, target = (_told(f, lambda place: replace(place, memory=-1)) for f in functions)
    if _plain(source) and source.returned == target.returned:
        return source, target
    if any(p.standing is Standing.DEAD for r in source.returned for p in places(r)):
        raise Unsupported("the source returns memory that does not live on after the return", source.location)
    if [(r.result, r.taken) for r in source.returned] != [(r.result, r.taken) for r in target.returned]:
        raise Unsupported("it does not return memrefs where the source does", target.location)
    source, target, compared = with_surroundings(pool, functions)
    return _numbered(pool, source, 0, compared), _numbered(pool, target, 1, compared)


def _told(function: Function, change: Callable[[Place], Place]) -> Function:
    """The function with `change` applied to every possible position of a returned memref."""

    def place(which: Place | Chosen) -> Place | Chosen:
        if isinstance(which, Place):
            return change(which)
        return Chosen(which.condition, place(which.then), place(which.otherwise))

    given = (r if r.which is None else replace(r, which=place(r.which)) for r in function.returned)
    return replace(function, returned=tuple(given)) if function.returned else function


def _plain(function: Function) -> bool:
    """True if equal identity terms imply that two functions return the same buffers: no identity depends on memory,
    and of an allocation the whole is returned."""
    found = (t for r in function.returned for t in terms(r))
    if any(t.op == "read" for t in postorder(tuple(found))):
        return False
    own = (p for r in function.returned for p in places(r) if isinstance(p.buffer, int))
    return all(p.standing is Standing.WHOLE for p in own)


def _numbered(pool: TermPool, function: Function, side: int, compared: frozenset[int]) -> Function:
    """The function with additional results that state which buffers it returns.

    `compared` are the first results of the allocations that are compared as a whole.
    """
    memory = max(function.memories(), default=-1)
    statement = max((s.id for s in walk(function.body)), default=-1)
    numbers = _Numbers(pool, function, side, compared)
    results, body, returned = list(function.results), list(function.body), list[Returned]()
    extents = {a.number: a.memory.extents for a in function.arguments if a.memory is not None}
    for each in function.returned:
        assert each.which is not None
        rank = len(extents[each.taken])
        shown = len(results)
        names = ["buffer", "offset", *(f"stride {k}" for k in range(rank))]
        for name, value in zip(names, numbers.of(each.which, extents[each.taken]), strict=True):
            memory, statement = memory + 1, statement + 1
            results.append(Memory(memory, MemoryKind.RESULT, f"result{each.result}'s {name}", INDEX, ()))
            body.append(Store(statement, results[-1], (), value))
        returned.append(replace(each, which=None, shown=shown))
    return replace(function, results=tuple(results), body=tuple(body), returned=tuple(returned))


class _Numbers:
    """Buffer numbers, the same for both functions: constants, inputs, then own allocations by the first result that
    each is.

    A part of an allocation never has the same number in both, unless the whole allocations are compared.
    """

    def __init__(self, pool: TermPool, function: Function, side: int, compared: frozenset[int]) -> None:
        self._pool = pool
        self._side = side
        self._compared = compared
        self._own = len(function.inputs())
        self._named = {f"argument {a.number}": a.number for a in function.arguments}
        self._named |= {g.name: g.number for g in function.globals}
        self._named |= {c.memory.name: -1 - c.number for c in function.constants}

    def of(self, which: Place | Chosen, extents: Terms) -> Terms:
        """The number, offset and strides of a returned memref with these `extents`."""
        if isinstance(which, Chosen):
            ways = zip(self.of(which.then, extents), self.of(which.otherwise, extents), strict=True)
            return tuple(self._pool.make("arith.select", (which.condition, *way), INDEX) for way in ways)
        if isinstance(which.buffer, str):
            return (self._pool.integer(self._named[which.buffer]), *which.layout)
        number = self._own + STANDINGS * which.buffer + self._standing(which)
        usual = (self._pool.integer(0), *row_major_strides(self._pool, extents))
        return (self._pool.integer(number), *(which.layout or usual))

    def _standing(self, place: Place) -> int:
        """The number that says how a memref lies in an allocation."""
        match place.standing:
            case Standing.WHOLE:
                return 0
            case Standing.PART:
                return 0 if place.buffer in self._compared else 1 + self._side
            case Standing.UNKNOWN:
                return 3 + self._side
            case Standing.DEAD:
                return STANDINGS - 1
