"""Results as JUnit XML, which services for continuous integration read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Outcome = Literal["passed", "failure", "error", "skipped"]


class Case(Struct, frozen=True):
    """One result: `group` is where it belongs, `message` one line about an outcome that is not `passed`."""

    group: str
    name: str
    outcome: Outcome = "passed"
    message: str = ""
    text: str = ""
    seconds: float = 0.0


def render(suite: str, cases: Sequence[Case]) -> str:
    """The cases as one test suite."""
    counts = {kind: sum(c.outcome == kind for c in cases) for kind in ("failure", "error", "skipped")}
    head = (
        f"<testsuite name={_quoted(suite)} tests='{len(cases)}' failures='{counts['failure']}' "
        f"errors='{counts['error']}' skipped='{counts['skipped']}' time='{sum(c.seconds for c in cases):.3f}'>"
    )
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", head, *map(_case, cases), "</testsuite>"]
    return "\n".join(lines) + "\n"


def _case(case: Case) -> str:
    head = f"<testcase classname={_quoted(case.group)} name={_quoted(case.name)} time='{case.seconds:.3f}'"
    if case.outcome == "passed":
        return f"  {head}/>"
    inner = f"<{case.outcome} message={_quoted(case.message)}>{escape(_allowed(case.text))}</{case.outcome}>"
    return f"  {head}>{inner}</testcase>"


def _quoted(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    """The text, with escapes for characters that XML excludes."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
