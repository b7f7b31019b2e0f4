"""Cutpoints: a function cut at an uncounted while, as three functions: before the loop, one iteration, and after the
loop.

The values that live across a cut, of cells and of loads, are the `State`: results of one part, and further arguments of
the next. Memory of the caller stays what it is. Memory of the function's own that several parts use is new in each
part: the parts stand for the function only if none reads of it what it has not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, FloatType, IndexType, IntType, ScalarType
from hecv.program.block_cloning import replaced
from hecv.program.read_write_sets import number
from hecv.program.term_substitution import rewrite
from hecv.program.tree import (
    Alloc,
    Argument,
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
    roots,
    walk,
)


class State(Struct, frozen=True):
    """A value that lives across a cut: the contents of a cell, or the value of a load. `first` is what a cell holds
    before the loop, where that is plain."""

    cell: Memory | None
    load: Load | None
    first: Term | None = None

    @property
    def type(self) -> ScalarType:
        """The type of the value."""
        memory = self.cell or (self.load and self.load.memory)
        assert memory is not None
        return memory.element


class Cut(Struct, frozen=True):
    """The function at a while of its top level.

    `carried` is the state where an iteration begins, `going` where it goes on behind the condition, `left` where the
    loop has ended. `scratch` is the memory of the function's own that is new in each part.
    """

    pool: TermPool
    function: Function
    before: Block
    loop: While
    after: Block
    carried: tuple[State, ...]
    going: tuple[State, ...]
    left: tuple[State, ...]
    scratch: tuple[Memory, ...]

    def first_part(self, carried: Sequence[State]) -> Function:
        """What is done before the loop; its results are the state in this order."""
        part = _Part(self)
        return part.made((), (*self.before, *part.given_back(carried)))

    def turn(self, carried: Sequence[State], left: Sequence[State]) -> Function:
        """One iteration of the loop. Its results are whether there is another one, the state for that, and the state
        where there is none; those that do not apply are 0."""
        return self._turn(carried, carried, left, self.loop.after)

    def test(self, carried: Sequence[State], going: Sequence[State], left: Sequence[State]) -> Function:
        """An iteration as far as the condition, with the same results."""
        return self._turn(carried, going, left, ())

    def step(self, going: Sequence[State], carried: Sequence[State]) -> Function:
        """The rest of an iteration, behind the condition."""
        part = _Part(self)
        entry, given = part.taken(going)
        return part.made(entry, (*self.loop.after, *part.given_back(carried)), given)

    def _turn(self, carried: Sequence[State], onward: Sequence[State], left: Sequence[State], after: Block) -> Function:
        part = _Part(self)
        entry, given = part.taken(carried)
        condition = self.loop.condition
        more = part.store(part.result(BOOL), condition)
        next_, ended = part.chosen(onward), part.chosen(left)
        branch = If(
            part.fresh(),
            condition,
            (*after, *part.stores(onward, next_)),
            tuple(part.stores(left, ended)),
        )
        body = (*self.loop.before, *part.zeros((*next_, *ended)), branch, more, *part.results((*next_, *ended)))
        return part.made(entry, body, given)

    def last_part(self, left: Sequence[State]) -> Function:
        """What is done after the loop."""
        part = _Part(self)
        entry, given = part.taken(left)
        made = part.made(entry, self.after, given)
        return replace(made, results=self.function.results)


class _Part:
    """Makes one of the parts of a function."""

    def __init__(self, cut: Cut) -> None:
        self._pool = cut.pool
        self._function = cut.function
        whole = (*cut.before, cut.loop, *cut.after)
        self._ids = count(1 + max(s.id for s in walk(whole)))
        own = {s.memory.id for s in walk(whole) if isinstance(s, Alloc)}
        self._memories = count(1 + max({*cut.function.memories(), *own}, default=0))
        self._results: list[Memory] = []
        self._arguments = list(cut.function.arguments)

    def fresh(self) -> int:
        return next(self._ids)

    def result(self, type_: ScalarType) -> Memory:
        """One more result."""
        self._results.append(Memory(next(self._memories), MemoryKind.RESULT, f"state{len(self._results)}", type_, ()))
        return self._results[-1]

    def store(self, memory: Memory, value: Term) -> Store:
        return Store(self.fresh(), memory, (), value)

    def given_back(self, states: Sequence[State]) -> Iterator[Statement]:
        """Stores of the state as further results."""
        return self.stores(states, [self.result(s.type) for s in states])

    def stores(self, states: Iterable[State], results: Iterable[Memory]) -> Iterator[Statement]:
        for state, result in zip(states, results, strict=True):
            load = state.load
            if state.cell is not None:
                load = Load(self.fresh(), state.cell, ())
                yield load
            assert load is not None
            yield self.store(result, self._pool.read(load.id, state.type))

    def chosen(self, states: Sequence[State]) -> list[Memory]:
        """Cells for states of which a branch decides whether they are results."""
        return [Memory(next(self._memories), MemoryKind.CELL, f"next{k}", s.type, ()) for k, s in enumerate(states)]

    def zeros(self, cells: Iterable[Memory]) -> Iterator[Statement]:
        """Stores of what the cells hold if no branch decides otherwise."""
        for cell in cells:
            kind = cell.element
            assert isinstance(kind, FloatType | IntType | IndexType)
            zero = self._pool.real(0.0, kind) if isinstance(kind, FloatType) else self._pool.integer(0, kind)
            yield self.store(cell, zero)

    def results(self, cells: Iterable[Memory]) -> Iterator[Statement]:
        """Stores of the contents of cells as further results."""
        states = [State(cell, None) for cell in cells]
        return self.stores(states, [self.result(s.type) for s in states])

    def taken(self, states: Sequence[State]) -> tuple[Block, dict[Term, Term]]:
        """The state from further arguments: statements, and terms for the values of loads."""
        entry: list[Statement] = []
        given: dict[Term, Term] = {}
        for place, state in enumerate(states):
            position = len(self._arguments)
            term = self._pool.argument(position, state.type)
            self._arguments.append(Argument(position, f"state{place}", state.type, term, None))
            if state.cell is not None:
                entry += [Alloc(self.fresh(), state.cell), self.store(state.cell, term)]
            elif state.load is not None:
                given[self._pool.read(state.load.id, state.type)] = term
        return tuple(entry), given

    def made(self, entry: Block, body: Sequence[Statement], given: dict[Term, Term] | None = None) -> Function:
        """The part, with what stands in it before it is entered."""
        known = given or {}
        block = rewrite(tuple(body), lambda term: replaced(self._pool, term, known)) if known else tuple(body)
        brought = tuple([Alloc(self.fresh(), memory) for memory in _homeless((*entry, *block))])
        entered = (*brought, *entry, *block)
        return replace(
            self._function,
            arguments=tuple(self._arguments),
            results=tuple(self._results),
            body=entered,
        )


def _homeless(block: Block) -> list[Memory]:
    """The memories of a function's own that a block uses and does not allocate."""
    own = {s.memory.id for s in walk(block) if isinstance(s, Alloc)}
    used = {s.memory.id: s.memory for s in walk(block) if isinstance(s, Load | Store)}
    return [m for k, m in used.items() if m.kind in (MemoryKind.CELL, MemoryKind.LOCAL) and k not in own]


