"""Control cells, which hold flags and selectors, and the operands that make a condition poison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.program.read_write_sets import number, written_cells
from hecv.program.tree import Block, Call, If, Load, Statement, Store, While, is_of_cell, walk

_STRICT: Final = frozenset({"arith.andi", "arith.ori", "arith.xori", "arith.cmpi", "arith.trunci", "arith.extui"})
SUMS: Final = _STRICT | {"arith.addi", "arith.subi", "arith.muli"}
"""Operators that are poison if an operand is."""
_PROPER: Final = frozenset({"const", "arg", "dim", "iv"})


def strict_leaves(terms: Iterable[Term], operators: frozenset[str] = _STRICT) -> set[Term]:
    """The operands, except those that are never poison, that make one of the terms poison where they are.

    Descends through `operators` without flags; a term of these alone is poison only where one of the leaves is.
    """
    found: set[Term] = set()
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term.op in operators and all(name == "predicate" for name, _ in term.attrs):
            stack += term.args
        elif term.op not in _PROPER:
            found.add(term)
    return found


def is_branched_on(loop: While, cell: int) -> bool:
    """True if an iteration that begins with poison in the cell is undefined, since the condition is then poison.

    Nothing that may not return stands before the condition.
    """
    if any(isinstance(s, Call | While) for s in walk(loop.before)):
        return False
    first: set[int] = set()
    for statement in loop.before:
        if cell in written_cells((statement,)):
            break
        if isinstance(statement, Load) and statement.memory.id == cell:
            first.add(statement.id)
    stack = [loop.condition]
    while stack:
        term = stack.pop()
        if term.op == "read" and number(term, "load") in first:
            return True
        stack += term.args if term.op in _STRICT else ()
    return False


class Steering:
    """The cells that decide where a function goes."""

    def __init__(self, block: Block) -> None:
        self._cells = {s.id: s.memory.id for s in walk(block) if isinstance(s, Load) and is_of_cell(s)}
        self._sources: dict[int, set[int]] = {}
        self._decided: set[int] = set()
        stores = [s for s in walk(block) if isinstance(s, Store) and is_of_cell(s)]
        for store in stores:
            self._sources.setdefault(store.memory.id, set()).update(self._read((store.value,)))
        size = -1
        while size < len(self._decided):
            size = len(self._decided)
            self._decided |= {s.memory.id for s in stores if self._is_decided(s.value)}

    def _is_decided(self, value: Term) -> bool:
        """True if a value is a literal or poison, or is read from a cell that may hold one."""
        if value.op == "read":
            return self._cells.get(number(value, "load")) in self._decided
        return literal(value) is not None or value.op == "ub.poison"

    def _read(self, terms: Sequence[Term]) -> set[int]:
        loads = (number(t, "load") for t in postorder(tuple(terms)) if t.op == "read")
        return {self._cells[k] for k in loads if k in self._cells}

    def decided(self, cells: frozenset[int]) -> frozenset[int]:
        """Those of the cells to which a literal or poison is stored."""
        return cells & self._decided

    def of(self, block: Sequence[Statement]) -> frozenset[int]:
        """The cells from which the conditions of a block are computed."""
        found: set[int] = set()
        open_ = self._read([s.condition for s in walk(tuple(block)) if isinstance(s, If | While)])
        while open_:
            found |= open_
            open_ = {s for cell in open_ for s in self._sources.get(cell, ())} - found
        return frozenset(found)
