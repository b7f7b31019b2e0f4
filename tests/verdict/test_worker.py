"""Workers: whatever happens to one, the parent gets an answer."""

from __future__ import annotations

import os
import signal
import time

from hecv.verdict.worker import Limits, Stage, Stopped, run_apart

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
