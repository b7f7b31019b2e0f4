"""The formats of answers: one table, from the name of a format to what writes an answer of any kind in it.

A kind of answer has two modules, `<kind>_text.py` and `<kind>_json.py`, and its findings (`findings.py`), of which the
formats for other tools are made. All are loaded when they are needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic

if TYPE_CHECKING:
    from hecv.book import Entry
    from hecv.claim.result import Report
    from hecv.laws.audit.law_audit import RuleAudit

Kind = Literal["verdict", "pipeline", "rewrite", "rules"]


class Checked(Struct, frozen=True):
    """A `verdict`, the answer of `hecv check` and `hecv models`: the report, the texts that its locations refer to, and
    the two files."""

    report: Report
    texts: Mapping[str, str]
    files: tuple[str, str] | None = None


class Rules(Struct, frozen=True):
    """The answer of `hecv rules`: entries of the book or of a file, a line each or with `all` that is known of them, or
    their audits."""

    entries: Sequence[Entry | RuleAudit]
    problems: Sequence[Diagnostic] = ()
    texts: Mapping[str, str] = {}
    shown: Literal["lines", "all", "audits"] = "lines"


class Page(Struct, frozen=True):
    """What an answer is written for: the versions that it names, whether stdout and stderr show colours, and whether
    details are wanted."""

    versions: Callable[[], dict[str, str]]
    colors: tuple[bool, bool] = (False, False)
    verbose: bool = False


class Written(Struct, frozen=True):
    """What goes to stdout and to stderr."""

    out: str
    err: str = ""


def _text(kind: Kind, given: Any, page: Page) -> Written:
    from hecv.report.text_lines import Painter

    module = import_module(f"hecv.report.{kind}_text")
    return Written(*module.answer(given, *map(Painter, page.colors), page.verbose))


def _json(kind: Kind, given: Any, page: Page) -> Written:
    module = import_module(f"hecv.report.{kind}_json")
    return _object(module.answer(given, page.versions()))


def _sarif(kind: Kind, given: Any, page: Page) -> Written:
    from hecv.report import findings, sarif

    return _object(sarif.to_json(findings.of(kind, given), page.versions()["hecv"]))


def _junit(kind: Kind, given: Any, page: Page) -> Written:
    from hecv.report import findings, junit

    return Written(junit.to_xml(findings.of(kind, given)))


def _object(data: dict[str, Any]) -> Written:
    return Written(json.dumps(data, indent=1, allow_nan=False) + "\n")


FORMATS: Final[Mapping[str, Callable[[Kind, Any, Page], Written]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "junit": _junit,
}
"""What writes an answer, by the name of its format."""
