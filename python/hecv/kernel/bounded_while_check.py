"""Whiles that do not count, as loops of so many turns as no run takes: a proof by array dataflow about those, checked.

`hecv.normal.whiles.trip_bound` makes of each while a loop of `turns` turns, and an assertion after it that it has
ended; what it makes is trusted, as the normal form is. Theorem: where the target with such loops refines the source
with such loops, for all numbers of turns, the target refines the source. On an input on which the source ends, take a
number that is larger than the turns of each while of the source in that run. Then the source with loops is the source,
and all that it asserts holds. So what the target with loops asserts holds: its whiles have ended, and it is the target.

The number is a parameter that both programs share. What is known of parameters has to hold for all for which the source
is not undefined whatever memory holds, so for that number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.dataflow_check import Shown
from hecv.program.tree import Function, While, walk

Check = Callable[[Any], Shown]
"""Checks the proof by dataflow about the functions with loops. Raises: Rejected."""


def replay_bounded(functions: tuple[Function, Function], data: Any, check: Check) -> bool:
    """Whether the source refines the target too; that the target refines the source is shown.

    Raises: Rejected where it is not, and where one of the functions has no while: another kind of proof says it.
    """
    if not all(any(isinstance(s, While) for s in walk(f.body)) for f in functions):
        raise Rejected("bounded", "there is no while")
    return check(data).converse
