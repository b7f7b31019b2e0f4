"""The server itself: who may ask it, what a request gets, how it ends. Its requests run functions of this file."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hecv.base.diagnostics import InputError
from hecv.server import client, listener, socket_file
from hecv.server.fingerprint import code
from serving import forked

SEEN: list[str] = []
"""What commands of the server leave behind: nothing, as each is run by a fork."""


def tell() -> None:
    """Prints what a process can see of itself."""
    SEEN.append("once")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    mask = os.umask(0)
    told = [os.getcwd(), mask, os.environ.get("COLOUR"), sys.argv, limit, sorted(os.sched_getaffinity(0)), len(SEEN)]
    print(*told, sys.stdin.read(), sep="|")
    print("beside", file=sys.stderr)
    sys.exit(7)


def open_files() -> None:
    found = map(int, os.listdir("/proc/self/fd"))
    print(*(n for n in sorted(found) if Path(f"/proc/self/fd/{n}").exists()), os.pread(9, 9, 0).decode())
    sys.exit(0)


def wait() -> None:
    """Does not end, nor does a child in a process group of its own."""
    if os.fork() == 0:
        os.setpgid(0, 0)
    while True:
        time.sleep(60)


def stay() -> None:
    """Ends only when it is killed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    wait()


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def serving(place: Path, run: Callable[[], object] = tell, **options: Any) -> AbstractContextManager[int]:
    """A server that runs a function of this file; its process id."""
    return forked(place, run, **options)


def request(*arguments: str, files: tuple[int, ...] = (0, 1, 2), **environment: str) -> list[bytes]:
    variables = {os.fsencode(k): os.fsencode(v) for k, v in (os.environ | environment).items()}
    return client.described(list(arguments), list(files), os.getcwdb(), variables)


class Asked:
    """A request to a server, and what its process writes."""

    def __init__(self, place: Path, *arguments: str, given: str = "", **environment: str) -> None:
        self._files = [os.memfd_create(name) for name in ("in", "out", "err")]
        os.pwrite(self._files[0], given.encode(), 0)
        self.line, answer = client.ask(str(place), b"run", request(*arguments, **environment), self._files)
        self.answer = answer.decode()

    def status(self) -> int:
        return client.status_of(self.line, 30)

    def said(self, number: int = 1) -> str:
        return os.pread(self._files[number], 1 << 16, 0).decode()


def gone(pid: int, seconds: float = 10) -> bool:
    """Whether a process ends by then."""
    until = time.monotonic() + seconds
    while not (ended := _has_ended(pid)) and time.monotonic() < until:
        time.sleep(0.02)
    return ended


def _has_ended(pid: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def descendants(pid: int, count: int) -> list[int]:
    """The processes below a server, as soon as there are so many."""
    for _ in range(500):
        found = children(pid)
        found += [grandchild for child in found for grandchild in children(child)]
        if len(found) >= count:
            return found
        time.sleep(0.01)
    raise AssertionError(found)


# What a request gets


def test_a_command_sees_what_its_client_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "s"
    core = {min(os.sched_getaffinity(0))}
    with serving(place):
        monkeypatch.chdir(tmp_path)
        usual, cores = resource.getrlimit(resource.RLIMIT_NOFILE), os.sched_getaffinity(0)
        mask = os.umask(0o027)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, usual[1]))
            os.sched_setaffinity(0, core)
            asked = Asked(place, "check", "ä b", given="text", COLOUR="blue", HECV_SERVER=str(place))
            status = asked.status()
        finally:
            os.umask(mask)
            os.sched_setaffinity(0, cores)
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    assert (asked.answer, status) == ("accepted", 7)
    expected = [tmp_path, 0o027, "blue", ["hecv", "check", "ä b"], 200, sorted(core), 1, "text"]
    assert asked.said() == "|".join(map(str, expected)) + "\n"
    assert asked.said(2) == "beside\n"


def test_nothing_of_a_command_is_seen_by_the_next(tmp_path: Path) -> None:
    with serving(tmp_path / "s"):
        for _ in range(3):
            asked = Asked(tmp_path / "s", "check")
            assert asked.status() == 7 and asked.said().split("|")[-2] == "1"


