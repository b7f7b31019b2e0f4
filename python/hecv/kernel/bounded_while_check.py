"""Ranking bound: each `while` becomes a counted loop whose parametric bound no run reaches; checked by dataflow.

`hecv.normal.whiles.trip_bound` turns each while into a loop of `turns` iterations, followed by an assertion that the
while has ended; this transformation is trusted, as the normal form is. Theorem: if the target with such loops refines
the source with such loops, for every value of `turns`, the target refines the source. Proof: on an input on which the
source ends, take a number larger than the trip count of each while of the source in that run. Then the source with
loops is the source, and all its assertions hold. So the assertions of the target with loops hold: its whiles have
ended, and it is the target.

The number is a parameter that both programs share. A fact about parameters has to hold for all values for which the
source is not undefined for all contents of memory, so also for that number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow_check import Shown
from hecv.program.tree import Function, While, walk

Check = Callable[[Any], Shown]
"""Checks a dataflow proof about the functions with counted loops. Raises: Rejected."""


def replay_bounded(functions: tuple[Function, Function], data: Any, check: Check) -> bool:
    """Checks that the target refines the source; returns whether the source refines the target too.

    Raises: Rejected, also if one of the functions has no while: another kind of proof covers it.
    """
    if not all(any(isinstance(s, While) for s in walk(f.body)) for f in functions):
        raise Rejected("bounded", "there is no while")
    return check(data).converse
