"""A child that is forked takes down nothing of its parent."""

from __future__ import annotations

import gc
import os

from hecv.base.forking import fork


class Knot:
    """Garbage that only a search for cycles finds, and that tells when it is taken down."""

    def __init__(self, pipe: int) -> None:
        self.me, self.pipe = self, pipe

    def __del__(self) -> None:
        os.write(self.pipe, b"x")


def allocate() -> None:
    """What a handler of a fork may do: objects enough that a search for cycles starts."""
    if allocating:
        _ = [[] for _ in range(100_000)]


allocating: list[bool] = []
os.register_at_fork(after_in_child=allocate)


def test_no_search_starts_before_the_fork_returns() -> None:
    reader, writer = os.pipe()
    gc.collect()
    gc.disable()
    Knot(writer)
    gc.enable()
    allocating.append(True)
    try:
        pid = fork()
        if pid == 0:
            gc.collect()
            os._exit(0)
    finally:
        allocating.clear()
    assert os.waitpid(pid, 0)[1] == 0 and gc.isenabled()
    gc.collect()
    assert os.read(reader, 2) == b"x"  # here, and not in the child
    os.close(reader)
    os.close(writer)


def test_a_process_that_does_not_search_goes_on_so() -> None:
    gc.disable()
    try:
        pid = fork()
        if pid == 0:
            os._exit(gc.isenabled())
        assert os.waitpid(pid, 0)[1] == 0 and not gc.isenabled()
    finally:
        gc.enable()
