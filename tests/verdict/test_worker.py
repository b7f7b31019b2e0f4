"""Workers: whatever happens to one, the parent gets an answer."""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import time

import pytest

from hecv.process.worker_main import SELDOM, seldom_searched
from hecv.process.worker_pool import Limits, Stage, Stopped, run_all, run_apart

LIMITS = Limits(10.0, 1000)


def ignore(stage: str, seconds: float) -> None:
    pass


def test_result() -> None:
    assert run_apart(lambda stage: {"a": [1, 2.5, b"x" * 200_000]}, LIMITS, ignore) == {"a": [1, 2.5, b"x" * 200_000]}


def test_exception() -> None:
    def work(stage: Stage) -> None:
        stage("working", 3)
        raise KeyError("lost")

    end = run_apart(work, LIMITS, ignore)
    assert isinstance(end, Stopped) and (end.reason, end.stage, end.runs) == ("exception", "working", 3)
    assert "KeyError: 'lost'" in end.text


def test_crash() -> None:
    end = run_apart(lambda stage: os.kill(os.getpid(), signal.SIGSEGV), LIMITS, ignore)
    assert isinstance(end, Stopped) and end.reason == "crash" and "SIGSEGV" in end.text


def test_exit() -> None:
    end = run_apart(lambda stage: os._exit(1), LIMITS, ignore)
    assert isinstance(end, Stopped) and end.reason == "crash" and "status 1" in end.text


def test_time_limit() -> None:
    seen: list[str] = []

    def work(stage: Stage) -> None:
        stage("sleeping", 0)
        time.sleep(60)

    started = time.monotonic()
    end = run_apart(work, Limits(1.0, 1000), lambda stage, seconds: seen.append(stage))
    assert isinstance(end, Stopped) and (end.reason, end.stage) == ("time-limit", "sleeping")
    assert time.monotonic() - started < 10 and "sleeping" in seen


def test_the_limit_is_by_the_clock() -> None:
    """A worker that waits for a core that others use is ended in time, too."""

    def work(stage: Stage) -> None:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for _ in range(3):
            if os.fork() == 0:
                break
        while True:
            pass

    started = time.monotonic()
    end = run_apart(work, Limits(0.5, 1000), ignore)
    assert isinstance(end, Stopped) and end.reason == "time-limit"
    assert 0.5 <= time.monotonic() - started < 2.5


def test_what_was_spent_before_counts() -> None:
    started = time.monotonic()
    end = run_apart(lambda stage: time.sleep(60), Limits(60.0, 1000, spent=59.8), ignore)
    assert isinstance(end, Stopped) and end.reason == "time-limit" and "60 s" in end.text
    assert time.monotonic() - started < 10


def test_a_task_that_is_run_again_has_the_time_that_is_left() -> None:
    """The second one brings down its worker, and hangs in a fresh one."""
    reader, writer = os.pipe()

    def second(stage: Stage) -> None:
        os.write(writer, b"x")
        if len(os.read(reader, 8)) == 1:
            os.write(writer, b"yy")
            time.sleep(0.6)
            os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(60)

    started = time.monotonic()
    outcomes = run_all([lambda stage: "first", second], Limits(1.2, 1000), lambda number, stage, seconds: None, 1)
    assert outcomes[0] == "first" and isinstance(outcomes[1], Stopped) and outcomes[1].reason == "time-limit"
    assert time.monotonic() - started < 2.5


def test_time_limit_reaches_what_the_worker_started() -> None:
    reader, writer = os.pipe()

    def work(stage: Stage) -> None:
        if os.fork() == 0:
            time.sleep(60)
        time.sleep(60)

    run_apart(work, Limits(0.3, 1000), ignore)
    os.close(writer)
    # The pipe ends once no process holds the other end.
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_memory_limit() -> None:
    end = run_apart(lambda stage: len(bytearray(500 << 20)), Limits(10.0, 100), ignore)
    assert isinstance(end, Stopped) and end.reason == "memory-limit"


