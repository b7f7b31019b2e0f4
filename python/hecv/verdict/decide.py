"""The decision on one pair of functions: runs, then the proof, then more runs where the proof stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Final

from hecv.base.diag import Diagnostic, Unsupported
from hecv.elements.outcome import Open, Same
from hecv.execute.interpreter import chooses
from hecv.frontend.lowering import lowered
from hecv.graph.identity import same_program
from hecv.graph.tree import Loop, While, walk
from hecv.poly.pair import OPERATIONS
from hecv.poly.prove import Proved, Stuck
from hecv.verdict import overlap, recursion
from hecv.verdict.assumptions import assumed
from hecv.verdict.case import Case, Refusal, Task
from hecv.verdict.child import Stage
from hecv.verdict.compiled import may_be_compiled
from hecv.verdict.confirm import Engine, confirm
from hecv.verdict.counterexample import brief, describe
from hecv.verdict.elements import assumed_of
from hecv.verdict.exhaustive import Exhausted, run_all
from hecv.verdict.localize import of_difference, of_stuck, place
from hecv.verdict.phases import Phases
from hecv.verdict.result import (
    Assumption,
    Binding,
    Evidence,
    FunctionReport,
    Localization,
    Proof,
    RuleUse,
    Unknown,
)
from hecv.verdict.runs import Difference
from hecv.verdict.shrink import prefer_value, shrink
from hecv.verdict.sweeping import Swept
from hecv.verdict.switches import unproved
from hecv.verdict.theorems import Theorems

FIRST_SECONDS: Final = 0.1
FIRST_RUNS: Final = 24
FIRST_SIZES: Final = 64
"""Runs before the proof, without and with sizes that vary."""
MORE_SECONDS: Final = 2.0
MORE_RUNS: Final = 1000
BRIEF_OPERATIONS: Final = 1_000_000
"""isl operations for a proof that only serves to find the place of a difference."""

ATTEMPTS: Final = ((4 * BRIEF_OPERATIONS, 1.5), (OPERATIONS, MORE_SECONDS))
"""isl operations for each attempt at the proof, and seconds for the runs that follow."""


PART_FOR_RECORDING: Final = 0.9
"""Of the time limit: when it is used up, a proof that is being written down is left unwritten."""

WEAKEST_FIRST: Final[tuple[Evidence, ...]] = ("trusted", "tested", "proved")
"""What a verdict rests on is the weakest of what its rules do."""


def decide(task: Task, stage: Stage) -> FunctionReport:
    """The verdict on the pair of functions of `task`: with ops of other dialects as functions of which nothing is known
    or, where that is not enough, as what MLIR lowers them to."""
    started, phases = perf_counter(), Phases(stage)
    report = _decided(task, phases)
    if report.verdict == "unknown":
        report = _decided_lowered(task, phases, report) or report
    return replace(report, seconds=perf_counter() - started, phases=phases.measured())


def _decided_lowered(task: Task, phases: Phases, report: FunctionReport) -> FunctionReport | None:
    """The verdict on what MLIR lowers the functions to; None where it lowers none of their ops."""
    phases("lowering", report.runs)
    both = [lowered(module) for module in task.modules]
    modules = [m if found is None else found[0] for m, found in zip(task.modules, both, strict=True)]
    dialects = sorted({name for found in both if found is not None for name in found[1]})
    if not dialects:
        return None
    again = _decided(replace(task, modules=(modules[0], modules[1])), phases)
    if again.unknown is not None and again.unknown.reason == "unsupported-op":
        return None
    trust = (Assumption(f"lowering-{name}", f"ops of {name} are what MLIR lowers them to", None) for name in dialects)
    certificate = again.certificate and replace(again.certificate, lowered=True)
    return replace(again, assumptions=(*again.assumptions, *trust), certificate=certificate)


def _decided(task: Task, phases: Phases) -> FunctionReport:
    """The verdict on the functions as the modules have them."""
    phases("reading", 0)
    try:
        case = Case(task, phases)
    except Unsupported as problem:
        return _unsupported(task, problem)
    report = _with_callees(case, _with_rules(case), phases)
    if report.rejected:
        return report
    if task.recording and report.verdict in ("equivalent", "refines"):
        # The checker and Z3 take a tenth of a second each to load, and most checks need neither.
        from hecv.verdict.certify import certified

        report = certified(case, report, PART_FOR_RECORDING * task.seconds - phases.since())
    return replace(
        report,
        assumptions=(
            *assumed(case.functions, task.constraints, task.switches),
            *report.assumptions,
            *_trusted(report),
        ),
        runs=case.trials.runs,
        runs_skipped=case.skipped(),
        diagnostics=(*report.diagnostics, *case.comparer.warnings(), *case.loop_rules.warnings),
    )


def _with_callees(case: Case, report: FunctionReport, phases: Phases) -> FunctionReport:
    """The verdict on functions that call others: these have to be shown equal, too."""
    if report.verdict not in ("equivalent", "refines") or not recursion.calls(case.functions):
        return report
    switches = case.task.switches
    limits = (switches.index_width, switches.floats)
    others = recursion.required(case.functions, case.task.names[0])
    return recursion.concluded(report, case.functions, ((n, partial(_callee, case, n, phases)) for n in others), limits)


def _callee(case: Case, name: str, phases: Phases) -> FunctionReport:
    """The verdict on the bodies of a function that is called, whatever its arguments are."""
    try:
        called = Case(replace(case.task, names=(name, name), constraints=()), phases)
    except Unsupported as problem:
        return _unsupported(case.task, problem)
    return _with_rules(called)


def _with_rules(case: Case) -> FunctionReport:
    """The verdict; an error where a law of the user is false, before the proof or in its course."""
    false = case.admit_rules()
    report = None if false is not None else _decide(case)
    false = false or case.comparer.rejected
    if report is not None and false is None:
        return report
    assert false is not None
    return FunctionReport(case.task.names[0], "error", diagnostics=(false,), rejected=True)


def _trusted(report: FunctionReport) -> Iterator[Assumption]:
    """The rules that a proof took on trust."""
    for rule in report.rules:
        if rule.evidence != "proved":
            how = "tests agree with it" if rule.evidence == "tested" else "nothing is known of it"
            yield Assumption("rule-trusted", f"the rule '{rule.name}' holds: {how}", "--trust")


def _decide(case: Case) -> FunctionReport:
    case.enter("running on inputs")
    difference = case.first_search(FIRST_SECONDS, FIRST_SIZES if case.has_sizes() else FIRST_RUNS)
    outcome, seconds, theorems = None, 0.0, None
    # A proof about what others are called by is none about these: a run does not contradict it.
    wanted = difference is None or (case.task.crosscheck and not recursion.calls(case.functions))
    if difference is None and _is_identical(case):
        return _identical(case)
    if wanted and case.is_long:
        swept = _sweep(case, difference)
        if swept is not None and swept.equal:
            return _proved_by_sweeping(case, swept, difference)
        case.flatten()
    by_element = _prove_by_element(case) if wanted else None
    if isinstance(by_element, Same):
        return _proved_by_element(case, by_element, difference)
    if wanted and not case.task.strategy.dataflow:
        theorems = _prove_by_theorems(case)
        wanted = theorems is None or not theorems.equal
    if wanted:
        outcome, seconds, difference = _prove_and_run(case, difference)
    if isinstance(outcome, Proved):
        if not case.trials.runs and may_be_compiled(case.functions, outcome):
            case.enter("running by MLIR's JIT")
            difference = case.run_compiled()
        if difference is None and case.comparer.trusted():
            case.enter("running on more inputs")
            difference = case.search(MORE_SECONDS, MORE_RUNS)
    elif theorems is None and wanted and (difference is None or case.task.crosscheck):
        theorems = _prove_by_theorems(case)
    if difference is not None:
        return _refuted(case, difference, outcome, theorems is not None and theorems.equal)
    if isinstance(outcome, Proved):
        one_way = not outcome.converse and same_program(*case.functions)
        return _identical(case) if one_way else _proved(case, outcome, seconds)
    if theorems is not None and theorems.equal:
        return _proved_by_theorems(case, theorems)
    if same_program(*case.functions):
        return _identical(case)
    swept = None if case.is_long else _sweep(case, difference)
    if swept is not None and swept.equal:
        return _proved_by_sweeping(case, swept, difference)
    found = _run_all(case)
    if found is not None:
        return _proved_by_running(case, found)
    return _stopped(case, outcome, seconds, theorems)


def _sweep(case: Case, difference: Difference | None) -> Swept | None:
    """How the proof by sweeping ended; None where there was none."""
    case.enter("sweeping")
    return case.sweep(difference is not None)


def _run_all(case: Case) -> Exhausted | None:
    """Whether all inputs were run; None where there are too many, or switches let a run say less."""
    switches, strategy = case.task.switches, case.task.strategy
    if switches.floats != "strict" or unproved(case.functions, switches) is not None:
        return None
    if strategy.engine != "auto" or not strategy.static:
        return None
    case.enter("running on all inputs")
    return run_all(case.trials, case.functions)


def _proved_by_running(case: Case, found: Exhausted) -> FunctionReport:
    return FunctionReport(
        case.task.names[0],
        "equivalent" if found.converse else "refines",
        evidence="proved",
        engine="inputs",
        rules=(RuleUse("all-inputs", "static", found.inputs, "proved"),),
        notes=() if found.converse else ("the source may be poison or undefined where the target is not",),
    )


def _prove_by_element(case: Case) -> Same | Open | None:
    """How the proof element by element ended; None where there was none."""
    if case.task.switches.floats != "real":
        return None
    case.enter("proving element by element")
    return case.prove_by_element()


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


def _prove_and_run(case: Case, difference: Difference | None) -> tuple[Proved | Stuck | None, float, Difference | None]:
    """How the proof ended, the seconds it took, and a difference that runs found where it stopped.

    Attempts with larger and larger budgets alternate with runs: a long proof of what a run refutes is time lost.
    """
    outcome, seconds = None, 0.0
    for operations, run_seconds in ATTEMPTS:
        case.enter("proving")
        started = perf_counter()
        outcome = case.prove(operations)
        seconds += perf_counter() - started
        if not isinstance(outcome, Proved) and difference is None and same_program(*case.functions):
            break
        again = isinstance(outcome, Stuck) and outcome.reason == "budget" and operations < OPERATIONS
        if difference is None and not isinstance(outcome, Proved):
            case.enter("running on more inputs")
            difference = case.search_at(() if outcome is None else outcome.hints)
            difference = difference or case.search(run_seconds if again else MORE_SECONDS, MORE_RUNS)
        if not again or (difference is not None and not case.task.crosscheck):
            break
    return outcome, seconds, difference


# Verdicts


def _unsupported(task: Task, problem: Unsupported) -> FunctionReport:
    unknown = Unknown("unsupported-op", problem.text, problem.location)
    return FunctionReport(task.names[0], "unknown", unknown=unknown)


def _proved(case: Case, outcome: Proved, seconds: float) -> FunctionReport:
    rules = [RuleUse("loop-array-dataflow", "dynamic", outcome.statistics.visits, "proved")]
    counted, rerolled = _new_loops(case)
    if counted:
        rules.append(RuleUse("loop-count", "dynamic", counted, "proved"))
    if rerolled:
        rules.append(RuleUse("loop-reroll", "dynamic", rerolled, "proved"))
    if outcome.statistics.regrouped:
        rules.append(RuleUse("loop-reduction", "dynamic", outcome.statistics.regrouped, "proved"))
    rules += case.comparer.rules()
    return FunctionReport(
        case.task.names[0],
        "equivalent" if outcome.converse else "refines",
        evidence=_weakest(rules),
        engine="dataflow",
        rules=tuple(rules),
        notes=tuple(_notes(case, outcome)),
        proof=_proof(outcome, seconds),
        saturation=case.comparer.saturation(),
    )


def _weakest(rules: Sequence[RuleUse]) -> Evidence:
    found = {rule.evidence for rule in rules}
    return next(evidence for evidence in WEAKEST_FIRST if evidence in found)


def _proved_by_theorems(case: Case, outcome: Theorems) -> FunctionReport:
    return FunctionReport(
        case.task.names[0],
        "equivalent",
        evidence="proved",
        engine="theorems",
        rules=outcome.rules,
        saturation=outcome.saturation,
    )


def _proved_by_sweeping(case: Case, swept: Swept, difference: Difference | None) -> FunctionReport:
    if difference is not None:
        return _refuted(case, difference, None, True)
    return FunctionReport(
        case.task.names[0],
        "equivalent" if swept.converse else "refines",
        evidence="proved",
        engine="sweep",
        rules=swept.rules,
        notes=() if swept.converse else ("the source may be poison or undefined where the target is not",),
    )


def _proved_by_element(case: Case, found: Same, difference: Difference | None) -> FunctionReport:
    if difference is not None:
        return _refuted(case, difference, None, True)
    return FunctionReport(
        case.task.names[0],
        "refines" if found.one_way else "equivalent",
        evidence="proved",
        engine="elements",
        assumptions=assumed_of(found),
        rules=(RuleUse("real-element-normal-form", "static", found.elements, "proved"),),
        notes=() if found.one_way is None else (f"the source does not refine the target: {found.one_way}",),
    )


def _notes(case: Case, outcome: Proved) -> Iterator[str]:
    if outcome.one_way is not None:
        yield f"the source does not refine the target: {outcome.one_way}"
    if case.is_vacuous():
        yield "the verdict is vacuous: no input satisfies the assumptions and keeps the source in bounds"


def _is_identical(case: Case) -> bool:
    """Whether nothing is to be proved; where an engine is asked for, or a crosscheck, that is a test of the proof."""
    return case.task.strategy.engine == "auto" and not case.task.crosscheck and same_program(*case.functions)


def _identical(case: Case) -> FunctionReport:
    """The target is the source: equivalent, whatever its ops mean."""
    rules = (RuleUse("identical-programs", "static", 1, "proved"),)
    return FunctionReport(case.task.names[0], "equivalent", evidence="proved", engine="identity", rules=rules)


def _proof(outcome: Proved | Stuck, seconds: float) -> Proof:
    counts = outcome.statistics
    return Proof(counts.visits, counts.widenings, counts.statements, seconds)


def _new_loops(case: Case) -> tuple[int, int]:
    """How many loops were counted (`hecv.graph.counted`) and how many re-rolling made, on both sides."""
    if case.pair is None:
        return 0, 0
    counted = rerolled = 0
    for side in (case.pair.source, case.pair.target):
        given = {s.id for s in walk(side.function.body) if isinstance(s, Loop)}
        whiles = {s.id for s in walk(side.function.body) if isinstance(s, While)}
        made = [s.id for s in walk(side.body) if isinstance(s, Loop) and s.id not in given]
        counted += sum(number in whiles for number in made)
        rerolled += sum(number not in whiles for number in made)
    return counted, rerolled


def _stopped(case: Case, outcome: Stuck | None, seconds: float, theorems: Theorems | None) -> FunctionReport:
    """Neither a proof nor a counterexample."""
    task, refusal = case.task, case.refusal
    reason = "no-proof"
    if outcome is not None:
        localization = of_stuck(task.modules, case.functions, outcome)
        reason = outcome.reason if outcome.reason in ("unsupported-op", "budget") else reason
    elif refusal is not None:
        localization = _of_refusal(case, refusal)
    else:
        localization = _of_theorems(case, theorems)
    first = localization.source or localization.target
    text, stopped = localization.because, case.comparer.stopped
    if stopped is not None:
        text = f"{text}; the laws met their {stopped.reason.replace('-', ' ')}, and of the user's rules "
        text += f"'{stopped.rule}' made the e-graph grow the most ({stopped.nodes:,} e-nodes)"
    limit = None if theorems is None else theorems.limit
    if theorems is not None and limit is not None:
        text = f"{text}; the loop theorems met their {limit.replace('-', ' ')}"
        text += "" if theorems.most is None else f", and '{theorems.most}' took the most of it"
    return FunctionReport(
        task.names[0],
        "unknown",
        stop_reason="budget" if reason == "budget" else limit if stopped is None else stopped.reason,
        unknown=Unknown(reason, text, first.location if first else case.functions[0].location),
        localization=localization,
        notes=tuple(_tried(case, outcome, theorems)),
        proof=None if outcome is None else _proof(outcome, seconds),
        saturation=theorems.saturation if theorems is not None else case.comparer.saturation(),
    )


def _tried(case: Case, outcome: Stuck | None, theorems: Theorems | None) -> Iterator[str]:
    """What was tried in vain, in words."""
    tried: list[str] = []
    if outcome is not None:
        counts = outcome.statistics
        tried.append(f"array dataflow ({counts.visits} obligations, {counts.widenings} widenings)")
    asked = case.comparer.asked
    if asked:
        tried.append(f"static laws ({asked} {'question' if asked == 1 else 'questions'})")
    if theorems is not None:
        rounds = theorems.saturation.rounds
        tried.append(f"loop theorems ({rounds} {'round' if rounds == 1 else 'rounds'}, {theorems.stopped})")
    tried.append(f"{case.trials.runs} {'run' if case.trials.runs == 1 else 'runs'}")
    yield "tried: " + ", ".join(tried)
    yield from case.comparer.notes()


def _of_theorems(case: Case, theorems: Theorems | None) -> Localization:
    """Where the loop theorems left the programs different."""
    if theorems is None:
        return Localization(None, None, "no engine was asked for a proof")
    places = (theorems.source, theorems.target)
    first, second = (
        None if statement is None else place(case.task.modules[side], case.functions[side], statement)
        for side, statement in enumerate(places)
    )
    return Localization(first, second, "laws and loop theorems do not make these equal")


def _of_refusal(case: Case, refusal: Refusal) -> Localization:
    if refusal.statement is None:
        return Localization(None, None, refusal.text)
    at = place(case.task.modules[refusal.side], case.functions[refusal.side], refusal.statement)
    text = f"array dataflow does not hold {refusal.text}"
    return Localization(*((at, None) if refusal.side == 0 else (None, at)), text)


def _refuted(case: Case, found: Difference, outcome: Proved | Stuck | None, proved: bool = False) -> FunctionReport:
    """A difference that was seen: smaller, confirmed, and with its place. `proved` tells that loop theorems showed the
    programs equal all the same. A proof on trust that a run contradicts shows that a trusted rule is wrong."""
    trusted = case.comparer.trusted()
    notes = (_wrong(trusted),) if trusted and isinstance(outcome, Proved) else ()
    outcome = None if notes and isinstance(outcome, Proved) else outcome
    proved = proved or isinstance(outcome, Proved)
    if chooses(case.functions[0]):
        why = "an op of the source (maxnumf or minnumf) leaves its value open"
        return _unconfirmed(case, found, f"{why}, so a run proves nothing")
    case.enter("shrinking the counterexample")
    found = prefer_value(case.trials, case.functions[0], found, case.allowed)
    difference = shrink(case.trials, case.functions[0], found, case.allowed)
    engines: tuple[Engine, ...] = ("interpreter",)
    width = case.task.switches.index_width
    if found.kind == "value":
        case.enter("running the counterexample by MLIR's JIT")
        engines = ("interpreter", "jit")
        problem = confirm(case.task.modules, case.functions, difference, width)
        if problem is not None and difference is not found:
            difference, problem = found, confirm(case.task.modules, case.functions, found, width)
        if problem is not None and not proved:
            return _unconfirmed(case, difference, problem)
    case.enter("looking for the place")
    stuck = outcome
    calls = recursion.calls(case.functions)
    if stuck is None and difference.place is not None and difference.place.kind == "result" and not calls:
        stuck = case.prove(BRIEF_OPERATIONS)
    if isinstance(stuck, Proved) and case.comparer.trusted():
        notes, stuck = (_wrong(case.comparer.trusted()),), None
    notes += overlap.notes(case.functions[0], difference.arguments)
    counterexample = describe(case.functions, difference, engines)
    if proved or isinstance(stuck, Proved):
        return _contradiction(case, counterexample.inputs, counterexample.difference)
    return FunctionReport(
        case.task.names[0],
        "not-equivalent",
        counterexample=counterexample,
        localization=_locate(case, difference, stuck, counterexample.difference),
        notes=notes,
    )


def _wrong(rules: tuple[str, ...]) -> str:
    """What a run says of rules that were taken on trust."""
    names = ", ".join(f"'{name}'" for name in rules)
    what, wrong = ("the rule", "it is") if len(rules) == 1 else ("the rules", "one of them is")
    return f"with {what} {names}, taken on trust, the functions were shown equal: {wrong} wrong"


def _locate(case: Case, difference: Difference, stuck: Stuck | None, text: str) -> Localization | None:
    return of_difference(case.pool, case.task.modules, case.functions, difference, stuck, text)


def _unconfirmed(case: Case, difference: Difference, problem: str) -> FunctionReport:
    shown = describe(case.functions, difference, ("interpreter",))
    inputs = ", ".join(f"%{b.name} = {brief(b.value)}" for b in shown.inputs)
    text = f"the interpreter finds a difference ({shown.difference}) on {inputs}, but {problem}"
    unknown = Unknown("no-proof", text, case.functions[1].location)
    localization = _locate(case, difference, None, shown.difference)
    return FunctionReport(case.task.names[0], "unknown", unknown=unknown, localization=localization)


def _contradiction(case: Case, arguments: tuple[Binding, ...], difference: str) -> FunctionReport:
    """A proof and a run that exclude each other: hecv is wrong, whichever of them is."""
    task = case.task
    inputs = ", ".join(f"%{b.name} = {b.text} {brief(b.value, 10_000)}" for b in arguments)
    files = " ".join(m.file for m in task.modules)
    message = (
        f"a proof that @{task.names[0]} of the target refines the source contradicts a run: "
        f"{difference}; input: {inputs}; reproduce with "
        f"HECV_CROSSCHECK=1 hecv check {files} --func {task.names[0]} --seed {task.seed}"
    )
    hint = "this is a bug of hecv: please report it with both files"
    diagnostic = Diagnostic("error", "proof-contradicts-run", message, case.functions[1].location, hint)
    return FunctionReport(task.names[0], "error", diagnostics=(diagnostic,))
