"""Text that ends MLIR's parser is told of as any other bad input: it is parsed in a child process first."""

from __future__ import annotations

import os
import threading

import pytest

from hecv.base.diagnostics import InputError
from hecv.check import Options, check
from hecv.mlir.importer import parse
from hecv.mlir.module import crash_guard, parsed_module

PLAIN = "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}\n"
DEEP = "module {\n" * 100_000 + PLAIN + "}\n" * 100_000


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known to crash is not looked for."""

    def passes(text: str, file: str) -> None:
        return None

    monkeypatch.setattr(parsed_module, "_check_depth", passes)


def test_a_crash_is_a_diagnostic(unchecked: None) -> None:
    with pytest.raises(InputError) as problem:
        parse(DEEP, "deep.mlir")
    (found,) = problem.value.diagnostics
    assert found.name == "parser-crashed" and "SIGSEGV" in found.message and "deep.mlir" in found.message


def test_a_crash_is_an_error_of_the_input(unchecked: None) -> None:
    report = check(PLAIN, DEEP, ("plain.mlir", "deep.mlir"), Options())
    assert report.verdict == "error" and not report.internal
    assert [d.name for d in report.diagnostics] == ["parser-crashed"]


def test_an_endless_parse_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*given: object) -> None:
        while True:
            pass

    monkeypatch.setattr(crash_guard, "SECONDS", 1)
    assert crash_guard.crash_of(endless, 0) == "took more than 1 s"


def test_a_parse_that_waits_for_ever_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits() -> None:
        held = threading.Lock()
        held.acquire()
        held.acquire()

    monkeypatch.setattr(crash_guard, "SECONDS", 1)
    monkeypatch.setattr(crash_guard, "WAITS", 1)
    assert crash_guard.crash_of(waits, 0) == "did not come back within 1 s"


def test_how_work_ends() -> None:
    def fails() -> None:
        raise InputError

    assert crash_guard.crash_of(lambda: None, 0) is None
    assert crash_guard.crash_of(fails, 0) is None, "an exception is for the parent to see again"
    assert crash_guard.crash_of(lambda: os.abort(), 0) == "crashed with SIGABRT"


def test_a_crash_says_nothing_by_itself(capfd: pytest.CaptureFixture[str]) -> None:
    def speaks() -> None:
        os.write(2, b"Stack dump:\n")
        os.abort()

    assert crash_guard.crash_of(speaks, 0) is not None
    assert capfd.readouterr().err == ""


def test_what_ends_the_process_has_not_come_back() -> None:
    assert crash_guard.crash_of(lambda: os._exit(1), 10) == "ended the process with status 1"
    assert crash_guard.crash_of(lambda: int("no number"), 10) is None


def test_an_interrupt_after_the_child_has_ended_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = os.waitpid

    def interrupted(pid: int, options: int) -> tuple[int, int]:
        wait(pid, options)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "waitpid", interrupted)
    with pytest.raises(KeyboardInterrupt):
        crash_guard.crash_of(lambda: None, 0)
