"""Array values: a memory with data-dependent subscripts becomes one value.

isl cannot represent the subscript of `A[B[i]]`. A memory with such an access becomes a cell that holds its contents as
a whole. A load is a function of contents and subscripts; a store makes new contents from old contents, subscripts and
value; both are uninterpreted. The accesses keep their order, which is all that is known of them. Dataflow follows the
contents from store to store as it does any scalar, and stays as exact as before for everything else.

- The bounds of an access stand before it as an assertion; so does that the extents of an allocation are not negative.
- Contents are poison where every element is. Both functions are monotone: on contents with less poison they have less.
- A call of a function whose body is known, which is one that may call itself, is a function of its operands and of the
  extents and contents of the memories it can reach: one function for each result, one for each memory that it leaves.
  Where the callee is undefined or does not end, the call is undefined: an operator of its own says so.
- External calls may look at contents bit by bit (`hecv.normal.memory.world_state`): then a store to contents shows
  which NaN it stores.
- Inputs that may overlap are one value `together`, of which each is a view: wherever they lie, a load or store is a
  function of that value, of which input it names, and of the subscripts.
- In a parallel loop any two such stores would race. So no parallel loop has one, except for updates that may come in
  any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import (
    CALL,
    CONTENTS,
    OPAQUE,
    OPAQUE_PARTIAL,
    Attributes,
    Term,
    TermPool,
    literal,
    postorder,
    rebuild,
)
from hecv.base.types import BOOL, OpaqueType, ScalarType
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    Alloc,
    Argument,
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
    Touch,
    memories_in,
    walk,
)

_ONE: Final = OpaqueType("contents of memory that may overlap")

SEEN: Final = "contents that are seen"
"""The `key` of stores to contents that may be looked at bit by bit."""

Name = tuple[str, int | str]
"""A memory that both programs of a pair know: an argument or constant by its number, a global by its symbol."""


def indirect_memories(body: Block) -> frozenset[int]:
    """The memories that a body in normal form accesses at a subscript from memory."""
    return frozenset(m for s in walk(body) for m in _indirect_accesses(s))


def sized_by_memory(body: Block, memories: frozenset[int]) -> int | None:
    """An allocation of one of `memories` whose extents are read from memory, which may have been written since; None if
    there is none."""
    allocations = (s for s in walk(body) if isinstance(s, Alloc) and s.memory.id in memories)
    return next((s.id for s in allocations if _loads(s.memory.extents)), None)


def has_known_calls(body: Block) -> bool:
    """True if a body calls a function whose body is known."""
    return any(isinstance(s, Call) and s.known for s in walk(body))


def reached_by_known_calls(body: Block) -> frozenset[int]:
    """The memories that called functions with a known body can reach."""
    return frozenset(m.id for s in walk(body) if isinstance(s, Call) and s.known for m in s.memories)


def written_in_any_order(body: Block, memories: frozenset[int]) -> bool:
    """True if a parallel loop stores to one of the memories, other than to update it atomically."""
    parallel = ((loop, s) for loop in walk(body) if isinstance(loop, Loop) and loop.parallel for s in walk(loop.body))
    return any(
        (isinstance(s, Store) and s.memory.id in memories - loop.updated) or (isinstance(s, Call) and bool(s.memories))
        for loop, s in parallel
    )


def names(function: Function, memories: frozenset[int]) -> frozenset[Name]:
    """The names of those of some memories that the other program knows too."""
    return frozenset(name for name, number in _named(function).items() if number in memories)


def named(function: Function, wanted: frozenset[Name]) -> frozenset[int]:
    """The memories of a function that have one of the names."""
    return frozenset(number for name, number in _named(function).items() if name in wanted)


def _named(function: Function) -> dict[Name, int]:
    found: dict[Name, int] = {}
    found |= {("argument", a.number): a.memory.id for a in function.arguments if a.memory is not None}
    found |= {("global", a.name): a.memory.id for a in function.globals if a.memory is not None}
    return found | {("constant", c.number): c.memory.id for c in function.constants}


def as_array_values(
    pool: TermPool,
    function: Function,
    body: Block,
    memories: frozenset[int],
    seen: bool = False,
    together: bool = False,
) -> tuple[Function, Block]:
    """The function and its body with some memories as array values.

    `seen`: the contents may be looked at bit by bit. `together`: memories that may overlap are one more global.

    Requires: the normal form of `hecv.normal.passes`.
    """
    known = memories_in(function, body)
    statements = 1 + max((s.id for s in (*walk(function.body), *walk(body))), default=0)
    shared = function.overlapping if together else frozenset[int]()
    own = {k: m for k, m in known.items() if k in memories | shared}
    one = Memory(1 + max(known, default=0), MemoryKind.GLOBAL, "memory that may overlap", _ONE, ())
    views = {number: f" of {kind} {name}" for (kind, name), number in _named(function).items() if number in shared}
    seen = seen or len({m.element for k, m in own.items() if k in shared}) > 1  # floats as integers
    rewriter = _Rewriter(pool, own, seen, one, views, statements, one.id + 1)
    made = rewriter.block(body)
    if together:
        hidden = Argument(len(function.inputs()), one.name, one.element, None, one)
        function = replace(function, globals=(*function.globals, hidden), overlapping=frozenset[int]())
    return replace(
        function,
        arguments=tuple(rewriter.argument(a) for a in function.arguments),
        globals=tuple(rewriter.argument(a) for a in function.globals),
        constants=tuple(replace(c, memory=rewriter.memory(c.memory)) for c in function.constants),
    ), made


def _indirect_accesses(statement: Statement) -> Iterable[int]:
    if isinstance(statement, Store) and _loads(statement.indices):
        yield statement.memory.id
    yield from (_memory(t) for t in _loads(_terms(statement)) if _loads(t.args))


def _terms(statement: Statement) -> tuple[Term, ...]:
    match statement:
        case Store():
            return (*statement.indices, statement.value)
        case Touch():
            return (*statement.accesses, *statement.terms)
        case If() | Assert():
            return (statement.condition, *statement.exact)
        case Loop():
            return (*statement.lowers, *statement.uppers)
        case _:
            return ()


def _loads(terms: tuple[Term, ...]) -> list[Term]:
    return [t for t in postorder(terms) if t.op == "load"]


def _memory(load: Term) -> int:
    return int(str(load.attr("memory")))


class _Rewriter(Struct):
    pool: TermPool
    memories: Mapping[int, Memory]
    seen: bool
    one: Memory
    views: Mapping[int, str]
    next_statement: int
    next_memory: int
    _memo: dict[int, Term] = field(default_factory=dict[int, Term])

    def argument(self, argument: Argument) -> Argument:
        """The argument; its memory may be an array value now. One that is a view of overlapping memory is not accessed
        any more."""
        if argument.memory is None or argument.memory.id in self.views:
            return argument
        return replace(argument, memory=self.memory(argument.memory))

    def memory(self, memory: Memory) -> Memory:
        """The memory, or the cell that holds its contents."""
        if memory.id in self.views:
            return self.one
        if memory.id not in self.memories:
            return memory
        kind = OpaqueType(f"contents of rank {len(memory.extents)}, {memory.element}")
        return Memory(memory.id, memory.kind, memory.name, kind, ())

    def block(self, block: Block) -> Block:
        """The block over array values."""
        return tuple(s for statement in block for s in self._statement(statement))

    def _statement(self, statement: Statement) -> Iterable[Statement]:
        yield from self._demands(statement)
        match statement:
            case Store(memory=memory):
                indices, value = tuple(map(self._term, statement.indices)), self._term(statement.value)
                if memory.id in self.memories:
                    made = self.memory(memory)
                    operands = (self._contents(made), *indices, value)
                    name = f"memref.store{self.views.get(memory.id, '')}"
                    value = self._function(name, made, operands, SEEN if self.seen else CONTENTS)
                    indices = ()
                yield replace(statement, memory=self.memory(memory), indices=indices, value=value)
            case Touch():
                accesses = [self._term(t) for t in statement.accesses]
                plain = tuple(t for t in accesses if t.op == "load")
                rest = tuple(t for t in accesses if t.op != "load")
                yield replace(statement, accesses=plain, terms=(*rest, *map(self._term, statement.terms)))
            case Alloc(memory=memory) | Dealloc(memory=memory):
                yield replace(statement, memory=self.memory(memory))
            case Loop():
                lowers, uppers = (tuple(map(self._term, ts)) for ts in (statement.lowers, statement.uppers))
                yield replace(statement, lowers=lowers, uppers=uppers, body=self.block(statement.body))
            case If():
                condition, exact = self._term(statement.condition), tuple(map(self._term, statement.exact))
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                yield replace(statement, condition=condition, exact=exact, then=then, otherwise=otherwise)
            case Assert():
                condition, exact = self._term(statement.condition), tuple(map(self._term, statement.exact))
                yield replace(statement, condition=condition, exact=exact)
            case Call() if statement.known:
                yield from self._call(statement)
            case Call():
                # Of an allocation passed to it, an external call gets the contents and the extents.
                given = (self.memories.get(m.id) for m in statement.memories[: statement.given])
                extents = (e for m in given if m is not None and m.kind is MemoryKind.LOCAL for e in m.extents)
                yield replace(statement, operands=tuple(map(self._term, (*statement.operands, *extents))))
            case _:
                yield statement

    def _call(self, call: Call) -> Iterable[Statement]:
        """A call as stores of what it makes; what it is given is saved before, since these stores change it."""
        given = tuple(map(self._term, call.operands))
        extents = tuple(self._term(e) for m in call.memories for e in self.memories.get(m.id, m).extents)
        kept: list[Term] = []
        for memory in map(self.memory, call.memories):
            cell = Memory(self.next_memory, MemoryKind.CELL, f"given{self.next_memory}", memory.element, ())
            self.next_memory += 1
            yield Alloc(self._number(), cell)
            yield Store(self._number(), cell, (), self._contents(memory))
            kept.append(self._contents(cell))
        operands = (*given, *extents, *kept)
        yield Touch(call.id, (), (self._made(OPAQUE_PARTIAL, call, operands, BOOL, "end", 0),))
        for number, memory in enumerate(map(self.memory, call.memories)):
            left = self._made(OPAQUE, call, operands, memory.element, "memory", number)
            yield Store(self._number(), memory, (), left)
        for number, cell in enumerate(call.results):
            made = self._made(OPAQUE, call, operands, cell.element, "result", number)
            yield Store(self._number(), cell, (), made)

    def _made(self, op: str, call: Call, operands: tuple[Term, ...], kind: ScalarType, what: str, number: int) -> Term:
        attributes: Attributes = (("name", CALL), ("key", f"@{call.callee} {what} {number}"))
        return self.pool.make(op, operands, kind, attributes)

    def _number(self) -> int:
        self.next_statement += 1
        return self.next_statement - 1

    def _demands(self, statement: Statement) -> Iterable[Assert]:
        """The assertions that the subscripts of a statement's accesses are in bounds; those of an inner access come
        first."""
        found = [(_memory(t), t.args) for t in _loads(_terms(statement))]
        if isinstance(statement, Store):
            found.append((statement.memory.id, statement.indices))
        for number, indices in dict.fromkeys(found):
            if number in self.memories:
                yield from self._within(statement, indices, self.memories[number].extents)
        if isinstance(statement, Alloc) and statement.memory.id in self.memories:
            for extent in statement.memory.extents:
                yield from self._assert(statement, self._at_least(extent, 0), "an extent is negative")

    def _within(self, statement: Statement, indices: tuple[Term, ...], extents: tuple[Term, ...]) -> Iterable[Assert]:
        for index, extent in zip(indices, extents, strict=True):
            own = self._term(index)
            yield from self._assert(statement, self._at_least(own, 0), "out of bounds")
            yield from self._assert(statement, self._compared("slt", own, self._term(extent)), "out of bounds")

    def _assert(self, statement: Statement, condition: Term, text: str) -> Iterable[Assert]:
        if literal(condition) != 1:
            yield Assert(statement.id, condition, text)

    def _at_least(self, value: Term, bound: int) -> Term:
        return self._compared("sge", value, self.pool.integer(bound))

    def _compared(self, predicate: str, left: Term, right: Term) -> Term:
        one, two = literal(left), literal(right)
        if one is not None and two is not None:
            return self.pool.integer(int(one >= two if predicate == "sge" else one < two), BOOL)
        return self.pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))

    def _term(self, term: Term) -> Term:
        return rebuild(self.pool, term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        if term.op == "load" and _memory(term) in self.memories:
            number = _memory(term)
            operands = (self._contents(self.memory(self.memories[number])), *map(self._term, term.args))
            return self._function(f"memref.load{self.views.get(number, '')}", term, operands)
        if term.op == "affine.linear":
            form = quasi_affine.linear(term)
            return quasi_affine.combine(self.pool, form.constant, tuple((self._term(t), c) for t, c in form.terms))
        return None

    def _contents(self, memory: Memory) -> Term:
        return self.pool.load(memory.id, (), memory.element)

    def _function(self, name: str, typed: Memory | Term, operands: tuple[Term, ...], key: str = CONTENTS) -> Term:
        kind = typed.element if isinstance(typed, Memory) else typed.type
        return self.pool.make(OPAQUE, operands, kind, (("name", name), ("key", key)))
