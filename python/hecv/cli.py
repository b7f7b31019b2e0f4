"""The command line: one function a verb. Answers go to stdout, diagnostics and progress to stderr."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import metadata
from itertools import pairwise
from typing import Any, Final, NoReturn

from hecv import __version__
from hecv.base.diag import Diagnostic, InputError, Unsupported

PROGRESS_AFTER: Final = 2.0
INTERRUPTED: Final = 130
INTERNAL: Final = 4
UNKNOWN: Final = 3
USAGE: Final = 2


class Parser(argparse.ArgumentParser):
    """Usage errors are raised, so that they leave as every other error does."""

    def error(self, message: str) -> NoReturn:
        hint = f"`{self.prog} --help` lists what there is"
        raise InputError(Diagnostic("error", "usage", message, help=hint))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; gives the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        status = _run(given)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer has gone; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except Exception:
        return _last_words(given, traceback.format_exc())


def _last_words(given: Sequence[str], trace: str) -> int:
    """Reports a bug, or an answer that could not be written; whatever fails now, the status is no verdict's."""
    try:
        status = _internal(given, trace)
        sys.stdout.flush()
    except Exception:
        status = INTERNAL
        # What could not be written is dropped, or Python tries again at exit and exits by 120.
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    return status


def _run(given: list[str]) -> int:
    try:
        options = _parser().parse_args(given)
    except InputError as problem:
        return _rejected(problem, _wants_json(given))
    return options.verb(options)


def _parser() -> Parser:
    parser = Parser(prog="hecv", description="Does a transformed program still compute what the original computes?")
    parser.add_argument("--version", action="version", version=f"hecv {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    _check_options(verbs.add_parser("check", help="decide whether TGT refines SRC", epilog=EXITS))
    _opt_options(verbs.add_parser("opt", help="run a pass pipeline and check every pass of it", epilog=EXITS))
    _graph_options(verbs.add_parser("graph", help="print the dataflow graph of a file"))
    doctor = verbs.add_parser("doctor", help="say which tools and versions are here")
    doctor.set_defaults(verb=run_doctor)
    return parser


EXITS: Final = (
    "exit status: 0 equivalent or refines; 1 not equivalent; 2 bad input; 3 unknown, and refines under "
    "--relation equivalent; 4 a bug of hecv"
)


GREATEST_LIMIT: Final = 10_000_000


def _positive(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = convert(text)
        if not 0 < value <= GREATEST_LIMIT:
            raise argparse.ArgumentTypeError(f"{text} is not a positive number up to {GREATEST_LIMIT:,}")
        return value

    read.__name__ = "number"
    return read


def _check_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="SRC", help="the original program, MLIR text; - is standard input")
    add("target", metavar="TGT", help="the transformed program")
    _decision_options(parser)
    parser.set_defaults(verb=run_check)


def _opt_options(parser: argparse.ArgumentParser) -> None:
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
    _decision_options(parser)
    parser.set_defaults(verb=run_opt)


def _decision_options(parser: argparse.ArgumentParser) -> None:
    """What `check` and `opt` have in common: what has to hold, under which semantics, and how it is sought."""
    add = parser.add_argument
    add("--func", metavar="NAME", action="append", default=[], help="check only this function (repeatable)")
    add("--relation", choices=("refines", "equivalent"), default="refines", help="what has to hold (default: refines)")
    add("--assume", metavar="A", action="append", default=[], help="'n >= 1', 'dim(A, 0) = n' or nonneg (repeatable)")
    add("--index-width", type=int, choices=(32, 64), default=64, help="bits of the index type (default: 64)")
    add(
        "--index-overflow",
        choices=("exclude", "wrap"),
        default="exclude",
        help="of index arithmetic: assumed not to happen, or wraps",
    )
    add(
        "--alias",
        choices=("distinct", "may"),
        default="distinct",
        help="whether memref arguments may overlap (default: distinct)",
    )
    add("--engine", choices=("auto", "dataflow", "theorems"), default="auto", help="what proves (default: auto)")
    add("--no-static-laws", action="store_true", help="prove without the laws of single operators")
    add("--no-dynamic-rules", action="store_true", help="prove without array dataflow and loop theorems")
    add("--node-limit", metavar="N", type=_positive(int), default=10_000, help="e-nodes a question (default: 10,000)")
    add("--time-limit", metavar="S", type=_positive(float), default=60.0, help="seconds a function (default: 60)")
    add("--memory-limit", metavar="MB", type=_positive(int), default=8192, help="megabytes a function (default: 8192)")
    add("--seed", metavar="N", type=int, default=0, help="of the random inputs (default: 0)")
    add("--format", choices=("text", "json"), default="text")
    add("-v", "--verbose", action="store_true", help="also say what the proof took")


def _graph_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="MLIR text; - is standard input")
    add("--func", metavar="NAME", help="only this function")
    add("--format", choices=("text", "dot", "json"), default="text")
    parser.set_defaults(verb=run_graph)


