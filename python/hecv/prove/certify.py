"""The certificate of a verdict on one pair of functions: what was proved, once more, in steps that can be checked.

Whatever engine found the proof, the simplest kind of certificate is tried first. Each is checked by the replayer's own
parts before it is given out, so that none is wrong for want of a step.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from hecv.claim import call_induction
from hecv.claim.result import FunctionReport
from hecv.kernel.certificate.file_format import FunctionProof, Proved
from hecv.kernel.certificate.file_format import Proof as Certificate
from hecv.kernel.certificate.rejection import Malformed, Rejected, Uncertified
from hecv.mlir.control.recursive_calls import own_name
from hecv.prove import direct_provers, sweep_prover
from hecv.prove.dataflow import dataflow_cert
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Proof
from hecv.prove.portfolio import FORM, SWEEP

SIMPLE: Final = (FORM.name, SWEEP.name)
"""Provers whose certificates are as simple as a proof statement by statement."""

Means = Callable[[], tuple[Certificate, bool]]
"""Makes a certificate, and says whether it shows the converse. Raises: Uncertified, Rejected, Malformed."""


def certified(case: Case, proof: Proof, report: FunctionReport, seconds: float) -> FunctionReport:
    """The report of a proof, with a certificate or with the reason why there is none; that it cannot be written down in
    so many seconds is one."""
    case.enter("writing the proof down")
    try:
        with _limited(seconds):
            made = _function(case, proof, report)
    except Uncertified as problem:
        return replace(report, uncertified=str(problem))
    except _Late:
        return replace(report, uncertified=f"{report.engine}: to write it down takes longer than the time limit leaves")
    return replace(report, certificate=made)


class _Late(BaseException):
    """The time is up; no handler of errors is to take this for one."""


@contextmanager
def _limited(seconds: float) -> Generator[None]:
    """Ends what is inside after so many seconds, between two steps of Python.

    Raises: _Late.
    """

    def ring(number: int, frame: object) -> None:
        raise _Late

    if seconds <= 0:
        raise _Late
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _function(case: Case, proof: Proof, report: FunctionReport) -> FunctionProof:
    """The proof about a pair, with those about the functions that may call themselves.

    Raises: Uncertified.
    """
    verdict = "equivalent" if report.verdict == "equivalent" else "refines"
    engine = report.engine or "unknown"
    callees: list[FunctionProof] = []
    if call_induction.calls(case.functions):
        for name in call_induction.required(case.functions, own_name(case.task.modules, case.task.names)):
            called = Case(replace(case.task, names=(name, name), constraints=()), lambda stage, runs: None)
            callees.append(_alone(called, None, engine, verdict))
    return replace(_alone(case, proof, engine, verdict), callees=tuple(callees))


def _alone(case: Case, proof: Proof | None, engine: str, verdict: Proved) -> FunctionProof:
    """The proof about a pair, for all functions that they call, by the first means there is.

    Raises: Uncertified.
    """
    why = "there is no proof of a kind that is written down"
    for means, is_own in _means(case, proof):
        try:
            made, converse = means()
        except (Uncertified, Rejected, Malformed) as problem:
            why = getattr(problem, "why", str(problem)) if is_own else why
            continue
        if converse or verdict == "refines":
            return FunctionProof(*case.task.names, verdict, made)
        why = "the source is not shown to refine the target by what is written down"
    raise Uncertified(engine, why)


def _means(case: Case, proof: Proof | None) -> Iterator[tuple[Means, bool]]:
    """The means in the order in which they are tried, and which of them is the prover's own."""
    own = None if proof is None else lambda: proof.prover.certify(case, proof.shown)
    name, shown = (None, None) if proof is None else (proof.prover.name, proof.shown)
    yield lambda: direct_provers.certify_identity(case, shown), False
    if own is not None and name in SIMPLE:
        yield own, True
    if name != SWEEP.name:
        yield lambda: sweep_prover.certify_other(case, shown), False
    if own is not None and name not in SIMPLE:
        yield own, True
    yield lambda: dataflow_cert.certify(case, None), proof is None
