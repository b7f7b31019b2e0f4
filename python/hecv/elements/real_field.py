"""Field operations on expressions over the reals: quotients, roots, exponentials, logarithms and comparisons.

The laws: those of the ordered field, `exp(a) * exp(b) = exp(a + b)`, `exp(log(a)) = a`, `sqrt(a)**2 = a`, and what the
functions below state. Each holds wherever both of its sides are defined; `hecv.elements.real_terms` says where an
operation is defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hecv.elements.assumed_signs import NEGATIVE, NIL, POSITIVE, Assumed
from hecv.elements.real_sums import MOST_MONOMIALS, MOST_WORK, ONE, PRIME_UNIT, UNIT, ZERO, Sum, TooLarge
from hecv.run.exactness.literal_reals import rooted


class Field(Assumed):
    """Builds expressions; `literals` are those that were read, by format and the number that each stands for."""

    def __init__(self, longest: int, work: int = MOST_WORK) -> None:
        super().__init__(longest, work)
        self.literals: dict[tuple[str, str], float] = {}

    # Division and roots

    def inverse(self, sum_: Sum) -> Sum:
        """`1 / sum_`.

        Requires: it is not 0.
        """
        content = self.content(sum_)
        sign, primitive = self.signed(content.primitive)
        inner = ONE if primitive == ONE else self.power_of(self._atom(("sum", primitive)), -2)
        monomial, factor = self._inverted(content.monomial)
        return self._times(inner, monomial, factor / (sign * content.coefficient))

    def root(self, sum_: Sum) -> Sum:
        """`sqrt(sum_)`; the root of a square is the absolute value.

        The root of a product is not split: `a * b` may be positive where both are negative.
        """
        if sum_ == ZERO:
            return ZERO
        reduced = self.reduced(sum_)
        factor, primes = rooted(reduced.scale)
        half = self.scale(reduced.exponent, Fraction(1, 2))
        outside = self._monomial({self._atom(("prime", p)): PRIME_UNIT // 2 for p in primes}, half)
        return self._times(self._root_of(reduced.inner), outside, factor)

    def _root_of(self, inner: Sum) -> Sum:
        parts = self.sums[inner]
        if inner == ONE:
            return ONE
        ((monomial, coefficient), *more) = parts.items()
        factors = self.monomials[monomial].factors
        primes = {a: p for a, p in factors if self.atoms[a][0] == "prime"}
        if more or coefficient != 1 or any(p % 2 for p in primes.values()):
            return self.power_of(self._atom(("sum", inner)), 1)
        outside = self._sum({self._monomial({a: p // 2 for a, p in primes.items()}, ZERO): Fraction(1)})
        rest = tuple((a, p) for a, p in factors if a not in primes)
        return self.multiply(outside, self._root_of_product(rest)) if primes else self._root_of_product(rest)

    def _root_of_product(self, factors: tuple[tuple[int, int], ...]) -> Sum:
        """The root of a product of powers, none of which is of a prime."""
        match factors:
            case ():
                return ONE
            case ((atom, (2 | -2) as power),):
                return self.power_of(atom, power // 2)
            case ((atom, 4),):
                return self.magnitude(self.power_of(atom, 2))
            case _:
                inner = self._sum({self._monomial(dict(factors), ZERO): Fraction(1)})
                return self.power_of(self._atom(("sum", inner)), 1)

    # Exponentials and logarithms

    def exponential(self, sum_: Sum) -> Sum:
        """`exp(sum_)`; `exp(n * log(a))` is `a ** n` for integers and halves `n`."""
        powers: dict[int, int] = {}
        exponent = self._without_logarithms(sum_, powers)
        roots: list[Sum] = []
        for monomial, coefficient in self.sums[exponent].items():
            base = self._constant_logarithm(monomial) if coefficient.denominator == 2 else None
            if base is not None:
                exponent = self.add(((exponent, 1), (self.monomial_sum(monomial), -coefficient)))
                root = self.root(base if coefficient > 0 else self.inverse(base))
                roots += [root] * abs(coefficient.numerator)
        found = self._sum({self._monomial({}, exponent): Fraction(1)})
        found = self._times(found, self._monomial(powers, ZERO), Fraction(1))
        for root in roots:
            found = self.multiply(found, root)
        return found

    def _constant_logarithm(self, monomial: int) -> Sum | None:
        """The number that a monomial is the logarithm of."""
        whole = self.monomials[monomial]
        if len(whole.factors) != 1 or whole.factors[0][1] != 2 or whole.exponent != ZERO:
            return None
        kind, *of = self.atoms[whole.factors[0][0]]
        base = int(str(of[0])) if kind == "log" else None
        return base if base is not None and self.constant(base) is not None else None

    def logarithm(self, sum_: Sum) -> Sum:
        """`log(sum_)`; `log(exp(a) * b)` is `a + log(b)`."""
        reduced = self.reduced(sum_)
        found = [(reduced.exponent, 1)]
        if reduced.scale != 1:
            found.append((self.atom("log", self.number(reduced.scale)), 1))
        inner = reduced.inner
        if inner != ONE:
            found.append(self._logarithm_of(inner))
        return self.add(found)

    def to_base(self, base: int) -> Sum:
        """`log(base)`; for a negative base `1 / log(-base)`."""
        found = self.logarithm(self.number(Fraction(abs(base))))
        return found if base > 0 else self.inverse(found)

    def _logarithm_of(self, inner: Sum) -> tuple[Sum, int]:
        """The logarithm of a sum as an atom and its coefficient: `log(a ** 3) = 3 * log(a)`."""
        ((monomial, coefficient), *more) = self.sums[inner].items()
        factors = self.monomials[monomial].factors
        if not more and coefficient == 1 and len(factors) == 1 and factors[0][1] % 4 == 2:
            kind, *of = self.atoms[factors[0][0]]
            base = int(str(of[0])) if kind == "sum" else self.power_of(factors[0][0], 2)
            return self.atom("log", base), factors[0][1] // 2
        return self.atom("log", inner), 1

    # Orders

    def positive_part(self, sum_: Sum) -> Sum:
        """`max(sum_, 0)`; `max(-a, 0) = max(a, 0) - a`."""
        sign = self.sign(sum_)
        if not sign & NEGATIVE:
            return sum_
        if not sign & POSITIVE:
            return ZERO
        factor, inner = self.signed(sum_)
        part = self.atom("part", inner)
        return self.scale(part, factor) if factor > 0 else self.add(((part, -factor), (inner, factor)))

    def magnitude(self, sum_: Sum) -> Sum:
        """`|sum_|`."""
        return self.add(((self.positive_part(sum_), 2), (sum_, -1)))

    def is_positive(self, sum_: Sum) -> Sum:
        """1 where `sum_ > 0`, else 0."""
        sign = self.sign(sum_)
        if sign == POSITIVE or not sign & POSITIVE:
            return ONE if sign == POSITIVE else ZERO
        inner, flip = self.direction(sum_)
        return self.atom("positive", self.scale(inner, -1) if flip else inner)

    def is_zero(self, sum_: Sum) -> Sum:
        """1 where `sum_ = 0`, else 0."""
        sign = self.sign(sum_)
        if sign == NIL or not sign & NIL:
            return ONE if sign == NIL else ZERO
        return self.atom("zero", self.direction(sum_)[0])

    def decided_by(self, bit: Sum) -> tuple[Sum, bool] | None:
        """The sum `s` for which `bit` is 1 exactly where `s > 0`, or, if the second is false, where `s >= 0`; None if
        there is none."""
        parts = dict(self.sums[bit])
        strict = parts.pop(UNIT, Fraction(0))
        if len(parts) != 1 or (strict, *parts.values()) not in ((0, 1), (1, -1)):
            return None
        factors = self.monomials[next(iter(parts))].factors
        if len(factors) != 1 or self.atoms[factors[0][0]][0] != "positive":
            return None
        of = int(str(self.atoms[factors[0][0]][1]))
        return (of, True) if not strict else (self.scale(of, -1), False)

    def told_apart_by(self, bit: Sum) -> Sum | None:
        """The sum `s` for which `bit` is 1 exactly where `s` is not 0; None if there is none."""
        parts = dict(self.sums[bit])
        if parts.pop(UNIT, 0) != 1 or list(parts.values()) != [-1]:
            return None
        factors = self.monomials[next(iter(parts))].factors
        known = len(factors) == 1 and self.atoms[factors[0][0]][0] == "zero"
        return int(str(self.atoms[factors[0][0]][1])) if known else None

    # Equality

    def equal(self, left: Sum, right: Sum) -> bool:
        """Whether two expressions are equal wherever both are defined, by clearing denominators."""
        difference = self.subtract(left, right)
        for _ in range(8):
            if difference == ZERO:
                return True
            cleared = self._cleared(difference)
            if cleared == difference:
                return False
            difference = cleared
        return False

    def _cleared(self, sum_: Sum) -> Sum:
        """A sum times what it divides by, with sums that were left closed multiplied out."""
        parts = self.sums[sum_]
        lowest: dict[int, int] = {}
        for m in parts:
            for atom, power in self.monomials[m].factors:
                if self.atoms[atom][0] == "sum":
                    lowest[atom] = min(lowest.get(atom, 0), power)
        if not lowest:
            return sum_
        longest, self.longest = self.longest, MOST_MONOMIALS
        try:
            return self.add([(self._raised(m, lowest), c) for m, c in parts.items()])
        finally:
            self.longest = longest

    def _raised(self, monomial: int, lowest: Mapping[int, int]) -> Sum:
        whole = self.monomials[monomial]
        powers = dict(whole.factors)
        opened: list[tuple[Sum, int]] = []
        for atom, least in lowest.items():
            power = powers.get(atom, 0) - (least - least % 2)
            opened.append((int(str(self.atoms[atom][1])), power // 2))
            powers[atom] = power % 2
        found = self._sum({self._monomial(powers, whole.exponent): Fraction(1)})
        for inner, count in opened:
            for _ in range(count):
                if len(self.sums[found]) * len(self.sums[inner]) > MOST_MONOMIALS:
                    raise TooLarge
                found = self.multiply(found, inner)
        return found
