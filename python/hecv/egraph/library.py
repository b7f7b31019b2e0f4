"""Sessions with just the laws that can fire.

A law can fire where every operator of its left side occurs, or is made by another law that can. Opening a goal copies
the rules of its session, so fewer rules are faster goals; goals of the same operators share a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hecv.base.types import BOOL, FloatType, IndexType, IntType, ScalarType
from hecv.egraph.compile import Compiler, declare, symbol_of
from hecv.egraph.session import Session
from hecv.egraph.terms import Entry, Symbol
from hecv.rules.language import Operation, Pattern, kind_of
from hecv.rules.law import Instance, Law

SESSIONS: Final = 16
"""The most sessions that are kept."""


class RuleSession:
    """A session with the rules of some laws."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self.session: Final = Session()
        declare(self.session)
        self.compiler: Final = Compiler(self.session)
        conditional: set[str] = set()
        for instance in instances:
            self.compiler.add(instance)
            if instance.conditional:
                conditional.add(instance.name)
        self.conditional: Final = frozenset(conditional)
        """The names of the rules that rest on facts of a goal."""


class Library:
    """Makes sessions for what occurs in goals, and keeps some of them."""

    def __init__(self, laws: Sequence[Law], index_width: int) -> None:
        self._laws: Final = laws
        self._index_width: Final = index_width
        self._instances: dict[frozenset[ScalarType], list[_Reach]] = {}
        self._relevant: dict[frozenset[Symbol], tuple[frozenset[str], tuple[Instance, ...]]] = {}
        self._sessions: dict[frozenset[str], RuleSession] = {}

    def session(self, entries: Sequence[Entry]) -> RuleSession:
        """A session for a goal of these nodes."""
        operators = frozenset(e.symbol for e in entries if e.args and not e.symbol.unknown)
        if operators not in self._relevant:
            reached = self._reachable(operators, _types(entries))
            self._relevant[operators] = (frozenset(instance.name for instance in reached), reached)
        key, instances = self._relevant[operators]
        found = self._sessions.pop(key, None) or RuleSession(instances)
        if len(self._sessions) >= SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[key] = found
        found.session.prepare({len(entry.args) for entry in entries})
        return found

    def forget(self) -> None:
        """Drops all sessions: one of them is spent."""
        self._sessions.clear()

    def _reachable(self, operators: frozenset[Symbol], types: frozenset[ScalarType]) -> tuple[Instance, ...]:
        if types not in self._instances:
            kinds = [kind_of(t, self._index_width) for t in sorted(types, key=str)]
            self._instances[types] = [_Reach(i) for law in self._laws for i in law.instances(kinds)]
        present = set(operators)
        waiting, found = self._instances[types], list[Instance]()
        while True:
            before = len(found)
            rest: list[_Reach] = []
            for reach in waiting:
                if reach.needs <= present:
                    found.append(reach.instance)
                    present |= reach.makes
                else:
                    rest.append(reach)
            if len(found) == before:
                return tuple(found)
            waiting = rest


class _Reach:
    """The operators that a law needs on its left, and those that it makes."""

    def __init__(self, instance: Instance) -> None:
        self.instance: Final = instance
        self.needs: Final = frozenset(_operators(instance.equation.left))
        self.makes: Final = frozenset(_operators(instance.equation.right))


def _operators(pattern: Pattern) -> set[Symbol]:
    if not isinstance(pattern, Operation):
        return set()
    return {symbol_of(pattern)}.union(*[_operators(a) for a in pattern.args])


def _types(entries: Sequence[Entry]) -> frozenset[ScalarType]:
    """The types that occur, and i1."""
    found: set[ScalarType] = {BOOL}
    for entry in entries:
        for type_ in (entry.symbol.type, *entry.symbol.operands):
            if isinstance(type_, IntType | IndexType | FloatType):
                found.add(type_)
    return frozenset(found)
