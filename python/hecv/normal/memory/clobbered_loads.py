"""Clobbered loads: those with a use that a store may have overtaken, whose value must be kept."""

from __future__ import annotations

from collections.abc import Iterable

from hecv.base.term import Term
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Statement,
    Store,
    Touch,
    While,
)

MAX_CHANGES = 300
"""Stores to one memory, between a load and its use, that are looked at; beyond, the value is kept in a cell."""


class Clobbers:
    """Finds the loads that must keep their value in a cell, since a store may come between load and use.

    Each memory has a version. It is renewed wherever the memory may have changed: at a store, and at the entry of a
    loop that stores to it (an earlier iteration may have run). A read is current while the versions it saw are, or
    while every store since is to another element, at a constant distance: between a load and its uses the load's own
    loops stay in one iteration, so equal induction variables have equal values. A store to one of the memories
    `overlapping` may change any of the others.
    """

    def __init__(self, body: Block, overlapping: frozenset[int] = frozenset()) -> None:
        self._overlapping = overlapping
        self.kept: set[int] = set()
        self._seen: dict[int, dict[int, int]] = {}
        self._versions: dict[int, int] = {}
        self._clock = 0
        self._loads: dict[int, Load] = {}
        self._changes: dict[int, list[tuple[int, tuple[Term, ...] | None]]] = {}
        self._reads: dict[int, frozenset[int]] = {}
        self._written: dict[int, frozenset[int]] = {}
        _collect_written(body, self._written)
        self._block(body)

    def _renew(self, memories: Iterable[int], indices: tuple[Term, ...] | None = None) -> None:
        """Notes that the memories may have changed; only at `indices` if these are given. Overlapping memories may,
        anywhere."""
        changed = dict.fromkeys(memories, indices)
        if not self._overlapping.isdisjoint(changed):
            changed |= dict.fromkeys(self._overlapping - changed.keys(), None)
        for memory, where in changed.items():
            self._clock += 1
            self._versions[memory] = self._clock
            self._changes.setdefault(memory, []).append((self._clock, where))

    def _use(self, terms: Iterable[Term]) -> frozenset[int]:
        """Checks every read in `terms` at this point of the program, and returns the reads."""
        reads = frozenset[int]().union(*(self.reads(t) for t in terms))
        for load in reads:
            if load not in self.kept and not self._is_current(load):
                self.kept.add(load)
        return reads

    def _is_current(self, load: int) -> bool:
        """True if memory still holds what the load read."""
        own = self._loads[load]
        for memory, version in self._seen[load].items():
            if self._versions.get(memory, 0) == version:
                continue
            # A subscript from memory may itself have been overtaken: then the load is of another element.
            indirect = any(self.reads(t) for t in own.indices)
            if memory != own.memory.id or indirect or not self._untouched(own, version):
                return False
        return True

    def _untouched(self, load: Load, version: int) -> bool:
        """True if every change of the load's memory after `version` is to another element than the load read."""
        changes = self._changes[load.memory.id]
        for place in range(len(changes) - 1, max(-1, len(changes) - 1 - MAX_CHANGES), -1):
            when, indices = changes[place]
            if when <= version:
                return True
            if indices is None or not apart(indices, load.indices):
                return False
        return len(changes) <= MAX_CHANGES

    def reads(self, term: Term) -> frozenset[int]:
        """The ids of the loads whose value `term` depends on."""
        known = self._reads
        stack = [term]
        while stack:  # what is known is not walked again: terms share most of a long function
            node = stack[-1]
            missing = [] if node.id in known else [a for a in node.args if a.id not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if node.id in known:
                continue
            if node.op == "read":
                known[node.id] = frozenset((load_id(node),))
            else:
                parts = {known[a.id] for a in node.args}
                known[node.id] = next(iter(parts)) if len(parts) == 1 else frozenset[int]().union(*parts)
        return known[term.id]

    def _block(self, block: Block) -> None:
        for statement in block:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Load(id=number, memory=memory, indices=indices):
                seen = {memory.id: self._versions.get(memory.id, 0)}
                for inner in self._use(indices) - self.kept:
                    seen |= self._seen[inner]
                self._seen[number] = seen
                self._loads[number] = statement
            case Store():
                self._use((*statement.indices, statement.value))
                self._renew((statement.memory.id,), statement.indices)
            case Alloc() | Dealloc():
                self._use(statement.memory.extents)
                self._renew((statement.memory.id,))
            case Evaluate():
                self._use((statement.term,))
            case Touch():
                self._use((*statement.accesses, *statement.terms))
            case Assert():
                self._use((statement.condition, *statement.exact))
            case Call():
                self._use(statement.operands)
                self._renew(m.id for m in (*statement.memories, *statement.results))
            case Loop():
                self._use((*statement.lowers, *statement.uppers, statement.step))
                self._renew(self._written[id(statement)])
                self._block(statement.body)
            case While():
                self._renew(self._written[id(statement)])
                self._block(statement.before)
                self._use((statement.condition,))
                self._block(statement.after)
                self._renew(self._written[id(statement)])
            case If():
                self._use((statement.condition,))
                before = dict(self._versions)
                self._block(statement.then)
                self._versions = before
                self._block(statement.otherwise)
                self._renew(self._written[id(statement)])


def load_id(read: Term) -> int:
    """The id of the load whose value a `read` is."""
    load = read.attr("load")
    assert isinstance(load, int)
    return load


def _collect_written(block: Block, written: dict[int, frozenset[int]]) -> frozenset[int]:
    """Fills `written` with the memories that each loop and branch may change, by identity: copies of one statement have
    its number, and cells of their own. Returns those of the block."""
    here: set[int] = set()
    for statement in block:
        match statement:
            case Store() | Alloc() | Dealloc():
                here.add(statement.memory.id)
            case Call():
                here |= {m.id for m in (*statement.memories, *statement.results)}
            case Loop():
                written[id(statement)] = _collect_written(statement.body, written)
                here |= written[id(statement)]
            case While():
                before = _collect_written(statement.before, written)
                written[id(statement)] = before | _collect_written(statement.after, written)
                here |= written[id(statement)]
            case If():
                then = _collect_written(statement.then, written)
                written[id(statement)] = then | _collect_written(statement.otherwise, written)
                here |= written[id(statement)]
            case _:
                pass
    return frozenset(here)


def apart(left: tuple[Term, ...], right: tuple[Term, ...]) -> bool:
    """True if two subscripts differ by a nonzero constant in some dimension, whatever the variables are."""
    for one, other in zip(left, right, strict=True):
        a, b = quasi_affine.linear(one), quasi_affine.linear(other)
        if a.terms == b.terms and a.constant != b.constant:
            return True
    return False
