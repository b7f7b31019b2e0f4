"""The searches for a counterexample among the steps of the portfolio."""

from __future__ import annotations

from itertools import islice
from typing import Final

from hecv.prove.pair.prover import Budget
from hecv.prove.portfolio_state import Asked
from hecv.refute import jit_runs
from hecv.refute.differential_runs import Difference
from hecv.refute.input_generation import Style

FIRST_SECONDS: Final = 0.1
FIRST_RUNS: Final = 24
FIRST_SIZES: Final = 64
"""Runs before the proof, without and with sizes that vary."""
SAME_SECONDS: Final = 0.01
"""For runs of a pair of which nothing is left to prove: they are a test of hecv alone."""
MORE_SECONDS: Final = 2.0
LESS_SECONDS: Final = 1.5
"""After a proof that stopped, and where it is tried for longer."""
MORE_RUNS: Final = 1000


def run_first(asked: Asked, budget: Budget) -> Difference | None:
    """Runs before anything is known of the pair; briefly where it is proved, or something goes on beside them."""
    case, brief = asked.case, asked.proof is not None or asked.case.is_forming()
    most = FIRST_SIZES if case.inputs.has_sizes() else FIRST_RUNS
    found = case.inputs.first_search(SAME_SECONDS if brief else budget.seconds, most)
    if found is not None:
        forming, asked.proof = case.is_forming(), None
        case.end()
        if forming:
            case.flatten()  # isl says where they differ
    return found


def run_more(asked: Asked, budget: Budget) -> Difference | None:
    """Runs at the points that a failed proof names, and on new inputs."""
    inputs, stuck = asked.case.inputs, asked.stuck if asked.proof is None else None
    brief = stuck is not None and asked.over_budget and not asked.at_length
    found = inputs.search_at(() if stuck is None else stuck.hints)
    return found or inputs.search(LESS_SECONDS if brief else budget.seconds, MORE_RUNS)


def run_by_jit(asked: Asked, budget: Budget) -> Difference | None:
    """A run on an input that only MLIR's JIT can run to its end.

    Requires: `may_be_compiled` of a proof, or of what one shows that stopped.
    """
    case = asked.case
    if not case.trials.runnable or case.trials.exact is not None or case.trials.excluded:
        return None  # compiled code says neither whether it rounds nor whether it leaves what is assumed
    for point in islice(case.inputs.points, 1):
        arguments = case.inputs.draw.arguments(point, Style.PLAIN)
        if arguments is None or not case.inputs.allowed(arguments):
            continue
        width = case.task.switches.index_width
        finished, difference = jit_runs.attempt(case.task.modules, case.functions, arguments, width)
        if finished:
            case.trials.runs += 1
            case.trials.compiled += 1
        asked.by_jit = difference is not None and asked.proof is None
        return difference
    return None
