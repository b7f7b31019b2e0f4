"""The reference interpreter: a function of the graph as Python source, run on concrete values.

Each scalar op is the text of its theory expression, so the meaning of an op stands in one place. A term becomes one
local variable, in the outermost block where its leaves live; bounds and poison are tested only where intervals and the
analysis below cannot exclude that they fail.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hecv.base.diag import Unsupported
from hecv.base.term import Attributes, Term, literal, postorder
from hecv.base.theory import (
    INTEGER,
    BitsSort,
    Constant,
    Expression,
    FloatSort,
    Sort,
    Variable,
    bits,
    sort_of,
)
from hecv.base.types import FloatType, IndexType, IntType, ScalarType
from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.dialects import OPERATORS
from hecv.dialects.registry import Operator
from hecv.execute.codegen import NAMESPACE, Pattern, exact, float_text, integer_text, modular, pattern, real
from hecv.execute.codegen import signed as signed_text
from hecv.execute.codegen import unsigned as unsigned_text
from hecv.graph.tree import (
    Alloc,
    Block,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    walk,
)

LOOPS: Final = 18  # Python allows 20 nested loops in one function
DEPTH: Final = 90  # and 100 levels of indentation
WRAPPING: Final = frozenset({"arith.addi", "arith.subi", "arith.muli", "arith.shli"})
UNBOUNDED: Final = frozenset({"affine.linear", "affine.mul"})


@dataclass(frozen=True, slots=True)
class Finished:
    """The function returned. `arguments` are the final values of all arguments, with buffers of their own."""

    results: tuple[Scalar, ...]
    arguments: tuple[Value, ...]
    steps: int


@dataclass(frozen=True, slots=True)
class Undefined:
    """The run met undefined behaviour at `statement`."""

    text: str
    statement: int
    steps: int


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The step budget was used up: the program is long, or does not terminate."""

    steps: int


@dataclass(frozen=True, slots=True)
class Excluded:
    """The run left the assumptions: an index computation overflowed at `statement`."""

    text: str
    statement: int
    steps: int


Outcome = Finished | Undefined | Exhausted | Excluded


@dataclass(frozen=True, slots=True)
class Executable:
    """A function ready to run."""

    function: Function
    source: str
    code: Callable[[Sequence[Value], int], Outcome]

    def run(self, arguments: Sequence[Value], budget: int = 5_000_000) -> Outcome:
        """Runs on `arguments`, which are left as they are, for at most `budget` steps.

        A step is one statement in one iteration; an allocation counts its elements, and an innermost loop is charged
        as a whole when it starts.

        Raises: ValueError where an argument does not fit its type.
        """
        expected = self.function.arguments
        if len(arguments) != len(expected):
            raise ValueError(f"{len(arguments)} arguments given, expected {len(expected)}")
        for argument, value in zip(expected, arguments, strict=True):
            if argument.memory is not None:
                _check_shape(argument.name, argument.memory, value)
            elif isinstance(value, Buffer) or value is POISON:
                raise ValueError(f"{argument.name} is {value!r}, expected a scalar")
        outcome = self.code(arguments, budget)
        return outcome if outcome.steps <= budget else replace(outcome, steps=budget)


def _check_shape(name: str, memory: Memory, value: Value) -> None:
    if not isinstance(value, Buffer):
        raise ValueError(f"{name} is a scalar, expected a buffer")
    extents = [literal(e) for e in memory.extents]
    fits = len(extents) == len(value.shape) and all(e in (None, n) for e, n in zip(extents, value.shape, strict=True))
    if not fits or len(value.data) != math.prod(value.shape):
        raise ValueError(f"{name} has shape {value.shape} and {len(value.data)} elements, expected {extents}")


