"""Verdicts on scalar code under branches on data, and on what rewrites, passes and slips of the hand make of it.

As in `test_verdicts`, the proof is tried also where a run refutes, and what is said to hold is run again.
"""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from .choices import program, text
from .mutants import mutants
from .programs import PassFailed, transformed
from .rewrites import rewritten
from .test_verdicts import is_program, sound

PASSES = (
    *("canonicalize", "cse", "sccp", "arith-expand", "control-flow-sink", "loop-invariant-code-motion"),
    *("int-range-optimizations", "arith-unsigned-when-equivalent", "affine-loop-unroll{unroll-factor=2}"),
    *("affine-loop-tile{tile-size=2}", "affine-loop-fusion", "affine-scalrep", "affine-raise-from-memref"),
    *("affine-loop-invariant-code-motion", "loop-invariant-subset-hoisting", "lower-affine"),
)


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def pair(seed: int) -> tuple[str, str]:
    """A program and what became of it: by rewrites, by passes, by both, or by a rewrite and an edit of the text."""
    random = Random(f"choices {seed}")
    source = changed = program(random)
    for _ in range(random.choice((1, 1, 2, 3)) if seed % 4 else 0):
        changed, _ = rewritten(changed, random)
    first, second = (text(p, random, random.choice((0.0, 0.3, 1.0))) for p in (source, changed))
    if seed % 2 == 0:
        passes = ",".join(random.choice(PASSES) for _ in range(random.randint(1, 3)))
        try:
            second = transformed(second, passes)
        except PassFailed:
            return first, second
    elif seed % 4 == 1 and random.random() < 0.4:
        second = next((m.text for m in islice(mutants(second, random), 20) if is_program(m.text)), second)
    return first, second


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", range(0, 24, 8))
def test_rewritten_choices(first: int) -> None:
    for seed in range(first, first + 8):
        sound(*pair(seed), Random(seed))


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_many_rewritten_choices(first: int) -> None:
    for seed in range(first, first + 50):
        sound(*pair(seed), Random(seed))
