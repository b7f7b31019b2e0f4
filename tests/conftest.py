"""Tests that use the e-graph in this process run last: loading egglog starts threads, which do not survive a fork, and
other tests fork workers that use it. What these workers need of hecv is loaded once, before the first test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import loading

EGRAPH = Path(__file__).parent / "egraph"

settings.register_profile("hecv", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hecv")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_is_last)


@pytest.fixture(scope="session", autouse=True)
def everything() -> None:
    loading.load()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if "egglog.bindings" in sys.modules and not _is_last(item):
        item.session.shouldfail = f"{item.nodeid} loads egglog: mark it `egraph`"


def _is_last(item: pytest.Item) -> bool:
    return EGRAPH in item.path.parents or item.get_closest_marker("egraph") is not None
