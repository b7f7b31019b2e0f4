"""Names that a user's program gives to tensors: `hecv.log_tensor(x, "hidden")`. Reports call the value so, and say how
it is related. Outside a capture nothing happens. This module imports nothing of torch."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

T = TypeVar("T")

_NAME: Final = re.compile(r"[A-Za-z_]\w*(\.\w+)*")

_SINK: Final[ContextVar[Callable[[Any, str], None] | None]] = ContextVar("sink", default=None)


def log_tensor(tensor: T, name: str) -> T:
    """Names a tensor of a program that `hecv refine` captures from PyTorch, and returns it. A name that is given again,
    as in a loop, gets a number: `hidden`, `hidden.1`.

    Raises: ValueError if the name is not made of letters, digits, `_` and dots.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a tensor: use letters, digits, `_` and dots, such as `mlp.hidden`")
    sink = _SINK.get()
    if sink is not None:
        sink(tensor, name)
    return tensor


@contextmanager
def logging_to(sink: Callable[[Any, str], None]) -> Generator[None]:
    """Gives what is logged to `sink`."""
    kept = _SINK.set(sink)
    try:
        yield
    finally:
        _SINK.reset(kept)
