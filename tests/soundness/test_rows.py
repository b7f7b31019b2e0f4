"""Random programs on rows of unknown length that are written in two ways: neither way does anything else."""

from __future__ import annotations

from random import Random

import pytest

from hecv.check import Options, check

from . import rows
from .running import refuted

OPTIONS = Options(seconds=3.0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_both_ways_run_alike(first: int) -> None:
    for seed in range(first, first + 20):
        pair = rows.pair(Random(seed))
        assert refuted(*pair, "equivalent", Random(seed), 8, 80, 20_000) is None, pair


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", (0, 5))
def test_neither_way_is_refuted(first: int) -> None:
    found = [check(*rows.pair(Random(s)), ("s.mlir", "t.mlir"), OPTIONS).verdict for s in range(first, first + 5)]
    assert {*found} <= {"equivalent", "refines", "unknown"} and {"equivalent", "refines"} & {*found}
