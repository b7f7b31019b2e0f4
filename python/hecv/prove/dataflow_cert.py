"""The certificate of a proof by array dataflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecv.base.term import Term
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.pair_model import OPERATIONS, Pair
from hecv.dataflow.residual.scalar_refinement import Refinement, Scalars
from hecv.kernel.certificate.dataflow_format import dataflow_data
from hecv.kernel.certificate.file_format import Dataflow
from hecv.kernel.certificate.rejection import Uncertified
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.prove.induction_cert import record
from hecv.prove.pair_context import Case
from hecv.prove.terms.scalar_cert import certify_refinement
from hecv.prove.terms.scalar_comparison import Comparer

if TYPE_CHECKING:
    from hecv.prove.terms.user_rules import Rulebook

TRIED_OPERATIONS: Final = 300_000
"""isl operations for an induction about what another engine proved."""


def certify(case: Case, outcome: Proved | None) -> tuple[Dataflow, bool]:
    """The certificate of the outcome of `case.prove`, and whether it shows the converse; where another engine found the
    proof there is no outcome, and the induction is tried here.

    Raises: Uncertified where there is no such proof, or one with a step that is not written down.
    """
    outcome = outcome or _tried(case)
    if case.pair is None or outcome is None:
        raise Uncertified("dataflow", "there is no proof by dataflow of the functions as a whole")
    book = case.comparer.book if case.task.strategy.rules else None
    return written(case.pair, outcome, case.task.switches, case.comparer.scalars, book), outcome.converse


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


def _tried(case: Case) -> Proved | None:
    """A proof by dataflow of what another engine proved, None where there is none."""
    if case.pair is None and case.refusal is None:
        case.flatten()
    if case.pair is None or case.refusal is not None:
        return None
    comparer = Comparer(case.pool, case.task.switches.index_width, Strategy(), case.task.switches.floats)
    outcome = prove(case.pair, TRIED_OPERATIONS, comparer.scalars)
    return outcome if isinstance(outcome, Proved) else None
