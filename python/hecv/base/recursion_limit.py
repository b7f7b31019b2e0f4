"""Bounds the recursion of Python code that also recurses through C."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

USUAL: Final = 1000
"""Frames that Python allows by default. More overflow the C stack where recursion goes by C (`map`, `tuple(...)`)."""


@contextmanager
def usual_depth() -> Generator[None]:
    """Allows at most `USUAL` more frames from here on, even where the recursion limit was raised before."""
    before, here = sys.getrecursionlimit(), 0
    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        frame, here = frame.f_back, here + 1
    sys.setrecursionlimit(min(before, here + USUAL))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
