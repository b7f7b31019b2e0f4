"""A request: the command of a client, and all of its process that the command can see."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Final

from msgspec import Struct

LIMITS: Final = tuple(number for name, number in vars(resource).items() if name.startswith("RLIMIT_"))

OF_MEMORY: Final = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
"""Limits under which a server with all that it has loaded would have less left than a new process."""


class Request(Struct, frozen=True):
    """What `described` in `client.py` sends of a process.

    `streams` are encoding and error handler of its standard streams, `files` the numbers of its open files, `first` the
    folder that it looks for modules in first.
    """

    identity: tuple[str, ...]
    streams: tuple[tuple[str, str], ...]
    files: tuple[int, ...]
    folder: bytes
    first: str
    environment: dict[bytes, bytes]
    arguments: tuple[str, ...]


def read_request(fields: list[bytes]) -> Request:
    """The request of a message.

    Raises: ValueError, IndexError if it is none.
    """
    name, python, numbers, *streams, files, folder, first = (fields[k] for k in range(9))
    variables, count = map(int, numbers.split())
    rest = fields[9:]
    if len(rest) != variables + count:
        raise ValueError(f"{len(rest)} fields, expected {variables} and {count}")
    encodings = [stream.decode().split() for stream in streams]
    return Request(
        (name.decode(), python.decode()),
        tuple((encoding, errors) for encoding, errors in encodings),
        tuple(map(int, files.split())),
        folder,
        os.fsdecode(first),
        dict(_variable(field) for field in rest[:variables]),
        tuple(map(os.fsdecode, rest[variables:])),
    )


def _variable(field: bytes) -> tuple[bytes, bytes]:
    name, _, value = field.partition(b"=")
    return name, value


class Standing(Struct, frozen=True):
    """What the system grants to a process: limits on its resources, the cores it may use, its niceness and umask."""

    limits: tuple[tuple[int, int], ...]
    cores: frozenset[int]
    niceness: int
    mask: int


def standing_of(process: int) -> Standing:
    """What is granted to a process of this user in the same namespaces.

    Raises: OSError, IndexError if it has ended, is in another namespace or under limits that a fork of this process
            cannot have, or may not be looked at.
    """
    for space in ("mnt", "pid"):
        if os.readlink(f"/proc/{process}/ns/{space}") != os.readlink(f"/proc/self/ns/{space}"):
            raise PermissionError("it runs in another namespace")
    status = Path(f"/proc/{process}/status").read_text(errors="replace")
    limits = tuple(resource.prlimit(process, number) for number in LIMITS)
    for number, limit in zip(LIMITS, limits, strict=True):
        mine = resource.getrlimit(number)
        if limit != mine and (number in OF_MEMORY or _endless(limit[1]) > _endless(mine[1])):
            raise PermissionError("it runs under other limits")
    return Standing(
        limits,
        frozenset(os.sched_getaffinity(process)),
        os.getpriority(os.PRIO_PROCESS, process),
        int(status.partition("\nUmask:")[2].split(maxsplit=1)[0], 8),
    )


def _endless(limit: int) -> float:
    return inf if limit == resource.RLIM_INFINITY else limit


def take(standing: Standing) -> None:
    """Gives this process what another is granted."""
    for number, limit in zip(LIMITS, standing.limits, strict=True):
        if resource.getrlimit(number) != limit:
            resource.setrlimit(number, limit)
    os.sched_setaffinity(0, standing.cores)
    os.umask(standing.mask)
    with suppress(PermissionError):  # only speed depends on it
        os.setpriority(os.PRIO_PROCESS, 0, standing.niceness)
