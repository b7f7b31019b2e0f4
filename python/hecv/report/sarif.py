"""Answers as SARIF 2.1.0, for what annotates a change: one result for each function that does not hold.

What holds is no result, since code scanning shows every result as a problem; the run's properties list it. What has no
place in a file is a notification of the invocation, since a result without a place is refused there.

Cites: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, sections 3.13 to 3.58.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from hecv.base.diagnostics import Location
from hecv.glossary import NAMES
from hecv.report.findings import Finding, Findings

VERSION: Final = "2.1.0"
SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def to_json(found: Findings, version: str) -> dict[str, Any]:
    """The findings as one log with one run."""
    placed = [f for f in found.all if f.level != "none" and f.place is not None]
    others = [f for f in found.all if f.level != "none" and f.place is None]
    rules = sorted({f.rule for f in (*placed, *others)})
    run = {
        "tool": {"driver": {"name": "hecv", "version": version, "rules": [_rule(r) for r in rules]}},
        "invocations": [
            {
                "executionSuccessful": not found.failed,
                "toolExecutionNotifications": [_notification(f, rules.index(f.rule)) for f in others],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, rules.index(f.rule)) for f in placed],
        "properties": {"holds": [f"{f.subject} ({f.group})" for f in found.all if f.level == "none"]},
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    text = NAMES[name][0].text if name in NAMES else name
    return {"id": name, "shortDescription": {"text": text}, "help": {"text": f"`hecv explain {name}`"}}


def _result(found: Finding, rule: int) -> dict[str, Any]:
    assert found.place is not None
    place = _location(found.place)
    if found.subject is not None:
        place["logicalLocations"] = [{"name": found.subject.removeprefix("@"), "kind": "function"}]
    made: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": rule,
        "level": found.level,
        "message": {"text": found.text},
        "locations": [place],
        "properties": {"group": found.group},
    }
    if found.related:
        made["relatedLocations"] = [
            {"id": number, **_location(at), "message": {"text": text}}
            for number, (at, text) in enumerate(found.related)
        ]
    return made


def _notification(found: Finding, rule: int) -> dict[str, Any]:
    subject = "" if found.subject is None else f"{found.group}: "
    return {
        "descriptor": {"id": found.rule, "index": rule},
        "level": found.level,
        "message": {"text": f"{subject}{found.text}"},
    }


def _location(at: Location) -> dict[str, Any]:
    region = {"startLine": at.line, "startColumn": at.column}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(at.file)}, "region": region}}


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
