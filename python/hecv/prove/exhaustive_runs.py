"""Functions of few bits, run on all inputs: what the laws and Z3 do not decide, as arithmetic on floats of 8 bits.

A function without inputs has one run. Memory that takes a result is no input: it holds poison at first, and a run that
leaves some of it there says nothing.

A run is a proof where it says what every correct execution does: each op has one value, none is a function of which a
run takes an instance, nothing is left open, no computation leaves the assumptions, and floats are IEEE-754. An input on
which the source is undefined says nothing of the target. In a function without inputs, a function of `math` is the C
library's, which is assumed (`library-constants`): MLIR folds constants, and executes, by the same.
"""

from __future__ import annotations

from itertools import product
from math import prod
from time import process_time
from typing import Final

from msgspec import Struct

from hecv.base.term import literal
from hecv.base.value import POISON, Buffer, Poison, Value
from hecv.claim.unspecified_ops import is_of_library
from hecv.ops import OPERATORS
from hecv.program.tree import Argument, Call, Function, Role, walk
from hecv.refute.differential_runs import BUDGET, compare
from hecv.run.evaluation.exhaustive_evaluation import values_of
from hecv.run.interpreter.interpreter import Executable, Finished, Outcome, Undefined, compile
from hecv.run.interpreter.outcome_analysis import leaves_choice, terms_of

MOST_INPUTS: Final = 1 << 16
SECONDS: Final = 10.0
STEPS: Final = 10_000
"""Of one run of several; a function that takes more is not looked at."""
MOST_ELEMENTS: Final = 1 << 20
"""Of what takes a result."""


class Exhausted(Struct, frozen=True):
    """The target refines the source on all inputs, of which there are `inputs`; `converse` tells whether the source
    refines the target."""

    inputs: int
    converse: bool


Arguments = tuple[Value, ...]


def run_all(
    functions: tuple[Function, Function], index_width: int, seconds: float = SECONDS
) -> Exhausted | Arguments | None:
    """Whether the target refines the source on all inputs, or the first input on which it does not; None where these
    are too many, or do not tell.

    Requires: floats are computed as IEEE-754 has them, indices do not overflow, and memory arguments do not overlap.
    """
    constant = not any(map(has_inputs, functions))
    if not all(_tells(f, constant) for f in functions):
        return None
    domains = list(map(_domain, functions[0].inputs()))
    known = [d for d in domains if d is not None]
    if len(known) < len(domains) or prod(map(len, known)) > MOST_INPUTS:
        return None
    source, target = (compile(f, index_width=index_width) for f in functions)
    return _run(source, target, known, seconds)


def has_inputs(function: Function) -> bool:
    """Whether runs of a function may differ: it is given more than memory that takes results."""
    return any(a.role is not Role.RESULT or _domain(a) is None for a in function.inputs())


def _domain(argument: Argument) -> tuple[Value, ...] | None:
    """All values of an input; None if there are too many."""
    if argument.memory is None:
        return values_of(argument.type)
    extents = [literal(e) for e in argument.memory.extents]
    shape = tuple([e for e in extents if isinstance(e, int)])
    if argument.role is not Role.RESULT or len(shape) < len(extents) or prod(shape) > MOST_ELEMENTS:
        return None
    return (Buffer(shape, [POISON] * prod(shape)),)


def _tells(function: Function, constant: bool) -> bool:
    """Whether a run says what every execution does; of a `constant` one it is known by which library."""
    if not function.known or leaves_choice(function) or any(isinstance(s, Call) for s in walk(function.body)):
        return False
    left = (t for t in terms_of(function) if not (constant and is_of_library(t)))
    operators = (OPERATORS.get(t.op) for t in left)
    return not any(o and o.uninterpreted for o in operators)


def _run(
    source: Executable, target: Executable, domains: list[tuple[Value, ...]], seconds: float
) -> Exhausted | Arguments | None:
    deadline, converse = process_time() + seconds, True
    steps = STEPS if prod(map(len, domains)) > 1 else BUDGET
    for number, arguments in enumerate(product(*domains)):
        first, second = source.run(arguments, steps), target.run(arguments, steps)
        ends = (first, second)
        if not all(isinstance(end, Finished | Undefined) for end in ends) or any(map(_leaves_poison, ends)):
            return None
        if steps == BUDGET and not isinstance(first, Finished):
            return None  # a function that is never defined is refined by anything
        if isinstance(first, Finished):
            if not isinstance(second, Finished) or compare(arguments, first, second) is not None:
                return arguments
            converse = converse and compare(arguments, second, first) is None
        elif isinstance(second, Finished):
            converse = False
        if number % 1024 == 0 and process_time() > deadline:
            return None
    return Exhausted(prod(map(len, domains)), converse)


def _leaves_poison(end: Outcome) -> bool:
    """Whether memory holds poison at the end of a run."""
    buffers = [v for v in end.arguments if isinstance(v, Buffer)] if isinstance(end, Finished) else []
    return any(isinstance(x, Poison) for b in buffers for x in b.data)
