"""The decorators of rule files: `@op`, `@pattern`, `@rule`, `@law`, `@loop_rule`.

A decorator only records its function; the bodies are traced when the whole file has been read, so patterns may call
each other in any order. The declarations of a file are kept in a `Registry` of its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import Parameter as Formal
from linecache import getline
from typing import Any, Final, Literal

from hecv.ops.facts.impure_ops import NO_FUNCTIONS, OF_ANYTHING
from hecv.patterns.calculus.body_paths import Kind, Misuse, misuse, running
from hecv.patterns.calculus.operator_names import DECLARATIONS, FAMILIES
from hecv.patterns.calculus.pattern_ast import Declaration, Place
from hecv.patterns.calculus.quantities import described, suggestion
from hecv.patterns.tracing.dialect_namespaces import Family
from hecv.patterns.tracing.traced_values import Called, Name, Op, operand

REGISTRY: Final = "__hecv_rules__"
"""The name of the registry among the globals of a rule file."""

RULE_NAME: Final = re.compile(r"[^\W_][\w.-]*")
EFFECTFUL: Final = frozenset(
    {
        *("affine", "amdgpu", "async", "bufferization", "builtin", "cf", "func", "gpu", "llvm", "memref"),
        *("nvgpu", "nvvm", "omp", "rocdl", "scf", "sparse_tensor", "spirv"),
        *("acc", "amx", "emitc", "mesh", "ml_program", "mpi", "ptr", "shard", "wasmssa", "xegpu", "xevm"),
    }
)
"""Dialects of MLIR in which an op may read or write memory, or control what runs."""

OP_NAME: Final = re.compile(r"[A-Za-z_][\w$.]*")

MOST_DECORATORS: Final = 20
"""The most lines after the first decorator in which the `def` is searched."""

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Body:
    """A decorated function."""

    function: Function
    kind: Kind
    parameters: tuple[str, ...]
    place: Place


@dataclass(slots=True, eq=False)
class Handle:
    """A named pattern with its alternates, to be called in bodies."""

    registry: Registry
    name: str
    bodies: list[Body]

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.bodies[0].parameters

    def __call__(self, *args: object, **attributes: object) -> Called:
        """`P(x)`: what matches the pattern, on variables, parts, operators and families."""
        if running().kind == "rule":
            hint = "a rule builds operators on the variables of its pattern"
            raise misuse("match-in-rule", f"the pattern '{self.name}' cannot be built", hint)
        if attributes:
            raise misuse("wrong-arity", f"'{self.name}' takes no keywords", "pass variables in their order")
        if len(args) != len(self.parameters):
            hint = f"it is {self.name}({', '.join(self.parameters)})"
            raise misuse("wrong-arity", f"'{self.name}' takes {len(self.parameters)}, not {len(args)}", hint)
        return Called(self, tuple(a if isinstance(a, Op | Family | Name) else operand(a) for a in args), [])

    def __repr__(self) -> str:
        return f"the pattern {self.name}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule on a pattern, by handle or name, or a law; `name` is in kebab-case."""

    name: str
    body: Body
    pattern: Handle | str | None


@dataclass(slots=True)
class Registry:
    """The declarations of one rule file, in order."""

    file: str
    patterns: dict[str, Handle] = field(default_factory=dict[str, Handle])
    entries: list[Entry] = field(default_factory=list[Entry])
    operators: dict[str, Declaration] = field(default_factory=dict[str, Declaration])
    loops: list[Entry] = field(default_factory=list[Entry])


def registry_of(function: Function) -> Registry:
    """The registry of the file of a function."""
    return function.__globals__.setdefault(REGISTRY, Registry(function.__code__.co_filename))


# Decorators


def op(
    name: str | Function | None = None,
    *,
    results: int = 1,
    type: int | str | None = None,
    effects: bool = False,
    commutative: bool = False,
    families: Sequence[Family | str] = (),
) -> Any:
    """Declares an operator: parameters are its operands (`*xs`: any number), keyword-only ones its attributes.

    `type` is the operand whose type the result has. The operator is named like the function, unless `name` is given.
    """
    if callable(name):
        return op()(name)

    def declare(function: Function) -> Op:
        formals = list(inspect.signature(function).parameters.values())
        operands = [p.name for p in formals if p.kind is Formal.POSITIONAL_OR_KEYWORD]
        arity = None if any(p.kind is Formal.VAR_POSITIONAL for p in formals) else len(operands)
        attributes = tuple(p.name for p in formals if p.kind is Formal.KEYWORD_ONLY)
        _require_plain([p for p in formals if p.kind not in (Formal.KEYWORD_ONLY, Formal.VAR_POSITIONAL)])
        like = _operand_number(type, operands, arity)
        full = function.__name__ if name is None else name
        found = frozenset(f.name if isinstance(f, Family) else f for f in families)
        _require_families(found)
        place = _place(function)
        made = Declaration(full, arity, results, found, attributes, commutative, effects, like, place)
        registry = registry_of(function)
        if not OP_NAME.fullmatch(full):
            raise Misuse("bad-name", f"'{full}' names no operator", "write it as MLIR does: 'my.fused'")
        if full in DECLARATIONS:
            hint = f"it is there already: from hecv.rules import {full.split('.')[0]}"
            raise Misuse("name-taken", f"'{full}' is an operator of MLIR's", hint)
        if not effects and (full.split(".")[0] in EFFECTFUL or full in NO_FUNCTIONS - OF_ANYTHING):
            hint = "a declared op is taken for a function of its operands: give it a name of your own, or effects=True"
            no_function = "is no function of its operands"
            what = no_function if full in NO_FUNCTIONS else "belongs to a dialect whose ops have effects"
            raise Misuse("name-taken", f"'{full}' {what}", hint)
        if results < 1:
            raise Misuse("parameters", f"'{full}' has {results} results", "an operator gives one value or more")
        if full in registry.operators:
            raise Misuse("name-taken", f"the operator '{full}' is declared twice", "give one of them another name")
        registry.operators[full] = made
        return Op(full, made)

    return declare


