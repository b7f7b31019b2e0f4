"""Symbolic execution of a function of known sizes: one term for each element that it writes.

Requires: control flow and subscripts do not depend on the inputs.

The function is run with terms in place of values: an element of an input is the leaf `element`, an operator on unknown
values makes a term. Loops are run iteration by iteration and branches are taken, so the result has no loops, memory or
subscripts; it holds for the sizes at hand, and for all values of the inputs.

It does not prove that the function has no undefined behaviour. Accesses and branches are the same on every input, so
one run of the interpreter shows that there is no race and no out-of-bounds access on any input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, FloatType, IndexType, IntType, ScalarType
from hecv.elements.exact_constants import folded
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
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
    While,
)
from hecv.run.evaluation.op_evaluation import Evaluator

ELEMENT: Final = "element"
"""The operator of a leaf: element `position`, row-major, of the memory of input `number`."""


class NotUnfolded(Exception):
    """Why a function is not unfolded; `long`: it takes more operators than the limit."""

    def __init__(self, text: str, statement: int | None = None, *, long: bool = False) -> None:
        super().__init__(text)
        self.text: Final = text
        self.statement: Final = statement
        self.long: Final = long


class Output(Struct, frozen=True):
    """The final value of an element that the caller sees; `store` is the statement that wrote it, None if none did."""

    memory: str
    position: int
    value: Term
    store: int | None


class Unfolded(Struct, frozen=True):
    """The elements that a function writes where the caller sees them, and what it asserts of its inputs."""

    outputs: dict[Place, Output]
    asserted: tuple[Term, ...]


Place = tuple[str, int, int]
"""An element that the caller sees: of an `input` or a `result`, its number, and the position in it."""


class _Cells(Struct):
    """A memory that is alive: its extents, what was written to each element, and by which statement."""

    memory: Memory
    extents: tuple[int, ...]
    values: dict[int, Term]
    stores: dict[int, int]


def unfold(pool: TermPool, function: Function, evaluator: Evaluator, most: int) -> Unfolded:
    """The symbolic result of `function`.

    Raises: NotUnfolded if control flow, a subscript or an extent depends on an input, an element is read that was never
        written, an operator may be undefined, or more than `most` operators are evaluated.
    """
    run = _Run(pool, function, evaluator, most)
    run.block(function.body)
    return Unfolded(dict(run.outputs()), tuple(run.asserted))


def initial(pool: TermPool, function: Function, place: Place) -> Output | None:
    """The initial value of an input's element; None for a result."""
    kind, number, position = place
    if kind != "input":
        return None
    memory = next(a.memory for a in function.inputs() if a.number == number)
    assert memory is not None
    return Output(memory.name, position, _element(pool, memory, number, position), None)


def _element(pool: TermPool, memory: Memory, number: int, position: int) -> Term:
    return pool.make(ELEMENT, (), memory.element, (("number", number), ("position", position)))


