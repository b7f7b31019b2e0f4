"""Totals of many runs: each seed is counted once, and what was counted stays."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from tallies import Counted, Tallies


def test_totals_grow(tmp_path: Path) -> None:
    tallies = Tallies(tmp_path / "totals.json", "mutants")
    for seed in (3, 1):
        tallies.begin(seed, {"mlir": "1"})
        tallies.add({"change-bound": Counter(killed=2, tried=1)}, 0, 1.5)
        tallies.add({"change-bound": Counter(killed=1), "drop-flag": Counter(open=4)}, 1, 0.5)
    assert tallies.rows() == {"change-bound": Counter(killed=6, tried=2), "drop-flag": Counter(open=8)}
    text = tallies.place.read_text()
    assert text.index('"seeds"') > 0 and '"finds": 2' in text and '"cpu_seconds": 4.0' in text
    assert Tallies(tallies.place, "hostile").rows() == {}
    assert [path.name for path in tmp_path.iterdir()] == ["totals.json"]


def test_a_seed_is_counted_once(tmp_path: Path) -> None:
    tallies = Tallies(tmp_path / "totals.json", "mutants")
    tallies.begin(1, {})
    with pytest.raises(Counted, match=r"seed 1 of mutants is in totals\.json"):
        tallies.begin(1, {})
    Tallies(tallies.place, "programs").begin(1, {})
