"""Memory that is used after the branch that allocates it: it may as well be allocated before the branch."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hecv.base.diag import Unsupported
from hecv.base.term import Term, literal
from hecv.frontend.reader import Reader
from hecv.graph.tree import (
    Alloc,
    Block,
    Call,
    Dealloc,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    While,
    walk,
)


def widen_scopes(reader: Reader) -> None:
    """Moves allocations out of branches, until each is in the block of all that names its memory, or around it.

    Raises: Unsupported where that cannot be: each iteration of a loop allocates another memory, and an allocation may
            be undefined where its branch is not taken.
    """
    while reader.has_choices:
        block = tuple(reader.block)
        used = {memory.id: place for memory, place in _outside(block, frozenset())}
        if not used:
            return
        moved = _moved(block, frozenset(used))
        if moved == block:
            names = {s.memory.id: s.memory.name for s in walk(block) if isinstance(s, Alloc)}
            memory, place = next(iter(used.items()))
            raise Unsupported(
                f"%{names.get(memory, memory)} is used after the loop that allocates it, or after a branch where its "
                "extents may be negative",
                reader.locations.get(place),
            )
        reader.block[:] = moved


def _outside(block: Block, known: frozenset[int]) -> Iterator[tuple[Memory, int]]:
    """Memories that are named outside of the block that allocates them, each with a statement that does so."""
    for statement in block:
        match statement:
            case Alloc(memory=memory):
                known |= {memory.id}
            case If(then=then, otherwise=otherwise):
                yield from _outside(then, known)
                yield from _outside(otherwise, known)
            case Loop(body=body):
                yield from _outside(body, known)
            case While(before=before, after=after):
                yield from _outside(before, known)
                yield from _outside(after, known.union(s.memory.id for s in before if isinstance(s, Alloc)))
            case _:
                for memory in _named(statement):
                    if memory.kind in (MemoryKind.LOCAL, MemoryKind.CELL) and memory.id not in known:
                        yield memory, statement.id


def _named(statement: Statement) -> tuple[Memory, ...]:
    match statement:
        case Load(memory=memory) | Store(memory=memory) | Dealloc(memory=memory):
            return (memory,)
        case Call(memories=memories, results=results):
            return (*memories, *results)
        case _:
            return ()


def _moved(block: Block, memories: frozenset[int]) -> Block:
    """The block with allocations of `memories` moved from branches to right before these."""
    found: list[Statement] = []
    for statement in block:
        match statement:
            case If():
                branches = [_moved(b, memories) for b in (statement.then, statement.otherwise)]
                out = [s for b in branches for s in b if _may_move(s, memories)]
                then, otherwise = (tuple([s for s in b if s not in out]) for b in branches)
                found += [*out, replace(statement, then=then, otherwise=otherwise)]
            case Loop():
                found.append(replace(statement, body=_moved(statement.body, memories)))
            case While():
                before, after = (_moved(b, memories) for b in (statement.before, statement.after))
                found.append(replace(statement, before=before, after=after))
            case _:
                found.append(statement)
    return tuple(found)


def _may_move(statement: Statement, memories: frozenset[int]) -> bool:
    if not isinstance(statement, Alloc) or statement.memory.id not in memories:
        return False
    return all(map(_is_never_negative, statement.memory.extents))


def _is_never_negative(extent: Term) -> bool:
    value = literal(extent)
    return extent.op == "dim" if value is None else value >= 0
