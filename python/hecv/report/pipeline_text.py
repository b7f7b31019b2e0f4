"""Report of `hecv opt` as text: one line a pass, full reports on failed passes, then the verdict with assumptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecv.base.diagnostics import counted
from hecv.claim.result import FunctionReport, Verdict
from hecv.pipeline import PipelineReport, Step
from hecv.report import verdict_text
from hecv.report.text_lines import Painter, diagnostics_text, remark, visible
from hecv.report.verdict_text import verdict_color

WIDEST_PASS: Final = 60
WIDEST_VERDICT: Final = len("not equivalent")


def answer(given: PipelineReport, out: Painter, err: Painter, verbose: bool) -> tuple[str, str]:
    """Each pass with its verdict, and the total; and what could not be read or run, with its location."""
    found = [*given.total.diagnostics, *(d for s in given.steps for d in s.report.diagnostics)]
    told = diagnostics_text(found, given.texts, err)
    if given.total.diagnostics and not given.steps:
        return "", told
    return "".join(visible(f"{line}\n", "\n") for line in _lines(given, out, verbose)), told


def _lines(report: PipelineReport, paint: Painter, verbose: bool) -> Iterator[str]:
    width = max((len(_shown(s)) for s in report.steps), default=0)
    for number, step in enumerate(report.steps, 1):
        yield _line(number, step, width, paint)
    told = [s for s in report.steps if s.report.functions and (verbose or not _holds(report, s))]
    for step in told:
        yield ""
        yield paint("bold", f"pass {report.steps.index(step) + 1}: {step.executed}")
        yield from map(visible, verdict_text.functions(step.report.functions, report.texts, paint, verbose))
    if report.steps:
        yield ""
    yield from _total(report, told, paint)


# A line a pass


def _line(number: int, step: Step, width: int, paint: Painter) -> str:
    name = _shown(step).ljust(width)
    if not step.checked:
        return f"{number:3}  {name}  not checked"
    if not step.changed and step.ran:
        return f"{number:3}  {name}  unchanged"
    verdict = step.report.verdict if step.ran else "error"
    shown = verdict.replace("-", " ") if step.ran else "failed"
    colored = paint(verdict_color(verdict), shown) + " " * (WIDEST_VERDICT - len(shown))
    remark = "; ".join(_remarks(step))
    return f"{number:3}  {name}  {colored}  {step.report.seconds:6.2f} s  {remark}".rstrip()


def _shown(step: Step) -> str:
    name = str(step.executed)
    return name if len(name) <= WIDEST_PASS else f"{name[: WIDEST_PASS - 3]}..."


def _remarks(step: Step) -> Iterator[str]:
    """What the verdict rests on; if the module has several functions, which of them have that verdict."""
    decided = step.report.functions
    worst = [f for f in decided if f.verdict == step.report.verdict]
    if len(decided) + len(step.unchanged) > 1 and worst:
        yield ", ".join(f.title for f in worst)
    yield from dict.fromkeys(filter(None, map(_reason, worst)))
    if step.ran and not decided and step.report.verdict == "equivalent":
        yield "no public function changed"


def _reason(report: FunctionReport) -> str | None:
    if report.counterexample is not None:
        return report.counterexample.difference
    if report.unknown is not None:
        return report.unknown.reason
    return f"{report.evidence} by {report.engine}" if report.engine else report.evidence


# The whole


def _holds(report: PipelineReport, step: Step) -> bool:
    accepted: set[Verdict] = {"equivalent"} if report.total.relation == "equivalent" else {"equivalent", "refines"}
    return step.report.verdict in accepted


def _total(report: PipelineReport, told: list[Step], paint: Painter) -> Iterator[str]:
    verdict = report.total.verdict
    shown = paint(verdict_color(verdict), verdict.replace("-", " "))
    yield f"{shown}: {paint('bold', _sentence(report))} ({report.total.seconds:.2f} s)"
    if report.guilty is not None and verdict != "not-equivalent":
        yield from remark("note", _guilty(report, report.guilty), paint)
    left = len(report.passes) - len(report.steps)
    if left:
        yield from remark("note", f"{_count(left)} after it {'was' if left == 1 else 'were'} not run", paint)
    after = sum(not s.checked for s in report.steps)
    if after:
        last = next(k for k, s in enumerate(report.steps) if not s.checked) - 1
        why = next(f.unknown for f in report.steps[last].report.functions if f.unknown is not None)
        text = f"{_count(after)} after it ran and {'is' if after == 1 else 'are'} not checked: {why.text}"
        yield from remark("note", text, paint)
    if not report.saved and not all(_holds(report, s) for s in told):
        yield from remark("note", "--save-steps DIR writes the program before the first and after each pass", paint)
    yield from verdict_text.assumptions((f for s in report.steps for f in s.report.functions), paint)


def _sentence(report: PipelineReport) -> str:
    """The subject of the verdict: the first refuted pass, or the passes with the worst verdict."""
    if report.total.diagnostics:
        return report.total.diagnostics[0].message
    if all(_holds(report, s) for s in report.steps):
        return _count(len(report.steps)) if report.steps else "the pipeline has no passes"
    worst = [k for k, s in enumerate(report.steps) if s.checked and s.report.verdict == report.total.verdict]
    match report.total.verdict:
        case "not-equivalent":
            return _guilty(report, worst[0])
        case "error":
            remark = "cannot be checked" if report.steps[worst[0]].ran else "failed"
            return f"{_ordinal(report, worst[0])}, {remark}"
        case _:
            named = ", ".join(f"{k + 1} ({report.steps[k].executed})" for k in worst)
            verb = "is" if len(worst) == 1 else "are"
            remark = "not proved" if report.total.verdict == "unknown" else "proved one way only"
            return f"{len(worst)} of {_count(len(report.passes))} {verb} {remark}: {named}"


def _guilty(report: PipelineReport, step: int) -> str:
    functions = [f.title for f in report.steps[step].report.functions if f.verdict == "not-equivalent"]
    return f"{_ordinal(report, step)}, changes what {' and '.join(functions)} does"


def _ordinal(report: PipelineReport, step: int) -> str:
    return f"pass {step + 1} of {len(report.passes)}, {report.steps[step].executed}"


def _count(passes: int) -> str:
    return counted(passes, "pass", "passes")
