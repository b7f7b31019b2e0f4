"""Parallel loops that call functions, as loops in order: one of the orders that they may run in.

The theorem. `parallel for i { body }` runs its iterations in any order, of which a function without a body could tell.
What `for i { body }` does is something that it may do: every behaviour of the second is one of the first. So a target
that refines the source with such loops in order refines the source. The converse does not hold, nor is it true of such
loops of the target, which may run in another order.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.program.tree import Block, Call, Function, If, Loop, Statement, While, walk


def has_unordered_calls(function: Function) -> bool:
    """True if a parallel loop of the function calls another one."""
    return any(_is_unordered(s) for s in walk(function.body))


def _is_unordered(statement: Statement) -> bool:
    return isinstance(statement, Loop) and statement.parallel and any(isinstance(s, Call) for s in walk(statement.body))


def with_ordered_calls(function: Function) -> Function:
    """The function with each parallel loop that has a call in it as a loop in order.

    Ensures: what it does is something that the function may do, wherever that is defined.
    """
    return replace(function, body=_ordered(function.body))


def _ordered(block: Block) -> Block:
    return tuple(map(_in_order, block))


def _in_order(statement: Statement) -> Statement:
    match statement:
        case Loop():
            loop = replace(statement, body=_ordered(statement.body))
            return replace(loop, parallel=False, overwrites=False) if _is_unordered(loop) else loop
        case If():
            return replace(statement, then=_ordered(statement.then), otherwise=_ordered(statement.otherwise))
        case While():
            return replace(statement, before=_ordered(statement.before), after=_ordered(statement.after))
        case _:
            return statement
