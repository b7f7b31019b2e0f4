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


@pytest.mark.parametrize("first", (0, 6))
def test_chains(first: int) -> None:
    """A coalesced nest that is transformed further may stay undecided; all else is decided."""
    found = verdicts(range(first, first + 6))
    assert found.total() >= 10 and found["unknown"] <= 2, found


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000, 1_160, 20))
def test_many_chains(first: int) -> None:
    found = verdicts(range(first, first + 20))
    assert found["unknown"] <= found.total() // 8, found
