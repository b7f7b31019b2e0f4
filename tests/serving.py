"""`hecv` run by a server: most commands take less time than the start of Python and the import of hecv."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from hecv.server import client


@contextmanager
def server() -> Iterator[str]:
    """A server in a process of its own; its socket."""
    with tempfile.TemporaryDirectory(prefix="hecv") as folder:
        place = f"{folder}/socket"
        client.start(place)
        try:
            yield place
        finally:
            client.ask(place, b"stop", [], [])


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