def cut(pool: TermPool, function: Function, body: Block) -> Cut | None:
    """The function, whose body without counted loops is `body`, cut at the first while of its top level. None if there
    is none, or if what lives across the cut has no place among arguments and results.

    Requires: no `load` terms (no normal form yet).
    """
    place = next((k for k, s in enumerate(body) if isinstance(s, While)), None)
    if place is None or function.globals or function.returned or function.overlapping:
        return None
    before, loop, after = body[:place], body[place], _without_ends(body[place + 1 :])
    assert isinstance(loop, While)
    function = replace(function, body=(*before, loop, *after))
    if any(isinstance(s, Call | Dealloc) for s in walk(function.body)):
        return None
    scratch = _scratch(before, loop, after)
    if _reads(after) & _loads((loop,)) or (_reads((loop, *after)) & _loads(before)) - _loads(before, nested=False):
        return None
    if any(t.op == "read" for m in scratch for e in m.extents for t in postorder((e,))):
        return None
    onward, ended = _read_before_written(after), _read_before_written(loop.after)
    turn = _read_before_written(loop.before)
    needed = turn.cells | ((ended.cells - turn.born) | onward.cells) - turn.written
    if not needed <= _read_before_written(before).written:
        return None
    memories = {s.memory.id: s.memory for s in walk(function.body) if isinstance(s, Load | Store)}
    loads = [s for s in before if isinstance(s, Load)]
    inner, outer = _reads((loop, *after)), _reads(after)
    carried = [State(memories[k], None, _held(before, k)) for k in sorted(needed)]
    carried += [State(None, s) for s in loads if s.id in inner]
    left = [State(memories[k], None) for k in sorted(onward.cells)] + [State(None, s) for s in loads if s.id in outer]
    going = [State(memories[k], None) for k in sorted(ended.cells | (needed - ended.written))]
    going += [State(None, s) for s in loads if s.id in inner]
    going += [State(None, s) for s in loop.before if isinstance(s, Load) and s.id in _reads(loop.after)]
    if not all(isinstance(s.type, FloatType | IntType | IndexType) for s in (*carried, *going, *left)):
        return None
    return Cut(pool, function, before, loop, after, tuple(carried), tuple(going), tuple(left), scratch)


