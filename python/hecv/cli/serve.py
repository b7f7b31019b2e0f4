"""The verb `hecv serve`: its options, and the call of `hecv.server`."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from contextlib import suppress
from typing import Final

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.cli.options import positive
from hecv.cli.terminal import rejected_input
from hecv.server.client import ANSWER, VARIABLE, ask, described

EXITS: Final = "exit status: 0 it has ended as asked, or answers; 2 it cannot listen, or none answers"
IDLE: Final = 3600.0
"""Seconds without a command after which a server ends."""

FILES: Final = 1 << 12
"""File descriptors below this are closed by a server in the background."""


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    place = "the Unix socket (default: what HECV_SERVER names, or one in a folder of the user)"
    add("--socket", metavar="PATH", help=place)
    add("--jobs", metavar="N", type=positive(int), help="commands at a time (default: no limit)")
    add("--idle", metavar="S", type=positive(float), default=IDLE, help="end after so long without one (default: 3600)")
    add("--background", action="store_true", help="return when the server is ready")
    add("--attached", action="store_true", help="end when standard input does")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--stop", action="store_true", help="end the server, once the commands that it runs have ended")
    other.add_argument("--status", action="store_true", help="say whether it would run the commands of this process")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv serve`"""
    from hecv.server.socket_file import place_of

    try:
        place = place_of(options.socket)
        if options.stop:
            return _stop(place)
        return _say_status(place) if options.status else _serve(place, options)
    except InputError as problem:
        return rejected_input(problem, "text")


def _serve(place: str, options: argparse.Namespace) -> int:
    from hecv.cli.main import main, parser
    from hecv.server.fingerprint import code
    from hecv.server.listener import Server
    from hecv.server.preload import preload
    from hecv.server.socket_file import require_free

    require_free(place)
    if options.background:
        os.closerange(3, FILES)  # who reads what was open here would wait for the end of the server
    before = code()
    preload()
    parser()  # each command would make it anew
    attached = sys.stdin.fileno() if options.attached else None
    server = Server(place, main, before, options.jobs, options.idle, attached)
    if options.background and os.fork():
        _say_ready(place)
        os._exit(0)
    if options.background:
        _leave_terminal(options.attached)
    else:
        _say_ready(place)
    server.serve()
    return 0


def _say_ready(place: str) -> None:
    """Prints what a shell is to be told of the server."""
    sys.stdout.write(f"export {VARIABLE}={shlex.quote(place)}\n")
    sys.stdout.flush()


def _leave_terminal(attached: bool) -> None:
    """Becomes a session of its own, whose standard streams lead nowhere; but it may still hear its input end."""
    os.setsid()
    os.chdir("/")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2) if attached else (0, 1, 2):
        os.dup2(nowhere, number)


def _stop(place: str) -> int:
    line, answer = _asked(place, b"stop", [])
    if not answer.startswith(b"stopping"):
        raise _silent(place, answer.decode())
    line.settimeout(None)
    with suppress(OSError):
        line.recv(ANSWER)  # it hangs up as it ends
    return 0


def _say_status(place: str) -> int:
    _, answer = _asked(place, b"ask", described(["check"], [], os.getcwdb(), os.environb))
    kind, _, said = answer.decode().partition(" ")
    sys.stdout.write(f"{place}: {said}\n" if kind == "accepted" else f"{place}: not used from here: {said}\n")
    return 0 if kind == "accepted" else 2


def _asked(place: str, kind: bytes, fields: list[bytes]):
    try:
        return ask(place, kind, fields, [])
    except OSError as problem:
        raise _silent(place, problem.strerror or str(problem)) from None


def _silent(place: str, why: str) -> InputError:
    hint = "`hecv serve` starts one"
    return InputError(Diagnostic("error", "no-server", f"no server answers at {place}: {why}", help=hint))
