"""The decision on one pair of functions: runs, then the proof, then more runs where the proof stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.claim import call_induction
from hecv.claim.assumptions import assumed, of_lowering
from hecv.claim.result import Assumption, FunctionReport
from hecv.claim.semantic_options import unproved
from hecv.dataflow.dataflow_proof import Proved, Statistics, Stuck
from hecv.dataflow.pair_model import OPERATIONS
from hecv.elements.element_outcome import Open, Same, budget_of
from hecv.mlir.control.recursive_calls import own_name
from hecv.mlir.importer import LONG
from hecv.mlir.passes.dialect_lowering import lowered
from hecv.process.phase_times import Phases
from hecv.process.worker_main import Stage, seldom_searched
from hecv.program.structural_equality import same_program
from hecv.program.tree import Loop, While, walk
from hecv.prove.exhaustive_runs import Arguments, Exhausted, run_all
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.pair_context import Case, Task
from hecv.prove.terms.sat_sweeping import Swept
from hecv.prove.transforms.asserted_values import prove_informed
from hecv.prove.transforms.loop_unrolling import prove_unrolled
from hecv.prove.transforms.strengthened_target import prove_stricter
from hecv.prove.whiles.closed_form import prove_closed
from hecv.refute.differential_runs import Difference
from hecv.refute.jit_runs import may_be_compiled
from hecv.verdict import proved
from hecv.verdict.refuted import BRIEF_OPERATIONS, refuted, refuted_compiled, wrong_rules
from hecv.verdict.unknown import stopped, unsupported

if TYPE_CHECKING:
    from hecv.prove.whiles.while_induction import Turned

FIRST_SECONDS: Final = 0.1
FIRST_RUNS: Final = 24
FIRST_SIZES: Final = 64
"""Runs before the proof, without and with sizes that vary."""
SAME_SECONDS: Final = 0.01
"""For runs of a pair of which nothing is left to prove: they are a test of hecv alone."""
MORE_SECONDS: Final = 2.0
MORE_RUNS: Final = 1000

ATTEMPTS: Final = ((4 * BRIEF_OPERATIONS, 1.5), (OPERATIONS, MORE_SECONDS))
"""isl operations for each attempt at the proof, and seconds for the runs that follow."""

LONGER_PART: Final = 0.5
"""Of the time that is left, for a second proof element by element."""

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
    certificate = again.certificate and replace(again.certificate, lowered=True)
    return replace(again, assumptions=(*again.assumptions, *assumptions), certificate=certificate)


def _lowered(task: Task) -> tuple[Task, tuple[Assumption, ...]]:
    """The task for what MLIR lowers the functions to, and what that rests on; nothing, where it lowers none of their
    ops."""
    both = [lowered(module, name) for module, name in zip(task.modules, task.names, strict=True)]
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
    report = proved.noted(case, _with_callees(case, _with_rules(case), phases))
    if report.rejected:
        return report
    if task.recording and report.verdict in ("equivalent", "refines"):
        # The checker and Z3 take a tenth of a second each to load, and most checks need neither.
        from hecv.prove.certify import certified

        report = certified(case, report, PART_FOR_RECORDING * task.seconds - phases.since())
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
    return _with_rules(called)


def _with_rules(case: Case) -> FunctionReport:
    """The verdict; an error where a law of the user is false, before the proof or in its course."""
    try:
        false = case.admit_rules()
        report = None if false is not None else _one_way(case, _decide(case))
    finally:
        case.end()
    false = false or case.comparer.rejected
    if report is not None and false is None:
        return report
    assert false is not None
    return FunctionReport(case.task.names[0], "error", diagnostics=(false,), rejected=True)


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


def _decide(case: Case) -> FunctionReport:
    report = _same(case)
    difference = _run_first(case, FIRST_SECONDS if report is None and not case.is_forming() else SAME_SECONDS)
    if difference is None and case.is_forming():
        case.enter("comparing normal forms")
        report = _formed(case)
        difference = None if report is not None else _run_first(case, FIRST_SECONDS)
    if difference is not None:
        forming = case.is_forming()
        case.end()
        if forming:
            case.flatten()  # isl says where they differ
    if difference is None and report is not None:
        return report(case)
    outcome, seconds, theorems = None, 0.0, None
    # A proof about what others are called by is none about these: a run does not contradict it.
    wanted = difference is None or (case.task.crosscheck and not call_induction.calls(case.functions))
    if wanted and case.is_long:
        swept = _sweep(case, difference)
        if swept is not None and swept.equal:
            return proved.by_sweeping(case, swept, difference)
        if case.aimed is not None:
            return refuted(case, case.aimed, None)
        case.flatten()
    by_element = _prove_by_element(case) if wanted else None
    if isinstance(by_element, Same):
        return proved.by_element(case, by_element, difference)
    turned = _prove_by_turns(case) if wanted else None
    if turned is not None:
        return proved.by_turns(case, turned, difference)
    apart = _prove_apart(case, True) if wanted else None
    if apart is not None:
        return proved.by_ways(case, apart, difference)
    if wanted and not case.task.strategy.dataflow:
        theorems = _prove_by_theorems(case)
        wanted = theorems is None or not theorems.equal
    if wanted:
        long = by_element is not None and by_element.long
        outcome, seconds, difference = _prove_and_run(case, difference, ATTEMPTS[:1] if long else ATTEMPTS)
        if long and difference is None and not isinstance(outcome, Proved):
            by_element = _prove_longer_by_element(case)
            if isinstance(by_element, Same):
                return proved.by_element(case, by_element, difference)
            if isinstance(outcome, Stuck) and outcome.reason == "budget":
                outcome, more, difference = _prove_and_run(case, difference, ATTEMPTS[1:])
                seconds += more
    strict = None if isinstance(outcome, Proved) or not wanted else _prove_stricter(case, difference)
    if strict is not None:
        return proved.by_stricter(case, strict, difference)
    by_assertions = None if isinstance(outcome, Proved) or not wanted else _prove_informed(case, difference)
    if by_assertions is not None:
        return proved.by_informed(case, by_assertions, difference)
    if isinstance(outcome, Proved):
        if not case.trials.runs and may_be_compiled(case.functions, outcome):
            case.enter("running by MLIR's JIT")
            difference = case.run_compiled()
        if difference is None and case.comparer.trusted():
            case.enter("running on more inputs")
            difference = case.inputs.search(MORE_SECONDS, MORE_RUNS)
    elif difference is None and (found := _run_compiled(case, outcome)) is not None:
        return refuted_compiled(case, found, outcome)
    elif theorems is None and wanted and (difference is None or case.task.crosscheck):
        theorems = _prove_by_theorems(case)
    shown = isinstance(outcome, Proved) or (theorems is not None and theorems.equal)
    by_copies = None if shown or not wanted else _prove_unrolled(case, difference)
    if by_copies is not None:
        return proved.by_unrolling(case, by_copies, difference)
    if difference is not None:
        return refuted(case, difference, outcome, theorems is not None and theorems.equal)
    if isinstance(outcome, Proved):
        one_way = not outcome.converse and same_program(*case.functions)
        return proved.identical(case) if one_way else proved.by_dataflow(case, outcome, seconds)
    if theorems is not None and theorems.equal:
        return proved.by_theorems(case, theorems)
    if same_program(*case.functions):
        return proved.identical(case)
    closed = None if case.is_long or outcome is not None or not wanted else _prove_closed(case)
    if closed is not None:
        return proved.by_closed(case, closed, difference)
    bounded = None if case.is_long or outcome is not None or not wanted else _prove_bounded(case)
    if bounded is not None:
        return proved.by_turns(case, bounded, difference)
    apart = None if case.is_long or outcome is not None or not wanted else _prove_apart(case, False)
    if apart is not None:
        return proved.by_ways(case, apart, difference)
    swept = None if case.is_long else _sweep(case, difference)
    if swept is not None and swept.equal:
        return proved.by_sweeping(case, swept, difference)
    if case.aimed is not None:
        return refuted(case, case.aimed, outcome)
    found = run_on_all(case)
    if isinstance(found, Exhausted):
        return proved.by_running(case, found)
    if found is not None and case.inputs.allowed(found) and (shown := case.trials.attempt(found)) is not None:
        return refuted(case, shown, outcome)
    return stopped(case, outcome, seconds, theorems)


def _run_first(case: Case, seconds: float) -> Difference | None:
    """A difference that runs before the proof show."""
    case.enter("running on inputs")
    return case.inputs.first_search(seconds, FIRST_SIZES if case.inputs.has_sizes() else FIRST_RUNS)


def _run_compiled(case: Case, outcome: Stuck | None) -> Difference | None:
    """A difference that MLIR's JIT shows on an input that is too long for the interpreter; None where there is none, or
    where code may be undefined."""
    if outcome is None or case.trials.runs or not case.trials.source_long:
        return None
    if not outcome.safe or not may_be_compiled(case.functions, outcome):
        return None
    case.enter("running by MLIR's JIT")
    return case.run_compiled()


def _same(case: Case) -> Callable[[Case], FunctionReport] | None:
    """What makes the verdict where nothing is to be proved, None where something is. Where an engine is asked for, or
    a crosscheck, that is a test of the proof."""
    strategy = case.task.strategy
    if strategy.engine != "auto" or case.task.crosscheck:
        return None
    if same_program(*case.functions):
        return proved.identical
    return proved.by_form if strategy.dynamic and not case.is_forming() and case.has_one_form() else None


def _formed(case: Case) -> Callable[[Case], FunctionReport] | None:
    """What makes the verdict, of what was found beside this process; None where that does not show it."""
    if case.has_one_form():
        return proved.by_form
    if case.formed is None or case.formed.proved is None:
        return None
    return partial(proved.by_dataflow, outcome=case.formed.proved, seconds=case.formed.seconds)


def _sweep(case: Case, difference: Difference | None) -> Swept | None:
    """How the proof by sweeping ended; None where there was none."""
    case.enter("sweeping")
    return case.sweep(difference is not None)


def run_on_all(case: Case) -> Exhausted | Arguments | None:
    """What came of all inputs, or the first that tells the functions apart; None where there are too many, or switches
    let a run say less."""
    switches, strategy = case.task.switches, case.task.strategy
    if switches.floats != "strict" or unproved(case.functions, switches, case.constrain) is not None:
        return None
    if strategy.engine != "auto" or not strategy.static:
        return None
    case.enter("running on all inputs")
    return run_all(case.functions, switches.index_width)


def _prove_by_element(case: Case) -> Same | Open | None:
    """How the proof element by element ended; None where there was none."""
    if case.task.switches.floats != "real":
        return None
    case.enter("proving element by element")
    return case.prove_by_element()


def _prove_longer_by_element(case: Case) -> Same | Open | None:
    """How the proof element by element ended with much of the time that is left, where it stopped at its limits."""
    case.enter("proving element by element, longer")
    return case.prove_by_element(budget_of(LONGER_PART * case.seconds_left()))


def _prove_by_turns(case: Case) -> Turned | None:
    """How the proof turn by turn ended; None where there was none."""
    if case.pair is not None or case.is_long:
        return None
    case.enter("proving turn by turn")
    return case.prove_by_turns()


def _prove_apart(case: Case, by_turns: bool) -> Turned | None:
    """How the proof with the ways through whiles apart ended, turn by turn or by a bound; None where there was none."""
    if case.pair is not None or case.is_long or not _has_loops(case):
        return None
    case.enter("proving with ways through whiles apart")
    from hecv.prove.whiles.exit_normalisation import prove_apart  # few functions have such loops

    return prove_apart(case, by_turns)


def _prove_stricter(case: Case, difference: Difference | None) -> Statistics | None:
    """What a proof took that rests on positive divisors; None where there was none."""
    if case.is_long or (difference is not None and not case.task.crosscheck):
        return None
    case.enter("proving with positive divisors")
    return prove_stricter(case)


def _prove_informed(case: Case, difference: Difference | None) -> Proved | None:
    """How a proof by what assertions say ended; None where there was none."""
    if case.is_long or (difference is not None and not case.task.crosscheck):
        return None
    case.enter("proving with assertions")
    return prove_informed(case)


def _prove_unrolled(case: Case, difference: Difference | None) -> Proved | Swept | None:
    """How the proof with short loops copied out ended; None where there was none."""
    if case.is_long or not _has_loops(case) or (difference is not None and not case.task.crosscheck):
        return None
    case.enter("proving with short loops copied out")
    return prove_unrolled(case)


def _prove_closed(case: Case) -> Swept | None:
    """How the proof that a while computes what a formula does ended; None where there was none."""
    case.enter("looking for an invariant")
    return prove_closed(case)


def _prove_bounded(case: Case) -> Turned | None:
    """How the proof with whiles as loops of some number of turns ended; None where there was none."""
    case.enter("proving with a bound on turns")
    return case.prove_bounded()


def _prove_by_theorems(case: Case) -> Theorems | None:
    """How the proof by loop theorems ended; None where there was none: long code without loops was swept."""
    if not case.task.strategy.theorems or same_program(*case.functions):
        return None
    if case.is_long and case.task.strategy.dataflow and not _has_loops(case):
        return None
    case.enter("proving by loop theorems")
    return case.prove_by_theorems()


def _has_loops(case: Case) -> bool:
    return any(isinstance(s, Loop | While) for f in case.functions for s in walk(f.body))


def _prove_and_run(
    case: Case, difference: Difference | None, attempts: Sequence[tuple[int, float]]
) -> tuple[Proved | Stuck | None, float, Difference | None]:
    """How the proof ended, the seconds it took, and a difference that runs found where it stopped.

    Attempts with larger and larger budgets alternate with runs: a long proof of what a run refutes is time lost.
    """
    outcome, seconds = None, 0.0
    for operations, run_seconds in attempts:
        case.enter("proving")
        started = perf_counter()
        outcome = case.prove(operations)
        seconds += perf_counter() - started
        if not isinstance(outcome, Proved) and difference is None and same_program(*case.functions):
            break
        again = isinstance(outcome, Stuck) and outcome.reason == "budget" and operations < OPERATIONS
        if difference is None and not isinstance(outcome, Proved):
            case.enter("running on more inputs")
            difference = case.inputs.search_at(() if outcome is None else outcome.hints)
            difference = difference or case.inputs.search(run_seconds if again else MORE_SECONDS, MORE_RUNS)
        if not again or (difference is not None and not case.task.crosscheck):
            break
    return outcome, seconds, difference
