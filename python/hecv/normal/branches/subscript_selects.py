"""Turns an access at a selected subscript into a branch, and a loop with a selected bound likewise.

    store v, S[select(c, x, y)]   =>   if c { store v, S[x] } else { store v, S[y] }

isl cannot represent the selected subscript. A statement with that access evaluates it wherever it runs: where `c` is
poison the subscript is, which is undefined behaviour, as a branch on poison is.

That arithmetic in `c` does not overflow is assumed, as part of the subscript or bound. In an assertion it has to be
shown, and so it has in the branch made of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IndexType
from hecv.program.index import quasi_affine
from hecv.program.read_write_sets import Reads
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Assert, Block, If, Loop, Statement, Store, Touch, roots

MOST_CONDITIONS: Final = 3
"""At most 3 conditions in the subscripts of a statement: each doubles it. With more the statement stays as it is."""

_WithSubscripts = Loop | Store | Touch | Assert


def branch_on_selects(pool: TermPool, block: Block, is_affine: Callable[[Term], bool]) -> Block:
    """Turns accesses at subscripts that affine conditions select into branches.

    Requires: index arithmetic in subscripts does not overflow.
    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    return tuple([made for s in block for made in _statement(pool, s, is_affine)])


def _statement(pool: TermPool, statement: Statement, is_affine: Callable[[Term], bool]) -> Block:
    match statement:
        case Loop(body=body):
            whole = replace(statement, body=branch_on_selects(pool, body, is_affine))
            return _branched(pool, whole, is_affine, 1) if len(_select_conditions(whole, is_affine)) == 1 else (whole,)
        case If(then=then, otherwise=otherwise):
            sides = (branch_on_selects(pool, block, is_affine) for block in (then, otherwise))
            return (replace(statement, then=next(sides), otherwise=next(sides)),)
        case Store() | Touch() | Assert():
            few = len(_select_conditions(statement, is_affine)) <= MOST_CONDITIONS
            return _branched(pool, statement, is_affine, MOST_CONDITIONS) if few else (statement,)
        case _:
            return (statement,)


def _branched(pool: TermPool, statement: _WithSubscripts, is_affine: Callable[[Term], bool], most: int) -> Block:
    """The statement in branches on at most `most` conditions, the outermost first: what stands in an arm that is not
    taken may be poison."""
    conditions = _select_conditions(statement, is_affine)
    if not conditions or not most:
        return (statement,)
    ways = (
        _branched(pool, _specialized(pool, statement, conditions[0], holds), is_affine, most - 1)
        for holds in (True, False)
    )
    exact = statement.exact if isinstance(statement, Assert) else ()  # else it is part of a subscript or bound
    return (If(statement.id, conditions[0], next(ways), next(ways), exact),)


def _select_conditions(statement: _WithSubscripts, is_affine: Callable[[Term], bool]) -> list[Term]:
    """The affine conditions that select indices in the subscripts or bounds of a statement, or in what it asserts."""
    match statement:
        case Loop(lowers=lowers, uppers=uppers, step=step):
            whole = (*lowers, *uppers, step)
        case Assert(condition=condition):
            whole = (condition,)
        case Store(indices=indices):
            whole = indices
        case Touch():
            whole = ()
    subscripts: tuple[Term, ...] = ()
    if not isinstance(statement, Loop):
        subscripts = tuple([a for t in postorder(roots(statement)) if t.op == "load" for a in t.args])
    return [c for c in dict.fromkeys(_conditions((*whole, *subscripts))) if is_affine(c)]


def _conditions(terms: tuple[Term, ...]) -> Iterator[Term]:
    """The conditions of the outermost selects in some terms, where these are of index type."""
    waiting, seen = [*reversed(terms)], set[Term]()
    while waiting:
        term = waiting.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op != "arith.select":
            waiting += reversed(term.args)
        elif isinstance(term.type, IndexType):
            yield term.args[0]


def _specialized(pool: TermPool, statement: _WithSubscripts, condition: Term, holds: bool) -> _WithSubscripts:
    """The statement where a condition holds, or where it does not: a select on it becomes one of its arms.

    Subscripts, bounds and touched terms are evaluated by other statements as well. A stored value is evaluated by its
    store alone: the arm that is not taken stays in it unless that arm is total. The body of a loop stays as it is.
    """
    memo, values, reads = dict[Term, Term](), dict[Term, Term](), Reads()

    def arm(node: Term, args: tuple[Term, ...], only_total: bool) -> Term | None:
        if node.op != "arith.select" or node.args[0] is not condition:
            return None
        taken, other = (1, 2) if holds else (2, 1)
        return None if only_total and not reads.is_total(node.args[other]) else args[taken]

    def change(root: Term) -> Term:
        for node in postorder((root,)):
            if node not in memo:
                args = tuple([memo[a] for a in node.args])
                memo[node] = arm(node, args, False) or quasi_affine.remade(pool, node, args)
        return memo[root]

    def changed_value(root: Term) -> Term:
        for node in postorder((root,)):
            if node not in values:
                args = tuple([change(a) if node.op == "load" else values[a] for a in node.args])
                values[node] = arm(node, args, True) or quasi_affine.remade(pool, node, args)
        return values[root]

    match statement:
        case Store(indices=indices, value=value):
            return replace(statement, indices=tuple(map(change, indices)), value=changed_value(value))
        case Loop(lowers=lowers, uppers=uppers):
            bounds = tuple(map(change, lowers)), tuple(map(change, uppers))
            return replace(statement, lowers=bounds[0], uppers=bounds[1], step=change(statement.step))
        case _:
            (found,) = rewrite((statement,), change)
            assert isinstance(found, Touch | Assert)
            return found
