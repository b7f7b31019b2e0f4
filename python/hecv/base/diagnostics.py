"""Diagnostics: what is wrong, where, and what to do about it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Severity = Literal["error", "warning", "note"]


class Location(Struct, frozen=True, order=True):
    """A place in a source file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def located(place: str) -> Location | None:
    """The location in the text `file:line`; None if the text has another form."""
    file, _, line = place.rpartition(":")
    return Location(file, int(line), 1) if file and line.isdigit() else None


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number of things in words: `1 run`, `2 runs`, `10000 runs`."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


class Diagnostic(Struct, frozen=True):
    """One message in the fixed form `severity[name]: message`, with a location and a help text.

    `name` is kebab-case and stable, so tools may match on it. `message` is lower case without a final period.
    """

    severity: Severity
    name: str
    message: str
    location: Location | None = None
    help: str | None = None


class InputError(Exception):
    """The user's input or usage is wrong (exit 2); holds the diagnostics that say why."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


class Unsupported(Exception):
    """The input is valid MLIR but has no semantics here, at this location: the verdict is `unknown`."""

    def __init__(self, text: str, location: Location | None) -> None:
        super().__init__(text)
        self.text = text
        self.location = location
