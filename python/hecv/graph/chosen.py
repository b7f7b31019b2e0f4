"""Subscripts and bounds that a condition on indices chooses: the access, or the loop, stands in a branch for each way.

isl holds no `A[c ? x : y]`. A statement that accesses it does so wherever it runs, and there a condition that is poison
makes the subscript poison, which is undefined behaviour as a branch on poison is. So `S[c ? x : y]` is

    if c { S[x] } else { S[y] }

That arithmetic in `c` does not overflow is assumed as of the subscript or bound that it is part of; of what is asserted
it has to be shown, in the branch as in the assertion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IndexType
from hecv.graph import affine
from hecv.graph.rewriting import rewrite
from hecv.graph.text import roots
from hecv.graph.tree import Assert, Block, If, Loop, Statement, Store, Touch

MOST_CONDITIONS: Final = 3
"""A statement whose subscripts more conditions choose stays as it is: each doubles it."""


def with_branches(pool: TermPool, block: Block, is_affine: Callable[[Term], bool]) -> Block:
    """The normal form `block` with accesses at subscripts that affine conditions choose in branches.

    Requires: index arithmetic in subscripts does not overflow.
    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    return tuple([made for s in block for made in _apart(pool, s, is_affine)])


def _apart(pool: TermPool, statement: Statement, is_affine: Callable[[Term], bool]) -> Block:
    match statement:
        case Loop(body=body):
            whole = replace(statement, body=with_branches(pool, body, is_affine))
            conditions = [c for c in dict.fromkeys(_indices(_bounds(whole))) if is_affine(c)]
            return _branched(pool, whole, conditions) if len(conditions) == 1 else (whole,)
        case If(then=then, otherwise=otherwise):
            sides = (with_branches(pool, block, is_affine) for block in (then, otherwise))
            return (replace(statement, then=next(sides), otherwise=next(sides)),)
        case Store() | Touch() | Assert():
            conditions = [c for c in dict.fromkeys(_choosing(statement)) if is_affine(c)]
            return (statement,) if len(conditions) > MOST_CONDITIONS else _branched(pool, statement, conditions)
        case _:
            return (statement,)


def _branched(pool: TermPool, statement: Statement, conditions: list[Term]) -> Block:
    """The statement in branches on the conditions, the first one outermost."""
    if not conditions:
        return (statement,)
    first, *rest = conditions
    ways = (_branched(pool, _settled(pool, statement, first, holds), rest) for holds in (True, False))
    exact = statement.exact if isinstance(statement, Assert) else ()  # else it is part of a subscript or bound
    return (If(statement.id, first, next(ways), next(ways), exact),)


def _choosing(statement: Store | Touch | Assert) -> Iterator[Term]:
    """The conditions that choose indices in the subscripts of a statement, or in what it asserts."""
    whole = (statement.condition,) if isinstance(statement, Assert) else ()
    own = statement.indices if isinstance(statement, Store) else whole
    loads = (t for t in postorder(roots(statement)) if t.op == "load")
    return _indices((*own, *(a for load in loads for a in load.args)))


def _indices(terms: tuple[Term, ...]) -> Iterator[Term]:
    """The conditions that choose indices in some terms."""
    return (t.args[0] for t in postorder(terms) if t.op == "arith.select" and isinstance(t.type, IndexType))


def _bounds(loop: Loop) -> tuple[Term, ...]:
    return (*loop.lowers, *loop.uppers, loop.step)


def _settled(pool: TermPool, statement: Statement, condition: Term, holds: bool) -> Statement:
    """The statement where a condition holds, or where it does not."""
    memo: dict[Term, Term] = {}

    def change(root: Term) -> Term:
        for node in postorder((root,)):
            if node in memo:
                continue
            args = tuple([memo[a] for a in node.args])
            if node.op == "arith.select" and node.args[0] is condition:
                memo[node] = args[1 if holds else 2]
            else:
                memo[node] = affine.remade(pool, node, args)
        return memo[root]

    (found,) = rewrite((statement,), change)
    return found
