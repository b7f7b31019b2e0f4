"""The certificate of a proof by array dataflow."""

from __future__ import annotations

from hecv.certificate.dataflow import dataflow_data
from hecv.certificate.errors import Uncertified
from hecv.certificate.format import Dataflow
from hecv.poly.prove import Proved
from hecv.poly.recording import record
from hecv.verdict.case import Case


def certify(case: Case, outcome: Proved) -> Dataflow:
    """The certificate of the outcome of `case.prove`.

    Raises: Uncertified where the proof has a step that is not written down.
    """
    if case.pair is None or outcome.grounds is None:
        raise Uncertified("dataflow", "there is no proof by dataflow")
    if case.task.switches.index_wraps or case.task.switches.may_overlap:
        raise Uncertified("dataflow", "the replayer takes indices to be exact and arguments to be apart")
    return Dataflow(dataflow_data(record(case.pair, outcome.grounds)))
