"""Gathers and scatters as loops over all elements.

isl cannot represent the data-dependent subscript of `A[B[i]]`. A load becomes

    assert 0 <= B[i] < extent
    for d = 0 to extent { found = select(d == B[i], A[d], found) }

and a store of `v`, unless it is an update, which stays (`hecv.normal.indirect.scatter_loops`),

    assert 0 <= B[i] < extent
    kept = v
    for d = 0 to extent { A[d] = select(d == B[i], kept, A[d]) }

isl can represent every access of these. Each element is then followed on its own, so other stores to the memory may
come in any order, from loops that are tiled, fused or reversed. As array values (`hecv.normal.memory.array_values`) all
accesses keep their order; these are tried first, since they make no loops.

- The cell of a gather holds any value before the loop: where the assertion holds, one element is selected.
- An element that is not selected may be poison, or never have been written: nothing depends on it.
- No parallel loop that stores to the memory has such an access: it would race with elements that it did not access.
- The stored value, and subscripts that read the memory, are saved before the loop.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, INDEX, FloatType, IndexType, IntType, ScalarType
from hecv.normal.memory.array_values import indirect_memories
from hecv.normal.memory.reduction_updates import operand
from hecv.program.index import quasi_affine
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
    Touch,
    While,
    memories_in,
    walk,
)


def stored(body: Block) -> frozenset[int]:
    """The memories that a body stores to."""
    return frozenset(s.memory.id for s in walk(body) if isinstance(s, Store))


def allocates(body: Block, memories: frozenset[int]) -> bool:
    """True if a body allocates one of some memories."""
    return any(isinstance(s, Alloc) and s.memory.id in memories for s in walk(body))


def gathered_memories(pool: TermPool, function: Function, body: Block, floats: bool) -> frozenset[int]:
    """The memories that a body in normal form accesses at subscripts read from memory, and whose elements may be
    followed one by one.

    None if memory may overlap other memory, or if functions are called, which may see it.
    """
    statements = tuple(walk(body))
    if function.overlapping or any(isinstance(s, Call | While) for s in statements):
        return frozenset()
    known = memories_in(function, body)
    excluded = {m for s in statements if isinstance(s, Alloc) for m in _read(s.memory.extents)}
    for loop in statements:
        if isinstance(loop, Loop) and loop.parallel:
            excluded |= _racing(pool, loop, floats)
    return frozenset(
        m
        for m in indirect_memories(body) - excluded
        if _has_values(known[m].element) and not any(map(_is_data, known[m].extents))
    )


def _racing(pool: TermPool, loop: Loop, floats: bool) -> set[int]:
    """The memories that a parallel loop stores to, and accesses at subscripts from memory other than to update them."""
    stores = [s for s in walk(loop.body) if isinstance(s, Store)]
    plain = {s.memory.id for s in stores if s.memory.id not in loop.updated or _old(pool, s, floats) is None}
    return plain & indirect_memories(loop.body)


def _old(pool: TermPool, store: Store, floats: bool) -> Term | None:
    """The old element of a store that is an update at subscripts from memory: that stays as it is, for
    `hecv.normal.indirect.scatter_loops`. None if the store is no update."""
    if not any(map(_is_data, store.indices)) or operand(pool, store, floats) is None:
        return None
    return pool.load(store.memory.id, store.indices, store.memory.element)


def _has_values(kind: ScalarType) -> bool:
    """True if an element type has literals."""
    return isinstance(kind, IntType | IndexType) or (isinstance(kind, FloatType) and not kind.small)


def gathers_as_loops(pool: TermPool, function: Function, body: Block, memories: frozenset[int], floats: bool) -> Block:
    """Turns indirect accesses of some `memories` into loops over all elements.

    Requires: `memories` are among the `gathered_memories`; `floats`: no op shows which NaN a float is.
    Ensures: the same final memory, undefined on the same inputs.
    """
    if not memories:
        return body
    everything = (*walk(function.body), *walk(body))
    known = memories_in(function, body)
    first = 1 + max((s.id for s in everything), default=0)
    last = max(known, default=0)
    return GatherExpander(pool, memories, known, floats, first, last).block(body, 0)


class Places(Struct, frozen=True):
    """All elements that an access may be to: subscripts over variables of `loops`, each from 0 to an extent, and the
    `condition` that it is this one."""

    indices: tuple[Term, ...]
    loops: tuple[tuple[Term, Term], ...]
    condition: Term


class GatherExpander(Struct):
    """Expands the gathers and scatters of one function."""

    pool: TermPool
    memories: frozenset[int]
    known: dict[int, Memory]
    floats: bool
    next_statement: int
    next_memory: int

    def block(self, block: Block, depth: int) -> Block:
        """The block, which `depth` loops enclose."""
        return tuple(s for statement in block for s in self._statement(statement, depth))

    def _statement(self, statement: Statement, depth: int) -> Iterator[Statement]:
        kept = _old(self.pool, statement, self.floats) if isinstance(statement, Store) else None
        term = _Terms(self, statement, depth, kept)
        match statement:
            case Store():
                indices, value = tuple(map(term, statement.indices)), term(statement.value)
                made = replace(statement, indices=indices, value=value)
                yield from term.before
                scatters = made.memory.id in self.memories and kept is None and any(map(_is_data, indices))
                yield from self._scattered(made, depth) if scatters else (made,)
            case Touch():
                accesses, terms = tuple(map(term, statement.accesses)), tuple(map(term, statement.terms))
                yield from term.before
                yield replace(statement, accesses=accesses, terms=terms)
            case Loop():
                lowers, uppers = tuple(map(term, statement.lowers)), tuple(map(term, statement.uppers))
                yield from term.before
                yield replace(statement, lowers=lowers, uppers=uppers, body=self.block(statement.body, depth + 1))
            case If():
                condition, exact = term(statement.condition), tuple(map(term, statement.exact))
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                yield from term.before
                yield replace(statement, condition=condition, exact=exact, then=then, otherwise=otherwise)
            case Assert():
                condition, exact = term(statement.condition), tuple(map(term, statement.exact))
                yield from term.before
                yield replace(statement, condition=condition, exact=exact)
            case _:
                yield statement

    def gathered(self, statement: Statement, memory: Memory, indices: tuple[Term, ...], depth: int) -> Loaded:
        """A load at subscripts from memory, and the statements for it before the statement that holds it."""
        pool, cell = self.pool, self._cell("gathered", memory.element)
        found = pool.load(cell.id, (), cell.element)
        places = self._places(indices, memory, depth)
        chosen = pool.load(memory.id, places.indices, memory.element)
        value = pool.make("arith.select", (places.condition, chosen, found), memory.element)
        return Loaded(
            found,
            (
                *self.demands(statement, indices, memory),
                Alloc(self._number(), cell),
                Store(self._number(), cell, (), _anything(pool, memory.element)),
                self._nested(places, Store(self._number(), cell, (), value)),
            ),
        )

    def _places(self, indices: tuple[Term, ...], memory: Memory, depth: int) -> Places:
        """The elements that an access at subscripts from memory may be to."""
        conditions: list[Term] = []
        loops: list[tuple[Term, Term]] = []
        found: list[Term] = []
        for index, extent in zip(indices, memory.extents, strict=True):
            if not _is_data(index):
                found.append(index)
                continue
            place = self.pool.induction(depth + len(loops), INDEX)
            loops.append((place, extent))
            found.append(place)
            conditions.append(self._compared("eq", place, index))
        condition = conditions[0]
        for other in conditions[1:]:
            condition = self.pool.make("arith.andi", (condition, other), BOOL)
        return Places(tuple(found), tuple(loops), condition)

    def demands(self, statement: Statement, indices: tuple[Term, ...], memory: Memory) -> Iterator[Assert]:
        """The assertions that the subscripts read from memory are in bounds."""
        for index, extent in zip(indices, memory.extents, strict=True):
            if _is_data(index):
                yield Assert(statement.id, self._compared("sge", index, self.pool.integer(0)), "out of bounds")
                yield Assert(statement.id, self._compared("slt", index, extent), "out of bounds")

    def _nested(self, places: Places, innermost: Statement) -> Statement:
        for place, extent in reversed(places.loops):
            zero, one = self.pool.integer(0), self.pool.integer(1)
            innermost = Loop(self._number(), place, (zero,), (extent,), one, False, (innermost,))
        return innermost

    def _compared(self, predicate: str, left: Term, right: Term) -> Term:
        return self.pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))

    def _number(self) -> int:
        self.next_statement += 1
        return self.next_statement - 1

    def _scattered(self, store: Store, depth: int) -> Iterator[Statement]:
        """A store at subscripts from memory."""
        pool, memory = self.pool, self.known[store.memory.id]
        yield from self.demands(store, store.indices, memory)
        indices: list[Term] = []
        for index in store.indices:
            reads = memory.id in _read((index,))
            indices.append((yield from self._kept(index)) if reads else index)
        value = yield from self._kept(store.value)
        places = self._places(tuple(indices), memory, depth)
        old = pool.load(memory.id, places.indices, memory.element)
        chosen = pool.make("arith.select", (places.condition, value, old), memory.element)
        yield self._nested(places, replace(store, id=self._number(), indices=places.indices, value=chosen))

    def _kept(self, value: Term) -> Generator[Statement, None, Term]:
        """The value as it is here, saved in a cell."""
        cell = self._cell("kept", value.type)
        yield Alloc(self._number(), cell)
        yield Store(self._number(), cell, (), value)
        return self.pool.load(cell.id, (), cell.element)

    def _cell(self, name: str, kind: ScalarType) -> Memory:
        self.next_memory += 1
        number = self.next_memory
        cell = self.known[number] = Memory(number, MemoryKind.CELL, f"{name}{number}", kind, ())
        return cell


class Loaded(Struct, frozen=True):
    """The value of a load, and the statements that look for it."""

    value: Term
    before: tuple[Statement, ...]


class _Terms:
    """Rewrites the terms of one statement: the loads at subscripts from memory are gathered `before` it, except
    `kept`."""

    def __init__(self, gathering: GatherExpander, statement: Statement, depth: int, kept: Term | None) -> None:
        self._gathering = gathering
        self._statement = statement
        self._depth = depth
        self._kept = kept
        self._memo: dict[int, Term] = {}
        self.before: list[Statement] = []

    def __call__(self, root: Term) -> Term:
        for node in postorder((root,)):
            if node.id not in self._memo:
                self._memo[node.id] = self._made(node, tuple([self._memo[a.id] for a in node.args]))
        return self._memo[root.id]

    def _made(self, node: Term, args: tuple[Term, ...]) -> Term:
        gathering = self._gathering
        loads = node.op == "load" and _memory(node) in gathering.memories and any(map(_is_data, node.args))
        if not loads or node is self._kept:
            return quasi_affine.remade(gathering.pool, node, args)
        found = gathering.gathered(self._statement, gathering.known[_memory(node)], args, self._depth)
        self.before += found.before
        return found.value


def _is_data(term: Term) -> bool:
    """True if a term reads memory."""
    return any(t.op == "load" for t in postorder((term,)))


def _read(terms: tuple[Term, ...]) -> set[int]:
    return {_memory(t) for t in postorder(terms) if t.op == "load"}


def _memory(load: Term) -> int:
    return int(str(load.attr("memory")))


def _anything(pool: TermPool, kind: ScalarType) -> Term:
    return pool.real(0.0, kind) if isinstance(kind, FloatType) else pool.integer(0, kind)
