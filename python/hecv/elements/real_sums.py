"""Normal form of expressions over the real numbers: sums of monomials with rational coefficients.

A monomial is a product of powers of atoms and one exponential, `a**2 * b**-1 * exp(s)`. Powers are stored doubled, so
that a root is the power 1; those of primes, which have fourth roots, times four. Atoms are leaves, primes, functions of
sums, and sums that are not multiplied out: divisors, operands of roots, and factors that would make a product too long.
Atoms and sums are numbered, and two expressions with one normal form have one number.

`hecv.elements.real_field` has the other operations on sums, and the laws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, TypeVar

from msgspec import Struct

Sum = int
"""The number of a sum."""
Key = tuple[object, ...]
N = TypeVar("N", int, Fraction)

ZERO: Final[Sum] = 0
ONE: Final[Sum] = 1
UNIT: Final = 0
"""The monomial 1."""

MOST_MONOMIALS: Final = 40_000
"""The most monomials of a sum."""

MOST_WORK: Final = 1_000_000
"""The most monomials added and multiplied in all."""

PRIME_UNIT: Final = 4
"""The stored power of a prime with exponent 1."""

IDEMPOTENT: Final = frozenset({"positive", "zero", "bit"})
"""Atoms that are 0 or 1."""


class TooLarge(Exception):
    """An expression exceeded the limits."""


class Monomial(Struct, frozen=True):
    """Atoms with doubled powers (primes: four times), sorted, and the sum in the exponential."""

    factors: tuple[tuple[int, int], ...]
    exponent: Sum


class Content(Struct, frozen=True):
    """`coefficient * monomial * primitive`: `primitive` has no common factor and a first coefficient of 1 or -1."""

    coefficient: Fraction
    monomial: int
    primitive: Sum


class Reduced(Struct, frozen=True):
    """`scale * exp(exponent) * inner`: `scale` is positive, and the first coefficient of `inner` 1 or -1."""

    scale: Fraction
    exponent: Sum
    inner: Sum


class Sums:
    """Builds sums and products, at most `work` monomials; products of more than `longest` are not multiplied out."""

    def __init__(self, longest: int, work: int = MOST_WORK) -> None:
        self.longest = longest
        self.atoms: list[Key] = []
        self.monomials: list[Monomial] = []
        self.sums: list[Mapping[int, Fraction]] = []
        self._atom_numbers: dict[Key, int] = {}
        self._monomial_numbers: dict[tuple[object, ...], int] = {}
        self._sum_numbers: dict[frozenset[tuple[int, Fraction]], int] = {}
        self._products: dict[tuple[int, int], tuple[int, Sum | None]] = {}
        self._contents: dict[Sum, Content] = {}
        self._reduced: dict[Sum, Reduced] = {}
        self._left = work
        assert self._sum({}) == ZERO
        assert self._monomial({}, ZERO) == UNIT
        assert self._sum({UNIT: Fraction(1)}) == ONE

    # Numbers of things

    def _sum(self, parts: Mapping[int, Fraction]) -> Sum:
        if len(parts) > MOST_MONOMIALS:
            raise TooLarge
        key = frozenset(parts.items())
        number = self._sum_numbers.get(key)
        if number is None:
            number = self._sum_numbers[key] = len(self.sums)
            self.sums.append(parts)
        return number

    def _monomial(self, powers: Mapping[int, int], exponent: Sum) -> int:
        factors = tuple(sorted((a, p) for a, p in powers.items() if p))
        key = (factors, exponent)
        number = self._monomial_numbers.get(key)
        if number is None:
            number = self._monomial_numbers[key] = len(self.monomials)
            self.monomials.append(Monomial(factors, exponent))
        return number

    def _atom(self, key: Key) -> int:
        number = self._atom_numbers.setdefault(key, len(self.atoms))
        if number == len(self.atoms):
            self.atoms.append(key)
        return number

    def atom(self, *key: object) -> Sum:
        """A leaf, or an uninterpreted function, as a sum."""
        return self.power_of(self._atom(key), 2)

    def pi_to(self, power: int) -> Sum:
        """`pi ** power`."""
        return self.power_of(self._atom(("pi",)), 2 * power)

    def power_of(self, atom: int, doubled: int) -> Sum:
        return self._sum({self._monomial({atom: doubled}, ZERO): Fraction(1)})

    def monomial_sum(self, monomial: int) -> Sum:
        """A monomial as a sum."""
        return self._sum({monomial: Fraction(1)})

    # Sums and products

    def number(self, value: Fraction) -> Sum:
        return self._sum({UNIT: value} if value else {})

    def constant(self, sum_: Sum) -> Fraction | None:
        """The number that a sum is; None if it is not constant."""
        parts = self.sums[sum_]
        if not parts:
            return Fraction(0)
        return parts[UNIT] if len(parts) == 1 and UNIT in parts else None

    def add(self, parts: Iterable[tuple[Sum, Fraction | int]]) -> Sum:
        """The sum of sums with coefficients."""
        total: dict[int, Fraction] = {}
        for sum_, factor in parts:
            self._spend(len(self.sums[sum_]))
            for monomial, coefficient in self.sums[sum_].items():
                value = total.get(monomial, 0) + factor * coefficient
                if value:
                    total[monomial] = value
                else:
                    total.pop(monomial, None)
        return self._sum(total)

    def _spend(self, monomials: int) -> None:
        self._left -= monomials
        if self._left < 0:
            raise TooLarge

    def subtract(self, left: Sum, right: Sum) -> Sum:
        return self.add(((left, 1), (right, -1)))

    def scale(self, sum_: Sum, factor: Fraction | int) -> Sum:
        return self.add(((sum_, Fraction(factor)),)) if factor else ZERO

    def multiply(self, left: Sum, right: Sum) -> Sum:
        """The product, multiplied out if it is not too long."""
        count = len(self.sums[left]), len(self.sums[right])
        if min(count) > 1 and count[0] * count[1] > self.longest:
            left, right = self._closed(left), self._closed(right)
        self._spend(len(self.sums[left]) * len(self.sums[right]))
        total: dict[int, Fraction] = {}
        more: list[tuple[Sum, Fraction | int]] = []
        for one, first in self.sums[left].items():
            for two, second in self.sums[right].items():
                monomial, rest = self._product(one, two)
                if rest is None:
                    value = total.get(monomial, 0) + first * second
                    total[monomial] = value
                else:
                    whole = self.multiply(self._sum({monomial: Fraction(1)}), rest)
                    more.append((whole, first * second))
        product = self._sum({m: c for m, c in total.items() if c})
        return self.add(((product, 1), *more)) if more else product

    def _closed(self, sum_: Sum) -> Sum:
        """The sum as one atom, but for what its monomials have in common."""
        content = self.content(sum_)
        if content.primitive == ONE:
            return sum_
        inner = self.power_of(self._atom(("sum", content.primitive)), 2)
        return self._times(inner, content.monomial, content.coefficient)

    def _times(self, sum_: Sum, monomial: int, coefficient: Fraction) -> Sum:
        return self.multiply(sum_, self._sum({monomial: coefficient}))

    def _product(self, one: int, two: int) -> tuple[int, Sum | None]:
        """The product of two monomials, and of what is left once roots have met."""
        if one > two:
            one, two = two, one
        known = self._products.get((one, two))
        if known is not None:
            return known
        first, second = self.monomials[one], self.monomials[two]
        powers = dict(first.factors)
        rest: list[Sum] = []
        for atom, power in second.factors:
            before = powers.get(atom, 0)
            powers[atom] = before + power
            rest += self._met(atom, powers, before % 2 == power % 2 == 1)
        exponent = first.exponent
        if second.exponent != ZERO:
            exponent = self.add(((exponent, 1), (second.exponent, 1)))
            exponent = self._without_logarithms(exponent, powers)
        whole: Sum | None = None
        for sum_ in rest:
            whole = sum_ if whole is None else self.multiply(whole, sum_)
        found = self._products[one, two] = self._monomial(powers, exponent), whole
        return found

    def _met(self, atom: int, powers: dict[int, int], roots: bool) -> list[Sum]:
        """What a power of an atom is besides a power, once two roots have met in it."""
        kind, *of = self.atoms[atom]
        if kind in IDEMPOTENT:
            powers[atom] = min(powers[atom], 2) if powers[atom] > 0 else powers[atom]
        elif kind == "prime":
            whole, powers[atom] = divmod(powers[atom], PRIME_UNIT)
            return [self.number(Fraction(int(str(of[0]))) ** whole)] if whole else []
        elif kind == "sum" and roots and powers[atom] > 0:
            count, powers[atom] = powers[atom] // 2, 0
            return [int(str(of[0]))] * count
        elif kind == "part" and powers[atom] > 2 and not powers[atom] % 2:
            count, powers[atom] = powers[atom] // 2 - 1, 2  # `max(a, 0) ** 2 = a * max(a, 0)`
            return [int(str(of[0]))] * count
        return []

    def _without_logarithms(self, exponent: Sum, powers: dict[int, int]) -> Sum:
        """The exponent without whole and half multiples of logarithms, which go to the powers."""
        left = dict(self.sums[exponent])
        for monomial, coefficient in self.sums[exponent].items():
            factors = self.monomials[monomial].factors
            if coefficient.denominator > 2 or len(factors) != 1 or factors[0][1] != 2:
                continue
            kind, *of = self.atoms[factors[0][0]]
            if kind == "log" and self.monomials[monomial].exponent == ZERO:
                base, rooted = int(str(of[0])), coefficient.denominator == 2
                if rooted and self.constant(base) is not None:
                    continue
                atom = self._base_of(base, rooted)
                powers[atom] = powers.get(atom, 0) + int(2 * coefficient)
                del left[monomial]
        return self._sum(left)

    def _base_of(self, sum_: Sum, rooted: bool) -> int:
        """The atom of which powers are powers of a sum; a root of an atom is its own."""
        ((monomial, coefficient), *more) = self.sums[sum_].items()
        factors = self.monomials[monomial].factors
        own = rooted and not more and coefficient == 1 and self.monomials[monomial].exponent == ZERO
        if own and len(factors) == 1 and factors[0][1] == 2 and self.atoms[factors[0][0]][0] != "prime":
            return factors[0][0]
        return self._atom(("sum", sum_))

    def power(self, sum_: Sum, exponent: int) -> Sum:
        """`sum_ ** exponent`.

        Requires: `exponent >= 0`.
        """
        found = ONE
        for _ in range(exponent):
            found = self.multiply(found, sum_)
        return found

    # What the monomials of a sum have in common

    def content(self, sum_: Sum) -> Content:
        """The sum as the product of what its monomials have in common and a primitive part.

        `exp(a - m) + exp(b - m)` is `exp(-m)` times `exp(a) + exp(b)`: for each summand in exponents, the least
        coefficient is common, so a sum and its multiples have one primitive part.

        Requires: it is not 0.
        """
        known = self._contents.get(sum_)
        if known is not None:
            return known
        parts = self.sums[sum_]
        powers = self._least([dict(self.monomials[m].factors) for m in parts], 0)
        exponents = self._common_exponent(parts)
        common = self._monomial(powers, self._sum(exponents))
        rest = {self._divided(m, powers, exponents): c for m, c in parts.items()}
        scale = abs(rest[min(rest)])
        primitive = self._sum({m: c / scale for m, c in rest.items()})
        found = self._contents[sum_] = Content(scale, common, primitive)
        return found

    def _least(self, each: list[dict[int, N]], nothing: N) -> dict[int, N]:
        """Of each key the least value, where that is not 0."""
        least = {key: min(one.get(key, nothing) for one in each) for one in each for key in one}
        return {key: value for key, value in least.items() if value}

    def _common_exponent(self, parts: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """What the exponents of all monomials have in common."""
        return self._least([dict(self.sums[self.monomials[m].exponent]) for m in parts], Fraction(0))

    def _divided(self, monomial: int, powers: Mapping[int, int], exponents: Mapping[int, Fraction]) -> int:
        """A monomial without a common factor."""
        whole = self.monomials[monomial]
        left = dict(whole.factors)
        for atom, power in powers.items():
            left[atom] = left.get(atom, 0) - power
        exponent = dict(self.sums[whole.exponent])
        for key, value in exponents.items():
            exponent[key] = exponent.get(key, Fraction(0)) - value
        return self._monomial(left, self._sum({k: v for k, v in exponent.items() if v}))

    def reduced(self, sum_: Sum) -> Reduced:
        """A sum without the factors that are positive whatever the leaves are.

        Requires: it is not 0.
        """
        known = self._reduced.get(sum_)
        if known is not None:
            return known
        parts = self.sums[sum_]
        exponents = self._common_exponent(parts)
        rest = {self._divided(m, {}, exponents): c for m, c in parts.items()} if exponents else parts
        scale = abs(rest[min(rest)])
        inner = self._sum({m: c / scale for m, c in rest.items()})
        found = self._reduced[sum_] = Reduced(scale, self._sum(exponents), inner)
        return found

    def signed(self, sum_: Sum) -> tuple[Fraction, Sum]:
        """A sum as a number times a sum whose first coefficient is 1.

        Requires: it is not 0.
        """
        parts = self.sums[sum_]
        first = parts[min(parts)]
        return first, self.scale(sum_, 1 / first)

    def _inverted(self, monomial: int) -> tuple[int, Fraction]:
        """`1 / monomial` as a monomial and a number: the inverse of a root of 2 is half of a root of 2."""
        whole = self.monomials[monomial]
        primes = {a: int(str(self.atoms[a][1])) for a, _ in whole.factors if self.atoms[a][0] == "prime"}
        powers = {a: PRIME_UNIT - p if a in primes else -p for a, p in whole.factors}
        return self._monomial(powers, self.scale(whole.exponent, -1)), Fraction(1, math.prod(primes.values()))
