"""Path conditions: each statement with the facts that enclosing loop bounds, branches and assertions imply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX
from hecv.program.index import quasi_affine
from hecv.program.index.index_conditions import conjuncts
from hecv.program.index.index_ranges import Facts
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Assert, Block, If, Loop, Statement, While

Change = Callable[[Statement, Facts], Block]
"""The replacement of a statement, given the facts there. A nested statement is changed before the one around it."""

MOST_FACTS: Final = 64
"""Facts at one place, at most: every term looks at all of them."""


def with_facts(pool: TermPool, block: Block, facts: Facts, change: Change) -> Block:
    """The block with each statement changed, nested ones too, given the facts where it stands.

    Requires: the normal form of `hecv.normal.passes`.
    """
    out: list[Statement] = []
    for statement in block:
        *before, own = change(statement, facts)
        out += [*before, _within(pool, own, statement, facts, change)]
        if isinstance(statement, Assert):
            facts = where(pool, statement.condition, True, facts)
    return tuple(out)


def _within(pool: TermPool, own: Statement, before: Statement, facts: Facts, change: Change) -> Statement:
    """A statement with its blocks changed; the facts inside are those of `before`, the statement that it was."""
    match own, before:
        case Loop(), Loop():
            return replace(own, body=with_facts(pool, own.body, _running(pool, before, facts), change))
        case If(), If():
            then, otherwise = (where(pool, before.condition, holds, facts) for holds in (True, False))
            taken = with_facts(pool, own.then, then, change), with_facts(pool, own.otherwise, otherwise, change)
            return replace(own, then=taken[0], otherwise=taken[1])
        case While(), _:
            blocks = (with_facts(pool, b, facts, change) for b in (own.before, own.after))
            return replace(own, before=next(blocks), after=next(blocks))
        case _:
            return own


def own_terms(statement: Statement, change: Callable[[Term], Term]) -> Statement:
    """A statement with its own terms changed; nested blocks are left."""
    match statement:
        case Loop():
            lowers, uppers = tuple(map(change, statement.lowers)), tuple(map(change, statement.uppers))
            return replace(statement, lowers=lowers, uppers=uppers, step=change(statement.step))
        case If():
            exact = tuple(map(change, statement.exact))
            return replace(statement, condition=change(statement.condition), exact=exact)
        case While():
            return replace(statement, condition=change(statement.condition))
        case _:
            return rewrite((statement,), change)[0]


def where(pool: TermPool, condition: Term, holds: bool, facts: Facts) -> Facts:
    """The facts if a condition evaluates to `holds`. Indices read from memory are left out: memory may change."""
    return _with(pool, facts, tuple(f for f in conjuncts(pool, condition, holds) if quasi_affine.is_proper(f)))


def _running(pool: TermPool, loop: Loop, facts: Facts) -> Facts:
    """The facts in a loop body: the variable is in its range, and at least a step below an end that the steps hit
    exactly."""
    if loop.iv.type != INDEX or loop.unsigned:
        return facts
    lowers, uppers = ([t for t in terms if quasi_affine.is_proper(t)] for terms in (loop.lowers, loop.uppers))
    step = literal(loop.step)
    forms = [quasi_affine.subtract(pool, loop.iv, t) for t in lowers]
    for end in uppers:
        known = isinstance(step, int) and step > 1 and len(loop.lowers) == len(lowers) == 1
        reached = known and quasi_affine.is_multiple(quasi_affine.subtract(pool, end, lowers[0]), int(step or 0))
        forms.append(quasi_affine.combine(pool, -int(step or 1) if reached else -1, ((end, 1), (loop.iv, -1))))
    return _with(pool, facts, tuple(forms))


def _with(pool: TermPool, facts: Facts, forms: tuple[Term, ...]) -> Facts:
    return facts.with_known(pool, *forms) if len(facts.known) < MOST_FACTS else facts
