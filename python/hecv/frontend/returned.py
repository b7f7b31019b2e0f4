"""Memrefs that a function returns: which buffer each is.

What lies in one is written at the return to an argument more, as that of a tensor is. Which buffer it is has to be told
apart from that: who gets an argument back writes to it through either name.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from hecv.base.diag import Unsupported
from hecv.base.term import Term, postorder
from hecv.frontend.reader import Meaning, Reader
from hecv.frontend.views import Aggregate, Choice, Collapsed, Expanded, View, both, compare
from hecv.graph.tree import Dealloc, Function, Memory, MemoryKind, Returned, walk


def identities(
    reader: Reader, op: ir.Operation, values: Sequence[Meaning], tensors: frozenset[int]
) -> tuple[Returned, ...]:
    """Which buffer each of the returned memrefs is; `op` is the terminator that returns them. Of the results `tensors`
    only the contents count.

    Raises: Unsupported for memory that does not live on, for part of an allocation, and where memory tells which it is.
    """
    named = [(k, v) for k, v in enumerate(values) if isinstance(v, (View, Choice)) and k not in tensors]
    freed = {s.memory.id for s in walk(tuple(reader.block)) if isinstance(s, Dealloc)} if named else set[int]()
    first: dict[int, int] = {}
    found: list[Returned] = []
    for number, value in named:
        if isinstance(value, Choice) or value.memory.kind is not MemoryKind.LOCAL:
            found.append(_callers(reader, op, number, value))
            continue
        memory = value.memory
        if memory.id in reader.cloned:
            reader.reject(op, f"result {number}: a clone may be the memref that it is of")
        if memory.id not in reader.heap or memory.id in freed:
            reader.reject(op, f"result {number}: %{memory.name} does not live on after the return")
        reshaped = all(isinstance(step, Collapsed | Expanded) for step in value.steps)
        if not reshaped or value.strides is None:
            reader.reject(op, f"result {number}: it is part of %{memory.name}")
        found.append(Returned(first.setdefault(memory.id, number)))
    return tuple(found)


def _callers(reader: Reader, op: ir.Operation, number: int, value: View | Choice) -> Returned:
    """A memref that the caller knows; of one that a condition chooses, the condition is named by its number: terms that
    are the same have the same."""
    if isinstance(value, Choice):
        if _reads((value.condition,)):
            reader.reject(op, f"result {number}: which memref it is depends on memory")
        then, otherwise = (_callers(reader, op, number, way) for way in (value.then, value.otherwise))
        text = f"({then.buffer} where condition {value.condition.id} holds, else {otherwise.buffer})"
        return Returned(text, (*then.layout, *otherwise.layout))
    memory = value.memory
    if memory.kind is MemoryKind.LOCAL:
        reader.reject(op, f"result {number}: a condition tells whether it is %{memory.name}")
    if value.strides is None or _reads((value.strides.offset, *value.strides.strides)):
        reader.reject(op, f"result {number}: where it lies in %{memory.name} is not known")
    name = memory.name if memory.kind is MemoryKind.GLOBAL else f"argument {memory.id}"
    return Returned(name, (value.strides.offset, *value.strides.strides))


def _reads(terms: tuple[Term, ...]) -> bool:
    """Whether terms depend on memory: then the same term need not have the same value in two functions."""
    return any(t.op == "read" for t in postorder(terms))


def require_extents(
    reader: Reader, op: ir.Operation, results: Sequence[Memory], values: Sequence[Term | Aggregate]
) -> None:
    """Emits that the argument which takes a result has its extents: no other input counts."""
    for memory, value in zip(results, values, strict=True):
        if isinstance(value, Aggregate):
            same = (compare(reader.pool, "eq", a, b) for a, b in zip(memory.extents, value.extents, strict=True))
            reader.require(op, both(reader.pool, *same), f"%{memory.name} has other extents than what is returned")


def require_same(functions: tuple[Function, Function]) -> None:
    """Raises: Unsupported where the functions do not return the same buffers."""
    source, target = (f.returned for f in functions)
    if source != target:
        texts = [", ".join(map(_text, r)) for r in (source, target)]
        raise Unsupported(f"it returns other buffers ({texts[1]}) than the source ({texts[0]})", functions[1].location)


def _text(returned: Returned) -> str:
    return returned.buffer if isinstance(returned.buffer, str) else f"result {returned.buffer}'s own"
