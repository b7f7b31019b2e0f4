"""The findings of an answer: what was decided of each function, pass or law, and each diagnostic, one by one.

They are what formats for other tools are made of (`sarif.py`, `junit.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, Location
from hecv.claim.result import FunctionReport, Report
from hecv.report import verdict_text
from hecv.report.text_lines import Painter, visible

if TYPE_CHECKING:
    from hecv.laws.audit.law_audit import RuleAudit
    from hecv.pipeline import PipelineReport, Step
    from hecv.report.formats import Checked, Kind, Rules
    from hecv.rewriting import RewriteReport

Level = Literal["none", "note", "warning", "error"]

LEVELS: Final[dict[str, Level]] = {
    "not-equivalent": "error",
    "failed": "error",
    "error": "error",
    "unknown": "warning",
    "not-run": "note",
}
"""The level of what was decided; none of what holds."""


class Finding(Struct, frozen=True):
    """One thing that is decided, or a diagnostic, which has no `subject`.

    `rule` is the verdict, the status of an audit, or the name of a diagnostic; `hecv explain` knows it. `group` is the
    pair of files, the pass or the rule file that it belongs to. `text` is empty of what holds. `place` is in a file
    that exists, as are those `related` to it, each with what it is.
    """

    rule: str
    level: Level
    subject: str | None
    group: str
    text: str
    seconds: float = 0.0
    place: Location | None = None
    related: tuple[tuple[Location, str], ...] = ()


class Findings(Struct, frozen=True):
    """All findings, and the exit status and the seconds of the command; `failed` if it was no command to decide."""

    all: tuple[Finding, ...]
    seconds: float
    failed: bool = False


def of(kind: Kind, given: Any) -> Findings:
    """The findings of an answer."""
    match kind:
        case "verdict":
            return _of_check(given)
        case "pipeline":
            return _of_pipeline(given)
        case "rewrite":
            return _of_rewrite(given)
        case "rules":
            return _of_rules(given)


def _of_check(given: Checked) -> Findings:
    report, files = given.report, given.files or ()
    group = " -> ".join(files) or "hecv"
    found = [_function(f, report, group, _first(_places(f), files)) for f in report.functions]
    return _findings(report, [*found, *_diagnostics(report.diagnostics, group)])


def _of_pipeline(given: PipelineReport) -> Findings:
    found: list[Finding] = []
    for number, step in enumerate(given.steps, 1):
        group = f"pass {number}: {step.executed}"
        found += _of_step(given, step, group)
    left = given.passes[len(given.steps) :]
    for number, one in enumerate(left, len(given.steps) + 1):
        found.append(Finding("not-run", LEVELS["not-run"], str(one), f"pass {number}: {one}", "it was not run"))
    return _findings(given.total, [*found, *_diagnostics(given.total.diagnostics, "hecv opt")])


def _of_step(given: PipelineReport, step: Step, group: str) -> Iterator[Finding]:
    if not step.checked:
        yield Finding("not-run", LEVELS["not-run"], str(step.executed), group, "it ran and was not checked")
    titles = {f.title for f in step.report.functions}
    for report in step.report.functions:
        # What a pass made is no file of the user's, who looks for the function where the pipeline began.
        places = [given.places[report.title]] if report.title in given.places else []
        yield _function(report, step.report, group, _first([*places, *_places(report)], ()))
    for title in step.unchanged:
        if title not in titles:
            yield Finding("equivalent", "none", title, group, "", 0.0, given.places.get(title))
    yield from _diagnostics(step.report.diagnostics, group)


def _of_rewrite(given: RewriteReport) -> Findings:
    group = given.rules or "hecv rewrite"
    found = [_function(f, given.total, group, _first(_places(f)[::-1], ())) for f in given.total.functions]
    return _findings(given.total, [*found, *_diagnostics((*given.total.diagnostics, *given.notes), group)])


def _of_rules(given: Rules) -> Findings:
    audits: Sequence[Any] = given.entries if given.shown == "audits" else ()
    found = [*map(_law, audits), *_diagnostics(given.problems, "hecv rules")]
    return Findings(tuple(found), sum(a.seconds for a in audits), failed=bool(given.problems))


def _law(audit: RuleAudit) -> Finding:
    from hecv.report.rules_text import render_audit

    file, _, line = audit.place.rpartition(":")
    place = Location(file, int(line), 1) if line.isdigit() else None
    level = LEVELS.get(audit.audit, "none")
    text = render_audit(audit, Painter(False)).rstrip() if level != "none" else ""
    group = file or "laws"
    return Finding(audit.audit, level, audit.name, group, text, audit.seconds, _first([place], ()))


def _findings(report: Report, found: Iterable[Finding]) -> Findings:
    return Findings(tuple(found), report.seconds, failed=report.verdict == "error")


def _function(report: FunctionReport, whole: Report, group: str, place: Location | None) -> Finding:
    level = LEVELS.get(report.verdict, "none")
    if report.verdict == "refines" and whole.relation == "equivalent":
        level = "warning"
    text = _told(report) if level != "none" else ""
    sides = zip(("source", "target"), report.locations, strict=True)
    related = [(there, f"{report.title} of the {side}") for side, there in sides if there is not None]
    where = report.localization
    if where is not None:
        both = (("source", where.source), ("target", where.target))
        related += [(p.location, f"where the {side} differs") for side, p in both if p is not None]
    shown = tuple(dict.fromkeys(r for r in related if is_file(r[0].file) and r[0] != place))
    return Finding(report.verdict, level, report.title, group, text, report.seconds, place, shown)


def _told(report: FunctionReport) -> str:
    """What text says of a function, without excerpts of files; the first line has what matters most."""
    verdict = report.verdict.replace("-", " ")
    lines = [*verdict_text.functions((report,), {}, Painter(False), False)]
    rest = [line for line in lines[1:] if not line.lstrip().startswith("-->")]
    if report.counterexample is not None:
        verdict = f"{verdict}: {report.counterexample.difference}"
    elif report.unknown is not None:
        verdict = f"{verdict}: {report.unknown.text}"
        reason = f"  {report.unknown.reason}: "
        rest = [*takewhile(lambda line: not line.startswith(reason), rest), *_after(rest, reason)]
    return "\n".join(visible(line) for line in (f"{report.title} is {verdict}", *rest))


def _after(lines: Sequence[str], start: str) -> Iterator[str]:
    """The lines after the paragraph that begins so."""
    inside = False
    for line in lines:
        inside = line.startswith(start) or (inside and line.startswith("    "))
        if not inside and not line.startswith(start):
            yield line


def _places(report: FunctionReport) -> list[Location | None]:
    """Where the target differs or the proof stopped, then the functions."""
    where = report.localization
    target = where.target.location if where is not None and where.target is not None else None
    stopped = None if report.unknown is None else report.unknown.location
    return [target, stopped, report.locations[1], report.locations[0]]


def _first(places: Iterable[Location | None], files: Iterable[str]) -> Location | None:
    """The first place in a file that exists, else the beginning of one of the files."""
    there = next((p for p in places if p is not None and is_file(p.file)), None)
    if there is not None:
        return there
    # A model is named by its file and a function.
    named = (file if is_file(file) else file.rpartition(":")[0] for file in [*files][::-1])
    return next((Location(file, 1, 1) for file in named if is_file(file)), None)


def is_file(name: str) -> bool:
    """Whether a name in a location is that of a file; others name options, standard input, or the text after a pass."""
    return bool(name) and "\0" not in name and os.path.isfile(name)


def _diagnostics(given: Iterable[Diagnostic], group: str) -> Iterator[Finding]:
    for one in given:
        place = one.location if one.location is not None and is_file(one.location.file) else None
        where = f"{one.location}: " if one.location is not None and place is None else ""
        hint = "" if one.help is None else f"\nhelp: {one.help}"
        text = visible(f"{where}{one.message}{hint}", "\n")
        yield Finding(one.name, one.severity, None, group, text, place=place)
