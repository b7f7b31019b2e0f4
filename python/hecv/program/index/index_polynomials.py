"""Polynomials over index terms: subscripts of a flat buffer as sums of products, and their division by a row length."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IndexType
from hecv.program.index import quasi_affine

Monomial = tuple[Term, ...]
"""A product of atoms, in order of id."""

Polynomial = Counter[Monomial]
"""Nonzero coefficients by monomial."""

MOST_MONOMIALS: Final = 64
MOST_STEPS: Final = 64


def polynomial_of(term: Term, proper: bool = True) -> Polynomial | None:
    """An index term as a polynomial; None if it would be too long.

    With `proper`, also None for a term that may be poison: its monomials must not cancel.
    """
    if proper and not quasi_affine.is_proper(term):
        return None
    found: dict[int, Polynomial] = {}
    for node in postorder((term,)):
        if node.op == "affine.mul":
            product = times(*(found[a.id] for a in node.args))
            if product is None:
                return None
            found[node.id] = product
        elif node.op in ("const", "affine.linear") and isinstance(node.type, IndexType):  # no literal within an atom
            form = quasi_affine.linear(node)
            total = Counter[Monomial]({(): form.constant})
            for atom, coefficient in form.terms:
                for monomial, count in found[atom.id].items():
                    total[monomial] += coefficient * count
            found[node.id] = kept(total)
        else:
            found[node.id] = Counter({(node,): 1})
    return found[term.id]


def term_of(pool: TermPool, polynomial: Polynomial) -> Term:
    """The index term of a polynomial."""
    parts: list[tuple[Term, int]] = []
    for monomial, count in polynomial.items():
        product = pool.integer(1)
        for atom in monomial:
            product = quasi_affine.multiply(pool, product, atom)
        parts.append((product, count))
    return quasi_affine.combine(pool, 0, tuple(parts))


def times(left: Polynomial, right: Polynomial) -> Polynomial | None:
    """The product; None if it would be too long."""
    if len(left) * len(right) > MOST_MONOMIALS:
        return None
    total = Counter[Monomial]()
    for one, first in left.items():
        for two, second in right.items():
            total[tuple(sorted((*one, *two), key=lambda t: t.id))] += first * second
    return kept(total)


def plus(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    """`left + factor * right`."""
    total = Counter(left)
    for monomial, count in right.items():
        total[monomial] += factor * count
    return kept(total)


def divided(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """Quotient and remainder: all monomials divisible by the divisor's leading monomial are eliminated.

    None if that takes too long, or the divisor is 0.

    Ensures: `dividend = quotient * divisor + rest`.
    """
    if not divisor:
        return None
    lead = max(divisor, key=_order)
    quotient, rest, left = Counter[Monomial](), Counter[Monomial](), Counter(dividend)
    for _ in range(MOST_STEPS):
        if not left:
            return kept(quotient), kept(rest)
        monomial = max(left, key=_order)
        factor, over = divmod(left[monomial], divisor[lead])
        other = without(monomial, lead)
        if other is None or not factor:
            rest[monomial] += left.pop(monomial)
            continue
        taken = times(Counter({other: factor}), divisor)
        if taken is None:
            return None
        quotient[other] += factor
        left = plus(left, taken, -1)
        if over and monomial in left:
            rest[monomial] += left.pop(monomial)
    return None


def without(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """`monomial` divided by `factors`; None if they do not divide it."""
    left = list(monomial)
    for factor in factors:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)


def kept(total: Polynomial) -> Polynomial:
    """The polynomial without zero coefficients."""
    return Counter({monomial: count for monomial, count in total.items() if count})


def _order(monomial: Monomial) -> tuple[int, tuple[int, ...]]:
    return len(monomial), tuple(t.id for t in monomial)