def pattern(function: Function) -> Handle:
    """Declares a pattern; a second one of the same name is its next alternate."""
    body = _body(function, "pattern")
    registry = registry_of(function)
    handle = registry.patterns.setdefault(function.__name__, Handle(registry, function.__name__, []))
    if handle.bodies and len(handle.parameters) != len(body.parameters):
        hint = f"the first one is {handle.name}({', '.join(handle.parameters)})"
        raise Misuse("wrong-arity", f"alternates of '{handle.name}' take different numbers of parameters", hint)
    handle.bodies.append(body)
    return handle


def rule(target: Any = None) -> Any:
    """Declares the replacement of a pattern's matches: `@rule(half)`. Parameters are those of the pattern, in order."""
    if not isinstance(target, Handle | str):
        hint = "name the pattern: @rule(half), where half is a function with @pattern"
        raise Misuse("unknown-pattern", "this rule is for no pattern", hint)

    def declare(function: Function) -> Function:
        return _entered(function, "rule", _kebab(_named(function)), target)

    return declare


def law(name: str | Function | None = None) -> Any:
    """Declares an equation: the function returns both sides; the second may replace the first."""
    if callable(name):
        return law()(name)

    def declare(function: Function) -> Function:
        return _entered(function, "law", _kebab(_named(function) if name is None else name), None)

    return declare


def loop_rule(function: Function) -> Function:
    """Declares two loop nests that are equal under conditions, see `hecv.patterns.calculus.loop_rules`."""
    name = _kebab(function.__name__)
    body = Body(function, "law", tuple(inspect.signature(function).parameters), _place(function))
    registry_of(function).loops.append(Entry(name, body, None))
    return function


def _entered(function: Function, kind: Literal["rule", "law"], name: str, target: Handle | str | None) -> Function:
    if not RULE_NAME.fullmatch(name):
        hint = f"name the function, or write @{kind}('muli-two')" if kind == "law" else "name the function"
        raise Misuse("bad-name", f"'{name}' names no {kind}: letters, digits and hyphens do", hint)
    body = _body(function, kind)
    registry_of(function).entries.append(Entry(name, body, target))
    return function


def _named(function: Function) -> str:
    """The name of what should be a function."""
    return str(getattr(function, "__name__", "none"))


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _body(function: Function, kind: Kind) -> Body:
    if not inspect.isfunction(function) or inspect.iscoroutinefunction(function):
        given = "an async function" if inspect.isfunction(function) else described(function)
        raise Misuse("bad-name", f"@{kind} is for a function, not {given}", "write it as: def ...")
    if not function.__name__.isidentifier():
        raise Misuse("bad-name", f"a {kind} needs a name, and a lambda has none", "write it as a function: def ...")
    formals = list(inspect.signature(function).parameters.values())
    _require_plain(formals)
    return Body(function, kind, tuple(p.name for p in formals), _place(function))


def _place(function: Function) -> Place:
    """The line of the `def`, after those of the decorators."""
    code = function.__code__
    lines = range(code.co_firstlineno, code.co_firstlineno + MOST_DECORATORS)
    starts = [line for line in lines if getline(code.co_filename, line).lstrip().startswith(("def ", "async def "))]
    return Place(code.co_filename, starts[0] if starts else code.co_firstlineno)


def _require_plain(formals: Sequence[Formal]) -> None:
    for formal in formals:
        if formal.kind is not Formal.POSITIONAL_OR_KEYWORD or formal.default is not Formal.empty:
            raise Misuse("parameters", f"'{formal}' is no variable", "parameters are plain names without defaults")


def _require_families(names: frozenset[str]) -> None:
    unknown = sorted(names - FAMILIES.keys())
    if unknown:
        raise Misuse("unknown-family", f"there is no family '{unknown[0]}'", suggestion(unknown[0], [*FAMILIES]))


def _operand_number(type_: int | str | None, operands: list[str], arity: int | None) -> int | None:
    """The operand whose type the result has; of any number of operands any may be it."""
    if type_ is None or (isinstance(type_, int) and type_ >= 0 and (arity is None or type_ < arity)):
        return type_
    if isinstance(type_, str) and type_ in operands:
        return operands.index(type_)
    raise Misuse("parameters", f"there is no operand {type_!r}", f"type is one of {', '.join(operands) or 'none'}")


def known_operators(registry: Registry) -> dict[str, Declaration]:
    """Every operator by name: the file's own before those of the dialects."""
    return {**DECLARATIONS, **registry.operators}
