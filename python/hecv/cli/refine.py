"""The verb `hecv refine SEQ.py:f DIST.py:g`: its options, and the call of `hecv.refinement`."""

from __future__ import annotations

import argparse
import sys

from hecv.base.diagnostics import InputError
from hecv.cli.options import DEVICES, positive
from hecv.cli.terminal import USAGE, clear_progress, colored, rejected_input, show, versions

EXITS = "exit status: 0 refines; 1 not equivalent; 2 bad input; 3 unknown; 4 a bug of hecv"
STATUS = {"refines": 0, "not-equivalent": 1, "unknown": 3}
MOST_RANKS = 4096


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sequential", metavar="SEQ.py:f", help="f() returns (module_or_function, example_args) of the sequential model")
    add("distributed", metavar="DIST.py:g", help="g(rank, world_size) returns the same for one rank")
    add("--ranks", metavar="N[,M...]", type=_degrees, required=True, help="numbers of ranks")
    add("--inputs", metavar="R.toml", help="how sequential tensors are made of those of the ranks (default: found)")
    add("--definitions", metavar="D.py", help="a Python file that defines ops of your own (docs/refine.md)")
    add("--device", choices=DEVICES, default="cpu", help="where torch runs the programs, in f64 (default: cpu)")
    add("--time-limit", metavar="S", type=positive(float), default=120.0, help="seconds for each number of ranks")
    add("--memory-limit", metavar="MB", type=positive(int), default=16_000, help="of each child process")
    add(
        "--format", choices=("text", "json", "toml", "python"), default="text", help="text, JSON, or the relation alone"
    )
    add("-v", "--verbose", action="store_true", help="say what was related, assumed, and how long each phase took")
    parser.set_defaults(verb=run)


def _degrees(text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no list of numbers such as 2 or 2,4") from None
    if not all(0 < n <= MOST_RANKS for n in found):
        raise argparse.ArgumentTypeError(f"a number of ranks is between 1 and {MOST_RANKS}")
    return tuple(dict.fromkeys(found))


def run(options: argparse.Namespace) -> int:
    """`hecv refine SEQ.py:f DIST.py:g`"""
    from hecv.refinement import Settings, run_refinement
    from hecv.report import refinement_report

    settings = Settings(options.time_limit, options.memory_limit, device=options.device)
    specs = options.sequential, options.distributed
    try:
        found = run_refinement(specs, options.ranks, options.inputs, settings, show, options.definitions)
    except InputError as problem:
        return rejected_input(problem, "json" if options.format == "json" else "text")
    clear_progress(found.seconds)
    render = refinement_report.FORMS[options.format]
    sys.stdout.write(render(found, versions(), colored(sys.stdout), options.verbose))
    if found.problems and options.format != "json":  # which has them in the report
        sys.stdout.flush()
        return rejected_input(InputError(*found.problems), "text")
    return USAGE if found.problems else STATUS[found.verdict]
