"""The verbs `hecv rules [NAME...]` and `hecv explain NAME`: list, show and audit rules; explain a rule or operator."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from hecv.base.diagnostics import InputError
from hecv.cli.options import positive
from hecv.cli.terminal import USAGE, clear_progress, colored, print_answer, rejected_input, show
from hecv.report.formats import FORMATS, Rules

EXITS: Final = "exit status: 0; 1 when a law failed its audit; 2 bad input; 4 a bug of hecv"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("names", metavar="NAME", nargs="*", help="show these (default: list all)")
    add(
        "--rules", metavar="R.py", action="append", default=[], help="the rules of this file, not the book (repeatable)"
    )
    add("--audit", action="store_true", help="prove or refute each")
    add("--widths", metavar="N,N", type=_widths, default=None, help="audit at these (default: 1,2,4,8,16,32,64)")
    add("--time-limit", metavar="S", type=positive(float), default=5.0, help="seconds a question (default: 5)")
    add("--format", choices=tuple(FORMATS), default="text", help="of the answer (default: text)")
    parser.set_defaults(verb=run)


def _widths(text: str) -> tuple[int, ...]:
    found = tuple(int(part) for part in text.split(","))
    if not all(0 < width <= 128 for width in found):
        raise argparse.ArgumentTypeError(f"{text} are not widths from 1 to 128")
    return tuple(dict.fromkeys(found))


_widths.__name__ = "list of widths"


def run(options: argparse.Namespace) -> int:
    """`hecv rules [NAME...]`"""
    from hecv.book import book, chosen, of_file
    from hecv.cli.rulefiles import load_rules

    try:
        files = load_rules(options.rules)
        entries = chosen([e for file in files for e in of_file(file)] if files else book(), options.names)
        if options.audit:
            return _audit(options, files, [entry.name for entry in entries])
    except InputError as problem:
        return _rejected_rules(problem, options)
    print_answer("rules", Rules(entries, shown="all" if options.names else "lines"), options.format)
    return 0


def _audit(options: argparse.Namespace, files: Sequence[Any], names: Sequence[str]) -> int:
    """Audits, and prints one line a rule as soon as it is known."""
    from hecv.book import audits_of_book, audits_of_files
    from hecv.laws.audit.law_audit import QUICK
    from hecv.report.rules_text import render_audit
    from hecv.report.text_lines import Painter

    widths = options.widths or QUICK
    milliseconds = round(1000 * options.time_limit)
    audits = (
        audits_of_files(files, names, widths, milliseconds) if files else audits_of_book(names, widths, milliseconds)
    )
    paint = Painter(colored(sys.stdout))
    found: list[Any] = []
    started = time.monotonic()
    for audit in audits:
        found.append(audit)
        if options.format == "text":
            sys.stdout.write(render_audit(audit, paint))
            sys.stdout.flush()
        else:
            show(f"{audit.name}: {audit.audit}", time.monotonic() - started)
    clear_progress(time.monotonic() - started)
    print_answer("rules", Rules(found, shown="audits"), options.format)
    return 1 if any(audit.audit == "failed" for audit in found) else 0


def _rejected_rules(problem: InputError, options: argparse.Namespace) -> int:
    from hecv.mlir.importer import read_text

    there = {d.location.file for d in problem.diagnostics if d.location is not None and os.path.exists(d.location.file)}
    print_answer("rules", Rules((), problem.diagnostics, {path: read_text(path) for path in there}), options.format)
    return USAGE


def run_explain(options: argparse.Namespace) -> int:
    """`hecv explain NAME`"""
    from hecv.explain import explain

    try:
        sys.stdout.write(explain(options.name, options.options()))
    except InputError as problem:
        return rejected_input(problem, "text")
    return 0
