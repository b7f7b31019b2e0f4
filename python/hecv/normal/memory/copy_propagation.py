"""Copy propagation: a cell that starts as a copy of another cell, which is not used again, is replaced by it.

    cell %d; store %c, %d; ... %d ...   =>   ... %c ...

if the store is the first use of `%d` and the last use of `%c`. An unrolled loop hands its accumulator to the clean-up
loop in this way.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, rebuild
from hecv.normal.loops.unrolled_copies import named
from hecv.program.skeletons import memory_of
from hecv.program.term_substitution import rename, rewrite
from hecv.program.tree import Alloc, Block, If, Loop, Memory, MemoryKind, Statement, Store, While


def propagate_copies(pool: TermPool, block: Block) -> Block:
    """Replaces each cell that takes over the value of another cell by that cell.

    Requires: what a block allocates is named in that block only.
    Ensures: the same accesses and stores to all other memory, in the same order.
    """
    found = tuple([_within(pool, s) for s in block])
    stands_for = _copies(found)
    if not stands_for:
        return found
    kept = tuple([s for s in found if not _is_replaced(s, stands_for)])
    leaves: dict[int, Term] = {}

    def leaf(term: Term) -> Term | None:
        memory = stands_for.get(memory_of(term)) if term.op == "load" else None
        return None if memory is None else pool.load(memory.id, (), memory.element)

    return rename(rewrite(kept, lambda t: rebuild(pool, t, leaf, leaves)), stands_for)


def _within(pool: TermPool, statement: Statement) -> Statement:
    match statement:
        case Loop():
            return replace(statement, body=propagate_copies(pool, statement.body))
        case If():
            then, otherwise = propagate_copies(pool, statement.then), propagate_copies(pool, statement.otherwise)
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = propagate_copies(pool, statement.before), propagate_copies(pool, statement.after)
            return replace(statement, before=before, after=after)
        case _:
            return statement


def _copies(block: Block) -> dict[int, Memory]:
    """The cell that replaces each copy, by the id of the copy."""
    cells = {s.memory.id: s.memory for s in block if isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL}
    copies = [(k, s) for k, s in enumerate(block) if isinstance(s, Store) and _is_copy(s, cells)]
    if not copies:
        return {}
    uses: dict[int, list[int]] = {}
    for place, statement in enumerate(block):
        for memory in () if isinstance(statement, Alloc) else set(named(statement)):
            uses.setdefault(memory, []).append(place)
    found: dict[int, Memory] = {}
    for place, store in copies:
        given = memory_of(store.value)
        if uses[given][-1] == place and uses[store.memory.id][0] == place:
            found[store.memory.id] = found.get(given, cells[given])
    return found


def _is_copy(store: Store, cells: Mapping[int, Memory]) -> bool:
    """True if a cell of the block gets the contents of another, whatever they are."""
    if store.guarded or store.memory.id not in cells or store.value.op != "load":
        return False
    given = cells.get(memory_of(store.value))
    return given is not None and given.id != store.memory.id and given.element == store.memory.element


def _is_replaced(statement: Statement, stands_for: Mapping[int, Memory]) -> bool:
    """True if a statement allocates a copy, or copies to it the cell that replaces it."""
    match statement:
        case Alloc(memory=memory):
            return memory.id in stands_for
        case Store(memory=memory, value=value) if memory.id in stands_for:
            return value.op == "load" and _last(memory_of(value), stands_for) == stands_for[memory.id].id
        case _:
            return False


def _last(memory: int, stands_for: Mapping[int, Memory]) -> int:
    return stands_for[memory].id if memory in stands_for else memory
