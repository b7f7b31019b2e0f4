"""Validates a run of a tool: what it wrote against what it read, function by function, and writes the report."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv import __version__
from hecv.base.diagnostics import InputError
from hecv.check import Options, check_modules, failed
from hecv.claim.result import WORST_FIRST, FunctionReport, Report
from hecv.mlir.importer import ParsedModule, Signature, functions, parse, parse_both, same_signature
from hecv.mlir.module.nested_modules import programs, qualified
from hecv.mlir.module.split_input import split_input
from hecv.mlir.module.unchanged_functions import unchanged
from hecv.report.text_lines import Painter
from hecv.report.verdict_json import diagnostic_json, function_json
from hecv.report.verdict_text import render
from hecv.toolchain.run_record import Run, unvalidated, write_record
from hecv.toolchain.validating_child import Answer

BYTECODE: Final = b"ML\xefR"
PROMPT: Final = 10.0
"""Seconds for the tool to list its options."""

SHORTEST: Final = 1.0
"""Seconds for a function, at least."""

GENEROUS: Final = 4.0
"""So many times its share of the time that is left may a chunk take: most take less than their share."""


class _NotValidated(Exception):
    """A run, or a chunk of one, that cannot be validated, and why: the kind of reason, and its details."""

    def __init__(self, reason: str, detail: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def validate(run: Run, folder: str | None) -> Answer:
    """Validates the run and writes the report to the folder, if one is given."""
    record, refuted = examined(run)
    if folder is not None:
        write_record(folder, run, record)
    return Answer(refuted)


def examined(run: Run) -> tuple[dict[str, Any], str]:
    """The report on a run that has ended, and the text about refuted functions, empty if there are none."""
    started = perf_counter()
    refuted = ""
    try:
        record, refuted = _validated(run)
    except _NotValidated as problem:
        record = unvalidated(run, problem.reason, problem.detail)
    record["seconds"] = round(perf_counter() - started, 4)
    return record, refuted


def _validated(run: Run) -> tuple[dict[str, Any], str]:
    """The report, and the text about refuted functions.

    Raises: _NotValidated.
    """
    texts = _text(run.source, "input"), _text(run.target, "output")
    if not texts[1].strip():
        raise _NotValidated("the tool printed nothing")
    _require_input(run)
    names = run.names if run.names[0] != run.names[1] else (run.names[0], f"{run.names[1]} (output)")
    record, reports, started = unvalidated(run, ""), list[FunctionReport](), perf_counter()
    problems: list[_NotValidated] = []
    chunks = _chunks(run, texts)
    for number, chunk in enumerate(chunks, 1):
        place = number if len(chunks) > 1 else None
        try:
            left = run.limit - (perf_counter() - started)
            compared = _compared(run, chunk, names, min(left, GENEROUS * left / (len(chunks) - number + 1)))
        except _NotValidated as problem:
            problems.append(problem)
            record["left_out"].append(_left_out(place, None, problem))
            continue
        record["identical"] += [{"chunk": place, "name": name} for name in compared.same]
        record["left_out"] += [_left_out(place, name, problem) for name, problem in compared.left_out]
        found = [replace(f, chunk=place) for f in compared.report.functions]
        record["functions"] += map(function_json, found)
        record["diagnostics"] += map(diagnostic_json, compared.report.diagnostics)
        reports += found
    if len(problems) == len(chunks):
        raise problems[0]
    verdicts = {f.verdict for f in reports}
    verdict = next((v for v in WORST_FIRST if v in verdicts), "equivalent")
    record |= {"validated": True, "reason": None, "verdict": verdict, "versions": {"hecv": __version__}}
    return record, _refuted(run, reports, dict(zip(names, texts, strict=True)))


class _Compared(Struct, frozen=True):
    """The comparison of one chunk: functions that are the same, those that are not compared, and the report on the
    others."""

    same: tuple[str, ...]
    left_out: tuple[tuple[str, _NotValidated], ...]
    report: Report


def _compared(run: Run, texts: tuple[str, str], names: tuple[str, str], limit: float) -> _Compared:
    """The comparison of a chunk that has so many seconds.

    Raises: _NotValidated.
    """
    modules = _modules(texts, names)
    if _nameless(modules[1]) > _nameless(modules[0]):
        raise _NotValidated("the output has more than one module")
    pairs, left_out = _pairs(*modules)
    if not pairs and not left_out:
        raise _NotValidated("no public function")
    alike = unchanged(*modules)
    same = tuple(name for name in pairs if name in alike)
    chosen = tuple(name for name in pairs if name not in alike)
    seconds = run.each or max(SHORTEST, limit / max(1, len(chosen)))
    options = Options(functions=chosen, seconds=seconds, jobs=1)
    report = check_modules(modules, options) if chosen else failed((), options)
    if report.verdict == "error" and not report.functions and chosen:
        raise _NotValidated("hecv does not accept the program", next((d.message for d in report.diagnostics), None))
    return _Compared(same, tuple(left_out), report)


def _pairs(source: ParsedModule, target: ParsedModule) -> tuple[list[str], list[tuple[str, _NotValidated]]]:
    """The functions that are compared, by name, and those of the source that are not; a single one on each side is
    compared whatever its name."""
    pairs, left_out, others = list[str](), list[tuple[str, _NotValidated]](), dict(programs(target))
    for path, program in programs(source):
        sources = functions(program)
        targets = list(functions(others[path])) if path in others else list[Signature]()
        by_name = {t.name: t for t in targets}
        if len(sources) == len(targets) == 1:
            by_name = {sources[0].name: targets[0]}
        for one in sources:
            name, other = qualified(path, one.name), by_name.get(one.name)
            if other is None:
                left_out.append((name, _NotValidated("the function is not public in the output")))
            elif not same_signature(one, other):
                detail = f"{one.type_text} becomes {other.type_text}"
                left_out.append((name, _NotValidated("the signature of the function changes", detail)))
            else:
                pairs.append(name)
    return pairs, left_out


def _modules(texts: tuple[str, str], names: tuple[str, str]) -> tuple[ParsedModule, ParsedModule]:
    """Raises: _NotValidated."""
    try:
        return parse_both(texts, names)
    except InputError as problem:
        found = problem
    try:
        parse(texts[0], names[0])
    except InputError as problem:
        raise _NotValidated("hecv cannot read the input", problem.diagnostics[0].message) from None
    raise _NotValidated("hecv cannot read the output", found.diagnostics[0].message)


def _nameless(module: ParsedModule) -> int:
    """How many modules without a name are in the module: what is printed before or after the result, if the result has
    more."""
    return sum(op.name == "builtin.module" and "sym_name" not in op.attributes for op in module.symbols.values())


def _text(data: bytes | None, role: str) -> str:
    """Raises: _NotValidated."""
    data = data or b""
    if data.startswith(BYTECODE):
        raise _NotValidated(f"the {role} is bytecode")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _NotValidated(f"the {role} is not text") from None


def _chunks(run: Run, texts: tuple[str, str]) -> list[tuple[str, str]]:
    """The programs of source and target.

    Raises: _NotValidated if they are not as many.
    """
    if run.split is None:
        return [texts]
    sources, targets = split_input(texts[0], run.split), split_input(texts[1], run.output_split)
    if len(sources) != len(targets):
        raise _NotValidated("the output has another number of chunks", f"{len(targets)}, expected {len(sources)}")
    return list(zip(sources, targets, strict=True))


def _require_input(run: Run) -> None:
    """Asks the tool whether the file that seems to be its input is the value of the option before it.

    Raises: _NotValidated if it is, or if the tool does not say.
    """
    if run.doubtful is None:
        return
    command = [run.program, "--help"]
    try:
        said = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROMPT, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        said = b""
    option = re.escape(run.doubtful.encode())
    found = re.search(rb"^ *--?" + option + rb"(=<|\s|$)", said, re.MULTILINE)
    if found is None or found[1] == b"=<":
        detail = f"{run.names[0]} may be the value of --{run.doubtful}"
        raise _NotValidated("the command does not tell its input", detail)


def _left_out(chunk: int | None, name: str | None, problem: _NotValidated) -> dict[str, Any]:
    return {"chunk": chunk, "name": name, "reason": problem.reason, "detail": problem.detail}


def _refuted(run: Run, reports: Sequence[FunctionReport], texts: dict[str, str]) -> str:
    """What is said of functions that the tool changed; empty if there are none."""
    found = tuple(f for f in reports if f.verdict == "not-equivalent")
    if not found:
        return ""
    told = render(replace(failed((), Options()), functions=found), texts, Painter(False), False)
    return f"hecv: refuted: {shlex.join(run.command)}\n{told}"
