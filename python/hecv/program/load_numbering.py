"""Renumbers loads in program order, so that extra evaluated terms change no number."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, rebuild
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Block, Function, If, Load, Loop, Statement, While, walk


def numbered(pool: TermPool, function: Function) -> Function:
    """The function with its loads numbered from 0 in program order, so that terms that are only evaluated change no
    number."""
    loads = [s.id for s in walk(function.body) if isinstance(s, Load)]
    numbers = {old: new for new, old in enumerate(loads)}
    if all(old == new for old, new in numbers.items()):
        return function
    memo: dict[int, Term] = {}

    def leaf(term: Term) -> Term | None:
        if term.op != "read":
            return None
        number = term.attr("load")
        assert isinstance(number, int)
        return pool.read(numbers[number], term.type)

    body = rewrite(function.body, lambda t: rebuild(pool, t, leaf, memo))
    return replace(function, body=renumbered(body, numbers))


def renumbered(block: Block, numbers: dict[int, int]) -> Block:
    """The block with the ids of its loads renumbered, but not the `read` terms that refer to them."""
    return tuple([_load_numbered(s, numbers) for s in block])


def _load_numbered(statement: Statement, numbers: dict[int, int]) -> Statement:
    match statement:
        case Load():
            return replace(statement, id=numbers[statement.id])
        case Loop():
            return replace(statement, body=renumbered(statement.body, numbers))
        case If():
            then, otherwise = renumbered(statement.then, numbers), renumbered(statement.otherwise, numbers)
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = renumbered(statement.before, numbers), renumbered(statement.after, numbers)
            return replace(statement, before=before, after=after)
        case _:
            return statement
