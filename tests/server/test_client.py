"""`hecv` with and without a server: the same answers, and what happens to a client whose server, command or own life
ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import hecv
import serving
from cli.programs import ADD, FIRST, UNROLL, UNROLLED
from hecv.cli.main import main
from hecv.server import client

from .test_server import children, descendants, gone

PACKAGE = Path(hecv.__file__).parent
PLAIN = [sys.executable, "-m", "hecv"]
TILED = PACKAGE.parents[1] / "benchmarks" / "polybench" / "cnn_forward_dyn.mlir"
MEASURED = re.compile(r"\d+ runs?\b|\d+\.\d+ s\b|(?<=\"runs\": )\d+|(?<=\": )\d+\.\d+(e-?\d+)?")
"""Seconds, and how many runs were made in a span of time."""

RULES = """
from hecv.rules import law


@law
def commuted(x, y):
    return x + y, y + x
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving.server() as place:
        yield place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {"add": ADD, "commuted": ADD.replace("%a, %b :", "%b, %a :"), "first": FIRST, "empty": " "}
    texts |= {"unroll": UNROLL, "unrolled": UNROLLED, "broken": ADD.replace("addi %a", "addi %undefined")}
    texts["flagged"] = ADD.replace(" : i32\n", " overflow<nsw> : i32\n", 1)
    texts["external"] = ADD.replace("arith.addi %a, %b : i32", '"x.y"(%a) ({}) : (i32) -> i32')
    for name, text in texts.items():
        (tmp_path / f"{name}.mlir").write_text(text.lstrip("\n"))
    (tmp_path / "rules.py").write_text(RULES)
    return tmp_path


def run(command: list[str], folder: Path, server: str = "", given: str = "") -> tuple[str, str, int]:
    """Standard output and error, and the exit status; without what is measured."""
    env = {**os.environ, client.VARIABLE: server}
    done = subprocess.run(command, cwd=folder, env=env, input=given, capture_output=True, text=True, timeout=120)
    return MEASURED.sub("#", done.stdout), MEASURED.sub("#", done.stderr), done.returncode


def asked(server: str, folder: Path) -> int:
    """How many commands a server has run."""
    said, _, status = run([*PLAIN, "serve", "--status"], folder, server)
    assert status == 0, said
    return int(re.findall(r"(\d+) served", said)[0])


LINES = {
    "check add.mlir commuted.mlir": 0,
    "check add.mlir first.mlir": 1,
    "check unroll.mlir unrolled.mlir -v": 1,
    "check unroll.mlir unrolled.mlir --assume 'lb <= 10' --format json": 0,
    "check flagged.mlir add.mlir --relation equivalent": 3,
    "check - commuted.mlir --certificate out.json": 0,
    "check add.mlir broken.mlir": 2,
    "check add.mlir external.mlir": 3,
    "check add.mlir nowhere.mlir --format json": 2,
    "check add.mlir": 2,
    "check add.mlir commuted.mlir --no-static-laws --rules rules.py": 0,
    "opt unroll.mlir --pass-pipeline=canonicalize,affine-loop-unroll{unroll-factor=2} -o out.mlir": 1,
    "graph unroll.mlir": 0,
    "explain arith.shli": 0,
    "rules nothing": 2,
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("line", LINES)
def test_the_same_answer_with_and_without(line: str, server: str, folder: Path) -> None:
    arguments = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)]
    found: list[tuple[object, ...]] = []
    before = asked(server, folder)
    for command, place in ((PLAIN, ""), (PLAIN, server), (client.command(), server)):
        given = (folder / "add.mlir").read_text() if "-" in arguments else ""
        answer = run([*command, *arguments], folder, place, given)
        written = sorted((f.name, MEASURED.sub("#", f.read_text())) for f in folder.glob("out.*"))
        for file in folder.glob("out.*"):
            file.unlink()
        found.append((*answer, written))
    assert found[0] == found[1] == found[2]
    assert found[0][2] == LINES[line]
    assert asked(server, folder) == before + 2


