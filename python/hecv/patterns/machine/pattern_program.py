"""Definitions compiled for the machine: variables are slots of a frame, and the possible root operators are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hecv.patterns.calculus.guard_expressions import postfix, variables
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
    Parameter,
    Pattern,
    Sort,
    Value,
    Variable,
)

Heads = frozenset[str] | None
"""The operators that may be at the root of a match; None if any value may match."""

NOTHING: Heads = frozenset()


@dataclass(slots=True, eq=False)
class Step:
    """A pattern, and the slots of the frame that it needs."""

    heads: Heads = field(default=NOTHING, init=False)


@dataclass(slots=True, eq=False)
class Take(Step):
    """A variable."""

    slot: int


@dataclass(slots=True, eq=False)
class Literal(Step):
    """A constant."""

    value: int | float | bool


@dataclass(slots=True, eq=False)
class Operate(Step):
    """An operator. `takes` are the operands that are variables, by position and slot.

    These and `literals` are matched before the `rest`. They match in at most one way, so this changes neither the
    matches nor their order.
    """

    op: str
    attrs: tuple[tuple[str, Value], ...]
    result: int
    parts: list[Step]
    takes: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]], init=False)
    literals: list[tuple[int, int | float | bool]] = field(
        default_factory=list[tuple[int, int | float | bool]], init=False
    )
    rest: list[tuple[int, Step]] = field(default_factory=list[tuple[int, Step]], init=False)


@dataclass(slots=True, eq=False)
class OperateVariable(Operate):
    """A function variable; `op` is its name."""

    slot: int


@dataclass(slots=True, eq=False)
class Choose(Step):
    """Any number of alternates. `by_head` caches which may match an operator."""

    parts: list[Step]
    by_head: dict[str, list[Step]] = field(default_factory=dict[str, list[Step]], init=False)


@dataclass(slots=True, eq=False)
class Then(Step):
    """`first`, then `after`."""

    parts: list[Step]
    after: Check


@dataclass(slots=True, eq=False)
class Check(Step):
    """A step after some pattern has matched; it waits until the `needs` are bound."""

    needs: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Test(Check):
    """A guard, in postfix order; `slots` maps its variables."""

    code: tuple[Expression, ...]
    slots: Mapping[str, int]


@dataclass(slots=True, eq=False)
class Inspect(Check):
    """A match constraint: the value in the slot that it needs matches its only part."""

    parts: list[Step]


@dataclass(slots=True, eq=False)
class Invoke(Step):
    """A call of a definition, with slots as its parameters."""

    name: str
    code: Code
    slots: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Code:
    """A compiled definition. In `steps` a part comes after what it is part of.

    A frame has a slot for each parameter, and then for each local variable; `sorts` and `names` are theirs.
    """

    name: str
    parameters: tuple[Parameter, ...]
    sorts: list[Sort]
    names: list[str]
    steps: list[Step] = field(default_factory=list[Step])

    @property
    def body(self) -> Step:
        """The whole pattern."""
        return self.steps[0]

    @property
    def heads(self) -> Heads:
        """The operators at the roots of matches."""
        return self.steps[0].heads


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Compiled definitions by name."""

    codes: Mapping[str, Code]

    def heads(self, name: str) -> Heads:
        """The operators that may be at the root of a match; None if any value may match."""
        return self.codes[name].heads


def compiled(definitions: Definitions) -> Program:
    """The definitions, compiled for the machine.

    Requires: variables are bound; calls have a definition and as many arguments as it has parameters (see `problems`).
    Raises: ValueError if not.
    """
    codes = {name: _empty(definition) for name, definition in definitions.items()}
    for name, definition in definitions.items():
        _compile(definition, codes[name], codes)
    _find_heads(list(codes.values()))
    return Program(codes)


def heads(definitions: Definitions, name: str) -> Heads:
    """The operators that may be at the root of a match of a definition; None if any value may match."""
    return compiled(definitions).heads(name)


# Compilation; no recursion, so that depth is no limit

_Scope = Mapping[str, int]
_Todo = tuple[Pattern, _Scope, list[Step], int]


def _empty(definition: Definition) -> Code:
    parameters = definition.parameters
    return Code(definition.name, parameters, [p.sort for p in parameters], [p.name for p in parameters])