def test_several_at_a_time_each_with_its_own_end() -> None:
    def slow(stage: Stage) -> None:
        stage("sleeping", 0)
        time.sleep(30)

    works = [lambda stage: "first", slow, lambda stage: os._exit(1), lambda stage: "last"]
    seen: set[tuple[int, str]] = set()
    ends = run_all(works, Limits(1.0, 1000), lambda number, stage, seconds: seen.add((number, stage)), 2)
    assert (ends[0], ends[3]) == ("first", "last")
    assert [e.reason for e in ends[1:3]] == ["time-limit", "crash"]
    assert ends[1].seconds >= 1 and seen == {(1, "sleeping")}


def test_as_many_at_a_time_as_asked_for() -> None:
    def nap(stage: Stage) -> tuple[float, float]:
        began = time.monotonic()
        time.sleep(0.2)
        return began, time.monotonic()

    spans = run_all([nap] * 5, LIMITS, lambda *now: None, 2)
    running = [sum(begin <= begin_other < end for begin, end in spans) for begin_other, _ in spans]
    assert max(running) == 2


def test_one_worker_takes_one_piece_after_the_other() -> None:
    assert len(set(run_all([lambda stage: os.getpid()] * 6, LIMITS, lambda *now: None, 1))) == 1


def test_what_brings_down_a_worker_that_was_used_is_done_again_by_a_new_one() -> None:
    used: list[int] = []

    def first(stage: Stage) -> int:
        used.append(1)
        return os.getpid()

    def fails_after_others(stage: Stage) -> int:
        if used:
            os.kill(os.getpid(), signal.SIGSEGV)
        return os.getpid()

    def raises_after_others(stage: Stage) -> int:
        if used:
            raise KeyError("left behind")
        return os.getpid()

    works = [first, fails_after_others, first, raises_after_others, first, lambda stage: os._exit(3), first]
    ends = run_all(works, LIMITS, lambda *now: None, 1)
    assert all(isinstance(end, int) for k, end in enumerate(ends) if k != 5)
    assert ends[0] != ends[1] and ends[2] != ends[3]
    assert isinstance(ends[5], Stopped) and "status 3" in ends[5].text


@pytest.mark.one_in(2)
def test_processor_time_is_counted_for_each_piece() -> None:
    def burn(stage: Stage) -> int:
        began = time.process_time()
        while time.process_time() < began + 1.01:
            pass
        return resource.getrlimit(resource.RLIMIT_CPU)[0]

    first, second = run_all([burn] * 2, Limits(60.0, 1000), lambda *now: None, 1)
    assert first < second


def test_time_limit_of_a_later_piece() -> None:
    works = [lambda stage: 1, lambda stage: time.sleep(60), lambda stage: 3]
    started = time.monotonic()
    ends = run_all(works, Limits(0.5, 1000), lambda *now: None, 1)
    assert ends[0] == 1 and ends[2] == 3 and ends[1].reason == "time-limit"
    assert time.monotonic() - started < 10


@pytest.mark.one_in(2)
def test_a_worker_that_keeps_too_much_is_replaced() -> None:
    kept: list[bytearray] = []

    def hoard(stage: Stage) -> int:
        kept.append(bytearray(b"x" * (250 << 20)))
        return os.getpid()

    pids = run_all([hoard] * 4, Limits(30.0, 4000), lambda *now: None, 1)
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_what_a_worker_keeps_is_looked_through_once() -> None:
    kept: list[bytearray] = []

    def keep(stage: Stage) -> int:
        if not kept:
            kept.append(bytearray(b"x" * (150 << 20)))
        return gc.get_stats()[2]["collections"]

    first, *others = run_all([keep] * 4, Limits(30.0, 4000), lambda *now: None, 1)
    assert others == [first + 1] * 3


@pytest.mark.parametrize("rarely", [False, True])
def test_cycles_are_looked_for_seldom_for_a_while(rarely: bool) -> None:
    usual = gc.get_threshold()
    with pytest.raises(KeyError), seldom_searched(rarely):
        assert gc.get_threshold() == (SELDOM if rarely else usual)
        raise KeyError
    assert gc.get_threshold() == usual


def test_recursion_of_one_piece_is_not_that_of_the_next() -> None:
    def deep(stage: Stage) -> int:
        sys.setrecursionlimit(50_000)
        return 0

    usual = sys.getrecursionlimit()
    assert run_all([deep, lambda stage: sys.getrecursionlimit()], LIMITS, lambda *now: None, 1) == [0, usual]
