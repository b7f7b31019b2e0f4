"""Output that all verbs share: reports to stdout, diagnostics and progress to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from hecv import __version__
from hecv.base.diagnostics import Diagnostic, InputError

PROGRESS_AFTER: Final = 2.0
INTERNAL: Final = 4
USAGE: Final = 2


def print_report(report: Any, texts: dict[str, str], form: str, verbose: bool) -> None:
    if form == "json":
        from hecv.report import verdict_json as as_json

        sys.stdout.write(as_json.render(report, versions()))
        return
    from hecv.report import verdict_text

    sys.stderr.write(
        verdict_text.render_diagnostics(report.diagnostics, texts, verdict_text.Painter(colored(sys.stderr)))
    )
    sys.stdout.write(verdict_text.render(report, texts, verdict_text.Painter(colored(sys.stdout)), verbose))


def colored(stream: Any) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR")


def show_progress(name: str, stage: str, seconds: float) -> None:
    """Shows on a terminal what takes longer than two seconds."""
    show(f"@{name}: {stage}, {seconds:.0f} s", seconds)


def show(line: str, seconds: float) -> None:
    if seconds > PROGRESS_AFTER and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}\r")
        sys.stderr.flush()


def clear_progress(seconds: float) -> None:
    if seconds > PROGRESS_AFTER and sys.stderr.isatty():
        sys.stderr.write("\x1b[K")


def wants_json(given: Sequence[str]) -> bool:
    """True if a command line that could not be parsed asks for JSON."""
    return "--format=json" in given or ("--format", "json") in pairwise(given)


def rejected_input(problem: InputError, as_json: bool) -> int:
    print_diagnostics(problem.diagnostics, as_json, {})
    return USAGE


def internal(given: Sequence[str], trace: str) -> int:
    last = trace.rstrip().rsplit("\n", 1)[-1]
    hint = f"this is a bug of hecv: please report it with the input and this\n{trace.rstrip()}"
    diagnostic = Diagnostic("error", "internal-error", last, help=hint)
    print_diagnostics((diagnostic,), wants_json(given), {}, internal=True)
    return INTERNAL


def print_diagnostics(
    diagnostics: tuple[Diagnostic, ...], as_json: bool, texts: dict[str, str], internal: bool = False
) -> None:
    from hecv.claim.result import Report

    report = Report("error", "refines", 0.0, 0, diagnostics, internal=internal)
    print_report(report, texts, "json" if as_json else "text", False)


def versions() -> dict[str, str]:
    """The versions of the packages that a verdict depends on."""
    return {"hecv": __version__, "mlir": version_of("torch-mlir") or "missing", "isl": version_of("islpy") or "missing"}


def version_of(package: str) -> str | None:
    from importlib import metadata  # 15 ms, and a text says nothing of versions

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
