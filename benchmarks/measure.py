"""One process, or one `hecv check`, with its time and peak memory.

This module and the drivers import nothing large: Linux counts the memory of the parent at the time
of the fork into the child's peak.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

PROVED = frozenset({"equivalent", "refines"})
EXITS = {
    "equivalent": {0},
    "refines": {0},
    "not-equivalent": {1},
    "unknown": {3},
    "error": {2, 4},
}


@dataclass(frozen=True, slots=True)
class Process:
    """A process that ended, process start included; `cpu_seconds` are those of its children, too.

    `peak_mib` is that of the largest single process among it and its children, not their sum.
    """

    exit: int
    seconds: float
    peak_mib: float
    timed_out: bool
    stdout: str
    stderr: str
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Check:
    """What one `hecv check` answered of the first function; `note` says why where it is no proof.

    `rules` are the dynamic rules with the number of their uses; `rounds` and `classes` are those of the e-graph;
    `phases` are seconds.
    """

    assume: tuple[str, ...]
    verdict: str
    exit: int
    seconds: float
    peak_mib: float
    visits: int | None
    runs: int | None
    note: str | None
    cpu_seconds: float = 0.0
    engine: str | None = None
    rules: Mapping[str, int] = field(default_factory=dict[str, int])
    rounds: int | None = None
    classes: int | None = None
    phases: Mapping[str, float] = field(default_factory=dict[str, float])


def kill_group(process_id: int) -> None:
    """Kill a session leader with its workers, which a plain kill would leave behind."""
    with suppress(ProcessLookupError):
        os.killpg(process_id, signal.SIGKILL)


def read_back(file: IO[bytes]) -> str:
    """All of a file that a process wrote."""
    file.seek(0)
    return file.read().decode(errors="replace")


def run(command: Sequence[str], time_limit: float) -> Process:
    """Run the command to its end, or kill it with its workers after `time_limit` seconds.

    Python may keep bytecode, as it does for users: without it a process takes 0.3 s longer to start.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        begin = time.perf_counter()
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            env=environment,
        )
        timer = threading.Timer(time_limit, kill_group, (child.pid,))
        timer.start()
        # wait4 and not wait: it returns the resource use of this child alone.
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        return Process(
            exit=child.returncode,
            seconds=round(seconds, 4),
            peak_mib=round(usage.ru_maxrss / 1024, 1),
            timed_out=seconds >= time_limit,
            stdout=read_back(stdout),
            stderr=read_back(stderr),
            cpu_seconds=round(usage.ru_utime + usage.ru_stime, 4),
        )


def read_report(process: Process) -> dict[str, Any]:
    """The verdict object on stdout; an error where it is missing or the exit code belies it."""
    if process.timed_out:
        unknown = {"reason": "budget", "text": "killed at the time limit of the benchmark"}
        return {"verdict": "unknown", "functions": [{"unknown": unknown}]}
    try:
        report: dict[str, Any] = json.loads(process.stdout)
        consistent = process.exit in EXITS[report["verdict"]]
    except (ValueError, KeyError, TypeError):
        lines = process.stderr.strip().splitlines() or ["no verdict and nothing on stderr"]
        # Folders of this machine do not belong in the results.
        message = re.sub(r"(?<!\S)/\S*/", "", lines[-1])
        return {"verdict": "error", "diagnostics": [{"message": message}]}
    if not consistent:
        message = f"verdict is {report['verdict']}, but exit is {process.exit}"
        return {"verdict": "error", "diagnostics": [{"message": message}]}
    return report


def explain(report: dict[str, Any], function: dict[str, Any]) -> str | None:
    """Why there is no proof, in one line: the reason, the scalar inputs, or the first message."""
    if unknown := function.get("unknown"):
        return " ".join(f"{unknown['reason']}: {unknown['text']}".split())
    if counterexample := function.get("counterexample"):
        inputs: dict[str, Any] = counterexample.get("inputs", {})
        scalars = [f"{name} = {v}" for name, v in inputs.items() if not isinstance(v, dict)]
        return f"{counterexample.get('kind')}: {', '.join(scalars) or 'no scalar inputs'}"
    messages = [d["message"] for d in report.get("diagnostics", []) if report["verdict"] == "error"]
    return messages[0] if messages else None


def check(
    hecv: Sequence[str],
    source: Path,
    target: Path,
    assume: tuple[str, ...],
    time_limit: float,
    more: Sequence[str] = (),
) -> Check:
    """Ask hecv whether the target refines the source, under the assumptions; `more` are further options."""
    options = [*more, *(option for text in assume for option in ("--assume", text))]
    arguments = ["check", str(source), str(target), "--format", "json", *options]
    process = run([*hecv, *arguments], time_limit)
    report = read_report(process)
    functions: list[dict[str, Any]] = report.get("functions") or [{}]
    function = functions[0]
    proof: dict[str, Any] = function.get("proof") or {}
    egraph: dict[str, Any] = function.get("egraph") or {}
    return Check(
        assume=assume,
        verdict=report["verdict"],
        exit=process.exit,
        seconds=process.seconds,
        peak_mib=process.peak_mib,
        visits=proof.get("visits"),
        runs=function.get("runs"),
        note=explain(report, function),
        cpu_seconds=process.cpu_seconds,
        engine=function.get("engine"),
        rules={rule["name"]: rule["uses"] for rule in function.get("rules", []) if rule["kind"] == "dynamic"},
        rounds=egraph.get("rounds"),
        classes=egraph.get("classes"),
        phases=function.get("phases", {}),
    )


def hecv_versions(hecv: Sequence[str], source: Path, time_limit: float) -> dict[str, str]:
    """The versions that hecv names in a verdict; empty where it gives none.

    Call it before anything is timed: the first process also fills the file and bytecode caches.
    """
    process = run([*hecv, "check", str(source), str(source), "--format", "json"], time_limit)
    return read_report(process).get("versions", {})
