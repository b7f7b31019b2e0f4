"""Case split on comparisons: two small terms are equal in each order of the values that they compare.

Once the order of two numbers is known, their comparisons and extrema are single terms, and so are selects on what is
then known. So terms are read case by case, and become one polynomial in each case
(`hecv.kernel.terms.term_polynomials`): of two compared numbers the first is less, equal or greater; a selecting truth
value is true or false. The assumptions of the case that occurs are true; impossible cases only ask for more.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hecv.base.term import Term, postorder
from hecv.base.types import IndexType, IntType
from hecv.kernel.terms.congruence_closure import takes_exact
from hecv.kernel.terms.term_polynomials import Polynomials

COMPARISON: Final = "arith.cmpi"
SELECTION: Final = "arith.select"
EXTREMA: Final = {
    "arith.maxsi": (True, 1),
    "arith.minsi": (True, -1),
    "arith.maxui": (False, 1),
    "arith.minui": (False, -1),
}
"""Extrema: whether they are signed, and the sign of `first - second` for which the value is the first."""

HOLDS: Final = {"eq": (0,), "ne": (-1, 1), "lt": (-1,), "le": (-1, 0), "gt": (1,), "ge": (0, 1)}
"""The signs of `first - second` for which a comparison holds, by the end of its name."""

MOST_CASES: Final = 40


def same(left: Term, right: Term, index_width: int) -> bool:
    """Whether both terms have one polynomial, in each order of what they compare."""
    return _Ordered(index_width, postorder((left, right))).agree(left, right)


class _Supposed(Struct, frozen=True):
    """A case: representatives of equal numbers, and pairs of which the first is less, signed or unsigned."""

    equal: dict[int, int]
    less: tuple[tuple[bool, int, int], ...] = ()

    def known(self, number: int) -> int:
        """The representative of a number in this case."""
        while number in self.equal:
            number = self.equal[number]
        return number

    def is_less(self, signed: bool, first: int, second: int) -> bool:
        """Whether the first number is known to be less than the second."""
        edges = [(self.known(a), self.known(b)) for kind, a, b in self.less if kind == signed]
        seen, stack = {first}, [first]
        while stack:
            number = stack.pop()
            for a, b in edges:
                if a == number and b not in seen:
                    seen.add(b)
                    stack.append(b)
        return second in seen and second != first

    def can_be(self) -> bool:
        """Whether the case may be consistent: no number is seen to be less than itself."""
        return all(self.known(a) != self.known(b) for _, a, b in self.less)


class _Open(Exception):
    """A case in which a term is undetermined, and the cases that it splits into."""

    def __init__(self, cases: list[_Supposed]) -> None:
        super().__init__()
        self.cases: Final = cases


class _Ordered(Polynomials):
    """The polynomials of terms, case by case; a number is the same operator on the same operands in all cases."""

    def __init__(self, index_width: int, terms: list[Term]) -> None:
        super().__init__(index_width)
        self._splits = any(t.op in (COMPARISON, SELECTION, *EXTREMA) for t in terms)
        self._case = _Supposed({})

    def agree(self, left: Term, right: Term) -> bool:
        """Whether both terms have one polynomial in each case."""
        open_, count = [_Supposed({})], 0
        while open_:
            self._case = open_.pop()
            count += 1
            try:
                if count > MOST_CASES or not self.same(left, right):
                    return False
            except _Open as question:
                open_ += [case for case in question.cases if case.can_be()]
        return True

    def _number(self, term: Term, args: list[int]) -> int:
        if not self._splits:
            return super()._number(term, args)
        if takes_exact(term) or term.op not in (COMPARISON, SELECTION, *EXTREMA):
            return self._case.known(super()._number(term, args))
        operands = [self._operand(a, k, False) for a, k in zip(term.args, args, strict=True)]
        return self._case.known(self._chosen(term, [self._case.known(k) for k in operands]))

    def _chosen(self, term: Term, operands: list[int]) -> int:
        first = term.args[0]
        if not isinstance(first.type, IntType | IndexType):
            return self._atom(term, operands)
        if term.op == SELECTION:
            return operands[1] if self._selects(first, operands[0]) else operands[2]
        if term.op == COMPARISON:
            predicate = str(term.attr("predicate"))
            sign = self._sign(first, predicate[0] == "s", *operands)
            return self._of_ring(term, {(): 1} if sign in HOLDS[predicate[-2:]] else {})
        signed, wanted = EXTREMA[term.op]
        return operands[0] if self._sign(first, signed, *operands) == wanted else operands[1]

    def _selects(self, condition: Term, number: int) -> bool:
        value = self._value(number)
        if value is not None:
            return bool(value)
        polynomials = (*self._rings.get(number, ()), *self._bits.get(number, ()))
        bit, known = min((v for monomial in polynomials for v in monomial), default=number), self._case
        ends = [self._of_ring(condition, ring) for ring in ({}, {(): 1})]
        raise _Open([_Supposed({**known.equal, bit: end}, known.less) for end in ends])

    def _sign(self, term: Term, signed: bool, first: int, second: int) -> int:
        """The sign of the difference of two numbers of the type of a term."""
        if first == second:
            return 0
        one, other = self._value(first), self._value(second)
        if one is not None and other is not None:
            half = (1 << self._width(term)) >> 1 if signed else 0
            one, other = ((v ^ half) - half for v in (one, other))
            return (one > other) - (one < other)
        known = self._case
        if known.is_less(signed, first, second):
            return -1
        if known.is_less(signed, second, first):
            return 1
        pairs = ((signed, first, second), (signed, second, first))
        cases = [_Supposed(known.equal, (*known.less, pair)) for pair in pairs]
        # What is replaced is no literal, nor a part of what replaces it.
        part, whole = (first, second) if one is not None or (other is None and first < second) else (second, first)
        raise _Open([*cases, _Supposed({**known.equal, whole: part}, known.less)])

    def _value(self, number: int) -> int | None:
        """The literal that a number is, without a sign; None where it is none."""
        ring = self._rings.get(number)
        if ring is None or not ring.keys() <= {()}:
            return None
        return ring.get((), 0)
