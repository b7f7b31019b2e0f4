"""Full unrolling of short loops with literal bounds, with store-to-load forwarding through cells.

    for i = 0 to 2 { B(i) }   =>   B(0); B(1)

The theorem. A loop with literal bounds runs its body for known literals, in order: so it may be copied out. In blocks
without loops, a load of a cell is what the last store before it stored, in the same block or an enclosing one, unless a
branch, loop or call between the two may write the cell. If both sides of a branch leave a cell known, and both values
are defined on either side, the cell holds a select of the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.theory import FALSE
from hecv.base.types import IndexType, IntType
from hecv.normal.whiles.counted_loops import count_loops
from hecv.ops import facts_about
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.block_cloning import Copies, Replacement, is_cell
from hecv.program.index.exact_integers import signed
from hecv.program.read_write_sets import is_total, loads, number, without_dead_cells, written_cells
from hecv.program.term_substitution import rewrite
from hecv.program.tree import (
    Assert,
    Block,
    Evaluate,
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

MOST_TURNS: Final = 64
"""Iterations of a loop that is unrolled, at most."""
MOST_STATEMENTS: Final = 2000
"""Statements of a body with its loops unrolled, at most."""


def unrolled(pool: TermPool, function: Function, index_width: int) -> Function | None:
    """The function with short loops fully unrolled; None if it has none.

    Ensures: the same accesses to all but cells, the same final memory, undefined on the same inputs.
    """
    body = count_loops(pool, function, index_width)
    made = _Copying(pool, replace(function, body=body), index_width)
    copied = made.block(body)
    if not made.done or sum(1 for _ in walk(copied)) > MOST_STATEMENTS:
        return None
    body = without_dead_cells(_Forwarding(pool).block(copied, {}))
    return replace(function, body=_without_idle_branches(body, Shapes(index_width), {}))


def _without_idle_branches(block: Block, shapes: Shapes, proper: dict[int, bool]) -> Block:
    """The block without branches that do nothing, on conditions that are not poison."""
    out: list[Statement] = []
    for statement in block:
        if isinstance(statement, If):
            then, otherwise = (_without_idle_branches(b, shapes, proper) for b in (statement.then, statement.otherwise))
            if not then and not otherwise and not statement.exact and _is_proper(statement.condition, shapes, proper):
                continue
            out.append(replace(statement, then=then, otherwise=otherwise))
        else:
            out.append(statement)
    return tuple(out)


def _is_proper(root: Term, shapes: Shapes, proper: dict[int, bool]) -> bool:
    """True if the operators of a term show that it is not poison and is defined everywhere; `proper` is what is
    known."""
    for term in postorder((root,)):
        if term.id not in proper:
            operands = tuple([proper[a.id] for a in term.args])
            own = shapes.of(term, operands)
            proper[term.id] = all(operands) and own.poison is FALSE and own.ub is FALSE
    return proper[root.id]


def both_unrolled(
    pool: TermPool, functions: tuple[Function, Function], index_width: int
) -> tuple[Function, Function] | None:
    """Both functions of a pair with short loops fully unrolled; None if neither has one."""
    found = [unrolled(pool, f, index_width) for f in functions]
    if not any(found):
        return None
    first, second = (f if made is None else made for f, made in zip(functions, found, strict=True))
    return first, second


def forwarded(pool: TermPool, block: Block, known: dict[int, Term]) -> Block:
    """Store-to-load forwarding through cells; `known` is what cells hold, and is updated."""
    return _Forwarding(pool).block(block, known)


class _Copying:
    """Unrolls the loops of one function, inner ones first."""

    def __init__(self, pool: TermPool, function: Function, index_width: int) -> None:
        self._pool = pool
        self._copies = Copies(pool, function)
        self._width = index_width
        self._left = MOST_STATEMENTS
        self.done = False

    def block(self, block: Block) -> Block:
        return tuple([made for statement in block for made in self._statement(statement)])

    def _statement(self, statement: Statement) -> Block:
        match statement:
            case Loop():
                loop = replace(statement, body=self.block(statement.body))
                turns = self._turns(loop)
                return (loop,) if turns is None else self._copied(loop, turns)
            case If():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return (replace(statement, then=then, otherwise=otherwise),)
            case While():
                before, after = self.block(statement.before), self.block(statement.after)
                return (replace(statement, before=before, after=after),)
            case _:
                return (statement,)

    def _turns(self, loop: Loop) -> range | None:
        """The values of a loop's variable; None if the loop is not unrolled."""
        inner = tuple(walk(loop.body))
        if loop.parallel or loop.updated or loop.overwrites or not all(map(_may_stand_often, inner)):
            return None
        lowers, uppers = ([self._number(t, loop) for t in terms] for terms in (loop.lowers, loop.uppers))
        step = self._number(loop.step, loop)
        ends = [e for e in (*lowers, *uppers, step) if e is not None]
        if len(ends) != len(lowers) + len(uppers) + 1 or step is None or step <= 0:
            return None
        if loop.unsigned and min(ends) < 0:  # a literal index, which is greater than all others
            return None
        turns = range(max(ends[: len(lowers)]), min(ends[len(lowers) : -1]), step)
        if turns[MOST_TURNS:] or (turns and turns[-1] + step > self._most(loop)):
            return None
        self._left -= len(turns) * len(inner)
        return turns if self._left >= 0 else None

    def _number(self, term: Term, loop: Loop) -> int | None:
        value = literal(term)
        if not isinstance(value, int):
            return None
        narrow = isinstance(term.type, IntType) and not loop.unsigned
        return signed(value, term.type.width) if narrow and isinstance(term.type, IntType) else value

    def _most(self, loop: Loop) -> int:
        """The greatest value of the variable's type."""
        assert isinstance(loop.iv.type, IntType | IndexType)
        width = self._width if isinstance(loop.iv.type, IndexType) else loop.iv.type.width
        return (1 << (width if loop.unsigned and width != self._width else width - 1)) - 1

    def _copied(self, loop: Loop, turns: range) -> Block:
        self.done = True
        kind = loop.iv.type
        size = 1 << kind.width if isinstance(kind, IntType) else 0
        out: list[Statement] = []
        for turn in turns:
            value = self._pool.integer(turn % size if size else turn, kind if size else loop.iv.type)
            copy = self._copies.of(loop.body, {loop.iv: value})
            out += (s if isinstance(s, Load | If) else replace(s, id=self._copies.fresh()) for s in copy)
        return tuple(out)


