"""Bounds of scalars from those of the elements that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import inf, prod
from typing import Final

from hecv.tensors.comprehension import Apply, Read, Real, RealLiteral, Reduce, Scalar, Select
from hecv.tensors.index_terms import index_range

Bounds = tuple[Fraction | float, Fraction | float]
"""The least and the greatest value, both included; infinite where there is none that is known."""

EVERYTHING: Final[Bounds] = (-inf, inf)

INTEGERS: Final[Mapping[str, tuple[int, int]]] = {
    f"i{width}": (-(1 << width - 1), (1 << width - 1) - 1) for width in (8, 16, 32, 64)
}
"""What integers of each element type can be."""

_MONOTONIC: Final = ("floor", "ceil", "trunc", "round")


def bounds(term: Scalar, of_read: Callable[[Read], Bounds]) -> Bounds:
    """Bounds of a term whose reads have these bounds. Conditions of selects are not looked at."""
    known: dict[Scalar, Bounds] = {}

    def of(term: Scalar) -> Bounds:
        if term not in known:
            known[term] = _bounds(term, of, of_read)
        return known[term]

    return of(term)


def within(term: Scalar, low: int, high: int, of_read: Callable[[Read], Bounds]) -> bool:
    """Whether the bounds of a term show that it is in this range, both ends included."""
    least, most = bounds(term, of_read)
    return low <= least and most <= high


def _bounds(term: Scalar, of: Callable[[Scalar], Bounds], of_read: Callable[[Read], Bounds]) -> Bounds:
    match term:
        case RealLiteral():
            return term.value, term.value
        case Real():
            low, high = index_range(term.index)
            return -inf if low is None else Fraction(low), inf if high is None else Fraction(high)
        case Read():
            return of_read(term)
        case Select():
            return _hull(of(term.yes), of(term.no))
        case Reduce(kind="max" | "min"):
            return of(term.body)
        case Reduce(kind="sum"):
            count = prod(v.extent for v in term.variables)
            return _product(of(term.body), (Fraction(count), Fraction(count)))
        case Apply():
            return _applied(term.function, [of(x) for x in term.operands])
        case _:
            return EVERYTHING


def _applied(function: str, given: list[Bounds]) -> Bounds:
    if function in ("max", "min"):
        choose = max if function == "max" else min
        return choose(b[0] for b in given), choose(b[1] for b in given)
    if function == "add":
        return sum((b[0] for b in given), Fraction(0)), sum((b[1] for b in given), Fraction(0))
    if function == "mul":
        found = given[0]
        for other in given[1:]:
            found = _product(found, other)
        return found
    if function in _MONOTONIC:
        low, high = given[0]
        return low if low == -inf else Fraction(low // 1), high if high == inf else Fraction(-(-high // 1))
    return EVERYTHING


def _hull(one: Bounds, other: Bounds) -> Bounds:
    return min(one[0], other[0]), max(one[1], other[1])


def _product(one: Bounds, other: Bounds) -> Bounds:
    corners = [Fraction(0) if 0 in (a, b) else a * b for a in one for b in other]
    return min(corners), max(corners)
