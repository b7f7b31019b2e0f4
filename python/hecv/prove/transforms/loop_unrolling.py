"""Proofs about functions with their short loops copied out (`hecv.normal.summaries.full_unrolling`)."""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, postorder
from hecv.claim.result import RuleUse
from hecv.claim.semantic_options import Switches, unproved, unproved_by_dataflow
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.normal.summaries.full_unrolling import both_unrolled
from hecv.normal.summaries.integer_functions import integer_results
from hecv.program.refusal import Refused
from hecv.program.structural_equality import same_shape
from hecv.program.tree import Function, Loop, While, walk
from hecv.prove.pair_context import Case
from hecv.prove.terms.sat_sweeping import Swept, sweep
from hecv.prove.terms.scalar_comparison import SOLVED

OPERATIONS: Final = 400_000
"""Of isl."""
SECONDS: Final = 10.0
"""For a sweep."""

MOST_SOLVED: Final = 600
"""Terms of more operators are not given to Z3."""
MILLISECONDS: Final = 3000

RULE: Final = "loop-unrolled-whole"


def prove_unrolled(case: Case) -> Proved | Swept | None:
    """How the proof about both functions with short loops copied out ended; None where it did not prove, where there
    are no such loops, or where a switch excludes the pair."""
    strategy, switches = case.task.strategy, case.task.switches
    if not strategy.dataflow or not strategy.static or strategy.engine != "auto":
        return None
    if unproved_by_dataflow(case.functions, switches, case.constrain) is not None:
        return None
    functions = both_unrolled(case.pool, case.functions, switches.index_width)
    if functions is None:
        return None
    solved = _solved(functions, switches)
    if solved is not None:
        return solved
    try:
        pair = Pair(case.pool, *functions, case.constrain, switches.index_width)
        outcome = prove(pair, OPERATIONS, case.comparer.scalars)
    except (Refused, NotAffine):
        outcome = None
    return outcome if isinstance(outcome, Proved) else _swept(case, functions)


def _solved(functions: tuple[Function, Function], switches: Switches) -> Swept | None:
    """The proof by Z3 of functions that do nothing but compute results, of integers alone."""
    pairs = integer_results(functions)
    if pairs is None or len(postorder(tuple([t for pair in pairs for t in pair]))) > MOST_SOLVED:
        return None
    if not all(_refines(source, target, switches.index_width) for source, target in pairs):
        return None
    converse = all(_refines(target, source, switches.index_width) for source, target in pairs)
    return Swept(True, converse, (RuleUse(SOLVED, "static", len(pairs), "proved"),), 0)


def _refines(source: Term, target: Term, index_width: int) -> bool:
    """Whether Z3 shows that one value refines the other: it is defined, no poison and equal where that is."""
    from hecv.smt.term_refinement import refine  # it takes a tenth of a second to load, and few functions need it

    found = refine(source, target, value=True, index_width=index_width, milliseconds=MILLISECONDS)
    return found.value is not None and found.holds


def _swept(case: Case, functions: tuple[Function, Function]) -> Swept | None:
    """The proof by sweeping of functions that have no loops left."""
    plain = not any(isinstance(s, Loop | While) for f in functions for s in walk(f.body))
    if not plain or not same_shape(*functions) or case.task.switches.floats != "strict":
        return None
    if not all(f.known for f in functions) or unproved(functions, case.task.switches, case.constrain) is not None:
        return None
    found = sweep(case.pool, functions, case.task.switches.index_width, SECONDS)
    return found if found is not None and found.equal else None
