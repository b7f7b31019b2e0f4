"""The verb `hecv wrap -- TOOL ARGUMENTS`: its options, and the call of `hecv.toolchain.tool_run`."""

from __future__ import annotations

import argparse

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.cli.options import positive
from hecv.cli.terminal import rejected_input

EXITS = (
    "exit status: the tool's; 1 if HECV_FAIL=1 and the run is refuted; 127 if there is no such tool. "
    "HECV_REPORT_DIR names the folder for a report of each run, HECV_TIME_LIMIT seconds for a run"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--time-limit", metavar="S", type=positive(float), help="seconds for the validation (default: 20)")
    add("--beside", help=argparse.SUPPRESS)  # a server validates the run of another process
    add("command", metavar="-- TOOL ARGUMENTS", nargs=argparse.REMAINDER, help="a command like that of mlir-opt")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv wrap -- TOOL ARGUMENTS`"""
    from hecv.toolchain.tool_run import LIMIT, run, settings_of
    from hecv.toolchain.validating_child import validate_beside

    if options.beside is not None:
        validate_beside(options.beside or None)
        return 0
    command = options.command[options.command[:1] == ["--"] :]
    try:
        if not command:
            hint = "name it: hecv wrap -- mlir-opt FILE --cse"
            raise InputError(Diagnostic("error", "usage", "there is no command to run", help=hint))
        settings = settings_of(options.time_limit)
    except InputError as problem:
        return rejected_input(problem, "text")
    except ValueError as problem:
        message = f"{LIMIT} is not a positive number: {problem}"
        return rejected_input(InputError(Diagnostic("error", "usage", message, help="give seconds, as 20")), "text")
    return run(command, settings)
