"""The verb `hecv lit DIR`: its options, and the call of `hecv.toolchain.directive_suite`."""

from __future__ import annotations

import argparse
import os
import sys
from time import perf_counter
from typing import Any

from hecv.base.diagnostics import InputError
from hecv.cli.options import Parser, decision_options, positive, settings_of, split_option, with_rules
from hecv.cli.terminal import clear_progress, colored, rejected_input, show

EXITS = "exit status: 0 all directives hold; 1 one does not; 2 a directive is malformed, or bad input"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("place", metavar="DIR", help="a folder, or one file, with directives: // HECV: equivalent")
    add("--jobs", metavar="N", type=positive(int), help="directives at a time (default: one a core)")
    add("--format", choices=("text", "json", "junit"), default="text")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv lit DIR`"""
    from hecv.report.text_lines import Painter
    from hecv.toolchain.directive_suite import failed, render_json, render_junit, render_text, run_pairs
    from hecv.toolchain.directives import pairs_in

    started = perf_counter()
    try:
        pairs = pairs_in(options.place, _read)
    except InputError as problem:
        return rejected_input(problem, options.format)
    results = run_pairs(pairs, options.jobs or len(os.sched_getaffinity(0)), _show)
    seconds = perf_counter() - started
    clear_progress(seconds)
    match options.format:
        case "json":
            answer = render_json(results, seconds)
        case "junit":
            answer = render_junit(results, seconds)
        case _:
            answer = render_text(results, seconds, Painter(colored(sys.stdout)))
    sys.stdout.write(answer)
    return 1 if failed(results) else 0


def _read(given: list[str]) -> Any:
    """The options of `hecv check` in a directive.

    Raises: InputError.
    """
    parser = Parser(prog="hecv check", add_help=False)
    split_option(parser)
    decision_options(parser)
    options = parser.parse_args(given)
    return with_rules(settings_of(options), options)[0]


def _show(total: int, number: int, seconds: float) -> None:
    show(f"directive {number} of {total}, {seconds:.0f} s", seconds)
