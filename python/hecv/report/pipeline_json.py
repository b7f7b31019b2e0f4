"""Report of `hecv opt` as JSON, schema `hecv.pipeline/1`: one object, errors included; keys are only ever added."""

from __future__ import annotations

from typing import Any, Final

from hecv.pipeline import PipelineReport, Step
from hecv.report.verdict_json import diagnostic_json, function_json

SCHEMA: Final = "hecv.pipeline/1"


def answer(report: PipelineReport, versions: dict[str, str]) -> dict[str, Any]:
    """The report as plain data."""
    total = report.total
    return {
        "schema": SCHEMA,
        "verdict": total.verdict,
        "relation": total.relation,
        "seconds": round(total.seconds, 4),
        "seed": total.seed,
        "versions": versions,
        "diagnostics": [diagnostic_json(d) for d in total.diagnostics],
        "pipeline": report.pipeline,
        "guilty": report.guilty,
        "not_run": [one.pipeline for one in report.passes[len(report.steps) :]],
        "steps": [_step(s) for s in report.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    one = step.executed
    return {
        "pass": one.name,
        "options": one.options or None,
        "anchor": one.anchors[-1],
        "pipeline": one.pipeline,
        "verdict": step.report.verdict,
        "seconds": round(step.report.seconds, 4),
        "ran": step.ran,
        "changed": step.changed,
        "source": step.files[0],
        "target": step.files[1],
        "unchanged": [title.removeprefix("@") for title in step.unchanged],
        "functions": [function_json(f) for f in step.report.functions],
        "diagnostics": [diagnostic_json(d) for d in step.report.diagnostics],
        "checked": step.checked,
    }
