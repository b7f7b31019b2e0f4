"""The command line: dispatches to one file a verb. Answers go to stdout, diagnostics and progress to stderr."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NoReturn

from hecv import __version__
from hecv.base.diagnostics import InputError
from hecv.cli import check, doctor, graph, lit, models, opt, replay, report, rewrite, rules, serve, wrap
from hecv.cli.options import EXITS, Parser
from hecv.cli.terminal import INTERNAL, internal, rejected_input, wants_json

INTERRUPTED: Final = 130
TERMINATED: Final = 143
AGAIN: Final = 0.05
"""Seconds until an interrupting exception is raised again."""

YOUNG: Final = 100_000
"""Objects allocated between two cycle collections: most of them live as long as the process."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the exit status, or exits with it if the command is the process's own."""
    if arguments is not None:
        return _main(list(arguments))
    gc.set_threshold(YOUNG)
    signal.signal(signal.SIGTERM, _stop)
    try:
        status = _main(sys.argv[1:])
        signal.setitimer(signal.ITIMER_REAL, 0)
    except _Terminated:
        status = TERMINATED
    _end(TERMINATED if signal.getsignal(signal.SIGALRM) is _stop else status)


class _Terminated(KeyboardInterrupt):
    """The process and the children that it started must end."""


def _stop(number: int, frame: object) -> None:
    """Raises an exception, and again until something handles it: Python drops one raised in a finaliser, or around a
    fork."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, AGAIN)
    handled = sys.exception()
    while handled is not None and not isinstance(handled, _Terminated):
        handled = handled.__context__
    if handled is None:
        raise _Terminated


def _end(status: int) -> NoReturn:
    """Exits without freeing data structures, which takes as long as a short check."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _main(given: list[str]) -> int:
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        status = _run(given)
        sys.stdout.flush()
        return status
    except _Terminated:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer has gone; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except Exception:
        return _last_words(given, traceback.format_exc())


def _last_words(given: Sequence[str], trace: str) -> int:
    """Reports an internal error, or output that could not be written; the exit status is then never one of a
    verdict."""
    try:
        status = internal(given, trace)
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
        return rejected_input(problem, wants_json(given))
    return options.verb(options)


@cache
def _parser() -> Parser:
    """The parser of all verbs; made once in a process that runs several commands."""
    parser = Parser(prog="hecv", description="Does a transformed program still compute what the original computes?")
    parser.add_argument("--version", action="version", version=f"hecv {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    check.add_options(verbs.add_parser("check", help="decide whether TGT refines SRC", epilog=EXITS))
    replay.add_options(
        verbs.add_parser("replay", help="check a certificate of a verdict again, without search", epilog=replay.EXITS)
    )
    opt.add_options(verbs.add_parser("opt", help="run a pass pipeline and check every pass of it", epilog=EXITS))
    wrap.add_options(verbs.add_parser("wrap", help="run mlir-opt, and check what it did beside it", epilog=wrap.EXITS))
    report.add_options(verbs.add_parser("report", help="sum up the reports of wrap", epilog=report.EXITS))
    lit.add_options(
        verbs.add_parser("lit", help="check the directives in files: // HECV: equivalent", epilog=lit.EXITS)
    )
    models.add_options(
        verbs.add_parser("models", help="decide whether two models of torch or jax compute the same", epilog=EXITS)
    )
    rewrite.add_options(
        verbs.add_parser("rewrite", help="rewrite a program by a rule file and check that", epilog=EXITS)
    )
    graph.add_options(verbs.add_parser("graph", help="print the dataflow graph of a file"))
    rules.add_options(verbs.add_parser("rules", help="list, show or audit laws and rule files", epilog=rules.EXITS))
    explain = verbs.add_parser("explain", help="say what a rule or an operator means")
    explain.add_argument(
        "name", metavar="NAME", help="of a rule as verdicts name it, or of an operator in full: arith.shli"
    )
    explain.set_defaults(verb=rules.run_explain)
    serve.add_options(
        verbs.add_parser("serve", help="run commands in a warm server, which starts them faster", epilog=serve.EXITS)
    )
    doctor.add_options(
        verbs.add_parser(
            "doctor", help="list tools and libraries, their versions and what is missing", epilog=doctor.EXITS
        )
    )
    return parser
