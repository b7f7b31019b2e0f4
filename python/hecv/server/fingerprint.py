"""The state of the code that a server has loaded: one that has changed since is not what a new process would run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

PACKAGE: Final = Path(__file__).parents[1]

AT_START: Final = ("PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "LD_LIBRARY_PATH", "LD_PRELOAD")
"""Environment variables that are read when a process starts, so that a fork cannot follow them."""


class Code(Struct, frozen=True):
    """The modules of the package and the folders that packages are installed in, and `seen`: of each when it changed
    last, in nanoseconds, and its size in bytes."""

    paths: tuple[str, ...]
    seen: tuple[tuple[int, int], ...]

    def is_current(self) -> bool:
        """Whether all of them are still as they were. A module that is new is used by one that has changed."""
        try:
            return all(map(_is_as_seen, self.paths, self.seen))
        except OSError:
            return False


def code() -> Code:
    """The code as it is now."""
    paths = tuple(_paths())
    return Code(paths, tuple((found.st_mtime_ns, found.st_size) for found in map(os.stat, paths)))


def _paths() -> Iterator[str]:
    yield from map(str, PACKAGE.rglob("*.py"))
    yield from (folder for folder in sys.path if folder.endswith("-packages") and os.path.isdir(folder))


def _is_as_seen(path: str, seen: tuple[int, int]) -> bool:
    found = os.stat(path)
    return (found.st_mtime_ns, found.st_size) == seen


def at_start(environment: dict[bytes, bytes]) -> tuple[bytes, ...]:
    """The values of `AT_START`."""
    return tuple(environment.get(name.encode(), b"") for name in AT_START)
