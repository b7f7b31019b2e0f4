"""Fourier-Motzkin elimination: whether signs of sums contradict each other, as linear inequalities over monomials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from hecv.elements.assumed_signs import NEGATIVE, NIL, POSITIVE, Assumed, Sign
from hecv.elements.real_sums import UNIT, Sum

MOST_ROWS: Final = 200
"""The most inequalities; with more the answer is unknown."""


class _Row(Struct, frozen=True):
    """A combination of monomials that is positive, or, if not `strict`, not negative."""

    parts: Mapping[int, Fraction]
    strict: bool


def is_contradictory(algebra: Assumed, facts: Sequence[tuple[Sum, Sign]]) -> bool:
    """Whether no point has all of these signs, by a linear relaxation: each monomial is a variable of its own."""
    rows = [row for of, sign in facts for row in _rows(algebra.sums[of], sign)]
    if len(facts) < 2:
        return False
    for monomial in sorted({m for row in rows for m in row.parts if m != UNIT}):
        sign = algebra.shown(algebra.monomial_sum(monomial))
        if not sign & NEGATIVE:
            rows.append(_Row({monomial: Fraction(1)}, not sign & NIL))
    return _is_empty(rows)


def _rows(parts: Mapping[int, Fraction], sign: Sign) -> Iterable[_Row]:
    if not sign & NEGATIVE:
        yield _Row(dict(parts), not sign & NIL)
    if not sign & POSITIVE:
        yield _Row({m: -c for m, c in parts.items()}, not sign & NIL)


def _is_empty(rows: list[_Row]) -> bool:
    while True:
        left = [row for row in rows if any(m != UNIT for m in row.parts)]
        for row in rows:
            value = row.parts.get(UNIT, Fraction(0))
            if len(row.parts) - (UNIT in row.parts) == 0 and (value < 0 or (row.strict and value == 0)):
                return True
        if not left:
            return False
        rows = _without(left)
        if len(rows) > MOST_ROWS:
            return False


def _without(rows: Sequence[_Row]) -> list[_Row]:
    """What follows of inequalities, without the monomial that makes the fewest."""

    def made(monomial: int) -> int:
        signs = [row.parts.get(monomial, Fraction(0)) for row in rows]
        return sum(s > 0 for s in signs) * sum(s < 0 for s in signs)

    gone = min(sorted({m for row in rows for m in row.parts if m != UNIT}), key=made)
    above = [row for row in rows if row.parts.get(gone, 0) > 0]
    below = [row for row in rows if row.parts.get(gone, 0) < 0]
    return [row for row in rows if gone not in row.parts] + [_sum(a, b, gone) for a in above for b in below]


def _sum(above: _Row, below: _Row, gone: int) -> _Row:
    """A combination of two inequalities in which a monomial has gone."""
    total: dict[int, Fraction] = {}
    for row, factor in ((above, -below.parts[gone]), (below, above.parts[gone])):
        for monomial, coefficient in row.parts.items():
            total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return _Row({m: c for m, c in total.items() if c}, above.strict or below.strict)
