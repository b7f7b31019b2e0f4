"""Source text: reads and writes files, and finds the SSA names that MLIR's parser drops."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from errno import EACCES, EDQUOT, EISDIR, ENOENT, ENOSPC
from itertools import accumulate
from pathlib import Path
from typing import TextIO

from hecv.base.diagnostics import Diagnostic, InputError

STDIN = "<stdin>"

BYTE_ORDER_MARK = "\ufeff"
"""What some editors put before the text of a file."""

_OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|->|>=|==|%[\w$.-]+|[()\[\]{}<>,]')
_ENTRY_BLOCK = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|(\^[\w$.-]+)\s*(?=\()')
"""The group is the label of a block with arguments; strings and comments are skipped."""
_SYMBOL = re.compile(r'func\.func\s+(?:public\s+|private\s+|nested\s+)?@"?')
_PARAMETERS = re.compile(r'"?\s*(?=\()')
"""The text between a function's symbol and its parameters."""
_RESULT = re.compile(r"%([\w$.-]+)\s*=\s*$")


def display_name(path: str) -> str:
    """The name of `path` in diagnostics."""
    return STDIN if path == "-" else path


def read_text(path: str) -> str:
    """The text of the file `path`, or of standard input if it is `-`.

    Raises: InputError if it cannot be read, or is not text.
    """
    data = _read_input() if path == "-" else _read_file(path)
    file = display_name(path)
    if b"\0" in data:
        hint = "give MLIR text; `mlir-opt FILE` prints bytecode as text"
        raise _error("file-not-text", f"{file} is binary: it holds a NUL byte", hint)
    try:
        text = data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as problem:
        hint = "save the file as UTF-8"
        raise _error("file-not-text", f"{file} is not UTF-8: byte {problem.start} is invalid", hint) from None
    if not text.strip():
        hint = "the tool that should have written it may have failed: look at its messages"
        raise _error("file-empty", f"{file} is empty", hint)
    return text


def write_text(path: str, text: str) -> None:
    """Writes the file `path` completely or not at all: the old contents stay until the new text is on disk.

    Raises: InputError if it cannot be written.
    """
    try:
        where = Path(path).resolve()
        if where.exists() and not where.is_file():  # a device or a pipe takes text, and has to stay
            where.write_text(text, encoding="utf-8")
        else:
            _replace(where, text)
    except (OSError, ValueError, RuntimeError) as problem:
        raise unwritable(path, problem) from None


def require_writable(path: str) -> None:
    """Checks that `write_text` could write `path`, before long work; writes nothing.

    Raises: InputError if it is a folder, if its folder is missing, or if permissions forbid it.
    """
    try:
        where = Path(path).resolve()
        if where.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        in_place = where.exists() and not where.is_file()
        if not in_place and not where.parent.is_dir():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT))
        if not os.access(where if in_place else where.parent, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
    except (OSError, ValueError, RuntimeError) as problem:
        raise unwritable(path, problem) from None


def _replace(where: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{where.name}.", dir=where.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, where.stat().st_mode & 0o777 if where.exists() else 0o666 & ~_umask())
        os.replace(name, where)
    except BaseException:
        os.unlink(name)
        raise


def unwritable(path: str, problem: Exception) -> InputError:
    """The error for a file or folder that cannot be written."""
    full = isinstance(problem, OSError) and problem.errno in (ENOSPC, EDQUOT)
    hint = "make room, or name a file elsewhere" if full else "check that its folder exists, and its permissions"
    return _error("file-unwritable", f"cannot write {path}: {_reason(problem)}", hint)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _read_input() -> bytes:
    # Python's type says otherwise, but there is no such stream where a shell closed it.
    given: TextIO | None = sys.stdin
    if given is None:
        raise _error("file-unreadable", "standard input is closed", "name a file, or give it by a pipe")
    try:
        return given.buffer.read()
    except OSError as problem:
        hint = "name a file, or give it by a pipe"
        raise _error("file-unreadable", f"cannot read standard input: {_reason(problem)}", hint) from None


def _read_file(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise _error("file-not-found", f"there is no file {path}", "check the path and the folder you are in") from None
    except IsADirectoryError:
        raise _error("file-is-directory", f"{path} is a directory", "name a file in it") from None
    except (OSError, ValueError) as problem:
        hint = "check the path and its permissions"
        raise _error("file-unreadable", f"cannot read {path}: {_reason(problem)}", hint) from None


def _reason(problem: Exception) -> str:
    told = problem.strerror if isinstance(problem, OSError) else None
    return (told or str(problem)).lower()


def _error(name: str, message: str, hint: str) -> InputError:
    return InputError(Diagnostic("error", name, message, help=hint))


class SourceNames:
    """SSA names by location in a text; locations are MLIR's, whose lines and columns count from 1."""

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] | None = None

    def _offset(self, line: int, column: int) -> int:
        """The offset of a location in the text, -1 if there is no such line."""
        if self._starts is None:
            self._starts = list(accumulate((len(content) + 1 for content in self._text.split("\n")), initial=0))
        return self._starts[line - 1] + column - 1 if 0 < line < len(self._starts) else -1

    def result(self, line: int, column: int) -> str | None:
        """The name before `=` of the op at this location, if it is on the same line."""
        end = self._offset(line, column)
        found = _RESULT.search(self._text[max(end - column + 1, 0) : end]) if end >= 0 else None
        return found[1] if found else None

    def arguments(self, line: int, column: int, count: int, symbol: str) -> tuple[str, ...] | None:
        """The names of the `count` arguments of the function `symbol` at this location, in either syntax.

        None if no such function begins there (`loc(...)` in the text may set any location).
        """
        start = self._offset(line, column)
        if start < 0:
            return None
        if self._text.startswith('"func.func"', start):
            begin = next((m.end() for m in _ENTRY_BLOCK.finditer(self._text, start) if m[1]), len(self._text))
        else:
            head = _SYMBOL.match(self._text, start)
            if head is None or not self._text.startswith(symbol, head.end()):
                return None
            found = _PARAMETERS.match(self._text, head.end() + len(symbol))
            if found is None:
                return None
            begin = found.end()
        names = _names_in_parentheses(self._text, begin)
        return tuple(names) if len(names) == count else None


def _names_in_parentheses(text: str, start: int) -> list[str]:
    """The `%names` directly inside the parentheses that open at `start`."""
    names: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token in _OPENING:
            depth += 1
        elif token in _OPENING.values():
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and token[0] == "%":
            names.append(token[1:])
    return names