# check


def run_check(options: argparse.Namespace) -> int:
    """`hecv check SRC TGT`"""
    from hecv.check import check, failed
    from hecv.frontend.mlir import read_text
    from hecv.frontend.source import display_name
    from hecv.verdict.assumptions import SWITCH
    from hecv.verdict.result import exit_code

    paths = (options.source, options.target)
    settings = _settings(options)
    texts = {SWITCH: "\n".join(options.assume)}
    try:
        if paths == ("-", "-"):
            raise InputError(Diagnostic("error", "usage", "SRC and TGT are both standard input", help="name a file"))
        source, target = (read_text(path) for path in paths)
        texts |= dict(zip(map(display_name, paths), (source, target), strict=True))
        report = check(source, target, paths, settings, _show_progress)
        _clear_progress(report.seconds)
    except InputError as problem:
        report = failed(problem.diagnostics, settings)
    _print_report(report, texts, options.format, options.verbose)
    return exit_code(report)


def _settings(options: argparse.Namespace) -> Any:
    """The options of `check` from those of the command line."""
    from hecv.check import Options
    from hecv.verdict.strategy import Strategy
    from hecv.verdict.switches import Switches

    return Options(
        tuple(options.func),
        options.relation,
        tuple(options.assume),
        options.time_limit,
        options.memory_limit,
        options.seed,
        Switches(options.index_width, options.index_overflow == "wrap", options.alias == "may"),
        Strategy(options.engine, not options.no_static_laws, not options.no_dynamic_rules, options.node_limit),
    )


def _print_report(report: Any, texts: dict[str, str], form: str, verbose: bool) -> None:
    if form == "json":
        from hecv.report import json as as_json

        sys.stdout.write(as_json.render(report, versions()))
        return
    from hecv.report import text

    sys.stderr.write(text.render_diagnostics(report.diagnostics, texts, text.Painter(_colored(sys.stderr))))
    sys.stdout.write(text.render(report, texts, text.Painter(_colored(sys.stdout)), verbose))


def _colored(stream: Any) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _show_progress(name: str, stage: str, seconds: float) -> None:
    """Shows on a terminal what takes longer than two seconds."""
    _show(f"@{name}: {stage}, {seconds:.0f} s", seconds)


def _show(line: str, seconds: float) -> None:
    if seconds > PROGRESS_AFTER and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}\r")
        sys.stderr.flush()


def _clear_progress(seconds: float) -> None:
    if seconds > PROGRESS_AFTER and sys.stderr.isatty():
        sys.stderr.write("\x1b[K")


# opt


def run_opt(options: argparse.Namespace) -> int:
    """`hecv opt FILE --pass-pipeline=P`"""
    from hecv.frontend.mlir import read_text
    from hecv.frontend.passes.bindings import Bindings
    from hecv.frontend.passes.tool import find_tool
    from hecv.pipeline import rejected, run_pipeline, written
    from hecv.verdict.result import exit_code

    settings = _settings(options)
    try:
        if options.output == "-":
            hint = "name a file: standard output has the report"
            raise InputError(Diagnostic("error", "usage", "-o takes the name of a file", help=hint))
        runner = Bindings() if options.tool is None else find_tool(options.tool)
        text = read_text(options.file)
        report = run_pipeline(
            text, options.file, options.pass_pipeline, runner, settings, options.save_steps, _show_step
        )
        _clear_progress(report.total.seconds)
    except InputError as problem:
        report = rejected(problem.diagnostics, options.pass_pipeline, settings)
    if options.output is not None:
        report = written(report, options.output)
    _print_pipeline(report, options.format, options.verbose)
    return exit_code(report.total)


