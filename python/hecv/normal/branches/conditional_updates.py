"""Sinks a select into the reduction step it guards.

    select(c, a op x, a)   =>   a op select(c, x, neutral)

Both are `a op x` where `c` holds, and `a` where it does not: `a op neutral` changes nothing and does not overflow. Both
are poison where `c` or `a` is, or where `c` holds and `x` or the step is. If-conversion
(`hecv.normal.branches.if_conversion`) makes such steps of branches; here the program has the select itself, on data.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.normal.memory.reduction_updates import given, under
from hecv.program.tree import Block, If, Loop, Statement, Store


def sink_selects(pool: TermPool, block: Block, is_affine: Callable[[Term], bool], floats: bool) -> Block:
    """Turns an accumulator that a condition on data leaves unchanged into a reduction step. `floats`: no op shows which
    NaN a float is.

    Requires: a normal form without while loops.
    Ensures: the same values but for the payload of a NaN, poison on the same inputs.
    """
    return tuple([_statement(pool, s, is_affine, floats) for s in block])


def _statement(pool: TermPool, statement: Statement, is_affine: Callable[[Term], bool], floats: bool) -> Statement:
    match statement:
        case Loop(body=body):
            return replace(statement, body=sink_selects(pool, body, is_affine, floats))
        case If(then=then, otherwise=otherwise):
            sides = (sink_selects(pool, block, is_affine, floats) for block in (then, otherwise))
            return replace(statement, then=next(sides), otherwise=next(sides))
        case Store(value=value) if any(_reads(t, statement) for t in postorder((value,))):
            return replace(statement, value=_sunk(pool, statement, is_affine, floats))
        case _:
            return statement


def _sunk(pool: TermPool, store: Store, is_affine: Callable[[Term], bool], floats: bool) -> Term:
    memo: dict[Term, Term] = {}
    own: set[Term] = set()
    for term in postorder((store.value,)):
        args = tuple([memo[a] for a in term.args])
        made = term if term.op == "load" or args == term.args else pool.make(term.op, args, term.type, term.attrs)
        if _reads(term, store) or any(a in own for a in made.args):
            own.add(made)
            if made.op == "arith.select" and not is_affine(made.args[0]):
                made = _sunk_select(pool, made, own, floats) or made
                own.add(made)
        memo[term] = made if term.op != "load" else term
    return memo[store.value]


def _sunk_select(pool: TermPool, selection: Term, own: set[Term], floats: bool) -> Term | None:
    """The reduction step that a select is. None unless one arm updates the other, which is made of the stored memory's
    old contents and does not occur in the condition."""
    condition, then, otherwise = selection.args
    for holds, taken, old in ((True, then, otherwise), (False, otherwise, then)):
        apart = old in own and all(t is not old for t in postorder((condition,)))
        other = given(pool, taken, old, floats) if apart else None
        if other is not None:
            return under(pool, taken, old, other, condition, holds)
    return None


def _reads(term: Term, store: Store) -> bool:
    return term.op == "load" and term.attr("memory") == store.memory.id
