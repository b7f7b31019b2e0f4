"""Fourier-Motzkin elimination: whether linear inequalities over the reals contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

MOST_ROWS: Final = 200
"""The most inequalities; with more the answer is unknown."""


class Inequality(Struct, frozen=True):
    """`constant` and a combination of unknowns, by their numbers, is positive, or, if not `strict`, not negative."""

    parts: Mapping[int, Fraction]
    constant: Fraction
    strict: bool


def contradict(rows: Sequence[Inequality]) -> bool:
    """Whether no values of the unknowns satisfy all inequalities; False if that is not known."""
    left = list(rows)
    while True:
        if any(not row.parts and (row.constant < 0 or (row.strict and row.constant == 0)) for row in left):
            return True
        left = [row for row in left if row.parts]
        if not left:
            return False
        left = _without(left)
        if len(left) > MOST_ROWS:
            return False


def _without(rows: Sequence[Inequality]) -> list[Inequality]:
    """What follows of inequalities, without the unknown that makes the fewest."""

    def made(unknown: int) -> int:
        signs = [row.parts.get(unknown, Fraction(0)) for row in rows]
        return sum(s > 0 for s in signs) * sum(s < 0 for s in signs)

    gone = min(sorted({unknown for row in rows for unknown in row.parts}), key=made)
    above = [row for row in rows if row.parts.get(gone, 0) > 0]
    below = [row for row in rows if row.parts.get(gone, 0) < 0]
    return [row for row in rows if gone not in row.parts] + [_sum(a, b, gone) for a in above for b in below]


def _sum(above: Inequality, below: Inequality, gone: int) -> Inequality:
    """A combination of two inequalities in which an unknown has gone."""
    total: dict[int, Fraction] = {}
    constant = Fraction(0)
    for row, factor in ((above, -below.parts[gone]), (below, above.parts[gone])):
        constant += factor * row.constant
        for unknown, coefficient in row.parts.items():
            total[unknown] = total.get(unknown, Fraction(0)) + factor * coefficient
    return Inequality({u: c for u, c in total.items() if c}, constant, above.strict or below.strict)
