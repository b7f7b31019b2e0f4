"""Loops with a variable step, which isl cannot represent, as while loops; so also over `iN` with a step that may wrap.

The theorem. `for iv = l to u step s { body }` is

    assert s > 0; i := l; while { } i < u do { body; assert i + s > i; i := i + s }

since it is undefined where the step is not positive, and where its variable leaves its type. Over `index` that is
assumed not to happen, and nothing is asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, INDEX, IntType
from hecv.program.block_cloning import Copies
from hecv.program.read_write_sets import number
from hecv.program.term_substitution import recounted
from hecv.program.tree import Alloc, Assert, Block, Function, If, Load, Loop, Statement, Store, While, walk

ENDS: Final = "the step is not positive, or the variable of the loop leaves its type"
"""The text of the assertions that such a loop makes."""


def stepped(pool: TermPool, function: Function, every: bool = False) -> Function:
    """The function with such loops as whiles, or with `every` loop in order as one.

    Requires: no `load` terms (no normal form yet); index arithmetic does not overflow.
    Ensures: the same accesses, the same final memory, undefined on the same inputs.
    """
    chosen = _is_ordered if every else _is_stepped
    if not any(isinstance(s, Loop) and chosen(s) for s in walk(function.body)):
        return function
    return replace(function, body=_Stepping(pool, function, chosen).block(function.body))


def _is_ordered(loop: Loop) -> bool:
    """True if a loop runs its iterations in order."""
    return not loop.parallel and not loop.updated and not loop.overwrites


def _is_stepped(loop: Loop) -> bool:
    """True if a loop in order, with one bound at each end, has such a step."""
    known, single = literal(loop.step), len(loop.lowers) == len(loop.uppers) == 1
    return _is_ordered(loop) and single and (known is None or _is_narrow(loop, known))


def _is_narrow(loop: Loop, step: int | float) -> bool:
    return isinstance(loop.iv.type, IntType) and step != 1 and literal(loop.uppers[0]) is None


class _Stepping:
    def __init__(self, pool: TermPool, function: Function, chosen: Callable[[Loop], bool]) -> None:
        self._pool = pool
        self._chosen = chosen
        self._copies = Copies(pool, function)

    def block(self, block: Block) -> Block:
        return tuple([made for statement in block for made in self._statement(statement)])

    def _statement(self, statement: Statement) -> Block:
        match statement:
            case Loop():
                loop = replace(statement, body=self.block(statement.body))
                return self._turns(loop) if self._chosen(loop) else (loop,)
            case If():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return (replace(statement, then=then, otherwise=otherwise),)
            case While():
                before, after = self.block(statement.before), self.block(statement.after)
                return (replace(statement, before=before, after=after),)
            case _:
                return (statement,)

    def _turns(self, loop: Loop) -> Block:
        pool, kind, fresh = self._pool, loop.iv.type, self._copies.fresh
        cell = self._copies.cell("at", kind)
        top = Load(fresh(), cell, ())
        at, depth = pool.read(top.id, kind), number(loop.iv, "depth")

        def outwards(iv: Term) -> Term:
            own = number(iv, "depth")
            return at if own == depth else pool.induction(own - 1, iv.type) if own > depth else iv

        following = pool.make("arith.addi", (at, loop.step), kind)
        positive = self._above(loop.step, pool.integer(0, loop.step.type), loop.unsigned)
        return (
            Assert(fresh(), positive, ENDS),
            Alloc(fresh(), cell),
            Store(fresh(), cell, (), self._extremum("max", loop.lowers, loop.unsigned)),
            While(
                loop.id,
                (top,),
                self._above(self._extremum("min", loop.uppers, loop.unsigned), at, loop.unsigned),
                (
                    *recounted(pool, loop.body, outwards),
                    *(() if kind == INDEX else (Assert(fresh(), self._above(following, at, loop.unsigned), ENDS),)),
                    Store(fresh(), cell, (), following),
                ),
            ),
        )

    def _extremum(self, name: str, bounds: tuple[Term, ...], unsigned: bool) -> Term:
        """The greatest or least of the bounds."""
        op = f"arith.{name}{'ui' if unsigned else 'si'}"
        return reduce(lambda one, other: self._pool.make(op, (one, other), one.type), bounds)

    def _above(self, more: Term, less: Term, unsigned: bool) -> Term:
        """`less < more`."""
        predicate = "ult" if unsigned else "slt"
        return self._pool.make("arith.cmpi", (less, more), BOOL, (("predicate", predicate),))
