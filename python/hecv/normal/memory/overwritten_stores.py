"""Dead store elimination within a block: a store that the block overwrites before any read becomes a `Touch`."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.normal.memory.clobbered_loads import apart
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Statement,
    Store,
    Touch,
    While,
)


def eliminate_overwritten_stores(pool: TermPool, block: Block, overlapping: frozenset[int]) -> Block:
    """The block without stores that it overwrites before they are read; the accesses of their addresses stay.

    Ensures: the same final memory, and undefined behaviour on the same inputs.
    """
    return DeadStores(pool, overlapping).block(block)


class DeadStores:
    """Turns each store that the same block overwrites before any read into a `Touch` of its address. A read of one of
    the memories `overlapping` may be of what was stored to any of them."""

    def __init__(self, pool: TermPool, overlapping: frozenset[int] = frozenset()) -> None:
        self._pool = pool
        self._overlapping = overlapping

    def block(self, block: Block) -> Block:
        """The block without dead stores."""
        out: list[Statement] = []
        overwritten: dict[int, set[tuple[Term, ...]]] = {}
        for statement in reversed(block):
            kept = self._statement(statement, overwritten)
            if kept is not None:
                out.append(kept)
        return tuple(reversed(out))

    def _statement(self, statement: Statement, overwritten: dict[int, set[tuple[Term, ...]]]) -> Statement | None:
        """The statement as it stays; `overwritten` has what later statements of the block write before they read."""
        match statement:
            case Store(memory=memory, indices=indices):
                keys = overwritten.setdefault(memory.id, set())
                if indices in keys:
                    address = self._pool.load(memory.id, indices, memory.element)
                    return Touch(statement.id, (address,), ()) if indices else None
                keys.add(indices)
                return statement
            case Load(memory=memory, indices=indices):
                keys = overwritten.get(memory.id)
                if keys:
                    overwritten[memory.id] = {k for k in keys if apart(k, indices)}
                for other in self._overlapping - {memory.id} if memory.id in self._overlapping else ():
                    overwritten.pop(other, None)
                return statement
            case Loop():
                body = self.block(statement.body)
                overwritten.clear()
                return replace(statement, body=body)
            case While():
                before, after = self.block(statement.before), self.block(statement.after)
                overwritten.clear()
                return replace(statement, before=before, after=after)
            case If():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                overwritten.clear()
                return If(statement.id, statement.condition, then, otherwise, statement.exact)
            case Alloc(memory=memory) | Dealloc(memory=memory):
                overwritten.pop(memory.id, None)
                return statement
            case Call():
                overwritten.clear()
                return statement
            case Touch() | Evaluate() | Assert():
                return statement
