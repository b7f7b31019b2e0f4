"""The verdict on a pair that was proved, by each way of proving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hecv.claim.assumptions import may_free, of_calls
from hecv.claim.result import Assumption, Evidence, FunctionReport, Proof, RuleUse
from hecv.dataflow.dataflow_proof import Proved, Statistics, Stuck
from hecv.elements.element_outcome import Same
from hecv.prove.elementwise_reals import assumed_of
from hecv.prove.exhaustive_runs import Exhausted
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.normal_form_identity import new_loops
from hecv.prove.pair_context import Case
from hecv.prove.terms.sat_sweeping import Swept
from hecv.prove.transforms import asserted_values, loop_unrolling, strengthened_target
from hecv.refute.differential_runs import Difference
from hecv.verdict.refuted import refuted

if TYPE_CHECKING:
    from hecv.prove.whiles.while_induction import Turned

WEAKEST_FIRST: Final[tuple[Evidence, ...]] = ("trusted", "tested", "proved")
"""What a verdict rests on is the weakest of what its rules do."""

VACUOUS: Final = "the verdict is vacuous: no input satisfies the assumptions and keeps the source in bounds"


def noted(case: Case, report: FunctionReport) -> FunctionReport:
    """The verdict, with a note where it says nothing of any input. That a program is itself is told as such."""
    proved = report.verdict in ("equivalent", "refines") and report.engine != "identity"
    return replace(report, notes=(*report.notes, VACUOUS)) if proved and case.is_vacuous() else report


def by_running(case: Case, found: Exhausted) -> FunctionReport:
    return FunctionReport(
        case.task.names[0],
        "equivalent" if found.converse else "refines",
        evidence="proved",
        engine="inputs",
        rules=(RuleUse("all-inputs", "static", found.inputs, "proved"),),
        notes=() if found.converse else ("the source may be poison or undefined where the target is not",),
    )


def by_dataflow(case: Case, outcome: Proved, seconds: float) -> FunctionReport:
    rules = [RuleUse("loop-array-dataflow", "dynamic", outcome.statistics.visits, "proved"), *_rolled(case)]
    if outcome.statistics.regrouped:
        rules.append(RuleUse("loop-reduction", "dynamic", outcome.statistics.regrouped, "proved"))
    rules += case.comparer.rules()
    return FunctionReport(
        case.task.names[0],
        "equivalent" if outcome.converse else "refines",
        evidence=_weakest(rules),
        engine="dataflow",
        assumptions=_returning(case),
        rules=tuple(rules),
        notes=() if outcome.one_way is None else (f"the source does not refine the target: {outcome.one_way}",),
        proof=proof_of(outcome, seconds),
        saturation=case.comparer.saturation(),
    )


def by_turns(case: Case, turned: Turned, difference: Difference | None) -> FunctionReport:
    if difference is not None:
        return refuted(case, difference, None, True)
    from hecv.prove.whiles import while_induction  # few functions have such loops

    counts = turned.statistics
    rules = [
        RuleUse(while_induction.RULE, "dynamic", turned.loops, "proved")
        if turned.proof is not None
        else RuleUse(while_induction.BOUNDED, "dynamic", turned.loops, "proved"),
        RuleUse("loop-array-dataflow", "dynamic", counts.visits, "proved"),
    ]
    if counts.regrouped:
        rules.append(RuleUse("loop-reduction", "dynamic", counts.regrouped, "proved"))
    rules += case.comparer.rules()
    return FunctionReport(
        case.task.names[0],
        "equivalent" if turned.one_way is None else "refines",
        evidence=_weakest(rules),
        engine="dataflow",
        assumptions=of_calls(case.functions),
        rules=tuple(rules),
        notes=() if turned.one_way is None else (f"the source does not refine the target: {turned.one_way}",),
        saturation=case.comparer.saturation(),
    )


def by_ways(case: Case, turned: Turned, difference: Difference | None) -> FunctionReport:
    """Of functions with the ways through their whiles apart."""
    if difference is not None:
        return refuted(case, difference, None, True)
    from hecv.prove.whiles import exit_normalisation  # few functions have such loops

    found = by_turns(case, turned, None)
    return replace(found, rules=(RuleUse(exit_normalisation.RULE, "dynamic", 1, "proved"), *found.rules))


def by_stricter(case: Case, counts: Statistics, difference: Difference | None) -> FunctionReport:
    """Of a target that is undefined where a divisor is not positive or a place beyond its row, as the source is."""
    if difference is not None:
        return refuted(case, difference, None, True)
    names = strengthened_target.rules_of(case)
    rules = [RuleUse(name, "dynamic", 1, "proved") for name in names]
    rules.append(RuleUse("loop-array-dataflow", "dynamic", counts.visits, "proved"))
    rules += case.comparer.rules()
    divides = strengthened_target.RULE in names
    why = "a divisor may be negative where the target divides" if divides else "a place may be beyond its row there"
    return FunctionReport(
        case.task.names[0],
        "refines",
        evidence=_weakest(rules),
        engine="dataflow",
        assumptions=of_calls(case.functions),
        rules=tuple(rules),
        notes=(f"the source does not refine the target: {why}",),
        saturation=case.comparer.saturation(),
    )


def by_informed(case: Case, outcome: Proved, difference: Difference | None) -> FunctionReport:
    """Of functions with what their assertions say of values."""
    if difference is not None:
        return refuted(case, difference, None, True)
    found = by_dataflow(case, outcome, 0.0)
    return replace(found, rules=(RuleUse(asserted_values.RULE, "dynamic", 1, "proved"), *found.rules))


def by_unrolling(case: Case, outcome: Proved | Swept, difference: Difference | None) -> FunctionReport:
    """Of functions with short loops copied out."""
    if difference is not None:
        return refuted(case, difference, None, True)
    found = by_dataflow(case, outcome, 0.0) if isinstance(outcome, Proved) else by_sweeping(case, outcome, None)
    return replace(found, rules=(RuleUse(loop_unrolling.RULE, "dynamic", 1, "proved"), *found.rules))


def by_closed(case: Case, outcome: Swept, difference: Difference | None) -> FunctionReport:
    """Of a while that computes what a formula does."""
    if difference is not None:
        return refuted(case, difference, None, True)
    note = "the source is not shown to end wherever the target does"
    found = by_sweeping(case, outcome, None)
    return replace(found, engine="invariant", notes=() if outcome.converse else (note,))


def by_theorems(case: Case, outcome: Theorems) -> FunctionReport:
    return FunctionReport(
        case.task.names[0],
        "equivalent",
        evidence="proved",
        engine="theorems",
        assumptions=of_calls(case.functions),
        rules=outcome.rules,
        saturation=outcome.saturation,
    )


def by_sweeping(case: Case, swept: Swept, difference: Difference | None) -> FunctionReport:
    if difference is not None:
        return refuted(case, difference, None, True)
    return FunctionReport(
        case.task.names[0],
        "equivalent" if swept.converse else "refines",
        evidence="proved",
        engine="sweep",
        assumptions=of_calls(case.functions),
        rules=swept.rules,
        notes=() if swept.converse else ("the source may be poison or undefined where the target is not",),
    )


def by_element(case: Case, found: Same, difference: Difference | None) -> FunctionReport:
    if difference is not None:
        return refuted(case, difference, None, True)
    return FunctionReport(
        case.task.names[0],
        "refines" if found.one_way else "equivalent",
        evidence="proved",
        engine="elements",
        assumptions=assumed_of(found),
        rules=(RuleUse("real-element-normal-form", "static", found.elements, "proved"),),
        notes=() if found.one_way is None else (f"the source does not refine the target: {found.one_way}",),
    )


def identical(case: Case) -> FunctionReport:
    """The target is the source: equivalent, whatever its ops mean."""
    rules = (RuleUse("identical-programs", "static", 1, "proved"),)
    return FunctionReport(case.task.names[0], "equivalent", evidence="proved", engine="identity", rules=rules)


def by_form(case: Case) -> FunctionReport:
    """The normal forms are one: equivalent, whatever the ops mean."""
    rules = (*_rolled(case), RuleUse("same-normal-form", "static", 1, "proved"))
    return FunctionReport(case.task.names[0], "equivalent", evidence="proved", engine="form", rules=rules)


def proof_of(outcome: Proved | Stuck, seconds: float) -> Proof:
    counts = outcome.statistics
    return Proof(counts.visits, counts.widenings, counts.statements, seconds)


def _weakest(rules: Sequence[RuleUse]) -> Evidence:
    found = {rule.evidence for rule in rules}
    return next(evidence for evidence in WEAKEST_FIRST if evidence in found)


def _returning(case: Case) -> tuple[Assumption, ...]:
    """That calls return and free nothing, where a program may be undefined after one: the other may be so before it."""
    if case.pair is None or not case.pair.outside or (case.pair.is_total() and not may_free(case.functions)):
        return ()
    return of_calls(case.functions)


def _rolled(case: Case) -> list[RuleUse]:
    """The rules that made loops of what the functions have."""
    counted, rerolled = _new_loops(case)
    uses = (("loop-count", counted), ("loop-reroll", rerolled))
    return [RuleUse(name, "dynamic", count, "proved") for name, count in uses if count]


def _new_loops(case: Case) -> tuple[int, int]:
    if case.formed is not None:
        return case.formed.counted, case.formed.rerolled
    return (0, 0) if case.pair is None else new_loops(case.pair)
