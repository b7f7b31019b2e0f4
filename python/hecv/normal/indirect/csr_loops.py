"""Sparse row (CSR) loops: bounds read from memory become a branch on data in a loop with affine bounds.

    for k = ptr[i] to ptr[i+1] { B }   =>   for k = -n to n { if (ptr[i] <= k and k < ptr[i+1]) { B } }

The bounds are no functions of loops and arguments. `n` is a number that is at least the size of every index, a
parameter that both programs of a pair share. What is proved for all its values holds for one that is large enough:
there the loops are what the programs say. The branch is one on data, which is if-converted
(`hecv.normal.branches.if_conversion`).

- A bound that isl can represent stays a bound. A loop with a step `s` from a bound that isl cannot represent runs where
  `(k - lower) mod s = 0`, with an unsigned remainder: `k` is not below `lower` there.
- A loop from 0 to `hi - lo` runs from `lo` to `hi`, with `k - lo` for its variable: `val[lo + k]` is then `val[k]`, as
  in a loop over the entries themselves. Its bound shows that `lo` is not poison in the body.
- Bounds are evaluated once: if the body may write what they read, they are saved in cells.
- An access under the branch is in bounds only where the branch is taken, so each access under a branch on data is
  asserted to be in bounds before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import BOOL, INDEX, IndexType
from hecv.program.index import quasi_affine
from hecv.program.term_substitution import recounted, rewrite
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Function,
    If,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    While,
    memories_in,
    roots,
    walk,
)

LIMIT: Final = "limit"
"""The leaf, with a name, that stands for a number that is large enough."""

SPAN: Final = "span"
"""The name of the number that no index reaches."""

Test = Callable[[Term], bool]
"""A predicate on terms: what isl can represent."""


def has_csr_loops(body: Block, is_bound: Test) -> bool:
    """True if a body in normal form has a loop that `bound_csr_loops` would change."""
    return any(isinstance(s, Loop) and _is_csr_loop(s, is_bound) for s in walk(body))


def bound_csr_loops(pool: TermPool, function: Function, body: Block, is_bound: Test, is_condition: Test) -> Block:
    """Gives loops bounds that isl can represent, and asserts the bounds of accesses under branches on data.

    Requires: `body` is a normal form of `function`; index arithmetic in bounds does not overflow.
    Ensures: for each input, the same final memory, undefined on the same inputs, once the number `SPAN` is as large as
    any index.
    """
    return CsrLoopBounder(pool, function, body, is_bound, is_condition).block(body, None)


def _is_csr_loop(loop: Loop, is_bound: Test) -> bool:
    """True if a loop has a bound that isl cannot represent, and can be given others."""
    step = literal(loop.step)
    counted = isinstance(loop.iv.type, IndexType) and not loop.unsigned and isinstance(step, int) and step > 0
    return counted and not all(map(is_bound, (*loop.lowers, *loop.uppers)))


class _Asserted(Struct, frozen=True):
    """The accesses that are asserted to be in bounds at a place under a branch on data."""

    found: set[tuple[int, tuple[Term, ...]]] = field(default_factory=set[tuple[int, tuple[Term, ...]]])

    def inner(self) -> _Asserted:
        """A copy for a block at this place, where more will be asserted."""
        return _Asserted(set(self.found))


class CsrLoopBounder:
    """Rewrites the CSR loops of one function."""

    def __init__(self, pool: TermPool, function: Function, body: Block, is_bound: Test, is_condition: Test) -> None:
        self._pool = pool
        self._is_bound = is_bound
        self._is_condition = is_condition
        self._overlapping = function.overlapping
        statements = (*walk(function.body), *walk(body))
        self._statement = max((s.id for s in statements), default=0)
        self._memories = memories_in(function, body)
        self._memory = max(self._memories, default=0)
        self._span = pool.make(LIMIT, (), INDEX, (("name", SPAN),))

    def block(self, block: Block, seen: _Asserted | None) -> Block:
        """The block; `seen` is None outside of branches on data, and otherwise has the accesses asserted so far."""
        out: list[Statement] = []
        for statement in block:
            out += self._run(statement, seen)
        return tuple(out)

    def _run(self, statement: Statement, seen: _Asserted | None) -> Iterator[Statement]:
        if seen is not None:
            yield from self._demands(statement, seen)
        match statement:
            case Loop() if _is_csr_loop(statement, self._is_bound):
                yield from self._covered(statement, seen)
            case Loop():
                yield replace(statement, body=self.block(statement.body, seen and seen.inner()))
            case If():
                on_data = not self._is_condition(statement.condition)
                inner = seen.inner() if seen is not None else _Asserted() if on_data else None
                then = self.block(statement.then, inner and inner.inner())
                otherwise = self.block(statement.otherwise, inner and inner.inner())
                yield replace(statement, then=then, otherwise=otherwise)
            case While():
                before, after = self.block(statement.before, seen), self.block(statement.after, seen)
                yield replace(statement, before=before, after=after)
            case _:
                yield statement

    # Loops

    def _covered(self, loop: Loop, seen: _Asserted | None) -> Iterator[Statement]:
        kept: list[Statement] = []
        loop = self._moved(loop, kept)
        lowers = [self._kept(t, loop, kept) for t in _parts("affine.max", loop.lowers)]
        uppers = [self._kept(t, loop, kept) for t in _parts("affine.min", loop.uppers)]
        yield from kept
        step = literal(loop.step)
        assert isinstance(step, int)
        conditions = [self._compared("sge", loop.iv, t) for t in lowers if not self._is_bound(t)]
        conditions += [self._compared("slt", loop.iv, t) for t in uppers if not self._is_bound(t)]
        begin, end = (tuple([t for t in terms if self._is_bound(t)]) for terms in (lowers, uppers))
        if begin and end:
            yield from self._proper([t for t in (*lowers, *uppers) if not self._is_bound(t)])
        counted = len(begin) == len(lowers)
        if not counted and step != 1:
            conditions.append(self._on_step(loop.iv, lowers, step))
        condition = conditions[0]
        for other in conditions[1:]:
            condition = self._pool.make("arith.andi", (condition, other), BOOL)
        body = self.block(loop.body, seen.inner() if seen is not None else _Asserted())
        yield replace(
            loop,
            lowers=begin or (quasi_affine.combine(self._pool, 0, ((self._span, -1),)),),
            uppers=end or (self._span,),
            step=loop.step if counted else self._pool.integer(1),
            body=(If(self._number(), condition, body, ()),),
            fits=False,
        )

    def _moved(self, loop: Loop, out: list[Statement]) -> Loop:
        """The loop to `hi - lo`, with `lo` from memory, as a loop to `hi`: the old variable is the new one less
        `lo`."""
        pool = self._pool
        begun = all(map(self._is_bound, loop.lowers))
        forms = [quasi_affine.linear(t) for t in loop.uppers]
        away = [t for t, c in forms[0].terms if c == -1 and not self._is_bound(t)]
        if not begun or len(loop.lowers) != 1 or len(forms) != 1 or not away:
            return loop
        by = tuple([self._kept(t, loop, out) for t in away])
        further = tuple([(t, 1) for t in by])
        terms = tuple([(t, c) for t, c in forms[0].terms if t not in away])
        moved = quasi_affine.combine(pool, 0, ((loop.iv, 1), *((t, -1) for t in by)))
        body = recounted(pool, loop.body, lambda iv: moved if iv is loop.iv else iv)
        return replace(
            loop,
            lowers=(quasi_affine.combine(pool, 0, ((loop.lowers[0], 1), *further)),),
            uppers=(quasi_affine.combine(pool, forms[0].constant, terms),),
            body=rewrite(body, self._without(frozenset(by))),
        )

    def _without(self, gone: frozenset[Term]) -> Callable[[Term], Term]:
        """Drops the terms `gone` with coefficient 0 from sums: the bounds of a loop show that they are not poison
        there."""
        memo: dict[int, Term] = {}

        def leaf(term: Term) -> Term | None:
            if term.op != "affine.linear":
                return None
            form = quasi_affine.linear(term)
            terms = tuple([(rebuild(self._pool, t, leaf, memo), c) for t, c in form.terms if c or t not in gone])
            return quasi_affine.combine(self._pool, form.constant, terms)

        return lambda term: rebuild(self._pool, term, leaf, memo)

    def _proper(self, bounds: list[Term]) -> Iterator[If]:
        """Branches on bounds, without effect: a bound that is poison is undefined even if the loop does not run."""
        for bound in bounds:
            yield If(self._number(), self._compared("sge", bound, self._pool.integer(0)), (), ())

    def _on_step(self, iv: Term, lowers: list[Term], step: int) -> Term:
        """The condition that the variable, which is not below the greatest lower bound, is a whole number of steps
        above it."""
        first = lowers[0]
        for other in lowers[1:]:
            first = self._pool.make("arith.maxsi", (first, other), INDEX)
        distance = self._pool.make("arith.subi", (iv, first), INDEX)
        rest = self._pool.make("arith.remui", (distance, self._pool.integer(step)), INDEX)
        return self._compared("eq", rest, self._pool.integer(0))

    def _kept(self, bound: Term, loop: Loop, out: list[Statement]) -> Term:
        """The bound as it is before the loop: itself, or a cell that holds it if the body may write what it reads."""
        read = read_by((bound,))
        if read & self._overlapping:
            read |= self._overlapping
        if not read & written(loop.body):
            return bound
        self._memory += 1
        cell = Memory(self._memory, MemoryKind.CELL, f"bound{self._memory}", INDEX, ())
        self._memories[cell.id] = cell
        out += [Alloc(self._number(), cell), Store(self._number(), cell, (), bound)]
        return self._pool.load(cell.id, (), INDEX)

    # Accesses

    def _demands(self, statement: Statement, seen: _Asserted) -> Iterator[Assert]:
        """The assertions that the accesses of a statement are in bounds, where that was not asserted before."""
        terms = (*roots(statement), *(statement.exact if isinstance(statement, If | Assert) else ()))
        accesses = [(_memory(t), t.args) for t in postorder(terms) if t.op == "load"]
        if isinstance(statement, Store):
            accesses.append((statement.memory.id, statement.indices))
        for number, indices in accesses:
            if (number, indices) in seen.found:
                continue
            seen.found.add((number, indices))
            for index, extent in zip(indices, self._memories[number].extents, strict=True):
                condition = self._within(index, extent)
                if condition is not None:
                    yield Assert(statement.id, condition, "out of bounds")

    def _within(self, index: Term, extent: Term) -> Term | None:
        """The condition that an index is within an extent; None if literals show it."""
        value, size = literal(index), literal(extent)
        if isinstance(value, int) and isinstance(size, int) and 0 <= value < size:
            return None
        above = self._compared("sge", index, self._pool.integer(0))
        return self._pool.make("arith.andi", (above, self._compared("slt", index, extent)), BOOL)

    def _compared(self, predicate: str, left: Term, right: Term) -> Term:
        return self._pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))

    def _number(self) -> int:
        self._statement += 1
        return self._statement


def _parts(op: str, terms: tuple[Term, ...]) -> list[Term]:
    """The terms, with each operator `op` replaced by its operands."""
    return [part for t in terms for part in (_parts(op, t.args) if t.op == op else [t])]


def _memory(load: Term) -> int:
    return int(str(load.attr("memory")))


def read_by(terms: tuple[Term, ...]) -> set[int]:
    """The memories that some terms read."""
    return {_memory(t) for t in postorder(terms) if t.op == "load"}


def written(body: Block) -> set[int]:
    """The memories that a block may write."""
    written = {s.memory.id for s in walk(body) if isinstance(s, Store | Alloc)}
    return written | {m.id for s in walk(body) if isinstance(s, Call) for m in (*s.memories, *s.results)}
