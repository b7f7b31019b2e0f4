"""What the system refuses is no bug of hecv: full disks, closed streams, tools that are none, too many processes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from typing import NoReturn

import pytest

from hecv import check as checking
from hecv.base.system_errors import system_error
from hecv.check import Options, check
from hecv.claim.result import exit_code
from hecv.process.worker_pool import Limits, Stopped, run_apart

from .conftest import PACKAGE, Shell
from .programs import ADD, FIRST

COMMAND = f'"{sys.executable}" -m hecv'


def shell_run(shell: Shell, command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": PACKAGE}
    words = ["bash", "-c", command]
    return subprocess.run(words, cwd=shell.folder, env=env, capture_output=True, text=True, timeout=60)


def test_a_closed_pipe_ends_quietly(shell: Shell) -> None:
    file = shell.write("f.mlir", ADD)
    done = shell_run(shell, f"{COMMAND} check {file} {file} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout.strip(), done.stderr) == ("141", "")


@pytest.mark.parametrize(
    ("redirection", "name"),
    [(">/dev/full", "system-error"), (">&-", "answer-unwritable"), ("- <&-", "file-unreadable")],
)
def test_streams_that_are_full_or_closed(shell: Shell, redirection: str, name: str) -> None:
    file = shell.write("f.mlir", ADD)
    second = "" if redirection.startswith("-") else file
    done = shell_run(shell, f"{COMMAND} check {file} {second} {redirection}")
    assert done.returncode == 2 and done.stderr.startswith(f"error[{name}]: ")
    assert "bug" not in done.stderr and "Traceback" not in done.stderr


def test_a_closed_stream_for_errors_changes_no_answer(shell: Shell) -> None:
    file, other = shell.write("f.mlir", ADD), shell.write("g.mlir", FIRST)
    done = shell_run(shell, f"{COMMAND} check {file} {other} 2>&-")
    assert done.returncode == 1 and done.stdout.startswith("not equivalent: @f")


def test_a_full_disk_keeps_the_verdict(shell: Shell) -> None:
    answer = shell.check(ADD, ADD, "--certificate", "/dev/full")
    assert answer.status == 2 and answer.out.startswith("equivalent: @f")
    assert "error[file-unwritable]: cannot write /dev/full: no space left on device" in answer.said
    assert "help: make room, or name a file elsewhere" in answer.said
    shell.write("in.mlir", ADD)
    answer = shell.run("opt", "in.mlir", "--pass-pipeline=cse", "-o", "/dev/full")
    assert answer.status == 2 and "no space left on device" in answer.said


@pytest.mark.parametrize("tool", ["/bin/cat", "/bin/true", "in.mlir", "mlir-opt=no/such/file", "."])
def test_a_tool_that_is_none(shell: Shell, tool: str) -> None:
    shell.write("in.mlir", ADD)
    answer = shell.run("opt", "in.mlir", "--pass-pipeline=cse", "--tool", tool)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(("error[tool-not-runnable]: ", "error[tool-not-found]: "))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.EAGAIN, errno.EACCES])
def test_what_the_system_refuses_in_a_worker(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> NoReturn:
        raise OSError(number, os.strerror(number), "/tmp/x")

    found = run_apart(refused, Limits(10.0, 1024), lambda _stage, _seconds: None)
    assert isinstance(found, Stopped) and found.reason == "system-error" and found.text.endswith(": /tmp/x")
    monkeypatch.setattr(checking, "decide", refused)
    report = check(ADD, ADD, ("a.mlir", "b.mlir"), Options())
    assert (report.verdict, report.internal, exit_code(report)) == ("error", False, 2)
    assert [d.name for d in report.diagnostics] == ["system-error"]


def test_what_hecv_should_have_made_sure_of_is_its_bug() -> None:
    assert system_error(FileNotFoundError(errno.ENOENT, "no such file", "/x")) is None
    assert system_error(ValueError("no space left on device")) is None
    assert system_error(MemoryError()) == "memory is used up"
