"""Reloads a stored value instead of recomputing it, where its operands are overwritten.

    store f(A[i]), A[i]; ... f(old A[i]) ...   =>   store f(A[i]), A[i]; ... A[i] ...

Without it a cell has to keep the old `A[i]`, since the store has changed it. `A[i]` holds that very value as long as
nothing else is stored there. So unrolled copies of such a statement have no cells of their own and can be re-rolled.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, rebuild
from hecv.base.types import IndexType
from hecv.normal.memory.clobbered_loads import Clobbers
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Block, If, Load, Loop, MemoryKind, Statement, Store, While, walk

MOST_STATEMENTS: Final = 2_000
"""Statements of a body, at most; a longer one stays as it is."""

MOST_ROUNDS: Final = 4
"""Rounds, at most: each refuses the reloads that were overtaken themselves."""


def reload_stored_values(pool: TermPool, body: Block, overlapping: frozenset[int]) -> Block:
    """The body with loads after such stores, if fewer values have to be kept then.

    Ensures: the same stores, and undefined behaviour on the same inputs: what was just stored is in bounds.
    """
    if sum(1 for _ in walk(body)) > MOST_STATEMENTS:
        return body
    clobbers = Clobbers(body, overlapping)
    refused: set[int] = set()
    for _ in range(MOST_ROUNDS if clobbers.kept else 0):
        reader = _Reloader(pool, clobbers, frozenset(refused), 1 + max(s.id for s in walk(body)))
        made = reader.block(body)
        kept = Clobbers(made, overlapping).kept
        overtaken = kept & reader.stores.keys()
        if not overtaken:
            return made if len(kept) < len(clobbers.kept) else body
        refused |= {reader.stores[load] for load in overtaken}
    return body


class _Reloader(Struct):
    """Puts a load after each store of a value that depends on a kept read; `stores` has the store of each load."""

    pool: TermPool
    clobbers: Clobbers
    refused: frozenset[int]
    number: int
    stores: dict[int, int] = field(default_factory=dict[int, int])
    used: set[int] = field(default_factory=set[int])

    def block(self, block: Block) -> Block:
        """The block with those loads that are used later in it."""
        out: list[Statement] = []
        held: dict[int, Load] = {}
        memo: dict[int, Term] = {}
        for statement in block:
            out += rewrite((self._within(statement),), partial(self._term, held, memo))
            if isinstance(statement, Store) and self._is_wanted(statement):
                load = Load(self.number, statement.memory, statement.indices)
                self.number += 1
                self.stores[load.id] = statement.id
                out.append(load)
                held[statement.value.id], memo = load, {}
        return tuple([s for s in out if not isinstance(s, Load) or s.id not in self.stores or s.id in self.used])

    def _within(self, statement: Statement) -> Statement:
        match statement:
            case Loop():
                return replace(statement, body=self.block(statement.body))
            case If():
                return replace(statement, then=self.block(statement.then), otherwise=self.block(statement.otherwise))
            case While():
                return replace(statement, before=self.block(statement.before), after=self.block(statement.after))
            case _:
                return statement

    def _term(self, held: dict[int, Load], memo: dict[int, Term], root: Term) -> Term:
        def leaf(term: Term) -> Term | None:
            load = held.get(term.id)
            if load is None:
                return None
            self.used.add(load.id)
            return self.pool.read(load.id, load.memory.element)

        return rebuild(self.pool, root, leaf, memo) if held else root

    def _is_wanted(self, store: Store) -> bool:
        """True if a store is of an operator's value that depends on a kept read, to an element whose subscripts read no
        memory."""
        if store.id in self.refused or not store.value.args or isinstance(store.value.type, IndexType):
            return False
        if store.memory.kind is MemoryKind.CELL or any(self.clobbers.reads(t) for t in store.indices):
            return False
        return not self.clobbers.kept.isdisjoint(self.clobbers.reads(store.value))
