"""Proofs that rest on what assertions say of values that are stored after them (`hecv.graph.asserted`)."""

from __future__ import annotations

from typing import Final

from hecv.graph.asserted import informed, says
from hecv.poly.pair import Pair
from hecv.poly.prove import Proved, prove
from hecv.poly.space import NotAffine
from hecv.poly.statements import Refused
from hecv.verdict.case import Case
from hecv.verdict.switches import unproved_by_dataflow

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
