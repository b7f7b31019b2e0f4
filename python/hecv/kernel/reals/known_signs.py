"""Sign analysis: where expressions are positive or not zero, given what one side of a comparison needs.

A fact holds wherever all that was given holds. Facts are given and noted in the order in which a program computes, so
that no fact rests on what it is used to prove.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hecv.base.term import Term
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.reals.real_algebra import BITS, Monomial, Number, Value
from hecv.kernel.reals.real_semantics import Meanings, Need

UNKNOWN: Final = 0
NOT_NEGATIVE: Final = 1
POSITIVE: Final = 2


class Signs:
    """The known signs of expressions."""

    def __init__(self, meanings: Meanings) -> None:
        self._meanings: Final = meanings
        self._algebra: Final = meanings.algebra
        self._known: Final[dict[Value, int]] = {}
        self._nonzero: Final[set[Value]] = set()
        self._held: Final[set[Value]] = set()

    def give(self, need: Need) -> None:
        """Records that the condition `need` holds."""
        match need.condition:
            case "nonzero":
                self._nonzero.update(self._factors(need.of))
            case "nonnegative":
                self._learn(need.of, NOT_NEGATIVE)
            case "positive":
                self._learn(need.of, POSITIVE)
            case _:
                self._held.add(need.of)

    def holds(self, need: Need) -> bool:
        """Whether the condition `need` is known to hold."""
        match need.condition:
            case "nonzero":
                return self._is_nonzero(need.of)
            case "nonnegative":
                return self._sign(need.of) >= NOT_NEGATIVE
            case "positive":
                sign = self._sign(need.of)
                return sign == POSITIVE or (sign == NOT_NEGATIVE and self._is_nonzero(need.of))
            case _:
                return need.of in self._held

    def give_true(self, bit: Value) -> None:
        """Records that a truth value is 1."""
        self._held.add(bit)
        for need in self._same_as_true(bit):
            self.give(need)

    def is_true(self, bit: Value) -> bool:
        """Whether a truth value is known to be 1."""
        needs = self._same_as_true(bit)
        return bit in (self._algebra.one, *self._held) or (bool(needs) and all(map(self.holds, needs)))

    def _same_as_true(self, bit: Value) -> list[Need]:
        positive = self._algebra.tested(bit, "positive")
        if positive is not None:
            of, holds = positive
            return [Need("positive", of) if holds else Need("nonnegative", self._algebra.scale(of, -1))]
        zero = self._algebra.tested(bit, "zero")
        return [Need("nonzero", zero[0])] if zero is not None and not zero[1] else []

    def note(self, term: Term) -> None:
        """Records the sign of a term's value, from those of its operands."""
        values = self._meanings.values
        if term.id not in values or not term.args:
            return
        args = [values[a.id] for a in self._meanings.summands(term, values)[::-1]]
        if min(values[term.id], *args) >= 0:
            self._learn(values[term.id], self._of_operator(term.op, args))

    def _of_operator(self, op: str, args: list[Value]) -> int:
        match op, args:
            case "arith.addf", _:
                return _of_sum(map(self._sign, args))
            case "arith.mulf", [a, b] if a == b:
                return POSITIVE if self._is_nonzero(a) else NOT_NEGATIVE
            case "arith.mulf", [a, b]:
                return min(self._sign(a), self._sign(b))
            case "arith.divf", [a, b]:  # what is divided by is not 0
                return self._sign(a) if self._sign(b) else UNKNOWN
            case (("arith.maximumf" | "arith.maxnumf"), _):
                return max(map(self._sign, args))
            case (("arith.minimumf" | "arith.minnumf"), _):
                return min(map(self._sign, args))
            case "math.sqrt", [a]:
                return POSITIVE if self._sign(a) == POSITIVE else NOT_NEGATIVE
            case _:
                return UNKNOWN

    def _learn(self, of: Value, sign: int) -> None:
        if sign and of > 0 and of != self._algebra.zero:
            key = self._algebra.direction(of)
            self._known[key] = max(sign, self._known.get(key, UNKNOWN))

    def _sign(self, of: Value) -> int:
        if of < 0:
            return UNKNOWN
        if of == self._algebra.zero:
            return NOT_NEGATIVE
        return max(self._known.get(self._algebra.direction(of), UNKNOWN), self._by_monomials(of))

    def _by_monomials(self, of: Value) -> int:
        """A sum of what is not negative is not, and is positive if one of it is."""
        parts = self._algebra.polynomial(of)
        if any(c < 0 for c in parts.values()):
            return UNKNOWN
        return _of_sum(self._of_monomial(m) for m in parts)

    def _of_monomial(self, monomial: Monomial) -> int:
        sign = POSITIVE
        for atom, power in self._algebra.powers(monomial):
            sign = min(sign, self._of_power(atom, power))
            if sign == UNKNOWN:
                break
        return sign

    def _of_power(self, atom: int, power: Number) -> int:
        """The sign of a power of an atom where it has a value: a root is not negative, a divisor is not 0."""
        kind, *of = self._algebra.kind(atom)
        if kind in ("exp", "pi") or self._algebra.is_logarithm_of_more_than_one(atom):
            return POSITIVE
        inner = int(str(of[0])) if kind == "sum" else self._algebra.leaf(kind, *of)
        own = self._known.get(self._algebra.direction(inner), UNKNOWN) if kind != "sum" else self._sign(inner)
        if kind in BITS or kind == "part":
            own = max(own, NOT_NEGATIVE)
        if own == POSITIVE or (own == NOT_NEGATIVE and power < 0):
            return POSITIVE
        if power.denominator == 2 or power.numerator % 2 == 0:
            return POSITIVE if power < 0 else NOT_NEGATIVE
        return own

    # What is not zero

    def _factors(self, of: Value) -> set[Value]:
        """Expressions that are not 0 where their product is not."""
        _, common, rest = self._algebra.content(of)
        return {rest, *(self._base(a) for a, _ in common)} - {self._algebra.one}

    def _base(self, atom: int) -> Value:
        kind, *of = self._algebra.kind(atom)
        return int(str(of[0])) if kind == "sum" else self._algebra.leaf(kind, *of)

    def _is_nonzero(self, of: Value) -> bool:
        if of < 0:
            return True
        if of == self._algebra.zero:
            return False
        if self._algebra.constant(of) is not None or self._has_sign(of):
            return True
        try:
            factors = self._factors(of)
        except Rejected:  # it may be 0
            return False
        return all(f in self._nonzero or self._has_sign(f) for f in factors)

    def _has_sign(self, of: Value) -> bool:
        return POSITIVE in (self._sign(of), self._sign(self._algebra.scale(of, -1)))


def _of_sum(signs: Iterable[int]) -> int:
    """The sign of a sum of numbers with these signs; the first that is not known ends it."""
    found = UNKNOWN
    for sign in signs:
        if sign == UNKNOWN:
            return UNKNOWN
        found = max(found, sign)
    return found
