"""Work on many arrays by all CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def in_threads(function: Callable[[_Given], _Made], parts: Iterable[_Given]) -> list[_Made]:
    """The function of each part. Threads share the work as far as the function lets go of the interpreter's lock, as
    BLAKE2 and NumPy do with long arrays."""
    given = list(parts)
    if len(given) < 2:
        return [function(part) for part in given]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, given))
