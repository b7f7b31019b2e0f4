"""The prover by value-based array dataflow (`hecv.dataflow.dataflow_proof`), of a whole pair or of any goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from hecv.claim.assumptions import may_free, of_calls
from hecv.claim.result import Assumption, RuleUse
from hecv.dataflow.dataflow_proof import Proved, Statistics, Stuck, prove
from hecv.dataflow.pair_model import Pair
from hecv.program.tree import Function
from hecv.prove.pair.normal_form_identity import new_loops
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Goal, Method, Shown

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Dataflow, Gathered

RULE: Final = "loop-array-dataflow"
REDUCTION: Final = "loop-reduction"
ROLLED: Final = ("loop-count", "loop-reroll")


class Flow(Struct, frozen=True):
    """A proof, and the pair that it is about."""

    pair: Pair
    proved: Proved


def attempt(case: Case, operations: int) -> Flow | Stuck | None:
    """How far the proof comes with a budget of isl operations; None where isl cannot hold the pair."""
    if case.pair is None or case.refusal is not None or not case.task.strategy.dataflow:
        return None
    outcome = prove(case.pair, operations, case.comparer.scalars)
    if isinstance(outcome, Proved):
        return Flow(case.pair, outcome)
    if outcome.reason != "budget" and case.pair.indirect and not case.pair.gathered:
        pair = case.gathered()
        again = None if pair is None else prove(pair, operations, case.comparer.scalars)
        if pair is not None and isinstance(again, Proved):
            return Flow(pair, again)
    return outcome


def prove_pair(case: Case, budget: Budget) -> Shown | Stuck | None:
    """The proof of the whole, or where it stopped."""
    found = attempt(case, budget.operations)
    return _shown(case.goal(), found) if isinstance(found, Flow) else found


def prove_goal(goal: Goal, budget: Budget) -> Shown | None:
    """The proof of any goal."""
    found = goal.prove(budget.operations)
    return None if found is None else _shown(goal, Flow(*found))


def _shown(goal: Goal, flow: Flow) -> Shown:
    rules = (*dataflow_rules(flow.proved.statistics), *goal.comparer.rules())
    return Shown(
        "dataflow",
        (rules[0], *rolled(*new_loops(flow.pair)), *rules[1:]),
        one_way(flow.proved.one_way),
        flow,
        flow.proved.statistics,
        returning(flow.pair, goal.functions),
        goal.comparer.saturation(),
        flow.pair.passes,
    )


def one_way(why: str | None) -> str | None:
    """The note on a converse that is not shown."""
    return None if why is None else f"the source does not refine the target: {why}"


def dataflow_rules(counts: Statistics) -> tuple[RuleUse, ...]:
    """What an induction used."""
    regrouped = (RuleUse(REDUCTION, "dynamic", counts.regrouped, "proved"),) if counts.regrouped else ()
    return (RuleUse(RULE, "dynamic", counts.visits, "proved"), *regrouped)


def rolled(counted: int, rerolled: int) -> list[RuleUse]:
    """The rules that made loops of what the functions have."""
    both = zip(ROLLED, (counted, rerolled), strict=True)
    return [RuleUse(name, "dynamic", count, "proved") for name, count in both if count]


def returning(pair: Pair, functions: Sequence[Function]) -> tuple[Assumption, ...]:
    """That calls return and free nothing, where a program may be undefined after one: the other may be so before it."""
    if not pair.outside or (pair.is_total() and not may_free(functions)):
        return ()
    return of_calls(functions)


def certify_pair(case: Case, shown: Shown) -> tuple[Dataflow | Gathered, bool]:
    """The certificate of what `prove_pair` showed."""
    from hecv.prove.dataflow import dataflow_cert  # the checker takes a tenth of a second to load

    return dataflow_cert.certify(case, shown.found)


def certify_goal(goal: Goal, shown: Shown) -> tuple[Dataflow, bool]:
    """The certificate of what `prove_goal` showed, proved again."""
    from hecv.prove.dataflow import dataflow_cert

    made, part = dataflow_cert.certify_goal(goal)
    return made, part.converse


METHOD: Final = Method("array-dataflow", prove_goal, certify_goal)
