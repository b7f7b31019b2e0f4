"""Answers as JUnit XML, for what counts tests: one test case for each function of a pair or a pass, or for each law.

A refuted function is a `failure`, an unknown one an `error`, as is bad input; what was not run is `skipped`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hecv.report.findings import Finding, Findings
from hecv.report.text_lines import visible

FAILURES: Final = ("not-equivalent", "failed", "refines")
"""What is decided, and is not what has to hold: that a target refines its source only where more is asked."""


def to_xml(found: Findings) -> str:
    """The findings as one `testsuites` element, a suite for each group."""
    cases = [f for f in found.all if f.subject is not None or f.level == "error"]
    root = Element("testsuites", {"name": "hecv", **_counts(cases, found.seconds)})
    for group in dict.fromkeys(f.group for f in cases):
        inside = [f for f in cases if f.group == group]
        seconds = sum(f.seconds for f in inside)
        suite = SubElement(root, "testsuite", {"name": visible(group), **_counts(inside, seconds)})
        for case in inside:
            _add(suite, case)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _counts(cases: Sequence[Finding], seconds: float) -> dict[str, str]:
    tags = [_tag(case) for case in cases]
    counted = {f"{tag}s" if tag != "skipped" else tag: str(tags.count(tag)) for tag in ("failure", "error", "skipped")}
    return {"tests": str(len(cases)), **counted, "time": f"{seconds:.3f}"}


def _tag(case: Finding) -> str | None:
    """The element that says how a case ended, None where it holds."""
    if case.level == "none":
        return None
    if case.level == "note":
        return "skipped"
    return "failure" if case.rule in FAILURES else "error"


def _add(suite: Element, case: Finding) -> None:
    place = {} if case.place is None else {"file": visible(case.place.file), "line": str(case.place.line)}
    name = case.subject or case.rule
    named = {"classname": visible(case.group), "name": visible(name), "time": f"{case.seconds:.3f}"}
    element = SubElement(suite, "testcase", {**named, **place})
    tag = _tag(case)
    if tag is not None:
        first, _, rest = case.text.partition("\n")
        end = SubElement(element, tag, {"type": case.rule, "message": first})
        end.text = rest or None
