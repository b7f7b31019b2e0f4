"""Case split on an induction variable: a loop over a few known values gets one case per value.

    for t = 0 to 4 { B(t) }   =>   for t = 0 to 4 { if (t == 0) { B(0) } if (t == 1) { B(1) } ... }

Thread `t` of 4 begins at `t * (n ceildiv 4)`, a product that isl cannot represent. In the case `t == 3` it is
`3 * (n ceildiv 4)`, a multiple of one number. The loop stays what it is, also a parallel one: each statement of an
iteration runs as before, in the same iteration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, IndexType
from hecv.program.index import quasi_affine
from hecv.program.term_substitution import rename, rewrite
from hecv.program.tree import Alloc, Block, Function, If, Loop, Statement, roots, walk

MOST_CASES: Final = 64
"""Copies of a statement, at most."""


def split_cases(pool: TermPool, function: Function, body: Block) -> Block:
    """Splits loops over literal ranges whose variable is a factor of a product into one case per value. Each case
    allocates memories of its own.

    Requires: a normal form.
    Ensures: the same accesses in the same iterations.
    """
    memories = (m for s in walk(body) if isinstance(s, Alloc) for m in (s.memory.id,))
    return _CaseSplitter(pool, 1 + max((*function.memories(), *memories), default=0)).block(body, MOST_CASES)


class _CaseSplitter(Struct):
    pool: TermPool
    next_memory: int

    def block(self, block: Block, cases: int) -> Block:
        """The block; each statement may get at most `cases` copies."""
        return tuple([self._statement(statement, cases) for statement in block])

    def _statement(self, statement: Statement, cases: int) -> Statement:
        match statement:
            case Loop():
                values = _values(statement)
                if not values or values[cases:] or not _is_factor(statement):
                    return replace(statement, body=self.block(statement.body, cases))
                return replace(statement, body=tuple([self._case(statement, v, cases // len(values)) for v in values]))
            case If():
                then, otherwise = self.block(statement.then, cases), self.block(statement.otherwise, cases)
                return replace(statement, then=then, otherwise=otherwise)
            case _:
                return statement

    def _case(self, loop: Loop, value: int, cases: int) -> If:
        """The case of one value of the loop's variable."""
        number = self.pool.integer(value)
        body = self._settled(loop, number)
        condition = self.pool.make("arith.cmpi", (loop.iv, number), BOOL, (("predicate", "eq"),))
        return If(loop.id, condition, self.block(body, cases), ())

    def _settled(self, loop: Loop, number: Term) -> Block:
        """The loop's body for one value of its variable, with memories of its own."""
        allocated = [s.memory for s in walk(loop.body) if isinstance(s, Alloc)]
        numbers = {m.id: self.next_memory + k for k, m in enumerate(allocated)}
        self.next_memory += len(allocated)
        memo: dict[int, Term] = {loop.iv.id: number}

        def changed(root: Term) -> Term:
            for node in postorder((root,)):
                if node.id not in memo:
                    memo[node.id] = self._moved(node, tuple([memo[a.id] for a in node.args]), numbers)
            return memo[root.id]

        own = {m.id: replace(m, id=numbers[m.id], extents=tuple(map(changed, m.extents))) for m in allocated}
        return rename(rewrite(loop.body, changed), own)

    def _moved(self, node: Term, args: tuple[Term, ...], numbers: Mapping[int, int]) -> Term:
        if node.op != "load":
            return quasi_affine.remade(self.pool, node, args)
        memory = int(str(node.attr("memory")))
        return self.pool.load(numbers.get(memory, memory), args, node.type)


def _values(loop: Loop) -> range:
    """The values of an induction variable with literal bounds; empty if a bound is no literal."""
    ends = [literal(t) for t in (*loop.lowers, *loop.uppers, loop.step)]
    if len(ends) != 3 or loop.unsigned or not isinstance(loop.iv.type, IndexType):
        return range(0)
    lower, upper, step = ends
    if not (isinstance(lower, int) and isinstance(upper, int) and isinstance(step, int) and step > 0):
        return range(0)
    return range(lower, upper, step)


def _is_factor(loop: Loop) -> bool:
    """True if the variable of a loop occurs in a product."""
    terms = postorder(tuple(t for s in walk(loop.body) for t in roots(s)))
    return any(t.op == "affine.mul" and any(p is loop.iv for p in postorder(t.args)) for t in terms)
