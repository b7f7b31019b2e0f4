"""Polynomials over e-classes: sums of products modulo `2**width`, and exclusive sums of conjunctions.

Both are normal forms. Bit-vectors are a commutative ring under `+` and `*` and a Boolean ring under `^` and `&`, so two
expressions of these operators with the same polynomial are equal at every width. A result over the size budget is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

Ring = dict[tuple[int, ...], int]
"""Nonzero coefficients by monomial, which is the sorted e-classes of its factors."""

Rational = dict[tuple[int, ...], Fraction]
"""As `Ring`, with rational coefficients. The caller may give negative class numbers a meaning of its own."""

Boolean = dict[frozenset[int], int]
"""Nonzero masks by monomial: a monomial is the conjunction of its e-classes, all ones if empty."""

MONOMIALS: Final = 64
"""Monomials of a product, at most."""

FACTORS: Final = 64
"""Factors of one monomial of a factor, at most."""


def ring_sum(parts: Iterable[tuple[Ring, int]], modulus: int) -> Ring:
    """`sum(factor * polynomial)`; modulus 0 means exact integers."""
    total: Ring = {}
    for polynomial, factor in parts:
        for monomial, coefficient in polynomial.items():
            total[monomial] = total.get(monomial, 0) + factor * coefficient
    return _reduced(total, modulus)


def ring_product(factors: Sequence[Ring], modulus: int) -> Ring | None:
    """The product; None if it would have too many monomials."""
    product: Ring = {(): 1}
    single: list[int] = []
    scale = 1
    for factor in factors:
        if len(factor) == 1:
            ((monomial, coefficient),) = factor.items()
            single += monomial
            scale *= coefficient
            continue
        if len(product) * len(factor) > MONOMIALS:
            return None
        product = _times(product, factor)
    if len(product) > 1 and len(single) > FACTORS:
        return None
    return _reduced({tuple(sorted((*m, *single))): c * scale for m, c in product.items()}, modulus)


def _times(left: Ring, right: Ring) -> Ring:
    total: Ring = {}
    for a, c in left.items():
        for b, d in right.items():
            monomial = tuple(sorted(a + b))
            total[monomial] = total.get(monomial, 0) + c * d
    return total


def _reduced(polynomial: Ring, modulus: int) -> Ring:
    if modulus:
        return {m: c % modulus for m, c in polynomial.items() if c % modulus}
    return {m: c for m, c in polynomial.items() if c}


def rational_sum(parts: Iterable[tuple[Rational, int]]) -> Rational:
    """`sum(factor * polynomial)`."""
    total: Rational = {}
    for polynomial, factor in parts:
        for monomial, coefficient in polynomial.items():
            total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {m: c for m, c in total.items() if c}


def rational_product(factors: Sequence[Rational]) -> Rational | None:
    """The product; None if it would have too many monomials."""
    product: Rational = {(): Fraction(1)}
    single: list[int] = []
    scale = Fraction(1)
    for factor in factors:
        if len(factor) == 1:
            ((monomial, coefficient),) = factor.items()
            single += monomial
            scale *= coefficient
            continue
        if len(product) * len(factor) > MONOMIALS:
            return None
        parts = [({tuple(sorted(a + b)): c * d}, 1) for a, c in product.items() for b, d in factor.items()]
        product = rational_sum(parts)
    if len(product) > 1 and len(single) > FACTORS:
        return None
    return rational_sum([({tuple(sorted((*m, *single))): c * scale}, 1) for m, c in product.items()])


def boolean_sum(parts: Iterable[Boolean]) -> Boolean:
    """The exclusive or."""
    total: Boolean = {}
    for polynomial in parts:
        for monomial, mask in polynomial.items():
            total[monomial] = total.get(monomial, 0) ^ mask
    return {m: c for m, c in total.items() if c}


def boolean_product(factors: Sequence[Boolean], ones: int) -> Boolean | None:
    """The conjunction; None if it would have too many monomials."""
    product: Boolean = {frozenset(): ones}
    single: set[int] = set()
    common = ones
    for factor in factors:
        if not factor:
            return {}
        if len(factor) == 1:
            ((monomial, mask),) = factor.items()
            single |= monomial
            common &= mask
            continue
        if len(product) * len(factor) > MONOMIALS:
            return None
        product = boolean_sum({a | b: c & d} for a, c in product.items() for b, d in factor.items())
    if len(product) > 1 and len(single) > FACTORS:
        return None
    return boolean_sum({m | single: c & common} for m, c in product.items())


def boolean_union(factors: Sequence[Boolean], ones: int) -> Boolean | None:
    """The disjunction, by De Morgan; None if it would have too many monomials."""
    unit: Boolean = {frozenset(): ones}
    product = boolean_product([boolean_sum((unit, factor)) for factor in factors], ones)
    return None if product is None else boolean_sum((unit, product))
