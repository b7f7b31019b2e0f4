"""Which cases of a test run today.

A test with more than a few cases runs a part of them in `make test`: other ones each day, all of them within some days.
The rest are `long`, and `make test-long` runs them. So a test that is run by its name runs whole. `one_in(n)` says how
many days a round takes, where it is not to be `DAYS`: `one_in(1)` is all cases each day.

HECV_ROTATION is the number of a day, for a run of the cases of that day; a run that fails ends with it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import pytest

SWITCH = "HECV_ROTATION"
SECONDS_A_DAY = 86_400
FEW = 2
"""A test with so many cases runs all of them each day, unless it is marked."""
DAYS = 6
"""The days, at most, in which all cases of another test have run, unless it is marked: one of a few cases a day."""


def today() -> int:
    """The number of the day, or the one that is asked for."""
    return int(os.environ.get(SWITCH) or time.time() // SECONDS_A_DAY)


def postpone(items: Iterable[pytest.Item]) -> None:
    """Marks as `long` those cases whose turn is not today.

    Each test starts its round at a place of its own, so that no day takes much longer than another.
    """
    day, turn = today(), Counter[str]()
    listed = list(items)
    cases = Counter(_test(item) for item in listed)
    for item in listed:
        mark, test = item.get_closest_marker("one_in"), _test(item)
        days = mark.args[0] if mark is not None else min(DAYS, cases[test]) if cases[test] > FEW else 1
        if (turn[test] + day + crc32(test.encode())) % days:
            item.add_marker(pytest.mark.long)
        turn[test] += 1


def _test(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]
