"""Memrefs carried by loops or passed to blocks along several edges.

If a loop only permutes them (two buffers that swap in each iteration), the iteration number says what each one is:
`hecv.mlir.aliasing.selected_memrefs`, by its remainder. Any other memref is one of finitely many, and a selector, an
ordinary carried value, says which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, INDEX, ScalarType
from hecv.mlir.aliasing.loop_carried_views import Moving, Probe
from hecv.mlir.aliasing.memref_origins import Inside, sources
from hecv.mlir.aliasing.selected_memrefs import choose, is_never_poison, leaves, substituted, terms_of, zero
from hecv.mlir.read.function_reader import Reader
from hecv.mlir.read.memref_views import Choice, Memref, Terms, View, compare
from hecv.mlir.values.carried_cells import open_cells
from hecv.program.index import quasi_affine
from hecv.program.tree import Memory, MemoryKind

LONGEST_CYCLE: Final = 16
"""Length of a cycle of memrefs, at most, for the iteration number to tell them apart; longer ones use a selector."""

MOST_MEMREFS: Final = 64
"""Candidates for one memref, at most: each is a branch of every access."""


class Moves(Struct, frozen=True):
    """How a loop permutes the memrefs that it carries: at the end of an iteration each becomes the one at that
    position, or a value from outside the loop."""

    sources: tuple[int | ir.Value, ...]

    def values(self) -> tuple[ir.Value, ...]:
        """The values from outside the loop."""
        return tuple(dict.fromkeys(s for s in self.sources if not isinstance(s, int)))


def moves(arguments: Sequence[ir.Value], yielded: Sequence[ir.Value], is_inside: Inside) -> Moves | None:
    """How `arguments` become what is `yielded`; None if they are not only permuted."""
    places = {a: k for k, a in enumerate(arguments)}
    found: list[int | ir.Value] = []
    for value in yielded:
        while value not in places and is_inside(value):
            possible = {v for v in sources(value) if v != value}
            if len(possible) != 1:
                return None
            value = possible.pop()
        found.append(places.get(value, value))
    return Moves(tuple(found))


class Rotation:
    """The memrefs in iteration `t` of a loop that only permutes them."""

    def __init__(self, reader: Reader, op: ir.Operation, first: Sequence[Memref], how: Moves) -> None:
        self._reader = reader
        others = how.values()
        self.memrefs = [*first, *(reader.memref(op, v) for v in others)]
        sources = [s if isinstance(s, int) else len(first) + others.index(s) for s in how.sources]
        states = [tuple(range(len(first)))]
        start = None
        while start is None and len(states) <= LONGEST_CYCLE:
            state = tuple(s if s >= len(first) else states[-1][s] for s in sources)
            start = states.index(state) if state in states else None
            states.append(state)
        self.is_short = start is not None
        self._start = start or 0
        self._states = states[:-1]

    def at(self, t: Term) -> list[Memref]:
        """The memrefs in iteration `t`; after the loop, `t` is the trip count."""
        return [self._at(t, [state[k] for state in self._states], self._start) for k in range(len(self._states[0]))]

    def _at(self, t: Term, names: list[int], start: int) -> Memref:
        """The memref `names[t]`, where the names from `start` on repeat."""
        while start and names[start - 1] == names[-1]:
            names, start = names[:-1], start - 1
        names = names[: start + _period(names[start:])]
        pool, period = self._reader.pool, len(names) - start
        phase = quasi_affine.modulo(pool, quasi_affine.subtract(pool, t, pool.integer(start)), pool.integer(period))
        found = self.memrefs[names[-1]]
        for k in reversed(range(len(names) - 1)):
            index, value = (t, k) if k < start else (phase, k - start)
            is_now = compare(pool, "eq", index, pool.integer(value))
            found = choose(self._reader, is_now, self.memrefs[names[k]], found, forked=True)
        return found


def _period(names: list[int]) -> int:
    """The length of the shortest list that `names` repeats."""
    return next(n for n in range(1, len(names) + 1) if len(names) % n == 0 and names == names[:n] * (len(names) // n))


class Selectors:
    """Memrefs identified by selectors: each cell holds the number of one of `memrefs`. The parameters of a view that
    moves are in cells of their own."""

    def __init__(self, reader: Reader, cells: Sequence[Memory], cell: Callable[[ScalarType], Memory]) -> None:
        """`cell` makes a cell with the lifetime of `cells`."""
        self.cells = cells
        self._reader = reader
        self._cell = cell
        self.memrefs: list[Moving] = []
        self._ways: list[list[int]] = [[] for _ in cells]
        self._values: dict[tuple[int, int], list[Memory]] = {}
        self._loaded: list[tuple[Choice, Coded]] = []
        self._is_complete = False

    def note(self, values: Sequence[Sequence[ir.Value]], is_inside: Inside) -> None:
        """Collects the candidates of each memref, from the values that a loop carries in its place.

        Views that move come first: they may be all that the others can be.
        """
        probe = Probe(self._reader, is_inside)
        shapes = [list(probe.shapes(own)) for own in values]
        for place, found in enumerate(shapes):
            for moving in sorted(found, key=lambda m: not m.parameters):
                self._add(place, moving)

    def _add(self, place: int, moving: Moving) -> None:
        if self._number(place, moving.view) is not None:
            return
        if moving not in self.memrefs:
            self.memrefs.append(moving)
        number = self.memrefs.index(moving)
        self._ways[place].append(number)
        if moving.parameters:
            self._values[place, number] = [self._cell(p.type) for p in moving.parameters]

    def _number(self, place: int, view: View) -> tuple[int, Terms] | None:
        """The number of a view among the candidates, and its parameters."""
        pool = self._reader.pool
        found = ((k, self.memrefs[k].values(pool, view)) for k in self._ways[place])
        return next(((k, values) for k, values in found if values is not None), None)

    def store(self, op: ir.Operation, memrefs: Sequence[Memref]) -> None:
        """Emits stores that make the memrefs these.

        Raises: Unsupported for a candidate that was not collected before the first use.
        """
        for place, memref in enumerate(memrefs) if not self._is_complete else ():
            for view in leaves(memref):
                self._add(place, Moving(view))
        found = [self._coded(op, place, m) for place, m in enumerate(memrefs)]
        for place, coded in enumerate(found):
            self._reader.store(op, self.cells[place], (), coded.number)
            for (own, number), cells in self._values.items():
                values = coded.values.get(number) if own == place else ()
                for k, cell in enumerate(cells if own == place else ()):
                    value = values[k] if values else zero(self._reader, op, cell)
                    self._reader.store(op, cell, (), value)

    def _coded(self, op: ir.Operation, place: int, memref: Memref) -> Coded:
        pool = self._reader.pool
        for known, coded in self._loaded:
            if known is memref and all(k in self._ways[place] for k in coded.ways):
                return coded
        if isinstance(memref, Choice):
            self._reader.hands_on_choices |= not (memref.forked or is_never_poison(memref.condition))
            ways = (self._coded(op, place, m) for m in (memref.then, memref.otherwise))
            return _selected(pool, memref.condition, *ways)
        found = self._number(place, memref)
        if found is None:
            self._reader.reject(op, f"a view of %{memref.memory.name} that a loop makes is handed on")
        number, values = found
        return Coded((number,), pool.integer(number), {number: values} if values else {})

    def views(self) -> list[Memref]:
        """The candidates; those that move have parameters."""
        return [m.view for m in self.memrefs]

    def substitute(self, views: Sequence[Memref]) -> None:
        """Sets the candidates."""
        for k, view in enumerate(views):
            assert isinstance(view, View)
            self.memrefs[k] = Moving(view, self.memrefs[k].parameters)

    def load(self, op: ir.Operation) -> list[Memref]:
        """The memrefs now."""
        self._is_complete = True
        if len(self.memrefs) > MOST_MEMREFS:
            self._reader.reject(op, f"a memref that may be more than {MOST_MEMREFS} different ones")
        return [self._chosen(op, place) for place in range(len(self.cells))]

    def _chosen(self, op: ir.Operation, place: int) -> Memref:
        reader, pool, ways = self._reader, self._reader.pool, self._ways[place]
        number = reader.load(op, self.cells[place], ())
        values = {k: tuple(reader.load(op, c, ()) for c in self._values.get((place, k), ())) for k in ways}
        found: Memref = self.memrefs[ways[-1]].at(pool, values[ways[-1]])
        for k in reversed(ways[:-1]):
            is_this = pool.make("arith.cmpi", (number, pool.integer(k)), BOOL, (("predicate", "eq"),))
            found = choose(reader, is_this, self.memrefs[k].at(pool, values[k]), found, forked=True)
        if isinstance(found, Choice):
            self._loaded.append((found, Coded(tuple(ways), number, {k: v for k, v in values.items() if v})))
        return found


class Coded(Struct, frozen=True):
    """A memref encoded as values: the number of one of `ways`, and the parameters of each view that moves."""

    ways: tuple[int, ...]
    number: Term
    values: dict[int, Terms]


def _selected(pool: TermPool, condition: Term, then: Coded, otherwise: Coded) -> Coded:
    """A selection of two encoded memrefs. The parameters of a view that is not chosen do not matter."""
    number = pool.make("arith.select", (condition, then.number, otherwise.number), INDEX)
    values = then.values | otherwise.values
    for k in then.values.keys() & otherwise.values.keys():
        pairs = zip(then.values[k], otherwise.values[k], strict=True)
        values[k] = tuple(pool.make("arith.select", (condition, a, b), a.type) for a, b in pairs)
    return Coded((*then.ways, *otherwise.ways), number, values)


# Loops


class Carried:
    """The memrefs that a loop carries, in cells of their own if needed.

    `enter` is called at the top of an iteration, `hand_on` at its end, and `enter` once more after the loop.
    """

    def __init__(
        self,
        reader: Reader,
        op: ir.Operation,
        first: Sequence[Memref],
        arguments: Sequence[ir.Value],
        yielded: Sequence[ir.Value],
        is_inside: Inside,
    ) -> None:
        """Emits the statements before the loop; `arguments` become what is `yielded`."""
        self._reader = reader
        how = moves(arguments, yielded, is_inside)
        self._rotation = None if how is None else Rotation(reader, op, first, how)
        if self._rotation is not None and not self._rotation.is_short:
            self._rotation = None
        self._counter: Memory | None = None
        self._now: Term | None = None
        self._selectors: Selectors | None = None
        if self._rotation is None:
            self._select(op, first, list(zip(arguments, yielded, strict=True)), is_inside)

    def _select(
        self, op: ir.Operation, first: Sequence[Memref], values: Sequence[Sequence[ir.Value]], is_inside: Inside
    ) -> None:
        def cell(kind: ScalarType) -> Memory:
            return open_cells(self._reader, op, (kind,))[0]

        self._selectors = Selectors(self._reader, [cell(INDEX) for _ in first], cell)
        self._selectors.note(values, is_inside)
        self._selectors.store(op, first)

    def count(self, op: ir.Operation) -> None:
        """Emits an iteration counter, for a loop without an induction variable."""
        if self._rotation is not None:
            self._counter = self._reader.new_memory(MemoryKind.CELL, INDEX, ())
            self._reader.alloc(op, self._counter)
            self._reader.store(op, self._counter, (), self._reader.pool.integer(0))

    def enter(self, op: ir.Operation, iteration: Term | None = None) -> list[Memref]:
        """The memrefs now; `iteration` is the number of iterations before, None if a counter has it."""
        if self._selectors is not None:
            return self._selectors.load(op)
        assert self._rotation is not None
        if iteration is None:
            assert self._counter is not None
            iteration = self._reader.load(op, self._counter, ())
            self._now = iteration
        return self._rotation.at(iteration)

    def hand_on(self, op: ir.Operation, memrefs: Sequence[Memref]) -> None:
        """Emits stores that make these the memrefs of the next iteration."""
        if self._selectors is not None:
            self._selectors.store(op, memrefs)
        elif self._counter is not None and self._now is not None:
            reader = self._reader
            reader.store(op, self._counter, (), quasi_affine.add(reader.pool, self._now, reader.pool.integer(1)))


class Arrivals:
    """The memrefs that edges pass to a block; a block with back edges is the header of a loop.

    `leave` is called on each edge, `enter` at the top of the block, after the forward edges.
    """

    def __init__(self, reader: Reader, block: Junction, cell: Callable[[ScalarType], Memory]) -> None:
        """`cell` makes a cell that outlives all of the blocks."""
        self._reader = reader
        self._block = block
        self._cell = cell
        ways = {moves(block.arguments, back, block.is_inside) for back in block.passed_back}
        self._how = ways.pop() if len(ways) == 1 else None
        self._is_simple = block.ways_in == 1 and (self._how is not None or not block.passed_back)
        self._has_entered = False
        self._kept: dict[Term, Memory] = {}
        self._first: list[Memref] | None = None
        self._rotation: Rotation | None = None
        self._counter: Memory | None = None
        self._now: Term | None = None
        self._selectors: Selectors | None = None

    def leave(self, op: ir.Operation, memrefs: Sequence[Memref]) -> None:
        """Emits stores that make these the memrefs at the top of the block."""
        reader = self._reader
        if not self._has_entered:
            self._keep(op, memrefs)
        if self._first is None and self._is_simple:
            self._first = list(memrefs)
            self._rotate(op, memrefs)
        elif self._now is not None and self._counter is not None:
            reader.store(op, self._counter, (), quasi_affine.add(reader.pool, self._now, reader.pool.integer(1)))
        if self._rotation is None and (self._first is None or self._block.passed_back):
            self._select(op, memrefs)

    def _rotate(self, op: ir.Operation, first: Sequence[Memref]) -> None:
        rotation = None if self._how is None else Rotation(self._reader, op, first, self._how)
        if rotation is not None and rotation.is_short:
            self._rotation, self._counter = rotation, self._cell(INDEX)
            self._reader.store(op, self._counter, (), self._reader.pool.integer(0))

    def _select(self, op: ir.Operation, memrefs: Sequence[Memref]) -> None:
        if self._selectors is None:
            block = self._block
            self._selectors = Selectors(self._reader, [self._cell(INDEX) for _ in memrefs], self._cell)
            self._selectors.note(list(zip(block.arguments, *block.passed_back, strict=True)), block.is_inside)
        self._selectors.store(op, memrefs)

    def _keep(self, op: ir.Operation, memrefs: Sequence[Memref]) -> None:
        """Emits stores of terms that the memrefs need and that are not in scope in the block."""
        for term in self._hidden(memrefs):
            if term not in self._kept:
                self._kept[term] = self._cell(term.type)
            self._reader.store(op, self._kept[term], (), term)

    def _hidden(self, memrefs: Sequence[Memref]) -> list[Term]:
        terms = postorder(tuple(t for m in memrefs for t in terms_of(m)))
        return [t for t in terms if not self._block.is_visible(t)]

    def enter(self, op: ir.Operation) -> Sequence[Memref]:
        """The memrefs now.

        Raises: Unsupported for a view whose parameters are not in scope here.
        """
        known = self._first if self._rotation is None else self._rotation.memrefs
        known = known if self._selectors is None else self._selectors.views()
        assert known is not None
        if any(t not in self._kept for t in self._hidden(known)):
            self._reader.reject(
                op,
                "a view that depends on values computed in a branch or loop is used after it, which is not supported",
            )
        reader, self._has_entered = self._reader, True
        values = {t: reader.load(op, cell, ()) for t, cell in self._kept.items()}
        known[:] = [substituted(reader.pool, m, values) for m in known] if values else known
        if self._selectors is not None and values:
            self._selectors.substitute(known)
        if self._rotation is not None:
            assert self._counter is not None
            self._now = reader.load(op, self._counter, ())
            return self._rotation.at(self._now)
        return known if self._selectors is None else self._selectors.load(op)


class Junction(Struct, frozen=True):
    """A block with memref arguments: the values that each back edge passes to them, the number of forward edges,
    what is inside its loop, and whether a term's loads are in scope."""

    arguments: Sequence[ir.Value]
    passed_back: Sequence[Sequence[ir.Value]]
    ways_in: int
    is_inside: Inside
    is_visible: Callable[[Term], bool]
