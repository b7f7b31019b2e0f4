"""Attributes of modules that MLIR rejects: data layouts and targets of another version, or of another producer.

Each is dropped with a warning: MLIR gives no meaning to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

_HEAD: Final = re.compile(
    r'"(?:[^"\\]|\\.)*"|//[^\n]*|(\bmodule\b(?:\s+@(?:[\w$.-]+|"(?:[^"\\]|\\.)*"))?\s+attributes\s*\{)'
)
"""The group is the text up to the attributes of a module; strings and comments are skipped."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|->|>=|[()\[\]{}<>,]')
_ALIAS: Final = re.compile(r"^#[\w$.-]+\s*=[^\n]*\n", re.MULTILINE)
_VISIBLE: Final = re.compile(r"\S")


class Entry(Struct, frozen=True):
    """A named attribute of a module, from `start` to `end` of the text; `comma` is the place of a comma after it."""

    start: int
    end: int
    comma: int | None
    name: str


def without_rejected(text: str, accepts: Callable[[str], bool]) -> tuple[str, tuple[Entry, ...]]:
    """The text without the attributes of modules that MLIR does not accept on an empty module, and these attributes.

    `accepts` says whether MLIR accepts a text. What is dropped becomes spaces, so that locations stay.
    """
    head, dropped, spans = "", list[Entry](), list[tuple[int, int]]()
    lists = [entries for entries in _lists(text) if entries]
    aliases = [*_ALIAS.finditer(text, 0, lists[0][0].start if lists else 0)]
    all_hold = accepts("".join(alias[0] for alias in aliases))
    for alias in aliases:
        if all_hold or accepts(f"{head}{alias[0]}module {{}}"):
            head += alias[0]
        else:
            spans.append(alias.span())
    for entries in lists:
        kept = [e for e in entries if accepts(f"{head}module attributes {{{text[e.start : e.end]}}} {{}}")]
        rejected = [e for e in entries if e not in kept]
        dropped += rejected
        spans += [(e.start, e.end) for e in rejected]
        spans += [(e.comma, e.comma + 1) for e in (*rejected, *kept[-1:]) if e.comma is not None]
    if not dropped:
        return text, ()
    for start, end in spans:
        text = text[:start] + _VISIBLE.sub(" ", text[start:end]) + text[end:]
    return text, tuple(dropped)


def _lists(text: str) -> Iterator[list[Entry]]:
    """The attributes of each module."""
    for head in _HEAD.finditer(text):
        if head[1]:
            yield list(_entries(text, head.end()))


def _entries(text: str, start: int) -> Iterator[Entry]:
    """The attributes from `start` to the brace that closes their list."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in tuple("([{<"):
            depth += 1
        elif token[0] in tuple(")]}>"):
            depth -= 1
        ends = depth < 0
        if ends or (token[0] == "," and depth == 0):
            entry = text[start : token.start()]
            if entry.strip():
                begin = start + len(entry) - len(entry.lstrip())
                name = entry.partition("=")[0].strip()
                yield Entry(begin, token.start(), None if ends else token.start(), name)
            start = token.end()
        if ends:
            return
