"""Terms as expressions over the real numbers, and the conditions on their operands for them to have a value.

A float is a real number, a comparison is 1 or 0. If literals may stand for others, a literal is the simplest number
near it, unless that would make two literals of one format equal; and an infinite literal, as masks have it, lies beyond
all numbers: it may be added to numbers, compared with them and exponentiated. Otherwise a literal is its exact number,
and an infinite one is read like a doubtful value. What has no such meaning is rejected.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from hecv.base.term import Term, literal, postorder
from hecv.base.types import BOOL, FloatType, IntType
from hecv.elements.element_unfolding import ELEMENT
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.reals.real_algebra import Algebra, Value
from hecv.ops.facts.poison_conditions import DOUBTFUL
from hecv.ops.fastmath_flags import POISONING, flags_of
from hecv.run.exactness.literal_reals import number_of

BEYOND: Final[Value] = -1
BELOW: Final[Value] = -2
"""The infinities: `BELOW` is less, `BEYOND` greater than all numbers."""

LEAVES: Final = (ELEMENT, "arg", "leaf")
"""Leaves that may be any number, or truth value; a doubtful one may also be no number."""

FLIPPED: Final = {BEYOND: BELOW, BELOW: BEYOND}
CASTS: Final = frozenset(("arith.extf", "arith.truncf", "arith.convertf"))
PLAIN: Final = frozenset(("math.floor", "math.ceil", "math.trunc", "math.round", "math.roundeven"))
ODD: Final = frozenset(("math.sin", "math.erf", "math.atan", "math.cbrt"))
PARTIAL: Final = frozenset(("math.tan", "math.asin", "math.acos", "math.acosh", "math.atanh"))
HIGHEST: Final = 16
"""The largest exponent."""

Condition = Literal["nonzero", "nonnegative", "positive", "defined", "true"]


class Need(Struct, frozen=True):
    """A condition on an expression under which a term has a value."""

    condition: Condition
    of: Value


class Meanings:
    """Terms as expressions over the reals; `needs` lists the conditions of each term on its operands."""

    def __init__(self, algebra: Algebra, rounded: bool = True) -> None:
        """`rounded` tells that literals may stand for other numbers."""
        self.algebra: Final = algebra
        self._rounded: Final = rounded
        self._literals: Final[dict[tuple[str, str], float]] = {}
        self.values: Final[dict[int, Value]] = {}
        self.needs: Final[dict[int, list[Need]]] = {}
        self._greatest: dict[Value, frozenset[Value]] = {}

    def read(self, roots: Iterable[Term]) -> None:
        """Reads the roots and all their subterms; a sum that only another sum uses gets no value of its own.

        Raises: Rejected.
        """
        wanted = tuple(roots)
        order = postorder(wanted)
        uses = Counter(a.id for t in order for a in t.args)
        inner = {a.id for t in order if t.op == "arith.addf" for a in t.args if a.op == "arith.addf"}
        inner = {k for k in inner if uses[k] == 1} - {t.id for t in wanted}
        for term in order:
            if term.id not in inner and term.id not in self.values:
                self.values[term.id] = self._value(term, inner)

    def summands(self, term: Term, known: Mapping[int, Value]) -> list[Term]:
        """The operands of a term; nested sums are flattened."""
        return [t for t in _chain(term, known) if t.id in known]

    def _value(self, term: Term, inner: set[int]) -> Value:
        if term.op == "arith.addf":
            return self._sum(term)
        if not term.args:
            return self._leaf(term)
        args = [self.values[a.id] for a in term.args]
        if min(args) < 0:
            return self._infinite(term, args)
        found = self._arithmetic(term, args)
        found = self._order(term, args) if found is None else found
        found = self._function(term, args) if found is None else found
        if found is None:
            raise _unknown(term)
        return found

    def _sum(self, term: Term) -> Value:
        found = [self.values[a.id] for a in self.summands(term, self.values)]
        infinite = {v for v in found if v < 0}
        if infinite:
            for link in _chain(term, self.values):
                if link.id not in self.values:
                    self._require_flagless(link)
        return self._one_of(infinite, term) if infinite else self.algebra.add([(v, 1) for v in found])

    def _leaf(self, term: Term) -> Value:
        value, f = literal(term), self.algebra
        if isinstance(value, float) and isinstance(term.type, FloatType):
            found = self._literal(value, term.type.name)
            if found >= 0 and math.isinf(value):
                self._need(term, "defined", found)
            return found
        if isinstance(value, int):
            return f.number(value)
        if term.op in LEAVES:
            found = f.leaf("bit" if term.type == BOOL else "leaf", term.id)
            if (DOUBTFUL, True) in term.attrs:
                self._need(term, "defined", found)
            return found
        raise _unknown(term)

    def _literal(self, value: float, format_: str) -> Value:
        if math.isnan(value):
            raise Rejected("elements", "a literal is NaN")
        if not self._rounded:
            return self._exact(value)
        if math.isinf(value):
            return BEYOND if value > 0 else BELOW
        known, f = number_of(value, format_), self.algebra
        if self._literals.setdefault((format_, str(known)), value) != value:
            raise Rejected("elements", f"two literals of {format_} stand for {known}")
        of = f.scale(f.power(f.leaf("pi"), known.pi), known.rational)
        for _ in range(known.roots):
            of = f.root(of)
        return f.multiply(of, self._to_base(known.log)) if known.log else of

    def _exact(self, value: float) -> Value:
        if math.isinf(value):
            return self.algebra.leaf("infinite", value > 0)
        return self.algebra.number(Fraction(value))

    def _to_base(self, base: int) -> Value:
        """`log(base)`, or `1 / log(-base)` of a negative one."""
        found = self.algebra.logarithm(self.algebra.number(abs(base)))
        return found if base > 0 else self.algebra.inverse(found)

    def _need(self, term: Term, condition: Condition, of: Value) -> None:
        self.needs.setdefault(term.id, []).append(Need(condition, of))

    # Infinities

    def _one_of(self, infinite: set[Value], term: Term) -> Value:
        self._require_flagless(term)
        if len(infinite) > 1:
            raise _unknown(term)
        return next(iter(infinite))

    def _require_flagless(self, term: Term) -> None:
        if flags_of(term.attrs) & POISONING:
            raise Rejected("elements", f"`{term.op}` of an infinity may be poison")

    def _infinite(self, term: Term, args: list[Value]) -> Value:
        self._require_flagless(term)
        finite, f = [a for a in args if a >= 0], self.algebra
        match term.op, args:
            case op, [a] if op in CASTS:
                return a
            case "arith.negf", [a]:
                return FLIPPED[a]
            case "arith.subf", [a, b]:
                return self._one_of({v for v in (a, FLIPPED.get(b, b)) if v < 0}, term)
            case (("arith.maximumf" | "arith.maxnumf"), _):
                return BEYOND if BEYOND in args else finite[0] if finite else BELOW
            case (("arith.minimumf" | "arith.minnumf"), _):
                return BELOW if BELOW in args else finite[0] if finite else BEYOND
            case "math.exp", [a] if a == BELOW:
                return f.zero
            case "arith.divf", [a, _] if a >= 0:
                return f.zero
            case "arith.cmpf", [a, b]:
                ranks = [{BEYOND: 1, BELOW: -1}.get(v, 0) for v in (a, b)]
                return self._truth(str(term.attr("predicate")), ranks[0] - ranks[1])
            case "arith.select", [a, b, c] if a in (f.zero, f.one):
                return b if a == f.one else c
            case _:
                raise _unknown(term)

    def _truth(self, predicate: str, sign: int) -> Value:
        """A comparison of numbers whose difference has this sign; none is NaN."""
        if predicate in ("true", "ord"):
            return self.algebra.one
        ways = {"gt": sign > 0, "ge": sign >= 0, "lt": sign < 0, "le": sign <= 0, "eq": sign == 0, "ne": sign != 0}
        known = predicate not in ("false", "uno") and ways[predicate[1:]]
        return self.algebra.one if known else self.algebra.zero

    # Numbers

    def _arithmetic(self, term: Term, args: list[Value]) -> Value | None:
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
            case (("arith.extui" | "arith.uitofp"), [a]) if term.args[0].type == BOOL:
                return a
            case "arith.sitofp", [a] if term.args[0].type == BOOL:
                return f.scale(a, -1)
            case (("arith.sitofp" | "arith.uitofp"), [a]):
                return self._of_integer(term, a)
            case "math.sqrt", [a]:
                self._need(term, "nonnegative", a)
                return f.root(a)
            case "math.rsqrt", [a]:
                self._need(term, "positive", a)
                return f.inverse(self._nonzero(term, f.root(a)))
            case "math.fpowi" | "math.powf", [a, b]:
                return self._power(term, a, b)
            case _:
                return None

    def _nonzero(self, term: Term, of: Value) -> Value:
        if of == self.algebra.zero:
            raise Rejected("elements", f"`{term.op}` divides by zero")
        return of

    def _inverse(self, term: Term, of: Value) -> Value:
        self._need(term, "nonzero", self._nonzero(term, of))
        return self.algebra.inverse(of)

    def _of_integer(self, term: Term, value: Value) -> Value | None:
        """An integer that is known, or a widened truth value; any other integer input is a leaf."""
        (of,) = term.args
        number = literal(of)
        if isinstance(number, int) and isinstance(of.type, IntType):
            return self.algebra.number(_signed(number, of.type) if term.op == "arith.sitofp" else number)
        if of.op == "arith.extui":
            return value
        return self.algebra.leaf(term.op, of.id) if of.op in LEAVES else None

    def _power(self, term: Term, base: Value, exponent: Value) -> Value | None:
        """A power whose exponent is known: whole, or half of a whole number."""
        number, kind = self.algebra.constant(exponent), term.args[1].type
        if number is not None and isinstance(kind, IntType):
            number = Fraction(_signed(int(number), kind))
        if number is None or number.denominator > 2 or abs(number) > HIGHEST:
            return None
        if number.denominator == 2:
            self._need(term, "positive" if number < 0 else "nonnegative", base)
            base, number = self.algebra.root(base), number * 2
        found = self.algebra.power(base, abs(int(number)))
        return self._inverse(term, found) if number < 0 else found

    # Order and truth

    def _order(self, term: Term, args: list[Value]) -> Value | None:
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

    def _maximum(self, left: Value, right: Value) -> Value:
        """The maximum of all operands of nested maxima; of two, `b + max(a - b, 0)`."""
        f = self.algebra
        of = self._greatest.get(left, frozenset((left,))) | self._greatest.get(right, frozenset((right,)))
        if len(of) == 1:
            return left
        if len(of) == 2:
            one, two = sorted(of)
            found = f.add(((two, 1), (f.positive_part(f.subtract(one, two)), 1)))
        else:
            found = f.leaf("maximum", of)
        if found not in of:  # it is decided which is the greatest
            self._greatest[found] = of
        return found

    def _compared(self, predicate: str, difference: Value) -> Value:
        f = self.algebra
        match predicate[1:]:
            case "gt":
                return f.is_positive(difference)
            case "lt":
                return f.is_positive(f.scale(difference, -1))
            case "ge":
                return f.subtract(f.one, f.is_positive(f.scale(difference, -1)))
            case "le":
                return f.subtract(f.one, f.is_positive(difference))
            case "eq":
                return f.is_zero(difference)
            case "ne":
                return f.subtract(f.one, f.is_zero(difference))
            case _:
                return self._truth(predicate, 0)

    def _selected(self, bit: Value, then: Value, otherwise: Value) -> Value:
        """`b + c * (a - b)`; if `c` tests the sign of a multiple of `a - b`, `c * (a - b)` is a positive part."""
        f = self.algebra
        difference, tests = f.subtract(then, otherwise), f.tested(bit, "positive")
        if tests is not None and difference != f.zero and f.constant(difference) is None:
            of, holds = tests
            by = f.scale(of, 1 if holds else -1)  # where it does not hold, `-of` is not negative
            (ours, _, one), (theirs, _, two) = (f.content(v, frozenset()) for v in (difference, by))
            if one == two:
                ratio = Fraction(ours) / theirs
                return f.add(((otherwise, 1), (f.positive_part(by), ratio)))
        return f.add(((otherwise, 1), (f.multiply(bit, difference), 1)))

    # Functions

    def _function(self, term: Term, args: list[Value]) -> Value | None:
        f = self.algebra
        match term.op, args:
            case "math.exp", [a]:
                return f.exponential(a)
            case "math.exp2", [a]:
                return f.exponential(f.multiply(a, self._to_base(2)))
            case "math.expm1", [a]:
                return f.subtract(f.exponential(a), f.one)
            case "math.tanh", [a]:  # 1 - 2 / (exp(2 * a) + 1)
                divisor = f.add(((f.exponential(f.scale(a, 2)), 1), (f.one, 1)))
                return f.subtract(f.one, f.scale(f.inverse(divisor), 2))
            case "math.erfc", [a]:
                return f.subtract(f.one, self._odd("math.erf", a))
            case "math.log", [a]:
                return self._logarithm(term, a)
            case (("math.log2" | "math.log10"), [a]):
                return f.multiply(self._logarithm(term, a), self._to_base(-2 if term.op == "math.log2" else -10))
            case "math.log1p", [a]:
                return self._logarithm(term, f.add(((a, 1), (f.one, 1))))
            case "math.cos", [a]:
                return f.function("math.cos", a if a == f.zero or f.content(a, frozenset())[0] > 0 else f.scale(a, -1))
            case op, [a] if op in ODD:
                return self._odd(op, a)
            case op, [a] if op in PLAIN | PARTIAL:
                found = f.function(op, a)
                if op in PARTIAL:
                    self._need(term, "defined", found)
                return found
            case _:
                return None

    def _logarithm(self, term: Term, of: Value) -> Value:
        self._need(term, "positive", self._nonzero(term, of))
        return self.algebra.logarithm(of)

    def _odd(self, op: str, of: Value) -> Value:
        """A function with `f(-a) = -f(a)`."""
        f = self.algebra
        if of == f.zero:
            return of
        sign = 1 if f.content(of, frozenset())[0] > 0 else -1
        return f.scale(f.function(op, f.scale(of, sign)), sign)


def _chain(term: Term, known: Mapping[int, Value]) -> list[Term]:
    """The operands of a term; nested sums without a value of their own are flattened."""
    found: list[Term] = []
    waiting = list(term.args)
    while waiting:
        part = waiting.pop()
        found.append(part)
        if part.id not in known:
            waiting += part.args
    return found


def _signed(number: int, kind: IntType) -> int:
    return number - (1 << kind.width) if number >> (kind.width - 1) & 1 else number


def _unknown(term: Term) -> Rejected:
    return Rejected("elements", f"`{term.op}` has no meaning over the reals here")