def compile(function: Function, *, index_width: int = 64) -> Executable:
    """`function` as Python code.

    Raises: Unsupported where an op has no semantics or the nesting is too deep.
    """
    source = _Generator(function, index_width).generate()
    namespace: dict[str, Any] = {**NAMESPACE, **_RUNTIME}
    exec(builtins.compile(source, f"<hecv @{function.name}>", "exec"), namespace)
    return Executable(function, source, namespace["run"])


# Functions the generated code calls where a check has failed


def _bounds(statement: int, steps: int, limit: int, *pairs: Scalar) -> Outcome:
    """What a subscript that is not in bounds means; `pairs` are index and extent of each dimension."""
    indices, extents = pairs[::2], pairs[1::2]
    for index in indices:
        if isinstance(index, int) and not -limit <= index < limit:
            return Excluded(f"subscript {index} overflows index", statement, steps)
    for dimension, (index, extent) in enumerate(zip(indices, extents, strict=True)):
        if not isinstance(index, int) or not isinstance(extent, int):
            return Undefined(f"subscript of dimension {dimension} is poison", statement, steps)
        if not 0 <= index < extent:
            text = f"out of bounds: index {index} of dimension {dimension}, extent {extent}"
            return Undefined(text, statement, steps)
    raise AssertionError("a subscript in bounds was rejected")


def _undefined_op(name: str, statement: int, steps: int, *operands: Scalar) -> Outcome:
    """What went wrong in an op whose condition of undefined behaviour held."""
    if operands[-1] is POISON:
        return Undefined(f"divisor of {name} is poison", statement, steps)
    if operands[-1] == 0:
        return Undefined("division by zero", statement, steps)
    shown = " by ".join(str(x) for x in operands)
    return Undefined(f"{name} of {shown} is undefined", statement, steps)


_RUNTIME: Final[dict[str, object]] = {
    "Buffer": Buffer,
    "Finished": Finished,
    "Undefined": Undefined,
    "Exhausted": Exhausted,
    "Excluded": Excluded,
    "bounds": _bounds,
    "undefined_op": _undefined_op,
}


# Meanings of terms as patterns


@dataclass(slots=True)
class _Patterns:
    """The pattern of each op, made once for the types, attributes and operands it occurs with."""

    index_width: int
    made: dict[tuple[object, ...], Pattern] = field(default_factory=dict[tuple[object, ...], Pattern])

    def of(self, term: Term, proper: tuple[bool, ...]) -> Pattern:
        """The pattern of the root of `term`; `proper[k]` says that operand `k` cannot be poison.

        Literal operands are looked at only where the op can be poison or undefined for some operand.
        """
        key = (term.op, term.attrs, term.type, tuple((a.type, a.op == "const") for a in term.args), proper)
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = self.make(term, proper, False)
        if (found.poison or found.ub) and any(a.op == "const" for a in term.args):
            values = tuple(a.attrs if a.op == "const" else None for a in term.args)
            special = self.made.get((key, values))
            if special is None:
                special = self.made[key, values] = self.make(term, proper, True)
            return special
        return found

    def make(self, term: Term, proper: tuple[bool, ...], literals: bool) -> Pattern:
        """The pattern, from the op's semantics; with `literals`, literal operands are constants."""
        operator = OPERATORS.get(term.op)
        if operator is None:
            raise Unsupported(f"op {term.op}", None)
        operands: list[Expression] = []
        for k, a in enumerate(term.args):
            sort = self.sort(operator, a.type)
            constant = _constant(a, sort) if literals else None
            signed = isinstance(a.type, IndexType) and sort != INTEGER
            operands.append(constant or Variable(sort, f"{{{k}}}", proper[k], signed))
        to = self.sort(operator, term.type)
        outcome = operator.outcome(tuple(operands), to, _known(term.attrs))
        wraps = isinstance(term.type, IndexType) and term.op in WRAPPING
        return pattern(outcome, _text(term.type, to, wraps), wraps)

    def sort(self, operator: Operator, type_: ScalarType) -> Sort:
        """The sort of an operand or result of the operator."""
        exact_index = operator.exact and isinstance(type_, IndexType)
        return INTEGER if exact_index else sort_of(type_, self.index_width)