class _Run:
    def __init__(self, pool: TermPool, function: Function, evaluator: Evaluator, most: int) -> None:
        self._pool = pool
        self._function = function
        self._evaluator = evaluator
        self._ivs: dict[int, Term] = {}
        self._reads: dict[int, Term | None] = {}
        self._orders: dict[int, list[Term]] = {}
        self._most = self._left = most
        self.asserted: dict[Term, None] = {}
        self._alive: dict[int, _Cells] = {}
        self._inputs = {a.memory.id: a.number for a in function.inputs() if a.memory is not None}
        for memory in function.memories().values():
            if memory.kind is not MemoryKind.LOCAL and memory.kind is not MemoryKind.CELL:
                self._open(memory)
        for constant in function.constants:
            if constant.contents is None:
                raise NotUnfolded("a constant has too many elements")
            self._fill(constant.memory, constant.contents)

    def outputs(self) -> Iterator[tuple[Place, Output]]:
        """The written elements that the caller sees."""
        seen = [("input", a.number, a.memory) for a in self._function.inputs() if a.memory is not None]
        seen += [("result", k, memory) for k, memory in enumerate(self._function.results)]
        for kind, number, memory in seen:
            cells = self._alive[memory.id]
            for position, value in sorted(cells.values.items()):
                yield (kind, number, position), Output(memory.name, position, value, cells.stores[position])

    def block(self, block: Block) -> None:
        for statement in block:
            self._run(statement)

    def _run(self, statement: Statement) -> None:
        match statement:
            case Load(id=number, memory=memory, indices=indices):
                self._reads[number] = self._read(memory, indices, number)
            case Store(id=number, memory=memory, indices=indices, value=value, guarded=False):
                cells, position = self._place(memory, indices, number)
                if self._is_unwritten(value) and memory.id not in self._inputs:
                    cells.values.pop(position, None)
                    return
                cells.values[position] = self._value(value, number)
                cells.stores[position] = number
            case Alloc(memory=memory):
                self._open(memory)
            case Dealloc(id=number, memory=memory):
                if self._alive.pop(memory.id, None) is None:
                    raise NotUnfolded("memory is deallocated twice", number)
            case Evaluate(id=number, term=term):
                self._require_defined(term, number)
            case Loop():
                self._loop(statement)
            case If(id=number, condition=condition, then=then, otherwise=otherwise):
                self.block(then if self._integer(condition, number) else otherwise)
            case While(id=number, before=before, condition=condition, after=after):
                self.block(before)
                while self._integer(condition, number):
                    self._spend(1, number)
                    self.block(after)
                    self.block(before)
            case Assert(id=number, condition=condition, text=text):
                asserted = self._value(condition, number)
                if literal(asserted) == 0:
                    raise NotUnfolded(f"an assertion does not hold: {text}", number)
                self.asserted[asserted] = None
            case _:
                raise NotUnfolded(f"a {type(statement).__name__.lower()} is not unfolded", statement.id)

    def _loop(self, loop: Loop) -> None:
        kind = loop.iv.type
        lowers, uppers = ([self._integer(t, loop.id) for t in bounds] for bounds in (loop.lowers, loop.uppers))
        step = self._signed(self._integer(loop.step, loop.id), kind)
        if step <= 0:
            raise NotUnfolded("a loop has a step that is not positive", loop.id)
        read: Callable[[int], int] = (lambda n: n) if loop.unsigned else (lambda n: self._signed(n, kind))
        first, last = max(map(read, lowers)), min(map(read, uppers))
        if isinstance(kind, IntType) and last - 1 + step >= 1 << (kind.width - (not loop.unsigned)):
            raise NotUnfolded("a loop may step out of its type", loop.id)
        depth = int(str(loop.iv.attr("depth")))
        for n in range(first, last, step):
            self._spend(1, loop.id)
            self._ivs[depth] = self._literal(n, kind)
            self.block(loop.body)

    # Memory

    def _open(self, memory: Memory) -> None:
        extents = tuple(self._integer(e, None) for e in memory.extents)
        if any(e < 0 for e in extents):
            raise NotUnfolded("an allocation has a negative extent")
        self._alive[memory.id] = _Cells(memory, extents, {}, {})

    def _fill(self, memory: Memory, contents: tuple[Term, ...]) -> None:
        self._open(memory)
        cells = self._alive[memory.id]
        count = math.prod(cells.extents)
        self._spend(count, None)
        filled = contents * count if len(contents) == 1 else contents
        cells.values.update(dict(enumerate(filled)))

    def _place(self, memory: Memory, indices: tuple[Term, ...], number: int) -> tuple[_Cells, int]:
        cells = self._alive.get(memory.id)
        if cells is None:
            raise NotUnfolded("memory may be used after it is deallocated", number)
        position = 0
        for index, extent in zip(indices, cells.extents, strict=True):
            at = self._integer(index, number)
            if not 0 <= at < extent:
                raise NotUnfolded(f"index {at} is out of bounds, the extent is {extent}", number)
            position = position * extent + at
        return cells, position

    def _read(self, memory: Memory, indices: tuple[Term, ...], number: int) -> Term | None:
        """What an element holds; None where it was never written."""
        cells, position = self._place(memory, indices, number)
        known = cells.values.get(position)
        if known is not None:
            return known
        argument = self._inputs.get(memory.id)
        return None if argument is None else _element(self._pool, memory, argument, position)

    def _is_unwritten(self, term: Term) -> bool:
        """Whether what is read was never written: what it is copied to was then never written either."""
        return term.op == "read" and self._reads[int(str(term.attr("load")))] is None

    # Terms

    def _value(self, root: Term, number: int) -> Term:
        """The term with what is known here in place of its leaves, its integers computed."""
        order = self._orders.get(root.id)
        if order is None:
            order = self._orders[root.id] = postorder((root,))
        self._spend(len(order), number)
        known: dict[int, Term] = {}
        for term in order:
            known[term.id] = self._leaf(term, number) if not term.args else self._operator(term, known, number)
        return known[root.id]

    def _leaf(self, term: Term, number: int) -> Term:
        match term.op:
            case "iv":
                return self._ivs[int(str(term.attr("depth")))]
            case "read":
                known = self._reads[int(str(term.attr("load")))]
                if known is None:
                    raise NotUnfolded("an element that was never written is computed with", number)
                return known
            case "const" | "arg":
                return term
            case op:
                raise NotUnfolded(f"`{op}` depends on the inputs", number)

    def _operator(self, term: Term, known: dict[int, Term], number: int) -> Term:
        args = tuple([known[a.id] for a in term.args])
        if term.op == "arith.select" and (taken := literal(args[0])) is not None:
            return args[1] if taken else args[2]
        made = term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)
        if isinstance(term.type, FloatType) or any(isinstance(a.type, FloatType) for a in args):
            return folded(self._pool, self._evaluator, made)
        values = [literal(a) for a in args]
        if any(v is None for v in values):
            return made
        found = self._evaluator(made, tuple(v for v in values if v is not None))
        if not isinstance(found, int):
            raise NotUnfolded(f"`{term.op}` is poison or undefined", number)
        return self._literal(found, term.type)

    def _require_defined(self, term: Term, number: int) -> None:
        if literal(self._value(term, number)) is None and not isinstance(term.type, FloatType):
            raise NotUnfolded(f"`{term.op}` may be undefined", number)

    def _integer(self, term: Term, number: int | None) -> int:
        value = literal(self._value(term, -1 if number is None else number))
        if not isinstance(value, int):
            raise NotUnfolded("control flow, a subscript or an extent depends on the inputs", number)
        return value

    def _literal(self, value: int, kind: ScalarType) -> Term:
        return self._pool.integer(value % (1 << kind.width) if isinstance(kind, IntType) else value, kind)

    def _signed(self, value: int, kind: ScalarType) -> int:
        if isinstance(kind, IndexType) or not isinstance(kind, IntType):
            return value
        half = 1 << (kind.width - 1)
        return (value + half) % (2 * half) - half if kind != BOOL else value

    def _spend(self, operators: int, number: int | None) -> None:
        self._left -= operators
        if self._left < 0:
            raise NotUnfolded(f"more than {self._most:,} operators are evaluated", number, long=True)
