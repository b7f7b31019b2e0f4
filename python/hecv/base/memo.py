"""A memo of recent results, for one program that is compared with many others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

KEPT: Final = 4
"""Results kept for each function, at most: the most recently used ones."""


class Once:
    """Calls a pure function, or returns its earlier result if it was recently called on equal arguments.

    A caller that compares one program with many others keeps one of these, so that work on that program alone is done
    once.
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any], Any]]] = {}

    def __call__(self, make: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """What `make` returns. Exceptions are not remembered."""
        kept = self._made.setdefault(make, [])
        for place, (old, old_named, result) in enumerate(kept):
            if old == args and old_named == named:
                kept.append(kept.pop(place))
                return result
        result = make(*args, **named)
        del kept[: max(0, len(kept) - KEPT + 1)]
        kept.append((args, named, result))
        return result
