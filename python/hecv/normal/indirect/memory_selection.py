"""Which memories that are accessed at subscripts from memory become loops over all elements, and which array values."""

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


def expand_gathers(pool: TermPool, functions: Functions, bodies: Bodies, floats: bool) -> tuple[Bodies, bool]:
    """Normal forms with what either program stores to, and accesses at subscripts from memory, as loops over elements;
    whether there is any such memory. Where one alone looks things up in an allocation, that may be a copy of what the
    other looks them up in, which is then followed as well."""
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
    """Normal forms with what either program only updates at subscripts from memory as loops over all elements; what the
    other program accesses otherwise stays as it is."""
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
    """Both programs with what either accesses at subscripts from memory, or may give to a call, as array values;
    whether there is any such memory or call, and the order of all accesses of it is known.

    Raises: Refused where such an allocation is sized by what is in memory, or a call has memory that may overlap other
    memory.
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
    """A program with calls of functions without a body as functions of the world.

    Raises: Refused where such a function may know an allocation that is returned.
    """
    if external_knows_result(function, body):
        raise Refused("a function without a body knows an allocation that is returned", side, body[0].id)
    return with_world_state(pool, function, body)


def _as_values(functions: Functions, bodies: Bodies, apart: Memories = (frozenset(), frozenset())) -> Memories:
    """The memories of both programs that become array values, but for those that can be kept `apart`: what a body
    accesses at subscripts from memory, what known calls reach, and all that the other program has of these."""
    first, second = functions
    found = (
        indirect_memories(bodies[0]) - apart[0] | reached_by_known_calls(bodies[0]),
        indirect_memories(bodies[1]) - apart[1] | reached_by_known_calls(bodies[1]),
    )
    known = names(first, found[0]) | names(second, found[1])
    if any(map(has_external_calls, bodies)):
        known |= names(first, unwritten_inputs(first, bodies[0])) & names(second, unwritten_inputs(second, bodies[1]))
    return found[0] | named(first, known), found[1] | named(second, known)
