"""The pass runner interface, and the passes of a pipeline as that runner resolves them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.mlir.passes.pass_pipeline import Pass, parse_pipeline, place

Stage = Callable[[str, int], None]
"""Called before each pass with what is done, and the number of passes done."""

CRASH: Final = "this is a bug of the pass; --save-steps writes the text that it was given"


class Trial(Struct, frozen=True):
    """The result of a pipeline on an empty module: `expanded` is its full text, None if it was rejected; `said` are
    the messages."""

    expanded: str | None
    said: str


class Ran(Struct, frozen=True):
    """The module's text after each pass that ran, and why the next one did not."""

    texts: tuple[str, ...]
    problems: tuple[Diagnostic, ...] = ()


class Runner(Protocol):
    """Runs passes. A pass may crash or hang, so call these methods in a child process."""

    def try_out(self, pipeline: str) -> Trial:
        """The result of parsing the pipeline and running it on an empty module."""
        ...

    def run(self, text: str, file: str, passes: Sequence[Pass], stage: Stage) -> Ran:
        """Runs the passes in order on the module `text`, each on the output of the one before.

        Requires: `text` is valid MLIR; `file` is its name in diagnostics.
        """
        ...

    def names(self) -> Iterable[str]:
        """The known pass names."""
        ...

    def listing(self) -> str:
        """A sentence that tells the user where to find pass names."""
        ...


def failed(one: Pass, message: str, hint: str | None = None) -> Diagnostic:
    """The diagnostic on a pass that failed."""
    return Diagnostic("error", "pass-failed", f"{one}: {message}", help=hint)


def resolve(text: str, runner: Runner, stage: Stage) -> tuple[Pass, ...]:
    """The passes of the pipeline `text` in order, each with an anchor where it can run. A named pipeline is expanded.

    Raises: InputError with every pass that is rejected.
    """
    known: dict[tuple[str, bool], tuple[Pass, ...]] = {}
    found: list[Pass] = []
    problems: list[Diagnostic] = []
    for number, one in enumerate(parse_pipeline(text)):
        stage(f"trying {one} on an empty module", number)
        key = (one.pipeline, one.bare)
        try:
            if key not in known:
                known[key] = _resolve(one, text, runner)
            found += known[key]
        except InputError as problem:
            problems += problem.diagnostics
    if problems:
        raise InputError(*problems)
    return tuple(found)


_RESTRICTED: Final = re.compile(r"restricted to '([\w.]+)'")
_UNSCHEDULED: Final = re.compile(r"(?:unable|trying) to schedule pass")
_UNKNOWN: Final = re.compile(r"'(.*)' does not refer to a registered pass")
_NOISE: Final = re.compile(r"^(?:[\w.<>:/-]*: )+")
"""The prefix of a message that names its source."""


def _resolve(one: Pass, text: str, runner: Runner) -> tuple[Pass, ...]:
    trial = runner.try_out(one.pipeline)
    anchor = _wanted_anchor(trial.said)
    if anchor is not None and one.bare:
        one = replace(one, anchors=(*one.anchors, anchor))
        trial = runner.try_out(one.pipeline)
        anchor = _wanted_anchor(trial.said)
    if anchor is not None:
        message = f"{one.name} cannot run on {one.anchors[-1]}"
        raise _refused(one, text, "pass-anchor", message, f"write {anchor}({one})")
    if trial.expanded is None:
        raise _diagnosed(one, text, trial.said, runner)
    return tuple(_expanded(one, trial.expanded, runner))


def _wanted_anchor(said: str) -> str | None:
    """The op that a pass requires as anchor; for a pass on any kind of function, `func.func`."""
    restricted = _RESTRICTED.search(said)
    if restricted is not None:
        return restricted[1]
    return "func.func" if _UNSCHEDULED.search(said) else None


def _diagnosed(one: Pass, text: str, said: str, runner: Runner) -> InputError:
    unknown = _UNKNOWN.search(said)
    if unknown is not None:
        return _refused(one, text, "unknown-pass", f"there is no pass {unknown[1]}", _suggestion(unknown[1], runner))
    lines = [_NOISE.sub("", line).strip().rstrip("!") for line in said.splitlines()]
    telling = next((line for line in lines if line and not line.startswith("failed to add")), "it is refused")
    hint = f"`mlir-opt --help` lists what {one.name} takes"
    return _refused(one, text, "invalid-pass", f"{one.name}: {telling}", hint)


def _suggestion(name: str, runner: Runner) -> str:
    close = get_close_matches(name, runner.names(), 3, 0.6)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return runner.listing()


def _refused(one: Pass, text: str, name: str, message: str, hint: str) -> InputError:
    return InputError(Diagnostic("error", name, message, place(text, one.offset), hint))


def _expanded(one: Pass, expanded: str, runner: Runner) -> Iterator[Pass]:
    """The passes of a named pipeline; a single pass if their printed options cannot be parsed."""
    try:
        inside = parse_pipeline(expanded)
    except InputError:
        inside = ()
    parts = [replace(part, bare=False, offset=one.offset) for part in inside]
    named = len(parts) == 1 and parts[0].name == one.name
    if not parts or named or any(runner.try_out(p.pipeline).expanded is None for p in parts):
        yield one
    else:
        yield from parts
