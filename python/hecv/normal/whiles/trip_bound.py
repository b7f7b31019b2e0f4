"""Trip bounds: an uncounted `While` becomes a loop with at least as many iterations as any run takes; a flag ends it.

Let a `While` run `before`, leave where `condition` fails, and run `after`. With a number `n` that is at least the
number of its iterations in every run that ends (the last one, which leaves at the condition, included), it is

    alive := true
    for t = 0 to n { if (alive) { before; alive := condition; if (alive) after } }
    assert not alive

`n` is a parameter that both programs of a pair share. Where the source ends, let `n` be large enough for all of its
whiles: then the source is this program, and its assertions hold. What is proved for all values of `n` says that the
target's assertions hold too, so all of its whiles have ended, and the target is this program as well.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX
from hecv.normal.indirect.csr_loops import LIMIT
from hecv.program.read_write_sets import number
from hecv.program.term_substitution import recounted
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Function,
    If,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    While,
    roots,
    walk,
)

TURNS: Final = "turns"
"""The name of the trip bound, which no run exceeds."""


def bound_trips(pool: TermPool, function: Function, body: Block) -> Block:
    """Turns while loops into loops up to a trip bound. One that frees or calls, or allocates memory of symbolic size,
    stays.

    Requires: `body` is a normal form of `function`.
    Ensures: for each input, the same final memory, undefined on the same inputs, once the number `TURNS` is as large as
    any number of iterations; where a while does not end, it is undefined.
    """
    return TripBounder(pool, function, body).block(body, 0)


class TripBounder:
    """Bounds the whiles of one function."""

    def __init__(self, pool: TermPool, function: Function, body: Block) -> None:
        self._pool = pool
        self._whole = body
        self._statement = max((s.id for s in (*walk(function.body), *walk(body))), default=0)
        made = (s.memory.id for s in walk(body) if isinstance(s, Alloc | Store))
        self._memory = max((*function.memories(), *made), default=0)
        self._true = pool.integer(1, BOOL)
        self._turns = pool.make(LIMIT, (), INDEX, (("name", TURNS),))

    def block(self, block: Block, depth: int) -> Block:
        """The block, which `depth` loops enclose."""
        return tuple(s for statement in block for s in self._run(statement, depth))

    def _run(self, statement: Statement, depth: int) -> Block:
        match statement:
            case Loop():
                return (replace(statement, body=self.block(statement.body, depth + 1)),)
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                return (replace(statement, then=then, otherwise=otherwise),)
            case While() if _is_boundable(statement):
                return self._bounded(statement, depth)
            case _:
                return (statement,)

    def _bounded(self, loop: While, depth: int) -> Block:
        outer = self._outlive(loop)
        (turn,) = _without(recounted(self._pool, (loop,), lambda iv: self._inwards(iv, depth)), outer)
        assert isinstance(turn, While)
        self._memory += 1
        cell = Memory(self._memory, MemoryKind.CELL, f"alive{loop.id}", BOOL, ())
        alive = self._pool.load(cell.id, (), BOOL)
        body = (
            *self.block(turn.before, depth + 1),
            Store(self._number(), cell, (), turn.condition),
            If(self._number(), alive, self.block(turn.after, depth + 1), ()),
        )
        return (
            *outer,
            Alloc(self._number(), cell),
            Store(self._number(), cell, (), self._true),
            Loop(
                id=loop.id,
                iv=self._pool.induction(depth, INDEX),
                lowers=(self._pool.integer(0),),
                uppers=(self._turns,),
                step=self._pool.integer(1),
                unsigned=False,
                body=(If(self._number(), alive, body, ()),),
            ),
            *self.ended(loop, alive),
        )

    def ended(self, loop: While, alive: Term) -> Block:
        """The assertion that the iterations were enough."""
        over = self._pool.make("arith.xori", (alive, self._true), BOOL)
        return (Assert(loop.id, over, "the loop does not end"),)

    def _outlive(self, loop: While) -> tuple[Alloc, ...]:
        """The cells that an iteration allocates and that are used after the loop."""
        inner = [s for s in walk((loop,)) if isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL]
        uses = _uses(self._whole) - _uses((loop,))
        return tuple([s for s in inner if uses[s.memory.id]])

    def _inwards(self, iv: Term, depth: int) -> Term:
        """The variable of a loop moves one level down if it is within the while."""
        own = number(iv, "depth")
        return iv if own < depth else self._pool.induction(own + 1, iv.type)

    def _number(self) -> int:
        self._statement += 1
        return self._statement


def _is_boundable(loop: While) -> bool:
    """True if all allocations in the loop have literal extents, nothing is freed, and nothing is called."""
    inner = tuple(walk((loop,)))
    if any(isinstance(s, Dealloc | Call) for s in inner):
        return False
    return all(literal(e) is not None for s in inner if isinstance(s, Alloc) for e in s.memory.extents)


def _uses(block: Block) -> Counter[int]:
    """The number of times that a block names each memory."""
    found: Counter[int] = Counter()
    for statement in walk(block):
        if isinstance(statement, Store | Alloc | Dealloc):
            found[statement.memory.id] += 1
        elif isinstance(statement, Call):
            found.update(m.id for m in (*statement.memories, *statement.results))
        exact = statement.exact if isinstance(statement, If | Assert) else ()
        found.update(number(t, "memory") for t in postorder((*roots(statement), *exact)) if t.op == "load")
    return found


def _without(block: Block, allocated: tuple[Alloc, ...]) -> Block:
    """The block without some allocations."""
    gone = {s.memory.id for s in allocated}
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Alloc(memory=memory) if memory.id in gone:
                continue
            case Loop():
                out.append(replace(statement, body=_without(statement.body, allocated)))
            case If():
                then, otherwise = _without(statement.then, allocated), _without(statement.otherwise, allocated)
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = _without(statement.before, allocated), _without(statement.after, allocated)
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)
