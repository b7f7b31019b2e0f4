"""Store-to-load forwarding within one block: the value last stored to an element, found without analysing loops."""

from __future__ import annotations

from hecv.base.term import Term, literal
from hecv.mlir.read.memref_views import View
from hecv.program.tree import Alloc, Block, Call, Dealloc, MemoryKind, Statement, Store, walk


def stored(block: Block, view: View, position: int) -> Term | None:
    """The value last stored by the block to the element at `position` of a rank-1 allocation; None if that is
    unknown."""
    memory = view.memory
    if view.steps or len(memory.extents) != 1 or memory.kind is not MemoryKind.LOCAL:
        return None
    for statement in reversed(block):
        if isinstance(statement, Store) and statement.memory is memory:
            at = literal(statement.indices[0])
            if at == position:
                return statement.value
            if at is None:
                return None
        elif any(_may_write(s, memory.id) for s in walk((statement,))):
            return None
    return None


def _may_write(statement: Statement, memory: int) -> bool:
    match statement:
        case Store() | Alloc() | Dealloc():
            return statement.memory.id == memory
        case Call():
            return True  # it may have been given the memory before
        case _:
            return False
