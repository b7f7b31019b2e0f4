"""A memo of recent results, for one program that is compared with many others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

KEPT: Final = 4
"""So many results of each function are kept: those that were asked for last."""


class Once:
    """Calls functions without effects, unless one was called on equal arguments a few calls before.

    Who compares one program with many others keeps one of these: then what is made of that program alone is at hand.
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any], Any]]] = {}

    def __call__(self, make: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """What `make` returns. What it raises is not kept."""
        kept = self._made.setdefault(make, [])
        for place, (old, old_named, result) in enumerate(kept):
            if old == args and old_named == named:
                kept.append(kept.pop(place))
                return result
        result = make(*args, **named)
        del kept[: max(0, len(kept) - KEPT + 1)]
        kept.append((args, named, result))
        return result
