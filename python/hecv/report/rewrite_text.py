"""Report of `hecv rewrite` as text: one line a rule or matched part, the check of the result, where it was written."""

from __future__ import annotations

from collections.abc import Iterator

from hecv.base.diagnostics import counted
from hecv.report import verdict_text
from hecv.report.text_lines import Painter, diagnostics_text, visible
from hecv.report.verdict_text import verdict_color
from hecv.rewriting import Found, RewriteReport


def answer(given: RewriteReport, out: Painter, err: Painter, verbose: bool) -> tuple[str, str]:
    """What was rewritten and what the check says; and what could not be read, rewritten or written, or stays as it
    was."""
    told = diagnostics_text((*given.total.diagnostics, *given.notes), given.texts, err)
    if given.text is None and not given.total.functions:
        return "", told
    return "".join(visible(f"{line}\n", "\n") for line in _lines(given, out, verbose)), told


def _lines(report: RewriteReport, paint: Painter, verbose: bool) -> Iterator[str]:
    if report.pattern is not None:
        yield from _parts(report, report.pattern)
    else:
        yield from _rules(report)
    if report.total.functions:
        yield verdict_text.render(report.total, report.texts, paint, verbose).rstrip("\n")
    else:
        nothing = "nothing that others can call was changed" if report.uses else "nothing was changed"
        changed = "nothing else was changed" if report.introduced else nothing
        yield f"{paint(verdict_color(report.total.verdict), report.total.verdict)}: {changed}"
    if report.written is not None:
        yield f"wrote {report.written}"


def _rules(report: RewriteReport) -> Iterator[str]:
    if not report.uses:
        yield "no rule applied"
    for name, uses in report.uses.items():
        yield f"rule '{name}': {counted(uses, 'use')}"
    for name in report.introduced:
        yield f"{name} stands for what it replaced"


def _parts(report: RewriteReport, pattern: str) -> Iterator[str]:
    yield f"pattern '{pattern}': {counted(len(report.parts), 'part')}"
    for part in report.parts:
        yield from _part(part)


def _part(part: Found) -> Iterator[str]:
    operands = ", ".join(f"{name}: {kind}" for name, kind in part.operands)
    yield f"@{part.name}({operands}) -> {part.type}"
    for op in part.ops:
        yield f"  {op.name}" if op.location is None else f"  {op.name}  {op.location}"
