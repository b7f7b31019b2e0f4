"""Well-formedness of definitions and rules: conditions under which the machine finds every match.

If there are no problems, a success binds every variable, every recursion consumes some of its value, and each
definition matches some finite value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hecv.patterns.calculus.guard_expressions import MANY, arity, postfix, variables
from hecv.patterns.calculus.pattern_ast import (
    ApplyVariable,
    AttributeOf,
    Build,
    BuildVariable,
    Call,
    Compute,
    Computed,
    Constrained,
    Defined,
    Definition,
    Definitions,
    Exists,
    Expression,
    Guarded,
    Holds,
    Member,
    Pattern,
    Replacement,
    Rule,
    Same,
    Sort,
    Variable,
    parts,
)
from hecv.patterns.machine.bound_variables import unbound
from hecv.patterns.machine.pattern_program import Program, compiled
from hecv.patterns.machine.recursion_check import arities, endless, left_recursive

Kind = Literal[
    "unknown-definition",
    "call-arity",
    "unbound-variable",
    "unbound-parameter",
    "unbound-local",
    "wrong-sort",
    "duplicate-parameter",
    "function-arity",
    "left-recursion",
    "no-base-case",
    "unknown-function",
    "rule-arity",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of the definition, or the rule, of that name."""

    definition: str
    kind: Kind
    text: str


_Scope = Mapping[str, Sort]


def problems(definitions: Definitions, rules: Iterable[Rule] = ()) -> list[Problem]:
    """The problems of definitions and rules; none if all are well-formed. Checks that need variables to be bound come
    after the check that they are."""
    found = [problem for definition in definitions.values() for problem in _names(definition, definitions)]
    program = None if found else compiled(definitions)
    if program is not None:
        found += _shapes(program)
    used = {} if program is None else arities(program)
    for rule in rules:
        found += _rule(rule, definitions, used.get(rule.pattern, {}))
    return list(dict.fromkeys(found))


# Names, sorts and calls


def _names(definition: Definition, definitions: Definitions) -> Iterator[Problem]:
    scope: dict[str, Sort] = {}
    for parameter in definition.parameters:
        if parameter.name in scope:
            text = f"`{definition.name}` has two parameters `{parameter.name}`"
            yield Problem(definition.name, "duplicate-parameter", text)
        scope[parameter.name] = parameter.sort
    todo: list[tuple[Pattern, _Scope]] = [(definition.body, scope)]
    while todo:
        pattern, here = todo.pop()
        yield from _pattern(definition.name, pattern, here, definitions)
        inner: _Scope = {**here, pattern.variable: pattern.sort} if isinstance(pattern, Exists) else here
        todo += [(part, inner) for part in parts(pattern)]


def _pattern(name: str, pattern: Pattern, scope: _Scope, definitions: Definitions) -> Iterator[Problem]:
    """Problems of one pattern, without its parts."""
    match pattern:
        case Variable(name=variable) | Constrained(variable=variable):
            yield from _use(name, variable, "term", scope)
        case ApplyVariable(function=function):
            yield from _use(name, function, "function", scope)
        case Guarded(guard=guard):
            yield from _expression(name, guard, scope)
        case Call(name=called, args=args):
            yield from _call(name, called, args, scope, definitions)
        case _:
            return


def _use(name: str, variable: str, sort: Sort, scope: _Scope) -> Iterator[Problem]:
    held = scope.get(variable)
    if held is None:
        yield Problem(name, "unbound-variable", f"`{variable}` is neither a parameter nor a local variable of `{name}`")
    elif held != sort:
        article = "a value" if held == "term" else "an operator"
        yield Problem(
            name, "wrong-sort", f"`{variable}` of `{name}` stands for {article} and is used as the other kind"
        )


def _call(name: str, called: str, args: tuple[str, ...], scope: _Scope, definitions: Definitions) -> Iterator[Problem]:
    callee = definitions.get(called)
    if callee is None:
        yield Problem(name, "unknown-definition", f"`{name}` uses `{called}`, which is not defined")
        return
    if len(args) != len(callee.parameters):
        text = f"`{called}` has {len(callee.parameters)} parameters, and `{name}` uses it with {len(args)}"
        yield Problem(name, "call-arity", text)
        return
    for arg, parameter in zip(args, callee.parameters, strict=True):
        yield from _use(name, arg, parameter.sort, scope)


