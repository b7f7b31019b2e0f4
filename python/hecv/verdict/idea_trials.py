"""Tries ideas of what may turn an answer: each is decided in a process of its own; only what is proved is claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Final

from msgspec.structs import replace

from hecv.base.diagnostics import InputError
from hecv.claim.idea import Idea
from hecv.claim.result import FunctionReport
from hecv.mlir.importer import Signature
from hecv.process.worker_pool import Limits, Stopped, run_all
from hecv.prove.pair.pair_context import Task
from hecv.verdict.advice import STEPWISE
from hecv.verdict.decision import decide
from hecv.verdict.pairing import constraints_of
from hecv.verdict.proved import VACUOUS

SECONDS: Final = 3.0
"""For each idea: what takes longer is not waited for."""

MEGABYTES: Final = 4096

MOST: Final = 12
"""Ideas that are tried for one pair of files, so that many functions that are wrong alike do not take minutes."""

_Tried = tuple[Idea, FunctionReport | Stopped | None]
"""An idea, and what came of it; None if it could not be put as a question."""


def advised(
    tasks: Sequence[Task],
    sources: Sequence[Signature],
    reports: Sequence[FunctionReport],
    progress: Callable[[str, str, float], None],
    jobs: int,
) -> list[FunctionReport]:
    """The reports, with what would turn them as help; `sources` are the source's functions."""
    left, made = MOST, list[list[tuple[Idea, Task | None]]]()
    for task, source, report in zip(tasks, sources, reports, strict=True):
        made.append([(idea, _changed(task, source, idea)) for idea in report.ideas[:left]])
        left -= len(made[-1])
    work = [task for tried in made for _, task in tried if task is not None]
    if not any(made):
        return list(reports)

    def tick(number: int, stage: str, seconds: float) -> None:
        progress(work[number].names[0], f"looking for what would help, {stage}", seconds)

    ended = iter(run_all([partial(decide, task) for task in work], Limits(SECONDS, MEGABYTES), tick, jobs))
    return [
        _helped(report, [(idea, next(ended) if task else None) for idea, task in tried])
        for report, tried in zip(reports, made, strict=True)
    ]


def _helped(report: FunctionReport, tried: Sequence[_Tried]) -> FunctionReport:
    """The report with what is known of its ideas; that a transformation may be checked in steps is said where nothing
    better is."""
    told = _told(tried)
    rest = [text for text in report.help if not (told and text == STEPWISE)]
    return replace(report, ideas=(), help=(*told, *rest))


def _changed(task: Task, source: Signature, idea: Idea) -> Task | None:
    """The question with the idea; None where its assumption cannot be written."""
    made = replace(task, crosscheck=False, recording=False, seconds=SECONDS, advise=False)
    if idea.switches is not None:
        made = replace(made, switches=idea.switches)
    if idea.assume is None:
        return made
    try:
        (more,) = constraints_of([source], [idea.assume])
    except InputError:
        return None
    return replace(made, constraints=(*task.constraints, *more))


def _told(tried: Sequence[_Tried]) -> list[str]:
    """What to say: of each group the first idea that is proved, else what there is to say of one that took too long."""
    found: list[str] = []
    for _, given in groupby(tried, lambda one: one[0].group):
        group = list(given)
        proved = next((f"{i.option} {_verdict(o)}" for i, o in group if _holds(o)), None)
        other = next((i.otherwise for i, o in group if i.otherwise is not None and isinstance(o, Stopped)), None)
        found += [text for text in [proved or other] if text is not None]
    return found


def _holds(outcome: FunctionReport | Stopped | None) -> bool:
    if not isinstance(outcome, FunctionReport) or VACUOUS in outcome.notes:
        return False
    return outcome.verdict in ("equivalent", "refines") and outcome.evidence == "proved"


def _verdict(outcome: FunctionReport | Stopped | None) -> str:
    same = isinstance(outcome, FunctionReport) and outcome.verdict == "equivalent"
    return "the functions are equivalent" if same else "the target refines the source"
