"""`hecv report`: sums up the reports of `hecv wrap` in a folder."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.claim.result import Verdict
from hecv.report import junit
from hecv.report.findings import Finding, Findings, Level
from hecv.report.text_lines import Painter, visible
from hecv.toolchain.run_record import SCHEMA

SUMMARY: Final = "hecv.summary/1"
MOST_REASONS: Final = 10
MOST_INPUTS: Final = 160
"""Characters of an input that are shown."""

_BYTE: Final = re.compile(r"\(byte (\d+)\)")
_LIMIT: Final = re.compile(r"the time limit of \S+ s")
"""What each function has for itself: the more functions of a run are changed, the less."""


class Named(Struct, frozen=True):
    """A function, in a chunk of its file if that has several."""

    name: str
    chunk: int | None = None

    def __str__(self) -> str:
        return f"@{self.name}" if self.chunk is None else f"chunk {self.chunk}: @{self.name}"


class LeftOut(Struct, frozen=True):
    """A function, or a whole chunk, that is not compared."""

    reason: str
    name: str | None = None
    chunk: int | None = None
    detail: str | None = None


class Why(Struct, frozen=True):
    """Why a function is neither proved nor refuted."""

    reason: str
    text: str


class Found(Struct, frozen=True):
    """A counterexample."""

    inputs: dict[str, Any]
    difference: str


class Checked(Named, frozen=True, kw_only=True):
    """A function with its verdict."""

    verdict: Verdict
    seconds: float = 0.0
    unknown: Why | None = None
    counterexample: Found | None = None


class Record(Struct, frozen=True, kw_only=True):
    """A report of `hecv wrap`, as far as it is summed up; `file` is its name."""

    schema: str
    command: tuple[str, ...]
    validated: bool
    directory: str = ""
    reason: str | None = None
    detail: str | None = None
    seconds: float = 0.0
    identical: tuple[Named, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    functions: tuple[Checked, ...] = ()
    file: str = ""

    def of(self, *verdicts: Verdict) -> list[Checked]:
        """The functions with one of these verdicts."""
        return [f for f in self.functions if f.verdict in verdicts]


def read_records(folder: str) -> tuple[Record, ...]:
    """The reports in a folder, by name of file.

    Raises: InputError if there is no such folder, or a report in it cannot be read.
    """
    if not Path(folder).is_dir():
        kind = "is a file" if Path(folder).exists() else "does not exist"
        hint = "name the folder that HECV_REPORT_DIR named"
        raise InputError(Diagnostic("error", "folder-not-found", f"the folder {folder} {kind}", help=hint))
    return tuple(_read(path) for path in sorted(Path(folder).glob("[!.]*.json")))


def _read(path: Path) -> Record:
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise InputError(_unreadable(path, (problem.strerror or str(problem)).lower())) from None
    try:
        record = msgspec.json.decode(data, type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        at = _BYTE.search(str(problem))
        before = data[: int(at[1])] if at else b""
        place = Location(str(path), before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        raise InputError(_unreadable(path, str(problem), place)) from None
    if record.schema != SCHEMA:
        place = Location(str(path), 1, 1)
        raise InputError(_unreadable(path, f"its schema is {record.schema}, expected {SCHEMA}", place))
    return msgspec.structs.replace(record, file=path.name)


def _unreadable(path: Path, why: str, place: Location | None = None) -> Diagnostic:
    hint = "a folder for reports has nothing but what `hecv wrap` writes: move the file, or run the tool again"
    return Diagnostic("error", "report-unreadable", f"{path} is no report: {why}", place, hint)


def is_refuted(records: Sequence[Record]) -> bool:
    """True if a function of any run is refuted."""
    return any(r.of("not-equivalent") for r in records)


def reasons(records: Sequence[Record]) -> list[tuple[str, int]]:
    """Why runs, chunks and functions are not decided, the commonest reason first."""
    return sorted(Counter(_reasons(records)).items(), key=lambda found: (-found[1], found[0]))


def _reasons(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        if not record.validated:
            yield f"run: {record.reason or 'no reason given'}"
        for left in record.left_out:
            yield f"{'chunk' if left.name is None else 'function'}: {left.reason}"
        for function in record.of("unknown", "error"):
            why = function.unknown
            yield (
                f"function: {why.reason}: {_LIMIT.sub('the time limit', why.text)}" if why else "function: hecv failed"
            )


def _counts(records: Sequence[Record]) -> dict[str, int]:
    """The functions of all runs, by what became of them."""
    return {
        "validated": sum(len(r.of("equivalent", "refines")) for r in records),
        "identical": sum(len(r.identical) for r in records),
        "refuted": sum(len(r.of("not-equivalent")) for r in records),
        "unknown": sum(len(r.of("unknown", "error")) for r in records),
        "left out": sum(left.name is not None for r in records for left in r.left_out),
    }


def render_text(folder: str, records: Sequence[Record], paint: Painter) -> str:
    """The summary as text."""
    return "".join(f"{visible(line)}\n" for line in _lines(folder, records, paint))


def _lines(folder: str, records: Sequence[Record], paint: Painter) -> Iterator[str]:
    for record in records:
        for function in record.of("not-equivalent"):
            yield f"{paint('red', 'refuted')}: {paint('bold', str(function))} by {shlex.join(record.command)}"
            if function.counterexample is not None:
                yield f"  input    {_input(function.counterexample)}"
                yield f"  {function.counterexample.difference}"
            yield f"   {paint('cyan', '= note:')} run in {record.directory}, report {Path(folder, record.file)}"
    validated = sum(r.validated for r in records)
    if not records:
        yield f"no reports in {folder}: name it in HECV_REPORT_DIR, and run tools by `hecv wrap`"
    runs = "run" if len(records) == 1 else "runs"
    yield f"{len(records):,} {runs}: {validated:,} validated, {len(records) - validated:,} not"
    counts = _counts(records)
    functions = "function" if sum(counts.values()) == 1 else "functions"
    yield f"{sum(counts.values()):,} {functions}: " + ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
    found = reasons(records)
    if found:
        yield "not decided, the commonest reasons:"
        width = len(f"{found[0][1]:,}")
        yield from (f"  {count:{width},}  {reason}" for reason, count in found[:MOST_REASONS])
        if len(found) > MOST_REASONS:
            yield f"  {len(found) - MOST_REASONS:,} more reasons: --format json has all of them"


def _input(found: Found) -> str:
    text = ", ".join(f"{name} = {json.dumps(value)}" for name, value in found.inputs.items()) or "none"
    return text if len(text) <= MOST_INPUTS else f"{text[: MOST_INPUTS - 3]}..."


def render_json(folder: str, records: Sequence[Record]) -> str:
    """The summary as one JSON object."""
    validated = sum(r.validated for r in records)
    counts = {kind.replace(" ", "_"): count for kind, count in _counts(records).items()}
    summary = {
        "schema": SUMMARY,
        "folder": folder,
        "runs": {"total": len(records), "validated": validated, "not_validated": len(records) - validated},
        "functions": {"total": sum(counts.values()), **counts},
        "seconds": round(sum(r.seconds for r in records), 4),
        "reasons": [{"count": count, "reason": reason} for reason, count in reasons(records)],
        "refuted": [_refuted(r, f) for r in records for f in r.of("not-equivalent")],
        "diagnostics": [],
    }
    return json.dumps(summary, indent=1) + "\n"


def _refuted(record: Record, function: Checked) -> dict[str, Any]:
    found = function.counterexample
    return {
        "function": function.name,
        "chunk": function.chunk,
        "command": list(record.command),
        "directory": record.directory,
        "report": record.file,
        "inputs": found and found.inputs,
        "difference": found and found.difference,
    }


def render_junit(records: Sequence[Record]) -> str:
    """The summary as JUnit XML: a case a function, and a skipped one for a run that is not validated."""
    found = tuple(finding for record in records for finding in _findings(record))
    return junit.to_xml(Findings(found, sum(r.seconds for r in records)))


def _findings(record: Record) -> Iterator[Finding]:
    command = shlex.join(record.command)
    if not record.validated:
        yield Finding("not-run", "note", "run", command, _told(record.reason, record.detail))
    for named in record.identical:
        yield Finding("equivalent", "none", str(named), command, "")
    for left in record.left_out:
        name = f"chunk {left.chunk}" if left.name is None else str(Named(left.name, left.chunk))
        yield Finding("not-run", "note", name, command, _told(left.reason, left.detail))
    for function in record.functions:
        found, why, text = function.counterexample, function.unknown, ""
        match function.verdict:
            case "not-equivalent":
                level: Level = "error"
                text = _told("not equivalent", f"input {_input(found)}\n{found.difference}" if found else None)
            case "unknown":  # the tool ran well, and nothing speaks against what it did
                level = "note"
                text = _told("unknown", f"{why.reason}: {why.text}" if why else None)
            case "error":
                level, text = "error", "hecv failed"
            case _:
                level = "none"
        yield Finding(function.verdict, level, str(function), command, text, function.seconds)


def _told(reason: str | None, detail: str | None) -> str:
    return visible("\n".join(filter(None, (reason, detail))), "\n")
