"""The second opinion: MLIR's own execution must show a difference in values before anyone is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hecv.base.types import ScalarType, Type
from hecv.base.value import Buffer, Scalar, Value
from hecv.execute.interpreter import Finished
from hecv.frontend.mlir import ParsedModule
from hecv.graph.tree import Function
from hecv.verdict.runs import Difference, refined

Engine = Literal["interpreter", "jit"]


def confirm(
    modules: tuple[ParsedModule, ParsedModule], functions: tuple[Function, Function], difference: Difference
) -> str | None:
    """Why MLIR's JIT does not show the difference; None where it does, on both sides as the interpreter.

    Requires: a difference in values. The JIT is never given undefined behaviour or poison.
    """
    if difference.has_poison():
        return "an outcome holds poison, which is not given to MLIR's JIT"
    ends = difference.source, difference.target
    for side, module, function, end in zip(("source", "target"), modules, functions, ends, strict=True):
        assert isinstance(end, Finished)
        problem = _compare(module.text, function, difference.arguments, end)
        if problem is not None:
            return f"{problem} (the {side})"
    return None


def _compare(text: str, function: Function, arguments: Sequence[Value], end: Finished) -> str | None:
    theirs = _execute(text, function, arguments)
    if isinstance(theirs, str):
        return f"MLIR's JIT could not run it: {theirs}"
    ours = [*end.results, *_elements(end.arguments)]
    if len(ours) == len(theirs) and all(refined(a, b) for a, b in zip(ours, theirs, strict=True)):
        return None
    return "MLIR's JIT computes another value than the interpreter"


def _execute(text: str, function: Function, arguments: Sequence[Value]) -> list[Scalar] | str:
    """The results and the final elements that MLIR's JIT computes, or why there are none."""
    from hecv.execute import jit  # 50 ms, and most checks have no need of it

    types: list[Type] = [a.type for a in function.arguments]
    results: list[ScalarType] = [m.element for m in function.results]
    outcome = jit.run(text, function.name, arguments, types, results)
    return outcome.reason if isinstance(outcome, jit.Failed) else [*outcome.results, *_elements(outcome.arguments)]


def _elements(values: Sequence[Value]) -> list[Scalar]:
    return [x for v in values if isinstance(v, Buffer) for x in v.data]
