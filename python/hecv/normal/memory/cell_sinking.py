"""Cells of blocks are brought to life in the branch on data that uses them alone.

Where control flow is a graph, a block's argument lives from the beginning of the function; where it is structured, what
a branch yields within another lives in that. A branch on data becomes selections
(`hecv.normal.branches.if_conversion`), which keep what a memory held before where the branch is not taken, if it lives
longer than the branch. So a cell that is written before it is read whenever the branch is entered, and named nowhere
else, comes to life there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from hecv.base.term import Term, postorder
from hecv.program.tree import Alloc, Block, Call, If, Load, Loop, MemoryKind, Statement, Store, While, roots, walk


def sink(body: Block, on_data: Callable[[Term], bool]) -> Block:
    """The normal form `body` with its cells in the branches whose condition is `on_data` that use them alone.

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
        """The innermost branch on data in which a cell may come to life."""
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
        """The only block of a statement that names a cell, which the statement itself does not."""
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
        """Whether a block that names a cell writes it before all else that it does with it."""
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
        """The cells that a statement names, with all that it encloses."""
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
    """A block without the allocations that are `left`, and those in the blocks in which they come to life."""
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