def _print_pipeline(report: Any, form: str, verbose: bool) -> None:
    if form == "json":
        from hecv.report import pipeline_json

        sys.stdout.write(pipeline_json.render(report, versions()))
        return
    from hecv.report import pipeline_text, text

    sys.stderr.write(pipeline_text.render_diagnostics(report, text.Painter(_colored(sys.stderr))))
    sys.stdout.write(pipeline_text.render(report, text.Painter(_colored(sys.stdout)), verbose))


def _show_step(step: str, name: str, stage: str, seconds: float) -> None:
    """Shows on a terminal what takes longer than two seconds, with the pass it is about."""
    where = f"{step}: @{name}" if name else step
    _show(f"{where}: {stage}, {seconds:.0f} s", seconds)


# graph


def run_graph(options: argparse.Namespace) -> int:
    """`hecv graph FILE`"""
    from hecv.base.term import TermPool
    from hecv.frontend.mlir import functions, parse, read_function, read_text

    try:
        module = parse(read_text(options.file), options.file)
        names = [f.name for f in functions(module)]
        if options.func is not None and options.func not in names:
            hint = "there are: " + ", ".join(f"@{n}" for n in names)
            message = f"{module.file} has no public function @{options.func}"
            raise InputError(Diagnostic("error", "missing-function", message, help=hint))
        chosen = [options.func] if options.func is not None else names
        trees = [read_function(module, name, TermPool()) for name in chosen]
    except InputError as problem:
        return _rejected(problem, options.format == "json")
    except Unsupported as problem:
        diagnostic = Diagnostic("error", "unsupported-op", problem.text, problem.location)
        _print_diagnostics((diagnostic,), options.format == "json", {})
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


# doctor


def run_doctor(_: argparse.Namespace) -> int:
    """`hecv doctor`"""
    found = {"python": sys.version.split()[0], **versions()}
    for package in ("islpy", "numpy"):
        found[package] = _version(package) or "missing"
    for tool in ("mlir-opt-22", "FileCheck-22"):
        found[tool] = _tool_version(tool)
    width = max(map(len, found))
    sys.stdout.write("".join(f"{name:{width}}  {version}\n" for name, version in found.items()))
    return USAGE if "missing" in (found["mlir"], found["islpy"]) else 0


def versions() -> dict[str, str]:
    """The versions that a verdict rests on."""
    return {"hecv": __version__, "mlir": _version("torch-mlir") or "missing", "isl": _version("islpy") or "missing"}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _tool_version(tool: str) -> str:
    path = shutil.which(tool)
    if path is None:
        return "not found (not needed to check)"
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.split()[-1] for line in answer.splitlines() if "version" in line), "unknown")


# Errors


def _wants_json(given: Sequence[str]) -> bool:
    """Whether JSON was asked for, on a command line that could not be parsed."""
    return "--format=json" in given or ("--format", "json") in pairwise(given)


def _rejected(problem: InputError, as_json: bool) -> int:
    _print_diagnostics(problem.diagnostics, as_json, {})
    return USAGE


def _internal(given: Sequence[str], trace: str) -> int:
    last = trace.rstrip().rsplit("\n", 1)[-1]
    hint = f"this is a bug of hecv: please report it with the input and this\n{trace.rstrip()}"
    diagnostic = Diagnostic("error", "internal-error", last, help=hint)
    _print_diagnostics((diagnostic,), _wants_json(given), {}, internal=True)
    return INTERNAL


def _print_diagnostics(
    diagnostics: tuple[Diagnostic, ...], as_json: bool, texts: dict[str, str], internal: bool = False
) -> None:
    from hecv.verdict.result import Report

    report = Report("error", "refines", 0.0, 0, diagnostics, internal=internal)
    _print_report(report, texts, "json" if as_json else "text", False)
