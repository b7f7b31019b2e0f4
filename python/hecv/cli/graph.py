"""The verb `hecv graph FILE`: prints the program graph as text, JSON or Graphviz."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from hecv.base.diagnostics import Diagnostic, InputError, Unsupported
from hecv.cli.terminal import USAGE, print_diagnostics, rejected_input

if TYPE_CHECKING:
    from hecv.base.term import TermPool
    from hecv.mlir.importer import ParsedModule
    from hecv.process.worker_pool import Stopped
    from hecv.program.tree import Function

UNKNOWN: Final = 3
SECONDS: Final = 60.0
MEGABYTES: Final = 8192
"""Memory limit for reading, the default of a check."""


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="MLIR text; - is standard input")
    add("--func", metavar="NAME", help="only this function")
    add("--format", choices=("text", "dot", "json"), default="text")
    add("--after", metavar="PASS", help="in the normal form that array dataflow reads, after this pass")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv graph FILE`"""
    from hecv.mlir.importer import functions, parse, read_text
    from hecv.process.worker_pool import Limits, run_apart

    try:
        module = parse(read_text(options.file), options.file)
        names = [f.name for f in functions(module)]
        if options.func is not None and options.func not in names:
            hint = "there are: " + ", ".join(f"@{n}" for n in names)
            message = f"{module.file} has no public function @{options.func}"
            raise InputError(Diagnostic("error", "missing-function", message, help=hint))
        if options.after is not None:
            _require_pass(options.after)
    except InputError as problem:
        return rejected_input(problem, _errors(options.format))
    chosen = [options.func] if options.func is not None else names
    # Some ops are read by passes of MLIR, which may crash.
    limits = Limits(SECONDS, MEGABYTES)
    outcome = run_apart(
        lambda stage: _drawn(module, chosen, options.after, options.format), limits, lambda stage, seconds: None
    )
    if isinstance(outcome, str):
        sys.stdout.write(outcome)
        return 0
    problem = _unread(outcome)
    print_diagnostics((problem,), _errors(options.format), {})
    return USAGE if problem.name == "system-error" else UNKNOWN


def _errors(form: str) -> str:
    """The format of an error where a graph is asked for in this one."""
    return "json" if form == "json" else "text"


def _require_pass(name: str) -> None:
    """Raises: InputError where no normal-form pass has the name."""
    from hecv.normal.passes import names

    if name not in names():
        hint = f"in their order: {', '.join(names())}"
        raise InputError(Diagnostic("error", "unknown-pass", f"there is no normal-form pass '{name}'", help=hint))


def _drawn(module: ParsedModule, names: Sequence[str], after: str | None, form: str) -> str | Diagnostic:
    """The graphs as text, or the first thing that has no meaning, or no normal form."""
    from hecv.base.term import TermPool
    from hecv.mlir.importer import read_alone
    from hecv.program.refusal import Refused

    pool = TermPool()
    try:
        read = [read_alone(module, name, pool) for name in names]
        return _graphs(read if after is None else [_normal(pool, function, after) for function in read], form)
    except Unsupported as problem:
        return Diagnostic("error", "unsupported-op", problem.text, problem.location)
    except Refused as problem:
        return Diagnostic("error", "no-normal-form", f"{problem.text} has no normal form")


def _normal(pool: TermPool, function: Function, after: str) -> Function:
    from hecv.dataflow.pair_model import normal_form  # isl takes a while to load

    return normal_form(pool, function, after)


def _unread(outcome: Diagnostic | Stopped) -> Diagnostic:
    """The diagnostic on a failed reading.

    Raises: RuntimeError on an internal failure.
    """
    if isinstance(outcome, Diagnostic):
        return outcome
    if outcome.reason == "exception":
        raise RuntimeError(outcome.text)
    return Diagnostic("error", outcome.reason, f"{outcome.text} while the file was read")


def _graphs(trees: Sequence[Any], form: str) -> str:
    if form == "text":
        from hecv.program.tree_printer import render
        from hecv.report.text_lines import visible

        return "\n".join(visible(render(tree), "\n") for tree in trees)
    from hecv.program.graph_export import SCHEMA, to_dot, to_json

    if form == "dot":
        return "".join(to_dot(tree).rstrip() + "\n" for tree in trees)
    return json.dumps({"schema": SCHEMA, "functions": [to_json(tree) for tree in trees]}, indent=1) + "\n"
