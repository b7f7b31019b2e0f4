"""Lowers one path of a body to the calculus: variables for shared parts, constraints and guards in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from hecv.patterns.calculus.body_paths import Misuse, Trace, misuse, running
from hecv.patterns.calculus.guard_expressions import variables
from hecv.patterns.calculus.operator_names import DECLARATIONS
from hecv.patterns.calculus.pattern_ast import (
    Apply,
    ApplyVariable,
    AttributeOf,
    Build,
    BuildVariable,
    Call,
    Compute,
    Computed,
    Constant,
    Constrained,
    Exists,
    Expression,
    Guarded,
    Known,
    Member,
    Parameter,
    Pattern,
    Replacement,
    Same,
    Value,
    Variable,
    parts,
)
from hecv.patterns.calculus.quantities import Quantity, described, expression_of
from hecv.patterns.tracing.dialect_namespaces import Family
from hecv.patterns.tracing.traced_values import (
    Applied,
    AppliedFunction,
    Called,
    Name,
    Op,
    Operand,
    Traced,
    name_of,
    operand,
    use,
)

TYPED: Final = frozenset(name for name, declared in DECLARATIONS.items() if "cast" in declared.families)
"""Operators whose result has a type of its own: a law's right side takes it from those of its left side."""

Part = Applied | AppliedFunction | Called


@dataclass(frozen=True, slots=True)
class Matched:
    """What a path matches: `root`, then the constraints, under the guards. `locals` are variables other than
    parameters; `lines` has where the body makes them."""

    root: Pattern
    constraints: tuple[tuple[str, Pattern], ...]
    guards: tuple[Expression, ...]
    locals: tuple[Parameter, ...]
    lines: Mapping[str, int] = field(default_factory=dict[str, int], compare=False, repr=False)


def matched(given: object, trace: Trace) -> Matched:
    """The pattern that a body returned on this path.

    Raises: Misuse if it is no pattern.
    """
    if given is None:
        hint = "every path ends with `return`; `assert` says where there is no match"
        raise misuse("no-pattern", "the pattern returns nothing", hint)
    if isinstance(given, tuple):
        raise misuse("no-pattern", "the pattern returns a tuple", "a pattern is about one value; a pair is a @law")
    result = operand(given)
    lowering = _Lowering(trace)
    lowering.count(result)
    for value, other in trace.constraints:
        lowering.count(other)
        lowering.count(value)
    root = lowering.pattern(result)
    lowering.state([(value, lowering.pattern(other)) for value, other in trace.constraints])
    made = [local for local in trace.locals if local.named_]
    own = [Parameter(local.label_, local.sort_) for local in made]
    lines = {local.label_: local.made_ for local in made}
    return Matched(root, tuple(lowering.constraints), tuple(lowering.guards), (*own, *lowering.locals), lines)


@dataclass(slots=True)
class _Lowering:
    """One path. `seen` counts the places at which a part stands."""

    trace: Trace
    seen: Counter[int] = field(default_factory=Counter[int])
    placed: set[int] = field(default_factory=set[int])
    constraints: list[tuple[str, Pattern]] = field(default_factory=list[tuple[str, Pattern]])
    guards: list[Expression] = field(default_factory=list[Expression])
    locals: list[Parameter] = field(default_factory=list[Parameter])

    def count(self, value: Any) -> None:
        """Counts a part and, the first time, those in it."""
        if not isinstance(value, Part):
            return
        self.seen[id(value)] += 1
        if self.seen[id(value)] == 1:
            for arg in value.args_:
                self.count(arg)

    def pattern(self, value: Operand) -> Pattern:
        """The pattern of a value: its variable, if it has one."""
        match value:
            case Name():
                return Variable(use(value, "term"))
            case Applied() | AppliedFunction() | Called():
                return self._part(value)
            case Quantity():
                return self._computed(value)
            case int() | float():
                return Constant(value)
            case _:
                raise AssertionError(value)

    def state(self, constraints: Iterable[tuple[Traced, Pattern]]) -> None:
        """Adds the constraints that the body stated, after those of the parts."""
        for value, other in constraints:
            self.constraints.append((use(value, "term") if isinstance(value, Name) else name_of(value), other))

    def _part(self, part: Part) -> Pattern:
        fixed = not isinstance(part, Applied) or (
            part.type_ is None and all(isinstance(e, Known) for _, e in part.attrs_)
        )
        if self.seen[id(part)] == 1 and not part.names_ and fixed:
            return self._shape(part)
        name = name_of(part)
        if id(part) not in self.placed:
            self.placed.add(id(part))
            self.locals.append(Parameter(name))
            self.constraints.append((name, self._shape(part)))
        return Variable(name)

    def _shape(self, part: Part) -> Pattern:
        match part:
            case Applied(op_=op, args_=args, result_=result):
                return Apply(op, tuple(map(self.pattern, args)), self._attributes(part), result)
            case AppliedFunction(function_=function, args_=args):
                return ApplyVariable(use(function, "function"), tuple(map(self.pattern, args)))
            case Called(pattern_=pattern, args_=args):
                return Call(pattern.name, tuple([self._argument(part, k) for k in range(len(args))]))

    def _attributes(self, part: Applied) -> tuple[tuple[str, Value], ...]:
        """The attributes that are values; those that are computed, and the type, become guards."""
        for name, value in part.attrs_:
            if not isinstance(value, Known):
                self.guards.append(Compute("==", (AttributeOf(name_of(part), (name,)), value)))
        if part.type_ is not None:
            self.guards.append(Compute("==", (AttributeOf(name_of(part), ("type",)), part.type_)))
        return tuple((name, value.value) for name, value in part.attrs_ if isinstance(value, Known))

    def _computed(self, value: Quantity) -> Pattern:
        """A literal with the value of an expression."""
        expression = expression_of(value)
        assert expression is not None
        name = self._local("c", "term")
        wrapped = Compute("wrap", (expression, AttributeOf(name, ("elType",))))
        self.guards.append(Compute("==", (AttributeOf(name, ("value",)), wrapped)))
        return Variable(name)

    def _argument(self, call: Called, position: int) -> str:
        """The variable that is passed to a pattern; one of its own for a part or an operator."""
        given = call.args_[position]
        if isinstance(given, Name):
            self.trace.flows.append((given, call.pattern_, position))
            return name_of(given)
        if isinstance(given, Op | Family):
            name = self._local("f", "function")
            known = Compute("==", (AttributeOf(name, ("name",)), Known(given.name)))
            self.guards.append(known if isinstance(given, Op) else Member(name, given.name))
            return name
        pattern = self.pattern(given)
        if isinstance(pattern, Variable):
            return pattern.name
        name = self._local("v", "term")
        self.constraints.append((name, pattern))
        return name

    def _local(self, wish: str, sort: Any) -> str:
        name = self.trace.fresh(wish)
        self.locals.append(Parameter(name, sort))
        return name


