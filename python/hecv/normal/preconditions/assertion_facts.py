"""What assertions say of the values that are stored after them.

Where an assertion was passed, its condition holds. So a value that is stored after it, in its block or further inside,
is the same as the value where the condition holds and poison where it does not: what is selected never is the poison.
Written so, a comparison of stored values knows the conditions, by nothing but what a selection and poison mean.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import OpaqueType
from hecv.program.tree import Assert, Block, Function, If, Loop, Statement, Store, While, walk

MOST: Final = 4
"""So many conditions are said of a value, the last ones."""


def informed(pool: TermPool, function: Function) -> Function:
    """The function with the conditions of assertions in the values that are stored after them.

    Ensures: it does the same on every input.
    """
    return replace(function, body=_informed(pool, function.body, ()))


def says(function: Function) -> bool:
    """Whether there is an assertion that may say something."""
    return any(_tells(s) for s in walk(function.body))


def _tells(statement: Statement) -> bool:
    return isinstance(statement, Assert) and not statement.exact and literal(statement.condition) is None


def _informed(pool: TermPool, block: Block, known: tuple[Term, ...]) -> Block:
    """A block that is entered where the `known` conditions hold."""
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
    """The value where all conditions hold, else poison."""
    for condition in reversed(known):
        nothing = pool.make("ub.poison", (), value.type)
        value = pool.make("arith.select", (condition, value, nothing), value.type)
    return value
