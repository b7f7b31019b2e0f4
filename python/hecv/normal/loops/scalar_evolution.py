"""Scalar evolution: a value that a loop carries gets its closed form.

The theorem. Let `for i = l to u step s` run its iterations in order. Let it store to a cell `c` at one place, once in
each iteration, and let `c` hold `a` before the loop. A load of `c` before that store reads `a` where `i = l`, and
otherwise what the iteration `i - s` stored. So it is

- `i = l ? a : v(i - s)` if `v(i)` is stored, made of nothing that the loop changes (the subscript of the iteration
  before);
- `a + (i - l) / s * d` if `c + d` is stored (a count);
- an element of a finite list, by the remainder of `(i - l) / s`, if the values repeat from a literal on: `1 - c`,
  `(c + 1) mod 3` (the parity of a double buffer).

After a loop of `n` iterations the cell holds what an iteration at `l + s * n` would read.

Dataflow need not follow such a load, and a subscript made of it is affine.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX
from hecv.program.block_cloning import Replacement, replaced
from hecv.program.index import quasi_affine
from hecv.program.index.raising import Raiser
from hecv.program.index.selector_folding import fold
from hecv.program.read_write_sets import Reads, loads, number
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Alloc, Block, Call, If, Load, Loop, MemoryKind, Statement, Store, While, walk

LONGEST_CYCLE: Final = 16
"""Values of a list that repeats, at most."""
LARGE: Final = 1 << 30
"""A number as large may overflow an `index` of 32 bits."""
Held = dict[int, Term]
"""What cells hold, by their id, as far as that is known."""


def close_recurrences(pool: TermPool, block: Block) -> Block:
    """Replaces loads of values that loops carry by their closed forms.

    Requires: no `load` terms (no normal form yet).
    Ensures: the same accesses to all but cells, the same final memory, undefined on the same inputs.
    """
    cells = (s.memory for s in walk(block) if isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL)
    return _RecurrenceCloser(pool).block(block) if any(c.element in (INDEX, BOOL) for c in cells) else block


class _RecurrenceCloser:
    def __init__(self, pool: TermPool) -> None:
        self._pool = pool
        self._reads = Reads()
        self._raiser = Raiser(pool)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        held: Held = {}
        left: Held = {}
        given: dict[Term, Term] = {}
        for statement in block:
            (now,) = rewrite((statement,), Replacement(self._pool, given.get)) if given else (statement,)
            found, ends = self._statement(now, held)
            out.append(found)
            for cell in _writes((found,)):
                held.pop(cell, None)
                left.pop(cell, None)
            left |= ends
            if isinstance(found, Load) and found.memory.id in left:
                given[self._pool.read(found.id, found.memory.element)] = left[found.memory.id]
            if isinstance(found, Store) and found.memory.kind is MemoryKind.CELL and self._reads.is_total(found.value):
                held[found.memory.id] = found.value
        return tuple(out)

    def _statement(self, statement: Statement, held: Held) -> tuple[Statement, Held]:
        """The statement, and what cells hold after it as far as that has a closed form."""
        match statement:
            case Loop():
                loop = replace(statement, body=self.block(statement.body))
                given, ends = self._closed(loop, held)
                found = replace(loop, body=rewrite(loop.body, Replacement(self._pool, given.get))) if given else loop
                return found, ends
            case If():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return replace(statement, then=then, otherwise=otherwise), {}
            case While():
                before, after = self.block(statement.before), self.block(statement.after)
                return replace(statement, before=before, after=after), {}
            case _:
                return statement, {}

    def _closed(self, loop: Loop, held: Held) -> tuple[dict[Term, Term], Held]:
        """The terms that replace reads of cells in the body of a loop, and what these cells hold after it; `held` is
        what they hold before it."""
        given: dict[Term, Term] = {}
        ends: Held = {}
        step = literal(loop.step)
        if loop.parallel or loop.unsigned or len(loop.lowers) != 1 or loop.iv.type != INDEX:
            return given, ends
        if not isinstance(step, int) or step <= 0 or not self._reads.is_total(loop.lowers[0]):
            return given, ends
        inner, left = loads(loop.body), list(self._kept(loop, held))
        count = -1
        while count < len(ends):  # one may be what another was an iteration before
            count = len(ends)
            for store, tops in left:
                cell = store.memory
                same = dict(zip(tops, tops[:1] * len(tops), strict=True))
                ended = replaced(self._pool, store.value, given | same)
                top = self._at_top(loop, step, held[cell.id], ended, tops[0] if tops else None, inner)
                if top is not None:
                    given |= dict.fromkeys(tops, top)
                    ends[cell.id] = top
            left = [kept for kept in left if kept[0].memory.id not in ends]
        end = self._end(loop, step)
        return given, {} if end is None else {k: replaced(self._pool, top, {loop.iv: end}) for k, top in ends.items()}

    def _kept(self, loop: Loop, held: Held) -> Iterator[tuple[Store, list[Term]]]:
        """The stores to cells that are the only one to their cell in an iteration, each with the reads of its cell
        before it."""
        written = list(_writes(loop.body))
        for place, store in enumerate(loop.body):
            if not isinstance(store, Store) or store.memory.id not in held or written.count(store.memory.id) != 1:
                continue
            before = (s for s in walk(loop.body[:place]) if isinstance(s, Load) and s.memory.id == store.memory.id)
            if self._reads.is_total(store.value):
                yield store, [self._pool.read(s.id, store.memory.element) for s in before]

    def _end(self, loop: Loop, step: int) -> Term | None:
        """The value of the induction variable after the last iteration: the lower bound if there is none."""
        pool, (lower,) = self._pool, loop.lowers
        if not all(map(self._reads.is_total, loop.uppers)):
            return None
        upper = quasi_affine.extremum(pool, "affine.min", loop.uppers)
        turns = quasi_affine.ceildiv(pool, quasi_affine.subtract(pool, upper, lower), pool.integer(step))
        after = quasi_affine.extremum(pool, "affine.max", (pool.integer(0), turns))
        return quasi_affine.combine(pool, 0, ((lower, 1), (after, step)))

    def _at_top(
        self, loop: Loop, step: int, first: Term, ended: Term, top: Term | None, inner: frozenset[int]
    ) -> Term | None:
        """What a cell holds where an iteration begins, if it holds `ended` where one ends; in `ended` the former is
        `top`."""
        used = self._reads.of(ended) & inner
        if not used:
            return self._of_last(loop, step, first, ended)
        if top is None or used - {number(top, "load")}:
            return None
        return self._repeating(loop, step, first, ended, top) or self._counting(loop, step, first, ended, top)

    def _of_last(self, loop: Loop, step: int, first: Term, ended: Term) -> Term:
        """`i = l ? first : ended(i - s)`."""
        pool, (lower,) = self._pool, loop.lowers
        last = replaced(pool, ended, {loop.iv: quasi_affine.combine(pool, -step, ((loop.iv, 1),))})
        before = replaced(pool, ended, {loop.iv: quasi_affine.combine(pool, -step, ((lower, 1),))})
        if first is before or (literal(first) is not None and literal(first) == self._number(before)):
            return last
        begins = pool.make("arith.cmpi", (loop.iv, lower), BOOL, (("predicate", "eq"),))
        return fold(pool, pool.make("arith.select", (begins, first, last), first.type))

    def _number(self, term: Term) -> int | None:
        """The value of a term made of literals; None if it is not known, or if a part of it is large.

        What is large may overflow: then a flag makes it poison, or a quotient is another one.
        """
        made: dict[int, Term] = {}
        for node in postorder((term,)):
            args = tuple([made[a.id] for a in node.args])
            found = node if args == node.args else self._pool.make(node.op, args, node.type, node.attrs)
            found = self._raiser.index(fold(self._pool, found))
            value = literal(found)
            if not isinstance(value, int) or abs(value) >= LARGE:
                return None
            made[node.id] = found
        value = literal(made[term.id])
        return value if isinstance(value, int) else None

    def _counting(self, loop: Loop, step: int, first: Term, ended: Term, top: Term) -> Term | None:
        """`first + (i - l) / s * d`, by ops that wrap as the sums do that they replace."""
        pool = self._pool
        if ended.op not in ("arith.addi", "arith.subi") or ended.attrs or top.type != INDEX:
            return None
        left, right = ended.args
        if ended.op == "arith.addi" and right is top:
            left, right = right, left
        move = literal(right)
        if left is not top or not isinstance(move, int):
            return None
        far = pool.make("arith.muli", (self._turn(loop, step), pool.integer(abs(move))), INDEX)
        negative = (move < 0) != (ended.op == "arith.subi")
        return pool.make("arith.subi" if negative else "arith.addi", (first, far), INDEX)

    def _turn(self, loop: Loop, step: int) -> Term:
        """The number of iterations before this one."""
        pool = self._pool
        return quasi_affine.floordiv(pool, quasi_affine.subtract(pool, loop.iv, loop.lowers[0]), pool.integer(step))

    def _repeating(self, loop: Loop, step: int, first: Term, ended: Term, top: Term) -> Term | None:
        """An element of a list that repeats from its beginning."""
        pool, states = self._pool, [*self._states(first, ended, top)]
        if not 0 < len(states) <= LONGEST_CYCLE or self._next(ended, top, states[-1]) != states[:1]:
            return None
        turn, length = self._turn(loop, step), len(states)
        phase = quasi_affine.modulo(pool, turn, pool.integer(length))
        rise = states[1] - states[0] if length > 1 else 0
        if top.type == INDEX and all(b - a == rise for a, b in pairwise(states)):
            return quasi_affine.combine(pool, states[0], ((phase, rise),))
        if top.type == INDEX and all(v == (states[0] + rise * k) % length for k, v in enumerate(states)):
            return quasi_affine.modulo(
                pool, quasi_affine.combine(pool, states[0], ((turn, rise),)), pool.integer(length)
            )
        found = pool.integer(states[-1], top.type)
        for k, state in reversed([*enumerate(states[:-1])]):
            is_now = pool.make("arith.cmpi", (phase, pool.integer(k)), BOOL, (("predicate", "eq"),))
            found = fold(pool, pool.make("arith.select", (is_now, pool.integer(state, top.type), found), top.type))
        return found

    def _states(self, first: Term, ended: Term, top: Term) -> Iterator[int]:
        """What a cell holds at first, after one iteration, and so on, until a value comes again."""
        seen: set[int] = set()
        value = literal(first)
        while isinstance(value, int) and value not in seen and len(seen) <= LONGEST_CYCLE:
            yield value
            seen.add(value)
            after = self._next(ended, top, value)
            value = after[0] if after else None

    def _next(self, ended: Term, top: Term, value: int) -> list[int]:
        """The literal that follows `value`; nothing if it is not known."""
        found = replaced(self._pool, ended, {top: self._pool.integer(value, top.type)})
        known = self._number(found)
        return [] if known is None else [known]


def _writes(block: Block) -> Iterator[int]:
    """The cells that a block writes or allocates, each as often as it does."""
    for statement in walk(block):
        match statement:
            case Store(memory=memory) | Alloc(memory=memory) if memory.kind is MemoryKind.CELL:
                yield memory.id
            case Call():
                yield from (m.id for m in statement.results)
            case _:
                pass
