"""Locations of errors in a rule file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Final

import hecv.rules
from hecv.base.diagnostics import Diagnostic, Location
from hecv.patterns.calculus.body_paths import Misuse
from hecv.patterns.calculus.quantities import suggestion
from hecv.patterns.tracing.decorators import Body

PACKAGE: Final = str(Path(__file__).parents[1])


def located(problem: BaseException, body: Body) -> Diagnostic:
    """The diagnostic for a problem of a body, at the line that caused it; at its first line if it only returned
    something wrong."""
    place = location(problem, body.place.file)
    if place is None or (isinstance(problem, Misuse) and problem.line):
        line = problem.line if isinstance(problem, Misuse) and problem.line else body.place.line
        place = Location(body.place.file, line, 1)
    if isinstance(problem, AssertionError):
        told = _text(problem)
        text = f": {told}" if told else ""
        hint = "no way through the body ends with `return`: conditions exclude each other, or are false"
        return Diagnostic("error", "guard-never-holds", f"'{body.function.__name__}' never matches{text}", place, hint)
    return described(problem, place)


def described(problem: BaseException, place: Location | None) -> Diagnostic:
    """An exception as a diagnostic."""
    match problem:
        case Misuse():
            return Diagnostic("error", problem.name, problem.message, place, problem.help)
        case SyntaxError():
            return Diagnostic("error", "syntax", problem.msg, place, "a rule file is Python")
        case SystemExit():
            hint = "a rule file declares patterns and rules"
            return Diagnostic("error", "rule-file", "the rule file ends the program", place, hint)
        case RecursionError():
            hint = "a pattern repeats by calling itself by name; a loop of Python makes one that is nested as deep"
            return Diagnostic("error", "too-deep", "this nests too deep, or calls itself without end", place, hint)
        case NameError(name=str() as name):
            return Diagnostic("error", "unknown-name", f"'{name}' is not defined", place, _meant(problem, name))
        case _:
            text = _text(problem).split("\n", 1)[0]
            message = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
            return Diagnostic("error", "rule-file", message, place)


def _text(problem: BaseException) -> str:
    """What an exception says; nothing where its own class fails to say it."""
    try:
        return str(problem)
    except Exception:
        return ""


def _meant(problem: BaseException, name: str) -> str:
    """What an undefined name may stand for: something to import, or another name of the file."""
    if name in hecv.rules.__all__:
        return f"from hecv.rules import {name}"
    *_, (frame, _) = walk_tb(problem.__traceback__)
    return suggestion(name, sorted({n for n in (*frame.f_locals, *frame.f_globals) if not n.startswith("_")}))


def location(problem: BaseException, file: str) -> Location | None:
    """The last place in the file, or in other user code, that led to an exception."""
    if isinstance(problem, SyntaxError) and problem.filename and problem.lineno:
        return Location(problem.filename, problem.lineno, max(1, problem.offset or 1))
    places = [*_places(problem.__traceback__)]
    own = [place for place in places if place.file == file]
    others = [place for place in places if not place.file.startswith((PACKAGE, "<"))]
    return next(reversed(own or others), None)


def _places(trace: TracebackType | None) -> Iterator[Location]:
    for frame, line in walk_tb(trace):
        last = next((t.tb_lasti for t in _chain(trace) if t.tb_frame is frame), 0)
        positions = [*frame.f_code.co_positions()]
        column = positions[last // 2][2] if last // 2 < len(positions) else None
        yield Location(frame.f_code.co_filename, line, (column or 0) + 1)


def _chain(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
