"""The socket file of a server: where it is, and who may connect to it."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager
from errno import ECONNREFUSED
from pathlib import Path
from typing import Final

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.server.client import LONGEST, VARIABLE

BACKLOG: Final = 128
"""Clients that have connected and are not yet accepted."""

NAME: Final = "hecv"
"""Name of the folder of sockets in the user's folder of run-time files, and of the socket in it."""


def place_of(given: str | None) -> str:
    """The socket that is given, or that `HECV_SERVER` names, or one in a folder of this user.

    Raises: InputError if that folder is not this user's alone.
    """
    named = given or os.environ.get(VARIABLE)
    return os.path.abspath(named) if named else str(_own_folder() / NAME)


def _own_folder() -> Path:
    user = os.geteuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / NAME if runtime else Path(f"/tmp/{NAME}-{user}")
    try:
        folder.mkdir(0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as problem:
        raise _refused(f"cannot make the folder {folder}: {problem.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & 0o077:
        raise _refused(f"{folder} is not a folder that is this user's alone")
    return folder


def _refused(message: str, help: str = "name another socket by --socket") -> InputError:
    return InputError(Diagnostic("error", "socket", message, help=help))


def listener(place: str) -> socket.socket:
    """A socket that listens at `place`, to which only this user can connect.

    Raises: InputError as `require_free` does.
    """
    with _claimed(place):
        return _bound(place)


def require_free(place: str) -> None:
    """Checks that a server could listen at `place`. A file of a server that has ended is removed; a folder that is
    missing is made for this user alone.

    Raises: InputError if the path is too long, something else is there, or a server listens there.
    """
    with _claimed(place):
        return


@contextmanager
def _claimed(place: str) -> Generator[None]:
    """Meanwhile no other server makes a socket there."""
    size = len(os.fsencode(place))
    if size > LONGEST:
        raise _refused(f"the path of a socket has at most {LONGEST} bytes, this one has {size}: {place}")
    folder = os.path.dirname(place)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        with _locked(folder):
            _make_free(place)
            yield
    except OSError as problem:
        raise _refused(f"cannot listen at {place}: {problem.strerror}") from None


@contextmanager
def _locked(folder: str) -> Generator[None]:
    """Of two servers that start at the same place, the second sees the first."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _make_free(place: str) -> None:
    """Removes the socket of a server that has ended.

    Raises: InputError if anything else is there.
    """
    try:
        found = os.lstat(place)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise _refused(f"{place} is there, and is not a socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        end = line.connect_ex(place)
    if end != ECONNREFUSED:
        raise _refused(f"a server listens at {place}", "`hecv serve --stop` ends it; or name another by --socket")
    os.unlink(place)


def _bound(place: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    mask = os.umask(0o177)
    try:
        made.bind(place)
        made.listen(BACKLOG)
        return made
    except OSError:
        made.close()
        raise
    finally:
        os.umask(mask)
