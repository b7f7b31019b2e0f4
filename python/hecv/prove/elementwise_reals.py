"""The proof element by element over the reals, as the verdict needs it (`hecv.elements`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Scalar, Value
from hecv.claim.assumptions import INFINITE, ROUNDED
from hecv.claim.result import Assumption
from hecv.elements.element_outcome import Budget, Open, Same
from hecv.program.tree import Function
from hecv.refute.differential_runs import Trials
from hecv.run.interpreter.interpreter import Finished, compile

MOST_SHOWN: Final = 4
"""So many literals are named in an assumption."""


def prove_by_element(
    pool: TermPool,
    functions: tuple[Function, Function],
    trials: Trials,
    arguments: Sequence[Value],
    index_width: int,
    budget: Budget,
) -> Same | Open:
    """How the proof by element ends; `arguments` are any that fit.

    That neither side has a race or an access out of bounds is seen in one run that finishes, as both are the same on
    all inputs if the functions can be unfolded at all; assertions are part of the proof.

    Requires: memory arguments do not overlap; the functions can be run.
    """
    from hecv.elements.element_prover import prove  # few pairs are compared over the reals

    found = prove(pool, functions, index_width, budget)
    if isinstance(found, Same):
        for side, function in zip(("source", "target"), functions, strict=True):
            executable = compile(function, index_width=index_width)
            ends = (executable.run(some, trials.budget) for some in (arguments, tuple(map(_ones, arguments))))
            if not any(isinstance(end, Finished) for end in ends):
                return Open(f"no run of the {side} was seen to finish")
    return found


def _ones(value: Value) -> Value:
    """A value of ones in the shape of another: few assertions reject them."""
    if isinstance(value, Buffer):
        return Buffer(value.shape, [_one(x) for x in value.data])
    return _one(value)


def _one(value: Scalar) -> Scalar:
    return 1.0 if isinstance(value, float) else 1


def assumed_of(found: Same) -> tuple[Assumption, ...]:
    """What the proof takes for granted, besides that floats are real numbers."""
    more: list[Assumption] = []
    if found.rounded:
        shown = ", ".join(found.rounded[:MOST_SHOWN])
        rest = len(found.rounded) - MOST_SHOWN
        text = f"{ROUNDED}: {shown}"
        more.append(Assumption("literals-rounded", text + (f" and {rest} more" if rest > 0 else ""), "--fp"))
    if found.infinite:
        more.append(Assumption("infinite-literals", INFINITE, "--fp"))
    return tuple(more)
