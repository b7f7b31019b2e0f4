"""Verdicts on random nests and what chains of loop transformations make of them: reached, and right.

The proof is tried also where a run refutes, and a proof that a run contradicts is the verdict `error`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from hecv.check import Options, check

from .nests import nest, transformations
from .programs import PassFailed, run_pipeline

SECONDS = 60.0


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def verdicts(seeds: Iterable[int]) -> Counter[str]:
    """How the pairs of some seeds are decided, with sizes of any sign and with sizes from 0."""
    found: Counter[str] = Counter()
    for seed in seeds:
        source = nest(seed)
        try:
            target = run_pipeline(source, f"builtin.module({transformations(seed)})")
        except PassFailed:
            continue
        for assume in ((), ("nonneg",)):
            report = check(source, target, ("s.mlir", "t.mlir"), Options(assume=assume, seconds=SECONDS))
            problems = [d.message for f in report.functions for d in f.diagnostics]
            assert report.verdict != "error", f"{seed}: {problems}\n{source}\n{target}"
            slow = any(f.unknown is not None and f.unknown.reason == "budget" for f in report.functions)
            found["slow" if slow else report.verdict] += 1
    return found


SLOW = (8, 9)
"""These two of the first seeds take as long as forty others."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seeds", [range(6), [k for k in range(6, 14) if k not in SLOW]], ids=str)
def test_chains(seeds: Iterable[int]) -> None:
    """A coalesced nest that is transformed further may stay undecided; all else is decided."""
    found = verdicts(seeds)
    assert found.total() >= 10 and found["unknown"] <= 2, found


@pytest.mark.long
def test_chains_that_take_long() -> None:
    found = verdicts(SLOW)
    assert found.total() == 4 and not found["unknown"], found


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000, 1_160, 20))
def test_many_chains(first: int) -> None:
    found = verdicts(range(first, first + 20))
    assert found["unknown"] <= found.total() // 8, found
