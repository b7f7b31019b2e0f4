"""The verb `hecv rewrite FILE --rules R.py`: its options, and the call of `hecv.rewriting`."""

from __future__ import annotations

import argparse

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.cli.options import decision_options, positive, settings_of, with_rules
from hecv.cli.terminal import clear_progress, print_answer, show_progress


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the program, MLIR text; - is standard input")
    add("--partition", metavar="PATTERN", help="make functions of the parts that match this pattern; apply no rules")
    add("-o", dest="output", metavar="OUT", help="write the result here, when it was validated")
    add("--unvalidated", action="store_true", help="write it also when it was not; the exit status stays")
    most = "stop after these (default: 10 for each op of the file, and not before 10,000)"
    add("--most-rewrites", metavar="N", type=positive(int), help=most)
    decision_options(parser, "rewrite by the rules of this file, and prove with them")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv rewrite FILE --rules R.py`"""
    from hecv.claim.result import exit_code
    from hecv.mlir.importer import read_text
    from hecv.mlir.module.source_text import require_writable
    from hecv.rewriting import Wanted, rejected, run_rewrite, written

    settings, path = settings_of(options), ", ".join(options.rules)
    try:
        _require_rewritable(options)
        settings, texts = with_rules(settings, options)
        wanted = Wanted(options.partition, options.most_rewrites)
        text = read_text(options.file)
        if options.output is not None:
            require_writable(options.output)
        report = run_rewrite(text, options.file, settings.strategy.rules[0], wanted, settings, show_progress)
        report = replace(report, texts={**report.texts, **texts})
        clear_progress(report.total.seconds)
    except InputError as problem:
        report = rejected(problem.diagnostics, path, settings)
    if options.output is not None:
        report = written(report, options.output, options.unvalidated)
    print_answer("rewrite", report, options.format, options.verbose)
    return exit_code(report.total)


def _require_rewritable(options: argparse.Namespace) -> None:
    """Raises: InputError if the options request nothing."""
    if len(options.rules) != 1:
        hint = "give one rule file: --rules R.py"
        raise InputError(Diagnostic("error", "usage", f"{len(options.rules)} rule files are given", help=hint))
    if options.output == "-":
        hint = "name a file: standard output has the report"
        raise InputError(Diagnostic("error", "usage", "-o takes the name of a file", help=hint))
