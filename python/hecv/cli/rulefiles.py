"""Loads the rule files of users, each in a process of its own within limits: a Python rule file is a program.

What a file declares comes back as data.
"""

from __future__ import annotations

import faulthandler
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from typing import IO, Final

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.base.system_errors import HELP as SYSTEM
from hecv.patterns.calculus.loop_rules import LoopRule
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.process.worker_pool import Limits, Stopped, run_apart
from hecv.rule_files.portable_json import dumps, loads
from hecv.rule_files.rule_loader import load

LIMITS: Final = Limits(20.0, 2048)
RECURSION: Final = 20_000
"""Recursion limit while a rule file's declarations are written as text: patterns may be nested deeply."""

HELP: Final = {
    "time-limit": "a rule file declares patterns and rules; loops in it are by numbers of Python, and end",
    "memory-limit": "a rule file declares patterns and rules, and needs little memory for that",
    "crash": "it ends the process that reads it, or crashes it: a rule file declares patterns and rules",
}


def load_rules(paths: Iterable[str], limits: Limits = LIMITS) -> list[RuleFile]:
    """The declarations of these rule files; each file is read once.

    Raises: InputError if one cannot be read or run, ends its process, meets a limit, or declares something invalid.
    """
    return [_loaded(path, limits) for path in dict.fromkeys(paths)]


def _loaded(path: str, limits: Limits) -> RuleFile:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stack:
        found = run_apart(lambda _: _read(path, stack, limits), limits, lambda _stage, _seconds: None)
        if isinstance(found, Stopped):
            stack.seek(0)
            raise _stopped(found, path, _line(stack.read(), path))
    if isinstance(found, Declared):
        return replace(loads(found.text, path), loops=found.loops)
    raise InputError(*found)


class Declared(Struct, frozen=True):
    """The declarations of a file: patterns and rules as JSON, and loop rules, which have no JSON form."""

    text: str
    loops: tuple[LoopRule, ...]


def _read(path: str, stack: IO[str], limits: Limits) -> Declared | tuple[Diagnostic, ...]:
    """The file's declarations, or its errors. Its stack just before its time is up, or at a crash, is written to
    `stack`."""
    faulthandler.enable(stack)
    faulthandler.dump_traceback_later(0.9 * limits.seconds, file=stack)
    depth = sys.getrecursionlimit()
    try:
        file = load(path)
        sys.setrecursionlimit(max(depth, RECURSION))
        return Declared(dumps(replace(file, loops=())), file.loops)
    except InputError as problem:
        return problem.diagnostics
    finally:
        sys.setrecursionlimit(depth)
        faulthandler.cancel_dump_traceback_later()


def _line(stack: str, path: str) -> int:
    """The innermost line of the file in a stack trace of `faulthandler`."""
    found = re.search(rf'File "{re.escape(path)}", line (\d+)', stack)
    return int(found[1]) if found else 1


def _stopped(stopped: Stopped, path: str, line: int) -> Exception:
    if stopped.reason == "exception":
        return RuntimeError(stopped.text)
    if stopped.reason == "system-error":
        message = f"{stopped.text} while {path} was read"
        return InputError(Diagnostic("error", stopped.reason, message, help=SYSTEM))
    message = f"the rule file was stopped: {stopped.text}"
    if stopped.reason == "crash":
        message = f"the rule file does not come to its end: {stopped.text.replace('worker', 'process')}"
    where = Location(path, line, 1)
    return InputError(Diagnostic("error", "rule-file", message, where, HELP[stopped.reason]))
