"""The derivation of a match: the term that a class was matched as, so that the equality can be justified.

A match says what variables stand for, not which e-nodes were taken. Here one derivation is found in which the pattern,
under the substitution, describes a term that the class holds. What is proved of that term does not depend on the
machine.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from hecv.base.recursion_limit import usual_depth
from hecv.patterns.calculus.claim_unfolding import LOCAL, renamed
from hecv.patterns.calculus.guard_expressions import holds, same_value
from hecv.patterns.calculus.match_subject import Operator
from hecv.patterns.calculus.matches import Bound, Match
from hecv.patterns.calculus.pattern_ast import (
    Alternate,
    Apply,
    ApplyVariable,
    Call,
    Constant,
    Constrained,
    Definition,
    Definitions,
    Exists,
    Expression,
    Guarded,
    Pattern,
    Variable,
)
from hecv.patterns.equations.equations import Kind, Number, Operation, replaced
from hecv.patterns.equations.equations import Pattern as Typed
from hecv.patterns.equations.equations import Variable as TypedVariable
from hecv.patterns.machine.eclass_subject import ClassSubject, Member
from hecv.patterns.typing.claim_guards import literals_asked

MOST_STEPS: Final = 20_000
DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Derivation:
    """A term of a class, with a variable for each class that is not expanded further.

    `named` are the parts that the rule's variables stand for, `classes` the class of each variable of the term.
    """

    term: Typed
    named: Mapping[str, Typed]
    classes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _State:
    terms: Mapping[str, int]
    functions: Mapping[str, tuple[Operator, int]]
    guards: tuple[Expression, ...] = ()
    parts: tuple[tuple[str, Typed], ...] = ()


class _Exhausted(Exception):
    """The bound on steps was met."""


def derivation(
    definitions: Definitions,
    definition: Definition,
    match: Match,
    subject: ClassSubject,
    value: int,
    literals: Container[str] = (),
) -> Derivation | None:
    """A derivation of the definition's match with the value, under this substitution; None if none was found.

    For the parameters `literals` the value counts, if they are literals.
    """
    functions = {name: (operator, match.arities[name]) for name, operator in match.functions.items()}
    search = _Search(definitions, subject)
    start = _State(dict(match.terms), functions)
    names = {p.name: p.name for p in definition.parameters}
    try:
        with usual_depth():
            for state, term in search.find(definition.body, value, names, start, DEPTH):
                if search.accepts(state):
                    return _derivation(state, term, subject, literals)
    except (_Exhausted, RecursionError):
        return None
    return None


def _derivation(state: _State, term: Typed, subject: ClassSubject, literals: Container[str]) -> Derivation:
    """The term with the parts that match constraints put in the place of variables, and literals where they were asked
    for."""
    names = {name for g in state.guards for name in literals_asked(g)}
    asked = {home for name, home in state.terms.items() if name in names or name in literals}
    holes: dict[str, Typed] = {}
    for name, home in state.terms.items():
        holes[name] = _hole(name, home, subject, home in asked)
    parts = dict(state.parts)
    for _ in parts:
        parts = {name: replaced(part, parts) for name, part in parts.items()}
    final = {name: replaced(parts.get(name, hole), holes) for name, hole in holes.items()}
    canonical: dict[str, Typed] = {}
    first: dict[int, str] = {}
    for name, home in state.terms.items():
        kept = first.setdefault(home, name)
        canonical[name] = final[name] if kept == name else final[kept]
    return Derivation(replaced(term, canonical), canonical, dict(state.terms))


def _hole(name: str, home: int, subject: ClassSubject, asked: bool) -> Typed:
    kind, known = subject.kinds[home], subject.literals[home]
    assert kind is not None
    if asked and known is not None:
        return Number(kind, known.hex() if isinstance(known, float) else known)
    return TypedVariable(kind, name)


@dataclass(slots=True)
class _Search:
    """Backtracking over e-nodes, definitions and alternates."""

    definitions: Definitions
    subject: ClassSubject
    _fresh: Iterator[int] = field(default_factory=lambda: count(1))
    _steps: int = 0

    def accepts(self, state: _State) -> bool:
        """Whether all guards hold."""
        match = Match(
            state.terms,
            {name: operator for name, (operator, _) in state.functions.items()},
            {name: arity for name, (_, arity) in state.functions.items()},
        )
        return all(holds(g, Bound(match, self.subject)) for g in state.guards)

    def find(
        self, pattern: Pattern, value: int, names: Mapping[str, str], state: _State, depth: int
    ) -> Iterator[tuple[_State, Typed]]:
        """The derivations in which a pattern describes a class."""
        self._steps += 1
        kind = self.subject.kinds[value]
        if self._steps > MOST_STEPS:
            raise _Exhausted
        if kind is None:
            return
        match pattern:
            case Variable(name=name):
                known = state.terms.get(names[name])
                if known is None or known == value:
                    bound = replace(state, terms={**state.terms, names[name]: value})
                    yield bound, TypedVariable(kind, names[name])
            case Constant(value=literal):
                known_value = self.subject.literals[value]
                if known_value is not None and self.subject.is_literal(value, literal):
                    yield state, Number(kind, known_value.hex() if isinstance(known_value, float) else known_value)
            case Apply() | ApplyVariable():
                yield from self._members(pattern, value, kind, names, state, depth)
            case Alternate(first=first, second=second):
                yield from self.find(first, value, names, state, depth)
                yield from self.find(second, value, names, state, depth)
            case Guarded(pattern=inner, guard=guard):
                guarded = replace(state, guards=(*state.guards, renamed(guard, names)))
                yield from self.find(inner, value, names, guarded, depth)
            case Exists(variable=variable, pattern=inner):
                local = {**names, variable: f"{variable}{LOCAL}{next(self._fresh)}"}
                yield from self.find(inner, value, local, state, depth)
            case Constrained():
                yield from self._constrained(pattern, value, names, state, depth)
            case Call(name=name, args=args) if depth:
                definition = self.definitions[name]
                inner_names = {p.name: names[a] for p, a in zip(definition.parameters, args, strict=True)}
                yield from self.find(definition.body, value, inner_names, state, depth - 1)
            case Call():
                return

    def _constrained(
        self, pattern: Constrained, value: int, names: Mapping[str, str], state: _State, depth: int
    ) -> Iterator[tuple[_State, Typed]]:
        variable = names[pattern.variable]
        for found, term in self.find(pattern.pattern, value, names, state, depth):
            if variable not in found.terms:
                continue
            for after, part in self.find(pattern.other, found.terms[variable], names, found, depth):
                yield replace(after, parts=(*after.parts, (variable, part))), term

    def _members(
        self,
        pattern: Apply | ApplyVariable,
        value: int,
        kind: Kind,
        names: Mapping[str, str],
        state: _State,
        depth: int,
    ) -> Iterator[tuple[_State, Typed]]:
        for member in self.subject.members[value]:
            bound = self._bound(pattern, member, names, state)
            if bound is None:
                continue
            for after, args in self._operands(pattern.args, member.args, names, bound, depth):
                yield after, Operation(kind, member.op, args, member.attrs)

    def _bound(
        self, pattern: Apply | ApplyVariable, member: Member, names: Mapping[str, str], state: _State
    ) -> _State | None:
        """The state once the operator of an e-node was taken for that of the pattern; None where it is another."""
        node = member.node
        if len(node.args) != len(pattern.args):
            return None
        if isinstance(pattern, Apply):
            attrs = dict(node.operator.attrs)
            same = all(n in attrs and same_value(attrs[n], v) for n, v in pattern.attrs)
            return state if same and (node.operator.name, node.result) == (pattern.op, pattern.result) else None
        if node.results != 1:
            return None
        name, operator = names[pattern.function], (node.operator, len(node.args))
        if state.functions.get(name, operator) != operator:
            return None
        return replace(state, functions={**state.functions, name: operator})

    def _operands(
        self,
        patterns: tuple[Pattern, ...],
        values: tuple[int, ...],
        names: Mapping[str, str],
        state: _State,
        depth: int,
    ) -> Iterator[tuple[_State, tuple[Typed, ...]]]:
        if not patterns:
            yield state, ()
            return
        for after, first in self.find(patterns[0], values[0], names, state, depth):
            for last, rest in self._operands(patterns[1:], values[1:], names, after, depth):
                yield last, (first, *rest)
