"""`hecv` run by a server: most commands take less time than the start of Python and the import of hecv."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from hecv.base.forking import fork
from hecv.cli.main import main, parser
from hecv.server import client
from hecv.server.fingerprint import code
from hecv.server.listener import Server


@contextmanager
def server() -> Iterator[str]:
    """A server that is started as a user starts it; its socket."""
    with tempfile.TemporaryDirectory(prefix="hecv") as folder:
        place = f"{folder}/socket"
        client.start(place)
        try:
            yield place
        finally:
            client.ask(place, b"stop", [], [])


@contextmanager
def forked(
    place: str | Path, run: Callable[[], object] = main, closed: int | None = None, **options: Any
) -> Iterator[int]:
    """A server in a fork of this process, which has loaded hecv, where the file `closed` is not open; its process id.

    It takes none of the seconds in which a process loads hecv.
    """
    if run is main:
        parser()
    reader, writer = os.pipe()
    pid = fork()
    if pid == 0:
        with suppress(BaseException):
            if closed is not None:
                os.close(closed)
            made = Server(str(place), run, **{"code": code(), **options})
            os.write(writer, b"r")
            made.serve()
            os._exit(0)
        os._exit(1)
    os.close(writer)
    assert os.read(reader, 1), "the server does not start"
    os.close(reader)
    try:
        yield pid
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def ask(
    place: str,
    folder: str,
    environment: Mapping[str, str],
    arguments: Sequence[str],
    files: Sequence[int],
    seconds: float | None = None,
) -> int:
    """The exit status of `hecv` with these arguments, in a folder, with three open files as its standard streams.

    Raises: TimeoutError, after which the run is ended; ConnectionError if the server declines.
    """
    variables = {os.fsencode(k): os.fsencode(v) for k, v in environment.items()}
    fields = client.described(list(arguments), [0, 1, 2], os.fsencode(folder), variables)
    line, answer = client.ask(place, b"run", fields, list(files))
    with closing(line):
        if answer != b"accepted":
            raise ConnectionError(answer.decode())
        return client.status_of(line, seconds)