def test_a_certificate_is_replayed(server: str, folder: Path) -> None:
    assert run([*client.command(), "check", "add.mlir", "commuted.mlir", "--certificate", "c"], folder, server)[2] == 0
    answers = [run([*PLAIN, "replay", "c", "add.mlir", "commuted.mlir"], folder, place) for place in ("", server)]
    assert answers[0] == answers[1] and answers[0][2] == 0


def test_files_of_a_shell(server: str, folder: Path) -> None:
    command = f"{' '.join(PLAIN)} check add.mlir <(cat first.mlir)"
    answers = [run(["bash", "-c", command], folder, place) for place in ("", server)]
    assert answers[0] == answers[1] and answers[0][2] == 1


def test_eight_clients_at_once(server: str, folder: Path) -> None:
    env = {**os.environ, client.VARIABLE: server}
    pairs = [("commuted", 0), ("first", 1), ("commuted", 0), ("broken", 2)] * 2
    started = [
        subprocess.Popen(
            [*client.command(), "check", "add.mlir", f"{name}.mlir", "--relation", "refines"],
            **{"cwd": folder, "env": env, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True},
        )
        for name, _ in pairs
    ]
    for (name, status), process in zip(pairs, started, strict=True):
        out, err = process.communicate(timeout=120)
        assert process.returncode == status, err
        assert ("@f" in out) == (status != 2) and (f"{name}.mlir" in out + err) == (status != 0)


# A client that waits


