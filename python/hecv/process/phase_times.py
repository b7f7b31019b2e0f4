"""Stopwatch for the phases of one decision: seconds spent in each."""

from __future__ import annotations

from time import perf_counter

from hecv.process.worker_main import Stage


class Phases:
    """Reports each new phase and measures how long it takes."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._seconds: dict[str, float] = {}
        self._entered: tuple[str, float] | None = None
        self._started = perf_counter()

    def since(self) -> float:
        """Seconds since the first phase could begin."""
        return perf_counter() - self._started

    def __call__(self, stage: str, runs: int) -> None:
        """Starts the phase `stage` now."""
        self._leave()
        self._entered = stage, perf_counter()
        self._stage(stage, runs)

    def _leave(self) -> None:
        if self._entered is not None:
            stage, began = self._entered
            self._seconds[stage] = self._seconds.get(stage, 0.0) + perf_counter() - began

    def measured(self) -> tuple[tuple[str, float], ...]:
        """Each phase with its seconds, in the order of first start."""
        self._leave()
        self._entered = None
        return tuple(self._seconds.items())
