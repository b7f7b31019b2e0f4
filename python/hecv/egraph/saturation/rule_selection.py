"""Rule selection: sessions with only the laws that can fire.

A law can fire if every operator of its left side occurs, or is made by another law that can fire. A modest law is taken
only if the goal itself has the operators of its left side, and those of its right side occur or are made. Opening a
goal copies the rules of its session, so fewer rules make faster goals; goals with the same operators share a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hecv.base.types import BOOL, FloatType, IndexType, IntType, ScalarType
from hecv.egraph.saturation.law_compiler import Compiler, declare, symbol_of
from hecv.egraph.session import Session
from hecv.egraph.total_terms import Entry, Symbol
from hecv.ops import OPERATORS, facts_about
from hecv.patterns.equations.equations import Operation, Pattern, kind_of
from hecv.patterns.equations.law_record import Instance, Law, rule_of

if TYPE_CHECKING:
    from hecv.egraph.saturation.rule_admission import Admission

SESSIONS: Final = 16
"""The most sessions that are cached."""


def _spelt_with(ops: Iterable[str]) -> set[str]:
    """Operators that are spelt with one another, of sums and products and of divisions: a goal that has one of them has
    all, for a modest law."""
    given = [facts_about(op) for op in ops]
    wraps, divides = any(f.wraps is not None for f in given), any(f.division is not None for f in given)
    known = ((op, operator.facts) for op, operator in OPERATORS.items())
    return {op for op, f in known if (wraps and f.wraps is not None) or (divides and f.division is not None)}


class RuleSession:
    """A session with the rules of some laws."""

    def __init__(self, instances: Iterable[Instance], admission: Admission | None = None) -> None:
        self.session: Final = Session()
        declare(self.session)
        self.compiler: Final = Compiler(self.session)
        self.users: Final[dict[str, list[Instance]]] = {}
        """The expanding laws of users, by the names of their rules; each rule has a ruleset of its own."""
        conditional: set[str] = set()
        for instance in instances:
            if admission is not None and admission.owns(instance) and instance.law.expands:
                self._add(instance)
            else:
                self.compiler.add(instance)
            if instance.conditional:
                conditional.add(instance.name)
        self.conditional: Final = frozenset(conditional)
        """The names of the rules that rest on facts of a goal."""

    def _add(self, instance: Instance) -> None:
        rule = rule_of(instance.name)
        if rule not in self.users:
            self.users[rule] = []
            self.session.ruleset(ruleset_of(rule))
        self.users[rule].append(instance)
        self.compiler.add(instance, ruleset_of(rule))


def ruleset_of(rule: str) -> str:
    """The ruleset of a user's expanding rule."""
    return f"user-{rule}"


class Library:
    """Makes sessions for the operators of goals, and caches some. Users' laws go through `admission`."""

    def __init__(self, laws: Sequence[Law], index_width: int, admission: Admission | None = None) -> None:
        self._laws: Final = laws
        self._index_width: Final = index_width
        self._admission: Final = admission
        self._instances: dict[frozenset[ScalarType], dict[int, list[_Reach]]] = {}
        self._relevant: dict[frozenset[Symbol], tuple[frozenset[str], tuple[Instance, ...]]] = {}
        self._sessions: dict[frozenset[str], RuleSession] = {}

    def session(self, entries: Sequence[Entry]) -> RuleSession:
        """A session for a goal of these nodes.

        Raises: FalseLaw.
        """
        key, instances = self.reach(entries)
        found = self._sessions.pop(key, None) or RuleSession(instances, self._admission)
        if len(self._sessions) >= SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[key] = found
        found.session.prepare({len(entry.args) for entry in entries})
        return found

    def reach(self, entries: Sequence[Entry]) -> tuple[frozenset[str], tuple[Instance, ...]]:
        """The laws that can fire on these nodes, or on what laws make of them, and their names.

        Raises: FalseLaw.
        """
        operators = frozenset(e.symbol for e in entries if e.args and not e.symbol.unknown)
        if operators not in self._relevant:
            reached = self._reachable(operators, _types(entries))
            self._relevant[operators] = (frozenset(instance.name for instance in reached), reached)
        return self._relevant[operators]

    def forget(self) -> None:
        """Drops all sessions, after one of them failed."""
        self._sessions.clear()

    def _reachable(self, operators: frozenset[Symbol], types: frozenset[ScalarType]) -> tuple[Instance, ...]:
        present = set(operators)
        given = frozenset(symbol.op for symbol in operators)
        given = given | _spelt_with(given)
        waiting, found = dict[int, list[_Reach]](), list[Instance]()
        while True:
            before = len(found)
            names = {symbol.op for symbol in present}
            for number in self._rooted(names) - waiting.keys():
                waiting[number] = self._reaches(number, types)
            rest: dict[int, list[_Reach]] = {number: [] for number in waiting}
            for number, reach in ((n, r) for n in sorted(waiting) for r in waiting[n]):
                if reach.fits(present, names, given):
                    instance = reach.instance if self._admission is None else self._admission.admit(reach.instance)
                    if instance is not None:
                        found.append(instance)
                        present |= reach.makes
                else:
                    rest[number].append(reach)
            if len(found) == before:
                return tuple(found)
            waiting = rest

    def _rooted(self, names: set[str]) -> set[int]:
        """The laws that have an operator of such a name at the root of their left side, by number."""
        return {number for number, law in enumerate(self._laws) if law.root in names}

    def _reaches(self, number: int, types: frozenset[ScalarType]) -> list[_Reach]:
        """The instances of a law at these types."""
        known = self._instances.setdefault(types, {})
        if number not in known:
            kinds = [kind_of(t, self._index_width) for t in sorted(types, key=str)]
            known[number] = [_Reach(i) for i in self._laws[number].instances(kinds)]
        return known[number]


class _Reach:
    """The operators that a law needs on its left, and those that it makes. Most laws are told apart by their roots, so
    these are computed only where they are asked for."""

    def __init__(self, instance: Instance) -> None:
        self.instance: Final = instance
        left = instance.equation.left
        self.root: Final = left.op if isinstance(left, Operation) else ""

    @cached_property
    def needs(self) -> frozenset[Symbol]:
        return frozenset(_operators(self.instance.equation.left))

    @cached_property
    def makes(self) -> frozenset[Symbol]:
        return frozenset(_operators(self.instance.equation.right))

    def fits(self, present: set[Symbol], names: set[str], given: frozenset[str]) -> bool:
        """Whether the law can fire if these operators, of these names, are present; `given` are those of the goal
        itself."""
        if self.root not in names or not self.needs <= present:
            return False
        modest = self.instance.law.modest
        return not modest or (self.makes <= present and {symbol.op for symbol in self.needs} <= given)


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