class Waiting:
    """A client whose command waits for its input."""

    def __init__(self, server: str, folder: Path, *more: str, command: list[str] = PLAIN) -> None:
        env = {**os.environ, client.VARIABLE: server}
        reader, self._writer = os.pipe()
        line = [*command, "check", "-", "add.mlir", *more]
        self.process = subprocess.Popen(
            line,
            cwd=folder,
            env=env,
            stdin=reader,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A suite in the background of a shell is started with interrupts ignored, and its children too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(reader)

    def end(self) -> tuple[str, str, int]:
        try:
            out, err = self.process.communicate(timeout=60)
            return out, err, self.process.returncode
        finally:
            os.close(self._writer)


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A server that nobody else asks, and its process."""
    place = str(tmp_path / "lone")
    with serving.forked(place) as process:
        yield place, process


@pytest.mark.one_in(3)
@pytest.mark.parametrize("command", [PLAIN, client.command()], ids=["module", "script"])
def test_a_command_that_is_killed(lone: tuple[str, int], folder: Path, command: list[str]) -> None:
    place, server = lone
    text, as_json = Waiting(place, folder, command=command), Waiting(place, folder, "--format=json", command=command)
    for pid in descendants(server, 2):
        os.kill(pid, signal.SIGKILL)
    why = "the process that ran the command was ended by SIGKILL"
    out, err, status = text.end()
    assert (out, status) == ("", 4) and err.startswith(f"error[internal-error]: {why}\n")
    out, err, status = as_json.end()
    assert (err, status) == ("", 4) and json.loads(out)["diagnostics"][0]["message"] == why
    assert run([*command, "check", "add.mlir", "first.mlir"], folder, place)[2] == 1


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_client_that_is_ended(lone: tuple[str, int], folder: Path, number: int, status: int) -> None:
    place, server = lone
    waiting = Waiting(place, folder)
    (command,) = descendants(server, 1)
    time.sleep(0.2)  # it is accepted
    waiting.process.send_signal(number)
    assert waiting.end() == ("", "", status)
    assert gone(command, 0.0 if status > 0 else 10.0)


def test_a_client_that_is_ended_ends_workers(lone: tuple[str, int], folder: Path) -> None:
    place, server = lone
    env = {**os.environ, client.VARIABLE: place}
    command = [*client.command(), "check", "--engine", "theorems", str(TILED), str(TILED)]
    process = subprocess.Popen(command, cwd=folder, env=env)
    found = descendants(server, 2)
    process.terminate()
    assert process.wait(timeout=60) == 143
    assert all(gone(pid, 0.1) for pid in found) and not children(server)


def test_a_server_that_is_killed_meanwhile(lone: tuple[str, int], folder: Path) -> None:
    place, server = lone
    waiting = Waiting(place, folder)
    (command,) = descendants(server, 1)
    time.sleep(0.2)
    os.kill(server, signal.SIGKILL)
    out, err, status = waiting.end()
    assert (out, status) == ("", 4) and "the server ended before the command did" in err
    assert gone(command)
    assert run([*PLAIN, "check", "add.mlir", "first.mlir"], folder, place)[2] == 1  # without the server
    with serving.forked(place):  # in the place of what is left of it
        assert run([*client.command(), "check", "add.mlir", "broken.mlir"], folder, place)[2] == 2


# No server


def test_no_server_is_no_error(folder: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as old:
        old.bind(str(tmp_path / "stale"))
    line = ["check", "add.mlir", "missing.mlir"]
    plain = run([*PLAIN, *line], folder)
    assert plain[2] == 2 and "missing.mlir" in plain[1]
    for place in ("stale", "nowhere", "add.mlir", "x" * 200):
        assert run([*client.command(), *line], folder, str(tmp_path / place)) == plain


@pytest.mark.one_in(3)
@pytest.mark.parametrize("change", ["touched", "removed"])
def test_a_server_of_another_state_of_the_package(change: str, folder: Path, tmp_path: Path) -> None:
    """It declines, ends, and removes its socket."""
    copy = tmp_path / "copy" / "hecv"
    shutil.copytree(PACKAGE, copy)
    place = str(tmp_path / "s")
    env = {**os.environ, "PYTHONPATH": str(copy.parent)}
    client.start(place, env)
    command = [sys.executable, "-I", "-S", str(copy / "server" / "client.py"), "check", "add.mlir", "first.mlir"]

    def check() -> tuple[int, bool]:
        done = subprocess.run(command, cwd=folder, env={**env, client.VARIABLE: place}, capture_output=True, timeout=60)
        return done.returncode, Path(place).exists()

    assert check() == (1, True)
    if change == "touched":
        os.utime(copy / "check.py")
    else:
        (copy / "jax" / "__init__.py").unlink()
    assert check() == (1, False)


def test_a_client_of_another_installation_runs_by_itself(server: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "hecv"
    shutil.copytree(PACKAGE, copy)
    before = asked(server, folder)
    env = {**os.environ, "PYTHONPATH": str(copy.parent), client.VARIABLE: server}
    command = [*PLAIN, "check", "add.mlir", "first.mlir"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "") and asked(server, folder) == before


# The verb


def test_errors_of_the_verb(
    folder: Path, server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for arguments, name, said in (
        (["--socket", "x" * 200], "socket", "at most 107 bytes"),
        (["--socket", "add.mlir"], "socket", "is not a socket"),
        (["--socket", "add.mlir/s", "--background"], "socket", "cannot listen at"),
        (["--socket", server], "socket", "a server listens at"),
        (["--socket", "nowhere", "--stop"], "no-server", "no server answers"),
        (["--socket", "nowhere", "--status"], "no-server", "no server answers"),
        (["--stop", "--status"], "usage", "not allowed with"),
        (["--idle", "-1"], "usage", "-1 is not a positive number"),
    ):
        status = main(["serve", *arguments])
        out, err = capsys.readouterr()
        assert (out, status) == ("", 2) and err.startswith(f"error[{name}]: ") and said in err, arguments


def test_a_server_in_the_foreground(folder: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "it's")
    command = [*PLAIN, "serve", "--socket", place]
    env = {**os.environ}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"export HECV_SERVER='{tmp_path}/it'\"'\"'s'\n"
        assert run([*client.command(), "check", "add.mlir", "first.mlir"], folder, place)[2] == 1
        env = {"PYTHONPATH": "/nowhere", client.VARIABLE: place}
        assert run([*PLAIN, "serve", "--stop"], folder, place) == ("", "", 0)
        assert process.wait(timeout=60) == 0


def test_a_server_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="at most 107 bytes"):
        client.start(str(tmp_path / ("x" * 200)))


# What a client costs


def test_a_client_loads_what_is_written_in_c() -> None:
    code = "import os, sys; sys.path.insert(0, sys.argv[1]); before = {*sys.modules}; import hecv.server.client; "
    code += "print(*sorted({*sys.modules} - before))"
    command = [sys.executable, "-I", "-S", "-c", code, str(PACKAGE.parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["_socket", "hecv", "hecv.server", "hecv.server.client"]
