"""Splits a normal-form statement into its terms, its nested blocks, and the shape that remains."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX
from hecv.program.tree import Alloc, Assert, Block, Call, Dealloc, If, Loop, Memory, Statement, Store, Touch, While


def parts_of(statement: Statement) -> tuple[Statement, tuple[tuple[Term, ...], ...], tuple[Block, ...]]:
    """Splits a statement into its shape (without terms and blocks), its terms in groups, and its blocks."""
    match statement:
        case Store(memory=memory, indices=indices, value=value):
            shape = replace(statement, id=0, memory=_shape(memory), indices=(), value=_HOLE)
            return shape, (indices, (value,)), ()
        case Touch(accesses=accesses, terms=terms):
            return replace(statement, id=0, accesses=(), terms=()), (accesses, terms), ()
        case Alloc(memory=memory):
            return replace(statement, id=0, memory=_shape(memory)), (memory.extents,), ()
        case Dealloc(memory=memory):
            return replace(statement, id=0, memory=_shape(memory)), (), ()
        case Loop(lowers=lowers, uppers=uppers, step=step, body=body):
            shape = replace(statement, id=0, lowers=(), uppers=(), step=_HOLE, body=())
            return shape, (lowers, uppers, (step,)), (body,)
        case If(condition=condition, exact=exact, then=then, otherwise=otherwise):
            return If(0, _HOLE, (), (), ()), ((condition,), exact), (then, otherwise)
        case While(before=before, condition=condition, after=after):
            return While(0, (), _HOLE, ()), ((condition,),), (before, after)
        case Assert(condition=condition, exact=exact):
            return Assert(0, _HOLE, "", ()), ((condition,), exact), ()
        case Call(operands=operands):
            memories = tuple(map(_shape, statement.memories))
            results = tuple(map(_shape, statement.results))
            return replace(statement, id=0, operands=(), memories=memories, results=results), (operands,), ()
        case _:
            raise AssertionError("a statement that is not in normal form")


_HOLE = TermPool().make("hole", (), INDEX)


def _shape(memory: Memory) -> Memory:
    """The memory without its extents, which are terms. Their number gives the rank."""
    return replace(memory, name="", extents=())
