"""The verdict on a pair that was neither proved nor refuted: where it stopped, why, and what was tried."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported, counted
from hecv.claim.result import FunctionReport, Localization, Unknown
from hecv.dataflow.dataflow_proof import Stuck
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.pair.pair_context import Case, Refusal, Task
from hecv.prove.portfolio import DATAFLOW
from hecv.prove.portfolio_state import Asked
from hecv.run.interpreter.outcome_analysis import active_in
from hecv.verdict.advice import of_unknown
from hecv.verdict.localisation import of_stuck, place
from hecv.verdict.proved import effort


def unsupported(task: Task, problem: Unsupported) -> FunctionReport:
    unknown = Unknown("unsupported-op", problem.text, problem.location)
    report = FunctionReport(task.names[0], "unknown", unknown=unknown)
    return replace(report, help=of_unknown(report, task))


def stopped(asked: Asked) -> FunctionReport:
    """Neither a proof nor a counterexample."""
    case, outcome, theorems = asked.case, asked.stuck, asked.theorems
    task, refusal, seconds = case.task, case.refusal, asked.seconds[DATAFLOW.name]
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
    report = FunctionReport(
        task.names[0],
        "unknown",
        stop_reason="budget" if reason == "budget" else limit if stopped is None else stopped.reason,
        unknown=Unknown(reason, text, first.location if first else case.functions[0].location),
        localization=localization,
        notes=tuple(_tried(case, outcome, theorems)),
        proof=None if outcome is None else effort(outcome.statistics, seconds),
        saturation=theorems.saturation if theorems is not None else case.comparer.saturation(),
    )
    return replace(report, help=of_unknown(report, task))


def _tried(case: Case, outcome: Stuck | None, theorems: Theorems | None) -> Iterator[str]:
    """What was tried in vain, in words."""
    tried: list[str] = []
    if outcome is not None:
        counts = outcome.statistics
        visits, widenings = counted(counts.visits, "obligation"), counted(counts.widenings, "widening")
        tried.append(f"array dataflow ({visits}, {widenings})")
    asked = case.comparer.asked
    if asked:
        tried.append(f"static laws ({counted(asked, 'question')})")
    if theorems is not None:
        tried.append(f"loop theorems ({counted(theorems.saturation.rounds, 'round')}, {theorems.stopped})")
    tried.append(counted(case.trials.runs, "run"))
    yield "tried: " + ", ".join(tried)
    source, target = map(active_in, case.functions)
    if target - source:
        named = ", ".join(f"`{flag}`" for flag in sorted(target - source))
        yield f"fast-math flags of the target alone ({named}) let it compute what the source does not"
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
