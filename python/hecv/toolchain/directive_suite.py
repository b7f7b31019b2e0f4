"""`hecv lit`: checks the pairs with directives in a folder, several at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.check import check
from hecv.claim.result import Report
from hecv.process.worker_main import Stage
from hecv.process.worker_pool import Limits, Stopped, run_all
from hecv.report import junit
from hecv.report.findings import Finding, Findings, Level
from hecv.report.text_lines import Painter, visible
from hecv.report.verdict_json import diagnostic_json, function_json
from hecv.toolchain.directives import Directive, Pair

SCHEMA: Final = "hecv.lit/1"
UNLIMITED: Final = Limits(1e6, 1 << 20)
"""Of a process that starts the checks: each function has limits of its own."""

Outcome = Literal["passed", "failed", "skipped"]


class Result(Struct, frozen=True):
    """What became of a directive; `report` is None if it was skipped, or if its process broke down."""

    directive: Directive
    outcome: Outcome
    message: str
    report: Report | None = None


def run_pairs(pairs: Sequence[Pair], jobs: int, tick: Callable[[int, int, float], None]) -> tuple[Result, ...]:
    """Checks each directive; `jobs` at a time. `tick` is called a few times a second with the number of directives,
    that of one that is being checked, and its seconds so far."""
    tried = [(pair, directive) for pair in pairs for directive in pair.directives]
    waiting = [(p, d) for p, d in tried if d.skipped is None]
    works = [partial(_checked, pair, directive) for pair, directive in waiting]
    outcomes = iter(run_all(works, UNLIMITED, lambda number, stage, now: tick(len(works), number + 1, now), jobs))
    return tuple(
        _result(directive, next(outcomes)) if directive.skipped is None else _skipped(directive)
        for _, directive in tried
    )


def _checked(pair: Pair, directive: Directive, stage: Stage) -> Report:
    """Runs in a worker; functions are checked in workers of their own."""
    inner = pair.names[0] == pair.names[1]  # the chunks of one file are the programs
    options = replace(directive.options, jobs=1, advise=False, split=None if inner else directive.options.split)
    return check(*pair.texts, pair.names, options)


def _skipped(directive: Directive) -> Result:
    return Result(directive, "skipped", directive.skipped or "")


def _result(directive: Directive, outcome: Report | Stopped) -> Result:
    if isinstance(outcome, Stopped):
        return Result(directive, "failed", f"hecv failed: {outcome.text.strip().splitlines()[-1]}")
    if directive.holds(outcome.verdict):
        return Result(directive, "passed", "", outcome)
    wanted = directive.expected.replace("-", " ")
    message = f"expected {wanted}, found {outcome.verdict.replace('-', ' ')}{_reason(outcome)}"
    return Result(directive, "failed", message, outcome)


def _reason(report: Report) -> str:
    """What decided a verdict."""
    for function in report.functions:
        if function.verdict == report.verdict:
            why = ""
            if function.counterexample is not None:
                why = f": {function.counterexample.difference}"
            elif function.unknown is not None:
                why = f": {function.unknown.reason}: {function.unknown.text}"
            return f": {function.title}{why}"
    errors = [d for d in report.diagnostics if d.severity == "error"]
    return "".join(f": {part}" for d in errors[:1] for part in (d.location, d.message) if part)


def failed(results: Sequence[Result]) -> bool:
    """True if a directive does not hold."""
    return any(r.outcome == "failed" for r in results)


def _counts(results: Sequence[Result]) -> dict[str, int]:
    return {kind: sum(r.outcome == kind for r in results) for kind in ("passed", "failed", "skipped")}


def render_text(results: Sequence[Result], seconds: float, paint: Painter) -> str:
    """A line for each directive that does not hold, and the summary."""
    return "".join(f"{visible(line)}\n" for line in _lines(results, seconds, paint))


def _lines(results: Sequence[Result], seconds: float, paint: Painter) -> Iterator[str]:
    for result in results:
        if result.outcome == "failed":
            place = result.directive.location
            yield f"{paint('red', 'failed')}: {paint('bold', f'{place.file}:{place.line}')}: {result.message}"
    counts = ", ".join(f"{count} {kind}" for kind, count in _counts(results).items())
    yield f"{len(results)} {'directive' if len(results) == 1 else 'directives'}: {counts} ({seconds:.2f} s)"


def render_json(results: Sequence[Result], seconds: float) -> str:
    """The results as one JSON object."""
    whole = {
        "schema": SCHEMA,
        "seconds": round(seconds, 4),
        "directives": {"total": len(results), **_counts(results)},
        "results": [_result_json(r) for r in results],
        "diagnostics": [],
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _result_json(result: Result) -> dict[str, Any]:
    report, place = result.report, result.directive.location
    return {
        "file": place.file,
        "line": place.line,
        "directive": result.directive.text,
        "expected": result.directive.expected,
        "outcome": result.outcome,
        "message": result.message,
        "verdict": report and report.verdict,
        "seconds": round(report.seconds, 4) if report else 0.0,
        "functions": [function_json(f) for f in report.functions] if report else [],
        "diagnostics": [diagnostic_json(d) for d in report.diagnostics] if report else [],
    }


def render_junit(results: Sequence[Result], seconds: float) -> str:
    """The results as JUnit XML: a case a directive."""
    return junit.to_xml(Findings(tuple(map(_finding, results)), seconds))


def _finding(result: Result) -> Finding:
    place = result.directive.location
    rule, level = _FOUND[result.outcome]
    subject = f"{place.line}: {result.directive.text}"
    seconds = result.report.seconds if result.report else 0.0
    return Finding(rule, level, subject, place.file, visible(result.message), seconds, place)


_FOUND: Final[dict[Outcome, tuple[str, Level]]] = {
    "passed": ("passed", "none"),
    "failed": ("failed", "error"),
    "skipped": ("not-run", "note"),
}
"""Each outcome as the name and the level of a finding."""
