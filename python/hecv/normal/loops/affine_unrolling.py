"""Fully unrolls a loop of few, known iterations where that makes its subscripts affine.

    for s = 0 to 2 { store v, A[i + (1 << s)] }   =>   store v, A[i + 1]; store v, A[i + 2]

A butterfly or a sorting network has subscripts `1 << s`, `p / h`, `i ^ j`. isl cannot represent them while the stage
`s` is a variable. For a literal stage all of them are quasi-affine (`hecv.program.index.raising`), and so are the
bounds of the loops over a stage.

The theorem is full unrolling: `for i = l to u step s: B(i)` with literal bounds is `B(l); B(l + s); ...`, each copy
with loads and cells of its own. Only a loop in order is unrolled: unrolling a parallel loop would hide its races.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType
from hecv.ops import facts_about
from hecv.program.index.raising import Raiser
from hecv.program.load_numbering import renumbered
from hecv.program.read_write_sets import number
from hecv.program.term_substitution import recounted, rename
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    While,
    walk,
)

MOST_STATEMENTS: Final = 2048
"""Statements in all copies of a function, at most; a loop that would need more stays as it is."""

_PRODUCTS: Final = frozenset({"arith.muli", "affine.mul"})


def unroll_for_affine(pool: TermPool, function: Function, body: Block) -> Block:
    """Unrolls the loops whose induction variable makes a subscript, bound or condition non-affine.

    Requires: no `load` terms (no normal form yet).
    Ensures: the same accesses, the same final memory, undefined on the same inputs.
    """
    if not any(isinstance(s, Loop) for s in body) or not any(_has_non_affine_address(pool, s) for s in walk(body)):
        return body
    return _Unroller(pool, function, body).block(body, 0)


def _has_non_affine_address(pool: TermPool, statement: Statement) -> bool:
    return any(depth >= 0 for t in postorder(tuple(_addresses(statement))) for depth in _non_affine_depths(t))


def _addresses(statement: Statement) -> Iterable[Term]:
    """The subscripts, bounds and conditions of a statement."""
    match statement:
        case Load() | Store():
            return statement.indices
        case Loop():
            return (*statement.lowers, *statement.uppers, statement.step)
        case If() | Assert():
            return (statement.condition,)
        case _:
            return ()


def _non_affine_depths(term: Term) -> Iterator[int]:
    """The depths of the loops whose induction variables make an operator non-affine."""
    if not isinstance(term.type, IndexType) or len(term.args) != 2:
        return
    facts = facts_about(term.op)
    if facts.division is not None or facts.shifts or term.op == "affine.quotient":
        # isl can represent these only if the second operand is a literal, and those below only if either is.
        yield from _depths(term.args[1])
    elif facts.bitwise or term.op in _PRODUCTS:
        left, right = _depths(term.args[0]), _depths(term.args[1])
        if left and right:
            yield min(left | right)


def _depths(term: Term) -> set[int]:
    return {number(t, "depth") for t in postorder((term,)) if t.op == "iv"}


def in_order(loop: Loop) -> bool:
    """True if the iterations run in their order, so that no two of them race."""
    return not loop.parallel


class _Unroller:
    def __init__(self, pool: TermPool, function: Function, body: Block) -> None:
        self._pool = pool
        self._raiser = Raiser(pool)
        self._next = 1 + max(s.id for s in (*walk(function.body), *walk(body)))
        made = (s.memory.id for s in walk(body) if isinstance(s, Alloc))
        self._next_memory = 1 + max((*function.memories(), *made), default=0)
        self._left = MOST_STATEMENTS

    def block(self, block: Block, depth: int) -> Block:
        """The block, which `depth` loops enclose."""
        return tuple(s for statement in block for s in self._statement(statement, depth))

    def _statement(self, statement: Statement, depth: int) -> Iterator[Statement]:
        match statement:
            case Loop():
                values = self._values(statement, depth)
                if values is None:
                    yield replace(statement, body=self.block(statement.body, depth + 1))
                    return
                for value in values:
                    yield from self.block(self._copy(statement.body, depth, value), depth)
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                yield replace(statement, then=then, otherwise=otherwise)
            case While():
                before, after = self.block(statement.before, depth), self.block(statement.after, depth)
                yield replace(statement, before=before, after=after)
            case _:
                yield statement

    def _values(self, loop: Loop, depth: int) -> range | None:
        """The values of the induction variable of a loop to unroll; None if the loop stays."""
        inside = tuple(walk(loop.body))
        roots = {t for s in inside for t in _addresses(s)}
        if (
            loop.unsigned
            or not in_order(loop)
            or not any(depth in _non_affine_depths(t) for t in postorder(tuple(roots)))
        ):
            return None
        if any(isinstance(s, Alloc) and s.memory.kind is not MemoryKind.CELL for s in inside):
            return None
        ends = [[literal(self._raiser.index(t)) for t in terms] for terms in (loop.lowers, loop.uppers, (loop.step,))]
        lowers, uppers, steps = ([v for v in group if isinstance(v, int)] for group in ends)
        known = len(lowers) == len(loop.lowers) and len(uppers) == len(loop.uppers) and bool(steps)
        if not known or steps[0] <= 0 or not isinstance(loop.iv.type, IndexType):
            return None
        values = range(max(lowers), min(uppers), steps[0])
        # In this order: a range may be too long to have a length.
        if max(map(abs, (*lowers, *uppers, *steps))) >= 1 << 15 or len(values) * len(inside) > self._left:
            return None
        self._left -= len(values) * len(inside)
        return values

    def _copy(self, body: Block, depth: int, value: int) -> Block:
        """The body of a loop at `depth` for one value of its induction variable."""
        pool = self._pool
        loads = {s.id: self._statement_number() for s in walk(body) if isinstance(s, Load)}
        cells = {s.memory.id: self._own(s.memory) for s in walk(body) if isinstance(s, Alloc)}

        def change(leaf: Term) -> Term:
            if leaf.op == "read":
                load = number(leaf, "load")
                return pool.read(loads.get(load, load), leaf.type)
            at = number(leaf, "depth")
            if at == depth:
                return pool.integer(value)
            return pool.induction(at - 1, leaf.type) if at > depth else leaf

        return renumbered(rename(recounted(pool, body, change, ("iv", "read")), cells), loads)

    def _own(self, cell: Memory) -> Memory:
        self._next_memory += 1
        return replace(cell, id=self._next_memory, name=f"{cell.name}_{self._next_memory}")

    def _statement_number(self) -> int:
        self._next += 1
        return self._next - 1
