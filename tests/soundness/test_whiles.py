"""Random while loops that count, nearly count, and do not: the normal form does what the loop does."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.normal.passes import normalize
from hecv.program.tree import While, walk
from hecv.run.interpreter.interpreter import Exhausted, Undefined, compile

from .running import conclusive, read, unequal
from .test_normal_form import explicit
from .whiles import program

ENDLESS = "the loop does not end, or its counter overflows"
STEPS_OF_ALL = 10_000
"""More than 256 iterations take: a loop over i8 that runs longer does not end."""


def check_seed(seed: int) -> bool:
    """Whether the loop of this seed counts; if so, its forms are compared."""
    random = Random(seed)
    text, pool = program(random, flagged=True), TermPool()
    function = read(text, pool)
    normal = normalize(pool, function)
    if any(isinstance(s, While) for s in walk(normal)):
        return False
    codes = [compile(f) for f in (function, replace(function, body=explicit(normal)))]
    narrow = "@f(%n: i8" in text
    edges = (*range(-4, 9), 126, 127, -127, -128) if narrow else range(-4, 9)
    for n in edges:
        for m in edges if narrow else (-3, 0, 2, 7):
            array = [random.randrange(-9, 9) % (1 << 32) for _ in range(8)]
            given = tuple(v % 256 if narrow else v for v in (n, m))
            ends = [code.run((*given, Buffer((8,), array)), STEPS_OF_ALL) for code in codes]
            if isinstance(ends[1], Undefined) and ends[1].text == ENDLESS:
                assert isinstance(ends[0], Exhausted | Undefined), f"{ends} on {n}, {m}\n{text}"
                continue
            assert isinstance(ends[0], Exhausted) == isinstance(ends[1], Exhausted), f"{ends} on {n}, {m}\n{text}"
            if conclusive(ends[0]):
                assert conclusive(ends[1]), f"{ends} on {n}, {m}\n{text}"
                assert unequal(*ends) is None, f"{unequal(*ends)} on {n}, {m}\n{text}"
    return True


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(0, 400, 50))
def test_counted_loops_do_what_they_did(first: int) -> None:
    assert sum(check_seed(seed) for seed in range(first, first + 50)) >= 2


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 9000, 500))
def test_many_counted_loops_do_what_they_did(first: int) -> None:
    for seed in range(first, first + 500):
        check_seed(seed)
