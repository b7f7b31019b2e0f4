"""Which cases of a test that takes long run today.

A test marked `one_in(n)` runs one in n of its cases in `make test`: other ones each day, all of them within n days. The
rest are `long`, and `make test-long` runs them. So a test that is run by its name runs whole.

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


def today() -> int:
    """The number of the day, or the one that is asked for."""
    return int(os.environ.get(SWITCH) or time.time() // SECONDS_A_DAY)


def postpone(items: Iterable[pytest.Item]) -> None:
    """Marks as `long` those cases whose turn is not today.

    Each test starts its round at a place of its own, so that no day takes much longer than another.
    """
    day, cases = today(), Counter[str]()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None:
            test = item.nodeid.partition("[")[0]
            if (cases[test] + day + crc32(test.encode())) % mark.args[0]:
                item.add_marker(pytest.mark.long)
            cases[test] += 1