def _expression(name: str, expression: Expression, scope: _Scope) -> Iterator[Problem]:
    for part in postfix(expression):
        match part:
            case AttributeOf(variable=variable):
                if variable not in scope:
                    yield from _use(name, variable, "term", scope)
            case Member(function=function):
                yield from _use(name, function, "function", scope)
            case Holds() | Defined():
                for variable in sorted(variables(part)):
                    yield from _use(name, variable, "term", scope)
            case Compute(op=op, args=args):
                wanted = arity(op)
                if wanted is None:
                    yield Problem(name, "unknown-function", f"there is no operator `{op}` on attributes")
                elif wanted not in (MANY, len(args)):
                    text = f"`{op}` takes {wanted} operands, and has {len(args)}"
                    yield Problem(name, "unknown-function", text)
            case _:
                pass


# What definitions do


def _shapes(program: Program) -> Iterator[Problem]:
    for code, slot, local in unbound(program):
        name, variable = code.name, code.names[slot]
        if local:
            text = f"`{variable}` of `{name}` may stand for nothing where the pattern matched"
            yield Problem(name, "unbound-local", text)
        else:
            text = f"a match of `{name}` may leave its parameter `{variable}` open"
            yield Problem(name, "unbound-parameter", text)
    for name, uses in arities(program).items():
        for variable, counts in uses.items():
            if len(counts) > 1:
                said = " and ".join(map(str, sorted(counts)))
                yield Problem(name, "function-arity", f"`{variable}` of `{name}` is an operator of {said} operands")
    for name in left_recursive(program):
        text = f"`{name}` may come back to itself at the same value, which adds no match"
        yield Problem(name, "left-recursion", text)
    for name in endless(program):
        text = f"`{name}` matches nothing: each of its alternates goes on without end"
        yield Problem(name, "no-base-case", text)


# Rules


def _rule(rule: Rule, definitions: Definitions, used: Mapping[str, frozenset[int]]) -> Iterator[Problem]:
    definition = definitions.get(rule.pattern)
    if definition is None:
        yield Problem(rule.name, "unknown-definition", f"`{rule.name}` rewrites `{rule.pattern}`, which is not defined")
        return
    wanted = [parameter.sort for parameter in definition.parameters]
    if [parameter.sort for parameter in rule.parameters] != wanted:
        text = f"`{rule.name}` has other parameters than `{rule.pattern}`, which it rewrites"
        yield Problem(rule.name, "rule-arity", text)
        return
    scope: _Scope = {parameter.name: parameter.sort for parameter in rule.parameters}
    pairs = zip(rule.parameters, definition.parameters, strict=True)
    counts = {own.name: used.get(theirs.name, frozenset()) for own, theirs in pairs}
    for branch in rule.branches:
        yield from _expression(rule.name, branch.guard, scope)
        todo: list[Replacement] = [branch.replacement]
        while todo:
            part = todo.pop()
            yield from _replacement(rule.name, part, scope, counts)
            todo += part.args if isinstance(part, Build | BuildVariable) else ()


def _replacement(
    name: str, part: Replacement, scope: _Scope, counts: Mapping[str, frozenset[int]]
) -> Iterator[Problem]:
    """Problems of one replacement, without its operands."""
    match part:
        case Same(variable=variable):
            yield from _use(name, variable, "term", scope)
        case Computed(value=value):
            yield from _expression(name, value, scope)
        case Build(attrs=attrs, type=type_):
            for expression in (*(value for _, value in attrs), *([] if type_ is None else [type_])):
                yield from _expression(name, expression, scope)
        case BuildVariable(function=function, args=args):
            yield from _use(name, function, "function", scope)
            known = counts.get(function, frozenset())
            if known and known != frozenset((len(args),)):
                said = " and ".join(map(str, sorted(known)))
                text = f"`{function}` is an operator of {said} operands, and `{name}` gives it {len(args)}"
                yield Problem(name, "function-arity", text)