def _may_stand_often(statement: Statement) -> bool:
    return isinstance(statement, Load | Store | If | Evaluate | Assert) or is_cell(statement)


class _Forwarding:
    """Replaces loads of cells by the values stored there."""

    def __init__(self, pool: TermPool) -> None:
        self._pool = pool
        self._given: dict[Term, Term] = {}
        self._value = Replacement(pool, self._given.get)

    def block(self, block: Block, known: dict[int, Term]) -> Block:
        """The block; `known` is what cells hold, and is updated."""
        return tuple([made for statement in block for made in self._statement(statement, known)])

    def _statement(self, statement: Statement, known: dict[int, Term]) -> Iterator[Statement]:
        match statement:
            case Load(memory=memory) if memory.id in known:
                self._given[self._pool.read(statement.id, memory.element)] = known[memory.id]
            case Store(memory=memory) if _is_cell(memory):
                known[memory.id] = self._value(statement.value)
                yield replace(statement, value=known[memory.id])
            case If():
                yield self._branch(statement, known)
            case Loop() | While():
                inner = (statement.body,) if isinstance(statement, Loop) else (statement.before, statement.after)
                for cell in written_cells(tuple(s for b in inner for s in b)):
                    known.pop(cell, None)
                yield self._inside(statement, known)
            case _:
                for cell in written_cells((statement,)):
                    known.pop(cell, None)
                (made,) = rewrite((statement,), self._value)
                yield made

    def _inside(self, loop: Loop | While, known: dict[int, Term]) -> Statement:
        if isinstance(loop, Loop):
            lowers, uppers = (tuple(map(self._value, terms)) for terms in (loop.lowers, loop.uppers))
            return replace(
                loop, lowers=lowers, uppers=uppers, step=self._value(loop.step), body=self.block(loop.body, dict(known))
            )
        inside = dict(known)
        before = self.block(loop.before, inside)
        condition = self._value(loop.condition)
        return replace(loop, before=before, condition=condition, after=self.block(loop.after, inside))

    def _branch(self, branch: If, known: dict[int, Term]) -> If:
        condition = self._value(branch.condition)
        sides = dict(known), dict(known)
        then, otherwise = (self.block(b, side) for b, side in zip((branch.then, branch.otherwise), sides, strict=True))
        inner = loads((*then, *otherwise))
        for cell in written_cells((*then, *otherwise)):
            known.pop(cell, None)
            one, other = (side.get(cell) for side in sides)
            if one is None or other is None or not (_outlives(one, inner) and _outlives(other, inner)):
                continue
            chosen = self._pool.make("arith.select", (condition, one, other), one.type)
            known[cell] = one if one is other else chosen
        return replace(branch, condition=condition, then=then, otherwise=otherwise)


def _outlives(value: Term, inner: frozenset[int]) -> bool:
    """True if a value may be computed behind the branch that computed it, also where the other side was taken."""
    nodes = postorder((value,))
    return all(_is_defined(t.op) and (t.op != "read" or number(t, "load") not in inner) for t in nodes)


def _is_defined(op: str) -> bool:
    """True if an operator is never undefined; it may be poison."""
    return is_total(op) or facts_about(op).shifts


def _is_cell(memory: Memory) -> bool:
    return memory.kind is MemoryKind.CELL
