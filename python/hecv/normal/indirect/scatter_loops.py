"""Scatters and histogram updates as loops over all elements, each written under a condition on data.

isl cannot represent the data-dependent subscript of `H[B[i]] = H[B[i]] + v`. The update becomes

    assert 0 <= B[i] < extent
    for d = 0 to extent { H[d] = H[d] + select(d == B[i], v, 0) }

isl can represent every access of it: a sum over `i` at each element. So a histogram may be summed in any order that its
operator allows, from elements that were initialised in any order, and in private copies that are added up. The literal
is the neutral operand (`hecv.normal.memory.reduction_updates`).

A store `O[P[i], j] = v` to a row from memory, or an update without a neutral operand, becomes

    assert 0 <= P[i] < extent
    for d = 0 to extent { O[d, j] = select(d == P[i], v, O[d, j]) }

a chain of selects over `i` at each element: rows may be split, and columns taken in any order. If all subscripts are
from memory nothing is gained, and the memory is an array value.

- Memory that is updated so has no other access at subscripts from memory; otherwise it is an array value
  (`hecv.normal.memory.array_values`).
- No parallel loop stores to it, unless the order does not matter: it would race with elements that it did not access.
- The subscripts do not read the updated memory: the loop would see its own store. What `v` reads of that memory is as
  it was, until the one element is updated; `v` is evaluated after that too, and what it then reads does not make it
  undefined. At subscripts from memory it reads the element that is stored to, and no other.
- Where a subscript is poison or out of bounds, the assertion is undefined, as the access was. Where the assertion holds
  there is an element, so the loop runs, and evaluates `v`, at least once.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.theory import FALSE
from hecv.base.types import BOOL, INDEX
from hecv.normal.memory.array_values import written_in_any_order
from hecv.normal.memory.reduction_updates import operand, where
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Function,
    If,
    Loop,
    Memory,
    Statement,
    Store,
    While,
    memories_in,
    roots,
    walk,
)


def scattered_memories(
    pool: TermPool, function: Function, body: Block, floats: bool, index_width: int = 64
) -> frozenset[int]:
    """The memories that a body in normal form accesses at subscripts from memory only to update them, or to store to
    rows. Float updates count if `floats`: no op shows which NaN a float is.

    None if memory may overlap other memory, or if functions are called, which may see it.
    """
    statements = tuple(walk(body))
    if function.overlapping or any(isinstance(s, Call | While) for s in statements):
        return frozenset()
    shapes, known = Shapes(index_width), memories_in(function, body)
    updated: set[int] = set()
    others: set[int] = set()
    for statement in statements:
        own = _updated(pool, statement, floats, shapes)
        if own is not None and any(map(_is_data, known[own].extents)):
            own = None
        if own is not None:
            updated.add(own)
        others.update(_indirect(statement, own))
    return frozenset(m for m in updated - others if not written_in_any_order(body, frozenset((m,))))


def scatters_as_loops(pool: TermPool, function: Function, body: Block, memories: frozenset[int], floats: bool) -> Block:
    """Turns updates of some `memories` into loops over all elements.

    Requires: `memories` are among the `scattered_memories` with the same `floats`.
    Ensures: the same final memory, undefined on the same inputs.
    """
    if not memories:
        return body
    first = 1 + max((s.id for s in (*walk(function.body), *walk(body))), default=0)
    return ScatterExpander(pool, memories, memories_in(function, body), floats, first).block(body, 0)


def _updated(pool: TermPool, statement: Statement, floats: bool, shapes: Shapes) -> int | None:
    """The memory that a statement updates at a subscript from memory; None if it is no such update."""
    if not isinstance(statement, Store) or not any(map(_is_data, statement.indices)):
        return None
    memory, given = statement.memory, operand(pool, statement, floats)
    if given is None and _is_row(pool, statement):
        given = statement.value
    if given is None:
        return None
    return None if memory.id in _read(statement.indices) or _decides(memory.id, given, shapes) else memory.id


def _is_row(pool: TermPool, store: Store) -> bool:
    """True if a store is to an element of a row from memory, and reads no other element of that memory at such
    subscripts."""
    if all(_is_data(index) or literal(index) is not None for index in store.indices):
        return False
    old, number = _element(pool, store, store.indices), store.memory.id
    loads = (t for t in postorder((store.value,)) if t.op == "load" and _memory(t) == number)
    return all(t is old or not any(map(_is_data, t.args)) for t in loads)


def _decides(memory: int, term: Term, shapes: Shapes) -> bool:
    """True if what a term reads of a memory may make it undefined: by an operator, or by a subscript."""
    for node in postorder((term,)):
        partial = node.op == "load" or shapes.of(node, (False,) * len(node.args)).ub is not FALSE
        if partial and memory in _read(node.args):
            return True
    return False


def _indirect(statement: Statement, updated: int | None) -> Iterator[int]:
    """The memories that a statement accesses at a subscript from memory, without the element that it updates."""
    if updated is None and isinstance(statement, Store) and any(map(_is_data, statement.indices)):
        yield statement.memory.id
    exact = statement.exact if isinstance(statement, If | Assert) else ()
    for load in (t for t in postorder((*roots(statement), *exact)) if t.op == "load"):
        if _memory(load) != updated and any(map(_is_data, load.args)):
            yield _memory(load)
    if isinstance(statement, Alloc):
        yield from (_memory(t) for t in postorder(statement.memory.extents) if t.op == "load")


def _is_data(term: Term) -> bool:
    """True if a term reads memory."""
    return any(t.op == "load" for t in postorder((term,)))


def _element(pool: TermPool, store: Store, indices: tuple[Term, ...]) -> Term:
    """A load of the memory of a store, at some subscripts."""
    return pool.load(store.memory.id, indices, store.memory.element)


def _read(terms: tuple[Term, ...]) -> set[int]:
    return {_memory(t) for t in postorder(terms) if t.op == "load"}


def _memory(load: Term) -> int:
    return int(str(load.attr("memory")))


class ScatterExpander(Struct):
    """Expands the updates of one function."""

    pool: TermPool
    memories: frozenset[int]
    known: dict[int, Memory]
    floats: bool
    next_statement: int

    def block(self, block: Block, depth: int) -> Block:
        """The block, which `depth` loops enclose."""
        return tuple(s for statement in block for s in self._statement(statement, depth))

    def _statement(self, statement: Statement, depth: int) -> Iterator[Statement]:
        match statement:
            case Store() if statement.memory.id in self.memories and any(map(_is_data, statement.indices)):
                yield from self._spread(statement, depth)
            case Loop():
                yield replace(statement, body=self.block(statement.body, depth + 1))
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                yield replace(statement, then=then, otherwise=otherwise)
            case _:
                yield statement

    def _spread(self, store: Store, depth: int) -> Iterator[Statement]:
        """An update as assertions about its subscripts, and a loop over the elements."""
        memory, given = self.known[store.memory.id], operand(self.pool, store, self.floats)
        conditions: list[Term] = []
        loops: list[tuple[Term, Term]] = []
        indices: list[Term] = []
        for index, extent in zip(store.indices, memory.extents, strict=True):
            if not _is_data(index):
                indices.append(index)
                continue
            yield from self.demands(store, index, extent)
            place = self.pool.induction(depth + len(loops), INDEX)
            loops.append((place, extent))
            indices.append(place)
            conditions.append(self._compared("eq", place, index))
        moved, condition = self._at(store, tuple(indices)), self._all(conditions)
        if given is None:
            args = condition, moved.value, _element(self.pool, moved, moved.indices)
            value = self.pool.make("arith.select", args, moved.value.type)
        else:
            value = where(self.pool, moved, condition, given)
        yield self._nested(loops, replace(moved, value=value))

    def demands(self, store: Store, index: Term, extent: Term) -> Iterator[Assert]:
        """The assertions that a subscript of an update is in bounds."""
        yield Assert(store.id, self._compared("sge", index, self.pool.integer(0)), "out of bounds")
        yield Assert(store.id, self._compared("slt", index, extent), "out of bounds")

    def _at(self, store: Store, indices: tuple[Term, ...]) -> Store:
        """The update at other subscripts."""
        before, after = (_element(self.pool, store, at) for at in (store.indices, indices))
        value = rebuild(self.pool, store.value, lambda t: after if t is before else None, {})
        return replace(store, id=self._number(), indices=indices, value=value)

    def _nested(self, loops: list[tuple[Term, Term]], innermost: Statement) -> Statement:
        for place, extent in reversed(loops):
            zero, one = self.pool.integer(0), self.pool.integer(1)
            innermost = Loop(self._number(), place, (zero,), (extent,), one, False, (innermost,))
        return innermost

    def _all(self, conditions: list[Term]) -> Term:
        found = conditions[0]
        for other in conditions[1:]:
            found = self.pool.make("arith.andi", (found, other), BOOL)
        return found

    def _compared(self, predicate: str, left: Term, right: Term) -> Term:
        return self.pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))

    def _number(self) -> int:
        self.next_statement += 1
        return self.next_statement - 1
