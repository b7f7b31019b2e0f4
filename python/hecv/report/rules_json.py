"""Report of `hecv rules` as JSON, schema `hecv.rules/1`: one object, errors included; keys are only ever added."""

from __future__ import annotations

from typing import Any, Final

from hecv.book import Entry
from hecv.laws.audit.law_audit import RuleAudit, TypeAudit
from hecv.report.formats import Rules
from hecv.report.verdict_json import diagnostic_json

SCHEMA: Final = "hecv.rules/1"


def answer(given: Rules, versions: dict[str, str]) -> dict[str, Any]:
    """The rules or audits as plain data."""
    return {
        "schema": SCHEMA,
        "versions": versions,
        "diagnostics": [diagnostic_json(d) for d in given.problems],
        "rules": [_audit(r) if isinstance(r, RuleAudit) else _entry(r) for r in given.entries],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "place": entry.place,
        "text": list(entry.lines),
        "proved": entry.proved,
    }


def _audit(found: RuleAudit) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind,
        "audit": found.audit,
        "widths": list(found.widths),
        "place": found.place,
        "seconds": round(found.seconds, 4),
        "types": [_type(t) for t in found.types],
    }


def _type(found: TypeAudit) -> dict[str, Any]:
    model = found.audit.model
    return {
        "types": list(found.types),
        "audit": found.audit.result,
        "how": found.audit.how or None,
        "counterexample": None if model is None else {name: _value(value) for name, value in model.items()},
        "reason": found.audit.reason or None,
    }


def _value(value: float | bool | str) -> float | bool | str:
    """A number, or its text where JSON has no such number."""
    finite = not isinstance(value, float) or value - value == 0
    return value if finite and not (isinstance(value, int) and abs(value) > 2**53) else str(value)
