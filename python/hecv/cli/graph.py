"""`hecv graph FILE`"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, Final

from hecv.base.diag import Diagnostic, InputError, Unsupported
from hecv.cli.terminal import print_diagnostics, rejected_input

UNKNOWN: Final = 3


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="MLIR text; - is standard input")
    add("--func", metavar="NAME", help="only this function")
    add("--format", choices=("text", "dot", "json"), default="text")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv graph FILE`"""
    from hecv.base.term import TermPool
    from hecv.frontend.mlir import functions, parse, read_alone, read_text

    try:
        module = parse(read_text(options.file), options.file)
        names = [f.name for f in functions(module)]
        if options.func is not None and options.func not in names:
            hint = "there are: " + ", ".join(f"@{n}" for n in names)
            message = f"{module.file} has no public function @{options.func}"
            raise InputError(Diagnostic("error", "missing-function", message, help=hint))
        chosen = [options.func] if options.func is not None else names
        trees = [read_alone(module, name, TermPool()) for name in chosen]
    except InputError as problem:
        return rejected_input(problem, options.format == "json")
    except Unsupported as problem:
        diagnostic = Diagnostic("error", "unsupported-op", problem.text, problem.location)
        print_diagnostics((diagnostic,), options.format == "json", {})
        return UNKNOWN
    sys.stdout.write(_graphs(trees, options.format))
    return 0


def _graphs(trees: Sequence[Any], form: str) -> str:
    if form == "text":
        from hecv.graph.text import render

        return "\n".join(render(tree) for tree in trees)
    from hecv.graph.export import SCHEMA, to_dot, to_json

    if form == "dot":
        return "".join(to_dot(tree).rstrip() + "\n" for tree in trees)
    return json.dumps({"schema": SCHEMA, "functions": [to_json(tree) for tree in trees]}, indent=1) + "\n"
