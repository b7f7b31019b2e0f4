"""The machine as in the paper: calls unfolded in place with fresh names, one substitution, a stack, a continuation.

No table, no bounds, and exponential where alternates are nested. Checks are made where they stand: what they ask for
has to be bound by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from hecv.patterns.calculus.guard_expressions import holds, same_value, variables
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
    Variable,
)

Meaning = int | tuple[Operator, int]
Theta = dict[str, Meaning]
Names = Mapping[str, str]


class TooLong(Exception):
    """More steps than a test has time for."""


def paper_matches(definitions: Definitions, name: str, subject: Subject, value: int, steps: int) -> Iterator[Match]:
    """The substitutions of all successes, in order, doubles included."""
    fresh = count()
    parameters = definitions[name].parameters
    body = ("match", definitions[name].body, {p.name: p.name for p in parameters}, value)
    stack: list[tuple[Theta, tuple]] = [({}, (body, None))]
    while stack:
        steps -= 1
        if steps < 0:
            raise TooLong
        theta, todo = stack.pop()
        if todo is None:
            yield to_match(theta, {p.name: p.name for p in parameters})
        else:
            item, rest = todo
            stack += reversed(
                [(theta2, after) for theta2, after in step(definitions, subject, theta, item, rest, fresh)]
            )


def to_match(theta: Theta, names: Names) -> Match:
    bound = {name: theta[unique] for name, unique in names.items() if unique in theta}
    functions = {name: meaning for name, meaning in bound.items() if not isinstance(meaning, int)}
    return Match(
        {name: meaning for name, meaning in bound.items() if isinstance(meaning, int)},
        {name: operator for name, (operator, _) in functions.items()},
        {name: arity for name, (_, arity) in functions.items()},
    )


def step(definitions, subject, theta, item, rest, fresh) -> Iterator[tuple[Theta, tuple]]:
    """The states that follow one in which `item` is next, the preferred one first."""
    match item:
        case ("match", pattern, names, value):
            yield from match_step(definitions, subject, theta, pattern, names, value, rest, fresh)
        case ("guard", guard, names):
            if guard_holds(guard, names, theta, subject):
                yield theta, rest
        case ("bound", unique):
            if unique in theta:
                yield theta, rest
        case ("constraint", unique, pattern, names):
            if unique in theta:
                yield theta, (("match", pattern, names, theta[unique]), rest)


def guard_holds(guard: Expression, names: Names, theta: Theta, subject: Subject) -> bool:
    known = all(names[name] in theta for name in variables(guard))
    return known and holds(guard, Bound(to_match(theta, names), subject))


def bind(theta: Theta, unique: str, meaning: Meaning) -> Theta | None:
    if unique not in theta:
        return {**theta, unique: meaning}
    held = theta[unique]
    same = held == meaning if isinstance(meaning, int) else operator_key(*held) == operator_key(*meaning)
    return theta if same else None


def match_step(definitions, subject, theta, pattern: Pattern, names, value, rest, fresh):
    def at(part: Pattern, scope: Names = names, where: int = value):
        return ("match", part, scope, where)

    match pattern:
        case Variable(name=name):
            bound = bind(theta, names[name], value)
            if bound is not None:
                yield bound, rest
        case Constant(value=literal):
            if subject.is_literal(value, literal):
                yield theta, rest
        case Apply(args=args):
            for node in subject.nodes(value):
                if fits(pattern, node):
                    yield theta, operands(args, node, names, rest)
        case ApplyVariable(function=function, args=args):
            for node in subject.nodes(value):
                if node.results == 1 and len(node.args) == len(args):
                    bound = bind(theta, names[function], (node.operator, len(args)))
                    if bound is not None:
                        yield bound, operands(args, node, names, rest)
        case Alternate(first=first, second=second):
            yield theta, (at(first), rest)
            yield theta, (at(second), rest)
        case Guarded(pattern=inner, guard=guard):
            yield theta, (at(inner), (("guard", guard, names), rest))
        case Exists(variable=variable, pattern=inner):
            unique = f"{variable}/{next(fresh)}"
            yield theta, (at(inner, {**names, variable: unique}), (("bound", unique), rest))
        case Constrained(pattern=inner, variable=variable, other=other):
            yield theta, (at(inner), (("constraint", names[variable], other, names), rest))
        case Call(name=called, args=args):
            definition = definitions[called]
            scope = {p.name: names[arg] for p, arg in zip(definition.parameters, args, strict=True)}
            yield theta, (at(definition.body, scope), rest)


def operands(args, node: Node, names, rest):
    for part, arg in reversed(list(zip(args, node.args, strict=True))):
        rest = (("match", part, names, arg), rest)
    return rest


def fits(pattern: Apply, node: Node) -> bool:
    held = dict(node.operator.attrs)
    named = all(name in held and same_value(held[name], value) for name, value in pattern.attrs)
    return named and (node.operator.name, node.result, len(node.args)) == (
        pattern.op,
        pattern.result,
        len(pattern.args),
    )
