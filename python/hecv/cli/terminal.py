"""Output that all verbs share: reports to stdout, diagnostics and progress to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from hecv import __version__
from hecv.base.diagnostics import Diagnostic, InputError
from hecv.report.formats import FORMATS, Checked, Kind, Page

PROGRESS_AFTER: Final = 2.0
INTERNAL: Final = 4
USAGE: Final = 2


def print_answer(kind: Kind, answer: Any, form: str, verbose: bool = False) -> None:
    """Writes an answer in a format of `hecv.report.formats`: its diagnostics to stderr, the rest to stdout."""
    page = Page(versions, (colored(sys.stdout), colored(sys.stderr)), verbose)
    written = FORMATS[form](kind, answer, page)
    sys.stderr.write(written.err)
    sys.stdout.write(written.out)


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


def format_of(given: Sequence[str]) -> str:
    """The format that a command line asks for which could not be parsed."""
    wanted = (form for one, form in pairwise(("", *given, "")) if one == "--format")
    written = (word.removeprefix("--format=") for word in given if word.startswith("--format="))
    return next((form for form in (*wanted, *written) if form in FORMATS), "text")


def rejected_input(problem: InputError, form: str) -> int:
    print_diagnostics(problem.diagnostics, form, {})
    return USAGE


def internal(given: Sequence[str], trace: str) -> int:
    last = trace.rstrip().rsplit("\n", 1)[-1]
    hint = f"this is a bug of hecv: please report it with the input and this\n{trace.rstrip()}"
    diagnostic = Diagnostic("error", "internal-error", last, help=hint)
    print_diagnostics((diagnostic,), format_of(given), {}, internal=True)
    return INTERNAL


def print_diagnostics(
    diagnostics: tuple[Diagnostic, ...], form: str, texts: dict[str, str], internal: bool = False
) -> None:
    from hecv.claim.result import Report

    report = Report("error", "refines", 0.0, 0, diagnostics, internal=internal)
    print_answer("verdict", Checked(report, texts), form)


def versions() -> dict[str, str]:
    """The versions of the packages that a verdict depends on."""
    return {"hecv": __version__, "mlir": version_of("torch-mlir") or "missing", "isl": version_of("islpy") or "missing"}


def version_of(package: str) -> str | None:
    from importlib import metadata  # 15 ms, and a text says nothing of versions

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
