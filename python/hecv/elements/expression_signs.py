"""Sign analysis of expressions: where they are positive, and whether operations have a value, for one side of a proof.

A fact holds wherever everything *given* so far holds. Facts are given in the order in which a program computes, so a
need may rest on earlier needs, and never on itself. Failing case: `sqrt(y) * sqrt(y)` is not negative, but only where
`sqrt(y)` has a value, so it does not show that `y` is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from msgspec import Struct, field

from hecv.base.term import Term
from hecv.elements import assumed_signs
from hecv.elements.real_sums import IDEMPOTENT, ONE, ZERO, Sum
from hecv.elements.real_terms import Need, Reals

UNKNOWN: Final = 0
NOT_NEGATIVE: Final = 1
POSITIVE: Final = 2


def _of_sum(signs: Iterable[int]) -> int:
    """The sign of a sum of numbers with these signs; the first that is not known ends it."""
    found = UNKNOWN
    for sign in signs:
        if sign == UNKNOWN:
            return UNKNOWN
        found = max(found, sign)
    return found


class Signs(Struct):
    """The known signs of sums."""

    reals: Reals
    _known: dict[Sum, int] = field(default_factory=dict[Sum, int])
    _nonzero: set[Sum] = field(default_factory=set[Sum])
    _defined: set[Sum] = field(default_factory=set[Sum])

    def give(self, need: Need) -> None:
        """Records that a need holds."""
        match need.condition:
            case "nonzero":
                self._nonzero.update(self._factors(need.of))
            case "nonnegative":
                self._learn(need.of, NOT_NEGATIVE)
            case "positive":
                self._learn(need.of, POSITIVE)
            case "defined":
                self._defined.add(need.of)
            case "true":
                self._defined.add(need.of)
                for implied in self._implied(need.of):
                    self.give(implied)

    def holds(self, need: Need) -> bool:
        """Whether a need is known to hold."""
        match need.condition:
            case "nonzero":
                return self._is_nonzero(need.of)
            case "nonnegative":
                return self.of(need.of) >= NOT_NEGATIVE
            case "positive":
                return self.of(need.of) == POSITIVE or (self.of(need.of) == NOT_NEGATIVE and self._is_nonzero(need.of))
            case "defined":
                return need.of in self._defined
            case "true":
                implied = self._implied(need.of)
                return need.of == ONE or need.of in self._defined or (bool(implied) and all(map(self.holds, implied)))

    def _implied(self, bit: Sum) -> list[Need]:
        """What is the same as that a truth value is 1, where it is a comparison with 0."""
        algebra = self.reals.algebra
        decided = algebra.decided_by(bit)
        if decided is not None:
            return [Need("positive" if decided[1] else "nonnegative", decided[0])]
        unequal = algebra.told_apart_by(bit)
        return [] if unequal is None else [Need("nonzero", unequal)]

    def note(self, term: Term) -> None:
        """Records the sign of a term's value, from the signs of its operands."""
        values = self.reals.values
        args = [values[a.id] for a in self._operands(term)]
        if not args or min(values[term.id], *args) < 0:
            return
        sign = self._of_operator(term.op, args)
        if sign:
            self._learn(values[term.id], sign)

    def _operands(self, term: Term) -> list[Term]:
        """The operands in their order, of a chain of sums that was read as one all of them."""
        waiting, found = [*reversed(term.args)], list[Term]()
        while waiting:
            operand = waiting.pop()
            if operand.id in self.reals.values:
                found.append(operand)
            else:
                waiting += reversed(operand.args)
        return found

    def _of_operator(self, op: str, args: list[Sum]) -> int:
        match op, args:
            case "arith.addf", _:
                return _of_sum(self.of(a) for a in args)
            case "arith.mulf", [a, b] if a == b:
                return POSITIVE if self._is_nonzero(a) else NOT_NEGATIVE
            case "arith.mulf", [a, b]:
                return min(self.of(a), self.of(b))
            case "arith.divf", [a, b]:  # what is divided by is not 0
                return self.of(a) if self.of(b) else UNKNOWN
            case (("arith.maximumf" | "arith.maxnumf"), _):
                return max(self.of(a) for a in args)
            case (("arith.minimumf" | "arith.minnumf"), _):
                return min(self.of(a) for a in args)
            case "math.fpowi" | "math.powf", [a, b]:
                exponent = self.reals.algebra.constant(b)
                even = exponent is not None and exponent.denominator == 1 and exponent % 2 == 0
                return NOT_NEGATIVE if even else self.of(a)
            case _:
                return UNKNOWN

    def of(self, sum_: Sum) -> int:
        """The sign that a sum is known to have."""
        if sum_ < 0:
            return UNKNOWN
        return max(self._known.get(self._direction(sum_), UNKNOWN), self._by_monomials(sum_))

    def _learn(self, sum_: Sum, sign: int) -> None:
        if sum_ > 0:
            key = self._direction(sum_)
            self._known[key] = max(sign, self._known.get(key, UNKNOWN))

    def _direction(self, sum_: Sum) -> Sum:
        """One of all sums that are positive multiples of another."""
        return self.reals.algebra.reduced(sum_).inner if sum_ > 0 else sum_

    def _by_monomials(self, sum_: Sum) -> int:
        """A sum of what is not negative is not, and is positive if one of it is."""
        parts = self.reals.algebra.sums[sum_]
        if sum_ == ZERO:
            return NOT_NEGATIVE
        if any(c < 0 for c in parts.values()):
            return UNKNOWN
        return _of_sum(self._of_monomial(m) for m in parts)

    def _of_monomial(self, monomial: int) -> int:
        sign = POSITIVE
        for atom, power in self.reals.algebra.monomials[monomial].factors:
            sign = min(sign, self._of_power(atom, power))
            if sign == UNKNOWN:
                break
        return sign

    def _of_power(self, atom: int, power: int) -> int:
        """The sign of a power of an atom; a root is not negative, and positive where what it is of is."""
        algebra = self.reals.algebra
        kind, *of = algebra.atoms[atom]
        if kind in ("prime", "pi") or algebra.of_logarithm(atom) == assumed_signs.POSITIVE:
            return POSITIVE
        inner = int(str(of[0])) if kind == "sum" else algebra.power_of(atom, 2)
        own = self._known.get(self._direction(inner), UNKNOWN) if kind != "sum" else self.of(inner)
        if kind in IDEMPOTENT or kind == "part":
            own = max(own, NOT_NEGATIVE)
        if own == POSITIVE or (power < 0 and own == NOT_NEGATIVE):
            return POSITIVE  # what is divided by is not 0
        if power % 4 == 0 or power % 2:
            return POSITIVE if power < 0 else NOT_NEGATIVE
        return own

    # What is not zero

    def _factors(self, sum_: Sum) -> set[Sum]:
        """The sums that are not 0 where a product is not."""
        algebra = self.reals.algebra
        content = algebra.content(sum_)
        primitive = algebra.signed(content.primitive)[1]
        factors = algebra.monomials[content.monomial].factors
        return {primitive, *(self._base(a) for a, _ in factors)} - {ONE}

    def _base(self, atom: int) -> Sum:
        kind, *of = self.reals.algebra.atoms[atom]
        return int(str(of[0])) if kind == "sum" else self.reals.algebra.power_of(atom, 2)

    def _is_nonzero(self, sum_: Sum) -> bool:
        algebra = self.reals.algebra
        if sum_ < 0:
            return True
        if sum_ == ZERO:
            return False
        if algebra.constant(sum_) is not None or self._has_sign(sum_):
            return True
        return all(f in self._nonzero or self._has_sign(f) for f in self._factors(sum_))

    def _has_sign(self, sum_: Sum) -> bool:
        return POSITIVE in (self.of(sum_), self.of(self.reals.algebra.scale(sum_, Fraction(-1))))