def test_files_have_their_numbers_and_no_others_are_open(tmp_path: Path) -> None:
    """A shell gives `<(command)` as /dev/fd/63."""
    with serving(tmp_path / "s", open_files):
        files = [os.memfd_create("any") for _ in range(4)]
        os.pwrite(files[3], b"nine", 0)
        line, answer = client.ask(str(tmp_path / "s"), b"run", request("check", files=(0, 1, 2, 9)), files)
        assert (answer, client.status_of(line, 30)) == (b"accepted", 0)
        assert os.pread(files[1], 100, 0) == b"0 1 2 9 nine\n"


# Who may ask


def test_only_this_user_can_connect(tmp_path: Path) -> None:
    place = tmp_path / "folder" / "s"
    mask = os.umask(0)
    try:
        with serving(place):
            assert stat.S_IMODE(place.stat().st_mode) == 0o600
            assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    finally:
        os.umask(mask)
    assert not place.exists() and place.parent.exists()


def test_a_server_of_another_user_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path / "s"):
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        with pytest.raises(PermissionError, match="another user"):
            Asked(tmp_path / "s", "check")


def test_another_user_is_not_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with serving(tmp_path / "s"):
        monkeypatch.undo()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
            line.connect(str(tmp_path / "s"))
            assert line.recv(1) == b""


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv(client.VARIABLE, raising=False)
    assert socket_file.place_of(None) == str(tmp_path / "hecv" / "hecv")
    (tmp_path / "hecv").chmod(0o755)
    with pytest.raises(InputError, match="this user's alone"):
        socket_file.place_of(None)


DIFFERENT = {
    "PYTHONPATH": "another PYTHONPATH",
    "LD_PRELOAD": "another LD_PRELOAD",
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_process_that_would_start_otherwise_is_declined(tmp_path: Path, name: str) -> None:
    with serving(tmp_path / "s"):
        asked = Asked(tmp_path / "s", "check", **{name: "/nowhere"})
        assert asked.answer.startswith("declined ") and asked.answer.endswith(DIFFERENT[name])
        assert Asked(tmp_path / "s", "check").answer == "accepted"


def test_a_process_with_less_memory_is_declined(tmp_path: Path) -> None:
    """A server has mapped more than a process that has just started."""
    with serving(tmp_path / "s"):
        usual = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (1 << 40, usual[1]))
        try:
            assert Asked(tmp_path / "s", "check").answer == (
                "declined the client cannot be followed: it runs under other limits"
            )
        finally:
            resource.setrlimit(resource.RLIMIT_AS, usual)


def test_another_installation_is_declined(tmp_path: Path) -> None:
    with serving(tmp_path / "s"):
        for number in (0, 1):
            fields = request("check")
            fields[number] += b"1"
            line, answer = client.ask(str(tmp_path / "s"), b"run", fields, [0, 1, 2])
            assert answer == b"declined the server runs another installation of hecv"
            line.close()


def test_a_package_that_has_changed_ends_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "s", code=replace(code(), seen=((0, 0),))) as server:
        assert "has changed" in Asked(tmp_path / "s", "check").answer
        assert os.waitpid(server, 0)[1] == 0
    assert not (tmp_path / "s").exists()


def test_messages_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path / "s"):
        for fields in ([], [b"x"], request("check")[:-1], [b"\xff"] * 12):
            _, answer = client.ask(str(tmp_path / "s"), b"run", fields, [0, 1, 2])
            assert answer.startswith(b"declined the request cannot be read"), answer
        assert client.ask(str(tmp_path / "s"), b"sing", [], [])[1].startswith(b"declined")
        monkeypatch.setattr(client, "PROTOCOL", b"hecv-serve/0")
        assert client.ask(str(tmp_path / "s"), b"run", request("check"), [0, 1, 2])[1] == b""
        monkeypatch.undo()
        assert Asked(tmp_path / "s", "check").answer == "accepted"


# Places


