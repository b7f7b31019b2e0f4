"""Loops with a step that is not known, which isl cannot represent, as loops over all indices with a branch.

The theorem. `for i = l to u step s { body }` is

    assert s > 0; for i = l to u { if (i - l is a multiple of s) { body } }

since a loop is undefined where its step is not positive. The condition is an uninterpreted function of `i`, `l`, `s`:
two loops that agree on these have the same iterations, whatever they are.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hecv.base.term import OPAQUE, Attributes, TermPool, literal
from hecv.base.types import BOOL, IndexType
from hecv.program.block_cloning import Copies
from hecv.program.index.raising import Raiser
from hecv.program.tree import Assert, Block, Function, If, Loop, Statement, While, walk

ENDS: Final = "the step of a loop is not positive"
_REACHED: Final[Attributes] = (("name", "reached by a step"), ("key", "step"))


def has_symbolic_steps(function: Function) -> bool:
    """True if a loop of the function has a step that is not a literal, and its variable is an index."""
    return any(isinstance(s, Loop) and _is_symbolic(s) for s in walk(function.body))


def _is_symbolic(loop: Loop) -> bool:
    return literal(loop.step) is None and isinstance(loop.iv.type, IndexType) and not loop.unsigned


def guarded_by_steps(pool: TermPool, function: Function) -> Function:
    """The function with such loops as loops over all indices.

    Requires: no `load` terms (no normal form yet); index arithmetic in bounds does not overflow.
    Ensures: the same accesses, the same final memory, undefined on the same inputs.
    """
    return replace(function, body=_Guarding(pool, function).block(function.body))


class _Guarding:
    def __init__(self, pool: TermPool, function: Function) -> None:
        self._pool = pool
        self._raiser = Raiser(pool)
        self._copies = Copies(pool, function)

    def block(self, block: Block) -> Block:
        return tuple([made for statement in block for made in self._statement(statement)])

    def _statement(self, statement: Statement) -> Block:
        match statement:
            case Loop():
                loop = replace(statement, body=self.block(statement.body))
                return self._guarded(loop) if _is_symbolic(loop) else (loop,)
            case If():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return (replace(statement, then=then, otherwise=otherwise),)
            case While():
                before, after = self.block(statement.before), self.block(statement.after)
                return (replace(statement, before=before, after=after),)
            case _:
                return (statement,)

    def _guarded(self, loop: Loop) -> Block:
        pool, fresh = self._pool, self._copies.fresh
        positive = pool.make("arith.cmpi", (loop.step, pool.integer(0)), BOOL, (("predicate", "sgt"),))
        origin = tuple(map(self._raiser.exact, (*loop.lowers, loop.step)))
        reached = pool.make(OPAQUE, (loop.iv, *origin), BOOL, _REACHED)
        body = (If(fresh(), reached, loop.body, ()),)
        return Assert(fresh(), positive, ENDS), replace(loop, step=pool.integer(1), body=body)
