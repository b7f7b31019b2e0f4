"""Removes unreachable deallocations of memory that is not the function's own; a reachable one is unsupported.

`ownership-based-buffer-deallocation` frees a memref that is one of several under an ownership flag, and the flag
implies that it is one of the function's own. The flag, and the selector of the memref, are constants in cells or in
selects of the same conditions: no values of these conditions lead to the deallocation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, IndexType, IntType
from hecv.mlir.read.function_reader import Reader
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Dealloc,
    If,
    Load,
    Loop,
    MemoryKind,
    Statement,
    Store,
    While,
    walk,
)

MOST_CONDITIONS: Final = 8
"""Unknown conditions, at most, whose values are all tried."""

_Path = tuple[tuple[Term, bool], ...]
"""Branch conditions, each with its value."""


def require_own(reader: Reader) -> None:
    """Removes unreachable deallocations of memory that is not the function's own.

    Raises: Unsupported at one that may be reached.
    """
    if reader.foreign:
        reader.block[:] = _Unreached(reader).block(tuple(reader.block), ())


class _Unreached:
    """The known contents of cells and values of loads at the current statement."""

    def __init__(self, reader: Reader) -> None:
        self._reader: Final = reader
        self._pool: Final[TermPool] = reader.pool
        self._cells: dict[int, Term] = {}
        self._read: dict[int, Term] = {}

    def block(self, block: Block, path: _Path) -> Block:
        """The block without unreachable deallocations, when it runs under `path`."""
        return tuple([part for s in block for part in self._statement(s, path)])

    def _statement(self, statement: Statement, path: _Path) -> Block:
        match statement:
            case Alloc(memory=memory):
                self._cells.pop(memory.id, None)
            case Store(memory=memory, value=value) if memory.kind is MemoryKind.CELL:
                self._store(memory.id, value)
            case Load(id=number, memory=memory) if memory.id in self._cells:
                self._read[number] = self._cells[memory.id]
            case Call():
                self._forget(_written((statement,)))
            case Loop():
                return (self._repeated(statement, path),)
            case While():
                return (self._repeated(statement, path),)
            case If():
                return (self._branches(statement, path),)
            case Dealloc(id=number) if number in self._reader.foreign:
                self._require_excluded(number, path)
                return ()
            case _:
                pass
        return (statement,)

    def _store(self, cell: int, value: Term) -> None:
        if isinstance(value.type, IntType | IndexType):
            self._cells[cell] = self._now(value)
        else:
            self._cells.pop(cell, None)

    def _repeated(self, statement: Loop | While, path: _Path) -> Statement:
        """A loop: cells that it writes are unknown in every iteration, and so is what was read in an iteration after
        the loop."""
        written, read = _written((statement,)), dict(self._read)
        self._forget(written)
        if isinstance(statement, Loop):
            made: Statement = replace(statement, body=self.block(statement.body, path))
        else:
            before = self.block(statement.before, path)
            made = replace(statement, before=before, after=self.block(statement.after, path))
        self._forget(written)
        self._read = read
        return made

    def _branches(self, statement: If, path: _Path) -> Statement:
        condition, before = self._now(statement.condition), dict(self._cells)
        then = self.block(statement.then, (*path, (condition, True)))
        one, self._cells = self._cells, before
        otherwise = self.block(statement.otherwise, (*path, (condition, False)))
        other, self._cells = self._cells, {}
        for cell in one.keys() & other.keys():
            first, second = one[cell], other[cell]
            joined = self._pool.make("arith.select", (condition, first, second), first.type)
            self._cells[cell] = first if first is second else joined
        return replace(statement, then=then, otherwise=otherwise)

    def _forget(self, cells: Iterable[int]) -> None:
        for cell in cells:
            self._cells.pop(cell, None)

    def _now(self, root: Term) -> Term:
        """The term with known loads from cells replaced by their values."""
        memo: dict[Term, Term] = {}
        for term in postorder((root,)):
            number = term.attr("load") if term.op == "read" else None
            held = self._read.get(number) if isinstance(number, int) else None
            memo[term] = held or quasi_affine.remade(self._pool, term, tuple([memo[a] for a in term.args]))
        return memo[root]

    def _require_excluded(self, statement: int, path: _Path) -> None:
        if _is_possible(path, {}):
            op, memory = self._reader.foreign[statement]
            self._reader.reject(op, f"%{memory.name} does not come from a memref.alloc of this function")


def _written(block: Block) -> set[int]:
    """The cells that a block may write."""
    stored = {s.memory.id for s in walk(block) if isinstance(s, Store | Alloc)}
    return stored | {m.id for s in walk(block) if isinstance(s, Call) for m in (*s.memories, *s.results)}


def _is_possible(path: _Path, given: Mapping[Term, int]) -> bool:
    """True if a path may be taken when conditions have the `given` values.

    A poison branch condition is undefined, so everything that decides it has a value.
    """
    open_: Term | None = None
    for condition, holds in path:
        found = _value(condition, given)
        if isinstance(found, int) and bool(found) != holds:
            return False
        if isinstance(found, Term) and open_ is None:
            open_ = found
    if open_ is None or len(given) == MOST_CONDITIONS:
        return True
    return any(_is_possible(path, {**given, open_: value}) for value in (0, 1))


def _value(root: Term, given: Mapping[Term, int]) -> int | Term | None:
    """The value of a condition or of a term in it; otherwise a condition whose value would help, if there is one."""
    values: dict[Term, int | Term | None] = {}
    for term in postorder((root,)):
        known = given.get(term, literal(term))
        found = int(known) if isinstance(known, int) else _operator(term, [values[a] for a in term.args])
        bit = isinstance(found, int) and term.type == BOOL
        values[term] = int(bool(found)) if bit else found
    return values[root]


def _operator(term: Term, values: list[int | Term | None]) -> int | Term | None:
    """As `_value`, by the values of operands."""
    undecided = next((v for v in values if isinstance(v, Term)), None)
    match term.op, values:
        case "arith.select", [int(condition), first, second]:
            return first if condition else second
        case "arith.select", [condition, _, _]:
            return condition
        case "arith.andi", values if term.type == BOOL and 0 in values:
            return 0
        case "arith.ori", values if term.type == BOOL and 1 in values:
            return 1
        case "arith.andi", [int(first), int(second)] if term.type == BOOL:
            return first & second
        case "arith.ori", [int(first), int(second)] if term.type == BOOL:
            return first | second
        case "arith.xori", [int(first), int(second)] if term.type == BOOL:
            return first ^ second
        case "arith.cmpi", [int(first), int(second)] if term.attr("predicate") in ("eq", "ne"):
            return int((first == second) == (term.attr("predicate") == "eq"))
        case (("arith.andi" | "arith.ori" | "arith.xori" | "arith.cmpi"), _) if undecided is not None:
            return undecided
        case _:
            return term if term.type == BOOL else None
