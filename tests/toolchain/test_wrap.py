"""`hecv wrap`: nobody can tell a wrapped tool from the tool itself, and its runs are validated."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from hecv.server import client
from hecv.toolchain.run_record import Run
from hecv.toolchain.tool_command import ToolCommand, read_command
from hecv.toolchain.validating_child import LOADING, PATIENCE, ValidatingChild

from .conftest import HECV, MLIR_OPT, PACKAGE, SUMS, Bench

VALIDATED = None

TRANSCRIPTS: dict[str, str | None] = {
    "$T mlir-opt sums.mlir -cse": VALIDATED,
    "$T mlir-opt --cse sums.mlir": VALIDATED,
    "$T mlir-opt --test-nothing sums.mlir": "the tool failed with exit status 1",
    "$T mlir-opt --sroa sums.mlir": VALIDATED,  # the tool is asked what --sroa is
    "$T mlir-opt sums.mlir --pass-pipeline='builtin.module(func.func(cse))'": VALIDATED,
    "$T mlir-opt -pass-pipeline 'builtin.module(cse,canonicalize)' sums.mlir": VALIDATED,
    "cat sums.mlir | $T mlir-opt -cse": VALIDATED,
    "cat sums.mlir | $T mlir-opt -cse -": VALIDATED,
    "cat sums.mlir <(echo '// end') | $T mlir-opt -cse | cat -A": VALIDATED,
    "$T mlir-opt -cse < sums.mlir": VALIDATED,
    "$T mlir-opt -cse sums.mlir -o out.mlir && cat out.mlir": VALIDATED,
    "$T mlir-opt -cse sums.mlir -o -": VALIDATED,
    "$T mlir-opt -cse sums.mlir -o=sums.mlir && cat sums.mlir": VALIDATED,
    "$T mlir-opt -cse sums.mlir > out.mlir; cat out.mlir": VALIDATED,
    "echo before > out.mlir; $T mlir-opt -cse sums.mlir >> out.mlir; cat out.mlir": VALIDATED,
    "$T mlir-opt -split-input-file -canonicalize chunks.mlir": VALIDATED,
    "sed 's,// -----,// @@@@,' chunks.mlir | $T mlir-opt --split-input-file='// @@@@' -canonicalize": VALIDATED,
    "$T mlir-opt sums.mlir --mlir-print-op-generic --mlir-print-debuginfo -cse": VALIDATED,
    "$T mlir-opt sums.mlir --mlir-print-ir-after-all -cse": VALIDATED,
    "$T mlir-opt sums.mlir -cse --mlir-print-ir-after=cse 2>&1": "the output has more than one module",
    "$T mlir-opt sums.mlir --verify-diagnostics": "--verify-diagnostics checks messages, not a program",
    "echo 'func.func @f( {' | $T mlir-opt": "the tool failed with exit status 1",
    "$T mlir-opt nowhere.mlir -cse": "the tool failed with exit status 1",
    "$T mlir-opt sums.mlir chunks.mlir": "the command names several inputs",
    "$T mlir-opt <(cat sums.mlir) -cse": "the input is not a regular file",
    "$T mlir-opt sums.mlir -o /dev/null": "the output is not a regular file",
    "$T mlir-opt --version": "the tool only prints information",
    "$T mlir-opt sums.mlir -cse --emit-bytecode | wc -c": "the output is bytecode",
    "$T mlir-opt sums.mlir >&-": "a standard stream is closed",
    "$T mlir-opt sums.mlir <&-": "a standard stream is closed",
    "$T wc sums.mlir": "hecv cannot read the output",
    "$T true sums.mlir": "the tool printed nothing",
    "$T sh -c 'cat >&2; kill -SEGV $$'": "the tool was ended by SIGSEGV",
    "yes | $T head": "the tool did not read all of its input",
    "yes | $T cat | head -n 1": "the tool was ended by SIGPIPE",
    "exec 7< sums.mlir; $T mlir-opt /dev/fd/7 -cse": VALIDATED,
}
"""Commands, with the reason why a run is not validated."""


def test_a_run_validated_by_a_server(bench: Bench, tmp_path: Path) -> None:
    """Where it has gone, nothing is lost."""
    place = str(tmp_path / "socket")
    served = client.start(place, {**os.environ, "PYTHONPATH": PACKAGE})
    line = "$T mlir-opt -cse sums.mlir && $T wrong-opt -cse sums.mlir"
    outputs = {bench.wrapped(line, **served).stdout}
    reports = bench.records()
    said = bench.shell(f"{HECV} serve --status; {HECV} serve --stop", **served).stdout.decode()
    assert "2 served" in said
    outputs.add(bench.wrapped(line, **served).stdout)
    assert len(outputs) == 1
    functions = [[(f["name"], f["verdict"]) for f in r["functions"]] for r in (*reports, *bench.records())]
    assert len(functions) == 4 and functions[:2] == functions[2:]
    assert sorted(functions[0] + functions[1]) == [("twice", "equivalent"), ("twice", "not-equivalent")]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("line", TRANSCRIPTS)
def test_a_wrapped_tool_looks_like_the_tool(line: str, bench: Bench, bare: Bench) -> None:
    wrapped, expected = bench.wrapped(line), bare.shell(line)
    assert (wrapped.returncode, wrapped.stdout, wrapped.stderr) == (
        expected.returncode,
        expected.stdout,
        expected.stderr,
    )
    record = bench.record()
    assert (record["validated"], record["reason"]) == (TRANSCRIPTS[line] is None, TRANSCRIPTS[line])
    assert record["verdict"] in (None, "equivalent")
    assert {path.name for path in bench.folder.iterdir()} - {"reports"} == {p.name for p in bare.folder.iterdir()}


def test_a_refuted_run(bench: Bench) -> None:
    wrapped = bench.wrapped("$T wrong-opt sums.mlir -cse")
    assert (wrapped.returncode, wrapped.stderr) == (0, b"")
    record = bench.record()
    assert (record["verdict"], record["command"]) == ("not-equivalent", ["wrong-opt", "sums.mlir", "-cse"])
    assert [(f["name"], f["verdict"]) for f in record["functions"]] == [("twice", "not-equivalent")]
    assert [same["name"] for same in record["identical"]] == ["same"]


def test_a_refuted_run_fails_if_it_is_to(bench: Bench) -> None:
    wrapped = bench.shell(f"{HECV} wrap -- wrong-opt sums.mlir -cse", HECV_FAIL="1")
    said = wrapped.stderr.decode().splitlines()
    assert wrapped.returncode == 1 and b"arith.subi" in wrapped.stdout
    assert said[0] == "hecv: refuted: wrong-opt sums.mlir -cse"
    assert said[1].startswith("not equivalent: @twice (") and said[2].startswith("  input    %a = ")
    assert not bench.reports.exists()


def test_a_run_that_holds_does_not_fail(bench: Bench) -> None:
    wrapped = bench.shell(f"{HECV} wrap -- mlir-opt sums.mlir -cse", HECV_FAIL="1")
    assert (wrapped.returncode, wrapped.stderr) == (0, b"")


def test_nothing_is_validated_unless_something_is_asked_for(bench: Bench) -> None:
    wrapped = bench.shell(f"{HECV} wrap -- wrong-opt sums.mlir -cse; ls")
    assert wrapped.returncode == 0 and b"subi" in wrapped.stdout and wrapped.stderr == b""
    assert sorted(path.name for path in bench.folder.iterdir()) == ["chunks.mlir", "sums.mlir", "wrong-opt"]


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("no-such-opt", 127, "command not found"),
        ("./no-such-opt", 127, "No such file or directory"),
        ("./sums.mlir", 126, "Permission denied"),
        ("/tmp", 126, "Is a directory"),
    ],
)
def test_a_tool_that_cannot_be_run(name: str, status: int, said: str, bench: Bench) -> None:
    wrapped = bench.wrapped(f"$T {name} sums.mlir")
    assert (wrapped.returncode, wrapped.stderr.decode()) == (status, f"hecv: {name}: {said}\n")
    assert wrapped.stdout == b"" and not bench.reports.exists()


def test_there_must_be_a_command(bench: Bench) -> None:
    for line in (f"{HECV} wrap", f"{HECV} wrap --", f"{HECV} wrap --time-limit 0 -- true"):
        assert bench.shell(line).returncode == 2
    limited = bench.shell(f"{HECV} wrap -- true", HECV_TIME_LIMIT="soon")
    assert limited.returncode == 2 and b"HECV_TIME_LIMIT" in limited.stderr


def test_output_and_messages_keep_their_order(bench: Bench) -> None:
    loop = "for k in 1 2 3 4 5 6 7 8; do echo out $k; echo err $k >&2; done"
    expected = b"".join(b"out %d\nerr %d\n" % (k, k) for k in range(1, 9))
    for redirected in ("2>&1", "2>&1 | cat", "> both 2>&1; cat both"):
        assert bench.wrapped(f"$T sh -c '{loop}' {redirected}").stdout == expected


def test_output_does_not_wait_for_hecv(bench: Bench) -> None:
    """What is printed first comes first, while the tool waits for more input."""
    command = [*HECV.split(), "wrap", "--", "sh", "-c", "while read line; do echo got $line; done"]
    env = os.environ | {"HECV_REPORT_DIR": str(bench.reports), "PYTHONPATH": str(bench.package)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=bench.folder) as ran:
        assert ran.stdin is not None and ran.stdout is not None
        for word in (b"one", b"two"):
            ran.stdin.write(word + b"\n")
            ran.stdin.flush()
            assert ran.stdout.readline() == b"got " + word + b"\n"
        ran.stdin.close()
    assert ran.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_tool_and_then_this_process(number: int, bench: Bench) -> None:
    line = f"exec {HECV} wrap -- sh -c 'echo $$; exec sleep 60'"
    env = os.environ | {"HECV_REPORT_DIR": str(bench.reports), "PYTHONPATH": str(bench.package)}
    with subprocess.Popen(["/bin/bash", "-c", line], stdout=subprocess.PIPE, env=env) as ran:
        assert ran.stdout is not None
        tool = int(ran.stdout.readline())
        os.kill(tool if number == signal.SIGKILL else ran.pid, number)
        assert ran.wait(60) == -number
    with pytest.raises(ProcessLookupError):
        os.kill(tool, 0)
    assert bench.record()["reason"] == f"the tool was ended by {signal.Signals(number).name}"


def test_the_same_run_has_the_same_report(bench: Bench) -> None:
    for line in ("$T mlir-opt sums.mlir -cse", "$T mlir-opt sums.mlir -cse", "$T mlir-opt sums.mlir -sccp"):
        bench.wrapped(line)
    assert len(bench.records()) == 2


def test_a_folder_that_cannot_be_written(bench: Bench) -> None:
    wrapped = bench.shell(f"{HECV} wrap -- mlir-opt sums.mlir", HECV_REPORT_DIR="sums.mlir/reports")
    assert wrapped.returncode == 0
    assert wrapped.stderr == b"hecv: cannot write a report to sums.mlir/reports: Not a directory\n"


def test_an_option_that_takes_a_file(bench: Bench) -> None:
    """`--table FILE` of a tool whose help says that it is no input: standard input is."""
    tool = "#!/bin/sh\ntest \"$1\" = --help && echo '  --table=<file>  - A table' || cat\n"
    bench.write("table-opt", tool).chmod(0o755)
    bench.wrapped("$T table-opt --table chunks.mlir < sums.mlir")
    assert bench.record()["reason"] == "the command does not tell its input"


def test_signatures_that_change_are_told(bench: Bench) -> None:
    bench.write("calls.mlir", SUMS)
    bench.wrapped("$T mlir-opt calls.mlir --convert-func-to-llvm --reconcile-unrealized-casts")
    assert {left["reason"] for left in bench.record()["left_out"]} == {"the signature of the function changes"}


def test_a_validation_that_takes_too_long_or_crashes() -> None:
    run = Run(["mlir-opt"], MLIR_OPT, ("a", "b"), SUMS.encode(), SUMS.encode(), 0)
    late = ValidatingChild(None).validate(run._replace(limit=-LOADING / PATIENCE))
    assert late.problem is not None and late.problem[0] == "the time limit was reached"
    child = ValidatingChild(None)
    os.kill(child.pid, signal.SIGKILL)
    assert child.validate(run).problem == ("hecv crashed", "its process ended with status -9")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("in.mlir -cse", ToolCommand("in.mlir")),
        ("-cse in.mlir", ToolCommand("in.mlir")),
        ("--my-pass in.mlir", ToolCommand("in.mlir", doubtful="my-pass")),
        ("--my-pass=x in.mlir", ToolCommand("in.mlir")),
        ("--table t.mlir -- in.mlir", ToolCommand("in.mlir")),
        ("-pass-pipeline builtin.module(cse) in.mlir", ToolCommand("in.mlir")),
        ("--pass-pipeline=builtin.module(cse)", ToolCommand()),
        ("-o out.mlir in.mlir", ToolCommand("in.mlir", "out.mlir")),
        ("--o=out.mlir -", ToolCommand("-", "out.mlir")),
        ("-split-input-file", ToolCommand(split="// -----")),
        ("--split-input-file=//@ --output-split-marker //%", ToolCommand(split="//@", output_split="//%")),
        ("@arguments", ToolCommand(refusal="arguments are in a response file")),
        ("a.mlir b.mlir", ToolCommand(refusal="the command names several inputs")),
        ("--verify-diagnostics=all a.mlir", ToolCommand(refusal="--verify-diagnostics checks messages, not a program")),
    ],
)
def test_command_lines(line: str, command: ToolCommand) -> None:
    assert read_command(line.split()) == command
