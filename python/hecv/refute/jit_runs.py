"""Runs by MLIR's JIT: to confirm a difference, and alone for inputs that are too long for the interpreter.

A run without the interpreter needs a proof that both sides are in bounds and initialised (if not that they are equal),
which literal bounds may be, and functions whose ops have one outcome: undefined compiled code may do anything, also to
this process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecv.base.types import MemRefType, ScalarType, Type
from hecv.base.value import Scalar, Value
from hecv.dataflow.dataflow_proof import Proved, Stuck
from hecv.mlir.importer import ParsedModule
from hecv.mlir.module.symbol_closure import code_for
from hecv.program.tree import Function, Role, walk
from hecv.refute.differential_runs import Difference, compare
from hecv.refute.static_bounds import stays_in_bounds
from hecv.run.evaluation.external_functions import Made
from hecv.run.interpreter.interpreter import Diverged, Finished
from hecv.run.interpreter.outcome_analysis import has_one_outcome

if TYPE_CHECKING:
    from hecv.run.jit import JitOutcome, Running

SECONDS: Final = 10.0
CONFIRM_SECONDS: Final = 20.0
COMPILED_A_SECOND: Final = 50_000
"""The characters of text for which the time limit grows by a second."""

MOST_STATEMENTS: Final = 8000
"""The most statements; above it the compiler takes longer than the proof."""
MOST_LEFT: Final = 25_000
"""The most statements where one normal form does not prove the pair, and each statement is a copy that is followed by
itself otherwise."""


def may_be_compiled(functions: tuple[Function, Function], proof: Proved | Stuck) -> bool:
    """Whether both functions are short, and may be given to the JIT on every input on which the source is in bounds."""
    return proof.safe and is_short(functions) and _have_one_outcome(functions)


def stay_in_bounds(functions: tuple[Function, Function]) -> bool:
    """Whether both functions may be given to the JIT on every input, as literal bounds show."""
    return all(map(stays_in_bounds, functions)) and _have_one_outcome(functions)


def is_short(functions: tuple[Function, Function], most: int = MOST_STATEMENTS) -> bool:
    """Whether the compiler takes both functions in a time that is worth it."""
    return all(sum(1 for _ in walk(f.body)) <= most for f in functions)


def _have_one_outcome(functions: tuple[Function, Function]) -> bool:
    return all(f.known and has_one_outcome(f) for f in functions)


def attempt(
    modules: tuple[ParsedModule, ParsedModule],
    functions: tuple[Function, Function],
    arguments: tuple[Value, ...],
    index_width: int,
) -> tuple[bool, Difference | None]:
    """Whether both sides finished within the time limit, and the difference if there is one."""
    first, second = execute(modules, functions, arguments, index_width, SECONDS)
    if not isinstance(first, Finished) or not isinstance(second, Finished):
        return False, None
    return True, compare(arguments, first, second, functions[1].returned)


def execute(
    modules: tuple[ParsedModule, ParsedModule],
    functions: tuple[Function, Function],
    arguments: tuple[Value, ...],
    index_width: int,
    seconds: float = CONFIRM_SECONDS,
    script: tuple[Made, ...] | None = None,
    isolated: bool = False,
) -> tuple[Finished | Diverged | str, Finished | Diverged | str]:
    """What MLIR's JIT computes on each side, or why it does not; the sides run in parallel.

    With a `script`, functions without a body answer by it; code that does not make these calls diverges. With
    `isolated`, each op is lowered by itself, so that none of MLIR's folds of several ops applies.
    """
    both = zip(modules, functions, strict=True)
    running = [_start(module, function, arguments, index_width, seconds, script, isolated) for module, function in both]
    # Each is waited for, whatever the other says: that ends its process.
    outcomes = [child.outcomes()[0] for child in running]
    count = len(script or ())
    first, second = (_end(f, arguments, outcome, count) for f, outcome in zip(functions, outcomes, strict=True))
    return first, second


def _start(
    module: ParsedModule,
    function: Function,
    arguments: tuple[Value, ...],
    index_width: int,
    seconds: float,
    script: tuple[Made, ...] | None,
    isolated: bool,
) -> Running:
    from hecv.run import jit  # 50 ms, and most checks have no need of it

    types: list[Type] = [a.type for a in function.arguments if a.role is not Role.AROUND]
    results: list[ScalarType] = [m.element for m in function.results]
    shown = [r.result for r in function.returned if r.which is None]
    hidden = [(g.name.removeprefix("@"), g.type) for g in function.globals if isinstance(g.type, MemRefType)]
    text = code_for(module, (function.name, *(name for name, _ in hidden)))
    return jit.start(
        text,
        function.name,
        [tuple(v for a, v in zip(function.inputs(), arguments, strict=True) if a.role is not Role.AROUND)],
        types,
        results,
        globals=hidden,
        shown=shown,
        seconds=seconds + len(text) / COMPILED_A_SECOND,
        index_width=index_width,
        script=script,
        isolated=isolated,
    )


def _end(
    function: Function, arguments: tuple[Value, ...], outcome: JitOutcome, calls: int
) -> Finished | Diverged | str:
    """An outcome as the interpreter has it, of which so many `calls` of functions without a body are expected."""
    from hecv.run.jit import Diverged as Left
    from hecv.run.jit import Failed

    if isinstance(outcome, Failed):
        return outcome.reason
    if isinstance(outcome, Left):
        return Diverged("another call", -1, 0, outcome.number)
    if outcome.calls < calls:
        return Diverged("a call is missing", -1, 0, outcome.calls + 1)
    inputs = zip(function.inputs(), arguments, strict=True)
    # What is done to the buffer of a value is nobody's to see, and nothing is said of what surrounds a result.
    ends = iter(outcome.arguments)
    given = ((a.role, before, before if a.role is Role.AROUND else next(ends)) for a, before in inputs)
    kept = (before if role is Role.VALUE else after for role, before, after in given)
    return Finished(_numbered(function, outcome.results), tuple(kept), 0)


def _numbered(function: Function, results: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """The results with the numbers of buffers as those of a function that has arguments for what surrounds results:
    compiled code has none of these."""
    around = sum(a.role is Role.AROUND for a in function.arguments)
    first = len(function.arguments) - around
    buffers = {r.shown for r in function.returned if r.which is None}
    shifted = {k for k in buffers if isinstance(n := results[k], int) and n >= first}
    return tuple(n + around if k in shifted and isinstance(n, int) else n for k, n in enumerate(results))
