"""Stores of what is there already are removed, and with them the branch that avoids them.

    if p != k {                      %u = load A[k]          with  %u = load A[k], %v = load A[p]  before both
      store %v, A[k]           =>    store %v, A[k]
      store %u, A[p]                 store %u, A[p]
    }

Where `p = k`, both loads read one element, so each store writes what the element holds: a swap of a place with itself.
So the stores may run where the condition fails, too. What is accessed or evaluated there must be defined: the element
was accessed before, or its subscripts are in bounds by the loops around it. Without that the unconditional program is
undefined on more inputs (`exact` is false): then a target may be taken for it, but no source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.program.block_cloning import replaced
from hecv.program.read_write_sets import Reads
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Dealloc,
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

MOST_ROUNDS: Final = 4
"""Equal elements may have equal subscripts, which makes other elements equal: so often this is followed."""

Indices = tuple[Term, ...]
Element = tuple[int, Indices]
"""A memory and subscripts."""
Ranges = Mapping[Term, tuple[tuple[Term, ...], tuple[Term, ...]]]
"""The bounds of the variables of enclosing loops."""


class _Known(Struct):
    """What is known at a place: what the elements of each memory hold, which were accessed, and terms with a simpler
    equal."""

    held: dict[int, dict[Indices, Term]]
    seen: dict[int, set[Indices]]
    equal: dict[Term, Term]

    def copy(self) -> _Known:
        held = {memory: dict(elements) for memory, elements in self.held.items()}
        return _Known(held, {memory: set(indices) for memory, indices in self.seen.items()}, dict(self.equal))

    def value(self, element: Element) -> Term | None:
        """What an element holds, if that is known."""
        return self.held.get(element[0], {}).get(element[1])

    def hold(self, element: Element, value: Term) -> None:
        """Notes what an element holds."""
        self.held.setdefault(element[0], {})[element[1]] = value

    def was_accessed(self, element: Element) -> bool:
        """Whether an element was accessed before, and may be again."""
        return element[1] in self.seen.get(element[0], ())


def without_idle_branches(pool: TermPool, function: Function, exact: bool = True) -> Function:
    """The function without stores of what is there, and without branches that avoid nothing else.

    Requires: the tree as read. Ensures: with `exact` it does the same on every input; else it does, or is undefined.
    """
    if any(isinstance(s, Call) for s in walk(function.body)):
        return function
    body = _Remover(pool, function, exact).block(function.body, _Known({}, {}, {}), {})
    return function if body == function.body else replace(function, body=body)


class _Remover:
    def __init__(self, pool: TermPool, function: Function, exact: bool) -> None:
        self._pool = pool
        self._overlapping = function.overlapping
        self._freed = {s.memory.id for s in walk(function.body) if isinstance(s, Dealloc)}
        self._exact = exact
        self._reads = Reads()

    def block(self, block: Block, known: _Known, ranges: Ranges) -> Block:
        """The block, which is entered knowing that; `known` is then what is known after it."""
        out: list[Statement] = []
        for statement in block:
            branch = self._unconditional(statement, known, ranges)
            for one in (statement,) if branch is None else branch:
                out += self._statement(one, known, ranges)
        return tuple(out)

    def _statement(self, statement: Statement, known: _Known, ranges: Ranges) -> Block:
        match statement:
            case Load():
                self._load(statement, known)
            case Store():
                element, value = self._element(statement, known), self._of(known, statement.value)
                silent = known.was_accessed(element) and known.value(element) is value
                if silent and statement.memory.kind is not MemoryKind.CELL and not statement.guarded:
                    return ()
                self._forget(known, {statement.memory.id})
                known.hold(element, value)
                self._see(element, known)
            case Alloc(memory=memory) | Dealloc(memory=memory):
                self._forget(known, {memory.id})
                known.seen.pop(memory.id, None)
            case Loop():
                return (self._loop(statement, known, ranges),)
            case If():
                ways = known.copy(), known.copy()
                then = self.block(statement.then, ways[0], ranges)
                otherwise = self.block(statement.otherwise, ways[1], ranges)
                self._forget(known, _written(statement))
                return (replace(statement, then=then, otherwise=otherwise),)
            case While():
                self._forget(known, _written(statement))
                before, after = (self.block(b, known.copy(), ranges) for b in (statement.before, statement.after))
                return (replace(statement, before=before, after=after),)
            case _:
                pass
        return (statement,)

    def _loop(self, loop: Loop, known: _Known, ranges: Ranges) -> Loop:
        """The loop; each of its iterations may follow any other."""
        self._forget(known, _written(loop))
        if loop.parallel:
            return loop
        body = self.block(loop.body, known.copy(), {**ranges, loop.iv: (loop.lowers, loop.uppers)})
        return replace(loop, body=body)

    def _load(self, load: Load, known: _Known) -> None:
        element, value = self._element(load, known), self._pool.read(load.id, load.memory.element)
        held = known.value(element)
        if held is not None:
            known.equal[value] = held
        else:
            known.hold(element, value)
        self._see(element, known)

    def _see(self, element: Element, known: _Known) -> None:
        """Notes that an element was accessed, and may be again: memory that is freed somewhere may be no more."""
        if element[0] not in self._freed:
            known.seen.setdefault(element[0], set()).add(element[1])

    def _element(self, access: Load | Store, known: _Known) -> Element:
        return access.memory.id, self._all(known, access.indices)

    def _all(self, known: _Known, indices: Indices) -> Indices:
        return tuple([self._of(known, i) for i in indices])

    def _of(self, known: _Known, term: Term) -> Term:
        return replaced(self._pool, term, known.equal)

    def _forget(self, known: _Known, written: set[int]) -> None:
        """Forgets what memories hold, and those that may overlap them."""
        if written & self._overlapping:
            written = written | self._overlapping
        for memory in written:
            known.held.pop(memory, None)

    # Branches that avoid nothing

    def _unconditional(self, statement: Statement, known: _Known, ranges: Ranges) -> Block | None:
        """What stands in a branch that may be taken always; None if the statement is no such branch."""
        if not isinstance(statement, If) or statement.exact or bool(statement.then) == bool(statement.otherwise):
            return None
        block, equal = statement.then or statement.otherwise, _compared(statement.condition, bool(statement.then))
        if equal is None or not all(map(self._reads.is_total, equal)):
            return None
        if not self._is_idle(block, self._where(known, *equal), ranges, set()):
            return None
        demanded = {_root(i) for s in block if isinstance(s, Load | Store) for i in s.indices}
        # Where the condition is poison the branch is undefined, and so is an access at one of its operands.
        shown = all(_is_proper(t) or t in demanded for t in map(_root, equal))
        return block if shown else (replace(statement, then=(), otherwise=()), *block)

    def _where(self, known: _Known, one: Term, other: Term) -> _Known:
        """What is known where two terms are equal."""
        if literal(one) is not None or one.op in ("iv", "arg"):
            one, other = other, one
        here = known.copy()
        here.equal[self._of(here, one)] = self._of(here, other)
        for _ in range(MOST_ROUNDS):
            before = dict(here.equal)
            here.equal = {k: replaced(self._pool, v, here.equal) for k, v in here.equal.items()}
            for memory, elements in here.held.items():
                held: dict[Indices, Term] = {}
                for before_indices, before_value in elements.items():
                    indices, value = self._all(here, before_indices), self._of(here, before_value)
                    if indices in held and held[indices] is not value and value.op == "read":
                        here.equal[value] = held[indices]
                    held.setdefault(indices, value)
                here.held[memory] = held
            here.seen = {m: {self._all(here, i) for i in found} for m, found in here.seen.items()}
            if here.equal == before:
                break
        return here

    def _is_idle(self, block: Block, known: _Known, ranges: Ranges, own: set[int]) -> bool:
        """Whether a block changes nothing outside it, and, if it has to be, is defined; `own` are its memories."""
        for statement in block:
            match statement:
                case Load(memory=memory):
                    if not self._is_defined(memory, self._element(statement, known), known, ranges, own):
                        return False
                    self._load(statement, known)
                case Store(memory=memory):
                    element, value = self._element(statement, known), self._of(known, statement.value)
                    if memory.id in own:
                        self._forget(known, {memory.id})
                        known.hold(element, value)
                        continue
                    if known.value(element) is not value or statement.guarded:
                        return False
                    if not self._is_defined(memory, element, known, ranges, own):
                        return False
                case Alloc(memory=memory) if memory.kind is MemoryKind.CELL:
                    own.add(memory.id)
                case Loop(parallel=False):
                    terms = (*statement.lowers, *statement.uppers)
                    if literal(statement.step) != 1 or not all(map(self._reads.is_total, terms)):
                        return False
                    self._forget(known, _written(statement) & own)
                    inner = {**ranges, statement.iv: (statement.lowers, statement.uppers)}
                    if not self._is_idle(statement.body, known.copy(), inner, own):
                        return False
                case If() if self._reads.is_total(statement.condition) and not self._exact:
                    ways = (statement.then, statement.otherwise)
                    if not all(self._is_idle(way, known.copy(), ranges, own) for way in ways):
                        return False
                    self._forget(known, _written(statement) & own)
                case _:
                    return False
        return True

    def _is_defined(self, memory: Memory, element: Element, known: _Known, ranges: Ranges, own: set[int]) -> bool:
        """Whether an access is in bounds, or need not be."""
        if not self._exact or memory.id in own or known.was_accessed(element) or memory.kind is MemoryKind.CELL:
            return True
        if memory.id in self._freed:
            return False
        return all(_within(i, extent, ranges) for i, extent in zip(element[1], memory.extents, strict=True))


def _within(index: Term, extent: Term, ranges: Ranges) -> bool:
    """Whether a subscript is in bounds by the bounds of the loop that counts it."""
    size, value = literal(extent), literal(index)
    if isinstance(value, int) and isinstance(size, int):
        return 0 <= value < size
    if index not in ranges:
        return False
    lowers, uppers = ranges[index]
    starts, ends = map(literal, lowers), [(t, literal(t)) for t in uppers]
    above = any(isinstance(start, int) and start >= 0 for start in starts)
    return above and any(
        end is extent or (isinstance(number, int) and isinstance(size, int) and number <= size) for end, number in ends
    )


def _compared(condition: Term, then: bool) -> tuple[Term, Term] | None:
    """The terms that are equal where a branch is not taken: where the condition fails, or holds if `then` is false."""
    flipped = condition.op == "arith.xori" and literal(condition.args[1]) == 1
    comparison = condition.args[0] if flipped else condition
    if comparison.op != "arith.cmpi":
        return None
    wanted = "ne" if then != flipped else "eq"
    return (comparison.args[0], comparison.args[1]) if comparison.attr("predicate") == wanted else None


def _root(term: Term) -> Term:
    """What a cast is of."""
    while term.op in ("arith.index_cast", "arith.index_castui"):
        (term,) = term.args
    return term


def _is_proper(term: Term) -> bool:
    return all(t.op in ("iv", "arg", "const", "dim") or t.op.startswith("arith.index_cast") for t in postorder((term,)))


def _written(statement: Statement) -> set[int]:
    """The memories that a statement writes, allocates or frees."""
    return {s.memory.id for s in walk((statement,)) if isinstance(s, Store | Alloc | Dealloc)}
