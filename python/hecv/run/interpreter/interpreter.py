"""The reference interpreter: compiles a program graph to Python and runs it on concrete values.

Each scalar op is the text of its theory expression (`hecv.run.evaluation.python_expressions`), so the meaning of an op
is written once. This file has the outcomes of a run; `hecv.run.interpreter.outcome_analysis` has what is known of a
function before it runs.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, literal
from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.tree import (
    Function,
    Memory,
    roots,
    walk,
)
from hecv.run.codegen.function_code import Generator
from hecv.run.codegen.loop_code import weight
from hecv.run.codegen.term_code import Facts
from hecv.run.codegen.vectorized_bodies import Failure
from hecv.run.evaluation.external_functions import Elements, Made, Mismatch, Site, Sites, World, sites
from hecv.run.evaluation.op_templates import Patterns, usual
from hecv.run.evaluation.python_expressions import NAMESPACE, LeftOpen
from hecv.run.exactness import choice_free_runs, fast_math_intervals, real_enclosures
from hecv.run.exactness.choice_free_runs import SettledPatterns
from hecv.run.exactness.exact_arithmetic import NAMES, ExactPatterns
from hecv.run.exactness.fast_math_intervals import LoosePatterns
from hecv.run.exactness.real_enclosures import EnclosingPatterns
from hecv.run.interpreter import operator_steps
from hecv.run.interpreter.outcome_analysis import (
    active_in,
    containing,
    placing,
    possible_poison,
    possibly_dead,
    terms_of,
)

OVERFLOWS: Final = "index arithmetic overflows"
LEFT_OPEN: Final = "a value is left open"
POISON_PASSED: Final = "poison is passed to a recursive call"
OVERLAPPING: Final = "a recursive call is given memory that may overlap"
OVERWRITTEN: Final = "which write of an element comes last is left open"

LONG: Final = 4000
"""Terms of a function, at least, for its innermost loop bodies to run in batches."""

DEEPEST_CALL: Final = 200
"""Recursion depth of a run, at most; deeper ones are not finished."""


class Finished(Struct, frozen=True):
    """The function returned. `arguments` are the final values of all inputs, in buffers of their own."""

    results: tuple[Scalar, ...]
    arguments: tuple[Value, ...]
    steps: int


class Undefined(Struct, frozen=True):
    """The run met undefined behaviour at `statement`; `race`: it is a race."""

    text: str
    statement: int
    steps: int
    race: bool = False


class Exhausted(Struct, frozen=True):
    """The step budget is used up: the program is long, or does not terminate."""

    steps: int


class Excluded(Struct, frozen=True):
    """The run does not count.

    It violates an assumption (an index computation overflowed), calls a function without a body, or needs a value that
    the language leaves open. `reason` says which, `text` what happened at `statement`, which is -1 if unknown.
    """

    text: str
    statement: int
    steps: int
    reason: str = OVERFLOWS


class Diverged(Struct, frozen=True):
    """At `statement`, the run called a function without a body in another way than the run whose answers it gets.

    `number` counts the calls from 1. If the run finished without the call, `statement` is -1. `poison`: it is the same
    call except for a poison value.
    """

    text: str
    statement: int
    steps: int
    number: int
    poison: bool = False


Outcome = Finished | Undefined | Exhausted | Excluded | Diverged


class Executable(Struct, frozen=True):
    """A function ready to run."""

    function: Function
    source: str
    code: Callable[[Sequence[Value], int], Outcome]
    calls: Calls

    def run(self, arguments: Sequence[Value], budget: int = 5_000_000, world: World | None = None) -> Outcome:
        """Runs on `arguments`, the values of all inputs, which are not modified, for at most `budget` steps.

        `world` answers calls of functions without a body; without one, a run that makes such a call is excluded. A step
        is one statement in one iteration; an allocation counts its elements, and an innermost loop is charged as a
        whole when it starts.

        Raises: ValueError if an argument does not fit its type.
        """
        expected = self.function.inputs()
        if len(arguments) != len(expected):
            raise ValueError(f"{len(arguments)} arguments given, expected {len(expected)}")
        for argument, value in zip(expected, arguments, strict=True):
            if argument.memory is not None:
                _check_shape(argument.name, argument.memory, value)
            elif isinstance(value, Buffer) or value is POISON:
                raise ValueError(f"{argument.name} is {value!r}, expected a scalar")
        self.calls.world = world
        try:
            outcome = self.code(arguments, budget)
        except LeftOpen:
            return Excluded(LEFT_OPEN, -1, 0, LEFT_OPEN)
        finally:
            self.calls.world = None
        missing = world.left() if world is not None and isinstance(outcome, Finished) else None
        if missing is not None:
            outcome = Diverged(missing.text, -1, outcome.steps, missing.number)
        return outcome if outcome.steps <= budget else replace(outcome, steps=budget)


def _check_shape(name: str, memory: Memory, value: Value) -> None:
    if not isinstance(value, Buffer):
        raise ValueError(f"{name} is a scalar, expected a buffer")
    extents = [literal(e) for e in memory.extents]
    fits = len(extents) == len(value.shape) and all(e in (None, n) for e, n in zip(extents, value.shape, strict=True))
    if not fits or len(value.data) != math.prod(value.shape):
        raise ValueError(f"{name} has shape {value.shape} and {len(value.data)} elements, expected {extents}")


class Freedom(Struct, frozen=True):
    """Behaviour that is excluded by assumption unless set: index ops wrap, arguments share memory, parallel loops
    run backwards.

    `overwrites`: loops overwrite in iteration order, which is one of several correct runs; by default such a run is
    excluded.
    """

    index_wraps: bool = False
    may_overlap: bool = False
    backwards: bool = False
    overwrites: bool = False


ASSUMED: Final = Freedom()
"""The default assumptions."""


def compile(
    function: Function,
    *,
    index_width: int = 64,
    exact: FloatMode | None = None,
    freedom: Freedom = ASSUMED,
    enclosing: bool = False,
    loosened: bool = False,
    settling: bool = False,
) -> Executable:
    """Compiles `function` to Python.

    With `exact`, a run ends without an answer if float arithmetic may round under that mode. With `enclosing`, floats
    are intervals over the reals (`hecv.run.exactness.real_enclosures`), widened with `loosened` to what flags allow
    (`hecv.run.exactness.fast_math_intervals`). With `settling`, a run ends without an answer if an op has a choice
    (`hecv.run.exactness.choice_free_runs`).

    Requires: with buffers that share memory, `freedom` says so.
    Raises:   Unsupported if an op has no semantics or the nesting is too deep.
    """
    calls = Calls(freedom.may_overlap, sites(function))
    wraps = freedom.index_wraps
    if exact is None:
        patterns = usual(index_width, wraps)
    else:
        patterns = ExactPatterns(index_width, wraps, mode=exact, active=active_in(function))
    patterns = (LoosePatterns if loosened else EnclosingPatterns)(index_width, wraps) if enclosing else patterns
    patterns = SettledPatterns(index_width, wraps) if settling else patterns
    made = _compiled(function, calls, calls.sites, patterns, freedom)
    for name, callee in function.callees.items():
        # A callee does not know all that its caller's caller sees.
        calls.callees[name] = _compiled(callee, calls, {}, patterns, freedom)
    return made


def _compiled(function: Function, calls: Calls, at: Sites, patterns: Patterns, freedom: Freedom) -> Executable:
    order = terms_of(function)
    if type(patterns) is Patterns and operator_steps.is_stepwise(function, order):
        return _stepwise(function, operator_steps.program_of(function, order, patterns), calls)
    _require_known(function, order, patterns)
    loading, dividing = containing(order, "load"), containing(order, "affine.quotient")
    poison = possible_poison(function, order, patterns, freedom.may_overlap)
    facts = Facts(poison, loading, dividing, *possibly_dead(function), at, len(order) >= LONG, placing(function))
    generator = Generator(function, patterns, facts, freedom.may_overlap)
    generator.backwards = freedom.backwards
    generator.races.in_order = freedom.overwrites
    source = generator.generate()
    namespace: dict[str, Any] = {
        **NAMESPACE,
        **NAMES,
        **real_enclosures.NAMES,
        **fast_math_intervals.NAMES,
        **choice_free_runs.NAMES,
        **_RUNTIME,
        **generator.bodies,
        **generator.unlisted,
        "call": calls.call,
        "outside": calls.outside,
    }
    exec(builtins.compile(source, f"<hecv @{function.name}>", "exec"), namespace)
    return Executable(function, source, namespace["run"], calls)


class Calls(Struct):
    """The callees of a run by name, and the `world` that answers calls of functions without a body, at `sites`.

    `may_overlap`: buffers may share memory.
    """

    may_overlap: bool
    sites: Sites
    callees: dict[str, Executable] = field(default_factory=dict[str, Executable])
    world: World | None = None
    _depth: int = 0

    def outside(
        self, statement: int, operands: tuple[Scalar, ...], memories: Sequence[Elements], steps: int
    ) -> tuple[Scalar, ...] | Outcome:
        """The results of a call of a function without a body, or how the run ends."""
        return _outside(self.world, self.sites[statement], operands, memories, steps)

    def call(
        self, name: str, scalars: list[Scalar], buffers: list[Buffer], left: int, statement: int, budget: int
    ) -> Outcome:
        """The outcome of a call that has `left` steps of its `budget`; the arguments of `Finished` are the buffers.

        Excluded is what no proof covers: poison that is passed on, and buffers that may share memory.
        """
        function = self.callees[name].function
        spent = budget - left
        if any(v is POISON for v in (*scalars, *(x for b in buffers for x in b.data))):
            return Excluded(f"@{name} is called with poison", statement, spent, POISON_PASSED)
        if self.may_overlap and len(buffers) > 1:
            return Excluded(f"@{name} is called with memory that may overlap", statement, spent, OVERLAPPING)
        if self._depth == DEEPEST_CALL:
            return Exhausted(budget)
        left_scalars, left_buffers = iter(scalars), iter(buffers)
        inputs = [next(left_scalars) if a.memory is None else next(left_buffers) for a in function.inputs()]
        self._depth += 1
        try:
            end = self.callees[name].code(inputs, left)
        finally:
            self._depth -= 1
        match end:
            case Finished():
                return replace(end, arguments=tuple(v for v in end.arguments if isinstance(v, Buffer)))
            case Exhausted():
                return Exhausted(budget)
            case _:
                return replace(end, statement=statement, steps=spent + end.steps)


def _outside(
    world: World | None, site: Site, operands: tuple[Scalar, ...], memories: Sequence[Elements], steps: int
) -> tuple[Scalar, ...] | Outcome:
    """The results of a call of a function without a body, or how the run ends."""
    why = f"a call of @{site.callee}, which has no body"
    end = why if world is None else world.call(site, operands, memories)
    match end:
        case Made():
            return end.results
        case Mismatch(number, text, poison):
            return Diverged(text, site.statement, steps, number, poison)
        case _:
            return Excluded(end, site.statement, steps, end)


def _stepwise(function: Function, program: operator_steps.Program, calls: Calls) -> Executable:
    """An executable that runs operator by operator."""
    steps = weight(function.body)

    def run(arguments: Sequence[Value], budget: int) -> Outcome:
        if steps > budget:
            return Exhausted(budget)
        found = program.run(arguments)
        if isinstance(found, operator_steps.Failure):
            return _undefined_op(found.check.op, found.check.statement, steps, *found.operands)
        return Finished(found, tuple(arguments), steps)

    return Executable(function, "", run, calls)


def _require_known(function: Function, order: list[Term], patterns: Patterns) -> None:
    for term in order:
        try:
            if term.args and term.op != "load" and not patterns.is_plain(term):
                patterns.of(term, (True,) * len(term.args))
        except Unsupported as problem:
            users = containing(order, term.op)
            here = next(s for s in walk(function.body) if any(t.id in users for t in roots(s)))
            raise Unsupported(problem.text, function.locations.get(here.id, function.location)) from None


# Functions the generated code calls where a check has failed


def _bounds(statement: int, steps: int, limit: int, *pairs: Scalar) -> Outcome:
    """The outcome of an access out of bounds; `pairs` are index and extent of each dimension."""
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


def _race(statement: int, steps: int, name: str, offset: int, iterations: tuple[object, int]) -> Outcome:
    """The outcome where two iterations of a parallel loop access one element and one of them writes."""
    first, second = iterations
    which = f"iterations {first} and {second}" if isinstance(first, int) else f"iteration {second} and others"
    text = f"a race: {which} of a parallel loop access element {offset} of %{name}, and one of them writes"
    return Undefined(text, statement, steps, True)


def _overwritten(statement: int, steps: int, name: str, offset: int, iterations: tuple[object, int]) -> Outcome:
    """The outcome where two iterations of an overwriting parallel loop write one element."""
    first, second = iterations
    text = f"iterations {first} and {second} of a parallel loop write element {offset} of %{name}, in some order"
    return Excluded(text, statement, steps, OVERWRITTEN)


def _failed(failure: Failure, steps: int, limit: int) -> Outcome:
    """The outcome of a failure in a loop that runs in batches."""
    if failure.op:
        return _undefined_op(failure.op, failure.statement, steps, *failure.operands)
    return _bounds(failure.statement, steps, limit, *failure.operands)


def _undefined_op(name: str, statement: int, steps: int, *operands: Scalar) -> Outcome:
    """The outcome of an op whose condition for undefined behaviour holds."""
    if operands[-1] is POISON:
        return Undefined(f"divisor of {name} is poison", statement, steps)
    if operands[-1] == 0:
        return Undefined("division by zero", statement, steps)
    shown = " by ".join(str(x) for x in operands)
    return Undefined(f"{name} of {shown} is undefined", statement, steps)


class _Window(Struct, frozen=True):
    """A part of a memory that other buffers share. Subscripts are in bounds."""

    store: list[Scalar]
    start: int
    size: int

    def __getitem__(self, index: int) -> Scalar:
        return self.store[self.start + index]

    def __setitem__(self, index: int, value: Scalar) -> None:
        self.store[self.start + index] = value

    def __len__(self) -> int:
        return self.size


def _placed(buffer: Buffer, copies: dict[int, list[Scalar]]) -> list[Scalar] | _Window:
    """The memory of a buffer for one run; `copies` has the memories of earlier buffers, by what they share."""
    shared = buffer.data if buffer.store is None else buffer.store
    if id(shared) not in copies:
        copies[id(shared)] = list(shared)
    own = copies[id(shared)]
    return own if buffer.store is None else _Window(own, buffer.start, len(buffer.data))


def _place(memory: list[Scalar] | _Window, offset: int) -> tuple[int, int]:
    """A key of an element that no other element of any input has, also of inputs that share memory."""
    return (id(memory.store), memory.start + offset) if isinstance(memory, _Window) else (id(memory), offset)


def _held(memory: list[Scalar] | _Window) -> list[Scalar]:
    """The contents of a memory at the end of a run."""
    return memory.store[memory.start : memory.start + memory.size] if isinstance(memory, _Window) else memory


_RUNTIME: Final[dict[str, object]] = {
    "place": _place,
    "placed": _placed,
    "held": _held,
    "Buffer": Buffer,
    "Finished": Finished,
    "Undefined": Undefined,
    "Exhausted": Exhausted,
    "Excluded": Excluded,
    "bounds": _bounds,
    "undefined_op": _undefined_op,
    "failed": _failed,
    "race": _race,
    "overwritten": _overwritten,
    "SEVERAL": object(),
}
