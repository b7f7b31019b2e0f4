"""The certificate of a verdict on one pair of functions: what was proved, once more, in steps that can be checked.

Whatever engine found the proof, the simplest kind of certificate is tried first. Each is checked by the replayer's own
parts before it is given out, so that none is wrong for want of a step.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from hecv.claim import call_induction
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import unproved
from hecv.kernel.certificate.file_format import (
    Elements,
    Form,
    FunctionProof,
    Gathered,
    Identity,
    Inputs,
    Proof,
    Proved,
    Turns,
)
from hecv.kernel.certificate.rejection import Malformed, Rejected, Uncertified
from hecv.mlir.control.recursive_calls import own_name
from hecv.program.structural_equality import same_program
from hecv.prove import dataflow_cert
from hecv.prove.pair_context import Case
from hecv.prove.transforms import asserted_values, loop_unrolling, strengthened_target
from hecv.run.evaluation.exhaustive_evaluation import RULE as ALL_VALUES


def certified(case: Case, report: FunctionReport, seconds: float) -> FunctionReport:
    """The report of a proof, with a certificate or with the reason why there is none; that it cannot be written down in
    so many seconds is one."""
    case.enter("writing the proof down")
    try:
        with _limited(seconds):
            proof = _function(case, report)
    except Uncertified as problem:
        return replace(report, uncertified=str(problem))
    except _Late:
        return replace(report, uncertified=f"{report.engine}: to write it down takes longer than the time limit leaves")
    return replace(report, certificate=proof)


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


def _function(case: Case, report: FunctionReport) -> FunctionProof:
    """The proof about a pair, with those about the functions that may call themselves.

    Raises: Uncertified.
    """
    verdict = "equivalent" if report.verdict == "equivalent" else "refines"
    callees: list[FunctionProof] = []
    if call_induction.calls(case.functions):
        for name in call_induction.required(case.functions, own_name(case.task.modules, case.task.names)):
            called = Case(replace(case.task, names=(name, name), constraints=()), lambda stage, runs: None)
            callees.append(_alone(called, report, verdict))
    alone = _alone(case, report, verdict)
    return replace(alone, callees=tuple(callees))


def _alone(case: Case, report: FunctionReport, verdict: Proved) -> FunctionProof:
    """The proof about a pair, for all functions that they call, by the first means there is.

    Raises: Uncertified.
    """
    engine = report.engine or "unknown"
    own = OWN.get(engine, _by_dataflow) if case.turned is None else _by_turns
    own = _by_bound if case.bounded else _by_divisors if _is_stricter(report) else own
    own = _by_ways if case.apart is not None else _by_invariant if case.closed is not None else own
    own = _by_assertions if _is_informed(report) else _by_copies if _is_unrolled(report) else own
    why = "there is no proof of a kind that is written down"
    for means in MEANS:
        try:
            proof, converse = means(case, report)
        except (Uncertified, Rejected, Malformed) as problem:
            why = getattr(problem, "why", str(problem)) if means is own else why
            continue
        if converse or verdict == "refines":
            return FunctionProof(*case.task.names, verdict, proof)
        why = "the source is not shown to refine the target by what is written down"
    raise Uncertified(engine, why)


def _identity(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if not same_program(*case.functions):
        raise Uncertified("identity", "the functions are not one program")
    return Identity(), True


def _form(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if report.engine != "form":
        raise Uncertified("form", "the functions are not shown to have one normal form")
    return Form(), True


def _aligned(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    """A proof statement by statement."""
    switches = case.task.switches
    excluded = unproved(case.functions, switches, case.constrain)
    if not case.aligned or switches.floats != "strict" or excluded is not None:
        raise Uncertified("sweep", "the functions do not have the same statements, or a switch excludes them")
    if call_induction.calls(case.functions):
        raise Uncertified("sweep", "calls are not compared statement by statement")
    if report.engine == "dataflow" and any(rule.name == ALL_VALUES for rule in report.rules):
        raise Uncertified("sweep", "its windows have more leaves, and these more values, than the whole")
    from hecv.prove.terms import sat_sweeping_cert  # the e-graph and Z3 take a tenth of a second each to load

    return sat_sweeping_cert.certify(case.pool, case.functions, switches.index_width, case.recorded)


def _by_dataflow(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if case.proved is None and case.task.strategy.dataflow and report.engine in ("theorems", "inputs"):
        raise Uncertified("dataflow", "there is no proof by dataflow")  # it was tried before
    proof, converse = dataflow_cert.certify(case, case.proved)
    return (Gathered(proof.data) if case.pair is not None and case.pair.gathered else proof), converse


def _by_theorems(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if report.engine != "theorems" or call_induction.calls(case.functions):
        raise Uncertified("theorems", "there is no proof by loop theorems")
    from hecv.prove.loops import loop_theorems_cert  # few proofs are by theorems

    return loop_theorems_cert.certify(case), True


def _by_turns(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if case.turned is None or not isinstance(case.turned.proof, Turns):
        raise Uncertified("dataflow", "there is no proof by induction over the turns of a while")
    from hecv.prove.whiles import while_induction_cert  # few functions have such loops

    return while_induction_cert.certify(case, case.turned.proof)


def _by_ways(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if case.apart is None:
        raise Uncertified("dataflow", "there is no proof with the ways through whiles apart")
    from hecv.prove.whiles import exit_normalisation_cert  # few functions have such loops

    found = case.apart.proof
    return exit_normalisation_cert.certify(case, found if isinstance(found, Turns) else None)


def _by_bound(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if not case.bounded:
        raise Uncertified("dataflow", "there is no proof by a bound on the turns of whiles")
    from hecv.prove.whiles import while_induction_cert  # few functions have such loops

    return while_induction_cert.certify_bounded(case)


def _by_invariant(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if case.closed is None:
        raise Uncertified("dataflow", "there is no proof that a while computes a formula")
    from hecv.prove.whiles import closed_form_cert  # few functions have such loops

    return closed_form_cert.certify(case, case.closed)


def _by_divisors(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if not _is_stricter(report):
        raise Uncertified("dataflow", "the proof rests on no divisor that is said to be positive")
    from hecv.prove.transforms import strengthened_target_cert  # few proofs rest on them

    return strengthened_target_cert.certify(case), False


def _by_assertions(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if not _is_informed(report):
        raise Uncertified("dataflow", "the proof rests on no condition of an assertion")
    from hecv.prove.transforms import asserted_values_cert  # few proofs rest on them

    return asserted_values_cert.certify(case)


def _by_copies(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if not _is_unrolled(report):
        raise Uncertified("dataflow", "the proof rests on no loops that are copied out")
    from hecv.prove.transforms import loop_unrolling_cert  # few proofs rest on it

    return loop_unrolling_cert.certify(case, report.verdict == "equivalent", report.engine == "sweep")


def _is_unrolled(report: FunctionReport) -> bool:
    return any(rule.name == loop_unrolling.RULE for rule in report.rules)


def _is_informed(report: FunctionReport) -> bool:
    return any(rule.name == asserted_values.RULE for rule in report.rules)


def _is_stricter(report: FunctionReport) -> bool:
    return any(rule.name in strengthened_target.RULES for rule in report.rules)


def _by_inputs(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if report.engine != "inputs" or call_induction.calls(case.functions):
        raise Uncertified("inputs", "the functions were not run on all inputs")
    return Inputs(sum(rule.uses for rule in report.rules)), report.verdict == "equivalent"


def _by_elements(case: Case, report: FunctionReport) -> tuple[Proof, bool]:
    if report.engine != "elements":
        raise Uncertified("elements", "there is no proof over the reals")
    from hecv.kernel.reals.elementwise_check import replay_elements  # few pairs are compared over the reals

    count = sum(rule.uses for rule in report.rules)
    return Elements(count), replay_elements(case.pool, case.functions, count, case.task.switches.index_width)


MEANS: Final = (
    _identity,
    _form,
    _aligned,
    _by_elements,
    _by_inputs,
    _by_turns,
    _by_ways,
    _by_invariant,
    _by_bound,
    _by_divisors,
    _by_assertions,
    _by_copies,
    _by_dataflow,
    _by_theorems,
)
"""In the order in which they are tried."""

OWN: Final = {"sweep": _aligned, "inputs": _by_inputs, "elements": _by_elements, "theorems": _by_theorems}
"""What is particular to an engine; all others end with an induction by dataflow."""
