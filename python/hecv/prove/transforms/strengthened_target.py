"""Proofs about a target that is undefined where its source says that a divisor is not positive
(`hecv.normal.preconditions.positive_divisors`), or where a place in a row lies beyond it
(`hecv.normal.preconditions.in_bounds_rows`)."""

from __future__ import annotations

from typing import Final

from hecv.claim.semantic_options import unproved_by_dataflow
from hecv.dataflow.dataflow_proof import Proved, Statistics, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.dataflow.same_normal_form import is_same
from hecv.normal.preconditions.positive_divisors import stricter
from hecv.program.refusal import Refused
from hecv.program.tree import Assert, Load, Store, walk
from hecv.prove.pair_context import Case

OPERATIONS: Final = 400_000
"""Of isl."""

RULE: Final = "positive-divisor"
ROW_RULE: Final = "place-in-row"
RULES: Final = (RULE, ROW_RULE)


def prove_stricter(case: Case) -> Statistics | None:
    """What it took to show that the target refines the source, by a target that is undefined more often; None where
    that is not shown, where there is no such divisor, or where a switch excludes the pair."""
    source, target = case.functions
    if not case.task.strategy.dataflow or not case.task.strategy.static or case.task.strategy.engine != "auto":
        return None
    if unproved_by_dataflow(case.functions, case.task.switches, case.constrain) is not None:
        return None
    made = stricter(case.pool, source, target)
    if made is None:
        return None
    try:
        pair = Pair(case.pool, source, made, case.constrain, case.task.switches.index_width)
    except (Refused, NotAffine):
        return None
    if is_same(pair):
        return Statistics((len(pair.source.flat.statements), len(pair.target.flat.statements)), 0, 0)
    outcome = prove(pair, OPERATIONS, case.comparer.scalars)
    return outcome.statistics if isinstance(outcome, Proved) else None


def rules_of(case: Case) -> tuple[str, ...]:
    """What the stricter target of a pair rests on."""
    source, target = case.functions
    made = stricter(case.pool, source, target)
    before = frozenset(walk(target.body))
    new = () if made is None else tuple(s for s in walk(made.body) if s not in before)
    kinds = any(isinstance(s, Assert) for s in new), any(isinstance(s, Load | Store) for s in new)
    return tuple(name for name, used in zip(RULES, kinds, strict=True) if used)
