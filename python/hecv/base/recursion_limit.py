"""How deep Python may recurse."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

USUAL: Final = 1000
"""Python's own limit. Deeper recursion by way of C (`map`, `tuple` of a generator) overflows the stack."""


@contextmanager
def usual_depth() -> Generator[None]:
    """No deeper from here than Python's own limit allows, also where it was raised before."""
    before, here = sys.getrecursionlimit(), 0
    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        frame, here = frame.f_back, here + 1
    sys.setrecursionlimit(min(before, here + USUAL))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
