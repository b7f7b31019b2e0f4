"""Load attachment: each statement reads and writes atomically, as dataflow analysis needs.

    %0 = load A[i]; %1 = addf %0, %x; store %1, B[i]   =>   store A[i] + %x, B[i]

A `Store` carries the reads that it depends on as `load` terms, evaluated when the store runs. A load may move to its
use only if no store to the same memory can run in between. Otherwise a cell, written where the load stands, keeps its
value. Dead loads and operators keep their accesses as a `Touch`.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import BOOL
from hecv.normal.memory.clobbered_loads import Clobbers, load_id
from hecv.program.index import quasi_affine
from hecv.program.index.raising import Raiser
from hecv.program.read_write_sets import divides_totally
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    While,
    walk,
)


def attach_loads(pool: TermPool, function: Function, body: Block) -> Block:
    """The body of `function` without `Load` and `Evaluate`: loads are attached to the statements that use them.

    Ensures: the same final memory, and undefined behaviour on the same inputs.
    """
    return Attacher(pool, function, body).block(body)


class Attacher:
    """Rewrites one function: reads become `load` terms, of the memory itself or of the cell that keeps the value."""

    def __init__(self, pool: TermPool, function: Function, body: Block) -> None:
        self._pool = pool
        self._raiser = Raiser(pool)
        self._kept = Clobbers(body, function.overlapping).kept
        self._memo: dict[int, Term] = {}
        self._loads: dict[int, Term] = {}
        self._next = 1 + max((s.id for s in walk(body)), default=0)
        made = (s.memory.id for s in walk(body) if isinstance(s, Alloc))
        self._next_memory = 1 + max((*function.memories(), *made), default=0)
        self._constants = {c.memory.id: c for c in function.constants}

    def _value(self, term: Term) -> Term:
        return rebuild(self._pool, term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        if term.op == "read":
            return self._loads[load_id(term)]
        plain = quasi_affine.unstated(term)
        if plain is not term:
            return self._value(plain)
        if term.op == "affine.linear" and any(quasi_affine.unstated(a) is not a for a in term.args):
            form = quasi_affine.linear(term)
            return quasi_affine.combine(self._pool, form.constant, tuple((self._value(t), c) for t, c in form.terms))
        return None

    def _index(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(self._raiser.index(self._value(t)) for t in terms)

    def block(self, block: Block) -> Block:
        """The block in normal form."""
        out: list[Statement] = []
        # Values keep their operators; subscripts do not: raising may cancel what they were computed from.
        covered = {t.id for t in postorder(tuple(s.value for s in block if isinstance(s, Store)))}
        for statement in block:
            self._statement(statement, covered, out)
        return tuple(out)

    def _statement(self, statement: Statement, covered: set[int], out: list[Statement]) -> None:
        """Appends the statement's normal form to `out`; a store of the same block evaluates the terms in `covered`."""
        match statement:
            case Load():
                self._load(statement, covered, out)
            case Store():
                value = self._value(statement.value)
                out.append(Store(statement.id, statement.memory, self._index(statement.indices), value))
            case Evaluate():
                if statement.term.id not in covered and not divides_totally(statement.term):
                    out.append(Touch(statement.id, (), (self._value(statement.term),)))
            case Touch():
                accesses = tuple(self._value(t) for t in statement.accesses)
                out.append(Touch(statement.id, accesses, tuple(self._value(t) for t in statement.terms)))
            case Assert():
                value = self._value(statement.condition)
                condition, exact = self._raiser.index(value), self._index(statement.exact)
                left = self._undecided(condition)
                if left is not None or exact:
                    left = left or self._pool.integer(1, BOOL)
                    out.append(Assert(statement.id, left, statement.text, exact))
            case Call():
                operands = tuple(self._value(t) for t in statement.operands)
                out.append(replace(statement, operands=operands))
            case Alloc(memory=memory):
                out.append(Alloc(statement.id, self._memory(memory)))
            case Dealloc(memory=memory):
                out.append(Dealloc(statement.id, self._memory(memory)))
            case Loop():
                lowers, uppers = self._index(statement.lowers), self._index(statement.uppers)
                step = self._index((statement.step,))[0]
                body = self.block(statement.body)
                out.append(replace(statement, lowers=lowers, uppers=uppers, step=step, body=body))
            case While():
                before = self.block(statement.before)
                condition = self._value(statement.condition)
                out.append(While(statement.id, before, condition, self.block(statement.after)))
            case If():
                value = self._value(statement.condition)
                condition, exact = self._raiser.index(value), self._index(statement.exact)
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                out.append(If(statement.id, condition, then, otherwise, exact))

    def _memory(self, memory: Memory) -> Memory:
        return Memory(memory.id, memory.kind, memory.name, memory.element, self._index(memory.extents))

    def _undecided(self, condition: Term) -> Term | None:
        """What is left of a conjunction without the literals that hold; None if nothing is."""
        left: Term | None = None
        pending, seen = [condition], set[int]()
        while pending:
            part = pending.pop()
            if part.id in seen or literal(part) == 1:
                continue
            seen.add(part.id)
            if part.op == "arith.andi":
                pending.extend(reversed(part.args))
            else:
                left = part if left is None else self._pool.make("arith.andi", (left, part), BOOL)
        return left

    def _held(self, memory: Memory, indices: tuple[Term, ...]) -> Term | None:
        """The literal that a constant global holds at `indices`, if these are literals or all elements are alike."""
        constant = self._constants.get(memory.id)
        if constant is None or constant.contents is None:
            return None
        if len(constant.contents) == 1:
            return constant.contents[0]
        position = 0
        for index, extent in zip(map(literal, indices), map(literal, memory.extents), strict=True):
            if not isinstance(index, int) or not isinstance(extent, int) or not 0 <= index < extent:
                return None
            position = position * extent + index
        return constant.contents[position]

    def _load(self, statement: Load, covered: set[int], out: list[Statement]) -> None:
        element = statement.memory.element
        load = self._pool.load(statement.memory.id, self._index(statement.indices), element)
        value = self._held(statement.memory, load.args)
        if value is not None:
            self._loads[statement.id] = value
            out.append(Touch(statement.id, (load,), ()))
            return
        if statement.id not in self._kept:
            self._loads[statement.id] = load
            read = self._pool.read(statement.id, element)
            if statement.memory.kind is not MemoryKind.CELL and read.id not in covered:
                out.append(Touch(statement.id, (load,), ()))
            return
        cell = Memory(self._next_memory, MemoryKind.CELL, f"kept{statement.id}", element, ())
        self._next_memory += 1
        out.append(Alloc(self._next, cell))
        out.append(Store(statement.id, cell, (), load))
        self._next += 1
        self._loads[statement.id] = self._pool.load(cell.id, (), element)
