"""The declarative semantics: when a substitution is a match, `p @ <theta, phi> ~ t` (PYPM, section 3.2).

One rule a pattern, as in the paper; independent of the machine. A statement "this pattern, under this substitution,
matches this value" holds if it has a finite derivation. All statements that a derivation may need are listed, each with
the sets of premises any one of which suffices, and the least fixpoint is computed. On a graph with cycles, too, that is
finite.

PYPM's terms have one operator; a value of an e-class has several, and it suffices that one of them matches.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hecv.patterns.calculus.guard_expressions import holds, same_value
from hecv.patterns.calculus.match_subject import Node, Operator, Subject
from hecv.patterns.calculus.matches import Bound, Match, operator_key
from hecv.patterns.calculus.pattern_ast import (
    Alternate,
    Apply,
    ApplyVariable,
    Call,
    Constant,
    Constrained,
    Definitions,
    Exists,
    Expression,
    Guarded,
    Pattern,
    Sort,
    Value,
    Variable,
)

_Meaning = int | tuple[Operator, int]
_Scope = Mapping[str, _Meaning]
_Statement = tuple[Pattern, int, int]
_Key = tuple[int, int, int]


def accepts(definitions: Definitions, pattern: Pattern, match: Match, subject: Subject, value: int) -> bool:
    """Whether `pattern @ match ~ value`: the substitution is a match of the pattern with the value.

    A variable without a value in the match has none: what needs it has no derivation. Variables of `Exists` range over
    the values that are reachable from `value` and from those of the match, or over the operators of these.
    """
    functions = {name: (operator, match.arities[name]) for name, operator in match.functions.items()}
    derivation = _Derivation(definitions, subject, _reachable(subject, (value, *match.terms.values())))
    root = (pattern, derivation.number({**match.terms, **functions}), value)
    return _key(root) in derivation.solve(root)


@dataclass(slots=True, eq=False)
class _Derivation:
    """The statements about one subject. Scopes are numbered, so that statements compare fast."""

    definitions: Definitions
    subject: Subject
    values: tuple[int, ...]
    scopes: list[_Scope] = field(default_factory=list[_Scope])
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])

    def number(self, scope: _Scope) -> int:
        """The number of a scope, the same for equal substitutions."""
        key = frozenset(
            (name, meaning if isinstance(meaning, int) else operator_key(*meaning)) for name, meaning in scope.items()
        )
        if key not in self.numbers:
            self.numbers[key] = len(self.scopes)
            self.scopes.append(scope)
        return self.numbers[key]

    def solve(self, root: _Statement) -> set[_Key]:
        """The statements that hold, among those that a derivation of the root may need."""
        premises: dict[_Key, list[set[_Key]]] = {}
        users: dict[_Key, list[_Key]] = {}
        todo = [root]
        while todo:
            statement = todo.pop()
            key = _key(statement)
            if key in premises:
                continue
            ways = [list(way) for way in self.ways(*statement)]
            premises[key] = [{_key(part) for part in way} for way in ways]
            for part in (part for way in ways for part in way):
                users.setdefault(_key(part), []).append(key)
                todo.append(part)
        return _least(premises, users)

    def ways(self, pattern: Pattern, number: int, value: int) -> Iterator[Iterable[_Statement]]:
        """The derivation rules with this conclusion: the premises of each."""
        scope = self.scopes[number]
        match pattern:
            case Variable(name=name):
                if scope.get(name) == value:
                    yield ()
            case Constant(value=literal):
                if self.subject.is_literal(value, literal):
                    yield ()
            case Apply(args=args):
                for node in self.subject.nodes(value):
                    if _is(pattern, node):
                        yield [(part, number, arg) for part, arg in zip(args, node.args, strict=True)]
            case ApplyVariable(function=function, args=args):
                for node in self.subject.nodes(value):
                    if _stands_for(scope.get(function), node) and len(args) == len(node.args):
                        yield [(part, number, arg) for part, arg in zip(args, node.args, strict=True)]
            case Alternate(first=first, second=second):
                yield ((first, number, value),)
                yield ((second, number, value),)
            case Guarded(pattern=inner, guard=guard):
                if self.holds(guard, scope):
                    yield ((inner, number, value),)
            case Exists(variable=variable, pattern=inner, sort=sort):
                for meaning in self.meanings(sort):
                    yield ((inner, self.number({**scope, variable: meaning}), value),)
            case Constrained(pattern=inner, variable=variable, other=other):
                held = scope.get(variable)
                if isinstance(held, int):
                    yield ((inner, number, value), (other, number, held))
            case Call(name=name, args=args):
                definition = self.definitions[name]
                pairs = zip(definition.parameters, args, strict=True)
                called = {parameter.name: scope[arg] for parameter, arg in pairs if arg in scope}
                yield ((definition.body, self.number(called), value),)

    def holds(self, guard: Expression, scope: _Scope) -> bool:
        """Whether the guard is known to be true."""
        terms = {name: meaning for name, meaning in scope.items() if isinstance(meaning, int)}
        functions = {name: meaning for name, meaning in scope.items() if not isinstance(meaning, int)}
        operators = {name: operator for name, (operator, _) in functions.items()}
        arities = {name: arity for name, (_, arity) in functions.items()}
        return holds(guard, Bound(Match(terms, operators, arities), self.subject))

    def meanings(self, sort: Sort) -> Iterable[_Meaning]:
        """The possible values of a variable."""
        if sort == "term":
            return self.values
        nodes = [node for value in self.values for node in self.subject.nodes(value) if node.results == 1]
        return {operator_key(n.operator, len(n.args)): (n.operator, len(n.args)) for n in nodes}.values()


def _key(statement: _Statement) -> _Key:
    pattern, number, value = statement
    return (id(pattern), number, value)


def _least(premises: Mapping[_Key, list[set[_Key]]], users: Mapping[_Key, list[_Key]]) -> set[_Key]:
    """What follows from rules without premises."""
    true: set[_Key] = set()
    todo = list(premises)
    while todo:
        key = todo.pop()
        if key not in true and any(way <= true for way in premises[key]):
            true.add(key)
            todo += users.get(key, ())
    return true


def _is(pattern: Apply, node: Node) -> bool:
    """The node is of the pattern's operator, with the attributes that it asks for."""
    if (pattern.op, pattern.result, len(pattern.args)) != (node.operator.name, node.result, len(node.args)):
        return False
    held: dict[str, Value] = dict(node.operator.attrs)
    return all(name in held and same_value(held[name], value) for name, value in pattern.attrs)


def _stands_for(meaning: _Meaning | None, node: Node) -> bool:
    """The node is the only result of the operator that the function variable stands for."""
    if meaning is None or isinstance(meaning, int) or node.results != 1:
        return False
    return operator_key(*meaning) == operator_key(node.operator, len(node.args))


def _reachable(subject: Subject, roots: Iterable[int]) -> tuple[int, ...]:
    found: dict[int, None] = {}
    todo = list(roots)
    while todo:
        value = todo.pop()
        if value not in found:
            found[value] = None
            todo += (arg for node in subject.nodes(value) for arg in node.args)
    return tuple(found)
