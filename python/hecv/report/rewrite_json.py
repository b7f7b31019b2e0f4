"""Report of `hecv rewrite` as JSON, schema `hecv.rewrite/1`: one object, errors included; keys are only ever added."""

from __future__ import annotations

from typing import Any, Final

from hecv.report.verdict_json import diagnostic_json, function_json
from hecv.rewriting import Found, RewriteReport

SCHEMA: Final = "hecv.rewrite/1"


def answer(report: RewriteReport, versions: dict[str, str]) -> dict[str, Any]:
    """The report as plain data."""
    total = report.total
    return {
        "schema": SCHEMA,
        "verdict": total.verdict,
        "relation": total.relation,
        "seconds": round(total.seconds, 4),
        "seed": total.seed,
        "versions": versions,
        "diagnostics": [diagnostic_json(d) for d in (*total.diagnostics, *report.notes)],
        "rules": report.rules,
        "applied": [{"name": name, "uses": uses} for name, uses in report.uses.items()],
        "introduced": list(report.introduced),
        "written": report.written,
        "partition": None if report.pattern is None else _partition(report),
        "functions": [function_json(f) for f in total.functions],
    }


def _partition(report: RewriteReport) -> dict[str, Any]:
    return {"pattern": report.pattern, "parts": [_part(p) for p in report.parts]}


def _part(part: Found) -> dict[str, Any]:
    return {
        "name": part.name,
        "operands": [{"name": name, "type": kind} for name, kind in part.operands],
        "type": part.type,
        "ops": [{"op": o.name, "location": None if o.location is None else str(o.location)} for o in part.ops],
    }
