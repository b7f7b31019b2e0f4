"""Delinearization: row lengths that the subscripts of a flat buffer suggest, and a subscript as digits by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import gcd
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.program.index.index_polynomials import Monomial, Polynomial, divided, plus, polynomial_of, term_of
from hecv.program.index.index_ranges import Facts

MOST_DIGITS: Final = 4
"""Dimensions into which one subscript is split, at most."""

MOST_CANDIDATES: Final = 8
"""Candidate row lengths that are tried, at most."""

NEIGHBOURS: Final = (0, -1, 1)
"""Corrections of the quotient, in rows: `m*i + m - 1` is the last position of row `i`."""

Lengths = tuple[Polynomial, ...]
"""Row lengths for one flat dimension, innermost first."""


class Place(Struct, frozen=True):
    """A subscript as a polynomial (None if it is none), and the facts where it stands."""

    subscript: Polynomial | None
    facts: Facts


def place_of(index: Term, facts: Facts) -> Place:
    """The `Place` of a subscript."""
    return Place(polynomial_of(index), facts)


def has_rows(place: Place) -> bool:
    """True if an induction variable is multiplied by a non-literal in the subscript."""
    return any(len(m) > 1 and any(map(_varies, m)) for m in place.subscript or ())


def lengths_of(pool: TermPool, places: Sequence[Place]) -> Lengths | None:
    """Row lengths by which the digits of each subscript have no products; None if none are found."""
    lengths: list[Polynomial] = []
    while any(map(has_rows, places)):
        if len(lengths) == MOST_DIGITS - 1:
            return None
        for length in candidates(places)[:MOST_CANDIDATES]:
            rows = [_divided(pool, place, length) for place in places]
            known = [quotient for quotient, _ in filter(None, rows)]
            if len(known) == len(places):
                lengths.append(length)
                places = [replace(p, subscript=q) for p, q in zip(places, known, strict=True)]
                break
        else:
            return None
    return tuple(lengths)


def digits(pool: TermPool, place: Place, lengths: Lengths) -> tuple[Term, ...] | None:
    """The digits of a subscript by the row lengths; the last digit is by the first length. None if the facts do not
    show them.

    Ensures: each digit but the first is at least 0 and less than its length, which is positive.
    """
    found: list[Term] = []
    for length in lengths:
        row = _divided(pool, place, length)
        if row is None:
            return None
        found.append(row[1])
        place = replace(place, subscript=row[0])
    if place.subscript is None:
        return None
    return (term_of(pool, place.subscript), *reversed(found))


def _divided(pool: TermPool, place: Place, length: Polynomial) -> tuple[Polynomial, Term] | None:
    """The row of a subscript and its position in that row; None if the facts do not show that it is one."""
    parts = None if place.subscript is None else divided(place.subscript, length)
    if parts is None:
        return None
    for further in NEIGHBOURS:
        rest = plus(parts[1], length, -further)
        own, left = term_of(pool, rest), term_of(pool, plus(plus(length, rest, -1), Polynomial({(): 1}), -1))
        if place.facts.nonnegative(pool, own) and place.facts.nonnegative(pool, left):
            return plus(parts[0], Polynomial({(): further})), own
    return None


def candidates(places: Sequence[Place]) -> list[Polynomial]:
    """Candidate row lengths: the cofactors of variables, short sums with few factors first."""
    found: list[Polynomial] = []
    for place in places:
        for factor in _factors(place.subscript or Polynomial()):
            common = gcd(*factor.values())
            for length in (Polynomial({m: c // common for m, c in factor.items()}), factor):
                if length not in found:
                    found.append(length)
    return sorted(found, key=lambda p: (max(map(len, p)), sum(map(abs, p.values()))))


def _factors(subscript: Polynomial) -> Iterator[Polynomial]:
    """The cofactor of each variable if it is not a literal, with a positive leading coefficient."""
    found: defaultdict[Monomial, Polynomial] = defaultdict(Polynomial)
    for monomial, count in subscript.items():
        variables = tuple(t for t in monomial if _varies(t))
        found[variables][tuple(t for t in monomial if not _varies(t))] += count
    for variables, factor in found.items():
        if len(variables) == 1 and any(factor):
            sign = 1 if factor[max(factor, key=lambda m: (len(m), [t.id for t in m]))] > 0 else -1
            yield Polynomial({m: sign * c for m, c in factor.items()})


def _varies(atom: Term) -> bool:
    return any(t.op == "iv" for t in postorder((atom,)))
