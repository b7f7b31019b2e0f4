"""The certificate of a verdict on one pair of functions: what was proved, once more, in steps that can be checked.

Whatever engine found the proof, the simplest kind of certificate is tried first. Each is checked by the replayer's own
parts before it is given out, so that none is wrong for want of a step.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from hecv.certificate.errors import Malformed, Rejected, Uncertified
from hecv.certificate.format import Aligned, FunctionProof, Identity, Proof
from hecv.certificate.terms import TermProof
from hecv.graph.identity import same_program
from hecv.graph.numbering import numbered
from hecv.replay.aligned import given_terms, replay_aligned
from hecv.replay.solver import Solver
from hecv.verdict import certify_dataflow, recursion
from hecv.verdict.case import Case
from hecv.verdict.result import FunctionReport
from hecv.verdict.shorter import shortened
from hecv.verdict.switches import unproved
from hecv.verdict.termproofs import MILLISECONDS, TermProofs, add_sweep

SECONDS: Final = 60.0
"""For a sweep that is recorded."""


def certified(case: Case, report: FunctionReport, seconds: float) -> FunctionReport:
    """The report of a proof, with a certificate or with the reason why there is none; that it cannot be written down in
    so many seconds is one."""
    case.enter("writing the proof down")
    try:
        with _limited(seconds):
            proof = _proof(case, report)
    except Uncertified as problem:
        return replace(report, uncertified=str(problem))
    except _Late:
        return replace(report, uncertified=f"{report.engine}: to write it down takes longer than the time limit leaves")
    names = case.task.names
    verdict = "equivalent" if report.verdict == "equivalent" else "refines"
    return replace(report, certificate=FunctionProof(names[0], names[1], verdict, proof))


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


def _proof(case: Case, report: FunctionReport) -> Proof:
    engine = report.engine or "unknown"
    if report.evidence != "proved" or case.task.strategy.rules:
        raise Uncertified(engine, "rules of users have no certificate")
    if recursion.calls(case.functions):
        raise Uncertified(engine, "the induction over calls has no certificate")
    if any(f.callees for f in case.functions):
        raise Uncertified(engine, "proofs about functions that call others have no certificate")
    if same_program(*case.functions):
        return Identity()
    aligned = _aligned(case, report)
    if isinstance(aligned, Aligned):
        return aligned
    if engine != "dataflow" or case.proved is None:
        raise Uncertified(engine, f"this engine writes no certificate; statement by statement: {aligned}")
    return certify_dataflow.certify(case, case.proved)


def _aligned(case: Case, report: FunctionReport) -> Aligned | str:
    """A proof statement by statement, or why there is none."""
    switches = case.task.switches
    if not case.aligned or switches.floats != "strict" or unproved(case.functions, switches) is not None:
        return "the functions do not have the same statements, or a switch excludes them"
    try:
        proof, converse = _swept(case)
    except (Uncertified, Rejected, Malformed) as problem:
        return str(problem)
    if report.verdict == "equivalent" and not converse:
        return "statement by statement, the source is not shown to refine the target"
    return proof


def _swept(case: Case) -> tuple[Aligned, bool]:
    """A sweep as a proof, and whether it shows the converse.

    Raises: Uncertified, Rejected, Malformed.
    """
    from hecv.egraph.record import Record
    from hecv.verdict.sweeping import quickly

    width, record = case.task.switches.index_width, Record()
    functions = (numbered(case.pool, case.functions[0]), numbered(case.pool, case.functions[1]))
    done = quickly(case.pool, functions, width, SECONDS, record)
    if done is None:
        raise Uncertified("sweep", "an op shows which NaN a float is")
    given = given_terms(case.pool, case.functions)
    solver = Solver("z3", width, MILLISECONDS)
    proofs = TermProofs("sweep", given, width, solver)
    add_sweep(proofs, case.pool, record, done.tools)

    def converse(proof: TermProof) -> bool:
        return replay_aligned(case.pool, case.functions, proof, solver, width)

    whole = proofs.proof()
    wanted = converse(whole)
    return Aligned(shortened(whole, len(given), lambda p: _holds(converse, p, wanted))), wanted


def _holds(converse: Callable[[TermProof], bool], proof: TermProof, wanted: bool) -> bool:
    """Whether a proof is accepted, and shows as much as is wanted."""
    try:
        return converse(proof) >= wanted
    except Rejected:
        return False
