"""The client: has a server run the command of this process, and ends as the command did.

A command that is served costs the start of Python and of this module, so it imports what is written in C alone. As a
script it needs no `site`: `python -I -S client.py check SRC TGT`.
"""

import _signal  # pyright: ignore[reportMissingImports]
import _socket
import os
import sys
from _collections_abc import Mapping

VARIABLE = "HECV_SERVER"
"""The environment variable that names the socket of a server."""

SERVED = frozenset({"check", "explain", "graph", "opt", "replay", "rewrite", "rules"})
"""Verbs that a server runs. `models` loads the user's modules, and `doctor` looks at the process itself."""

PROTOCOL = b"hecv-serve/1"

LONGEST = 107
"""Bytes of the path of a Unix socket."""

MESSAGE = 1 << 18
"""Bytes of a message. A command with a longer environment runs in its own process."""

ANSWER = 1 << 12
"""Bytes of an answer, at most."""

MOST_FILES = 250
"""Open files that a message can carry: the kernel's limit is 253."""

ANSWERS = 15.0
"""Seconds in which a server accepts or declines. One that is stopped or swapped out does neither."""

ENDS = 5.0
"""Seconds in which a command that is interrupted ends."""

REPORT = "import sys; from hecv.cli.terminal import internal; sys.exit(internal(sys.argv[2:], sys.argv[1]))"
"""Reports a command that was lost."""

INTERRUPTED = 130
TERMINATED = 143


class Lost(Exception):
    """The server began to run the command, and it ended without an exit status."""


class _Terminated(KeyboardInterrupt):
    """SIGTERM has come."""


def forward(arguments: list[str]) -> int | None:
    """The exit status of `hecv` with these arguments, run by the server that `HECV_SERVER` names.

    None if a server does not run the verb, and where `run_by_server` gives None.

    Raises: Lost.
    """
    return run_by_server(arguments) if arguments and arguments[0] in SERVED else None


def run_by_server(arguments: list[str]) -> int | None:
    """The exit status of `hecv` with these arguments, run by the server that `HECV_SERVER` names.

    None if there is no such server, or none that would do just what this process does: another user's, of another
    state of the package, or in another environment.

    Raises: Lost.
    """
    place = os.environ.get(VARIABLE)
    if not place:
        return None
    try:
        files = inherited()
        if not {0, 1, 2} <= set(files) or len(files) > MOST_FILES:
            return None
        line, answer = ask(place, b"run", described(arguments, files, os.getcwdb(), os.environb), files)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, ValueError):
        return None
    if answer != b"accepted":
        return None
    if _signal.getsignal(_signal.SIGTERM) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGTERM, _terminated)
    try:
        return status_of(line)
    except KeyboardInterrupt as end:
        _hang_up(line)
        return TERMINATED if isinstance(end, _Terminated) else INTERRUPTED


def ask(place: str, kind: bytes, fields: list[bytes], files: list[int]) -> tuple[_socket.socket, bytes]:
    """The connection on which a server was asked something, and its answer; b"" if it has hung up.

    Raises: OSError if there is no server of this user, or none that answers in time.
    """
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    line.settimeout(ANSWERS)
    line.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDBUF, MESSAGE)
    line.connect(place)
    if user_of(line) != os.geteuid():
        raise PermissionError("the server belongs to another user")
    handles = b"".join([number.to_bytes(4, sys.byteorder) for number in files])
    carried = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handles)] if files else []
    line.sendmsg([b"\0".join([PROTOCOL, kind, *fields])], carried)
    return line, line.recv(ANSWER)


def user_of(line: _socket.socket) -> int:
    """The effective user id of the process at the other end when it connected or listened."""
    return int.from_bytes(line.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)[4:8], sys.byteorder)


def described(
    arguments: list[str], numbers: list[int], folder: bytes, environment: Mapping[bytes, bytes]
) -> list[bytes]:
    """All that another process needs to run the command as this one would: `Request` in `request.py`.

    `numbers` are those that the files which are sent along have here.
    """
    first = "" if sys.flags.safe_path else sys.path[0]
    streams = [f"{s.encoding} {s.errors}" for s in (sys.stdin, sys.stdout, sys.stderr)]
    return [
        *(text.encode() for text in (*identity(), f"{len(environment)} {len(arguments)}", *streams)),
        " ".join(map(str, numbers)).encode(),
        folder,
        os.fsencode(first),
        *(b"%s=%s" % variable for variable in environment.items()),
        *map(os.fsencode, arguments),
    ]


def identity() -> tuple[str, str]:
    """The package and the interpreter of this process: numbers of their folders, which names do not change."""
    package, binary = os.path.dirname(os.path.dirname(__file__)), os.path.dirname(sys.executable)
    folders = [os.stat(folder) for folder in (package, binary)]
    numbers = " ".join(f"{s.st_dev}:{s.st_ino}" for s in folders)
    return numbers, f"{sys.version} {sys.flags.optimize}"


def inherited() -> list[int]:
    """The open files that a program started by this process would have, so also that of `<(command)` in a shell."""
    found: list[int] = []
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            if os.get_inheritable(number):
                found.append(number)
        except OSError:  # that of the folder itself
            continue
    return found


def status_of(line: _socket.socket, seconds: float | None = None) -> int:
    """Waits for the end of a command that was accepted.

    Raises: Lost; TimeoutError after so many seconds.
    """
    line.settimeout(seconds)
    try:
        kind, _, said = line.recv(ANSWER).decode().partition(" ")
    except ConnectionError:
        kind = said = ""
    if kind == "exit":
        return int(said)
    raise Lost(said or "the server ended before the command did")


def _terminated(number: int, frame: object) -> None:
    raise _Terminated


def _hang_up(line: _socket.socket) -> None:
    """Has the server end the command, and waits until it has."""
    try:
        line.shutdown(_socket.SHUT_WR)
        line.settimeout(ENDS)
        line.recv(ANSWER)
    except OSError:  # the server ends it, whether or not this process sees that
        return


def command() -> list[str]:
    """The command line that costs least for `hecv` in a process whose environment names a server."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__)]


def start(place: str, environment: dict[str, str] | None = None) -> dict[str, str]:
    """Starts a server at the socket `place`, which ends with this process and what was forked from it, and waits until
    it is ready.

    `environment` is that of the commands that it will run, if it is not this process's. Returns what is to be added to
    it.

    Raises: OSError if the server does not start.
    """
    import subprocess  # takes longer to load than all the rest

    end, _ = os.pipe()  # nobody writes to the other end: it is open as long as this process lives
    line = [sys.executable, "-m", "hecv", "serve", "--socket", place, "--background", "--attached"]
    with open(end, "rb") as stdin:
        done = subprocess.run(line, env=environment, stdin=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(done.stderr.strip() or f"the server ended with status {done.returncode}")
    return {VARIABLE: place}


def _main(arguments: list[str]) -> None:
    """Ends as the command does. Another program takes over if no server runs it, or if it has to be said how that
    ended: `-m hecv` needs what this process did without."""
    try:
        status = forward(arguments)
    except Lost as end:
        os.execv(sys.executable, [sys.executable, "-c", REPORT, str(end), *arguments])
    if status is None:
        os.execv(sys.executable, [sys.executable, "-m", "hecv", *arguments])
    os._exit(status)


if __name__ == "__main__":
    _main(sys.argv[1:])
