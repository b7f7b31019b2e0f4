"""The second opinion: MLIR's own execution must show a difference in values before anyone is told of it."""

from __future__ import annotations

from typing import Literal

from hecv.base.value import Value
from hecv.execute.interpreter import Finished
from hecv.frontend.mlir import ParsedModule
from hecv.graph.tree import Function
from hecv.verdict.compiled import execute
from hecv.verdict.runs import Difference, refined, scalars

Engine = Literal["interpreter", "jit"]


def confirm(
    modules: tuple[ParsedModule, ParsedModule],
    functions: tuple[Function, Function],
    difference: Difference,
    index_width: int,
) -> str | None:
    """Why MLIR's JIT does not show the difference; None where it does, on both sides as the interpreter.

    Requires: a difference in values. The JIT is never given undefined behaviour or poison.
    """
    if difference.has_poison():
        return "an outcome holds poison, which is not given to MLIR's JIT"
    ends = difference.source, difference.target
    for side, module, function, end in zip(("source", "target"), modules, functions, ends, strict=True):
        assert isinstance(end, Finished)
        problem = _compare(module.code(), function, difference.arguments, end, index_width)
        if problem is not None:
            return f"{problem} (the {side})"
    return None


def _compare(
    text: str, function: Function, arguments: tuple[Value, ...], end: Finished, index_width: int
) -> str | None:
    theirs = execute(text, function, arguments, index_width)
    if isinstance(theirs, str):
        return f"MLIR's JIT could not run it: {theirs}"
    if all(refined(a, b) for a, b in zip(scalars(end), scalars(theirs), strict=True)):
        return None
    return "MLIR's JIT computes another value than the interpreter"
