"""Cloning of blocks with fresh loads and cells, and substitution of terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import ScalarType
from hecv.program.index import quasi_affine
from hecv.program.index.selector_folding import fold
from hecv.program.term_substitution import rename, rewrite
from hecv.program.tree import Alloc, Block, Function, If, Load, Loop, Memory, MemoryKind, Statement, walk


class Copies:
    """Makes fresh statement ids, fresh cells and clones of blocks for one function."""

    def __init__(self, pool: TermPool, function: Function) -> None:
        self._pool = pool
        self._next = 1 + max((s.id for s in walk(function.body)), default=0)
        self._next_memory = max(function.memories(), default=0)
        self.cells = {s.memory.id: s.memory for s in walk(function.body) if isinstance(s, Alloc)}
        """What the function allocates, and the cells made here, by id."""
        self.made: set[int] = set()
        """The ids of the cells made here."""

    def fresh(self) -> int:
        """A statement id that is not in use yet."""
        self._next += 1
        return self._next - 1

    def cell(self, name: str, element: ScalarType) -> Memory:
        """A new cell."""
        return self._kept(Memory(0, MemoryKind.CELL, name, element, ()))

    def _kept(self, cell: Memory) -> Memory:
        self._next_memory += 1
        made = replace(cell, id=self._next_memory, name=f"{cell.name}_{self._next_memory}")
        self.cells[made.id] = made
        self.made.add(made.id)
        return made

    def of(self, block: Block, settled: Mapping[Term, Term], inner: bool = False) -> Block:
        """A clone of the block, with loads and memories of its own, and the terms `settled` replaced.

        Loops inside the block keep their loads and memories, unless `inner` says to clone these too.
        """
        given = dict(settled)
        cells: dict[int, Memory] = {}

        def change(term: Term) -> Term:
            return replaced(self._pool, term, given)

        def renumbered(statements: Sequence[Statement]) -> Block:
            out: list[Statement] = []
            for statement in statements:
                if isinstance(statement, If):
                    condition = change(statement.condition)
                    then, otherwise = renumbered(statement.then), renumbered(statement.otherwise)
                    branch = replace(statement, condition=condition, then=then, otherwise=otherwise)
                    out.append(replace(branch, id=self.fresh()))
                    continue
                if isinstance(statement, Loop) and inner:
                    (whole,) = rewrite((replace(statement, body=()),), change)
                    assert isinstance(whole, Loop)
                    out.append(replace(whole, id=self.fresh(), body=renumbered(statement.body)))
                    continue
                if isinstance(statement, Alloc):
                    cells[statement.memory.id] = self._kept(statement.memory)
                (copy,) = rename(rewrite((statement,), change), cells)
                if isinstance(copy, Load):
                    copy = replace(copy, id=self.fresh())
                    old = self._pool.read(statement.id, copy.memory.element)
                    given[old] = self._pool.read(copy.id, copy.memory.element)
                out.append(copy)
            return tuple(out)

        return renumbered(block)


def is_cell(statement: Statement) -> bool:
    """True if the statement allocates a cell."""
    return isinstance(statement, Alloc) and statement.memory.kind is MemoryKind.CELL


def replaced(pool: TermPool, term: Term, given: Mapping[Term, Term]) -> Term:
    """`term` with each of the terms `given` replaced, folded."""
    return Replacement(pool, given.get)(term) if given else term


class Replacement:
    """Substitution: replaces each term for which `given` answers, and folds the terms built from it."""

    def __init__(self, pool: TermPool, given: Callable[[Term], Term | None]) -> None:
        self._pool = pool
        self._given = given
        self._memo: dict[int, Term] = {}

    def __call__(self, term: Term) -> Term:
        memo = self._memo
        for node in postorder((term,)) if term.id not in memo else ():
            if node.id not in memo:
                args = tuple([memo[a.id] for a in node.args])
                memo[node.id] = self._given(node) or self._built(node, args)
        return memo[term.id]

    def _built(self, node: Term, args: tuple[Term, ...]) -> Term:
        return node if args == node.args else fold(self._pool, quasi_affine.remade(self._pool, node, args))
