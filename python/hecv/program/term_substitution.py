"""Substitution: replaces the terms of statements, their induction variables or their memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Memory,
    Statement,
    Store,
    Touch,
    While,
)

Change = Callable[[Term], Term]


def rewrite(block: Block, change: Change) -> Block:
    """The block with `change` applied to every term, in program order."""
    return tuple([_statement(s, change) for s in block])


def _many(terms: tuple[Term, ...], change: Change) -> tuple[Term, ...]:
    return tuple([change(t) for t in terms])


def _statement(statement: Statement, change: Change) -> Statement:
    match statement:
        case Load():
            return replace(statement, indices=_many(statement.indices, change))
        case Store():
            return replace(statement, indices=_many(statement.indices, change), value=change(statement.value))
        case Alloc(memory=memory):
            return replace(statement, memory=replace(memory, extents=_many(memory.extents, change)))
        case Dealloc():
            return statement
        case Evaluate():
            return replace(statement, term=change(statement.term))
        case Touch():
            accesses, terms = _many(statement.accesses, change), _many(statement.terms, change)
            return replace(statement, accesses=accesses, terms=terms)
        case Assert():
            return replace(statement, condition=change(statement.condition), exact=_many(statement.exact, change))
        case Call():
            return replace(statement, operands=_many(statement.operands, change))
        case Loop():
            lowers, uppers = _many(statement.lowers, change), _many(statement.uppers, change)
            iv, step, body = change(statement.iv), change(statement.step), rewrite(statement.body, change)
            return replace(statement, iv=iv, lowers=lowers, uppers=uppers, step=step, body=body)
        case If():
            condition, exact = change(statement.condition), _many(statement.exact, change)
            then, otherwise = rewrite(statement.then, change), rewrite(statement.otherwise, change)
            return replace(statement, condition=condition, then=then, otherwise=otherwise, exact=exact)
        case While():
            before, condition = rewrite(statement.before, change), change(statement.condition)
            return replace(statement, before=before, condition=condition, after=rewrite(statement.after, change))


def recounted(pool: TermPool, block: Block, change: Change, leaves: tuple[str, ...] = ("iv",)) -> Block:
    """The block with its induction variables (or the leaves with operators in `leaves`) replaced; index arithmetic is
    canonical."""
    memo: dict[int, Term] = {}

    def term(root: Term) -> Term:
        for node in postorder((root,)):
            if node.id not in memo:
                args = tuple(memo[a.id] for a in node.args)
                memo[node.id] = change(node) if node.op in leaves else quasi_affine.remade(pool, node, args)
        return memo[root.id]

    return rewrite(block, term)


def rename(block: Block, memories: Mapping[int, Memory]) -> Block:
    """The block with memories replaced by id.

    Requires: no `load` term names one of them.
    """
    return tuple([_renamed(s, memories) for s in block]) if memories else block


def _renamed(statement: Statement, memories: Mapping[int, Memory]) -> Statement:
    match statement:
        case Load(memory=memory) | Store(memory=memory) | Alloc(memory=memory) | Dealloc(memory=memory):
            return replace(statement, memory=memories.get(memory.id, memory))
        case Call():
            reached, results = (
                tuple([memories.get(m.id, m) for m in group]) for group in (statement.memories, statement.results)
            )
            return replace(statement, memories=reached, results=results)
        case Loop(updated=updated):
            updated = frozenset([memories[m].id if m in memories else m for m in updated])
            return replace(statement, body=rename(statement.body, memories), updated=updated)
        case If():
            then, otherwise = rename(statement.then, memories), rename(statement.otherwise, memories)
            return replace(statement, then=then, otherwise=otherwise)
        case While():
            before, after = rename(statement.before, memories), rename(statement.after, memories)
            return replace(statement, before=before, after=after)
        case Evaluate() | Touch() | Assert():
            return statement
