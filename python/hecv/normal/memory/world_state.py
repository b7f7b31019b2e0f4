"""External calls as functions of the world state, which is one memory more.

An external function, one without a body, sees its operands and all memory of the caller, may write both, may print what
it sees, and may remember all that happened before. The world is a value with all of that:

    world' = f(world, operands, contents of reachable memory);  result = g(world');  memory = h(world')

The world is a global that both programs share and that is compared at the end. So two programs with one world at the
end made the same calls, in the same order, on equal operands and memory.

- The elements of an array are folded into one value, in row-major order; what a call leaves there is written element by
  element. So all else about the array stays exact: loops around a call may be tiled, fused and unrolled. A memory that
  is an array value (`hecv.normal.memory.array_values`) is such a value already.
- An allocation passed to a call can be reached by all later calls as long as it lives. Its identity counts too: it is
  the world made when it was last passed, and its place in that call. If it is not freed, the world is told at its end
  what it holds.
- All these functions are monotone: on operands that are less poison they are no more poison. They may look at what they
  are given bit by bit.
- A call that prints sees its operands alone. A float is shown up to which NaN it is.
- That calls return is not said here. Where they do not, what comes after is not reached.

A call in a parallel loop stays a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from hecv.base.term import CONTENTS, OPAQUE, PRINTED, Attributes, Term, TermPool
from hecv.base.types import INDEX, OpaqueType, ScalarType
from hecv.program.tree import (
    Alloc,
    Argument,
    Block,
    Call,
    Dealloc,
    Function,
    If,
    Loop,
    Memory,
    MemoryKind,
    Place,
    Role,
    Statement,
    Store,
    walk,
)

_WORLD: Final = OpaqueType("the world")
_ELEMENTS: Final = OpaqueType("elements")
_OUTSIDE: Final = "outside"
_IDENTITY: Final = OpaqueType("identity")


def has_external_calls(body: Block) -> bool:
    """True if a body calls a function without a body."""
    return any(isinstance(s, Call) and not s.known for s in walk(body))


def shows_bits(body: Block) -> bool:
    """True if a body calls a function without a body that may tell which NaN a float is."""
    return any(isinstance(s, Call) and not s.known and not s.prints for s in walk(body))


def unwritten_inputs(function: Function, body: Block) -> frozenset[int]:
    """The inputs that a program does not write, though its callees may."""
    written = {s.memory.id for s in walk(body) if isinstance(s, Store)}
    return frozenset(m.id for m in _shared(function) if m.extents and m.id not in written)


def external_knows_result(function: Function, body: Block) -> bool:
    """True if a function may return an allocation of its own, and passes one to an external function."""
    own = {m.id for s in walk(body) if isinstance(s, Alloc) for m in (s.memory,) if m.kind is MemoryKind.LOCAL}
    may_be_own = any(not isinstance(r.which, Place) or isinstance(r.which.buffer, int) for r in function.returned)
    return may_be_own and any(own & {*_passed(s)} for s in walk(body))


def with_world_state(pool: TermPool, function: Function, body: Block) -> tuple[Function, Block]:
    """The function with the world as one more global, and its body with external calls as stores to it.

    Requires: the normal form of `hecv.normal.passes`; memories that calls reach do not overlap.
    """
    made = _Rewriter(pool, function, body)
    hidden = Argument(len(function.inputs()), "the world", _WORLD, None, made.world, Role.BUFFER)
    return replace(function, globals=(*function.globals, hidden)), made.block(body, 0)


def _shared(function: Function) -> Iterator[Memory]:
    return (a.memory for a in function.inputs() if a.memory is not None and a.is_shared())


class _Rewriter:
    """Rewrites one body. `world` is the memory of the world."""

    def __init__(self, pool: TermPool, function: Function, body: Block) -> None:
        own = {s.memory.id: s.memory for s in walk(body) if isinstance(s, Alloc)}
        known = function.memories() | own
        self._pool = pool
        self._memories: Mapping[int, Memory] = known
        self._names = _names(function)
        self._constant = {c.memory.id for c in function.constants}
        given = dict.fromkeys(n for s in walk(body) for n in _passed(s))
        inputs = ((a.memory, a.is_shared()) for a in function.inputs())
        self._shared = tuple(m.id for m, shared in inputs if m is not None and (shared or m.id in given))
        self._given = {n: None for n in given if known[n].kind is MemoryKind.LOCAL}
        """The allocations passed to some external call, by the first such call in the text."""
        self._reachable: set[int] = set()
        self._alive: set[int] = set()
        self._identities: dict[int, Memory] = {}
        self._key = _OUTSIDE
        self._statement = max((s.id for s in (*walk(function.body), *walk(body))), default=0)
        self._memory = max(known, default=0)
        self.world: Final = self._new(MemoryKind.GLOBAL, "the world", _WORLD)

    def block(self, block: Block, depth: int) -> Block:
        """The block, which `depth` loops enclose."""
        out: list[Statement] = []
        own: list[int] = []
        for statement in block:
            out += self._rewritten(statement, depth, own)
        for number in (n for n in self._given if n in own and n in self._reachable):
            out += self._ends(self._memories[number], depth)
        self._reachable.difference_update(own)
        self._alive.difference_update(own)
        return tuple(out)

    def _rewritten(self, statement: Statement, depth: int, own: list[int]) -> Iterable[Statement]:
        """The rewritten statement; `own` are the allocations of the block so far."""
        match statement:
            case Call() if not statement.known:
                return self._call(statement, depth)
            case Loop() if not statement.parallel:
                inner = {n for s in walk(statement.body) for n in _passed(s)}
                self._reachable |= inner & self._alive
                return (replace(statement, body=self.block(statement.body, depth + 1)),)
            case If():
                before = set(self._reachable)
                then = self.block(statement.then, depth)
                after, self._reachable = self._reachable, before
                otherwise = self.block(statement.otherwise, depth)
                self._reachable |= after
                return (replace(statement, then=then, otherwise=otherwise),)
            case Alloc(memory=memory) if memory.id in self._given:
                own.append(memory.id)
                self._alive.add(memory.id)
                return (statement, *self._unknown(memory))
            case Dealloc(memory=memory) if memory.id in own:
                self._reachable.discard(memory.id)
                return (statement,)
            case _:
                return (statement,)

    def _call(self, call: Call, depth: int) -> Iterator[Statement]:
        known, passed = _passed(call), tuple(m.id for m in call.memories[: call.given])
        self._reachable |= {n for n in known if n in self._alive}
        others = [n for n in self._given if n in self._reachable and n not in passed]
        seen = list(dict.fromkeys(passed if call.prints else (*passed, *self._shared, *others)))
        self._key = PRINTED if call.prints else _OUTSIDE
        which = " ".join(self._names.get(n) or f"own {self._memories[n].element}" for n in seen)
        pattern = ", ".join(str(seen.index(n)) for n in passed)
        operands: list[Term] = [self._now(), *call.operands]
        for number in seen:
            yield from self._look(self._memories[number], operands, depth)
        yield self._next(f"@{call.callee}({pattern}) sees {which}", operands, call.id)
        self._key = _OUTSIDE
        if call.prints:
            return
        for place, cell in enumerate(call.results):
            yield self._store(cell, (), self._of_world(f"result {place}", cell.element))
        for place, number in enumerate(seen):
            if number not in self._constant:
                yield self._leaves(self._memories[number], place, depth)
            if number in self._identities:
                cell = self._identities[number]
                yield self._store(cell, (), self._of_world(f"memory {place}", cell.element))

    def _look(self, memory: Memory, operands: list[Term], depth: int) -> Iterator[Statement]:
        """Statements that compute what a call sees of a memory; appends that to the operands."""
        if memory.id in self._constant:
            return
        if memory.id in self._identities:
            operands += [self._load(self._identities[memory.id]), *memory.extents]
        if not memory.extents:
            operands.append(self._load(memory))
            return
        cell = self._new(MemoryKind.CELL, f"seen{memory.id}", _ELEMENTS)
        yield from self._folded(memory, cell, (), depth)
        operands.append(self._load(cell))

    def _folded(self, memory: Memory, cell: Memory, indices: tuple[Term, ...], depth: int) -> Iterator[Statement]:
        """Statements that fold into `cell` all that `memory` holds at subscripts that begin with `indices`."""
        yield Alloc(self._number(), cell)
        yield self._store(cell, (), self._function("nothing", (), _ELEMENTS))
        iv = self._pool.induction(depth, INDEX)
        here, inner = (*indices, iv), ()
        if len(here) < len(memory.extents):
            row = self._new(MemoryKind.CELL, f"{cell.name}row", _ELEMENTS)
            inner = tuple(self._folded(memory, row, here, depth + 1))
            last = self._load(row)
        else:
            last = self._pool.load(memory.id, here, memory.element)
        step = self._store(cell, (), self._function("and", (self._load(cell), last), _ELEMENTS))
        yield self._loop(memory, len(indices), depth, (*inner, step))

    def _leaves(self, memory: Memory, place: int, depth: int) -> Statement:
        """A statement that writes what a call leaves in a memory, which was at `place` among those it saw."""
        if not memory.extents:
            return self._store(memory, (), self._of_world(f"contents {place}", memory.element))
        kind = OpaqueType(f"contents of rank {len(memory.extents)}, {memory.element}")
        indices = tuple(self._pool.induction(depth + k, INDEX) for k in range(len(memory.extents)))
        operands = (self._of_world(f"contents {place}", kind), *indices)
        element = self._pool.make(OPAQUE, operands, memory.element, (("name", "memref.load"), ("key", CONTENTS)))
        made = self._store(memory, indices, element)
        for k in reversed(range(len(indices))):
            made = self._loop(memory, k, depth + k, (made,))
        return made

    def _unknown(self, memory: Memory) -> Iterator[Statement]:
        """Statements that initialise the identity of an allocation, which nobody else knows yet."""
        cell = self._identities[memory.id] = self._new(MemoryKind.CELL, f"identity{memory.id}", _IDENTITY)
        yield Alloc(self._number(), cell)
        yield self._store(cell, (), self._function("no one's", (), _IDENTITY))

    def _ends(self, memory: Memory, depth: int) -> Iterator[Statement]:
        """Statements that tell the world the contents of a memory that the program does not access any more."""
        operands = [self._now()]
        yield from self._look(memory, operands, depth)
        yield self._next("the end of an allocation", operands)

    # Parts

    def _next(self, text: str, operands: list[Term], number: int | None = None) -> Store:
        value = self._function(text, tuple(operands), _WORLD)
        return Store(self._number() if number is None else number, self.world, (), value)

    def _now(self) -> Term:
        return self._load(self.world)

    def _of_world(self, text: str, kind: ScalarType) -> Term:
        return self._function(text, (self._now(),), kind)

    def _function(self, text: str, operands: tuple[Term, ...], kind: ScalarType) -> Term:
        attributes: Attributes = (("name", f"a call's {text}"), ("key", self._key))
        return self._pool.make(OPAQUE, operands, kind, attributes)

    def _load(self, memory: Memory) -> Term:
        return self._pool.load(memory.id, (), memory.element)

    def _store(self, memory: Memory, indices: tuple[Term, ...], value: Term) -> Store:
        return Store(self._number(), memory, indices, value)

    def _loop(self, memory: Memory, dimension: int, depth: int, body: Block) -> Loop:
        bounds = (self._pool.integer(0),), (memory.extents[dimension],)
        iv, one = self._pool.induction(depth, INDEX), self._pool.integer(1)
        return Loop(self._number(), iv, *bounds, one, unsigned=False, body=body)

    def _new(self, kind: MemoryKind, name: str, element: ScalarType) -> Memory:
        self._memory += 1
        return Memory(self._memory, kind, name, element, ())

    def _number(self) -> int:
        self._statement += 1
        return self._statement


def _passed(statement: Statement) -> tuple[int, ...]:
    """The memories that a statement passes to an external function, in order."""
    if not isinstance(statement, Call) or statement.known:
        return ()
    return tuple(m.id for m in statement.passed())


def _names(function: Function) -> dict[int, str]:
    """The names that both programs have for the memories that they share."""
    found = {a.memory.id: f"argument {a.number}" for a in function.inputs() if a.memory is not None}
    return found | {c.memory.id: f"constant {c.number}" for c in function.constants}
