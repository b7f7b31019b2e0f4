"""Processes that are forked from one that has used an e-graph do not take it down: its threads are not there."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable

import pytest
from tests.egraph.test_session import session_with_commutativity

from hecv.mlir.module.crash_guard import crash_of
from hecv.process.forked_child import Beside

SECONDS = 30


def _collects() -> None:
    signal.alarm(SECONDS)
    gc.collect()
    signal.alarm(0)


def _beside() -> object:
    return Beside(lambda: _collects() or "came back").result()


def _crash() -> object:
    return "came back" if crash_of(_collects, 0) is None else None


@pytest.mark.parametrize("fork", [_beside, _crash])
def test_garbage_of_the_parent_is_left_alone(fork: Callable[[], object]) -> None:
    gc.disable()
    try:
        used, _ = session_with_commutativity()
        with used.goal() as goal:
            goal.step("laws")
        session: list[object] = [used]
        del used, goal
        session.append(session)
        del session
        assert fork() == "came back"
    finally:
        gc.enable()