def test_a_socket_that_is_left_over_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as old:
        old.bind(str(tmp_path / "s"))
    with serving(tmp_path / "s"):
        assert Asked(tmp_path / "s", "check").status() == 7


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x" * 200, "has at most 107 bytes, this one has"),
        ("file", "is there, and is not a socket"),
        ("file/s", "cannot listen at"),
        ("s", "a server listens at"),
    ],
)
def test_places_where_it_cannot_listen(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").write_text("")
    with serving(tmp_path / "s"):
        with pytest.raises(InputError) as caught:
            socket_file.listener(str(tmp_path / name))
        (found,) = caught.value.diagnostics
        assert message in found.message and found.help and str(tmp_path) in found.message
        assert (tmp_path / "file").exists() and Asked(tmp_path / "s", "check").status() == 7


# Ends


def test_a_command_that_crashes(tmp_path: Path) -> None:
    with serving(tmp_path / "s", crash):
        for _ in range(2):
            with pytest.raises(client.Lost, match="the command was ended by SIGSEGV"):
                Asked(tmp_path / "s", "check").status()


@pytest.mark.parametrize("run", [wait, stay])
def test_a_client_that_goes_ends_its_command(
    tmp_path: Path, run: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "GRACE", 0.3)
    with serving(tmp_path / "s", run) as server:
        asked, other = Asked(tmp_path / "s", "check"), Asked(tmp_path / "s", "check")
        before = descendants(server, 4)
        asked.line.close()
        (first, second) = children(server)
        assert gone(first) and not gone(second, 0.1)
        assert sum(gone(pid, 0.2) for pid in before) == 2
        other.line.shutdown(socket.SHUT_WR)
        assert other.line.recv(100).startswith(b"crashed")
        assert all(gone(pid, 1) for pid in before)


def test_end_of_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "GRACE", 0.3)
    with serving(tmp_path / "s", stay) as server:
        asked = Asked(tmp_path / "s", "check")
        before = descendants(server, 2)
        os.kill(server, signal.SIGTERM)
        with pytest.raises(client.Lost):
            asked.status()
        assert os.waitpid(server, 0)[1] == 0
    assert not (tmp_path / "s").exists() and all(gone(pid, 1) for pid in before)


def test_a_server_that_is_killed(tmp_path: Path) -> None:
    """Its commands end, too; a client says so."""
    with serving(tmp_path / "s", wait) as server:
        asked = Asked(tmp_path / "s", "check")
        (command,) = children(server)
        os.kill(server, signal.SIGKILL)
        with pytest.raises(client.Lost, match="the server ended before the command did"):
            asked.status()
        assert gone(command)


def test_to_stop_lets_commands_end(tmp_path: Path) -> None:
    place = str(tmp_path / "s")
    with serving(tmp_path / "s", lambda: time.sleep(0.5) or sys.exit(5)) as server:
        asked = Asked(tmp_path / "s", "check")
        line, answer = client.ask(place, b"stop", [], [])
        assert answer == b"stopping 1" and not (tmp_path / "s").exists()
        assert asked.status() == 5
        assert line.recv(10) == b"" and os.waitpid(server, 0)[1] == 0


def test_an_idle_server_ends(tmp_path: Path) -> None:
    with serving(tmp_path / "s", idle=0.3) as server:
        assert Asked(tmp_path / "s", "check").status() == 7
        assert gone(server)
    assert not (tmp_path / "s").exists()


def test_the_end_of_a_file_ends_the_server(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with serving(tmp_path / "s", closed=writer, attached=reader) as server:
        assert Asked(tmp_path / "s", "check").status() == 7
        os.close(writer)
        assert os.waitpid(server, 0)[1] == 0
    os.close(reader)


def test_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "WAITS", 0.5)
    with serving(tmp_path / "s", wait, jobs=1):
        first = Asked(tmp_path / "s", "check")
        assert Asked(tmp_path / "s", "check").answer == "declined no job was free for 0.5 s"
        monkeypatch.setattr(client, "ANSWERS", 0.2)
        with pytest.raises(TimeoutError):  # it waits, but who asked does not
            Asked(tmp_path / "s", "check")
        first.line.close()
        monkeypatch.setattr(client, "ANSWERS", 5.0)
        assert Asked(tmp_path / "s", "check").answer == "accepted"
