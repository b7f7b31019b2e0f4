"""Data races of parallel loops: two iterations access one element, and one of them writes it.

A loop without a race leaves the same memory in every order of its iterations, the sequential one included: what is
proved of the sequential loop holds of the parallel one. Cells of the surrounding code are not checked, nor is memory
that the loop only updates atomically, with associative and commutative operators.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from hecv.dataflow.model.scop import Access, Flattened, Instances, Parallel
from hecv.dataflow.model.value_dataflow import Isl, access_text
from hecv.program.tree import MemoryKind

_Accessing = tuple[Instances, Access]


def racing(space: Isl, program: Flattened, guarded: bool) -> isl.Set:
    """The parameters, among those known, for which iterations of some parallel loop race.

    With `guarded`, an over-approximation: it counts accesses of `guarded` statements, which may not happen, and two
    writes of a loop that overwrites in an open order.
    """
    result = space.known.subtract(space.known)
    found: dict[tuple[str, Access], isl.Map] = {}

    def elements(statement: Instances, access: Access) -> isl.Map:
        key = statement.name, access
        if key not in found:
            found[key] = _elements(space, statement, access)
        return found[key]

    for loop in program.parallel:
        for one, other in _pairs(program, loop, guarded):
            apart = _apart(space, loop, one[0], other[0])
            meeting = elements(*one).apply_range(elements(*other).reverse()).intersect(apart)
            result = result.union(meeting.params().intersect(space.known))
    return space.coalesced(result)


def _pairs(program: Flattened, loop: Parallel, guarded: bool) -> Iterator[tuple[_Accessing, _Accessing]]:
    """The pairs of a write and any access to an array that the iterations of the loop share."""
    writes: list[_Accessing] = []
    reads: list[_Accessing] = []
    for statement in loop.statements:
        if statement.guarded and not guarded:
            continue
        if statement.write is not None:
            writes.append((statement, statement.write))
        reads.extend((statement, access) for access in statement.reads.values())
    for place, one in enumerate(writes):
        for other in (*(() if loop.overwrites and not guarded else writes[place:]), *reads):
            if one[1].array == other[1].array and _is_shared(program, loop, one[1]):
                yield one, other


def _is_shared(program: Flattened, loop: Parallel, access: Access) -> bool:
    memory = program.arrays[access.array].memory
    return access.private <= loop.depth and memory.kind is not MemoryKind.CELL and memory.id not in loop.updated


def _apart(space: Isl, loop: Parallel, one: Instances, other: Instances) -> isl.Map:
    """The instances of two statements that different iterations of the loop run."""
    left, right = ([f"{letter}{k}" for k in range(len(s.dims))] for letter, s in (("p", one), ("q", other)))
    same = [f"{a} = {b}" for a, b in zip(left[: loop.depth], right[: loop.depth], strict=True)]
    apart = " and ".join([*same, f"{left[loop.depth]} != {right[loop.depth]}"])
    return space.map(f"{{ {one.name}[{', '.join(left)}] -> {other.name}[{', '.join(right)}] : {apart} }}")


def _elements(space: Isl, statement: Instances, access: Access) -> isl.Map:
    """What an access is to at the instances of a statement."""
    text = access_text(statement.tuple_text(), access, statement.domain_text())
    return space.map(f"{{ {text} }}").intersect_params(space.known)
