"""Assertion facts: a value stored after an assertion is a select on the asserted condition.

    assert c; store v, A[i]   =>   assert c; store select(c, v, poison), A[i]

Past an assertion its condition holds. So a value stored after it, in its block or in one within, equals this select:
the poison is never selected. A comparison of stored values then knows the condition, by what `select` and poison mean
and by nothing else.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import OpaqueType
from hecv.program.tree import Assert, Block, Function, If, Loop, Statement, Store, While, walk

MOST: Final = 4
"""Conditions in one value, at most: the last ones."""


def informed(pool: TermPool, function: Function) -> Function:
    """The function with the conditions of assertions in the values that are stored after them.

    Ensures: it does the same on every input.
    """
    return replace(function, body=_informed(pool, function.body, ()))


def says(function: Function) -> bool:
    """True if there is an assertion with a condition to use."""
    return any(_tells(s) for s in walk(function.body))


def _tells(statement: Statement) -> bool:
    return isinstance(statement, Assert) and not statement.exact and literal(statement.condition) is None


def _informed(pool: TermPool, block: Block, known: tuple[Term, ...]) -> Block:
    """The block, entered where the `known` conditions hold."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Assert() if _tells(statement):
                known = (*(c for c in known if c is not statement.condition), statement.condition)[-MOST:]
                out.append(statement)
            case Store(value=value) if not isinstance(value.type, OpaqueType):
                out.append(replace(statement, value=_under(pool, value, known)))
            case Loop(parallel=False):
                out.append(replace(statement, body=_informed(pool, statement.body, known)))
            case If():
                then, otherwise = (_informed(pool, part, known) for part in (statement.then, statement.otherwise))
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = (_informed(pool, part, known) for part in (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)


def _under(pool: TermPool, value: Term, known: tuple[Term, ...]) -> Term:
    """The value where all conditions hold, otherwise poison."""
    for condition in reversed(known):
        nothing = pool.make("ub.poison", (), value.type)
        value = pool.make("arith.select", (condition, value, nothing), value.type)
    return value
