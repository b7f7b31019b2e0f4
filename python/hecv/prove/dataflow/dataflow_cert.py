"""The certificate of a proof by array dataflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecv.base.term import Term
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import OPERATIONS, Pair
from hecv.dataflow.residual.scalar_refinement import Refinement, Scalars
from hecv.kernel.certificate.dataflow_format import dataflow_data
from hecv.kernel.certificate.file_format import Dataflow, Gathered
from hecv.kernel.certificate.rejection import Uncertified
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.dataflow_check import Shown
from hecv.program.refusal import Refused
from hecv.prove.dataflow.array_dataflow import Flow
from hecv.prove.dataflow.induction_cert import record
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Goal
from hecv.prove.terms.scalar_cert import certify_refinement
from hecv.prove.terms.scalar_comparison import Comparer

if TYPE_CHECKING:
    from hecv.prove.terms.user_rules import Rulebook

TRIED_OPERATIONS: Final = 300_000
"""isl operations for an induction about what another engine proved."""

PART_OPERATIONS: Final = OPERATIONS // 4
"""For a goal that is proved again."""


def certify(case: Case, flow: Flow | None) -> tuple[Dataflow | Gathered, bool]:
    """The certificate of a proof of a pair, and whether it shows the converse; where another engine found the proof
    there is no induction, and it is tried here.

    Raises: Uncertified where there is no such proof, or one with a step that is not written down.
    """
    flow = flow or _tried(case)
    if flow is None:
        raise Uncertified("dataflow", "there is no proof by dataflow of the functions as a whole")
    book = case.comparer.book if case.task.strategy.rules else None
    made = written(flow.pair, flow.proved, case.task.switches, case.comparer.scalars, book)
    return (Gathered(made.data) if flow.pair.gathered else made), flow.proved.converse


def certify_goal(goal: Goal, whiles: bool = False) -> tuple[Dataflow, Shown]:
    """The certificate of a proof of a goal that is read anew, and what it shows.

    Raises: Uncertified.
    """
    try:
        pair = goal.pair(whiles)
    except (Refused, NotAffine) as problem:
        raise Uncertified("dataflow", f"isl does not hold {problem.text}") from None
    outcome = prove(pair, PART_OPERATIONS, goal.comparer.scalars)
    if not isinstance(outcome, Proved):
        raise Uncertified("dataflow", f"it is not proved again: {outcome.text}")
    made = written(pair, outcome, goal.switches, goal.comparer.scalars)
    return made, Shown(outcome.converse, outcome.initialised)


def written(
    pair: Pair, outcome: Proved, switches: Switches, scalars: Scalars | None, book: Rulebook | None = None
) -> Dataflow:
    """The certificate of a proof about a pair.

    Raises: Uncertified where it has a step that is not written down.
    """
    if outcome.grounds is None:
        raise Uncertified("dataflow", "what the proof ended with is not known")

    def refine(source: Term, target: Term, wanted: Refinement) -> RefinementProof:
        strict, reals = switches.floats == "strict", switches.floats == "real"
        return certify_refinement(pair.pool, source, target, wanted, switches.index_width, strict, book, reals)

    try:
        return Dataflow(dataflow_data(record(pair, outcome.grounds, refine)))
    except Uncertified:
        # Integer sums are compared as bags before anything else; most are in one order all the same.
        again = prove(pair, OPERATIONS, scalars, regroup=False)
        if not isinstance(again, Proved) or again.grounds is None or again.converse != outcome.converse:
            raise
        return Dataflow(dataflow_data(record(pair, again.grounds, refine)))


def _tried(case: Case) -> Flow | None:
    """A proof by dataflow of what another engine proved, None where there is none."""
    if case.pair is None and case.refusal is None:
        case.flatten()
    if case.pair is None or case.refusal is not None:
        return None
    comparer = Comparer(case.pool, case.task.switches.index_width, Strategy(), case.task.switches.floats)
    outcome = prove(case.pair, TRIED_OPERATIONS, comparer.scalars)
    return Flow(case.pair, outcome) if isinstance(outcome, Proved) else None