def _known(attributes: Attributes) -> Attributes:
    """The attributes that say something: MLIR prints flags that are off, too."""
    return tuple((k, v) for k, v in attributes if v not in ("none",))


def _constant(term: Term, sort: Sort) -> Constant | None:
    value = literal(term)
    if value is None:
        return None
    return bits(int(value), sort) if isinstance(sort, BitsSort) else Constant(sort, value)


def _text(type_: ScalarType, sort: Sort, wraps: bool) -> Callable[[Expression], str]:
    """The printer that gives values in the encoding of `type_` (`hecv.base.value`)."""
    if isinstance(sort, FloatSort):
        return real
    if sort == INTEGER:
        return exact
    if isinstance(type_, IndexType):
        return modular if wraps else signed_text
    return unsigned_text


# Where poison may be


def possible_poison(function: Function, patterns: _Patterns) -> tuple[set[int], set[int]]:
    """The ids of terms and of memories that may hold poison: the least fixpoint over stores and loads."""
    loads = {s.id: s.memory.id for s in walk(function.body) if isinstance(s, Load)}
    memories = {s.memory.id for s in walk(function.body) if isinstance(s, Alloc) and s.memory.kind is MemoryKind.LOCAL}
    roots = tuple({t.id: t for s in walk(function.body) for t in operands_of(s)}.values())
    order = postorder(roots)
    stores = [s for s in walk(function.body) if isinstance(s, Store)]
    while True:
        terms: set[int] = set()
        for term in order:
            if _may_be_poison(term, terms, memories, loads, patterns):
                terms.add(term.id)
        grown = memories | {s.memory.id for s in stores if s.value.id in terms}
        if grown == memories:
            return terms, memories
        memories = grown


def _may_be_poison(
    term: Term, terms: set[int], memories: set[int], loads: dict[int, int], patterns: _Patterns
) -> bool:
    match term.op:
        case "const" | "arg" | "dim" | "iv":
            return False
        case "read":
            return loads[int(str(term.attr("load")))] in memories
        case "load":
            return term.attr("memory") in memories
        case _:
            return patterns.of(term, tuple(a.id not in terms for a in term.args)).poison is not None


def operands_of(statement: Statement) -> tuple[Term, ...]:
    """The terms that stand in a statement itself."""
    match statement:
        case Load():
            return statement.indices
        case Store():
            return (*statement.indices, statement.value)
        case Alloc():
            return statement.memory.extents
        case Dealloc():
            return ()
        case Evaluate():
            return (statement.term,)
        case Touch():
            return (*statement.accesses, *statement.terms)
        case Loop():
            return (*statement.lowers, *statement.uppers, statement.step)
        case If():
            return (statement.condition,)


def possibly_dead(function: Function) -> tuple[set[int], set[int]]:
    """The ids of statements that may use a memory after its `Dealloc`, and of the memories concerned."""
    statements: set[int] = set()
    memories: set[int] = set()

    def visit(block: Block, dead: set[int]) -> set[int]:
        for s in block:
            used = _used(s)
            if used & dead:
                statements.add(s.id)
                memories.update(used & dead)
            match s:
                case Alloc():
                    dead = dead - {s.memory.id}
                case Dealloc():
                    dead = dead | {s.memory.id}
                case Loop():
                    again = dead | {x.memory.id for x in walk(s.body) if isinstance(x, Dealloc)}
                    dead = dead | visit(s.body, again)
                case If():
                    dead = visit(s.then, dead) | visit(s.otherwise, dead)
                case _:
                    pass
        return dead

    visit(function.body, set())
    return statements, memories


def _used(statement: Statement) -> set[int]:
    used = {int(str(t.attr("memory"))) for t in postorder(operands_of(statement)) if t.op == "load"}
    if isinstance(statement, Load | Store | Dealloc):
        used.add(statement.memory.id)
    return used
