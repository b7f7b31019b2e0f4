"""Alpha equivalence: two functions in normal form are one program, up to the names of statements and own memories."""

from __future__ import annotations

from itertools import count
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, rebuild
from hecv.normal.loops.strip_joining import count_from_zero
from hecv.program.skeletons import memory_of
from hecv.program.structural_equality import anonymous, same_inputs
from hecv.program.term_substitution import rename, rewrite
from hecv.program.tree import Alloc, Block, Function, Memory, walk

BEYOND: Final = 1 << 30
"""No function has as many memories."""


def same_form(pool: TermPool, functions: tuple[Function, Function], bodies: tuple[Block, Block]) -> bool:
    """True if the functions have the same inputs, the same results, and bodies that are equal statement by statement.

    Requires: terms of one pool; bodies in the normal form of `hecv.normal.passes`.
    """
    first, second = functions
    if not same_inputs(first, second) or len(first.results) != len(second.results):
        return False
    if first.returned != second.returned or first.overlapping != second.overlapping:
        return False
    return _settled(pool, first, bodies[0]) == _settled(pool, second, bodies[1])


def _settled(pool: TermPool, function: Function, body: Block) -> tuple[list[Memory], Block]:
    """The results and the body with canonical names: an input, constant or result by its number, an allocation by its
    place; loops count from 0."""
    numbers, others = {a.memory.id: a.number for a in function.inputs() if a.memory is not None}, count(2 * BEYOND)
    numbers |= {c.memory.id: BEYOND + c.number for c in function.constants}
    own = [*function.results, *(s.memory for s in walk(body) if isinstance(s, Alloc))]
    numbers |= {m.id: next(others) for m in own}
    memo: dict[int, Term] = {}

    def leaf(term: Term) -> Term | None:
        # The subscripts of a load may load, too: they come first.
        if term.op != "load" or any(a.id not in memo for a in term.args):
            return None
        return pool.load(numbers[memory_of(term)], tuple([memo[a.id] for a in term.args]), term.type)

    def change(term: Term) -> Term:
        return rebuild(pool, term, leaf, memo)

    inputs = (a.memory for a in function.inputs() if a.memory is not None)
    memories = {
        m.id: replace(m, id=numbers[m.id], name="", extents=tuple([change(e) for e in m.extents]))
        for m in (*inputs, *(c.memory for c in function.constants), *own)
    }
    counted = count_from_zero(pool, rewrite(body, change))
    return [memories[m.id] for m in function.results], rename(anonymous(counted), memories)
