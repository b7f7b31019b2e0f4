"""JSON with source positions: the parsed data, and where in the text each part stands."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring
from typing import Any, Final

from hecv.base.diagnostics import Diagnostic, InputError, Location

Path = tuple[str | int, ...]
"""The keys and positions that lead to a part of the data."""

INVALID: Final = "invalid-json"
DEEPEST: Final = 200
"""The deepest nesting of a JSON text; rule files are flat, whatever the patterns."""

_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
"""Strings as a whole, and brackets outside of strings."""

_BLANK: Final = " \t\n\r"


class Wrong(Exception):
    """The part at `path` does not have the expected form."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def read(text: str, file: str) -> Any:
    """The value of a JSON text. Keys must be unique, and NaN and infinities are not JSON.

    Raises: InputError if it is not JSON.
    """
    if _is_deep(text):
        raise InputError(Diagnostic("error", INVALID, "nested too deep", Location(file, 1, 1)))
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except json.JSONDecodeError as problem:
        place = Location(file, problem.lineno, problem.colno)
        raise InputError(Diagnostic("error", INVALID, problem.msg.lower(), place)) from None
    except ValueError as problem:
        raise InputError(Diagnostic("error", INVALID, str(problem), Location(file, 1, 1))) from None


def _is_deep(text: str) -> bool:
    """Whether brackets are nested deeper than `DEEPEST`; a decoder without this may run out of its stack."""
    depth = 0
    for bracket in _BRACKETS.findall(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(bracket, 0)
        if depth > DEEPEST:
            return True
    return False


def place(text: str, file: str, path: Path) -> Location:
    """The location of a part of a JSON text; for a missing part, that of the enclosing one."""
    offset = _skip(text, 0)
    for step in path:
        inner = _member(text, offset, step) if isinstance(step, str) else _item(text, offset, step)
        if inner is None:
            break
        offset = inner
    line = text.count("\n", 0, offset) + 1
    return Location(file, line, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"an object has the key `{next(k for k in keys if keys.count(k) > 1)}` twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"`{constant}` is not JSON")


def _skip(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] in _BLANK:
        offset += 1
    return offset


def _after(text: str, offset: int) -> int:
    """Behind the value that begins here, and what separates it from the next."""
    _, end = json.JSONDecoder().raw_decode(text, offset)
    end = _skip(text, end)
    return _skip(text, end + 1) if text[end : end + 1] == "," else end


def _member(text: str, offset: int, key: str) -> int | None:
    if text[offset : offset + 1] != "{":
        return None
    offset = _skip(text, offset + 1)
    while text[offset : offset + 1] == '"':
        found, offset = scanstring(text, offset + 1)
        offset = _skip(text, _skip(text, offset) + 1)
        if found == key:
            return offset
        offset = _after(text, offset)
    return None


def _item(text: str, offset: int, position: int) -> int | None:
    if text[offset : offset + 1] != "[":
        return None
    offset = _skip(text, offset + 1)
    for _ in range(position):
        if text[offset : offset + 1] in ("]", ""):
            return None
        offset = _after(text, offset)
    return None if text[offset : offset + 1] in ("]", "") else offset