# In order


def assembled(found: Matched, guards: Sequence[Expression], parameters: Sequence[str], kept: Sequence[str]) -> Pattern:
    """The pattern of a path under further guards, with all variables but its parameters and those `kept` hidden.

    Each guard is placed as soon as its variables are bound.
    Raises: Misuse if a variable is never bound.
    """
    types = {local.name for local in found.locals if local.sort == "type"}
    pattern, bound = found.root, _bound(found.root) | types
    constraints, waiting = list(found.constraints), [*found.guards, *guards]
    while True:
        for guard in [g for g in waiting if variables(g) <= bound]:
            waiting.remove(guard)
            pattern = Guarded(pattern, guard)
        ready = next((c for c in constraints if c[0] in bound), None)
        if ready is None:
            break
        constraints.remove(ready)
        pattern = Constrained(pattern, *ready)
        bound |= _bound(ready[1])
    missing = {name for guard in waiting for name in variables(guard)} | {c[0] for c in constraints} | set(parameters)
    _require_bound(missing - bound, found.lines)
    for local in reversed(found.locals):
        if local.name in bound and local.name not in kept:
            pattern = Exists(local.name, pattern, local.sort)
    return pattern


def _bound(pattern: Pattern) -> frozenset[str]:
    """The variables that a match with this pattern of one path binds."""
    inside: frozenset[str] = frozenset().union(*map(_bound, parts(pattern)))
    match pattern:
        case Variable(name=name) | ApplyVariable(function=name):
            return inside | {name}
        case Call(args=args):
            return inside | set(args)
        case _:
            return inside


def _require_bound(missing: frozenset[str] | set[str], lines: Mapping[str, int]) -> None:
    if missing:
        names = ", ".join(f"'{name}'" for name in sorted(missing))
        hint = "it stands in no part of the pattern that is returned, nor in one that such a part is constrained to"
        line = next((lines[name] for name in sorted(missing) if name in lines), None)
        raise Misuse("unbound-variable", f"{names} {'is' if len(missing) == 1 else 'are'} never bound", hint, line)


# Replacements


def place(given: object, found: set[int]) -> None:
    """Adds the parts of a value, by identity."""
    if isinstance(given, Part) and id(given) not in found:
        found.add(id(given))
        for argument in given.args_:
            place(argument, found)


MOST_OPERATORS: Final = 5_000
"""The most operators that a rule builds, each shared part counted wherever it occurs."""


def _written_out(given: object, known: dict[int, int]) -> int:
    """The operators of a value, each shared part counted where it stands."""
    if not isinstance(given, Part):
        return 0
    if id(given) not in known:
        known[id(given)] = 1 + sum(_written_out(a, known) for a in given.args_)
    return known[id(given)]


def replacement(given: Any) -> Replacement:
    """The replacement that a rule returned on a path.

    Raises: Misuse if it cannot be built.
    """
    if _written_out(given, {}) > MOST_OPERATORS:
        hint = "a rule replaces one value by a few operators"
        raise misuse("too-large", f"written out, this has more than {MOST_OPERATORS:,} operators", hint)
    return _replacement(given)


def _replacement(given: Any) -> Replacement:
    """One that is not too large."""
    match given:
        case Name():
            return Same(use(given, "term"))
        case Applied(op_=op, type_=None) if op in TYPED and id(given) in running().placed:
            return Same(name_of(given))
        case Applied(op_=op, args_=args, attrs_=attrs, type_=type_, result_=result):
            return Build(op, tuple(map(_replacement, args)), attrs, type_, result)
        case AppliedFunction(function_=function, args_=args):
            return BuildVariable(use(function, "function"), tuple(map(_replacement, args)))
        case Called(pattern_=pattern):
            hint = "a rule builds operators on the variables of its pattern"
            raise misuse("match-in-rule", f"the pattern '{pattern.name}' cannot be built", hint)
        case Quantity():
            expression = expression_of(given)
            assert expression is not None
            return Computed(expression)
        case int() | float():
            return Computed(Known(given))
        case _:
            raise misuse("no-pattern", f"{described(given)} replaces nothing", "return an operator, variable or number")
