"""The ring of normal forms: sums, products and substitution.

Monomials that differ only in their regions are brought to disjoint regions and joined where coefficients agree, so
`sum_{k<a} f(k) + sum_{k<b} f(k+a)` is one sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import floor
from time import thread_time
from typing import Any, Final

from hecv.tensors.algebra.leaf_facts import LeafFacts
from hecv.tensors.algebra.normal_form import Base, Extremum, Facets, Monomial, Poly, Test, binder, children
from hecv.tensors.algebra.regions import Bound, Region, Regions
from hecv.tensors.comprehension import Apply, Read, Real, Scalar
from hecv.tensors.index_terms import Atom, Index, Position, Quotient, Term, Variable, index, linear

DEEPEST: Final = 60
"""Steps in which one monomial may be rewritten, one inside the other."""

Products = dict[Monomial, Fraction]
Factors = dict[Scalar, Fraction]
Polys = tuple[Poly, ...]
Change = Mapping[Any, Index]
"""What stands for variables, and for whole quotients (`Atom`)."""

ONE: Final = Fraction(1)

TOTAL: Final = ("exp", "sin", "cos", "erf", "atan")
"""Functions that are defined everywhere."""


class Exhausted(Exception):
    """The budget of a proof is used up."""


class Ring:
    """Normal forms under facts about leaves; `used` counts the assumptions that were made, by kind and subject."""

    def __init__(self, facts: LeafFacts, expand: bool, unroll: bool, monomials: int, seconds: float) -> None:
        self.facts: Final = facts
        self.unroll: Final = unroll
        """Whether sums over few values in steps (heads, ranks) are written out."""
        self.expand: Final = expand
        """Whether powers of sums with binders are multiplied out."""
        self.left = monomials
        self.spent = 0
        self.deadline: Final = thread_time() + seconds
        self.regions: Final = Regions(self.range)
        self.facets: Final = Facets()
        self.used: Final = Counter[tuple[str, str]]()
        self.depth = 0
        self.boxes = 1
        """Boxes of free variables that were compared apart."""
        self.kept_powers = False
        """Whether a power of a sum with binders was not multiplied out."""
        self.on_indices = ""
        """The first assumption on a term of indices and sizes alone: no input can be blamed where that is wrong."""
        self.nothing = self.regions.empty
        """The indices for which a divisor, or what a logarithm is taken of, is a sum of nothing."""
        self._substituted: Final[dict[Any, Any]] = {}
        self._products: Final[dict[Any, Poly]] = {}
        self.zero: Final = Poly(())
        self.unit: Final = Monomial((), self.regions.whole, ())
        self.one: Final = self.number(1)

    def assume(self, kind: str, subject: str = "") -> None:
        self.used[kind, subject] += 1

    def range(self, atom: Atom) -> tuple[Bound, Bound]:
        """The range of a variable or a position in any context; none of binders, whose bounds are in regions."""
        if isinstance(atom, Variable):
            return (0, atom.extent - 1) if atom.identity >= 0 and atom.extent > 0 else (None, None)
        found = self.alone(atom.scalar) if isinstance(atom, Position) and isinstance(atom.scalar, Poly) else None
        if isinstance(found, Read):
            fact = self.facts.of(found.tensor)
            return (0, 1) if fact.boolean else fact.integers or (None, None)
        return (0, 1) if isinstance(found, Test) else (None, None)

    def spend(self, amount: int = 1) -> None:
        self.spent += amount
        self.left -= amount
        if self.left < 0 or (self.left % 16 == 0 and thread_time() > self.deadline):
            raise Exhausted

    # Making

    def snap(self, value: Fraction) -> Fraction:
        """The number for which a literal stands."""
        return value

    def cancels(self, total: Fraction, part: Fraction) -> bool:
        """Whether a sum with this part is zero."""
        return total == 0

    def number(self, value: Fraction | int) -> Poly:
        return Poly(((self.unit, Fraction(value)),)) if value else self.zero

    def atom(self, atom: Scalar, exponent: Fraction = ONE) -> Poly:
        return Poly(((Monomial((), self.regions.whole, ((atom, exponent),)), ONE),))

    def guard(self, region: Region) -> Poly:
        """1 in the region, 0 outside."""
        return self.zero if region is self.regions.empty else Poly(((Monomial((), region, ()), ONE),))

    def alone(self, poly: Poly) -> Scalar | None:
        """The atom that a poly is."""
        if len(poly.terms) != 1:
            return None
        monomial, c = poly.terms[0]
        if c != 1 or monomial.binders or monomial.region is not self.regions.whole or len(monomial.factors) != 1:
            return None
        return monomial.factors[0][0] if monomial.factors[0][1] == 1 else None

    def constant(self, poly: Poly) -> Fraction | None:
        if not poly.terms:
            return Fraction(0)
        monomial, c = poly.terms[0]
        return c if len(poly.terms) == 1 and monomial is self.unit else None

    def real(self, value: Index) -> Poly:
        """An index as a poly."""
        total: Products = {}
        self.gather(total, self.number(value.constant))
        for atom, c in value.terms:
            if isinstance(atom, Position):
                assert isinstance(atom.scalar, Poly)
                self.gather(total, atom.scalar, Fraction(c))
            else:
                self.gather(total, self.atom(Real(linear(0, ((atom, 1),)))), Fraction(c))
        return self.total(total)

    def as_index(self, poly: Poly) -> Index | None:
        """A poly as an index, if it is linear in integers with whole coefficients."""
        total = index(0)
        for monomial, c in poly.terms:
            if monomial.binders or monomial.region is not self.regions.whole or c.denominator != 1:
                return None
            if not monomial.factors:
                total += int(c)
                continue
            atom, exponent = monomial.factors[0]
            if len(monomial.factors) > 1 or exponent != 1 or not self.is_integer(atom):
                return None
            one = atom.index if isinstance(atom, Real) else linear(0, ((Position(self.atom(atom)), 1),))
            total += one * int(c)
        return total

    def position(self, poly: Poly) -> Index:
        """A poly that holds integers, as an index."""
        found = self.as_index(poly)
        return linear(0, ((Position(poly), 1),)) if found is None else found

    def is_integer(self, atom: Scalar) -> bool:
        if isinstance(atom, Read):
            fact = self.facts.of(atom.tensor)
            return fact.boolean or fact.whole or fact.integers is not None
        if isinstance(atom, Apply):
            return atom.function in ("floor", "ceil", "trunc", "round")
        return isinstance(atom, Real | Test)

    def is_boolean(self, atom: Scalar) -> bool:
        return isinstance(atom, Test) or (isinstance(atom, Read) and self.facts.of(atom.tensor).boolean)

    # Sums

    def gather(self, into: Products, poly: Poly, factor: Fraction = ONE) -> None:
        for monomial, c in poly.terms:
            self.put(into, monomial, c * factor)

    def put(self, into: Products, monomial: Monomial, c: Fraction) -> None:
        found = into.get(monomial)
        into[monomial] = total = c if found is None else found + c
        if found is not None and self.cancels(total, c):
            del into[monomial]

    def total(self, parts: Products) -> Poly:
        """The sum of monomials; those with equal factors are given disjoint regions."""
        groups: dict[Any, list[tuple[Region, Fraction]]] = {}
        for monomial, c in parts.items():
            groups.setdefault((monomial.binders, monomial.factors), []).append((monomial.region, c))
        if len(groups) == len(parts):
            found = [(m, self.snap(c)) for m, c in parts.items() if c]
            return Poly(tuple(sorted(found, key=lambda t: t[0].number)))
        anew: Products = {}
        changed = False
        for (binders, factors), pieces in groups.items():
            before = dict(pieces)
            for region, c in self._disjoint(pieces) if len(pieces) > 1 else pieces:
                if before.get(region) == c or not binders:
                    self.put(anew, Monomial(binders, region, factors), c)
                else:
                    changed = True
                    self.close(binders, region, dict(factors), c, anew)
        if changed:
            self.spend()
            return self.total(anew)
        found = [(m, self.snap(c)) for m, c in anew.items() if c]
        return Poly(tuple(sorted(found, key=lambda t: t[0].number)))

    def _disjoint(self, pieces: Sequence[tuple[Region, Fraction]]) -> list[tuple[Region, Fraction]]:
        """The same function of the index, as one region for each coefficient."""
        found: list[tuple[Region, Fraction]] = []
        for region, c in sorted(pieces, key=lambda p: [(b[0] is not None, b[0] or 0) for b in p[0].hull]):
            rest, split = region, list[tuple[Region, Fraction]]()
            for other, d in found:
                common = self.regions.empty if self.regions.disjoint(other, rest) else self.regions.meet(other, rest)
                if common is self.regions.empty:
                    split.append((other, d))
                    continue
                if (less := self.regions.minus(other, common)) is not self.regions.empty:
                    split.append((less, d))
                split.append((common, Fraction(0) if self.cancels(c + d, d) else c + d))
                rest = self.regions.minus(rest, common)
            found = self._joined([*split, (rest, c)])
        return found

    def _joined(self, pieces: Sequence[tuple[Region, Fraction]]) -> list[tuple[Region, Fraction]]:
        joined: dict[Fraction, Region] = {}
        for region, c in pieces:
            if region is not self.regions.empty and c:
                joined[c] = self.regions.join(joined[c], region) if c in joined else region
        return [(r, c) for c, r in joined.items()]

    def add(self, *polys: Poly) -> Poly:
        total: Products = {}
        for poly in polys:
            self.gather(total, poly)
        return self.total(total)

    def scale(self, poly: Poly, factor: Fraction | int) -> Poly:
        return Poly(tuple((m, self.snap(c * factor)) for m, c in poly.terms)) if factor else self.zero

    def minus(self, one: Poly, other: Poly) -> Poly:
        return self.add(one, self.scale(other, -1))

    def complement(self, indicator: Poly) -> Poly:
        return self.minus(self.one, indicator)

    def either(self, one: Poly, other: Poly) -> Poly:
        return self.minus(self.add(one, other), self.mul(one, other))

    # Products

    def mul(self, one: Poly, other: Poly) -> Poly:
        if not one.terms or not other.terms:
            return self.zero
        for left, right in ((one, other), (other, one)):
            if (c := self.constant(left)) is not None:
                return self.scale(right, c)
        if one.number > other.number:
            one, other = other, one
        found = self._products.get((one, other))
        if found is None:
            self._products[one, other] = found = self._mul(one, other)
        return found

    def _mul(self, one: Poly, other: Poly) -> Poly:
        if one is other and not self.expand and len(one.terms) > 1 and any(m.binders for m, _ in one.terms):
            self.kept_powers = True
            base, c = self.base(one)
            return self.scale(self.atom(base, Fraction(2)), c * c)
        total: Products = {}
        for left, right in ((one, other), (other, one)):
            base, c = self.base(right)
            zero = Test("eq", self.tested(right)[0])
            if any(self.has(m, zero) for m, _ in left.terms):
                return self.mul(Poly(tuple(t for t in left.terms if not self.has(t[0], zero))), right)
            with_base = [(m, d) for m, d in left.terms if self.has(m, base)]
            if with_base and (len(right.terms) > 1 or right.terms[0][0].binders):
                for m, d in with_base:
                    factors = dict(m.factors)
                    factors[base] += 1
                    self.assemble(m.binders, m.region, factors, (), c * d, total)
                rest = Poly(tuple(t for t in left.terms if not self.has(t[0], base)))
                if rest.terms:
                    self.gather(total, self.mul(rest, right))
                return self.total(total)
        for m, c in one.terms:
            binders, region, factors, polys = self.opened(m, (other,))
            self.assemble(binders, region, factors, (*polys, other), c, total)
        return self.total(total)

    def has(self, monomial: Monomial, atom: Scalar) -> bool:
        """Whether an atom is a factor, and is not one that a binder of the monomial only looks like."""
        return any(a is atom for a, _ in monomial.factors) and self.facets.free(atom).isdisjoint(monomial.binders)

    def base(self, poly: Poly) -> tuple[Scalar, Fraction]:
        """The atom whose multiple a poly is, and the factor."""
        c = self.lead(poly)
        scaled = self.scale(poly, 1 / c)
        return self.alone(scaled) or Base(scaled), c

    def lead(self, poly: Poly) -> Fraction:
        """The coefficient by which a poly is scaled; it does not depend on names of variables."""
        best = max(self.facets.shape(m) for m, _ in poly.terms)
        ties = [c for m, c in poly.terms if self.facets.shape(m) == best]
        return max(map(abs, ties)) * (-1 if all(c < 0 for c in ties) else 1)

    def tested(self, poly: Poly) -> tuple[Poly, Fraction]:
        """A poly as tests have it, and the factor: polys that differ in a number alone have the same factor."""
        c = self.lead(Poly(tuple(t for t in poly.terms if t[0] is not self.unit)) if len(poly.terms) > 1 else poly)
        return self.scale(poly, 1 / c), c

    def power(self, poly: Poly, exponent: int) -> Poly:
        """A power with a natural number."""
        total = self.one
        for _ in range(exponent):
            total = self.mul(total, poly)
        return total

    def raised(self, poly: Poly, exponent: Fraction) -> Poly:
        """A power with any exponent."""
        raise NotImplementedError

    def apply(self, function: str, operands: Sequence[Poly]) -> Poly:
        """A function of polys."""
        raise NotImplementedError

    def close(
        self, binders: tuple[Variable, ...], region: Region, factors: Factors, c: Fraction, into: Products
    ) -> None:
        """Adds a monomial in canonical form."""
        raise NotImplementedError

    def extremum(self, kind: str, binders: Sequence[Variable], region: Region, keep: Poly, body: Poly) -> Poly:
        """`kind` of `body` over binders in a region where `keep` is 1, with canonical names."""
        raise NotImplementedError

    def sign(self, poly: Poly) -> int | None:
        """2 if a poly is positive everywhere, 1 if it is not negative, None if that is not known."""
        raise NotImplementedError

    def test(self, kind: str, poly: Poly) -> Poly:
        """1 if `poly < 0` or `poly == 0`, else 0."""
        raise NotImplementedError

    def opened(self, monomial: Monomial, beside: Iterable[Term]) -> tuple[tuple[Variable, ...], Region, Factors, Polys]:
        """The parts of a monomial, with names of binders that do not occur beside it; polys are factors too."""
        if not monomial.binders:
            return (), monomial.region, dict(monomial.factors), ()
        level = 1 + max((self.facets.top(monomial), *map(self.facets.top, beside)))
        names = tuple(binder(level, n) for n in range(len(monomial.binders)))
        change = dict(zip(monomial.binders, map(only, names), strict=True))
        factors, polys = self.changed(monomial.factors, change)
        return names, self.region_with(monomial.region, change), factors, polys

    def changed(self, factors: Iterable[tuple[Scalar, Fraction]], change: Change) -> tuple[Factors, Polys]:
        """Factors after a substitution: those that are atoms still, and the others."""
        atoms: Factors = {}
        polys: list[Poly] = []
        for factor, e in factors:
            new = self.substituted(factor, change)
            atom = self._same_base(new) if isinstance(factor, Base) else self.alone(new)
            if atom is None:
                polys.append(self.raised(new, e))
            else:
                self._times(atoms, atom, e)
        return atoms, tuple(polys)

    def assemble(
        self,
        binders: Sequence[Variable],
        region: Region,
        factors: Mapping[Scalar, Fraction],
        polys: Sequence[Poly],
        c: Fraction,
        into: Products,
    ) -> None:
        """Adds `c * sum over binders in region of factors * polys` to `into`."""
        self.spend()
        if region is self.regions.empty or not c:
            return
        if not polys:
            self._settle(tuple(binders), region, dict(factors), c, into)
            return
        first, rest = polys[0], polys[1:]
        for monomial, d in first.terms:
            more, where, own, beside = self.opened(monomial, (*binders, *factors, *rest, *region.dims))
            merged = dict(factors)
            for atom, e in own.items():
                self._times(merged, atom, e)
            self.assemble((*binders, *more), self.regions.meet(region, where), merged, (*beside, *rest), c * d, into)

    def _times(self, factors: Factors, atom: Scalar, exponent: Fraction) -> None:
        before = factors.get(atom, Fraction(0))
        factors[atom] = total = before + exponent
        if before.denominator > 1 and exponent.denominator > 1 and total.denominator == 1:
            self.rooted(atom)

    def rooted(self, atom: Scalar) -> None:
        """Roots of the atom were multiplied: it is not negative."""
        raise NotImplementedError

    def _settle(
        self, binders: tuple[Variable, ...], region: Region, factors: Factors, c: Fraction, into: Products
    ) -> None:
        """Powers of sums that are to be multiplied out, tests, and quotients of polys; then the binders."""
        polys: list[Poly] = []
        for atom, e in list(factors.items()):
            if e == 0:
                del factors[atom]
            elif e > 0 and self.is_boolean(atom):
                factors[atom] = ONE
            elif isinstance(atom, Base) and e >= 1:
                whole = floor(e)
                if whole == 1 or e != whole or self.expand or not any(m.binders for m, _ in atom.poly.terms):
                    polys += [atom.poly] * whole
                    factors[atom] = e - whole
                    if e == whole:
                        del factors[atom]
        if not self._compatible(factors):
            return
        for test in [a for a in factors if isinstance(a, Test) and a.kind == "eq"]:
            if (solved := self._solved(test.poly)) is not None:
                polys += self._replaced(factors, test, *solved)
        if not polys and (change := self.decided_quotients(region, factors)):
            atoms, more = self.changed(factors.items(), change)
            if more or atoms != factors:
                self.assemble(binders, region, atoms, more, c, into)
                return
        if polys:
            self.assemble(binders, region, factors, polys, c, into)
        elif not self._divide(binders, region, factors, c, into):
            self.close(binders, region, factors, c, into)

    def _compatible(self, factors: Factors) -> bool:
        """Drops tests that follow from others of a poly that differs in a number alone: `[x < -1]` is
        `[x < -1] * [x < 2]`. False if two tests contradict each other."""
        tests = [a for a in factors if isinstance(a, Test)]
        if len(tests) < 2:
            return True
        known: dict[tuple[Any, ...], list[tuple[Fraction, Test]]] = {}
        for test in tests:
            number = sum((c for m, c in test.poly.terms if m is self.unit), Fraction(0))
            known.setdefault(tuple(t for t in test.poly.terms if t[0] is not self.unit), []).append((number, test))
        for alike in known.values():
            equal = {number: test for number, test in alike if test.kind == "eq"}
            least = next(iter(equal), max(number for number, _ in alike))
            for number, test in alike:
                if test.kind == "lt" and (number >= least if equal else number < least):
                    if equal:
                        return False
                    del factors[test]
                elif equal and test.kind == "lt":
                    del factors[test]
            if len(equal) > 1:
                return False
        return True

    def decided_quotients(self, region: Region, factors: Iterable[Scalar]) -> dict[Atom, Index]:
        """The quotients in factors that have one value in a region: `k floordiv 64` is 1 where `64 <= k < 128`."""
        if region is self.regions.whole:
            return {}
        found: dict[Atom, Index] = {}
        for quotient in {q for atom in factors for q in self.facets.quotients(atom)}:
            low, high = self.regions.extent(region, quotient.dividend)
            if low is not None and high is not None and low // quotient.divisor == high // quotient.divisor:
                found[quotient] = index(low // quotient.divisor)
        return found

    def _solved(self, poly: Poly) -> tuple[Scalar, Poly] | None:
        """An atom of a poly, and what it is where the poly is 0."""
        found: list[tuple[int, int, Scalar, Fraction, Monomial]] = []
        for monomial, c in poly.terms:
            atom = self.alone(Poly(((monomial, ONE),)))
            if atom is not None and not any(self._has_inside(m, atom) for m, _ in poly.terms if m is not monomial):
                found.append((self.facets.shape(atom), atom.number, atom, c, monomial))
        if not found:
            return None
        _, _, atom, c, monomial = max(found, key=lambda f: f[:2])
        rest = Poly(tuple(t for t in poly.terms if t[0] is not monomial))
        return atom, self.scale(rest, -1 / c)

    def _has_inside(self, term: Term, atom: Scalar) -> bool:
        """Whether an atom occurs, outside indices and reductions."""
        match term:
            case Monomial():
                return any(self._has_inside(a, atom) for a, _ in term.factors)
            case Poly() | Base() | Test() | Apply():
                return term is atom or any(self._has_inside(t, atom) for t in children(term))
            case _:
                return term is atom

    def _replaced(self, factors: Factors, test: Test, atom: Scalar, value: Poly) -> list[Poly]:
        """Takes factors that have an atom out where it has a value, and gives what they are there. Only what is defined
        whatever the atom is can be read there: `[x == 0] * x^(-1)` stays."""
        polys: list[Poly] = []
        for factor, e in list(factors.items()):
            if factor is test or not self._has_inside(factor, atom):
                continue
            if (factor is atom and e > 0) or self._is_total(factor, e):
                del factors[factor]
                polys.append(self.raised(self._with(factor, atom, value), e))
        return polys

    def _is_total(self, factor: Scalar, e: Fraction = ONE) -> bool:
        """Whether a power of an atom is defined for all values of the leaves."""
        match factor:
            case Base():
                kept = (e > 0 and e.denominator == 1) or self.sign(factor.poly) == 2
                inner = (factor.poly,)
            case Test():
                kept, inner = True, (factor.poly,)
            case Apply():
                positive = factor.function == "log" and self.sign(self._poly(factor.operands[0])) == 2
                kept, inner = factor.function in TOTAL or positive, factor.operands
            case _:
                return e > 0 and e.denominator == 1 and isinstance(factor, Read | Real)
        return kept and all(
            not m.binders and all(self._is_total(a, k) for a, k in m.factors)
            for operand in inner
            for m, _ in self._poly(operand).terms
        )

    def _poly(self, term: Scalar) -> Poly:
        return term if isinstance(term, Poly) else self.atom(term)

    def _with(self, term: Scalar, atom: Scalar, value: Poly) -> Poly:
        """A term with a value in place of an atom; what is summed up stays."""
        if term is atom:
            return value
        match term:
            case Poly():
                total: Products = {}
                for monomial, c in term.terms:
                    polys = [self.raised(self._with(a, atom, value), e) for a, e in monomial.factors]
                    self.assemble((), monomial.region, {}, polys, c, total)
                return self.total(total)
            case Base():
                return self._with(term.poly, atom, value)
            case Test():
                return self.test(term.kind, self._with(term.poly, atom, value))
            case Apply():
                return self.apply(term.function, [self._with(o, atom, value) for o in term.operands])
            case _:
                return self.atom(term)

    def _divide(
        self, binders: tuple[Variable, ...], region: Region, factors: Factors, c: Fraction, into: Products
    ) -> bool:
        """`a / P` with the leading monomial of P in `a`: `lead / P = (1 - (P - lead) / P) / coefficient`."""
        for atom, e in factors.items():
            if not isinstance(atom, Base) or e > -1 or (found := self._leading(atom.poly)) is None:
                continue
            lead, d = found
            if any(factors.get(a, Fraction(0)) < k for a, k in lead.factors):
                continue
            left = dict(factors)
            for a, k in lead.factors:
                left[a] -= k
            less = {**left, atom: e + 1}
            self.assemble(binders, region, less, (), c / d, into)
            rest = Poly(tuple((m, k) for m, k in atom.poly.terms if m is not lead))
            self.assemble(binders, region, left, (rest,), -c / d, into)
            return True
        return False

    def _leading(self, poly: Poly) -> tuple[Monomial, Fraction] | None:
        """The monomial of the highest degree of a poly without binders, if one is."""
        if len(poly.terms) < 2 or len(poly.terms) > 8:
            return None
        if any(
            m.binders or m.region is not self.regions.whole or any(e < 0 for _, e in m.factors) for m, _ in poly.terms
        ):
            return None
        ranks = sorted(((sum((e for _, e in m.factors), Fraction(0)), self.facets.shape(m)) for m, _ in poly.terms))
        if ranks[-1] == ranks[-2]:
            return None
        lead = max(poly.terms, key=lambda t: (sum((e for _, e in t[0].factors), Fraction(0)), self.facets.shape(t[0])))
        return lead if lead[0].factors else None

    # Substitution

    def index_with(self, value: Index, change: Change) -> Index:
        """An index with variables, or whole quotients, replaced."""
        total = index(value.constant)
        for atom, c in value.terms:
            match atom:
                case Variable() | Quotient() if atom in change:
                    total += change[atom] * c
                case Variable():
                    total += linear(0, ((atom, c),))
                case Quotient():
                    total += (self.index_with(atom.dividend, change) // atom.divisor) * c
                case _:
                    assert isinstance(atom.scalar, Poly)
                    total += self.position(self.poly_with(atom.scalar, change)) * c
        return total

    def region_with(self, region: Region, change: Change) -> Region:
        atoms: dict[Atom, Index] = {}
        for dim in region.dims:
            if not self.facets.free(dim).isdisjoint(change):
                atoms[dim] = self.index_with(linear(0, ((dim, 1),)), change)
        return self.regions.rename(region, atoms)

    def poly_with(self, poly: Poly, change: Change) -> Poly:
        return self.substituted(poly, change)

    def substituted(self, term: Scalar, change: Change) -> Poly:
        """A poly or an atom with variables replaced."""
        free = self.facets.free(term)
        kept = {v: i for v, i in change.items() if self._occurs(v, free)}
        if not kept:
            return term if isinstance(term, Poly) else self.atom(term)
        key = (term, frozenset(kept.items()))
        found = self._substituted.get(key)
        if found is None:
            self._substituted[key] = found = self._substituted_new(term, kept)
        return found

    def _occurs(self, atom: Atom, free: frozenset[Variable]) -> bool:
        """Whether an atom may occur where these variables are free."""
        return atom in free if isinstance(atom, Variable) else self.facets.free(atom) <= free

    def _outside(self, change: Change, binders: Sequence[Variable]) -> dict[Atom, Index]:
        """What a substitution replaces where names are bound: no quotient of these names."""
        return {a: i for a, i in change.items() if isinstance(a, Variable) or self.facets.free(a).isdisjoint(binders)}

    def _substituted_new(self, term: Scalar, change: Change) -> Poly:
        match term:
            case Poly():
                total: Products = {}
                for monomial, c in term.terms:
                    if not any(self._occurs(v, self.facets.free(monomial)) for v in change):
                        self.put(total, monomial, c)
                        continue
                    level = 1 + max(self.facets.top(monomial), *map(self.facets.top, change.values()), -1)
                    names = tuple(binder(level, n) for n in range(len(monomial.binders)))
                    renamed = {v: linear(0, ((w, 1),)) for v, w in zip(monomial.binders, names, strict=True)}
                    full = {**self._outside(change, monomial.binders), **renamed}
                    self.replaced(names, monomial.region, dict(monomial.factors), full, c, total)
                return self.total(total)
            case Read():
                return self.read(term.tensor, [self.index_with(i, change) for i in term.indices])
            case Real():
                return self.real(self.index_with(term.index, change))
            case Apply():
                return self.apply(term.function, [self.substituted(o, change) for o in term.operands])
            case Base():
                return self.substituted(term.poly, change)
            case Test():
                return self.test(term.kind, self.substituted(term.poly, change))
            case Extremum():
                level = 1 + max(self.facets.top(term), *map(self.facets.top, change.values()), -1)
                names = tuple(binder(level, n) for n in range(len(term.binders)))
                renamed = {v: linear(0, ((w, 1),)) for v, w in zip(term.binders, names, strict=True)}
                full = {**self._outside(change, term.binders), **renamed}
                keep, body = self.substituted(term.keep, full), self.substituted(term.body, full)
                return self.extremum(term.kind, names, self.region_with(term.region, full), keep, body)
            case _:
                raise TypeError(f"no atom: {term}")

    def read(self, tensor: str, indices: Sequence[Index]) -> Poly:
        return self.atom(Read(tensor, tuple(indices)))

    def replaced(
        self,
        binders: tuple[Variable, ...],
        region: Region,
        factors: Factors,
        change: Change,
        c: Fraction,
        into: Products,
        within: Region | None = None,
    ) -> None:
        """Assembles a monomial after a substitution, its binders being the new ones."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Exhausted
        atoms, polys = self.changed(factors.items(), change)
        where = self.region_with(region, change)
        self.assemble(binders, where if within is None else self.regions.meet(where, within), atoms, polys, c, into)
        self.depth -= 1

    def _same_base(self, poly: Poly) -> Scalar | None:
        if not poly.terms or self.constant(poly) is not None:
            return None
        base, c = self.base(poly)
        return base if c == 1 else None


def only(variable: Variable) -> Index:
    return linear(0, ((variable, 1),))
