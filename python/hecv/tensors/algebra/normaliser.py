"""The normal form of a term: its poly, and where it is infinite or undefined.

Infinities are kept apart from the reals. A term has a poly, and indicators (polys with values 0 and 1) of where it
is -inf, +inf, or undefined (`inf - inf`, `0 * inf`); there the poly does not count. So `exp` of a score under a mask is
the exponential under the complement of the mask, and nothing is ever multiplied by an infinity.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt, log
from typing import Final

from msgspec import Struct

from hecv.tensors.algebra.functions import Functions
from hecv.tensors.algebra.leaf_facts import LeafFacts
from hecv.tensors.algebra.normal_form import Poly, binder
from hecv.tensors.algebra.regions import Region, atoms_of
from hecv.tensors.comprehension import Apply, Compare, Read, Real, RealLiteral, Reduce, Scalar, Select
from hecv.tensors.index_terms import (
    All,
    AtLeastZero,
    Atom,
    Condition,
    Constant,
    Index,
    Not,
    Position,
    Quotient,
    Variable,
    index,
    linear,
)
from hecv.tensors.substitution import free_variables, substitute

SMALL: Final = 4
"""The greatest extent of a reduction that is unrolled."""

SIMPLE: Final = 4096
"""A number with at most this denominator is taken as meant exactly."""

LARGE: Final = Fraction(-60_000)
"""A literal that is as small masks: -65504, the least f16, and below."""


class Ways(Struct, frozen=True):
    """What a proof may do beside the laws that hold for the terms as they stand."""

    expand: bool = False
    """Powers of sums over binders are multiplied out."""
    unroll: bool = False
    """Reductions over at most four values are written out, and sums in steps over at most 16."""
    tolerance: Fraction | None = None
    """Literals that differ by at most this (relative) are equal: an assumption."""
    large_is_infinite: bool = False
    """Literals of -60,000 and less are -inf: an assumption."""


class Value(Struct, frozen=True):
    """`poly` where no indicator is 1."""

    poly: Poly
    minus: Poly
    plus: Poly
    undefined: Poly


class Unprovable(Exception):
    """A term that has no normal form; the text says why."""


class Normaliser(Functions):
    """Normal forms of terms."""

    def __init__(self, facts: LeafFacts, ways: Ways, monomials: int, seconds: float) -> None:
        super().__init__(facts, ways.expand, ways.unroll, monomials, seconds)
        self.ways: Final = ways
        self.numbers: Final[list[Fraction]] = []
        self.leaves: Final[set[str]] = set()
        self.memo: Final[dict[Scalar, Value]] = {}
        self.conditions: Final[dict[Condition, tuple[Poly, Poly]]] = {}
        self.unfolded: Final[dict[Read, Value]] = {}

    # Literals

    def snap(self, value: Fraction) -> Fraction:
        tolerance = self.ways.tolerance
        if tolerance is None or value.denominator <= SIMPLE:
            return value
        place = bisect_left(self.numbers, value)
        near = [value.limit_denominator(SIMPLE), *self.numbers[max(place - 1, 0) : place + 1]]
        for known in near:
            if abs(known - value) <= tolerance * abs(value):
                if known != value:
                    self.assume("literals equal", f"to {float(tolerance):.0e} relative")
                return known
        insort(self.numbers, value)
        return value

    def cancels(self, total: Fraction, part: Fraction) -> bool:
        if total == 0 or self.ways.tolerance is None:
            return total == 0
        if abs(total) > self.ways.tolerance * abs(part):
            return False
        self.assume("literals equal", f"to {float(self.ways.tolerance):.0e} relative")
        return True

    def irrational(self, value: int) -> Poly:
        if self.ways.tolerance is None:
            return super().irrational(value)
        self.assume("literals equal", f"to {float(self.ways.tolerance):.0e} relative")
        return self.number(self.snap(Fraction(isqrt(value << 160), 1 << 80)))

    def numeric(self, function: str, operands: tuple[Poly, ...]) -> Poly | None:
        value = self.constant(operands[0]) if len(operands) == 1 else None
        if self.ways.tolerance is None or value is None or function != "log" or value <= 0:
            return None
        self.assume("literals equal", f"to {float(self.ways.tolerance):.0e} relative")
        return self.number(self.snap(Fraction(log(value.numerator) - log(value.denominator))))

    # Terms

    def finite(self, poly: Poly) -> Value:
        return Value(poly, self.zero, self.zero, self.zero)

    def value(self, term: Scalar) -> Value:
        found = self.memo.get(term)
        if found is None:
            self.memo[term] = found = self._value(term)
        return found

    def _value(self, term: Scalar) -> Value:
        match term:
            case RealLiteral():
                return self._literal(term)
            case Real():
                return self.finite(self.real(self.index(term.index)))
            case Read():
                ways = self.settled(tuple(map(self.index, term.indices)))
                return self._joined_values([(g, self.element(Read(term.tensor, at))) for g, at in ways])
            case Select():
                return self._select(term)
            case Reduce():
                return self._reduce(term)
            case Apply(function="mul", operands=(RealLiteral() as one, other)) if self._is_large(one):
                return self._masked(one, other)
            case Apply(function="mul", operands=(other, RealLiteral() as one)) if self._is_large(one):
                return self._masked(one, other)
            case Apply():
                return self._apply(term.function, [self.value(o) for o in term.operands])
            case _:
                raise Unprovable(f"no law for {term}")

    def _is_large(self, term: RealLiteral) -> bool:
        return self.ways.large_is_infinite and isinstance(term.value, Fraction) and term.value <= LARGE

    def _literal(self, term: RealLiteral) -> Value:
        if isinstance(term.value, Fraction) and not self._is_large(term):
            return self.finite(self.number(self.snap(term.value)))
        if isinstance(term.value, Fraction):
            self.assume("large negative = -inf", f"{float(term.value):.6g}")
        low = isinstance(term.value, Fraction) or term.value < 0
        return Value(self.zero, self.one if low else self.zero, self.zero if low else self.one, self.zero)

    def _masked(self, literal: RealLiteral, other: Scalar) -> Value:
        """A large negative literal times a 0-1 mask: -inf where the mask is 1."""
        mask = self.value(other)
        if self._is_finite(mask) and mask.undefined is self.zero and self.mul(mask.poly, mask.poly) is mask.poly:
            self.assume("large negative = -inf", f"{float(literal.value):.6g}")
            return Value(self.zero, mask.poly, self.zero, self.zero)
        return self._apply("mul", [self.value(literal), mask])

    def index(self, value: Index) -> Index:
        """An index in which every position is a normal form."""
        total = index(value.constant)
        for atom, c in value.terms:
            match atom:
                case Variable():
                    total += linear(0, ((atom, c),))
                case Quotient():
                    total += (self.index(atom.dividend) // atom.divisor) * c
                case _:
                    total += self._position(atom) * c
        return total

    def _position(self, atom: Position) -> Index:
        if isinstance(atom.scalar, Poly):
            return linear(0, ((atom, 1),))
        found = self.value(atom.scalar)
        if not self._is_finite(found) or found.undefined is not self.zero:
            raise Unprovable(f"the index {atom.scalar} may be infinite")
        return self.position(found.poly)

    def settled(self, indices: tuple[Index, ...]) -> list[tuple[Poly, tuple[Index, ...]]]:
        """Guards that exclude each other, and the indices under each, where positions have guards themselves:
        `table[[c] i + [not c] j]` is `[c] table[i] + [not c] table[j]`."""
        for atom in atoms_of(indices):
            if isinstance(atom, Position) and isinstance(atom.scalar, Poly):
                cases = self.cases(atom.scalar)
                if len(cases) > 1:
                    found = [(g, tuple(_replaced(i, atom, self.position(p)) for i in indices)) for g, p in cases]
                    return [(self.mul(g, h), at) for g, inner in found for h, at in self.settled(inner)]
        return [(self.one, indices)]

    def _joined_values(self, ways: Sequence[tuple[Poly, Value]]) -> Value:
        """The value under guards that exclude each other and cover everything."""
        if len(ways) == 1:
            return ways[0][1]

        def join(part: Callable[[Value], Poly]) -> Poly:
            return self.add(*(self.mul(guard, part(value)) for guard, value in ways))

        return Value(
            join(lambda v: v.poly), join(lambda v: v.minus), join(lambda v: v.plus), join(lambda v: v.undefined)
        )

    def element(self, term: Read) -> Value:
        """An element of a leaf; where the leaf has a definition and the indices are in range, its definition there."""
        fact = self.facts.of(term.tensor)
        if fact.equals is None or len(fact.equals[0]) != len(term.indices):
            self.leaves.add(term.tensor)
            return self.finite(self.atom(term))
        found = self.unfolded.get(term)
        if found is None:
            self.unfolded[term] = found = self._unfold(term, *fact.equals)
        return found

    def _unfold(self, term: Read, variables: tuple[Index, ...], body: Scalar) -> Value:
        inside = self.regions.whole
        change: dict[Variable, Index] = {}
        for variable, at in zip(variables, term.indices, strict=True):
            extent = 1
            if variable.terms:
                atom = variable.terms[0][0]
                assert isinstance(atom, Variable)
                extent, change[atom] = atom.extent, at
            inside = self.regions.meet(inside, self.within(at, extent))
        if because := self.facts.of(term.tensor).because:
            self.assume(because, term.tensor)
        there = self.value(substitute(body, change))
        if inside is self.regions.whole:
            return there
        self.leaves.add(term.tensor)
        guard = self.guard(inside)
        return self._joined_values([(guard, there), (self.complement(guard), self.finite(self.atom(term)))])

    def within(self, value: Index, extent: int) -> Region:
        """Where an index is in `0 <= value < extent`."""
        return self.regions.meet(self.regions.half(value), self.regions.half(index(extent - 1) - value))

    # Functions

    def _is_finite(self, value: Value) -> bool:
        return value.minus is self.zero and value.plus is self.zero

    def _infinite(self, value: Value) -> Poly:
        return self.add(value.minus, value.plus)

    def union(self, *indicators: Poly) -> Poly:
        total = self.zero
        for indicator in indicators:
            if indicator is not self.zero:
                total = self.either(total, indicator) if total is not self.zero else indicator
        return total

    def _apply(self, function: str, operands: Sequence[Value]) -> Value:
        undefined = self.union(*(o.undefined for o in operands))
        if all(map(self._is_finite, operands)):
            return Value(self.apply(function, [o.poly for o in operands]), self.zero, self.zero, undefined)
        match function, tuple(operands):
            case (("add" | "mul" | "max" | "min"), (first, second, *rest)):
                if rest:
                    return self._apply(function, [first, self._apply(function, [second, *rest])])
                found = getattr(self, f"_{function}_values")(first, second)
            case "exp", (x,):
                if x.minus is not self.zero:
                    self.assume("exp(-inf) = 0")
                found = Value(self.mul(self._finite_part(x), self.apply("exp", [x.poly])), self.zero, x.plus, self.zero)
            case "reciprocal", (x,):
                found = self.finite(self.mul(self._finite_part(x), self.apply("reciprocal", [x.poly])))
            case _:
                there = self.union(*map(self._infinite, operands))
                poly = self.apply(function, [o.poly for o in operands])
                found = Value(poly, self.zero, self.zero, there)
        return Value(found.poly, found.minus, found.plus, self.union(undefined, found.undefined))

    def _finite_part(self, value: Value) -> Poly:
        return self.complement(self._infinite(value))

    def _add_values(self, x: Value, y: Value) -> Value:
        undefined = self.add(self.mul(x.minus, y.plus), self.mul(x.plus, y.minus))
        minus, plus = self.union(x.minus, y.minus), self.union(x.plus, y.plus)
        return Value(self.add(x.poly, y.poly), minus, plus, self.union(undefined))

    def _mul_values(self, x: Value, y: Value) -> Value:
        if not self._is_finite(x) and not self._is_finite(y):
            return Value(self.zero, self.zero, self.zero, self.union(self._infinite(x), self._infinite(y)))
        if self._is_finite(x):
            x, y = y, x
        poly = self.mul(x.poly, y.poly)
        if self.sign(y.poly) == 2:
            return Value(poly, x.minus, x.plus, self.zero)
        if self.sign(self.scale(y.poly, -1)) == 2:
            return Value(poly, x.plus, x.minus, self.zero)
        return Value(poly, self.zero, self.zero, self._infinite(x))

    def _max_values(self, x: Value, y: Value) -> Value:
        left, right = self._finite_part(x), self._finite_part(y)
        both = self.mul(self.mul(left, right), self.apply("max", [x.poly, y.poly]))
        poly = self.add(both, self.mul(self.mul(left, y.minus), x.poly), self.mul(self.mul(x.minus, right), y.poly))
        return Value(poly, self.mul(x.minus, y.minus), self.union(x.plus, y.plus), self.zero)

    def _min_values(self, x: Value, y: Value) -> Value:
        return self._negated(self._max_values(self._negated(x), self._negated(y)))

    def _negated(self, x: Value) -> Value:
        return Value(self.scale(x.poly, -1), x.plus, x.minus, x.undefined)

    def _select(self, term: Select) -> Value:
        condition, unknown = self.condition(term.condition)
        if condition is self.one or condition is self.zero:
            return self.value(term.yes if condition is self.one else term.no)
        yes, no = self.value(term.yes), self.value(term.no)
        found = self._joined_values([(condition, yes), (self.complement(condition), no)])
        return Value(found.poly, found.minus, found.plus, self.union(unknown, found.undefined))

    # Conditions

    def condition(self, condition: Condition) -> tuple[Poly, Poly]:
        """The indicator of a condition, and of where it is undefined."""
        found = self.conditions.get(condition)
        if found is None:
            self.conditions[condition] = found = self._condition(condition)
        return found

    def _condition(self, condition: Condition) -> tuple[Poly, Poly]:
        match condition:
            case Constant():
                return (self.one if condition.value else self.zero), self.zero
            case AtLeastZero():
                ways = self.settled((self.index(condition.index),))
                return self.add(*(self.mul(g, self.guard(self.regions.half(i))) for g, (i,) in ways)), self.zero
            case Not():
                holds, undefined = self.condition(condition.condition)
                return self.complement(holds), undefined
            case All():
                total, unknown = self.one, self.zero
                for part in condition.conditions:
                    holds, undefined = self.condition(part)
                    total, unknown = self.mul(total, holds), self.union(unknown, undefined)
                return total, unknown
            case Compare():
                return self._compare(condition)
            case _:
                raise Unprovable(f"no law for {condition}")

    def _compare(self, condition: Compare) -> tuple[Poly, Poly]:
        x, y = self.value(condition.left), self.value(condition.right)
        undefined = self.union(x.undefined, y.undefined)
        difference = self.minus(x.poly, y.poly)
        relation = condition.relation
        less = self.test("lt", difference) if relation != "eq" else self.zero
        same = self.test("eq", difference) if relation != "lt" else self.zero
        if self._is_finite(x) and self._is_finite(y):
            return self.add(less, same), undefined
        total = self.mul(self.mul(self._finite_part(x), self._finite_part(y)), self.add(less, same))
        if relation != "eq":
            total = self.add(total, self.mul(x.minus, self.complement(y.minus)))
            total = self.add(total, self.mul(self.complement(self._infinite(x)), y.plus))
        if relation != "lt":
            total = self.add(total, self.mul(x.minus, y.minus), self.mul(x.plus, y.plus))
        return total, undefined

    # Reductions

    def _reduce(self, term: Reduce) -> Value:
        small = [v for v in term.variables if v.extent <= SMALL] if self.ways.unroll else []
        if small and (term.kind == "sum" or len(small) == len(term.variables)):
            return self._unrolled(term, small)
        if (apart := self._taken_apart(term)) is not None:
            return self.value(apart)
        body = self.value(term.body)
        if term.kind == "sum":
            return self._sum(term.variables, body)
        if term.kind == "max":
            return self._max(term.variables, body)
        if term.kind == "min" and not self._is_indicator(body.poly):
            return self._negated(self._max(term.variables, self._negated(body)))
        return self._product(term.kind, term.variables, body)

    def _taken_apart(self, term: Reduce) -> Scalar | None:
        """`max_k max(f, g)` as `max(max_k f, max_k g)`, and `max_k min(f, c)` as `min(max_k f, c)`: reductions of no
        elements are none. The same goes for minima."""
        body, kinds = term.body, ("max", "min")
        if isinstance(body, Apply) and body.function == "abs" and term.kind == "max":
            body = Apply("max", (body.operands[0], body.operands[0] * -1))
        if term.kind not in kinds or not isinstance(body, Apply) or body.function not in kinds:
            return None

        def reduced(*operands: Scalar) -> Scalar:
            inner = operands[0] if len(operands) == 1 else Apply(body.function, operands)
            return Reduce(term.kind, term.variables, inner)

        if body.function == term.kind:
            return Apply(term.kind, tuple(reduced(o) for o in body.operands))
        own = frozenset(term.variables)
        fixed = tuple(o for o in body.operands if free_variables(o).isdisjoint(own))
        rest = tuple(o for o in body.operands if not free_variables(o).isdisjoint(own))
        return Apply(body.function, (reduced(*rest), *fixed)) if fixed and rest else None

    def _unrolled(self, term: Reduce, small: Sequence[Variable]) -> Value:
        rest = tuple(v for v in term.variables if v not in small)
        body = Reduce(term.kind, rest, term.body) if rest else term.body
        function = {"sum": "add", "product": "mul", "max": "max", "min": "min"}[term.kind]
        ways = product(*(range(v.extent) for v in small))
        cases = [self.value(substitute(body, dict(zip(small, map(index, way), strict=True)))) for way in ways]
        return cases[0] if len(cases) == 1 else self._apply(function, cases)

    def exists(self, variables: Sequence[Variable], indicator: Poly) -> Poly | None:
        """Where an indicator is 1 for some value of the variables; None if it is not made of regions alone."""
        total = self.regions.empty
        for monomial, c in indicator.terms:
            loose = any(
                not isinstance(d, Variable) and self.facets.free(d) & set(variables) for d in monomial.region.dims
            )
            if monomial.factors or monomial.binders or c != 1 or loose:
                return None
            total = self.regions.join(total, self.regions.project(monomial.region, variables))
        return self.guard(total)

    def _some(self, variables: Sequence[Variable], indicator: Poly) -> Poly:
        """Where an indicator may be 1 for some value of the variables."""
        found = self.exists(variables, indicator)
        return self.one if found is None else found

    def _sum(self, variables: Sequence[Variable], body: Value) -> Value:
        if self._is_finite(body):
            return Value(
                self.reduce_sum(variables, body.poly), self.zero, self.zero, self._some(variables, body.undefined)
            )
        minus, plus = self.exists(variables, body.minus), self.exists(variables, body.plus)
        undefined = self._some(variables, body.undefined)
        if minus is None or plus is None:
            minus, plus, undefined = self.zero, self.zero, self.one
        poly = self.reduce_sum(variables, self.mul(self._finite_part(body), body.poly))
        return Value(poly, minus, plus, self.union(undefined, self.mul(minus, plus)))

    def _max(self, variables: Sequence[Variable], body: Value) -> Value:
        undefined = self.union(self._some(variables, body.undefined), self._some(variables, body.plus))
        if self._is_finite(body) and self._is_indicator(body.poly):
            found = self.exists(variables, body.poly)
            if found is not None:
                return Value(found, self.zero, self.zero, undefined)
        kept = self.complement(body.minus)
        some = self.exists(variables, kept)
        if some is None:
            self.assume("nonempty maximum", ", ".join(map(str, variables)))
            some = self.one
        own = set(variables)
        outside = Poly(tuple(t for t in body.poly.terms if self.facets.free(t[0]).isdisjoint(own)))
        inside = self.minus(body.poly, outside)
        poly = self.add(outside, self._extremum("max", variables, kept, inside)) if inside.terms else outside
        return Value(poly, self.complement(some), self.zero, undefined)

    def _is_indicator(self, poly: Poly) -> bool:
        return all(not m.factors and not m.binders and c == 1 for m, c in poly.terms)

    def _extremum(
        self, kind: str, variables: Sequence[Variable], keep: Poly, body: Poly, where: Region | None = None
    ) -> Poly:
        level = 1 + max(
            self.facets.top(keep), self.facets.top(body), *map(self.facets.top, where.dims if where else ())
        )
        names = tuple(binder(level, n) for n in range(len(variables)))
        change: dict[Atom, Index] = {v: linear(0, ((w, 1),)) for v, w in zip(variables, names, strict=True)}
        region = self.regions.whole if where is None else self.region_with(where, change)
        for name, v in zip(names, variables, strict=True):
            region = self.regions.meet(region, self.regions.interval(name, 0, v.extent - 1))
        return self.extremum(kind, names, region, self.substituted(keep, change), self.substituted(body, change))

    def _product(self, kind: str, variables: Sequence[Variable], body: Value) -> Value:
        """A product, or the minimum of values that are 0 and 1."""
        undefined = self.union(self._some(variables, body.undefined), self._some(variables, self._infinite(body)))
        if self._is_finite(body) and self._is_indicator(body.poly):
            found = self.exists(variables, self.complement(body.poly))
            if found is not None:
                return Value(self.complement(found), self.zero, self.zero, undefined)
        if kind == "product":
            return Value(self._product_in_parts(variables, body.poly), self.zero, self.zero, undefined)
        return Value(self._extremum(kind, variables, self.one, body.poly), self.zero, self.zero, undefined)

    def _product_in_parts(self, variables: Sequence[Variable], body: Poly) -> Poly:
        """A product, as one for each region in which the guards of its factors are decided, and each factor there:
        `product_k ([k <= i] x y + [i < k])` is `product_{k <= i} x * product_{k <= i} y`. Roots stay inside."""
        total = self.one
        for region, inside in self.in_regions(body):
            for poly, e in self.factors_of(inside):
                found = self._extremum("product", variables, self.one, poly, region)
                total = self.mul(total, self.raised(found, Fraction(e)))
        return total


def _replaced(value: Index, old: Position, new: Index) -> Index:
    """An index with another one in place of a position."""
    total = index(value.constant)
    for atom, c in value.terms:
        if isinstance(atom, Quotient):
            total += (_replaced(atom.dividend, old, new) // atom.divisor) * c
        else:
            total += new * c if atom is old else linear(0, ((atom, c),))
    return total
