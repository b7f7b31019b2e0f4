"""The certificate of a proof by array dataflow."""

from __future__ import annotations

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


def certify(case: Case, outcome: Proved) -> Dataflow:
    """The certificate of the outcome of `case.prove`.

    Raises: Uncertified where the proof has a step that is not written down.
    """
    if case.pair is None or outcome.grounds is None:
        raise Uncertified("dataflow", "there is no proof by dataflow")
    if case.task.switches.index_wraps or case.task.switches.may_overlap:
        raise Uncertified("dataflow", "the replayer takes indices to be exact and arguments to be apart")
    switches = case.task.switches

    def refine(source: Term, target: Term, wanted: Refinement) -> RefinementProof:
        return certify_refinement(case.pool, source, target, wanted, switches.index_width, switches.floats == "strict")

    try:
        return Dataflow(dataflow_data(record(case.pair, outcome.grounds, refine)))
    except Uncertified:
        # Integer sums are compared as bags before anything else; most are in one order all the same.
        again = prove(case.pair, OPERATIONS, case.comparer.scalars, regroup=False)
        if not isinstance(again, Proved) or again.grounds is None or again.converse != outcome.converse:
            raise
        return Dataflow(dataflow_data(record(case.pair, again.grounds, refine)))
