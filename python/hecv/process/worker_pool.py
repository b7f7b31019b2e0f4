"""Worker pool: runs tasks in child processes within limits of time and memory; a crash ends only its own worker.

A worker runs one task after another, so what it loads serves all of them. If a task brings down a worker that has run
others before, it is run again in a fresh worker, in the time that it has left: its result must not depend on earlier
tasks. Time is that of the clock, whatever else the machine does.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Literal

from msgspec import Struct

from hecv.base.forking import fork
from hecv.process.worker_main import NUMBER, Limits, Stage, Work, live

__all__ = ["Limits", "Stage", "Stopped", "Work", "run_all", "run_apart"]

TICK: Final = 0.25
"""Seconds between two looks at silent workers."""


class Stopped(Struct, frozen=True):
    """A task that ended without a result after so many seconds.

    `stage` and `runs` are the last that it reported; `text` says what happened.
    """

    reason: Literal["time-limit", "memory-limit", "crash", "exception", "system-error"]
    text: str
    stage: str
    runs: int
    seconds: float = 0.0


def run_apart(work: Work, limits: Limits, tick: Callable[[str, float], None]) -> Any | Stopped:
    """What `work` returns in a forked child, or how it stopped.

    `tick` is called a few times a second with the stage and the seconds passed.
    """
    return run_all((work,), limits, lambda number, stage, seconds: tick(stage, seconds), 1)[0]


def run_all(
    works: Sequence[Work], limits: Limits, tick: Callable[[int, str, float], None], jobs: int
) -> list[Any | Stopped]:
    """What each of the works returns in a forked child, or how it stopped; `jobs` run at a time.

    `tick` is called a few times a second with the number of a work, its stage and the seconds passed.
    """
    outcomes: list[Any | Stopped] = [None] * len(works)
    spent = [limits.spent] * len(works)
    waiting, alone = deque(range(len(works))), deque[int]()
    workers: list[_Worker] = []
    try:
        while True:
            _release(waiting, workers, spent)
            while (alone or waiting) and len(workers) < jobs:
                workers.append(_Worker(works, limits, workers))
                number = (alone or waiting).popleft()
                workers[-1].take(number, spent[number])
            if not workers:
                return outcomes
            for worker in _heard(workers, limits.seconds, tick):
                number, again = worker.number, worker.done > 0
                spent[number] = limits.seconds - worker.left(monotonic(), limits.seconds)
                outcomes[number] = outcome = worker.outcome(limits)
                late = spent[number] >= limits.seconds
                if again and isinstance(outcome, Stopped) and outcome.reason != "time-limit" and not late:
                    alone.append(number)
    finally:
        for worker in workers:
            worker.end()


def _release(waiting: deque[int], workers: list[_Worker], spent: Sequence[float]) -> None:
    """Gives waiting tasks to idle workers, and ends the workers for which there are none."""
    for worker in [w for w in workers if w.idle]:
        if waiting and not worker.spent:
            number = waiting.popleft()
            worker.take(number, spent[number])
        else:
            worker.end()
            workers.remove(worker)


def _heard(workers: Sequence[_Worker], seconds: float, tick: Callable[[int, str, float], None]) -> list[_Worker]:
    """Reads what the workers write, for a while; returns those that finished, died, or ran out of time."""
    now = monotonic()
    left = min(worker.left(now, seconds) for worker in workers)
    ready = select.select([w.reader for w in workers], [], [], min(TICK, max(left, 0)))[0]
    for worker in workers:
        if worker.reader in ready:
            worker.hear()
    now = monotonic()
    found: list[_Worker] = []
    for worker in workers:
        worker.late = worker.left(now, seconds) <= 0
        if worker.answer is not None or worker.dead or worker.late:
            found.append(worker)
        elif not ready:
            tick(worker.number, worker.stage, now - worker.started)
    return found


class _Worker:
    """A forked worker process.

    It has worked on task `number` since `started`, or is `idle`; `done` is how many tasks it has finished. `answer` is
    the outcome that it reported. It is `dead` if it writes no more, `late` if its time is up, `spent` if it may get no
    more tasks.
    """

    def __init__(self, works: Sequence[Work], limits: Limits, others: Sequence[_Worker]) -> None:
        numbers, self._numbers = os.pipe()
        self.reader, writer = os.pipe()
        self._pid = fork()
        if self._pid == 0:
            # An end of another's pipe that is open here would keep from that one that it is to end.
            for worker in (self, *others):
                os.close(worker._numbers)
                os.close(worker.reader)
            live(works, limits, numbers, writer)
        os.close(numbers)
        os.close(writer)
        self.number, self.started, self.spent_before, self.done = 0, 0.0, 0.0, 0
        self.idle, self.spent, self.dead, self.late = True, False, False, False
        self.stage, self._runs = "start", 0
        self.answer: tuple[Any, ...] | None = None
        self._received = bytearray()
        self._status: int | None = None

    def take(self, number: int, spent: float = 0.0) -> None:
        """Sends it the number of a task, of whose time so many seconds were `spent`."""
        self.number, self.started, self.idle, self.spent_before = number, monotonic(), False, spent
        self.stage, self._runs = "start", 0
        with suppress(BrokenPipeError):  # it has died, which is heard
            os.write(self._numbers, NUMBER.pack(number))

    def left(self, now: float, seconds: float) -> float:
        """The time that its task has left of `seconds`."""
        return seconds - self.spent_before - (now - self.started)

    def hear(self) -> None:
        """Reads what it has written."""
        data = os.read(self.reader, 1 << 16)
        self.dead = not data
        self._received += data
        while len(self._received) >= NUMBER.size:
            end = NUMBER.size + NUMBER.unpack_from(self._received)[0]
            if len(self._received) < end:
                return
            message = pickle.loads(self._received[NUMBER.size : end])
            del self._received[:end]
            if message[0] == "stage":
                self.stage, self._runs = message[1:]
            else:
                self.answer = message

    def outcome(self, limits: Limits) -> Any | Stopped:
        """The outcome of the task; the worker is idle afterwards."""
        answer, self.answer, self.idle = self.answer, None, True
        match answer:
            case ("result" | "last" as kind, value):
                self.done += 1
                self.spent = kind == "last"
                return value
            case ("stopped", reason, text):
                end = reason, text
            case _:
                end = _cause(self.end(), self.late, limits)
        self.spent = True
        return Stopped(*end, self.stage, self._runs, monotonic() - self.started)

    def end(self) -> int:
        """Kills the worker and everything it started, if still running; returns its exit status."""
        if self._status is None:
            os.close(self._numbers)
            os.close(self.reader)
            _kill(self._pid)
            self._status = os.waitpid(self._pid, 0)[1]
        return self._status


def _cause(status: int, late: bool, limits: Limits) -> tuple[Literal["time-limit", "crash"], str]:
    """Why a worker with this exit status gave no answer."""
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if late or ended_by == signal.SIGXCPU:
        return "time-limit", f"the time limit of {limits.seconds:g} s was reached"
    if ended_by is None:
        return "crash", f"the worker ended with status {os.WEXITSTATUS(status)}"
    return "crash", f"the worker crashed with {signal.Signals(ended_by).name}"


def _kill(pid: int) -> None:
    """Kills the child and everything it started. A child that has ended by itself is left to be reaped."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
