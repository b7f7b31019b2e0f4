"""Case split over the signs of what guards compare: `[x < -1] * [1 < x]` is 0, as no number is both.

A case is a sign for each compared poly. It is left out if its signs contradict each other as linear inequalities whose
unknowns are monomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final

from hecv.base.linear_inequalities import Inequality, contradict
from hecv.tensors.algebra.functions import Functions
from hecv.tensors.algebra.normal_form import Monomial, Poly, Test
from hecv.tensors.algebra.regions import Region
from hecv.tensors.index_terms import Variable

MOST_COMPARED: Final = 6
"""Compared polys, at most, of a difference: 729 cases."""

Vanishes = Callable[[Poly], bool]


def vanishes_by_cases(ring: Functions, difference: Poly, vanishes: Vanishes) -> bool:
    """Whether a difference is 0 in each case; `vanishes` decides it where no guard on data is left. Sums over the same
    binders are 0 if what they add up is, case by case."""
    difference = _without_sums(ring, difference, vanishes)
    compared = dict.fromkeys(test.poly for test in _tests(ring, difference))
    return vanishes(difference) or (0 < len(compared) <= MOST_COMPARED and _in_case(ring, difference, vanishes, ()))


def _without_sums(ring: Functions, difference: Poly, vanishes: Vanishes) -> Poly:
    """A difference without the sums with guards that cancel."""
    sums: dict[tuple[tuple[Variable, ...], Region], list[tuple[Monomial, Fraction]]] = {}
    for monomial, c in difference.terms:
        if monomial.binders:
            sums.setdefault((monomial.binders, monomial.region), []).append((monomial, c))
    gone: set[Monomial] = set()
    for terms in sums.values():
        added = ring.add(*(Poly(((Monomial((), ring.regions.whole, m.factors), c),)) for m, c in terms))
        if any(True for _ in _tests(ring, added)) and vanishes_by_cases(ring, added, vanishes):
            gone.update(m for m, _ in terms)
    return Poly(tuple(t for t in difference.terms if t[0] not in gone))


def _tests(ring: Functions, poly: Poly) -> Iterator[Test]:
    """The comparisons that are factors, and that no sum binds a variable of."""
    for monomial, _ in poly.terms:
        for atom, _ in monomial.factors:
            if isinstance(atom, Test) and ring.facets.free(atom).isdisjoint(monomial.binders):
                yield atom


def _in_case(ring: Functions, difference: Poly, vanishes: Vanishes, signs: tuple[tuple[Poly, int], ...]) -> bool:
    test = next(_tests(ring, difference), None)
    if test is None:
        return vanishes(difference)
    if len(signs) == MOST_COMPARED:
        return False
    for sign in (-1, 0, 1):
        case = (*signs, (test.poly, sign))
        if not contradict(list(_inequalities(ring, case))):
            part = _where(ring, difference, test.poly, sign)
            if part.terms and not _in_case(ring, part, vanishes, case):
                return False
    return True


def _where(ring: Functions, difference: Poly, compared: Poly, sign: int) -> Poly:
    """The difference where a poly has this sign; where it is 0 an atom of it is replaced by what it equals there."""
    less, equal = Test("lt", compared), Test("eq", compared)
    if sign == 0:
        difference = ring.mul(difference, ring.atom(equal))
    for test, holds in ((less, sign < 0), (equal, sign == 0)):
        difference = ring.decided(difference, test, holds)
    return difference


def _inequalities(ring: Functions, signs: tuple[tuple[Poly, int], ...]) -> Iterator[Inequality]:
    monomials: dict[int, Monomial] = {}
    for poly, sign in signs:
        parts = {m.number: c for m, c in poly.terms if m is not ring.unit}
        constant = next((c for m, c in poly.terms if m is ring.unit), Fraction(0))
        monomials |= {m.number: m for m, _ in poly.terms if m is not ring.unit}
        for factor in (1, -1) if sign == 0 else (sign,):
            yield Inequality({n: c * factor for n, c in parts.items()}, constant * factor, sign != 0)
    for number, monomial in monomials.items():
        known = ring.sign(Poly(((monomial, Fraction(1)),)))
        if known is not None:
            yield Inequality({number: Fraction(1)}, Fraction(0), known == 2)
