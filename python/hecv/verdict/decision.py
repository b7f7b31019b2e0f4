"""The decision on one pair of functions: what comes of the portfolio (`hecv.prove.portfolio`), as a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter
from typing import Final

from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.claim import call_induction
from hecv.claim.assumptions import assumed, of_lowering
from hecv.claim.result import Assumption, FunctionReport
from hecv.mlir.control.recursive_calls import own_name
from hecv.mlir.importer import LONG
from hecv.mlir.passes.dialect_lowering import lowered
from hecv.mlir.passes.scale_demands import SCALE, SCALING
from hecv.process.phase_times import Phases
from hecv.process.worker_main import Stage, seldom_searched
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Proof
from hecv.prove.portfolio import ask
from hecv.prove.portfolio_state import Asked
from hecv.prove.search_steps import MORE_RUNS, MORE_SECONDS
from hecv.verdict import proved
from hecv.verdict.advice import ideas
from hecv.verdict.refuted import refuted, refuted_compiled, wrong_rules
from hecv.verdict.unknown import stopped, unsupported

OPEN_SCALES: Final = (
    f"they differ on inputs on which {SCALE} is not given what it requires (2 <= shift <= 62, a multiplier that is not"
    " negative, a value below 2**(shift - 1)): there its result is not specified"
)

PART_FOR_RECORDING: Final = 0.9
"""Of the time limit: when it is used up, a proof that is being written down is left unwritten."""


def decide(task: Task, stage: Stage) -> FunctionReport:
    """The verdict on the pair of functions of `task`: with ops of other dialects as functions of which nothing is known
    or, where that is not enough, as what MLIR lowers them to."""
    started, phases = perf_counter(), Phases(stage)
    with seldom_searched(all(len(m.text) >= LONG and len(m.symbols) == 1 for m in task.modules)):
        report = _decided(task, phases)
        if report.verdict == "unknown":
            report = _decided_lowered(task, phases, report) or report
        elif report.evidence not in (None, "proved") and not report.runs:
            report = _run_lowered(task, phases, report)
    return replace(report, seconds=perf_counter() - started, phases=phases.measured())


def _decided_lowered(task: Task, phases: Phases, report: FunctionReport) -> FunctionReport | None:
    """The verdict on what MLIR lowers the functions to; None where it lowers none of their ops."""
    phases("lowering", report.runs)
    lower, assumptions = _lowered(task)
    if not assumptions:
        return None
    again = _decided(lower, phases)
    if again.unknown is not None and again.unknown.reason == "unsupported-op":
        return None
    if again.verdict == "not-equivalent" and any(m.may_have(SCALING) for m in task.modules):
        again = _within_demands(task, phases) or replace(report, runs=again.runs, notes=(*report.notes, OPEN_SCALES))
    certificate = again.certificate and replace(again.certificate, lowered=True)
    return replace(again, assumptions=(*again.assumptions, *assumptions), certificate=certificate)


def _within_demands(task: Task, phases: Phases) -> FunctionReport | None:
    """The verdict if an input shows a difference on which each `tosa.apply_scale` is given what it requires."""
    found = _decided(_lowered(task, demanding=True)[0], phases)
    return found if found.verdict == "not-equivalent" else None


def _lowered(task: Task, demanding: bool = False) -> tuple[Task, tuple[Assumption, ...]]:
    """The task for what MLIR lowers the functions to, and what that rests on; nothing, where it lowers none of their
    ops. If `demanding`, what `tosa.apply_scale` requires is asserted."""
    both = [lowered(module, name, demanding) for module, name in zip(task.modules, task.names, strict=True)]
    modules = [m if found is None else found[0] for m, found in zip(task.modules, both, strict=True)]
    dialects = sorted({name for found in both if found is not None for name in found[1]})
    return replace(task, modules=(modules[0], modules[1])), of_lowering(dialects)


def _run_lowered(task: Task, phases: Phases, report: FunctionReport) -> FunctionReport:
    """The verdict of a proof on trust whose ops could not be run, after runs of what MLIR lowers them to: one that
    tells the functions apart shows that a trusted rule is wrong."""
    phases("lowering", report.runs)
    lower, assumptions = _lowered(task)
    if not assumptions:
        return report
    lower = replace(lower, strategy=replace(lower.strategy, rules=()))
    try:
        case = Case(lower, phases)
    except Unsupported:
        return report
    try:
        case.enter("running on more inputs")
        difference = case.inputs.search(MORE_SECONDS, MORE_RUNS)
        if difference is None:
            skipped = case.inputs.skipped() if case.trials.runs else report.runs_skipped
            return replace(report, runs=case.trials.runs, runs_skipped=skipped)
        found = refuted(case, difference, None)
    finally:
        case.end()
    return replace(
        found,
        assumptions=(*assumed(case.functions, lower.constraints, lower.switches), *assumptions),
        runs=case.trials.runs,
        diagnostics=report.diagnostics,
        notes=(*found.notes, *_contradicted(report)),
    )


def _contradicted(report: FunctionReport) -> Iterator[str]:
    """What a run says of the rules that a proof took on trust."""
    if names := tuple(rule.name for rule in report.rules if rule.evidence != "proved"):
        yield wrong_rules(names)


def _decided(task: Task, phases: Phases) -> FunctionReport:
    """The verdict on the functions as the modules have them."""
    phases("reading", 0)
    try:
        case = Case(task, phases)
    except Unsupported as problem:
        return unsupported(task, problem)
    report, proof = _with_rules(case)
    report = proved.noted(case, _with_callees(case, report, phases))
    if report.rejected:
        return report
    if task.recording and proof is not None and report.verdict in ("equivalent", "refines"):
        # The checker and Z3 take a tenth of a second each to load, and most checks need neither.
        from hecv.prove.certify import certified

        report = certified(case, proof, report, PART_FOR_RECORDING * task.seconds - phases.since())
    return replace(
        report,
        assumptions=(
            *assumed(case.functions, task.constraints, task.switches),
            *report.assumptions,
            *_trusted(report),
        ),
        runs=case.trials.runs,
        runs_skipped=case.inputs.skipped(),
        diagnostics=(*report.diagnostics, *case.comparer.warnings(), *case.loop_rules.warnings),
    )


def _with_callees(case: Case, report: FunctionReport, phases: Phases) -> FunctionReport:
    """The verdict on functions that call others: these have to be shown equal, too."""
    if report.verdict not in ("equivalent", "refines") or not call_induction.calls(case.functions):
        return report
    switches = case.task.switches
    limits = (switches.index_width, switches.floats)
    others = call_induction.required(case.functions, own_name(case.task.modules, case.task.names))
    return call_induction.concluded(
        report, case.functions, ((n, partial(_callee, case, n, phases)) for n in others), limits
    )


def _callee(case: Case, name: str, phases: Phases) -> FunctionReport:
    """The verdict on the bodies of a function that is called, whatever its arguments are."""
    try:
        called = Case(replace(case.task, names=(name, name), constraints=()), phases)
    except Unsupported as problem:
        return unsupported(case.task, problem)
    return _with_rules(called)[0]


def _with_rules(case: Case) -> tuple[FunctionReport, Proof | None]:
    """The verdict, with the proof if there is one; an error where a law of the user is false, before the proof or in
    its course."""
    try:
        false = case.admit_rules()
        asked = None if false is not None else ask(case)
        report = None if asked is None else _one_way(case, _concluded(asked))
    finally:
        case.end()
    false = false or case.comparer.rejected
    if asked is not None and report is not None and false is None:
        return report, asked.proof
    assert false is not None
    return FunctionReport(case.task.names[0], "error", diagnostics=(false,), rejected=True), None


def _one_way(case: Case, report: FunctionReport) -> FunctionReport:
    """The verdict, of a source that was read as what the text may do."""
    why = case.functions[0].one_way
    if not why or report.verdict != "equivalent":
        return report
    return replace(report, verdict="refines", notes=(*report.notes, f"the source does not refine the target: {why}"))


def _trusted(report: FunctionReport) -> Iterator[Assumption]:
    """The rules that a proof took on trust."""
    for rule in report.rules:
        if rule.evidence != "proved":
            how = "tests agree with it" if rule.evidence == "tested" else "nothing is known of it"
            yield Assumption("rule-trusted", f"the rule '{rule.name}' holds: {how}", "--trust")


def _concluded(asked: Asked) -> FunctionReport:
    """The verdict on a pair by what came of the portfolio."""
    case, proof, difference = asked.case, asked.proof, asked.difference
    if difference is None:
        report = stopped(asked) if proof is None else proved.proved(case, proof)
    elif asked.by_jit:
        report = refuted_compiled(case, difference, asked.stuck)
    else:
        report = refuted(case, difference, asked.stuck, proof)
    wanted = case.task.advise and report.verdict in ("unknown", "not-equivalent")
    return replace(report, ideas=ideas(asked, report)) if wanted else report
