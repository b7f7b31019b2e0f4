"""Terms as expressions over the real numbers, and the conditions for them to have a value.

A float of the program is a real number, a comparison 1 or 0. An infinity is not a number; but an infinite literal, as
masks have it, may be added to numbers, compared with them and exponentiated: `exp(-inf) = 0`. What has no such meaning
stops the reading (`NotReal`).

Where an operation has no value (a division by 0, the root of a negative number) is recorded apart: `needs` lists for
each term what must hold of its operands.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct, field

from hecv.base.term import Term, literal, postorder
from hecv.base.types import BOOL, FloatType, IntType
from hecv.elements.assumed_signs import NEGATIVE, POSITIVE
from hecv.elements.element_unfolding import ELEMENT
from hecv.elements.infinities import (
    CASTS,
    INFINITE,
    MINUS_INFINITE,
    NotReal,
    NoValue,
    combined,
    total,
    truth,
)
from hecv.elements.real_field import Field
from hecv.elements.real_sums import ONE, ZERO, Sum
from hecv.ops.fastmath_flags import EVERY, flags_of
from hecv.run.exactness.literal_reals import number_of

TOTAL: Final = frozenset(
    f"math.{op}" for op in ("sin", "cos", "erf", "floor", "ceil", "trunc", "round", "roundeven", "atan", "cbrt")
)
"""Functions that are defined everywhere, uninterpreted here."""
ODD: Final = frozenset({"math.sin", "math.erf", "math.atan", "math.cbrt"})
"""`f(-a) = -f(a)`"""
PARTIAL: Final = frozenset(f"math.{op}" for op in ("tan", "asin", "acos", "acosh", "atanh"))

MOST_ORDERED: Final = 4
"""The most numbers among which those that are never the greatest are searched."""

Condition = Literal["nonzero", "nonnegative", "positive", "defined", "true"]


class Need(Struct, frozen=True):
    """A condition on a sum under which a term has a value."""

    condition: Condition
    of: Sum


class Reals(Struct):
    """Terms as expressions over the reals: `values` has the expression of each term, `needs` its conditions on its
    operands.

    `rounded`: the literals that are read as other numbers. `infinite`: an infinity was computed with.
    """

    algebra: Field
    values: dict[int, Sum] = field(default_factory=dict[int, Sum])
    needs: dict[int, tuple[Need, ...]] = field(default_factory=dict[int, tuple[Need, ...]])
    rounded: dict[str, str] = field(default_factory=dict[str, str])
    infinite: bool = False
    _maxima: dict[Sum, frozenset[Sum]] = field(default_factory=dict[Sum, frozenset[Sum]])

    def read(self, roots: Iterable[Term]) -> None:
        """Reads the terms that the roots depend on.

        Raises: NotReal, TooLarge.
        """
        roots = tuple(roots)
        inner = inner_sums(roots)
        for root in roots:
            self.read_one(root, inner)

    def read_one(self, root: Term, inner: set[int]) -> None:
        """Reads the terms that `root` depends on, without the arms of selects that are not taken; `inner` are the sums
        that are read as part of others.

        Raises: NotReal, TooLarge.
        """
        stack = [(root, 0)]
        while stack:
            term, stage = stack.pop()
            if term.id in self.values:
                continue
            waiting = self._waiting(term, stage)
            if waiting:
                stack.append((term, stage + 1))
                stack.extend((a, 0) for a in reversed(waiting))
            elif term.id not in inner:
                self.values[term.id] = self._value(term)

    def _waiting(self, term: Term, stage: int) -> tuple[Term, ...]:
        """The operands that a term needs next: of a selection the condition, then what it takes."""
        if stage == 0:
            return term.args[:1] if term.op == "arith.select" else term.args
        if stage > 1 or term.op != "arith.select":
            return ()
        taken = self.values[term.args[0].id]
        return term.args[1:2] if taken == ONE else term.args[2:] if taken == ZERO else term.args[1:]

    def value(self, term: Term) -> Sum:
        return self.values[term.id]

    def _value(self, term: Term) -> Sum:
        if term.op == "arith.addf":
            return self._total(term)
        if not term.args:
            return self._leaf(term)
        if term.op == "arith.select" and (taken := self.values[term.args[0].id]) in (ZERO, ONE):
            return self.values[term.args[1 if taken == ONE else 2].id]
        args = [self.values[a.id] for a in term.args]
        if any(a < 0 for a in args):
            self.infinite = True
            return combined(term, args)
        return self._finite(term, args)

    def _total(self, term: Term) -> Sum:
        """A chain of sums at once."""
        chain, found = [term], list[Sum]()
        for link in chain:
            for a in link.args:
                # What is part of a sum on this side need not be on the other, where it was read.
                if a.op == "arith.addf" and a.id not in self.values:
                    chain.append(a)
                else:
                    found.append(self.values[a.id])
        infinite = {a for a in found if a < 0}
        if infinite:
            self.infinite = True
            return total(infinite, chain)
        return self.algebra.add([(a, 1) for a in found])

    def _leaf(self, term: Term) -> Sum:
        value = literal(term)
        if isinstance(value, float) and isinstance(term.type, FloatType):
            return self._literal(value, term.type.name)
        if isinstance(value, int):
            return self.algebra.number(Fraction(value))
        if term.op in (ELEMENT, "arg"):
            return self.algebra.atom("bit" if term.type == BOOL else "leaf", term.id)
        raise NotReal(f"`{term.op}` has no meaning over the reals here")

    def _literal(self, value: float, format_: str) -> Sum:
        if math.isnan(value):
            raise NotReal("a literal is NaN")
        if math.isinf(value):
            return INFINITE if value > 0 else MINUS_INFINITE
        number = number_of(value, format_)
        if self.algebra.literals.setdefault((format_, str(number)), value) != value:
            # One of them was not meant to be it.
            raise NotReal(f"two literals of {format_} stand for {number}")
        if not number.exact:
            self.rounded[f"{value:.9g} : {format_}"] = str(number)
        of = self.algebra.multiply(self.algebra.number(number.rational), self.algebra.pi_to(number.pi))
        for _ in range(number.roots):
            of = self.algebra.root(of)
        return self.algebra.multiply(of, self.algebra.to_base(number.log)) if number.log else of

    # Numbers

    def _finite(self, term: Term, args: list[Sum]) -> Sum:
        if flags_of(term.attrs) - EVERY:
            raise NotReal(f"`{term.op}` has a flag that makes poison")
        found = self._arithmetic(term, args)
        if found is None:
            found = self._order(term, args)
        if found is None:
            found = self._function(term, args)
        if found is None:
            raise NotReal(f"`{term.op}` has no meaning over the reals here")
        return found

    def _arithmetic(self, term: Term, args: list[Sum]) -> Sum | None:
        f = self.algebra
        match term.op, args:
            case "arith.subf", [a, b]:
                return f.subtract(a, b)
            case "arith.negf", [a]:
                return f.scale(a, -1)
            case "arith.mulf", [a, b]:
                return f.multiply(a, b)
            case "math.fma", [a, b, c]:
                return f.add(((f.multiply(a, b), 1), (c, 1)))
            case "arith.divf", [a, b]:
                return f.multiply(a, self._inverse(term, b))
            case op, [a] if op in CASTS:
                return a
            case "arith.extui", [a] if term.args[0].type == BOOL:
                return a
            case (("arith.sitofp" | "arith.uitofp"), [a]):
                return self._of_integer(term, a)
            case "math.sqrt", [a]:
                return self._root(term, a)
            case "math.rsqrt", [a]:
                if a == ZERO:
                    raise NoValue(f"`{term.op}` of zero")
                self._need(term, Need("positive", a))
                return f.inverse(f.root(a))
            case "math.fpowi" | "math.powf", [a, b]:
                return self._power(term, a, self._exponent(term, b))
            case _:
                return None

    def _of_integer(self, term: Term, value: Sum) -> Sum | None:
        """A truth value, or an integer that is known, as a number; of another input it is a leaf."""
        (of,) = term.args
        signed = term.op == "arith.sitofp"
        if of.type == BOOL:
            return self.algebra.scale(value, -1) if signed else value
        number = literal(of)
        if isinstance(number, int) and isinstance(of.type, IntType):
            negative = signed and number >> (of.type.width - 1) & 1
            return self.algebra.number(Fraction(number - (1 << of.type.width) if negative else number))
        if of.op == "arith.extui":
            return value
        return self.algebra.atom(term.op, of.id) if of.op in (ELEMENT, "arg") else None

    def _need(self, term: Term, *needs: Need) -> None:
        self.needs[term.id] = (*self.needs.get(term.id, ()), *needs)

    def _inverse(self, term: Term, of: Sum) -> Sum:
        if of == ZERO:
            raise NoValue(f"`{term.op}` by zero")
        self._need(term, Need("nonzero", of))
        return self.algebra.inverse(of)

    def _root(self, term: Term, of: Sum) -> Sum:
        self._need(term, Need("nonnegative", of))
        return self.algebra.root(of)

    def _exponent(self, term: Term, value: Sum) -> Fraction | None:
        """The exponent of a power where it is known; an integer is signed."""
        exponent, kind = self.algebra.constant(value), term.args[1].type
        if exponent is None or not isinstance(kind, IntType):
            return exponent
        return exponent - (1 << kind.width) if exponent >= 1 << (kind.width - 1) else exponent

    def _power(self, term: Term, base: Sum, exponent: Fraction | None) -> Sum | None:
        """A power with an exponent that is known: whole, or half of a whole number."""
        if exponent is None or exponent.denominator > 2 or abs(exponent) > 16:
            return None
        if exponent.denominator == 2:
            self._need(term, Need("positive" if exponent < 0 else "nonnegative", base))
            base, exponent = self.algebra.root(base), exponent * 2
        found = self.algebra.power(base, abs(int(exponent)))
        return self._inverse(term, found) if exponent < 0 else found

    # Order and truth

    def _order(self, term: Term, args: list[Sum]) -> Sum | None:
        f = self.algebra
        match term.op, args:
            case (("arith.maximumf" | "arith.maxnumf"), [a, b]):
                return self._maximum(a, b)
            case (("arith.minimumf" | "arith.minnumf"), [a, b]):
                return f.scale(self._maximum(f.scale(a, -1), f.scale(b, -1)), -1)
            case "math.absf", [a]:
                return f.magnitude(a)
            case "arith.cmpf", [a, b]:
                return self._compared(str(term.attr("predicate")), f.subtract(a, b))
            case "arith.select", [c, a, b]:
                return self._selected(c, a, b)
            case "arith.andi", [a, b] if term.type == BOOL:
                return f.multiply(a, b)
            case "arith.ori", [a, b] if term.type == BOOL:
                return f.add(((a, 1), (b, 1), (f.multiply(a, b), -1)))
            case "arith.xori", [a, b] if term.type == BOOL:
                return f.add(((a, 1), (b, 1), (f.multiply(a, b), -2)))
            case _:
                return None

    def _maximum(self, left: Sum, right: Sum) -> Sum:
        """The greatest of all that `left` and `right` are the greatest of. Of two it is `b + max(a - b, 0)`."""
        left_of, right_of = (self._maxima.get(a, frozenset({a})) for a in (left, right))
        of = left_of | right_of
        if len(of) <= MOST_ORDERED or self.algebra.in_case:
            of = self._greatest(left_of, right_of)
        if len(of) == 1:
            return next(iter(of))
        if len(of) == 2:
            one, two = sorted(of)
            found = self.algebra.add(((two, 1), (self.algebra.positive_part(self.algebra.subtract(one, two)), 1)))
        else:
            found = self.algebra.atom("maximum", of)
        self._maxima[found] = of
        return found

    def _greatest(self, left: frozenset[Sum], right: frozenset[Sum]) -> frozenset[Sum]:
        """All of both without what is known to be no greater than one of the other."""
        f = self.algebra
        kept = [*sorted(left)]
        for one in sorted(right - left):
            signs = [f.sign(f.subtract(one, other)) for other in kept]
            if all(s & POSITIVE for s in signs):
                kept = [k for k, s in zip(kept, signs, strict=True) if s & NEGATIVE]
                kept.append(one)
        return frozenset(kept)

    def _compared(self, predicate: str, difference: Sum) -> Sum:
        f = self.algebra
        match predicate[1:]:
            case "gt":
                return f.is_positive(difference)
            case "lt":
                return f.is_positive(f.scale(difference, -1))
            case "ge":
                return f.subtract(ONE, f.is_positive(f.scale(difference, -1)))
            case "le":
                return f.subtract(ONE, f.is_positive(difference))
            case "eq":
                return f.is_zero(difference)
            case "ne":
                return f.subtract(ONE, f.is_zero(difference))
            case _:
                return truth(predicate, False, True)

    def _selected(self, bit: Sum, then: Sum, otherwise: Sum) -> Sum:
        """`a` where the bit is 1, else `b`: a maximum or minimum where `a - b` is a multiple of what decides."""
        f = self.algebra
        difference = f.subtract(then, otherwise)
        decided = f.decided_by(bit)
        if decided is not None and difference != ZERO and f.constant(difference) is None:
            factor, inner = f.signed(difference)
            own, of = f.signed(decided[0])
            if inner == of:
                part = f.positive_part(difference if factor * own > 0 else f.scale(difference, -1))
                return f.add(((otherwise, 1), (part, 1 if factor * own > 0 else -1)))
        return f.add(((otherwise, 1), (f.multiply(bit, difference), 1)))

    # Functions

    def _function(self, term: Term, args: list[Sum]) -> Sum | None:
        f = self.algebra
        match term.op, args:
            case "math.exp", [a]:
                return f.exponential(a)
            case "math.exp2", [a]:
                return f.exponential(f.multiply(a, f.to_base(2)))
            case "math.expm1", [a]:
                return f.subtract(f.exponential(a), ONE)
            case "math.tanh", [a]:
                # 1 - 2 / (exp(2 * a) + 1)
                divisor = f.add(((f.exponential(f.scale(a, 2)), 1), (ONE, 1)))
                return f.subtract(ONE, f.scale(f.inverse(divisor), 2))
            case (("math.sinh" | "math.cosh"), [a]):
                both = f.exponential(a), f.exponential(f.scale(a, -1))
                return f.scale(f.add(((both[0], 1), (both[1], -1 if term.op == "math.sinh" else 1))), Fraction(1, 2))
            case "math.erfc", [a]:
                return f.subtract(ONE, self._odd("math.erf", a))
            case "math.log", [a]:
                return self._logarithm(term, a)
            case (("math.log2" | "math.log10"), [a]):
                return f.multiply(self._logarithm(term, a), f.to_base(-2 if term.op == "math.log2" else -10))
            case "math.log1p", [a]:
                return self._logarithm(term, f.add(((a, 1), (ONE, 1))))
            case op, [a] if op in TOTAL | PARTIAL:
                return self._unknown(term, a)
            case _:
                return None

    def _logarithm(self, term: Term, of: Sum) -> Sum:
        if of == ZERO:
            raise NoValue(f"`{term.op}` of zero")
        self._need(term, Need("positive", of))
        return self.algebra.logarithm(of)

    def _unknown(self, term: Term, of: Sum) -> Sum:
        """A function of which no more is known than its parity."""
        if term.op in ODD:
            return self._odd(term.op, of)
        if term.op == "math.cos" and of != ZERO and self.algebra.signed(of)[0] < 0:
            of = self.algebra.scale(of, -1)
        found = self.algebra.atom(term.op, of)
        if term.op in PARTIAL:
            self._need(term, Need("defined", found))
        return found

    def _odd(self, op: str, of: Sum) -> Sum:
        """A function with `f(-a) = -f(a)`."""
        if of == ZERO:
            return ZERO
        factor = 1 if self.algebra.signed(of)[0] > 0 else -1
        return self.algebra.scale(self.algebra.atom(op, self.algebra.scale(of, factor)), factor)


def inner_sums(roots: tuple[Term, ...]) -> set[int]:
    """The sums that only one other sum uses: they are read as part of it."""
    order = postorder(roots)
    uses = Counter(a.id for t in order for a in t.args)
    sums = [t for t in order if t.op == "arith.addf"]
    inner = {a.id for t in sums for a in t.args if a.op == "arith.addf" and uses[a.id] == 1}
    return inner - {t.id for t in roots}
