"""`serving.py SOCKET`: a process that has loaded hecv, and forks one that runs a command for each request.

A run gets its arguments, environment, folder and standard streams from who asks, and ends as a process of its own does;
it is spared the start of Python and the import of hecv, which take longer than most checks. What is never loaded here
is egglog, whose threads would not survive the fork. The server ends when its standard input does.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import served

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import loading

FEW = 4096
"""Files with smaller numbers are closed in a run."""


@contextmanager
def server() -> Iterator[str]:
    """A server in a process of its own; its socket."""
    with tempfile.TemporaryDirectory(prefix="hecv") as folder:
        place = f"{folder}/socket"
        command = [sys.executable, __file__, place]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as made:
            assert made.stdin is not None and made.stdout is not None
            assert made.stdout.readline(), "the server does not start"
            assert made.wait() == 0  # it is no child of this process, which may look whether it has any
            try:
                yield place
            finally:
                made.stdin.close()


def serve(place: str) -> None:
    """Runs what it is asked for until nobody can ask any more."""
    loading.load()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(place)
    listener.listen(64)
    print("ready", flush=True)
    if os.fork():
        os._exit(0)
    waited = {0: lambda: sys.exit(0), listener.fileno(): lambda: _start(waited, listener.accept()[0])}
    while True:
        waited[select.select(list(waited), [], [])[0][0]]()


def _start(waited: dict[int, Callable[[], object]], line: socket.socket) -> None:
    """Begins a run in a process that is forked: when that has ended, its status is sent; when who asked has, it is
    ended."""
    size, files, _, _ = socket.recv_fds(line, served.NUMBER, 3)
    request = line.recv(int.from_bytes(size, sys.byteorder), socket.MSG_WAITALL)
    assert len(files) == 3, "a request has three files"
    pid = os.fork()
    if pid == 0:
        _become(request.decode(errors="surrogateescape").split("\0"), files)
    handle = os.pidfd_open(pid)
    for file in files:
        os.close(file)

    def end() -> None:
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(OSError):
            line.sendall((128 - status if status < 0 else status).to_bytes(served.NUMBER, sys.byteorder))
        waited.pop(handle)
        waited.pop(line.fileno(), None)
        os.close(handle)
        line.close()

    def stop() -> None:
        os.kill(pid, signal.SIGTERM)
        del waited[line.fileno()]

    waited[handle], waited[line.fileno()] = end, stop


def _become(request: list[str], files: list[int]) -> NoReturn:
    """Runs the command that was asked for, as `python -m hecv` does."""
    try:
        folder, count, *rest = request
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(3, FEW)
        sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(field.split("=", 1) for field in rest[: int(count)])
        sys.argv = ["hecv", *rest[int(count) :]]
        from hecv.cli import main

        main()  # ends the process, unless it raises
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(end.code if isinstance(end.code, int) else 1)
    except BaseException:
        traceback.print_exc()
    os._exit(99)


if __name__ == "__main__":
    serve(sys.argv[1])
