"""Workers: whatever happens to one, the parent gets an answer."""

from __future__ import annotations

import os
import signal
import time

from hecv.verdict.worker import Limits, Stage, Stopped, run_all, run_apart

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
