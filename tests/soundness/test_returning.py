"""Random functions that return memrefs, and mutants of these: what hecv calls equal, a caller cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from hecv.check import Options, check

from . import returning
from .mutants import mutants, parses
from .running import refuted

OPTIONS = Options(seconds=3.0)


def verdicts(seed: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The verdicts on a function and some mutants of it; every other is cross-checked."""
    random = Random(seed)
    source = returning.program(random)
    made = (m.text for m in mutants(source, random) if parses(m.text))
    others = (text for text in returning.returns(source, random) if parses(text))
    for number, target in enumerate((source, *islice(made, 2), *islice(others, 3))):
        monkeypatch.setenv("HECV_CROSSCHECK", str(number % 2))
        verdict = check(source, target, ("source.mlir", "target.mlir"), OPTIONS).verdict
        assert verdict != "error" and (target != source or verdict in ("equivalent", "unknown")), f"{source}\n{target}"
        if verdict in ("equivalent", "refines"):
            both = returning.calling(source), returning.calling(target)
            assert refuted(*both, verdict, random, 12, 60) is None, f"{verdict}\n{source}\n{target}"
        yield verdict


@pytest.mark.one_in(16)
@pytest.mark.parametrize("first", range(0, 8, 2))
def test_callers_tell_nothing_equal_apart(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [v for seed in (first, first + 1) for v in verdicts(seed, monkeypatch)]
    assert "equivalent" in found


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 400, 20))
def test_callers_tell_nothing_equal_apart_of_many(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [v for seed in range(first, first + 20) for v in verdicts(seed, monkeypatch)]
    assert {"equivalent", "not-equivalent"} <= {*found}
