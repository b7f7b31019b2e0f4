"""The verb `hecv report DIR`: its options, and the call of `hecv.toolchain.run_summary`."""

from __future__ import annotations

import argparse
import sys

from hecv.base.diagnostics import InputError
from hecv.cli.terminal import colored, rejected_input

EXITS = "exit status: 0 nothing was refuted; 1 a function was; 2 bad input"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", metavar="DIR", help="the folder that HECV_REPORT_DIR named")
    add("--format", choices=("text", "json", "junit"), default="text")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv report DIR`"""
    from hecv.report.text_lines import Painter
    from hecv.toolchain.run_summary import is_refuted, read_records, render_json, render_junit, render_text

    try:
        records = read_records(options.folder)
    except InputError as problem:
        return rejected_input(problem, options.format)
    match options.format:
        case "json":
            answer = render_json(options.folder, records)
        case "junit":
            answer = render_junit(records)
        case _:
            answer = render_text(options.folder, records, Painter(colored(sys.stdout)))
    sys.stdout.write(answer)
    return 1 if is_refuted(records) else 0
