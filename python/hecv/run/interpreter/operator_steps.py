"""Runs long straight-line integer functions operator by operator, without compiling the whole function.

Python takes longer to compile the text of such a function than to run it a dozen times, and for a long function longer
than a proof takes. Here each operator is compiled once for all its occurrences of a kind, in any function. Its meaning
is the same text as in `hecv.run.codegen`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import IntType
from hecv.base.value import POISON, Scalar, Value
from hecv.ops import OPERATORS
from hecv.program.tree import Evaluate, Function, Store, walk
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import NAMESPACE, Pattern

LONG: Final = 60
"""Terms of a function, at least, for it to run operator by operator."""

Operation = Callable[..., Any]
Step = tuple[Operation, int, tuple[int, ...]]
"""An operation, the position of its result, and the positions of its operands."""


class Check(Struct, frozen=True):
    """An operator that may be undefined, after some steps, if `fails` holds of its operands."""

    steps: list[Step]
    fails: Operation
    operands: tuple[int, ...]
    op: str
    statement: int


class Failure(Struct, frozen=True):
    """A failed check and its operands."""

    check: Check
    operands: list[Scalar]


class Program(Struct, frozen=True):
    """A function as steps: initial values, positions of arguments, checks with the steps before each, the final
    steps, and positions of results (None for one that is never stored)."""

    values: list[Scalar]
    arguments: list[tuple[int, int]]
    checks: list[Check]
    last: list[Step]
    results: list[int | None]

    def run(self, arguments: Sequence[Value]) -> tuple[Scalar, ...] | Failure:
        """The results, or the first check that fails."""
        values: list[Any] = self.values.copy()
        for position, number in self.arguments:
            values[position] = arguments[number]
        for check in self.checks:
            _take(check.steps, values)
            operands = [values[k] for k in check.operands]
            if check.fails(*operands):
                return Failure(check, operands)
        _take(self.last, values)
        return tuple([POISON if k is None else values[k] for k in self.results])


def _take(steps: list[Step], values: list[Any]) -> None:
    for operation, position, operands in steps:
        if len(operands) == 2:  # as most have
            first, second = operands
            values[position] = operation(values[first], values[second])
        else:
            values[position] = operation(*[values[k] for k in operands])


def is_stepwise(function: Function, order: Sequence[Term]) -> bool:
    """True if a function is long and computes its results from integers alone."""
    if len(order) < LONG or function.constants or any(a.memory is not None for a in function.inputs()):
        return False
    results = {m.id for m in function.results}
    for s in walk(function.body):
        match s:
            case Evaluate():
                continue
            case Store(memory=memory, indices=()) if memory.id in results and not memory.extents:
                continue
            case _:
                return False
    return all(isinstance(t.type, IntType) and (t.op in ("const", "arg") or t.op in OPERATORS) for t in order)


def program_of(function: Function, order: Sequence[Term], patterns: Patterns) -> Program:
    """The steps of a function.

    Requires: `is_stepwise`, and `order` is that of `terms_of`: the terms of a statement come after those of earlier
              statements, and operands before users.
    Raises:   Unsupported if an op has no semantics.
    """
    return _Maker(function, order, patterns).made()


class _Maker:
    def __init__(self, function: Function, order: Sequence[Term], patterns: Patterns) -> None:
        self._function: Final = function
        self._order: Final = order
        self._taken = 0
        self._patterns: Final = patterns
        self._positions: Final = {t.id: k for k, t in enumerate(order)}
        self._values: Final[list[Scalar]] = [0] * len(order)
        self._arguments: Final[list[tuple[int, int]]] = []
        self._poison: Final[set[int]] = set()
        self._steps: list[Step] = []
        self._plain: Final[dict[tuple[object, ...], Operation]] = {}
        """Operators that make no poison of proper operands and are defined on all, by types."""

    def made(self) -> Program:
        """The steps, statement by statement."""
        checks: list[Check] = []
        stored: dict[int, int] = {}
        for s in walk(self._function.body):
            if isinstance(s, Store):
                self._take(self._positions[s.value.id] + 1)
                stored[s.memory.id] = self._positions[s.value.id]
            elif isinstance(s, Evaluate):
                self._take(self._positions[s.term.id])
                found = self._pattern(s.term)
                if found.ub is not None:
                    operands = tuple([self._positions[a.id] for a in s.term.args])
                    fails = _operation(found.ub, None, len(operands))
                    checks.append(Check(self._steps, fails, operands, s.term.op, s.id))
                    self._steps = []
        results = [stored.get(m.id) for m in self._function.results]
        return Program(self._values, self._arguments, checks, self._steps, results)

    def _take(self, end: int) -> None:
        """Adds the missing steps for the terms before a position."""
        for position in range(self._taken, end):
            self._add(self._order[position], position)
        self._taken = max(self._taken, end)

    def _add(self, term: Term, position: int) -> None:
        args = term.args
        if not args and term.op in ("const", "arg"):
            self._begin_with(term, position)
            return
        # No term dies meanwhile: an address is that of one type.
        key = (term.op, term.attrs, id(term.type), *[id(a.type) for a in args])
        operation = self._plain.get(key)
        if operation is None or (self._poison and not self._poison.isdisjoint([a.id for a in args])):
            operation = self._compiled(term, key)
        positions = self._positions
        self._steps.append((operation, position, tuple([positions[a.id] for a in args])))

    def _begin_with(self, leaf: Term, position: int) -> None:
        value = literal(leaf)
        if value is None:
            self._arguments.append((position, int(leaf.attr("number"))))  # type: ignore[arg-type]
        else:
            self._values[position] = value

    def _compiled(self, term: Term, key: tuple[object, ...]) -> Operation:
        """The compiled operator; it is kept under `key` if it makes no poison on non-poison operands."""
        proper = tuple([a.id not in self._poison for a in term.args])
        found = self._patterns.of(term, proper)
        operation = _operation(found.value, found.poison, len(term.args))
        if found.poison is not None:
            self._poison.add(term.id)
        elif all(proper) and self._patterns.is_plain(term):
            self._plain[key] = operation
        return operation

    def _pattern(self, term: Term) -> Pattern:
        return self._patterns.of(term, tuple([a.id not in self._poison for a in term.args]))


@cache
def _operation(value: str, poison: str | None, count: int) -> Operation:
    """Compiles an operator with `count` operands."""
    names = [f"a{k}" for k in range(count)]
    text = value.format(*names)
    text = f"POISON if {poison.format(*names)} else {text}" if poison else text
    return eval(f"lambda {', '.join(names)}: {text}", dict(NAMESPACE))
