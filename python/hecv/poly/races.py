"""Races of parallel loops: two iterations that access one element, of which one writes.

A loop without a race gives the same memory in every order of its iterations, that of a sequential loop among them: what
is proved of the sequential loop then holds of the parallel one. Cells from outside are not looked at, nor is memory
that the loop only updates atomically: they accumulate, by operators that are associative and commutative.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from hecv.graph.tree import MemoryKind
from hecv.poly.dataflow import Isl, access_text
from hecv.poly.statements import Access, Flattened, Instances, Parallel

_Accessing = tuple[Instances, Access]


def racing(space: Isl, program: Flattened, guarded: bool) -> isl.Set:
    """The parameters, among those known, for which iterations of some parallel loop race.

    Accesses of `guarded` statements may not happen: they count only where asked for.
    """
    result = space.known.subtract(space.known)
    for loop in program.parallel:
        for one, other in _pairs(program, loop, guarded):
            result = result.union(_meeting(space, loop, one, other))
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
        for other in (*writes[place:], *reads):
            if one[1].array == other[1].array and _is_shared(program, loop, one[1]):
                yield one, other


def _is_shared(program: Flattened, loop: Parallel, access: Access) -> bool:
    memory = program.arrays[access.array].memory
    return access.private <= loop.depth and memory.kind is not MemoryKind.CELL and memory.id not in loop.updated


def _meeting(space: Isl, loop: Parallel, one: _Accessing, other: _Accessing) -> isl.Set:
    """The parameters for which two accesses of different iterations of the loop are to the same element."""
    first, second = (_elements(space, *accessing) for accessing in (one, other))
    left, right = ([f"{letter}{k}" for k in range(len(s.dims))] for letter, (s, _) in (("p", one), ("q", other)))
    same = [f"{a} = {b}" for a, b in zip(left[: loop.depth], right[: loop.depth], strict=True)]
    apart = " and ".join([*same, f"{left[loop.depth]} != {right[loop.depth]}"])
    tuples = f"{one[0].name}[{', '.join(left)}] -> {other[0].name}[{', '.join(right)}]"
    meeting = first.apply_range(second.reverse()).intersect(space.map(f"{{ {tuples} : {apart} }}"))
    return meeting.params().intersect(space.known)


def _elements(space: Isl, statement: Instances, access: Access) -> isl.Map:
    text = access_text(statement.tuple_text(), access, statement.domain_text())
    return space.map(f"{{ {text} }}").intersect_params(space.known)
