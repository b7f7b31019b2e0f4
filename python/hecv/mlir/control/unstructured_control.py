"""Unstructured control flow: regions of several blocks (`cf`), read as `If` and `While`.

A block argument lives in a cell that each incoming edge writes. So does a value that is used outside its scope in the
statement tree: after the loop or the branch that defines it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from torch_mlir import ir

from hecv.base.recursion_limit import usual_depth
from hecv.base.term import Term, postorder
from hecv.base.types import BOOL, INDEX, IntType, ScalarType
from hecv.mlir.aliasing import loop_carried_memrefs
from hecv.mlir.aliasing.loop_carried_memrefs import Arrivals
from hecv.mlir.aliasing.memref_origins import passed
from hecv.mlir.aliasing.selected_memrefs import (
    bind_memrefs,
    is_memref,
    memrefs_of,
    substituted,
    terms_of,
    values_of,
    zero,
)
from hecv.mlir.control.block_scopes import Places, defined, used
from hecv.mlir.control.cfg_structuring import Guarded, Item, Repeat, Shape, Visit, structure
from hecv.mlir.read.function_reader import Handler, Meaning, Reader
from hecv.mlir.read.memref_views import View
from hecv.mlir.values import aggregate_values, dense_constants
from hecv.mlir.values.aggregate_values import kind_of
from hecv.mlir.values.carried_cells import carried_values, load_cells, new_cell, read_cell, store_cells, terminator
from hecv.program.tree import Alloc, Assert, Block, If, Memory, Statement, Store, While, walk

BRANCHES = frozenset({"cf.br", "cf.cond_br", "cf.switch"})
UNREACHABLE = "ub.unreachable"
MOST_BLOCKS = 5_000

_ITERATED = (1, 8, 16, 32, 64)
"""Integer widths for which the bindings list the elements; for others the text is parsed."""


def read_region(reader: Reader, op: ir.Operation, region: ir.Region) -> tuple[Meaning, ...]:
    """Reads a region onto the current statements and gives the values that its terminators return.

    Requires: the arguments of the first block are bound.
    """
    blocks = list(region.blocks)
    end = terminator(blocks[0])
    if len(blocks) == 1 and end.name != UNREACHABLE:
        reader.read_block(blocks[0])
        return tuple(
            reader.memref(end, v) if is_memref(v) else carried_values(reader, end, (v,))[0] for v in end.operands
        )
    if len(blocks) > MOST_BLOCKS:
        reader.reject(op, f"a region of more than {MOST_BLOCKS} blocks")
    return _Region(reader, op, blocks).read()


class _Region:
    """Reads one region. Nodes are block numbers; one more node is the end of the region, nodes above it are gates."""

    def __init__(self, reader: Reader, op: ir.Operation, blocks: list[ir.Block]) -> None:
        self._reader = reader
        self._op = op
        self._blocks = blocks
        self._end = len(blocks)
        numbers = self._numbers = {block: k for k, block in enumerate(blocks)}
        self._successors = [self._targets(block, numbers) for block in blocks]
        try:
            with usual_depth():
                found = structure([*self._successors, ()], self._end)
        except RecursionError:
            reader.reject(op, "its branches and loops are nested too deep")
        self._items, self._selected, self._direct = found.items, found.selected, found.direct
        self._gates = found.gates
        self._allocated: list[Statement] = []
        self._selector = self._cell(INDEX) if self._selected else None
        self._places = Places(self._items)
        self._uses = self._hidden_uses(numbers)
        self._wanted = {v for values in self._uses.values() for v in values}
        self._kept: dict[ir.Value, Memory] = {}
        self._kept_memrefs: dict[ir.Value, dict[Term, Memory]] = {}
        self._memrefs: dict[int, Arrivals] = {}
        self._loads: list[tuple[range, int]] = []
        self._first = 0
        self._arguments: dict[int, list[Memory]] = {}
        self._results: list[Memory] | None = None
        self._buffers: dict[int, View] = {}
        self._lying: dict[Term, Memory] = {}

    def _targets(self, block: ir.Block, numbers: Mapping[ir.Block, int]) -> tuple[int, ...]:
        end = terminator(block)
        if end.name in BRANCHES:
            return tuple([numbers[s] for s in end.successors])
        if len(end.successors):
            self._reader.reject(end, "it has no semantics here")
        return () if end.name == UNREACHABLE else (self._end,)

    def read(self) -> tuple[Meaning, ...]:
        """Reads the region and gives the values that it returns."""
        reader, op = self._reader, self._op
        self._first = reader.number(op)
        outer = reader.enter(op)
        self._read_items(self._items)
        body = reader.leave(outer)
        if self._results is None and any(isinstance(t, ir.MemRefType) for t in self._end_types()):
            reader.reject(op, "a memref is the result of code that never ends")
        ends = self._end_cells()  # new ones where the end is never reached
        reader.block.extend(self._allocated)
        reader.block.extend(body)
        for view in self._buffers.values():
            self._require_outer(view, body)
        cells, known = iter(ends), {t: reader.load(op, cell, ()) for t, cell in self._lying.items()}
        buffers = {k: substituted(reader.pool, v, known) if known else v for k, v in self._buffers.items()}
        count = len(buffers) + len(ends)
        return tuple(buffers[k] if k in buffers else read_cell(reader, op, next(cells)) for k in range(count))

    def _require_outer(self, view: View, body: Block) -> None:
        """Raises: Unsupported if the memory of a returned memref is allocated in a branch or loop of the region."""
        inner = (s for s in walk(body) if isinstance(s, Alloc) and s.memory is view.memory)
        if any(all(s is not own for own in body) for s in inner):
            self._reader.reject(self._op, f"%{view.memory.name} is returned from the branch or loop that allocates it")

    # Cells

    def _set_cell(self, kind: ScalarType) -> Memory:
        """A cell that is initialised."""
        cell, number = self._cell(kind), self._reader.number(self._op)
        self._allocated.append(Store(number, cell, (), zero(self._reader, self._op, cell)))
        return cell

    def _cell(self, kind: ScalarType | aggregate_values.Shape) -> Memory:
        cell = new_cell(self._reader, self._op, kind)
        self._allocated.append(Alloc(self._reader.number(self._op), cell))
        return cell

    def _cells_of(self, node: int) -> list[Memory]:
        """The cells that hold the arguments of a block."""
        if node not in self._arguments:
            kinds = [kind_of(self._reader, self._op, a.type) for a in values_of(self._blocks[node].arguments)]
            self._arguments[node] = [self._cell(kind) for kind in kinds]
        return self._arguments[node]

    def _end_cells(self) -> list[Memory]:
        """The cells of the region's results."""
        if self._results is None:
            kinds = [t for t in self._end_types() if not isinstance(t, ir.MemRefType)]
            self._results = [self._cell(kind_of(self._reader, self._op, t)) for t in kinds]
        return self._results

    def _end_types(self) -> list[ir.Type]:
        """The types of the region's results: those of the op around it, whether or not a block ends it."""
        around = self._blocks[0].owner
        if "function_type" in around.attributes:
            return list(ir.FunctionType(ir.TypeAttr(around.attributes["function_type"]).value).results)
        return [r.type for r in around.results]

    # Values that are used where the tree does not show them

    def _hidden_uses(self, numbers: Mapping[ir.Block, int]) -> dict[int, list[ir.Value]]:
        """For each block, the values of other blocks that it uses and that are not in scope there."""
        owners = {v: k for k, block in enumerate(self._blocks) for v in defined(block)}
        found: dict[int, list[ir.Value]] = {}
        for number, block in enumerate(self._blocks):
            if not self._places.has(number):
                continue
            for value in used(block):
                owner = owners.get(value, number)
                if owner != number and not self._places.shows(owner, number):
                    found.setdefault(number, []).append(value)
        return found

    def _keep(self, number: int) -> None:
        """Stores the values of this block that other blocks use to cells, if they depend on loads in this region."""
        end = terminator(self._blocks[number])
        for value in defined(self._blocks[number]):
            if value not in self._wanted:
                continue
            if is_memref(value):
                self._keep_memref(end, value)
                continue
            if value in self._reader.aggregates:
                self._keep_aggregate(end, value)
                continue
            term = self._reader.term(end, value)
            if any(t.op == "read" and int(str(t.attr("load"))) >= self._first for t in postorder((term,))):
                self._kept[value] = self._cell(term.type)
                self._reader.store(end, self._kept[value], (), term)

    def _keep_aggregate(self, end: ir.Operation, value: ir.Value) -> None:
        kind = kind_of(self._reader, end, value.type)
        if isinstance(kind, aggregate_values.Shape) and None in kind.extents:
            self._reader.reject(end, "a tensor of open shape is used outside the block that makes it")
        cell = self._kept[value] = self._cell(kind)
        store_cells(self._reader, end, [cell], carried_values(self._reader, end, (value,)))

    def _keep_memref(self, end: ir.Operation, value: ir.Value) -> None:
        """Stores the terms that a memref depends on to cells, if they depend on loads in this region."""
        self._reader.has_choices = True
        kept = self._kept_memrefs[value] = {}
        for term in postorder(tuple(terms_of(self._reader.memref(end, value)))):
            if term.op == "read" and int(str(term.attr("load"))) >= self._first:
                kept[term] = self._cell(term.type)
                self._reader.store(end, kept[term], (), term)

    def _again(self, end: ir.Operation, value: ir.Value) -> Meaning:
        """The meaning of a value that was kept in cells."""
        reader = self._reader
        if value in self._kept:
            return read_cell(reader, end, self._kept[value])
        known = {t: reader.load(end, cell, ()) for t, cell in self._kept_memrefs[value].items()}
        return substituted(reader.pool, reader.memref(end, value), known)

    # Statements

    def _read_items(self, items: Sequence[Item]) -> None:
        for item in items:
            match item:
                case Visit():
                    self._read_visit(item)
                case Guarded(block=number):
                    self._read_guarded(number, item.items)
                case Repeat(shape=Shape.WHILE):
                    self._read_while(item)
                case Repeat():
                    self._read_do_while(item)

    def _selects(self, number: int) -> Term:
        """The condition that the selector is a block, or an entry behind the gate."""
        assert self._selector is not None
        reader = self._reader
        chosen = reader.load(self._op, self._selector, ())

        def names(block: int) -> Term:
            operands = (chosen, reader.pool.integer(block))
            return reader.pool.make("arith.cmpi", operands, BOOL, (("predicate", "eq"),))

        either = [names(block) for block in self._gates.get(number, (number,))]
        return reduce(lambda a, b: reader.pool.make("arith.ori", (a, b), BOOL), either)

    def _read_guarded(self, number: int, items: Sequence[Item]) -> None:
        op = terminator(self._blocks[number]) if number < self._end else self._op
        statement, condition = self._reader.number(op), self._selects(number)
        outer = self._reader.enter(op)
        self._read_items(items)
        then = self._reader.leave(outer)
        self._reader.block.append(If(statement, condition, then, ()))

    def _read_visit(self, visit: Visit) -> None:
        if visit.block == self._end:
            return
        if visit.block in self._gates:
            self._read_gate(visit)
            return
        changed = self._read_code(visit.block)
        self._read_terminator(visit, terminator(self._blocks[visit.block]))
        self._restore(changed)

    def _read_gate(self, visit: Visit) -> None:
        """Reads the entries behind a gate, each under the condition that the selector is it; exactly one holds."""
        *first, last = self._gates[visit.block]
        with self._reader.behind(self._op, len(first) - 1):
            rest = self._behind(visit, last)
        for place, entry in reversed(list(enumerate(first))):
            number, condition = self._reader.number(self._op), self._selects(entry)
            with self._reader.behind(self._op, place):
                rest = (If(number, condition, self._behind(visit, entry), rest),)
        self._reader.block.extend(rest)

    def _behind(self, visit: Visit, entry: int) -> Block:
        outer = self._reader.enter(terminator(self._blocks[entry]))
        self._read_items(visit.inline[entry])
        return self._reader.leave(outer)

    def _restore(self, changed: Mapping[ir.Value, Meaning]) -> None:
        for value, meaning in changed.items():
            self._reader.bind(value, meaning)

    def _read_code(self, number: int) -> dict[ir.Value, Meaning]:
        """Reads the code of a block; gives the meanings to restore after the block."""
        reader, block = self._reader, self._blocks[number]
        end = terminator(block)
        start = reader.number(end)
        if number and number not in self._direct:
            load_cells(reader, end, self._cells_of(number), values_of(block.arguments))
            if any(map(is_memref, block.arguments)):
                bind_memrefs(reader, block.arguments, self._arrivals(number).enter(end))
        changed: dict[ir.Value, Meaning] = {}
        for value in self._uses.get(number, ()):
            if value in self._kept or value in self._kept_memrefs:
                changed[value] = reader.value(value)
                reader.bind(value, self._again(end, value))
        reader.read_block(block)
        self._loads.append((range(start, reader.number(end)), number))
        self._keep(number)
        return changed

    def _read_terminator(self, visit: Visit, end: ir.Operation) -> None:
        reader = self._reader
        match end.name:
            case "cf.br":
                self._edge(visit, end, 0)
            case "cf.cond_br":
                number = reader.number(end)
                condition = reader.term(end, end.operands[0])
                then, otherwise = (self._edge_block(visit, end, k) for k in range(2))
                reader.block.append(If(number, condition, then, otherwise))
            case "cf.switch":
                reader.block.extend(self._switch(visit, end))
            case "ub.unreachable":
                false = reader.pool.integer(0, BOOL)
                reader.block.append(Assert(reader.number(end), false, "code that is unreachable is reached"))
            case _:
                self._read_end(end)
                self._select(end, self._end)

    def _read_end(self, end: ir.Operation) -> None:
        """Reads a terminator that ends the region; all of them must return the same memref."""
        reader = self._reader
        values = [v for v in end.operands if not isinstance(v.type, ir.MemRefType)]
        store_cells(reader, end, self._end_cells(), carried_values(reader, end, values))
        for k, value in enumerate(end.operands):
            if isinstance(value.type, ir.MemRefType):
                view = reader.view(end, value)
                if self._buffers.setdefault(k, view) != view:
                    reader.reject(end, "it gives another memref than other ends of the region")
                self._keep_place(end, view)

    def _keep_place(self, end: ir.Operation, view: View) -> None:
        """Stores the terms that give the position of a memref to cells, if branches or loops of the region read
        them."""
        for term in postorder(tuple(terms_of(view))):
            if term.op == "read" and not self._is_outermost(term):
                if term not in self._lying:
                    self._lying[term] = self._cell(term.type)
                self._reader.store(end, self._lying[term], (), term)

    def _switch(self, visit: Visit, end: ir.Operation) -> Block:
        """A switch as a chain of branches: the cases are distinct, so their order does not matter."""
        reader = self._reader
        flag, cases = reader.term(end, end.operands[0]), self._cases(end)
        with reader.behind(end, max(len(cases) - 1, 0)):
            rest = self._edge_block(visit, end, 0)
        for place, case in reversed(list(enumerate(cases, 1))):
            condition = reader.pool.make("arith.cmpi", (flag, case), BOOL, (("predicate", "eq"),))
            number = reader.number(end)
            with reader.behind(end, place - 1):
                rest = (If(number, condition, self._edge_block(visit, end, place), rest),)
        if cases:
            return rest
        # It goes one way, and is undefined for poison all the same.
        same = reader.pool.make("arith.cmpi", (flag, flag), BOOL, (("predicate", "eq"),))
        return (If(reader.number(end), same, (), ()), *rest)

    def _cases(self, end: ir.Operation) -> list[Term]:
        """The case values of a `cf.switch`.

        Raises: Unsupported if two are the same: LangRef does not say which edge is taken.
        """
        pool, kind = self._reader.pool, self._reader.term(end, end.operands[0]).type
        if "case_values" not in end.attributes:
            return []
        values = end.attributes["case_values"]
        assert isinstance(kind, IntType)
        if kind.width in _ITERATED:
            found = [pool.integer(int(v) % (1 << kind.width), kind) for v in values]
        else:
            found = dense_constants.elements(self._reader, end, values, aggregate_values.Shape((len(values),), kind))
        if len(set(found)) < len(values):  # MLIR's verifier lets it pass, and LLVM refuses it
            self._reader.reject(end, "two cases are of one value")
        return found

    def _edge_block(self, visit: Visit, end: ir.Operation, place: int) -> Block:
        outer = self._reader.enter(end)
        self._edge(visit, end, place)
        return self._reader.leave(outer)

    def _edge(self, visit: Visit, end: ir.Operation, place: int) -> None:
        """Reads the `place`-th edge out of a block: arguments, the selector, and the code in this arm."""
        target = self._successors[visit.block][place]
        self._pass(end, place, target)
        if target in visit.inline:
            self._read_items(visit.inline[target])

    def _pass(self, end: ir.Operation, place: int, target: int) -> None:
        reader = self._reader
        given = passed(end, place)
        values = carried_values(reader, end, values_of(given))
        memrefs = memrefs_of(reader, end, given)
        if target in self._direct:
            arguments = self._blocks[target].arguments
            for argument, value in zip(values_of(arguments), values, strict=True):
                reader.bind(argument, value)
            bind_memrefs(reader, arguments, memrefs)
        else:
            store_cells(reader, end, self._cells_of(target), values)
            if memrefs:
                self._arrivals(target).leave(end, memrefs)
        self._select(end, target)

    def _arrivals(self, node: int) -> Arrivals:
        """The memrefs that edges pass to a block."""
        if any(node in own for own in self._gates.values()):
            self._reader.reject(self._op, "a loop with several ways in hands on a memref")
        if node not in self._memrefs:
            edges = [(n, k) for n, s in enumerate(self._successors) for k, t in enumerate(s) if t == node]
            edges = [(n, k) for n, k in edges if self._places.has(n)]
            back = [(n, k) for n, k in edges if self._places.inside(node, n)]
            given = [filter(is_memref, passed(terminator(self._blocks[n]), k)) for n, k in back]
            block = loop_carried_memrefs.Junction(
                [a for a in self._blocks[node].arguments if is_memref(a)],
                list(map(list, given)),
                len(edges) - len(back),
                lambda value: self._is_inside(value, node),
                lambda term: self._is_visible(term, node),
            )
            self._memrefs[node] = Arrivals(self._reader, block, self._set_cell)
        return self._memrefs[node]

    def _is_inside(self, value: ir.Value, header: int) -> bool:
        """True if a value is defined in the loop of a block."""
        block = value.owner if isinstance(value, ir.BlockArgument) else value.owner.operation.block
        while block not in self._numbers:
            around = block.owner.operation
            if around.parent is None:  # such an op stands in no block
                return False
            block = around.block
        return self._places.inside(header, self._numbers[block])

    def _is_visible(self, term: Term, number: int) -> bool:
        """True if the loads of a term are in scope in a block."""
        owner = self._reader_of(term)
        return owner is None or self._places.shows(owner, number)

    def _is_outermost(self, term: Term) -> bool:
        """True if the loads of a term are in scope after the region."""
        owner = self._reader_of(term)
        return owner is None or self._places.is_outermost(owner)

    def _reader_of(self, term: Term) -> int | None:
        """The block that has the loads of a term; None if no block of the region has."""
        load = term.attr("load") if term.op == "read" else None
        return next((n for ids, n in self._loads if load in ids), None)

    def _select(self, end: ir.Operation, target: int) -> None:
        if target in self._selected:
            assert self._selector is not None
            self._reader.store(end, self._selector, (), self._reader.pool.integer(target))

    # Loops

    def _read_while(self, loop: Repeat) -> None:
        """Reads a loop that exits from its header; the arguments of the exit edge are stored before each test."""
        reader = self._reader
        head, *rest = loop.items
        assert isinstance(head, Visit)
        end = terminator(self._blocks[loop.header])
        number = reader.number(end)
        outer = reader.enter(end)
        changed = self._read_code(loop.header)
        stays = 0 if self._stays(head, 0) else 1
        condition = self._holds(end, stays == 0)
        self._pass(end, 1 - stays, self._successors[loop.header][1 - stays])
        before = reader.leave(outer)
        outer = reader.enter(end)
        self._edge(head, end, stays)
        self._restore(changed)
        self._read_items(rest)
        after = reader.leave(outer)
        reader.block.append(While(number, before, condition, after))

    def _stays(self, head: Visit, place: int) -> bool:
        """True if the edge of a header at `place` leads into its loop."""
        return self._places.inside(head.block, self._successors[head.block][place])

    def _holds(self, end: ir.Operation, first: bool) -> Term:
        """The condition that a block is left by the first of its two edges, or by the second."""
        pool, value = self._reader.pool, self._reader.term(end, end.operands[0])
        if end.name == "cf.switch":  # the first edge is that of all but the one case
            operands = (value, self._cases(end)[0])
            return pool.make("arith.cmpi", operands, BOOL, (("predicate", "ne" if first else "eq"),))
        return value if first else pool.make("arith.xori", (value, pool.integer(1, BOOL)), BOOL)

    def _read_do_while(self, loop: Repeat) -> None:
        """Reads a loop that exits after its last block, or if the selector is not its header."""
        reader = self._reader
        start = terminator(self._blocks[self._gates.get(loop.header, (loop.header,))[0]])
        number = reader.number(start)
        outer = reader.enter(start)
        if loop.shape is Shape.SELECTED:
            self._read_items(loop.items)
            condition = self._selects(loop.header)
        else:
            *rest, last = loop.items
            assert isinstance(last, Visit)
            self._read_items(rest)
            changed = self._read_code(last.block)
            end = terminator(self._blocks[last.block])
            stays = self._successors[last.block].index(loop.header)
            condition = self._holds(end, stays == 0)
            for place in (stays, 1 - stays):  # behind the loop the selector has to name where that is left to
                self._pass(end, place, self._successors[last.block][place])
            self._restore(changed)
        before = reader.leave(outer)
        reader.block.append(While(number, before, condition, ()))


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A branch between blocks: the region around it reads it."""


HANDLERS: Mapping[str, Handler] = {**dict.fromkeys(BRANCHES, _read_nothing), UNREACHABLE: _read_nothing}
