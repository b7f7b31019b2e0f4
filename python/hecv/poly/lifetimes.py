"""Memory that may be used after its deallocation, as the tree shows it without any analysis."""

from __future__ import annotations

from collections.abc import Iterable

from hecv.base.term import Term, postorder
from hecv.graph.tree import Alloc, Assert, Block, Call, Dealloc, If, Loop, Statement, Store, Touch, While, walk


def dead_access(block: Block) -> int | None:
    """A statement that may use memory after its deallocation, None where the tree shows that there is none.

    A deallocation is accepted where it stands in the block of its allocation, once, and nothing after it in that block
    names the memory.
    """
    allocated: set[int] = set()
    dead: set[int] = set()
    for statement in block:
        for inner in walk((statement,)):
            if any(m in dead for m in _named(inner)):
                return inner.id
        match statement:
            case Alloc(memory=memory):
                allocated.add(memory.id)
            case Dealloc(memory=memory):
                if memory.id not in allocated:
                    return statement.id
                dead.add(memory.id)
            case Loop():
                inner_dead = dead_access(statement.body)
                if inner_dead is not None:
                    return inner_dead
            case If():
                for branch in (statement.then, statement.otherwise):
                    inner_dead = dead_access(branch)
                    if inner_dead is not None:
                        return inner_dead
            case While():
                for part in (statement.before, statement.after):
                    inner_dead = dead_access(part)
                    if inner_dead is not None:
                        return inner_dead
            case _:
                pass
    return None


def _named(statement: Statement) -> Iterable[int]:
    match statement:
        case Store(memory=memory):
            terms = (*statement.indices, statement.value)
            return [memory.id, *_loaded(terms)]
        case Touch():
            return _loaded((*statement.accesses, *statement.terms))
        case Assert():
            return _loaded((statement.condition,))
        case Call():
            return [*(m.id for m in statement.memories), *_loaded(statement.operands)]
        case Alloc(memory=memory) | Dealloc(memory=memory):
            return [memory.id]
        case _:
            return []


def _loaded(terms: tuple[Term, ...]) -> list[int]:
    return [int(str(t.attr("memory"))) for t in postorder(terms) if t.op == "load"]
