"""Sinks a cell's allocation into the branch on data that alone uses it.

    %c = cell; if p { store v, %c; ... %c ... }   =>   if p { %c = cell; store v, %c; ... %c ... }

From a control-flow graph, the cell of a block argument lives from the start of the function; from structured control
flow, the cell of a yield lives in the enclosing branch. If-conversion (`hecv.normal.branches.if_conversion`) keeps the
old contents of a memory that outlives the branch, where the branch is not taken. So a cell that each entry of the
branch writes before it reads, and that is named nowhere else, is allocated there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from hecv.base.term import Term, postorder
from hecv.program.tree import Alloc, Block, Call, If, Load, Loop, MemoryKind, Statement, Store, While, roots, walk


def sink(body: Block, on_data: Callable[[Term], bool]) -> Block:
    """Moves cells into the branches, with a condition `on_data`, that alone use them.

    Requires: `body` is a normal form.
    Ensures: the same final memory, undefined on the same inputs.
    """
    made = [s for s in walk(body) if isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL]
    often = Counter(s.memory.id for s in made)
    cells = {s.memory.id: s for s in made if often[s.memory.id] == 1}
    sinking = _Sinking(cells, on_data)
    places = {cell: place for cell in cells if (place := sinking.place(body, cell)) is not None}
    if not places:
        return body
    sunk: dict[int, list[Alloc]] = {}
    for cell, place in places.items():
        sunk.setdefault(id(place), []).append(cells[cell])
    return _with(body, {id(cells[cell]) for cell in places}, sunk)


class _Sinking:
    """Finds where `cells` are used."""

    def __init__(self, cells: Mapping[int, Alloc], on_data: Callable[[Term], bool]) -> None:
        self._cells = cells
        self._on_data = on_data
        self._names: dict[int, frozenset[int]] = {}

    def place(self, body: Block, cell: int) -> Block | None:
        """The innermost branch on data into which a cell's allocation may move."""
        block, found, alone = body, None, False
        while True:
            users = [s for s in block if cell in self._named(s)]
            alone |= any(s is self._cells[cell] for s in users)
            users = [s for s in users if s is not self._cells[cell]]
            inner = self._inner(users[0], cell) if len(users) == 1 else None
            if inner is None:
                return found
            branches = isinstance(users[0], If) and self._on_data(users[0].condition)
            if alone and branches and self._begins(inner, cell):
                found = inner
            block = inner

    def _inner(self, user: Statement, cell: int) -> Block | None:
        """The only block of a statement that names a cell; None if there are several, or if the statement itself names
        it."""
        match user:
            case If():
                blocks = (user.then, user.otherwise)
            case Loop(parallel=False):
                blocks = (user.body,)
            case _:
                return None
        inner = [b for b in blocks if self._names_in(b, cell)]
        return inner[0] if len(inner) == 1 and cell not in _own(user) else None

    def _begins(self, block: Block, cell: int) -> bool:
        """True if a block that names a cell writes it before it does anything else with it."""
        first = next(s for s in block if cell in self._named(s))
        match first:
            case Store():
                return first.memory.id == cell and cell not in _read(first)
            case If():
                sides = (first.then, first.otherwise)
                shown = (self._names_in(side, cell) and self._begins(side, cell) for side in sides)
                return cell not in _own(first) and all(shown)
            case _:
                return False

    def _names_in(self, block: Block, cell: int) -> bool:
        return any(cell in self._named(s) for s in block)

    def _named(self, statement: Statement) -> frozenset[int]:
        """The cells that a statement and its nested statements name."""
        found = self._names.get(id(statement))
        if found is None:
            names = (c for s in walk((statement,)) for c in _own(s))
            found = self._names[id(statement)] = frozenset(c for c in names if c in self._cells)
        return found


def _own(statement: Statement) -> Iterator[int]:
    """The memories that a statement itself names."""
    yield from _read(statement)
    match statement:
        case Load() | Store() | Alloc():
            yield statement.memory.id
        case Call():
            yield from (m.id for m in (*statement.memories, *statement.results))
        case _:
            pass


def _read(statement: Statement) -> Iterator[int]:
    for term in postorder(roots(statement)):
        if term.op == "load":
            memory = term.attr("memory")
            assert isinstance(memory, int)
            yield memory


def _with(block: Block, left: set[int], sunk: Mapping[int, list[Alloc]]) -> Block:
    """The block without the allocations that are `left`, and with those of `sunk` at the start of their blocks."""
    out: list[Statement] = [*sunk.get(id(block), ())]
    for statement in block:
        match statement:
            case Alloc() if id(statement) in left:
                pass
            case Loop():
                out.append(replace(statement, body=_with(statement.body, left, sunk)))
            case If():
                then, otherwise = (_with(b, left, sunk) for b in (statement.then, statement.otherwise))
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = (_with(b, left, sunk) for b in (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)
