"""The certificate of a proof by array dataflow."""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term
from hecv.certificate.dataflow import dataflow_data
from hecv.certificate.errors import Uncertified
from hecv.certificate.format import Dataflow
from hecv.certificate.terms import RefinementProof
from hecv.poly.pair import OPERATIONS
from hecv.poly.prove import Proved, prove
from hecv.poly.recording import record
from hecv.poly.scalars import Refinement
from hecv.verdict.case import Case
from hecv.verdict.certify_terms import certify_refinement
from hecv.verdict.scalars import Comparer
from hecv.verdict.strategy import Strategy

TRIED_OPERATIONS: Final = 300_000
"""isl operations for an induction about what another engine proved."""


def certify(case: Case, outcome: Proved | None) -> tuple[Dataflow, bool]:
    """The certificate of the outcome of `case.prove`, and whether it shows the converse; where another engine found the
    proof there is no outcome, and the induction is tried here.

    Raises: Uncertified where there is no such proof, or one with a step that is not written down.
    """
    outcome = outcome or _tried(case)
    if case.pair is None or outcome is None or outcome.grounds is None:
        raise Uncertified("dataflow", "there is no proof by dataflow of the functions as a whole")
    switches = case.task.switches
    book = case.comparer.book if case.task.strategy.rules else None

    def refine(source: Term, target: Term, wanted: Refinement) -> RefinementProof:
        strict = switches.floats == "strict"
        return certify_refinement(case.pool, source, target, wanted, switches.index_width, strict, book)

    try:
        return Dataflow(dataflow_data(record(case.pair, outcome.grounds, refine))), outcome.converse
    except Uncertified:
        # Integer sums are compared as bags before anything else; most are in one order all the same.
        again = prove(case.pair, OPERATIONS, case.comparer.scalars, regroup=False)
        if not isinstance(again, Proved) or again.grounds is None or again.converse != outcome.converse:
            raise
        return Dataflow(dataflow_data(record(case.pair, again.grounds, refine))), outcome.converse


def _tried(case: Case) -> Proved | None:
    """A proof by dataflow of what another engine proved, None where there is none."""
    if case.pair is None and case.refusal is None:
        case.flatten()
    if case.pair is None or case.refusal is not None:
        return None
    comparer = Comparer(case.pool, case.task.switches.index_width, Strategy(), case.task.switches.floats)
    outcome = prove(case.pair, TRIED_OPERATIONS, comparer.scalars)
    return outcome if isinstance(outcome, Proved) else None
