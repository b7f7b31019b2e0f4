"""Proofs that rest on what assertions say of values that are stored after them
(`hecv.normal.preconditions.assertion_facts`)."""

from __future__ import annotations

from typing import Final

from hecv.claim.semantic_options import unproved_by_dataflow
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.normal.preconditions.assertion_facts import informed, says
from hecv.program.refusal import Refused
from hecv.prove.pair_context import Case

OPERATIONS: Final = 400_000
"""Of isl."""

RULE: Final = "asserted-condition"


def prove_informed(case: Case) -> Proved | None:
    """How the proof about both functions with their assertions' conditions ended; None where it did not prove, where
    there are no assertions, or where a switch excludes the pair."""
    if not case.task.strategy.dataflow or not case.task.strategy.static or case.task.strategy.engine != "auto":
        return None
    if not any(map(says, case.functions)):
        return None
    if unproved_by_dataflow(case.functions, case.task.switches, case.constrain) is not None:
        return None
    source, target = (informed(case.pool, f) for f in case.functions)
    try:
        pair = Pair(case.pool, source, target, case.constrain, case.task.switches.index_width)
    except (Refused, NotAffine):
        return None
    outcome = prove(pair, OPERATIONS, case.comparer.scalars)
    return outcome if isinstance(outcome, Proved) else None
