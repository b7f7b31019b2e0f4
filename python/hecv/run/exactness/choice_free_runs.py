"""Runs in which no op makes a nondeterministic choice; a refutation needs such a run of the source.

On two zeros of different sign, `maxnumf` and `minnumf` may return either; on all other operands they have one value.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import LeftOpen, Pattern


def settled(value: float, left: float, right: float) -> float:
    """`value`, the result on `left` and `right` of an op that may choose between zeros.

    Raises: LeftOpen if it has a choice.
    """
    if left == right == 0 and math.copysign(1.0, left) != math.copysign(1.0, right):
        raise LeftOpen
    return value


NAMES: Final[dict[str, object]] = {"settled": settled}
"""What the text of a pattern calls."""


class SettledPatterns(Patterns):
    """Templates of ops that raise `LeftOpen` where they have a choice."""

    def make(self, term: Term, proper: tuple[bool, ...], literals: bool) -> Pattern:
        """As `Patterns.make`."""
        found = Patterns.make(self, term, proper, literals)
        if term.op not in CHOOSING:
            return found
        return replace(found, value=f"settled({found.value}, {{0}}, {{1}})", open=True)
