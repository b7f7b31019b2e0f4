"""Structural equality: two functions have the same statements over the same terms.

What a pass leaves unchanged is equivalent whatever its ops mean, even where no other proof could handle it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from hecv.program.tree import (
    Alloc,
    Argument,
    Assert,
    Block,
    Call,
    Constant,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    While,
)

T = TypeVar("T")


def same_program(source: Function, target: Function) -> bool:
    """True if the functions differ only in names and source locations.

    Requires: terms of one pool. Statements and memories are numbered in the order of the text, so the same text gets
              the same numbers; other numbers can only make the answer False.
    """
    return (
        same_inputs(source, target)
        and _all(_constants, source.constants, target.constants)
        and _all(_memories, source.results, target.results)
        and _blocks(source.body, target.body)
    )


def same_inputs(source: Function, target: Function) -> bool:
    """True if the functions take the same arguments and name the same globals, and the target's text states no more
    about them."""
    return (
        len(source.arguments) == len(target.arguments)
        and target.distinct <= source.distinct
        and _all(_arguments, source.inputs(), target.inputs())
    )


def same_shape(source: Function, target: Function) -> bool:
    """True if the functions have the same kinds of statements in the same blocks, `Evaluate` ignored.

    This is the first test of a proof statement by statement.
    """
    return _shape(source.body) == _shape(target.body)


def _shape(block: Block) -> tuple[object, ...]:
    return tuple([(type(s), *map(_shape, _blocks_of(s))) for s in block if not isinstance(s, Evaluate)])


def _blocks_of(statement: Statement) -> tuple[Block, ...]:
    match statement:
        case Loop():
            return (statement.body,)
        case If():
            return (statement.then, statement.otherwise)
        case While():
            return (statement.before, statement.after)
        case _:
            return ()


def _all(same: Callable[[T, T], bool], left: tuple[T, ...], right: tuple[T, ...]) -> bool:
    return len(left) == len(right) and all(map(same, left, right))


def _arguments(left: Argument, right: Argument) -> bool:
    globals_alike = left.memory is None or left.memory.kind is not MemoryKind.GLOBAL or left.name == right.name
    same = (left.type, left.term) == (right.type, right.term) and globals_alike
    return same and _memories(left.memory, right.memory)


def _constants(left: Constant, right: Constant) -> bool:
    return left.number == right.number and _memories(left.memory, right.memory)


def _memories(left: Memory | None, right: Memory | None) -> bool:
    if left is None or right is None:
        return left is right
    same = (left.id, left.kind, left.element) == (right.id, right.kind, right.element)
    return same and left.extents == right.extents


def _blocks(left: Block, right: Block) -> bool:
    return len(left) == len(right) and all(map(_statements, left, right))


def _statements(left: Statement, right: Statement) -> bool:
    if left.id != right.id:
        return False
    match left, right:
        case (Load(), Load()):
            return _memories(left.memory, right.memory) and left.indices == right.indices
        case (Store(), Store()):
            return _memories(left.memory, right.memory) and (left.indices, left.value) == (right.indices, right.value)
        case (Alloc(), Alloc()) | (Dealloc(), Dealloc()):
            return _memories(left.memory, right.memory)
        case (Evaluate(), Evaluate()):
            return left.term is right.term
        case (Assert(), Assert()):
            return (left.condition, left.exact) == (right.condition, right.exact)
        case (Call(), Call()):
            same = (left.callee, left.operands) == (right.callee, right.operands)
            reached = _all(_memories, left.memories, right.memories)
            return same and reached and _all(_memories, left.results, right.results)
        case (Touch(), Touch()):
            return (left.accesses, left.terms) == (right.accesses, right.terms)
        case (Loop(), Loop()):
            head, other = ((s.iv, s.lowers, s.uppers, s.step, s.unsigned, s.parallel) for s in (left, right))
            alike = (left.updated, left.overwrites) == (right.updated, right.overwrites)
            return head == other and alike and _blocks(left.body, right.body)
        case (While(), While()):
            blocks = _blocks(left.before, right.before) and _blocks(left.after, right.after)
            return blocks and left.condition is right.condition
        case (If(), If()):
            return (
                (left.condition, left.exact) == (right.condition, right.exact)
                and _blocks(left.then, right.then)
                and _blocks(left.otherwise, right.otherwise)
            )
        case _:
            return False


def anonymous(block: Block) -> Block:
    """The block with all statement ids 0, and without the notes of what is assumed of loop bounds."""
    return tuple(_anonymous(s) for s in block)


def _anonymous(statement: Statement) -> Statement:
    match statement:
        case Loop(body=body):
            return replace(statement, id=0, body=anonymous(body), fits=False)
        case If(then=then, otherwise=otherwise):
            return replace(statement, id=0, then=anonymous(then), otherwise=anonymous(otherwise))
        case While(before=before, after=after):
            return replace(statement, id=0, before=anonymous(before), after=anonymous(after))
        case _:
            return replace(statement, id=0)
