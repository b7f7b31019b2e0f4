"""Use after free: memory that may be accessed after its deallocation, read off the statement tree without isl."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import islpy as isl

from hecv.base.term import Term, postorder
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Translator
from hecv.dataflow.model.value_dataflow import Isl
from hecv.program.tree import Alloc, Assert, Block, Call, Dealloc, If, Load, Loop, Statement, Store, While, roots

OPERATIONS: Final = 100_000
"""The budget of isl operations to decide whether two paths exclude each other."""

_Path = frozenset[tuple[Term, bool]]
"""A path: conditions that are constant throughout a run, and whether they hold."""


def dead_access(block: Block, index_width: int) -> int | None:
    """A statement that may use memory after its deallocation; None if the tree shows that there is none.

    A deallocation is accepted if it stands in the block of its allocation or in branches within that, and nothing after
    it names the memory except in a branch that excludes the path of the deallocation: conditions that are constant
    throughout a run, and assertions that were passed, exclude each other.
    """
    return _Lifetimes(index_width).block(block, frozenset(), frozenset())


class _Lifetimes:
    """Where memories have been deallocated, at the present statement."""

    def __init__(self, index_width: int) -> None:
        self._index_width: Final = index_width
        self._dead: dict[int, frozenset[_Path]] = {}

    def block(self, block: Block, allocated: frozenset[int], path: _Path) -> int | None:
        """The result of `dead_access` for a block on a path; `allocated` is what the enclosing iteration allocates."""
        for statement in block:
            if any(self._may_be_dead(m, path) for m in _named(statement)):
                return statement.id
            found = None
            match statement:
                case Assert(condition=condition):
                    path |= _fact(statement, condition, True)
                case Alloc(memory=memory):
                    allocated |= {memory.id}
                case Dealloc(memory=memory):
                    if memory.id not in allocated:
                        return statement.id
                    self._dead[memory.id] = self._dead.get(memory.id, frozenset()) | {path}
                case Loop(body=body):
                    found = self.block(body, frozenset(), path)
                case If():
                    found = self._branches(statement, allocated, path)
                case While(before=before, after=after):
                    found = self.block((*before, *after), frozenset(), path)
                case _:
                    pass
            if found is not None:
                return found
        return None

    def _branches(self, statement: If, allocated: frozenset[int], path: _Path) -> int | None:
        before, after = self._dead, dict[int, frozenset[_Path]]()
        for holds, branch in ((True, statement.then), (False, statement.otherwise)):
            self._dead = dict(before)
            found = self.block(branch, allocated, path | _fact(statement, statement.condition, holds))
            if found is not None:
                return found
            after |= {m: paths | after.get(m, frozenset()) for m, paths in self._dead.items()}
        self._dead = after
        return None

    def _may_be_dead(self, memory: int, path: _Path) -> bool:
        """Whether a memory may have been deallocated where control takes a path."""
        return not all(_exclude(dead, path, self._index_width) for dead in self._dead.get(memory, frozenset()))


def _fact(statement: If | Assert, condition: Term, holds: bool) -> _Path:
    """What is known behind a condition: nothing where it is not the same throughout a run, or says what the program
    says under premises only."""
    fixed = all(t.args or t.op in ("const", "arg", "dim") for t in postorder((condition,)))
    return (
        frozenset({(condition, holds)}) if fixed and not statement.exact and not _loaded((condition,)) else frozenset()
    )


def _exclude(one: _Path, other: _Path, index_width: int) -> bool:
    """Whether no run takes both paths."""
    if any((condition, not holds) in other for condition, holds in one):
        return True
    parameters = Parameters(index_width=index_width)
    translator = Translator(parameters, {})
    texts: list[str] = []
    for condition, holds in sorted(one | other, key=lambda fact: (fact[0].id, fact[1])):
        with suppress(NotAffine):
            texts.append(f"({translator.condition(condition, holds)})")
    try:
        return Isl(parameters, texts, OPERATIONS).known.is_empty()
    except isl.Error:  # beyond its budget
        return False


def _named(statement: Statement) -> Iterable[int]:
    loaded = _loaded(roots(statement))
    match statement:
        case Load(memory=memory) | Store(memory=memory) | Alloc(memory=memory) | Dealloc(memory=memory):
            return [memory.id, *loaded]
        case Call(memories=memories):
            return [*(m.id for m in memories), *loaded]
        case _:
            return loaded


def _loaded(terms: tuple[Term, ...]) -> list[int]:
    return [int(str(t.attr("memory"))) for t in postorder(terms) if t.op == "load"]
