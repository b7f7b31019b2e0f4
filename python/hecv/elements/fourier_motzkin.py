"""Whether signs of sums contradict each other, as linear inequalities over monomials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from hecv.base.linear_inequalities import Inequality, contradict
from hecv.elements.assumed_signs import NEGATIVE, NIL, POSITIVE, Assumed, Sign
from hecv.elements.real_sums import UNIT, Sum


def is_contradictory(algebra: Assumed, facts: Sequence[tuple[Sum, Sign]]) -> bool:
    """Whether no point has all of these signs, by a linear relaxation: each monomial is a variable of its own."""
    rows = [row for of, sign in facts for row in _rows(algebra.sums[of], sign)]
    if len(facts) < 2:
        return False
    for monomial in sorted({m for row in rows for m in row.parts}):
        sign = algebra.shown(algebra.monomial_sum(monomial))
        if not sign & NEGATIVE:
            rows.append(Inequality({monomial: Fraction(1)}, Fraction(0), not sign & NIL))
    return contradict(rows)


def _rows(parts: Mapping[int, Fraction], sign: Sign) -> Iterable[Inequality]:
    unknowns, constant = {m: c for m, c in parts.items() if m != UNIT}, parts.get(UNIT, Fraction(0))
    if not sign & NEGATIVE:
        yield Inequality(unknowns, constant, not sign & NIL)
    if not sign & POSITIVE:
        yield Inequality({m: -c for m, c in unknowns.items()}, -constant, not sign & NIL)
