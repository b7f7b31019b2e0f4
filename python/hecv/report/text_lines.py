"""Lines of text that all reports share: colour, escapes, prose in 80 columns, diagnostics and excerpts of programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from hecv.base.diagnostics import Diagnostic, Location

WIDTH: Final = 80
"""Columns of prose. Values, types and lines of programs stay whole."""

LONGEST_LINE: Final = 160
"""Characters of a line of a program that are shown."""

_COLORS: Final = {"bold": "1", "red": "1;31", "green": "1;32", "yellow": "1;33", "blue": "1;34", "cyan": "36"}
_SEVERITIES: Final = {"error": "red", "warning": "yellow", "note": "cyan"}
_UNSEEN: Final = re.compile(r"(\x1b\[(?:0|1|36|1;3[1-6])m)|[^ -~]")
"""A character that may not print; the group matches colour codes."""
_CODE: Final = re.compile(r"\x1b\[[\d;]*m")
_WORD: Final = re.compile(r"(?:`[^`]*`|[^ ])+")
"""A word of prose. What stands in backquotes is one: it can be copied from one line."""
_TOKEN: Final = re.compile(r'"?[\w$.%@!#]+"?|.')

Texts = Mapping[str, str]
"""The text of each file, by its name in locations."""


class Painter:
    """Colours text if enabled."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def __call__(self, color: str, text: str) -> str:
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if self._enabled else text


def visible(line: str, kept: str = "") -> str:
    """A line with text from programs, with escapes for characters that end the line, move the cursor or do not print.

    Tabs and the characters in `kept` stay.
    """
    if line.isprintable():
        return line

    def shown(found: re.Match[str]) -> str:
        character = found[0]
        if found[1] or character.isprintable() or character == "\t" or character in kept:
            return character
        return f"\\u{ord(character):04x}"

    return _UNSEEN.sub(shown, line)


def wrapped(head: str, text: str, indent: int, tone: Callable[[str], str] = str) -> Iterator[str]:
    """Prose after `head`, in lines of at most `WIDTH` columns where its words allow that; all but the first line begin
    with `indent` spaces. `tone` colours the prose of a line."""
    line: list[str] = []
    column = len(_CODE.sub("", head))
    for word in _WORD.findall(visible(text)):
        if line and column + 1 + len(word) > WIDTH:
            yield head + tone(" ".join(line))
            head, line, column = " " * indent, [], indent
        column += len(word) + (1 if line else 0)
        line.append(word)
    yield (head + tone(" ".join(line))).rstrip()


def remark(kind: str, text: str, paint: Painter) -> Iterator[str]:
    """A note, a help text or an assumption, below what it is about."""
    head = f"   {paint('cyan', f'= {kind}:')} "
    yield from wrapped(head, text, len(f"   = {kind}: "))


def diagnostics_text(diagnostics: Iterable[Diagnostic], texts: Texts, paint: Painter) -> str:
    """Each diagnostic with its location and help."""
    lines = (line for d in diagnostics for line in _diagnostic(d, texts, paint))
    return "".join(visible(f"{line}\n", "\n") for line in lines)


def _diagnostic(diagnostic: Diagnostic, texts: Texts, paint: Painter) -> Iterator[str]:
    head = f"{diagnostic.severity}[{diagnostic.name}]"
    message, *rest = diagnostic.message.split("\n")  # what follows is a stack trace
    head = f"{paint(_SEVERITIES[diagnostic.severity], head)}: "
    yield from wrapped(head, message, 2, lambda text: paint("bold", text))
    yield from rest
    if diagnostic.location is not None:
        yield from excerpt(diagnostic.location, "", texts, paint)
    if diagnostic.help is not None:
        hint, *rest = diagnostic.help.split("\n")
        yield from remark("help", hint, paint)
        yield from rest


def excerpt(location: Location, because: str, texts: Texts, paint: Painter) -> Iterator[str]:
    """The arrow, the source line, and carets under the token at `location`, with what is `because` of it."""
    yield f"  {paint('blue', '-->')} {location}"
    lines = texts.get(location.file, "").split("\n", location.line)
    if not (0 < location.line <= len(lines)) or not lines[location.line - 1].strip():
        yield from remark("note", because, paint) if because else ()
        return
    line = lines[location.line - 1]
    start = min(location.column - 1, len(line))
    token = _TOKEN.match(line, start)
    width = len(token[0]) if token and token[0].strip() else 1
    # Tabs keep their width, so that the carets stand under the token.
    indent = "".join(c if c == "\t" else " " * len(visible(c)) for c in line[:start])
    number = str(location.line)
    gutter = " " * (len(number) + 2)
    yield f"{gutter}{paint('blue', '|')}"
    yield f" {paint('blue', number)} {paint('blue', '|')} {_cut(line)}"
    fits = len(gutter) + 2 + len(indent) + width + 1 + len(because) <= WIDTH
    if start < LONGEST_LINE:
        beside = because if fits else ""
        yield f"{gutter}{paint('blue', '|')} {indent}{paint('red', '^' * width)} {beside}".rstrip()
    if because and not (fits and start < LONGEST_LINE):
        yield from remark("note", because, paint)


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "..."
