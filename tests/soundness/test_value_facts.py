"""What is known of values at a place keeps what programs do: tables, ranges that loops carry, and idle branches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from random import Random

import pytest
from tests.verdict.test_carried_ranges import PAIRS as RANGES
from tests.verdict.test_idle_branches import PAIRS as SWAPS
from tests.verdict.test_lookup_tables import CONSTANTS, PAIRS

from hecv.base.term import TermPool
from hecv.normal.branches.idle_branches import without_idle_branches
from hecv.normal.loops.carried_ranges import with_carried_ranges
from hecv.normal.memory.lookup_tables import without_look_ups
from hecv.program.tree import Function
from hecv.program.tree_printer import render
from hecv.run.interpreter.interpreter import compile

from .programs import Taste, program
from .running import STEPS, conclusive, inputs, read, unequal

RUNS = 12
CHANGES: dict[str, Callable[[TermPool, Function], Function]] = {
    "tables": lambda pool, f: without_look_ups(pool, f, 64),
    "ranges": lambda pool, f: with_carried_ranges(pool, f, 64),
    "branches": without_idle_branches,
}
TEXTS = {
    "tables": [text for pair in (*PAIRS.values(), *CONSTANTS.values()) for text in pair[:2]],
    "ranges": [text for pair in RANGES.values() for text in pair[:2]],
    "branches": [text for pair in SWAPS.values() for text in pair[:2]],
}
LEAST = {"tables": 14, "ranges": 20, "branches": 5}
"""So many of the programs are changed."""
TASTE = Taste(data_conditions=0.4, traps=0.15, uninitialised=0.1, indirect=0.2, index_data=0.3, calls=0.0)


def _keeps(name: str, text: str, random: Random) -> bool:
    """Whether a change made another program, which does the same."""
    pool = TermPool()
    before = read(text, pool)
    after = CHANGES[name](pool, before)
    for arguments in islice(inputs(before, random), RUNS) if after is not before else ():
        ends = [compile(f).run(arguments, STEPS) for f in (before, after)]
        if conclusive(*ends):
            assert unequal(*ends) is None, f"{unequal(*ends)} on {arguments}\n{render(after)}"
    return after is not before


@pytest.mark.parametrize("name", CHANGES)
def test_the_programs_that_it_is_for(name: str) -> None:
    found = [_keeps(name, text, Random(k)) for k, text in enumerate(TEXTS[name])]
    assert sum(found) >= LEAST[name]


@pytest.mark.parametrize("name", CHANGES)
def test_random_programs(name: str) -> None:
    for seed in range(40):
        _keeps(name, program(seed, TASTE), Random(seed))
