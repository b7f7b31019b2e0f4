"""Unfolding: rules without recursion and function variables, as single equations.

Calls are replaced by the bodies of definitions, alternates become patterns of their own, and a match constraint puts
the other pattern in the place of its variable. Only operators, constants and variables are left, and the guards under
which the equation is claimed. Each alternate with each branch of the replacement is one claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from hecv.patterns.calculus.pattern_ast import (
    Alternate,
    Apply,
    ApplyVariable,
    AttributeOf,
    Branch,
    Build,
    BuildVariable,
    Call,
    Compute,
    Computed,
    Constant,
    Constrained,
    Defined,
    Definitions,
    Exists,
    Expression,
    Guarded,
    Holds,
    Known,
    Member,
    Pattern,
    Replacement,
    Rule,
    Same,
    Variable,
)

MOST_CLAIMS: Final = 64
"""The most claims of one rule; one with more alternates is not unfolded."""

MOST_OPERATORS: Final = 1_000
"""The most operators of an equation, with shared parts counted wherever they are used."""

LOCAL: Final = "."
"""The separator between the name of a definition's variable and the number of its use."""


class NotStatic(Exception):
    """The rule has no finite set of equations; the text says why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """`left = right`, if each expression of `guards` is true, and each of `excluded` is known to be false.

    `left` has operators, constants and variables only. `parts` are the patterns that match constraints put in the place
    of variables of the guards and of the right side.
    """

    left: Pattern
    right: Replacement
    guards: tuple[Expression, ...]
    excluded: tuple[Expression, ...]
    parts: Mapping[str, Pattern]


def claims(rule: Rule, definitions: Definitions) -> tuple[Claim, ...]:
    """The claims of the rule.

    Raises: NotStatic.
    """
    definition = definitions[rule.pattern]
    if any(p.sort == "function" for p in (*rule.parameters, *definition.parameters)):
        raise NotStatic("it has function variables")
    own = {p.name: p.name for p in rule.parameters}
    names = dict(zip((p.name for p in definition.parameters), own, strict=True))
    unfolding = _Unfolding(definitions)
    shapes = unfolding.shapes(definition.body, names, (definition.name,))
    found = [claim for shape in shapes for claim in _claims(rule, shape)]
    if len(found) > MOST_CLAIMS:
        raise NotStatic(f"it has {len(found)} alternates")
    return tuple(found)


def _claims(rule: Rule, shape: _Shape) -> Iterator[Claim]:
    _require_small(shape)
    parts = _resolved(shape.constraints)
    left = replaced(shape.pattern, parts)
    for number, branch in enumerate(rule.branches):
        _require_first_order(branch)
        earlier = tuple(b.guard for b in rule.branches[:number])
        yield Claim(left, branch.replacement, (*shape.guards, branch.guard), earlier, parts)


def _require_small(shape: _Shape) -> None:
    """Raises: NotStatic where the pattern has too many operators once each variable is what it is constrained to."""
    constrained, sizes = dict(shape.constraints), dict[str, int]()

    def size(pattern: Pattern) -> int:
        match pattern:
            case Variable(name=name) if name in constrained:
                if name not in sizes:
                    sizes[name] = 0
                    sizes[name] = size(constrained[name])
                return sizes[name]
            case Apply(args=args):
                return 1 + sum(map(size, args))
            case _:
                return 0

    if max([size(shape.pattern), *map(size, constrained.values())]) > MOST_OPERATORS:
        raise NotStatic(f"written out, it has more than {MOST_OPERATORS:,} operators")


def _require_first_order(branch: Branch) -> None:
    stack = [branch.replacement]
    while stack:
        match stack.pop():
            case BuildVariable():
                raise NotStatic("its replacement applies a function variable")
            case Build(args=args):
                stack.extend(args)
            case Same() | Computed():
                pass


@dataclass(frozen=True, slots=True)
class _Shape:
    """A pattern of operators, constants and variables, with the guards and the match constraints on it."""

    pattern: Pattern
    guards: tuple[Expression, ...] = ()
    constraints: tuple[tuple[str, Pattern], ...] = ()


def _resolved(constraints: tuple[tuple[str, Pattern], ...]) -> dict[str, Pattern]:
    """What each constrained variable stands for, without constrained variables in it.

    Raises: NotStatic where one stands for two patterns, or for a part of itself.
    """
    parts: dict[str, Pattern] = {}
    for variable, pattern in constraints:
        if variable in parts:
            raise NotStatic(f"there are two match constraints on {shown(variable)}")
        parts[variable] = pattern
    for _ in parts:
        parts = {name: replaced(pattern, parts) for name, pattern in parts.items()}
    if any(variables(pattern) & parts.keys() for pattern in parts.values()):
        raise NotStatic("a match constraint is on a part of itself")
    return parts


def replaced(pattern: Pattern, parts: Mapping[str, Pattern]) -> Pattern:
    """The pattern with variables replaced by patterns."""
    match pattern:
        case Variable(name=name):
            return parts.get(name, pattern)
        case Apply(op=op, args=args, attrs=attrs, result=result):
            return Apply(op, tuple(replaced(a, parts) for a in args), attrs, result)
        case _:
            return pattern


def variables(pattern: Pattern) -> set[str]:
    """The variables of a pattern of operators, constants and variables."""
    match pattern:
        case Variable(name=name):
            return {name}
        case Apply(args=args):
            return set[str]().union(*map(variables, args))
        case _:
            return set()


def shown(name: str) -> str:
    """The name of a variable in the rule file."""
    return name.split(LOCAL)[0]


@dataclass(slots=True)
class _Unfolding:
    definitions: Definitions
    _fresh: int = field(default=0)

    def shapes(self, pattern: Pattern, names: Mapping[str, str], open_: tuple[str, ...]) -> list[_Shape]:
        """The patterns that a pattern unfolds to; `names` are those of its variables, `open_` the definitions around
        it.

        Raises: NotStatic.
        """
        match pattern:
            case Variable(name=name):
                return [_Shape(Variable(names[name]))]
            case Constant():
                return [_Shape(pattern)]
            case Apply():
                return self._apply(pattern, names, open_)
            case Alternate(first=first, second=second):
                return self._limited([*self.shapes(first, names, open_), *self.shapes(second, names, open_)])
            case Guarded(pattern=inner, guard=guard):
                here = renamed(guard, names)
                return [_Shape(s.pattern, (*s.guards, here), s.constraints) for s in self.shapes(inner, names, open_)]
            case Exists(variable=variable, pattern=inner, sort=sort):
                if sort == "function":
                    raise NotStatic("it has function variables")
                return self.shapes(inner, {**names, variable: self._new(variable)}, open_)
            case Constrained():
                return self._constrained(pattern, names, open_)
            case Call(name=name, args=args):
                return self._call(name, tuple(names[a] for a in args), open_)
            case ApplyVariable():
                raise NotStatic("it has function variables")

    def _apply(self, pattern: Apply, names: Mapping[str, str], open_: tuple[str, ...]) -> list[_Shape]:
        operands = [self.shapes(a, names, open_) for a in pattern.args]
        found: list[_Shape] = []
        for chosen in product(*operands):
            whole = Apply(pattern.op, tuple(s.pattern for s in chosen), pattern.attrs, pattern.result)
            guards = tuple(g for s in chosen for g in s.guards)
            found.append(_Shape(whole, guards, tuple(c for s in chosen for c in s.constraints)))
            self._limited(found)
        return found

    def _constrained(self, pattern: Constrained, names: Mapping[str, str], open_: tuple[str, ...]) -> list[_Shape]:
        others = self.shapes(pattern.other, names, open_)
        variable = names[pattern.variable]
        return self._limited(
            [
                _Shape(s.pattern, (*s.guards, *o.guards), (*s.constraints, *o.constraints, (variable, o.pattern)))
                for s in self.shapes(pattern.pattern, names, open_)
                for o in others
            ]
        )

    def _call(self, name: str, args: tuple[str, ...], open_: tuple[str, ...]) -> list[_Shape]:
        if name in open_:
            raise NotStatic("it is recursive")
        definition = self.definitions[name]
        if any(p.sort == "function" for p in definition.parameters):
            raise NotStatic("it has function variables")
        names = dict(zip((p.name for p in definition.parameters), args, strict=True))
        return self.shapes(definition.body, names, (*open_, name))

    def _limited(self, found: list[_Shape]) -> list[_Shape]:
        if len(found) > MOST_CLAIMS:
            raise NotStatic(f"it has more than {MOST_CLAIMS} alternates")
        return found

    def _new(self, name: str) -> str:
        self._fresh += 1
        return f"{name}{LOCAL}{self._fresh}"


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with its variables renamed."""
    match expression:
        case AttributeOf(variable=variable, path=path):
            return AttributeOf(names.get(variable, variable), path)
        case Compute(op=op, args=args):
            return Compute(op, tuple(renamed(a, names) for a in args))
        case Member(function=function, family=family):
            return Member(names.get(function, function), family)
        case Holds(term=term):
            return Holds(rebuilt(term, names))
        case Defined(term=term):
            return Defined(rebuilt(term, names))
        case Known():
            return expression


