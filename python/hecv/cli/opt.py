"""The verb `hecv opt FILE --pass-pipeline=P`: its options, and the call of `hecv.pipeline`."""

from __future__ import annotations

import argparse

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.cli.options import decision_options, settings_of, split_option, with_rules
from hecv.cli.terminal import clear_progress, print_answer, show


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the program, MLIR text; - is standard input")
    add(
        "--pass-pipeline",
        metavar="P",
        required=True,
        help="as mlir-opt takes it; passes outside of builtin.module(...) are put where they run",
    )
    add("--tool", metavar="TOOL", help="run the passes by mlir-opt, NAME=PATH or a path (default: by the bindings)")
    add("-o", dest="output", metavar="OUT", help="write the final program here, when all passes ran")
    add("--save-steps", metavar="DIR", help="write the program before the first and after each pass here")
    split_option(parser)
    decision_options(parser)
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv opt FILE --pass-pipeline=P`"""
    from hecv.claim.result import exit_code
    from hecv.mlir.importer import read_text
    from hecv.mlir.module.source_text import require_writable
    from hecv.mlir.passes.mlir_opt import find_tool
    from hecv.mlir.passes.python_bindings import Bindings
    from hecv.pipeline import rejected, run_pipeline, written

    settings = replace(settings_of(options), split=options.split_input_file)
    try:
        if options.output == "-":
            hint = "name a file: standard output has the report"
            raise InputError(Diagnostic("error", "usage", "-o takes the name of a file", help=hint))
        runner = Bindings() if options.tool is None else find_tool(options.tool)
        text = read_text(options.file)
        settings, rules = with_rules(settings, options)
        if options.output is not None:
            require_writable(options.output)
        report = run_pipeline(
            text, options.file, options.pass_pipeline, runner, settings, options.save_steps, _show_step
        )
        report = replace(report, texts={**report.texts, **rules})
        clear_progress(report.total.seconds)
    except InputError as problem:
        report = rejected(problem.diagnostics, options.pass_pipeline, settings)
    if options.output is not None:
        report = written(report, options.output)
    print_answer("pipeline", report, options.format, options.verbose)
    return exit_code(report.total)


def _show_step(step: str, name: str, stage: str, seconds: float) -> None:
    """Shows on a terminal what takes longer than two seconds, with the current pass."""
    where = f"{step}: @{name}" if name else step
    show(f"{where}: {stage}, {seconds:.0f} s", seconds)
