"""Tests that use the e-graph in this process run last: loading egglog starts threads, which do not survive a fork, and
other tests fork workers that use it. What these workers need of hecv is loaded once, before the first test. Of tests
that take long, some cases run each day (`rotation.py`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import rotation
from hecv.server.preload import preload

EGRAPH = Path(__file__).parent / "egraph"

settings.register_profile("hecv", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hecv")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    rotation.postpone(items)  # before `-m` looks at marks
    yield
    items.sort(key=_is_last)


@pytest.fixture(scope="session", autouse=True)
def everything() -> None:
    preload()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if "egglog.bindings" in sys.modules and not _is_last(item):
        item.session.shouldfail = f"{item.nodeid} loads egglog: mark it `egraph`"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(f"{rotation.SWITCH}={rotation.today()} runs the same cases again")


def _is_last(item: pytest.Item) -> bool:
    return EGRAPH in item.path.parents or item.get_closest_marker("egraph") is not None