def rebuilt(term: Replacement, names: Mapping[str, str]) -> Replacement:
    """The replacement with its variables renamed."""
    match term:
        case Same(variable=variable):
            return Same(names.get(variable, variable))
        case Computed(value=value):
            return Computed(renamed(value, names))
        case Build(op=op, args=args, attrs=attrs, type=type_, result=result):
            made = tuple((name, renamed(value, names)) for name, value in attrs)
            to = None if type_ is None else renamed(type_, names)
            return Build(op, tuple(rebuilt(a, names) for a in args), made, to, result)
        case BuildVariable(function=function, args=args):
            return BuildVariable(names.get(function, function), tuple(rebuilt(a, names) for a in args))


def mentioned(expression: Expression) -> Iterator[AttributeOf]:
    """The attributes that an expression asks for."""
    match expression:
        case AttributeOf():
            yield expression
        case Compute(args=args):
            for argument in args:
                yield from mentioned(argument)
        case Holds(term=term) | Defined(term=term):
            for inner in computations(term):
                yield from mentioned(inner)
        case Member() | Known():
            return


def computations(term: Replacement) -> Iterator[Expression]:
    """The expressions in a replacement: of literals, attributes and types."""
    match term:
        case Computed(value=value):
            yield value
        case Build(args=args, attrs=attrs, type=type_):
            yield from (value for _, value in attrs)
            if type_ is not None:
                yield type_
            for argument in args:
                yield from computations(argument)
        case BuildVariable(args=args):
            for argument in args:
                yield from computations(argument)
        case Same():
            return
