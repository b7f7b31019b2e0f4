"""Limits of rewriting: time and memory, and the report on searches that met a limit.

Rewriting runs in the caller's process, so it checks time and memory itself.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from math import inf
from time import monotonic, process_time
from typing import Final, Literal

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic
from hecv.patterns.machine.machine import Search

Reached = Literal["time-limit", "memory-limit"]

TICK: Final = 0.05
"""Seconds between two checks."""


class Watch(Struct):
    """Limits: a `time.process_time`, and the size of the process in megabytes."""

    deadline: float = inf
    megabytes: float = inf
    _next: float = 0.0

    def reached(self) -> Reached | None:
        """The limit that is reached, if any. Cheap to ask: most answers are those of the last check."""
        now = monotonic()
        if now < self._next:
            return None
        self._next = now + TICK
        if process_time() > self.deadline:
            return "time-limit"
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return "memory-limit" if kilobytes > self.megabytes * 1024 else None


def cuts(search: Search) -> Iterator[Diagnostic]:
    """Notes that a search met a limit, so there may be more matches."""
    for name in sorted(search.depth_reached):
        text = f"pattern '{name}' is nested more than {search.depth:,} deep: not all matches were looked for"
        yield Diagnostic("note", "search-cut", text)
    if search.out_of_steps:
        yield Diagnostic("note", "search-cut", f"a search for a pattern was cut after {search.steps:,} steps")
