"""Confirmation by MLIR's JIT: a difference in values is reported only if MLIR's own execution shows it too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from hecv.base.value import refined
from hecv.mlir.importer import ParsedModule
from hecv.program.tree import Function, Returned
from hecv.refute.differential_runs import Difference, at, scalars
from hecv.refute.jit_runs import execute
from hecv.refute.result_aliasing import agree
from hecv.run.interpreter.interpreter import Diverged, Finished, Undefined

Engine = Literal["interpreter", "slice", "jit"]
"""What runs both functions; a "slice" is the interpreter, of what computes one element alone."""
Side = Literal["source", "target"]
SIDES: Final[tuple[Side, Side]] = ("source", "target")

OTHER_VALUE: Final = "MLIR's JIT computes another value than the interpreter"

NEARER: Final = 16
"""How many times nearer to the interpreter's result than to each other both JIT results must be."""


class Opinion(Struct, frozen=True):
    """What MLIR's JIT says of a difference: the `problem` if it does not confirm it.

    `folded` are the sides of which it computes the interpreter's values only where each op is lowered by itself: folds
    of MLIR's own lowering change what they compute.
    """

    problem: str | None
    folded: tuple[Side, ...] = ()


def confirm(
    modules: tuple[ParsedModule, ParsedModule],
    functions: tuple[Function, Function],
    difference: Difference,
    index_width: int,
) -> Opinion:
    """Whether MLIR's JIT confirms the difference, on both sides like the interpreter.

    If floats were rounded, the JIT may round otherwise, and call other functions: it confirms the difference if both
    sides are much nearer to the interpreter's results than to each other.

    Code that is lowered by the fold that is at fault is no second opinion on it. So if the JIT computes other values,
    each op is lowered by itself, and that run decides.

    Requires: a difference in values, or in calls of functions without a body. The JIT is never given undefined
        behaviour or poison.
    """
    if difference.has_poison():
        return Opinion("an outcome holds poison, which is not given to MLIR's JIT")

    def problems(isolated: bool) -> dict[Side, str]:
        script = difference.calls if difference.calls or isinstance(difference.target, Diverged) else None
        arguments, ends = difference.arguments, (difference.source, difference.target)
        executed = execute(modules, functions, arguments, index_width, script=script, isolated=isolated)
        found: dict[Side, str] = {}
        for side, end, theirs in zip(SIDES, ends, executed, strict=True):
            assert not isinstance(end, Undefined)
            problem = _compare(difference, end, theirs, functions[1].returned)
            if problem is not None:
                found[side] = problem
        return found

    found = problems(isolated=False)
    if not found:
        return Opinion(None)
    if set(found.values()) == {OTHER_VALUE} and not problems(isolated=True):
        return Opinion(None, tuple(found))
    side, problem = next(iter(found.items()))
    return Opinion(f"{problem} (the {side})")


def _compare(
    difference: Difference, end: Finished | Diverged, theirs: Finished | Diverged | str, returned: Sequence[Returned]
) -> str | None:
    if isinstance(theirs, str):
        return f"MLIR's JIT could not run it: {theirs}"
    if isinstance(theirs, Diverged) or isinstance(end, Diverged):
        same = isinstance(theirs, Diverged) and isinstance(end, Diverged) and theirs.number == end.number
        return None if same else "MLIR's JIT makes other calls than the interpreter"
    if not agree(returned, difference.arguments, end, theirs):
        return "MLIR's JIT returns another buffer than the interpreter"
    if all(refined(a, b) for a, b in zip(scalars(end, returned), scalars(theirs, returned), strict=True)):
        return None
    if difference.rounded and _is_near(difference, end, theirs):
        return None
    return OTHER_VALUE


def _is_near(difference: Difference, end: Finished, theirs: Finished) -> bool:
    """Whether two runs of one side are nearer to each other than the sides are, by far."""
    assert difference.place is not None and isinstance(difference.target, Finished)
    values = [at(difference.place, run) for run in (difference.source, difference.target, end, theirs)]
    numbers = [v for v in values if isinstance(v, float)]
    if len(numbers) < len(values):
        return False
    source, target, ours, other = numbers
    return abs(ours - other) * NEARER <= abs(source - target)
