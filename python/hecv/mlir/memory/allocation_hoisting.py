"""Allocation hoisting: memory used after the branch that allocates it is allocated before the branch."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, literal
from hecv.mlir.read.function_reader import Reader
from hecv.mlir.read.memref_views import compare
from hecv.program.index import quasi_affine
from hecv.program.term_substitution import rename
from hecv.program.tree import (
    Alloc,
    Assert,
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
    """Hoists allocations out of branches, until each is in a block that encloses all uses of its memory.

    If an extent may be negative, the hoisted allocation has no elements where it is. The branch is undefined then, as
    an assertion in it says; where the branch is not taken, the extent may be negative.

    Raises: Unsupported if that is impossible: each iteration of a loop allocates another memory, and an extent may not
            be known before the branch.
    """
    remade = reader.remade
    while reader.has_choices:
        block = rename(tuple(reader.block), remade)
        used = {memory.id: place for memory, place in _outside(block, frozenset())}
        if not used:
            reader.block[:] = block
            return
        moved = _Mover(reader, frozenset(used), remade).block(block)
        if moved == block:
            names = {s.memory.id: s.memory.name for s in walk(block) if isinstance(s, Alloc)}
            memory, place = next(iter(used.items()))
            raise Unsupported(
                f"%{names.get(memory, memory)} is used after the loop that allocates it, or after a branch that "
                "computes its extents",
                reader.locations.get(place),
            )
        reader.block[:] = moved


def _outside(block: Block, known: frozenset[int]) -> Iterator[tuple[Memory, int]]:
    """Memories used outside the block that allocates them, each with a statement that does so."""
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


class _Mover:
    """Moves allocations of `memories` out of branches, to right before these; `remade` collects those with other
    extents."""

    def __init__(self, reader: Reader, memories: frozenset[int], remade: dict[int, Memory]) -> None:
        self._reader = reader
        self._memories = memories
        self._remade = remade

    def block(self, block: Block) -> Block:
        """The block with each movable allocation moved out of one branch."""
        found: list[Statement] = []
        for statement in block:
            match statement:
                case If():
                    branches = [self.block(b) for b in (statement.then, statement.otherwise)]
                    found += [self._before(s) for b in branches for s in b if self._may_move(s)]
                    then, otherwise = (tuple([x for s in b for x in self._left(s)]) for b in branches)
                    found.append(replace(statement, then=then, otherwise=otherwise))
                case Loop():
                    found.append(replace(statement, body=self.block(statement.body)))
                case While():
                    before, after = self.block(statement.before), self.block(statement.after)
                    found.append(replace(statement, before=before, after=after))
                case _:
                    found.append(statement)
        return tuple(found)

    def _may_move(self, statement: Statement) -> bool:
        if not isinstance(statement, Alloc) or statement.memory.id not in self._memories:
            return False
        return all(map(quasi_affine.is_proper, statement.memory.extents))

    def _before(self, statement: Statement) -> Statement:
        """The allocation placed before its branch."""
        assert isinstance(statement, Alloc)
        memory, pool = statement.memory, self._reader.pool
        if all(map(_is_never_negative, memory.extents)):
            return statement
        zero = pool.integer(0)
        extents = tuple([quasi_affine.extremum(pool, "affine.max", (zero, e)) for e in memory.extents])
        self._remade[memory.id] = replace(memory, extents=extents)
        return replace(statement, memory=self._remade[memory.id])

    def _left(self, statement: Statement) -> tuple[Statement, ...]:
        """What remains of a statement in the branch."""
        if not self._may_move(statement):
            return (statement,)
        assert isinstance(statement, Alloc)
        pool, number = self._reader.pool, self._reader.number_at
        conditions = [compare(pool, "sle", pool.integer(0), e) for e in statement.memory.extents]
        open_ = [c for e, c in zip(statement.memory.extents, conditions, strict=True) if not _is_never_negative(e)]
        return tuple([Assert(number(statement.id), c, "an extent is negative") for c in open_ if literal(c) != 1])


def _is_never_negative(extent: Term) -> bool:
    value = literal(extent)
    if isinstance(value, int):
        return value >= 0
    largest = extent.args if extent.op == "affine.max" else ()
    return extent.op == "dim" or any(map(_is_never_negative, largest))
