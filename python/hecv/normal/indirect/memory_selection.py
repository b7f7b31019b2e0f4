"""Decides which memories with data-dependent subscripts become loops over all elements, and which become array
values."""

from __future__ import annotations

from hecv.base.term import TermPool
from hecv.normal.indirect.gather_loops import allocates, gathered_memories, gathers_as_loops, stored
from hecv.normal.indirect.scatter_loops import scattered_memories, scatters_as_loops
from hecv.normal.memory.array_values import (
    as_array_values,
    has_known_calls,
    indirect_memories,
    named,
    names,
    reached_by_known_calls,
    sized_by_memory,
    written_in_any_order,
)
from hecv.normal.memory.world_state import external_knows_result, has_external_calls, unwritten_inputs, with_world_state
from hecv.program.refusal import Refused
from hecv.program.tree import Block, Function

Functions = tuple[Function, Function]
Bodies = tuple[Block, Block]
Memories = tuple[frozenset[int], frozenset[int]]
"""One item for each program, the source first."""


def expand_gathers(pool: TermPool, functions: Functions, bodies: Bodies, floats: bool) -> tuple[Bodies, bool]:
    """Turns memory that either program stores to, and that is accessed at subscripts from memory, into loops over all
    elements; also returns whether there is any such memory.

    If only one program has an allocation among it, that may be a copy of memory in which the other program looks
    elements up: then memory that is only read is included too.
    """
    (first, second), (one, two) = functions, bodies
    written = stored(one), stored(two)
    possible = gathered_memories(pool, first, one, floats), gathered_memories(pool, second, two, floats)
    wanted = (
        (written[0] | named(first, names(second, written[1]))) & possible[0],
        (written[1] | named(second, names(first, written[0]))) & possible[1],
    )
    if allocates(one, wanted[0]) != allocates(two, wanted[1]):
        wanted = possible
    made = (
        gathers_as_loops(pool, first, one, wanted[0], floats),
        gathers_as_loops(pool, second, two, wanted[1], floats),
    )
    return made, any(wanted)


def expand_scatters(pool: TermPool, functions: Functions, bodies: Bodies, floats: bool, index_width: int) -> Bodies:
    """Turns memory that either program only updates at subscripts from memory into loops over all elements, unless the
    other program accesses it otherwise."""
    first, second = functions
    sums = (
        scattered_memories(pool, first, bodies[0], floats, index_width),
        scattered_memories(pool, second, bodies[1], floats, index_width),
    )
    kept = _as_values(functions, bodies, sums)
    return (
        scatters_as_loops(pool, first, bodies[0], sums[0] - kept[0], floats),
        scatters_as_loops(pool, second, bodies[1], sums[1] - kept[1], floats),
    )


def convert_to_array_values(pool: TermPool, functions: Functions, bodies: Bodies) -> tuple[Functions, Bodies, bool]:
    """Turns memory that either program accesses at subscripts from memory, or may pass to a call, into array values;
    also returns whether there is any such memory or call and the order of all its accesses is known.

    Raises: Refused if the size of such an allocation is read from memory, or if a call has memory that may overlap
    other memory.
    """
    memories = _as_values(functions, bodies)
    called, outside = any(map(has_known_calls, bodies)), any(map(has_external_calls, bodies))
    if not (called or outside or any(memories)) or any(map(written_in_any_order, bodies, memories)):
        return functions, bodies, False
    for side, body, own in zip("ST", bodies, memories, strict=True):
        if (sized := sized_by_memory(body, own)) is not None:
            raise Refused("an allocation that is sized by what is in memory", side, sized)
    together = any(own & f.overlapping for f, own in zip(functions, memories, strict=True))
    for side, function, body in zip("ST", functions, bodies, strict=True):
        if function.overlapping and (called or outside):
            raise Refused("a call that has memory which may overlap other memory", side, body[0].id)
    one = as_array_values(pool, functions[0], bodies[0], memories[0], outside, together)
    two = as_array_values(pool, functions[1], bodies[1], memories[1], outside, together)
    return (one[0], two[0]), (one[1], two[1]), True


def thread_world_state(pool: TermPool, function: Function, body: Block, side: str) -> tuple[Function, Block]:
    """A program with its external calls as functions of the state of the world.

    Raises: Refused if an external function may know an allocation that is returned.
    """
    if external_knows_result(function, body):
        raise Refused("a function without a body knows an allocation that is returned", side, body[0].id)
    return with_world_state(pool, function, body)


def _as_values(functions: Functions, bodies: Bodies, apart: Memories = (frozenset(), frozenset())) -> Memories:
    """The memories of both programs that become array values, except those that can be kept `apart`: memory that a body
    accesses at subscripts from memory, memory that known calls reach, and the other program's memory of the same
    names."""
    first, second = functions
    found = (
        indirect_memories(bodies[0]) - apart[0] | reached_by_known_calls(bodies[0]),
        indirect_memories(bodies[1]) - apart[1] | reached_by_known_calls(bodies[1]),
    )
    known = names(first, found[0]) | names(second, found[1])
    if any(map(has_external_calls, bodies)):
        known |= names(first, unwritten_inputs(first, bodies[0])) & names(second, unwritten_inputs(second, bodies[1]))
    return found[0] | named(first, known), found[1] | named(second, known)
