"""Expressions over the real numbers: polynomials with rational coefficients over atoms with arbitrary exponents.

An atom is a leaf, a function of an expression, `exp` of a monomial, a truth value (0 or 1), or a *sum*: an expression
that is a divisor or under a root. A sum to an integer power is multiplied out. The laws are those of the ordered field,
`exp(a + b) = exp(a) * exp(b)`, `exp(log(a)) = a`, `log(exp(a) * b) = a + log(b)`, `sqrt(a)**2 = a`, and that a truth
value is its own square. Each law holds wherever both of its sides have a value; where they have one is checked
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil
from typing import Final

from hecv.kernel.certificate.rejection import Rejected
from hecv.run.exactness.literal_reals import rooted

Value = int
"""The number of an expression."""

Monomial = int
"""The number of a monomial, a product of powers of atoms."""

Number = Fraction | int
"""A rational number; integers stay `int`, which is faster."""

Powers = tuple[tuple[int, Number], ...]
"""Atoms with their exponents, sorted."""

Poly = Mapping[Monomial, Number]

BITS: Final = frozenset(("positive", "zero", "bit"))
HALF: Final = Fraction(1, 2)
UNIT: Final[Monomial] = 0

MOST_WORK: Final = 5_000_000
"""The most additions and multiplications of monomials in all."""

MOST_ALIKE: Final = 64
"""The most earlier arguments of a function, with divisors in them, that a new argument is compared with."""

ROUNDS: Final = 8


class Algebra:
    """Builds expressions; two with one normal form have one number."""

    def __init__(self) -> None:
        self._polynomials: list[Poly] = []
        self._numbers: dict[frozenset[tuple[Monomial, Number]], Value] = {}
        self._monomials: list[Powers] = []
        self._monomial_numbers: dict[Powers, Monomial] = {}
        self._contents: dict[tuple[Value, frozenset[str] | None], tuple[Number, Powers, Value]] = {}
        self._normals: dict[tuple[Monomial, Monomial], tuple[Monomial, tuple[Value, ...]]] = {}
        self._atoms: list[tuple[object, ...]] = []
        self._atom_numbers: dict[tuple[object, ...], int] = {}
        self._products: dict[tuple[Value, Value], Value] = {}
        self._arguments: dict[str, list[Value]] = {}
        self._work = MOST_WORK
        self.assumed: Mapping[Value, bool] = {}
        """Directions (`direction`) of which it is assumed that they are positive, or that they are not."""
        self.open: dict[Value, None] = {}
        """Directions of which it was asked whether they are positive, and not known."""
        assert self._monomial({}) == UNIT
        self.zero: Final = self._of({})
        self.one: Final = self._of({UNIT: 1})

    def polynomial(self, value: Value) -> Poly:
        """The coefficients of an expression."""
        return self._polynomials[value]

    def powers(self, monomial: Monomial) -> Powers:
        """The atoms of a monomial with their exponents."""
        return self._monomials[monomial]

    def kind(self, atom: int) -> tuple[object, ...]:
        """The kind of an atom, and its arguments."""
        return self._atoms[atom]

    def _of(self, parts: Poly) -> Value:
        key = frozenset(parts.items())
        found = self._numbers.setdefault(key, len(self._polynomials))
        if found == len(self._polynomials):
            self._polynomials.append(parts)
        return found

    def _monomial(self, powers: Mapping[int, Number]) -> Monomial:
        key = tuple(sorted((a, p) for a, p in powers.items() if p))
        found = self._monomial_numbers.setdefault(key, len(self._monomials))
        if found == len(self._monomials):
            self._monomials.append(key)
        return found

    def _spend(self, monomials: int) -> None:
        self._work -= monomials
        if self._work < 0:
            raise Rejected("elements", "the expressions are too large")

    # Atoms

    def _atom(self, *key: object) -> int:
        found = self._atom_numbers.setdefault(key, len(self._atoms))
        if found == len(self._atoms):
            self._atoms.append(key)
        return found

    def leaf(self, *key: object) -> Value:
        """An unknown, identified by `key`."""
        return self._power(self._atom(*key), 1)

    def function(self, name: str, of: Value) -> Value:
        """An uninterpreted function of an expression."""
        return self.leaf(name, self._argument(name, of))

    def _argument(self, name: str, of: Value) -> Value:
        """An argument that the function has already, where one equals this."""
        if not self._divides(of):
            return of
        known = self._arguments.setdefault(name, [])
        for other in known[-MOST_ALIKE:]:
            if other == of or self.equal(other, of):
                return other
        known.append(of)
        return of

    def _divides(self, value: Value) -> bool:
        return any(self._atoms[a][0] == "sum" for m in self._polynomials[value] for a, _ in self._monomials[m])

    def _power(self, atom: int, power: Number) -> Value:
        return self._of({self._monomial({atom: power}): 1})

    # Sums and products

    def number(self, value: Fraction | int) -> Value:
        """A rational number."""
        return self._of({UNIT: _plain(value)} if value else {})

    def constant(self, value: Value) -> Fraction | None:
        """The rational number that an expression is; None if it is not constant."""
        parts = self._polynomials[value]
        if not parts:
            return Fraction(0)
        return Fraction(parts[UNIT]) if len(parts) == 1 and UNIT in parts else None

    def add(self, parts: Iterable[tuple[Value, Number]]) -> Value:
        """A sum of expressions with coefficients."""
        total: dict[Monomial, Number] = {}
        for value, factor in parts:
            self._spend(len(self._polynomials[value]))
            for monomial, coefficient in self._polynomials[value].items():
                total[monomial] = total.get(monomial, 0) + factor * coefficient
        return self._of({m: _plain(c) for m, c in total.items() if c})

    def subtract(self, left: Value, right: Value) -> Value:
        """`left - right`"""
        return self.add(((left, 1), (right, -1)))

    def scale(self, value: Value, factor: Number) -> Value:
        """`factor * value`"""
        return self.add(((value, factor),))

    def multiply(self, left: Value, right: Value) -> Value:
        """`left * right`, multiplied out."""
        key = (min(left, right), max(left, right))
        if key not in self._products:
            self._products[key] = self._product(*key)
        return self._products[key]

    def _product(self, left: Value, right: Value) -> Value:
        first, second = self._polynomials[left], self._polynomials[right]
        self._spend(len(first) * len(second))
        total: dict[Monomial, Number] = {}
        more: list[tuple[Value, Number]] = []
        for one, a in first.items():
            for two, b in second.items():
                monomial, rest = self._normal(one, two)
                if rest:
                    more.append((self._all((self._of({monomial: 1}), *rest)), a * b))
                else:
                    total[monomial] = total.get(monomial, 0) + a * b
        own = self._of({m: _plain(c) for m, c in total.items() if c})
        return self.add(((own, 1), *more)) if more else own

    def _all(self, factors: Iterable[Value]) -> Value:
        found = self.one
        for factor in factors:
            found = self.multiply(found, factor)
        return found

    def _normal(self, one: Monomial, other: Monomial) -> tuple[Monomial, tuple[Value, ...]]:
        """The product of two monomials, and the sums in it that are to be multiplied out."""
        key = (one, other)
        if key not in self._normals:
            self._normals[key] = self._multiplied(one, other)
        return self._normals[key]

    def _multiplied(self, one: Monomial, other: Monomial) -> tuple[Monomial, tuple[Value, ...]]:
        powers = dict(self._monomials[one])
        for atom, power in self._monomials[other]:
            powers[atom] = _plain(powers.get(atom, 0) + power)
        rest: list[Value] = []
        for atom, power in powers.items():
            kind, *of = self._atoms[atom]
            if kind in BITS and power > 1:
                powers[atom] = 1
            elif kind == "sum" and power >= 1:
                powers[atom] = _plain(power - int(power))
                rest += [int(str(of[0]))] * int(power)
        return self._monomial(powers), tuple(rest)

    def power(self, value: Value, exponent: int) -> Value:
        """An integer power.

        Requires: the value is not 0 if the exponent is negative.
        """
        found = self._all([value] * abs(exponent))
        return self.inverse(found) if exponent < 0 else found

    # Factors

    def content(self, value: Value, only: frozenset[str] | None = None) -> tuple[Number, Powers, Value]:
        """The content and primitive part: a number, a monomial, and the rest, whose first coefficient is 1.

        The monomial is what all summands have in common, without truth values; with `only`, atoms of these kinds.
        Requires: the expression is not 0.
        """
        key = (value, only)
        if key not in self._contents:
            self._contents[key] = self._content(value, only)
        return self._contents[key]

    def _content(self, value: Value, only: frozenset[str] | None) -> tuple[Number, Powers, Value]:
        parts = self._polynomials[value]
        common = self._common(parts, only)
        away = self._monomial({a: -p for a, p in common})
        rest = self.add([(self._written(m, away), c) for m, c in parts.items()])
        whole = self._polynomials[rest]
        if not whole:
            raise Rejected("elements", "an expression is zero where it may not be")
        first = whole[min(whole)]
        return first, common, self.scale(rest, Fraction(1) / first)

    def _common(self, parts: Poly, only: frozenset[str] | None) -> Powers:
        """For each atom that may be divided by, its least power in any monomial, if that is not 0."""
        least: dict[int, Number] = {}
        times: dict[int, int] = {}
        for monomial in parts:
            for atom, power in self._monomials[monomial]:
                least[atom] = min(least.get(atom, power), power)
                times[atom] = times.get(atom, 0) + 1
        everywhere = {a: p if times[a] == len(parts) else min(p, 0) for a, p in least.items()}
        return tuple(sorted((a, p) for a, p in everywhere.items() if p and self._may_divide(a, only)))

    def _may_divide(self, atom: int, only: frozenset[str] | None) -> bool:
        kind = self._atoms[atom][0]
        return kind not in BITS if only is None else kind in only

    def _written(self, one: Monomial, other: Monomial) -> Value:
        """The product of two monomials, whole powers of sums written out."""
        normal, rest = self._normal(one, other)
        return self._all((self._of({normal: 1}), *rest))

    def inverse(self, value: Value) -> Value:
        """`1 / value`.

        Requires: it is not 0.
        """
        first, common, rest = self.content(value)
        inner = (
            self.one if rest == self.one else self._power(self._atom("sum", self._argument("sum", rest)), Fraction(-1))
        )
        outside = self._written(self._monomial({a: -p for a, p in common}), UNIT)
        return self.scale(self.multiply(inner, outside), Fraction(1) / first)

    def root(self, value: Value) -> Value:
        """The square root of a non-negative value; that of a square is the absolute value."""
        if value == self.zero:
            return value
        first, common, rest = self.content(value, frozenset(("exp",)))
        factor, primes = rooted(Fraction(abs(first)))
        outside = [self._power(self._atom("sum", self.number(p)), HALF) for p in primes]
        outside.append(self._written(self._monomial({a: _plain(p * HALF) for a, p in common}), UNIT))
        return self.scale(self._all((self._root_of(self.scale(rest, 1 if first > 0 else -1)), *outside)), factor)

    def _root_of(self, inner: Value) -> Value:
        parts = self._polynomials[inner]
        ((number, coefficient), *more) = parts.items()
        monomial = self._monomials[number]
        if inner == self.one:
            return inner
        if not more and coefficient == 1 and len(monomial) == 1 and monomial[0][1] in (1, -1, 2):
            atom, power = monomial[0]
            return self.magnitude(self._power(atom, 1)) if power == 2 else self._power(atom, power * HALF)
        if not more and coefficient == 1 and all(self._is_positive_number(a) for a, _ in monomial):
            return self._of({self._monomial({a: _plain(p * HALF) for a, p in monomial}): 1})
        return self._power(self._atom("sum", self._argument("sum", inner)), HALF)

    def _is_positive_number(self, atom: int) -> bool:
        kind, *of = self._atoms[atom]
        value = self.constant(int(str(of[0]))) if kind == "sum" else None
        return value is not None and value > 0

    def is_logarithm_of_more_than_one(self, atom: int) -> bool:
        """Whether the atom is the logarithm of a number greater than 1."""
        kind, *of = self._atoms[atom]
        value = self.constant(int(str(of[0]))) if kind == "log" else None
        return value is not None and value > 1

    # Exponentials and logarithms

    def exponential(self, value: Value) -> Value:
        """`exp(value)`"""
        found: list[Value] = []
        powers: dict[int, Number] = {}
        for monomial, coefficient in self._polynomials[value].items():
            inner = self._logarithm_in(self._monomials[monomial])
            if inner is not None and coefficient.denominator == 1:
                found.append(self.power(inner, int(coefficient)))
            else:
                powers[self._atom("exp", monomial)] = coefficient
        return self._all((*found, self._of({self._monomial(powers): 1})))

    def _logarithm_in(self, monomial: Powers) -> Value | None:
        """What a monomial is the logarithm of."""
        if len(monomial) != 1 or monomial[0][1] != 1:
            return None
        kind, *of = self._atoms[monomial[0][0]]
        return int(str(of[0])) if kind == "log" else None

    def logarithm(self, value: Value) -> Value:
        """`log(value)`.

        Requires: the value is positive.
        """
        first, common, rest = self.content(value, frozenset(("exp",)))
        found = [(self._of({self._exponent_of(a): 1}), p) for a, p in common]
        if abs(first) != 1:
            found.append((self.leaf("log", self.number(abs(first))), 1))
        inner = self.scale(rest, 1 if first > 0 else -1)
        if inner != self.one:
            found.append(self._logarithm_of(inner))
        return self.add(found)

    def _exponent_of(self, atom: int) -> Monomial:
        _, exponent = self._atoms[atom]
        return int(str(exponent))

    def _logarithm_of(self, inner: Value) -> tuple[Value, Number]:
        """`log(1 / a)` is `-log(a)`."""
        ((number, coefficient), *more) = self._polynomials[inner].items()
        monomial = self._monomials[number]
        if not more and coefficient == 1 and len(monomial) == 1 and monomial[0][1] == -1:
            kind, *of = self._atoms[monomial[0][0]]
            base = int(str(of[0])) if kind == "sum" else self._power(monomial[0][0], 1)
            return self.function("log", base), -1
        return self.function("log", inner), 1

    # Order

    def is_positive(self, value: Value) -> Value:
        """1 where `value > 0`, else 0."""
        known = self.constant(value)
        if known is not None:
            return self.one if known > 0 else self.zero
        match self._assumed(value):
            case (True, _):
                return self.one
            case (False, _) | (_, True):
                return self.zero
            case _:
                self.open[self.direction(value)] = None
                return self.function("positive", self.direction(value))

    def _assumed(self, value: Value) -> tuple[bool | None, bool | None]:
        """Whether an expression is assumed to be positive, and its negative."""
        if not self.assumed:
            return None, None
        ours, theirs = (self.assumed.get(self.direction(v)) for v in (value, self.scale(value, -1)))
        return ours, theirs

    def is_zero(self, value: Value) -> Value:
        """1 where `value = 0`, else 0."""
        known = self.constant(value)
        if known is not None:
            return self.zero if known else self.one
        ours, theirs = self._assumed(value)
        if ours or theirs:
            return self.zero
        if ours is False and theirs is False:
            return self.one
        self.open[self.direction(value if ours is None else self.scale(value, -1))] = None
        first, _, _ = self.content(value, frozenset())
        return self.function("zero", self.scale(value, Fraction(1) / first))

    def direction(self, value: Value) -> Value:
        """The representative of all positive multiples of an expression, whatever the values of the leaves.

        Requires: the expression is not 0.
        """
        first, _, rest = self.content(value, frozenset(("exp",)))
        return rest if first > 0 else self.scale(rest, -1)

    def positive_part(self, value: Value) -> Value:
        """`max(value, 0)`; `max(-a, 0) = max(a, 0) - a`."""
        known = self.constant(value)
        if known is not None:
            return self.number(max(known, Fraction(0)))
        match self._assumed(value):
            case (True, _) | (None, False):
                return value
            case (False, _) | (_, True):
                return self.zero
            case _:
                self.open[self.direction(value)] = None
        first, _, inner = self.content(value, frozenset())
        part = self.function("part", inner)
        return self.scale(part, first) if first > 0 else self.add(((part, -first), (inner, first)))

    def magnitude(self, value: Value) -> Value:
        """`|value|`"""
        return self.add(((self.positive_part(value), 2), (value, -1)))

    def tested(self, bit: Value, kind: str) -> tuple[Value, bool] | None:
        """What a truth value tests (`positive` or `zero`), and whether it is 1 where the test holds (else where it
        fails)."""
        parts = dict(self._polynomials[bit])
        rest = parts.pop(UNIT, 0)
        if len(parts) != 1 or (rest, *parts.values()) not in ((0, 1), (1, -1)):
            return None
        monomial = self._monomials[next(iter(parts))]
        if len(monomial) != 1 or self._atoms[monomial[0][0]][0] != kind:
            return None
        return int(str(self._atoms[monomial[0][0]][1])), rest == 0

    # Equality

    def vanishes(self, value: Value) -> bool:
        """Whether the expression, or a factor of it, is 0, or assumed to be neither positive nor negative."""
        if value == self.zero or not self.assumed:
            return value == self.zero
        _, common, rest = self.content(value)
        factors = [rest, *(self._power(a, 1) for a, p in common if p > 0 and self._atoms[a][0] == "leaf")]
        return any(self.constant(f) is None and self._assumed(f) == (False, False) for f in factors)

    def equal(self, left: Value, right: Value) -> bool:
        """Whether two expressions are equal wherever both have a value, by clearing denominators."""
        difference = self.subtract(left, right)
        for _ in range(ROUNDS):
            if difference == self.zero:
                return True
            cleared = self._cleared(difference)
            if cleared == difference:
                return False
            difference = cleared
        return False

    def _cleared(self, value: Value) -> Value:
        """An expression times all that it divides by."""
        least: dict[int, Number] = {}
        for monomial in self._polynomials[value]:
            for atom, power in self._monomials[monomial]:
                if self._atoms[atom][0] == "sum" and power < least.get(atom, 0):
                    least[atom] = power
        if not least:
            return value
        by = self._monomial({a: ceil(-p) for a, p in least.items()})
        return self.add([(self._written(m, by), c) for m, c in self._polynomials[value].items()])


def _plain(number: Number) -> Number:
    """A number as an integer where it is whole."""
    return number.numerator if number.denominator == 1 else number