def _compile(definition: Definition, code: Code, codes: Mapping[str, Code]) -> None:
    scope = {parameter.name: slot for slot, parameter in enumerate(definition.parameters)}
    root: list[Step] = [Step()]
    todo: list[_Todo] = [(definition.body, scope, root, 0)]
    while todo:
        pattern, scope, parts, position = todo.pop()
        step = parts[position] = _step(pattern, scope, code, codes, todo)
        code.steps.append(step)
    for step in code.steps:
        if isinstance(step, Operate):
            _sort_operands(step)


def _step(pattern: Pattern, scope: _Scope, code: Code, codes: Mapping[str, Code], todo: list[_Todo]) -> Step:
    """The step of a pattern; its parts are left to do."""
    match pattern:
        case Variable(name=name):
            return Take(_slot(name, "term", scope, code))
        case Constant(value=value):
            return Literal(value)
        case Apply(op=op, args=args, attrs=attrs, result=result):
            return Operate(op, attrs, result, _parts(args, scope, todo))
        case ApplyVariable(function=function, args=args):
            slot = _slot(function, "function", scope, code)
            return OperateVariable(function, (), 0, _parts(args, scope, todo), slot)
        case Alternate():
            return Choose(_parts(_alternates(pattern), scope, todo))
        case Guarded(pattern=inner, guard=guard):
            slots = {name: _slot(name, None, scope, code) for name in variables(guard)}
            return Then(_parts((inner,), scope, todo), Test(tuple(slots.values()), postfix(guard), slots))
        case Exists(variable=variable, pattern=inner, sort=sort):
            code.sorts.append(sort)
            code.names.append(variable)
            slot = len(code.sorts) - 1
            return Then(_parts((inner,), {**scope, variable: slot}, todo), Check((slot,)))
        case Constrained(pattern=inner, variable=variable, other=other):
            needs = (_slot(variable, "term", scope, code),)
            return Then(_parts((inner,), scope, todo), Inspect(needs, _parts((other,), scope, todo)))
        case Call(name=name, args=args):
            return _invoke(name, args, scope, code, codes)


def _parts(patterns: tuple[Pattern, ...], scope: _Scope, todo: list[_Todo]) -> list[Step]:
    parts = [Step() for _ in patterns]
    todo.extend((pattern, scope, parts, position) for position, pattern in enumerate(patterns))
    return parts


def _alternates(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns of nested alternates, in their order."""
    found: list[Pattern] = []
    stack = [pattern]
    while stack:
        part = stack.pop()
        if isinstance(part, Alternate):
            stack += (part.second, part.first)
        else:
            found.append(part)
    return tuple(found)


def _slot(name: str, sort: Sort | None, scope: _Scope, code: Code) -> int:
    slot = scope.get(name)
    if slot is None:
        raise ValueError(f"`{code.name}` has no variable `{name}`")
    if sort is not None and code.sorts[slot] != sort:
        raise ValueError(f"`{name}` of `{code.name}` is not a {sort} variable")
    return slot


def _invoke(name: str, args: tuple[str, ...], scope: _Scope, code: Code, codes: Mapping[str, Code]) -> Invoke:
    callee = codes.get(name)
    if callee is None or len(callee.parameters) != len(args):
        raise ValueError(f"`{code.name}` calls `{name}` with {len(args)} arguments, which is not so defined")
    pairs = zip(args, callee.parameters, strict=True)
    return Invoke(name, callee, tuple(_slot(arg, parameter.sort, scope, code) for arg, parameter in pairs))


def _sort_operands(step: Operate) -> None:
    for position, part in enumerate(step.parts):
        if isinstance(part, Take):
            step.takes.append((position, part.slot))
        elif isinstance(part, Literal):
            step.literals.append((position, part.value))
        else:
            step.rest.append((position, part))
    step.rest.reverse()


# Operators at roots: the least solution


def _find_heads(codes: list[Code]) -> None:
    changed = True
    while changed:
        changed = False
        for code in codes:
            before = code.heads
            for step in reversed(code.steps):
                step.heads = _heads(step)
            changed = changed or code.heads != before


def _heads(step: Step) -> Heads:
    match step:
        case Take() | Literal() | OperateVariable():
            return None
        case Operate(op=op):
            return frozenset((op,))
        case Choose(parts=parts):
            return _union([part.heads for part in parts])
        case Then(parts=[part]):
            return part.heads
        case Invoke(code=code):
            return code.heads
        case _:
            return NOTHING


def _union(all_heads: list[Heads]) -> Heads:
    found: set[str] = set()
    for some in all_heads:
        if some is None:
            return None
        found |= some
    return frozenset(found)
