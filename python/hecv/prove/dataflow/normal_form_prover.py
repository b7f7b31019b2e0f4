"""The prover by one normal form of both functions (`hecv.dataflow.same_normal_form`), also beside the first runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecv.claim.result import RuleUse
from hecv.dataflow.dataflow_proof import Statistics
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.same_normal_form import is_same
from hecv.program.refusal import Refused
from hecv.prove.dataflow.array_dataflow import dataflow_rules, rolled
from hecv.prove.pair.normal_form_identity import Formed, new_loops
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Goal, Method, Shown

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Form

RULE: Final = "same-normal-form"


def prove_form(case: Case, budget: Budget) -> Shown | None:
    """That both functions have one normal form: equivalent, whatever the ops mean."""
    if case.pair is None or case.refusal is not None or not is_same(case.pair):
        return None
    return _of_form(*new_loops(case.pair), case.pair.passes)


def prove_beside(case: Case, budget: Budget) -> Shown | None:
    """The same, or what array dataflow shows without laws, from a process beside this one; here, where that failed, or
    where nothing was run: whether any input is defined is then asked of isl."""
    found = case.await_forms()
    if found is not None and (found.same or found.proved is not None) and case.trials.runs:
        return _of_dataflow(found) if found.proved else _of_form(found.counted, found.rerolled, found.passes)
    case.flatten()
    return None if found is not None and not found.same else prove_form(case, budget)


def _of_form(counted: int, rerolled: int, passes: tuple[str, ...]) -> Shown:
    return Shown("form", (*rolled(counted, rerolled), RuleUse(RULE, "static", 1, "proved")), passes=passes)


def _of_dataflow(found: Formed) -> Shown:
    assert found.proved is not None
    first, *more = dataflow_rules(found.proved.statistics)
    rules = (first, *rolled(found.counted, found.rerolled), *more)
    return Shown("dataflow", rules, statistics=found.proved.statistics, passes=found.passes)


def prove_goal(goal: Goal, budget: Budget) -> Shown | None:
    """That the functions of any goal have one normal form, which array dataflow need not compare then."""
    try:
        pair = goal.pair()
    except (Refused, NotAffine):
        return None
    if not is_same(pair):
        return None
    counts = Statistics((len(pair.source.flat.statements), len(pair.target.flat.statements)), 0, 0)
    return Shown("dataflow", (*dataflow_rules(counts), *goal.comparer.rules()), statistics=counts, passes=pair.passes)


def certify(of: Case | Goal, shown: Shown) -> tuple[Form, bool]:
    """The certificate of one normal form, which has nothing to tell."""
    from hecv.kernel.certificate.file_format import Form  # few proofs are written down

    return Form(), True


METHOD: Final = Method("same-normal-form", prove_goal, certify)
