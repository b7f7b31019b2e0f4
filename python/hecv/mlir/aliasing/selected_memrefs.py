"""Memrefs selected by a condition (a branch or a select): an op on one becomes a branch with one arm a candidate.

So nothing after the frontend sees them. An op that accesses no element stays a value: `memref.dim` becomes a select,
and a view of a selection becomes a selection of views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType
from hecv.mlir.read.function_reader import Handler, Meaning, Reader
from hecv.mlir.read.memref_views import (
    Aggregate,
    Choice,
    Collapsed,
    Expanded,
    Memref,
    Spread,
    Step,
    Strided,
    Strides,
    Terms,
    View,
    Window,
)
from hecv.mlir.values import aggregate_values
from hecv.mlir.values.carried_cells import new_cell, read_cell, store_cells
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, Block, If, Load, Memory, Statement, Store, walk


def choose(reader: Reader, condition: Term, then: Memref, otherwise: Memref, forked: bool = False) -> Memref:
    """A memref that is `then` if `condition` holds, otherwise `otherwise`; if the condition is poison, so is the
    memref."""
    known = literal(condition)
    if known is not None:
        return then if known else otherwise
    reader.has_choices = True
    return Choice(condition, then, otherwise, forked)


def leaves(memref: Memref) -> Iterator[View]:
    """The candidates of a memref."""
    if isinstance(memref, View):
        yield memref
    else:
        yield from leaves(memref.then)
        yield from leaves(memref.otherwise)


def is_memref(value: ir.Value) -> bool:
    """Whether a value is a memref."""
    return isinstance(value.type, ir.MemRefType)


def values_of(values: Iterable[ir.Value]) -> list[ir.Value]:
    """The values that are not memrefs."""
    return [v for v in values if not is_memref(v)]


def memrefs_of(reader: Reader, op: ir.Operation, values: Iterable[ir.Value]) -> list[Memref]:
    """The meanings of the values that are memrefs."""
    return [reader.memref(op, v) for v in values if is_memref(v)]


def bind_memrefs(reader: Reader, values: Iterable[ir.Value], memrefs: Iterable[Memref]) -> None:
    """Binds those of `values` that are memrefs to `memrefs`."""
    reader.views.update(zip(filter(is_memref, values), memrefs, strict=True))


def is_choice(reader: Reader, value: ir.Value) -> bool:
    """True if the memref `value` is selected by a condition."""
    return isinstance(reader.views.get(value), Choice)


# Ops on them


def select(handler: Handler) -> Handler:
    """Extends a handler of `arith.select` to memrefs.

    Example: `%m = arith.select %c, %A, %B : memref<8xf32>`.
    """

    def read(reader: Reader, op: ir.Operation) -> None:
        if not isinstance(op.result.type, ir.MemRefType):
            return handler(reader, op)
        condition, then, otherwise = op.operands
        chosen = (reader.memref(op, then), reader.memref(op, otherwise))
        reader.views[op.result] = choose(reader, reader.term(op, condition), *chosen)

    return read


def by_choice(handler: Handler) -> Handler:
    """Extends a handler of an op on memrefs to selected memrefs."""

    def read(reader: Reader, op: ir.Operation) -> None:
        if reader.has_choices and any(is_choice(reader, v) for v in op.operands):
            _read_each(reader, op, read)
        else:
            handler(reader, op)

    return read


def _read_each(reader: Reader, op: ir.Operation, handler: Handler) -> None:
    """Reads `op` once for each value of a condition."""
    given: dict[ir.Value, Choice] = {}
    for value in op.operands:
        memref = reader.views.get(value)
        if isinstance(memref, Choice):
            given[value] = memref
    condition = next(iter(given.values())).condition
    number = reader.number(op)
    blocks: list[Block] = []
    meanings: list[list[Meaning]] = []
    for holds in (True, False):
        reader.views.update({v: _assuming(m, condition, holds) for v, m in given.items()})
        outer = reader.enter(op)
        handler(reader, op)
        blocks.append(reader.leave(outer))
        meanings.append([reader.value(r) for r in op.results])
    reader.views.update(given)
    fork = Fork(reader, op, number, condition, blocks)
    joined = [fork.join(*pair) for pair in zip(*meanings, strict=True)]
    fork.emit(always=False)
    for result, meaning in zip(op.results, joined, strict=True):
        reader.bind(result, meaning())


def _assuming(memref: Memref, condition: Term, holds: bool) -> Memref:
    """The memref, given the value of `condition`."""
    if isinstance(memref, View):
        return memref
    if memref.condition is condition:
        return _assuming(memref.then if holds else memref.otherwise, condition, holds)
    then, otherwise = (_assuming(m, condition, holds) for m in (memref.then, memref.otherwise))
    return replace(memref, then=then, otherwise=otherwise)


def contents(reader: Reader, op: ir.Operation, memref: Memref) -> Aggregate:
    """The contents of a memref.

    Requires: if a condition that may be poison selects, both memrefs are alive.
    Raises:   Unsupported if the extents depend on which one it is, or if it may be poison and was passed on.
    """
    if isinstance(memref, View):
        return aggregate_values.held(reader, memref)
    condition = memref.condition
    if memref.forked and reader.hands_on_choices:
        reader.reject(op, "a loop-carried memref that a condition which may be poison selects is not supported")
    ways = [contents(reader, op, way) for way in (memref.then, memref.otherwise)]
    if ways[0].extents != ways[1].extents:
        reader.reject(op, "a memref whose extents a condition chooses is not supported here")

    def element(at_op: ir.Operation, at: Terms) -> Term:
        if not (memref.forked or is_never_poison(condition)):  # a branch would be undefined; both lie somewhere
            then, otherwise = (way.element(at_op, at) for way in ways)
            return reader.pool.make("arith.select", (condition, then, otherwise), then.type)
        number = reader.number(at_op)
        blocks: list[Block] = []
        values: list[Term] = []
        for way in ways:
            outer = reader.enter(at_op)
            values.append(way.element(at_op, at))
            blocks.append(reader.leave(outer))
        fork = Fork(reader, at_op, number, condition, blocks)
        value = fork.join(values[0], values[1])
        fork.emit(always=False)
        found = value()
        assert isinstance(found, Term)
        return found

    return Aggregate(ways[0].extents, ways[0].kind, element, ways[0].memories | ways[1].memories)


# Values that leave a branch


class Fork:
    """A branch that is being built, and the values that leave it.

    `join` registers values that leave; `emit` appends the branch to the current statements; afterwards the result of
    `join` gives the joined values.
    """

    def __init__(self, reader: Reader, op: ir.Operation, number: int, condition: Term, blocks: Iterable[Block]) -> None:
        """`number` will be the id of the statement."""
        self._reader = reader
        self._op = op
        self._number = number
        self._condition = condition
        self._blocks = [Outlived(reader, op, block) for block in blocks]
        self._cells: list[Memory] = []

    def join_memrefs(self, then: Sequence[Memref], otherwise: Sequence[Memref]) -> Callable[[], list[Memref]]:
        """Registers memrefs that are `then` or `otherwise`, depending on the arm taken."""
        ways = [block.keep(memrefs) for block, memrefs in zip(self._blocks, (then, otherwise), strict=True)]

        def joined() -> list[Memref]:
            pairs = zip(*(w() for w in ways), strict=True)
            return [choose(self._reader, self._condition, *pair, forked=True) for pair in pairs]

        return joined

    def join(self, then: Meaning, otherwise: Meaning) -> Callable[[], Meaning]:
        """Registers a value that is `then` or `otherwise`, depending on the arm taken."""
        if isinstance(then, (View, Choice)) and isinstance(otherwise, (View, Choice)):
            memrefs = self.join_memrefs([then], [otherwise])
            return lambda: memrefs()[0]
        if isinstance(then, Term) and isinstance(otherwise, Term) and not self._is_read((then, otherwise)):
            return lambda: self._select(then, otherwise)
        assert isinstance(then, (Term, Aggregate)) and isinstance(otherwise, (Term, Aggregate))
        if isinstance(then, Aggregate) and self._is_read(then.extents):
            self._reader.reject(self._op, "a tensor whose shape is read from memory is not supported")
        kind = (
            aggregate_values.Shape(tuple(map(_size, then.extents)), then.kind)
            if isinstance(then, Aggregate)
            else then.type
        )
        cell = new_cell(self._reader, self._op, kind, then)
        self._cells.append(cell)
        for block, value in zip(self._blocks, (then, otherwise), strict=True):
            block.store(cell, value)
        return lambda: read_cell(self._reader, self._op, cell)

    def _is_read(self, terms: Terms) -> bool:
        return any(block.reads(t) for block in self._blocks for t in postorder(terms))

    def _select(self, then: Term, otherwise: Term) -> Term:
        if then is otherwise and is_never_poison(self._condition):
            return then
        return self._reader.pool.make("arith.select", (self._condition, then, otherwise), then.type)

    def emit(self, always: bool = True) -> None:
        """Emits the branch; if not `always`, only if an arm is not empty."""
        reader = self._reader
        for block in self._blocks:
            reader.block.extend(block.allocations)
        for cell in self._cells:
            reader.alloc(self._op, cell)
        then, otherwise = (tuple(block.statements) for block in self._blocks)
        if always or then or otherwise:
            reader.block.append(If(self._number, self._condition, then, otherwise))


def is_never_poison(condition: Term) -> bool:
    """True if a condition is plainly not poison."""
    return all(map(quasi_affine.is_proper, condition.args if condition.op == "arith.cmpi" else (condition,)))


def _size(extent: Term) -> int | None:
    value = literal(extent)
    return value if isinstance(value, int) else None


class Outlived:
    """A block whose memrefs are used after it: the values they depend on are kept in cells.

    `statements`, and the `allocations` that go before the block, are final once all are kept.
    """

    def __init__(self, reader: Reader, op: ir.Operation, block: Block) -> None:
        self._reader = reader
        self._op = op
        self._loads = {s.id for s in walk(block) if isinstance(s, Load)}
        self._cells: dict[Term, Memory] = {}
        self.statements = list(block)
        self.allocations: list[Statement] = []

    def reads(self, term: Term) -> bool:
        """True if the term was read by a statement of the block."""
        return term.op == "read" and term.attr("load") in self._loads

    def store(self, cell: Memory, value: Term | Aggregate) -> None:
        """Emits a store at the end of the block."""
        outer = self._reader.enter(self._op)
        store_cells(self._reader, self._op, [cell], [value])
        self.statements.extend(self._reader.leave(outer))

    def keep(self, memrefs: Sequence[Memref]) -> Callable[[], list[Memref]]:
        """Keeps memrefs; the result gives their meaning where it is called."""
        reader, op = self._reader, self._op
        terms = [t for t in postorder(tuple(t for m in memrefs for t in terms_of(m))) if self.reads(t)]
        cells = [new_cell(reader, op, t.type) for t in terms]
        for cell, term in zip(cells, terms, strict=True):
            # Where the block does not run, what follows reads the cell all the same, and does nothing with it.
            self.allocations += [
                Alloc(reader.number(op), cell),
                Store(reader.number(op), cell, (), zero(reader, op, cell)),
            ]
            self.store(cell, term)

        def again() -> list[Memref]:
            known = {t: reader.load(op, c, ()) for t, c in zip(terms, cells, strict=True)}
            return [substituted(reader.pool, m, known) for m in memrefs] if known else list(memrefs)

        return again


def zero(reader: Reader, op: ir.Operation, cell: Memory) -> Term:
    """Some value of the type that a cell holds."""
    match cell.element:
        case IntType() | IndexType():
            return reader.pool.integer(0, cell.element)
        case FloatType():
            return reader.pool.real(0.0, cell.element)
        case _:
            reader.reject(op, f"a memref that depends on a value of type `{cell.element}`")


def terms_of(memref: Memref) -> Iterator[Term]:
    """The terms that a memref depends on."""
    if isinstance(memref, Choice):
        yield memref.condition
        yield from terms_of(memref.then)
        yield from terms_of(memref.otherwise)
        return
    yield from memref.extents
    if memref.strides is not None:
        yield from (memref.strides.offset, *memref.strides.strides)
        yield from () if memref.strides.origin is None else (memref.strides.origin,)
    for step in memref.steps:
        yield from _step_terms(step)


def _step_terms(step: Step) -> Terms:
    match step:
        case Window(offsets, strides, _) | Spread(offsets, strides, _):
            return (*offsets, *strides)
        case Collapsed(_, extents) | Expanded(_, extents):
            return extents
        case Strided(offset, strides, extents):
            return (offset, *strides, *extents)


def substituted(pool: TermPool, memref: Memref, known: Mapping[Term, Term]) -> Memref:
    """The memref with terms replaced; its memory is unchanged."""
    memo = dict(known)

    def change(root: Term) -> Term:
        for node in postorder((root,)):
            if node not in memo:
                memo[node] = quasi_affine.remade(pool, node, tuple([memo[a] for a in node.args]))
        return memo[root]

    return _changed(memref, change)


def _changed(memref: Memref, change: Callable[[Term], Term]) -> Memref:
    if isinstance(memref, Choice):
        then, otherwise = (_changed(m, change) for m in (memref.then, memref.otherwise))
        return Choice(change(memref.condition), then, otherwise, memref.forked)

    steps = tuple([_step_changed(step, change) for step in memref.steps])
    lies = memref.strides and _strides_changed(memref.strides, change)
    return replace(memref, extents=_each(memref.extents, change), steps=steps, strides=lies)


def _strides_changed(lies: Strides, change: Callable[[Term], Term]) -> Strides:
    origin = None if lies.origin is None else change(lies.origin)
    return Strides(change(lies.offset), _each(lies.strides, change), origin)


def _each(terms: Terms, change: Callable[[Term], Term]) -> Terms:
    return tuple(map(change, terms))


def _step_changed(step: Step, change: Callable[[Term], Term]) -> Step:
    match step:
        case Window(offsets, strides, own):
            return Window(_each(offsets, change), _each(strides, change), own)
        case Spread(offsets, strides, own):
            return Spread(_each(offsets, change), _each(strides, change), own)
        case Collapsed(groups, extents):
            return Collapsed(groups, _each(extents, change))
        case Expanded(groups, extents):
            return Expanded(groups, _each(extents, change))
        case Strided(offset, strides, extents):
            return Strided(change(offset), _each(strides, change), _each(extents, change))
