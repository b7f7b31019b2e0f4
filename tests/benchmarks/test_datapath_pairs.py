"""Pairs of datapaths: what a wrong step may do to the target."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from datapath_pairs import Recipe, draw, make
from datapath_rewriter import evaluate


def test_a_wrong_step_may_divide_by_zero() -> None:
    """One in a divisor that is odd may make it even, and 0."""
    made = make(Recipe("function", 1_000, 4, wrong=True, careful=True))
    ((source, target),) = made.paths
    random, zero = Random(0), 0
    for _ in range(60):
        inputs = draw(source, random)
        evaluate(source, inputs)
        try:
            evaluate(target, inputs)
        except ZeroDivisionError:
            zero += 1
    assert zero