def _without_ends(block: Block) -> Block:
    """The last block of a function without deallocations of memory that is not used any more, and without stores to
    cells that it does not read."""
    read = {s.memory.id for s in walk(block) if isinstance(s, Load)}
    return tuple(
        [
            s
            for k, s in enumerate(block)
            if not (isinstance(s, Dealloc) and _is_last(s, block[k + 1 :]))
            and not (isinstance(s, Store) and s.memory.kind is MemoryKind.CELL and s.memory.id not in read)
        ]
    )


def _is_last(end: Dealloc, rest: Block) -> bool:
    named = (s for s in walk(rest) if isinstance(s, Load | Store | Alloc | Dealloc))
    return end.memory.kind is MemoryKind.LOCAL and all(s.memory.id != end.memory.id for s in named)


def _scratch(before: Block, loop: While, after: Block) -> tuple[Memory, ...]:
    """The memories of the function's own, except cells, that more than one part uses."""
    found: dict[int, Memory] = {}
    parts = (before, loop.before, loop.after, after)
    for place, part in enumerate(parts):
        later = {s.memory.id for p in parts[place + 1 :] for s in walk(p) if isinstance(s, Load | Store)}
        own = [s.memory for s in walk(part) if isinstance(s, Alloc) and s.memory.kind is not MemoryKind.CELL]
        found |= {m.id: m for m in own if m.id in later}
    return tuple(found.values())


def _loads(block: Block, nested: bool = True) -> set[int]:
    return {s.id for s in (walk(block) if nested else block) if isinstance(s, Load)}


def _reads(block: Block) -> set[int]:
    """The loads whose values a block uses."""
    used = postorder(tuple([r for s in walk(block) for r in roots(s)]))
    return {number(t, "load") for t in used if t.op == "read"}


class _Uses(Struct):
    """The cells that a block may read as they were before it, those written wherever it ends, and those it
    allocates."""

    cells: set[int] = field(default_factory=set[int])
    written: set[int] = field(default_factory=set[int])
    born: set[int] = field(default_factory=set[int])

    def read(self, cells: set[int]) -> None:
        """Notes what is read now."""
        self.cells |= cells - self.written - self.born


def _read_before_written(block: Block) -> _Uses:
    uses = _Uses()
    for statement in block:
        match statement:
            case Load(memory=memory) if memory.kind is MemoryKind.CELL:
                uses.read({memory.id})
            case Store(memory=memory) if memory.kind is MemoryKind.CELL:
                uses.written.add(memory.id)
            case Alloc(memory=memory) if memory.kind is MemoryKind.CELL:
                uses.born.add(memory.id)
            case If():
                then, otherwise = _read_before_written(statement.then), _read_before_written(statement.otherwise)
                uses.read(then.cells | otherwise.cells)
                uses.written |= then.written & otherwise.written
            case Loop():
                uses.read(_read_before_written(statement.body).cells)
            case While():
                first, second = _read_before_written(statement.before), _read_before_written(statement.after)
                uses.read(first.cells | (second.cells - first.written - first.born))
                uses.written |= first.written
            case _:
                pass
    return uses


def _held(before: Block, cell: int) -> Term | None:
    """The last value that a block stores to a cell at its top level."""
    return next((s.value for s in reversed(before) if isinstance(s, Store) and s.memory.id == cell), None)
