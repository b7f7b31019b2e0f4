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
from typing import Final, NoReturn, TextIO

from hecv import __version__
from hecv.base.diagnostics import Diagnostic, InputError
from hecv.base.system_errors import HELP, system_error
from hecv.cli import check, doctor, graph, lit, models, opt, refine, replay, report, rewrite, rules, serve, wrap
from hecv.cli.options import EXITS, Parser, described
from hecv.cli.terminal import INTERNAL, USAGE, format_of, internal, rejected_input

INTERRUPTED: Final = 130
TERMINATED: Final = 143
PIPE: Final = 141
"""The status of a process that writes to a closed pipe."""
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
        if not _has_streams(given):
            problem = Diagnostic("error", "answer-unwritable", "standard output is closed", help="redirect it")
            return rejected_input(InputError(problem), "text")
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
        _drop_output()
        return PIPE
    except Exception as problem:
        refused = system_error(problem)
        return _last_words(given, traceback.format_exc(), refused)


def _last_words(given: Sequence[str], trace: str, refused: str | None) -> int:
    """Reports what the system refused, as to write the answer, or an internal error; the exit status is then never one
    of a verdict."""
    try:
        if refused is None:
            status = internal(given, trace)
        else:
            status = rejected_input(InputError(Diagnostic("error", "system-error", refused, help=HELP)), "text")
        sys.stdout.flush()
    except BrokenPipeError:
        status = PIPE
    except Exception:
        status = INTERNAL if refused is None else USAGE
    if refused is not None or status != INTERNAL:
        _drop_output()
    return status


def _drop_output() -> None:
    """What could not be written is dropped, or Python tries again at exit and exits by 120."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _has_streams(given: Sequence[str]) -> bool:
    """Whether there is a stream for the answer. A stream that a shell closed is replaced by one that drops text; for a
    tool that is run it stays closed."""
    tool = given[:1] == ["wrap"]
    streams: tuple[TextIO | None, TextIO | None] = (sys.stdout, sys.stderr)
    nowhere = None if None not in streams else io.StringIO() if tool else open(os.devnull, "w")  # noqa: SIM115
    sys.stdout, sys.stderr = streams[0] or nowhere or sys.stdout, streams[1] or nowhere or sys.stderr
    return tool or streams[0] is not None


def _run(given: list[str]) -> int:
    # A name of an option that is to be explained is no option.
    asked = given[:1] == ["explain"] and len(given) == 2 and given[1].startswith("--") and given[1] != "--help"
    try:
        options = parser().parse_args(["explain", "--", given[1]] if asked else given)
    except InputError as problem:
        return rejected_input(problem, format_of(given))
    return options.verb(options)


@cache
def parser() -> Parser:
    """The parser of all verbs; made once in a process that runs several commands."""
    made = Parser(prog="hecv", description="Does a transformed program still compute what the original computes?")
    made.add_argument("--version", action="version", version=f"hecv {__version__}")
    verbs = made.add_subparsers(metavar="VERB", required=True)
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
    refine.add_options(
        verbs.add_parser(
            "refine", help="decide whether a distributed model refines a sequential one", epilog=refine.EXITS
        )
    )
    rewrite.add_options(
        verbs.add_parser("rewrite", help="rewrite a program by a rule file and check that", epilog=EXITS)
    )
    graph.add_options(verbs.add_parser("graph", help="print the dataflow graph of a file"))
    rules.add_options(verbs.add_parser("rules", help="list, show or audit laws and rule files", epilog=rules.EXITS))
    explain = verbs.add_parser("explain", help="say what a name means that hecv prints, or an operator")
    explain.add_argument(
        "name", metavar="NAME", help="a rule, pass, prover, verdict, reason, error, option or operator (arith.shli)"
    )
    explain.set_defaults(verb=rules.run_explain, options=lambda: described(verbs.choices))
    serve.add_options(
        verbs.add_parser("serve", help="run commands in a warm server, which starts them faster", epilog=serve.EXITS)
    )
    doctor.add_options(
        verbs.add_parser(
            "doctor", help="list tools and libraries, their versions and what is missing", epilog=doctor.EXITS
        )
    )
    return made
