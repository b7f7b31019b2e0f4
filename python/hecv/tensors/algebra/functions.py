"""Functions of normal forms: the laws of powers, exponentials, logarithms, comparisons and the rest over the reals.

Every function is taken case by case where its operand has guards: `f([c] a + [not c] b) = [c] f(a) + [not c] f(b)`.

    exp    exp(a + b) = exp(a) exp(b); each monomial has its own exponential, with its coefficient as exponent
    power  (c a P)^e = c^e a^e P^e, for common factors a; where e is a fraction, a is positive
    tanh, sinh, cosh                        by exp
    max, min, abs, sign, comparisons        by `Test`, with 0 or 1 as value
    odd and even functions                  sin(-x) = -sin(x), cos(-x) = cos(x)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Final

from hecv.tensors.algebra.binders import Binders
from hecv.tensors.algebra.normal_form import Base, Extremum, Monomial, Poly, Test, all_within, shown
from hecv.tensors.algebra.regions import Region
from hecv.tensors.algebra.ring import ONE, Exhausted, Factors, Products
from hecv.tensors.comprehension import Apply, Read, Real, Scalar
from hecv.tensors.index_terms import Position, Term, Variable, index_range

CASES: Final = 24
"""Cases of guards in which a function is taken; with more it is an atom."""

FACTORS: Final = 2
"""Factors of unknown sign by which the sign of a product is taken; with more the product is compared as a whole."""

BOXES: Final = 256
"""Boxes of free variables in which a difference is compared."""

SMALL_PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
"""Primes whose squares are taken out of roots of numbers."""

ODD: Final = ("erf", "sin", "tan", "asin", "atan")
HALF: Final = Fraction(1, 2)


class Functions(Binders):
    """The ring with its functions."""

    # Cases

    def cases(self, poly: Poly) -> list[tuple[Poly, Poly]]:
        """Guards that exclude each other and cover everything, and the poly under each."""
        regions = self._parts(poly, CASES)
        if not regions:
            return [(self.one, poly)]
        found: list[tuple[Poly, Poly]] = []
        for region in regions:
            inside = poly if region is self.regions.whole else self._restricted(poly, region)
            found += [(self.mul(self.guard(region), guard), case) for guard, case in self._truths(inside)]
        return found if len(found) <= CASES else [(self.one, poly)]

    def in_regions(self, poly: Poly) -> list[tuple[Region, Poly]]:
        """Regions that exclude each other and cover everything, and the poly in each, with its guards decided."""
        regions = self._parts(poly, CASES) or [self.regions.whole]
        return [(r, poly if r is self.regions.whole else self._restricted(poly, r)) for r in regions]

    def factors_of(self, poly: Poly) -> list[tuple[Poly, int]]:
        """The factors of a poly of one monomial, with whole exponents; a poly of more is one factor."""
        if len(poly.terms) != 1 or poly.terms[0][0].binders or poly.terms[0][0].region is not self.regions.whole:
            return [(poly, 1)]
        monomial, c = poly.terms[0]
        found = [(self.atom(a), int(e)) for a, e in monomial.factors if e.denominator == 1]
        found += [(self.atom(a, e), 1) for a, e in monomial.factors if e.denominator > 1]
        return [(self.number(c), 1), *found] if c != 1 else found

    def boxes_of(self, poly: Poly) -> list[Poly]:
        """A poly in each of the regions in which its guards are decided, free variables with one value there gone."""
        regions = [piece for part in self._parts(poly, BOXES) for piece in self.regions.pieces(part)]
        found: list[Poly] = []
        for region in regions if 0 < len(regions) <= BOXES else [self.regions.whole]:
            inside = self._restricted(poly, region)
            for dim in region.dims:
                value = self.regions.solve(region, dim)
                if isinstance(dim, Variable) and value is not None and dim not in self.facets.free(value):
                    inside = self.substituted(inside, {dim: value})
            found.append(inside)
        return found

    def _parts(self, poly: Poly, most: int) -> list[Region]:
        """The regions into which guards cut the space of the free variables; none if there are more than `most`."""
        regions = [self.regions.whole]
        for cut in dict.fromkeys(self._guards(poly)):
            parts = [(self.regions.meet(r, cut), self.regions.minus(r, cut)) for r in regions]
            regions = [r for pair in parts for r in pair if r is not self.regions.empty]
            if len(regions) > most:
                return []
        return regions

    def _guards(self, poly: Poly) -> list[Region]:
        found: list[Region] = []
        for monomial, _ in poly.terms:
            own = set(monomial.binders)
            bound = [d for d in monomial.region.dims if not self.facets.free(d).isdisjoint(own)]
            found.append(self.regions.project(monomial.region, bound))
        return [r for r in found if r is not self.regions.whole]

    def _restricted(self, poly: Poly, region: Region) -> Poly:
        """A poly that is the same in the region, without guards that hold there."""
        total: Products = {}
        for original, c in poly.terms:
            monomial = original
            if any(not self.facets.free(d).isdisjoint(monomial.binders) for d in region.dims):
                binders, where, factors, polys = self.opened(monomial, region.dims)
                if polys:
                    raise Exhausted
                monomial = Monomial(binders, where, tuple(factors.items()))
            if self.regions.disjoint(monomial.region, region):
                continue
            where = self.regions.relative(monomial.region, region)
            if not monomial.binders and self.regions.within(region, monomial.region):
                where = self.regions.whole
            atoms, polys = dict(monomial.factors), ()
            if change := self.decided_quotients(self.regions.meet(monomial.region, region), atoms):
                atoms, polys = self.changed(monomial.factors, change)
            if monomial.binders or change:
                self.assemble(monomial.binders, where, atoms, polys, c, total)
            else:
                self.put(total, Monomial((), where, monomial.factors), c)
        return self.total(total)

    def _truths(self, poly: Poly) -> list[tuple[Poly, Poly]]:
        """Cases of the first 0-1 atom that is a factor, and of those after it."""
        for monomial, _ in poly.terms:
            for atom, e in monomial.factors:
                if e > 0 and self.is_boolean(atom) and self.facets.free(atom).isdisjoint(monomial.binders):
                    truth = self.atom(atom)
                    yes = [(self.mul(truth, g), p) for g, p in self._truths(self.decided(poly, atom, True))]
                    no = [
                        (self.mul(self.complement(truth), g), p)
                        for g, p in self._truths(self.decided(poly, atom, False))
                    ]
                    return [case for case in yes + no if case[0].terms]
        return [(self.one, poly)]

    def decided(self, poly: Poly, atom: Scalar, value: bool) -> Poly:
        """A poly where a 0-1 atom has this value."""
        total: Products = {}
        for monomial, c in poly.terms:
            factors = dict(monomial.factors)
            other = Test("eq" if atom.kind == "lt" else "lt", atom.poly) if isinstance(atom, Test) else None
            opposite = other is not None and self.has(monomial, other)
            if self.has(monomial, atom):
                if value:
                    del factors[atom]
                    self.assemble(monomial.binders, monomial.region, factors, (), c, total)
            elif not (value and opposite):
                self.put(total, monomial, c)
        return self.total(total)

    def by_cases(self, function: Callable[..., Poly], *operands: Poly) -> Poly:
        """A function of polys without guards, on polys with guards."""
        found: list[tuple[Poly, tuple[Poly, ...]]] = [(self.one, ())]
        for operand in operands:
            ways = self.cases(operand)
            found = [(self.mul(g, h), (*done, p)) for g, done in found for h, p in ways]
            found = [case for case in found if case[0].terms]
            if len(found) > CASES:
                return function(*operands)
        if len(found) == 1:
            return function(*found[0][1])
        return self.add(*(self.mul(guard, function(*case)) for guard, case in found))

    # Signs

    def sign(self, poly: Poly) -> int | None:
        """2 if a poly is positive everywhere, 1 if it is not negative, None if that is not known."""
        if not poly.terms:
            return 1
        signs = [self._sign_of_monomial(m, c) for m, c in poly.terms]
        return None if None in signs else 2 if 2 in signs else 1

    def _sign_of_monomial(self, monomial: Monomial, c: Fraction) -> int | None:
        if c <= 0:
            return None
        found = 2
        for atom, e in monomial.factors:
            sign = self._sign_of_atom(atom, monomial)
            if sign is None and (e.denominator > 1 or e.numerator % 2 == 0):
                sign = 1
            if sign is None:
                return None
            found = min(found, sign)
        dims = [d for d in monomial.region.dims if isinstance(d, Position)]
        if any(not self.facets.free(d).isdisjoint(monomial.binders) for d in dims):
            return 1
        covered = self.regions.project(monomial.region, monomial.binders) is self.regions.whole
        return found if covered else 1

    def _sign_of_atom(self, atom: Scalar, monomial: Monomial) -> int | None:
        match atom:
            case Apply(function="exp"):
                return 2
            case Base():
                return self.sign(atom.poly)
            case Test():
                return 1
            case Real():
                low, _ = index_range(atom.index)
                if len(atom.index.terms) == 1 and atom.index.terms[0][0] in monomial.binders:
                    low, _ = monomial.region.bounds(atom.index.terms[0][0])
                return None if low is None or low < 0 else 2 if low > 0 else 1
            case Read():
                fact = self.facts.of(atom.tensor)
                if fact.boolean:
                    return 1
                low = fact.integers[0] if fact.integers else -1
                return None if low < 0 else 2 if low > 0 else 1
            case _:
                return None

    def nonzero(self, poly: Poly) -> None:
        """The obligation that a divisor is not 0: proved by its sign, or assumed."""
        if self.sign(poly) != 2 and self.sign(self.scale(poly, -1)) != 2:
            self._assume_of("nonzero divisor", poly)
            self._note_nothing(poly)

    def _assume_of(self, kind: str, term: Term) -> None:
        text = shown(term)
        self.assume(kind, text)
        if not self.on_indices and not any(isinstance(part, Read) for part in all_within(term)):
            self.on_indices = f"{kind}: {text}"

    def _note_nothing(self, poly: Poly) -> None:
        """Notes for which indices a poly is a sum of nothing, whatever leaves hold."""
        covered = self.regions.empty
        for monomial, _ in poly.terms:
            if any(isinstance(part, Read) for part in all_within(*monomial.region.dims)):
                return
            covered = self.regions.join(covered, self.regions.project(monomial.region, monomial.binders))
        self.nothing = self.regions.join(self.nothing, self.regions.minus(self.regions.whole, covered))

    def rooted(self, atom: Scalar) -> None:
        sign = self.sign(atom.poly) if isinstance(atom, Base) else self._sign_of_atom(atom, self.unit)
        if sign is None:
            self._assume_of("nonnegative under a root", atom)

    # Powers

    def raised(self, poly: Poly, exponent: Fraction) -> Poly:
        if exponent.denominator == 1 and exponent >= 0:
            return self.power(poly, int(exponent))
        if exponent.denominator > 1 and exponent >= 1:
            whole = int(exponent)
            return self.mul(self.power(poly, whole), self.raised(poly, exponent - whole))
        return self.by_cases(lambda p: self._raised(p, exponent), poly)

    def _raised(self, poly: Poly, e: Fraction) -> Poly:
        c = self.constant(poly)
        if c is not None:
            return self._number_raised(c, e)
        whole = e.denominator == 1
        content, rest = self._content(poly, positive=not whole)
        squares, rest = ({}, rest) if whole else self._squares(rest)
        polys = [self.raised(self.apply("abs", [self.atom(a)]), k * e) for a, k in squares.items()]
        factors: Factors = {}
        for atom, k in content.items():
            if not self._positive(atom) and e < 0:
                self.nonzero(self.atom(atom))
            factors[atom] = k * e
            if k.denominator > 1 and (k * e).denominator == 1:
                self.rooted(atom)
        scale = self.lead(rest)
        scale = scale if whole else abs(scale)
        rest = self.scale(rest, 1 / scale)
        polys.append(self._number_raised(scale, e))
        if (single := self.constant(rest)) is None:
            base = self.alone(rest) or Base(rest)
            if e < 0:
                self.nonzero(rest)
            self._times(factors, base, e)
        elif single != 1:
            polys.append(self._number_raised(single, e))
        total: Products = {}
        self.assemble((), self.regions.whole, factors, polys, ONE, total)
        return self.total(total)

    def _positive(self, atom: Scalar) -> bool:
        return self._sign_of_atom(atom, self.unit) == 2

    def _content(self, poly: Poly, positive: bool) -> tuple[Factors, Poly]:
        """Common factors of all monomials (only positive ones, if asked), and the poly without them."""
        common: Factors = {}
        for n, (monomial, _) in enumerate(poly.terms):
            own = {
                a: e
                for a, e in monomial.factors
                if self.facets.free(a).isdisjoint(monomial.binders) and (not positive or self._positive(a))
            }
            for atom in {*common, *own}:
                least = min(own.get(atom, Fraction(0)), common.get(atom, Fraction(0) if n else own.get(atom, ONE)))
                common[atom] = least
        common = {a: e for a, e in common.items() if e}
        if not common:
            return {}, poly
        more, rest = self._content(self._without(poly, common), positive)  # (1 - 1 / (1 + a)) is (1 + a - 1) / (1 + a)
        for atom, e in more.items():
            self._times(common, atom, e)
        return {a: e for a, e in common.items() if e}, rest

    def _squares(self, poly: Poly) -> tuple[Factors, Poly]:
        """The even powers among the common factors of a poly under a root, and the poly without them, which is not
        negative either."""
        content, _ = self._content(poly, positive=False)
        even = {a: Fraction(k // 2 * 2) for a, k in content.items() if k.denominator == 1 and k >= 2}
        if not even:
            return {}, poly
        rest = self._without(poly, even)
        if self.sign(rest) is None:
            self._assume_of("nonnegative under a root", rest)
        return even, rest

    def _without(self, poly: Poly, factors: Factors) -> Poly:
        """A poly without factors that all of its monomials have."""
        total: Products = {}
        for monomial, c in poly.terms:
            left = dict(monomial.factors)
            for atom, e in factors.items():
                left[atom] = left.get(atom, Fraction(0)) - e
            self.assemble(monomial.binders, monomial.region, left, (), c, total)
        return self.total(total)

    def _number_raised(self, value: Fraction, e: Fraction) -> Poly:
        """A rational power of a number; of roots, what is no square stays under the root."""
        if value == 1:
            return self.one
        if value == 0:
            if e > 0:
                return self.zero
            self.assume("nonzero divisor", "0")
            return self.atom(Apply("reciprocal", (self.zero,)))
        if e.denominator == 1:
            return self.number(value ** int(e))
        if value < 0 or e.denominator > 2:
            return self.atom(Base(self.number(value)), e)
        outside, inside = _root(value.numerator * value.denominator)
        root = Fraction(outside, value.denominator)
        whole = e - HALF
        number = root * value ** int(whole)
        found = self.one if inside == 1 else self.irrational(inside)
        return self.scale(found, number)

    def irrational(self, value: int) -> Poly:
        """The root of a natural number that is no square."""
        return self.atom(Base(self.number(value)), HALF)

    # Functions

    def apply(self, function: str, operands: Sequence[Poly]) -> Poly:
        match function, tuple(operands):
            case "add", _:
                return self.add(*operands)
            case "mul", _:
                total = operands[0]
                for operand in operands[1:]:
                    total = self.mul(total, operand)
                return total
            case (("keep" | "body"), _):
                return self.atom(Apply(function, tuple(operands)))
            case "reciprocal", (x,):
                return self.raised(x, Fraction(-1))
            case "sqrt", (x,):
                return self.raised(x, HALF)
            case "pow", (x, y):
                return self._pow(x, y)
            case "log1p", (x,):
                return self.apply("log", [self.add(x, self.one)])
            case "expm1", (x,):
                return self.minus(self.apply("exp", [x]), self.one)
            case "tanh", (x,):
                double = self.apply("exp", [self.scale(x, 2)])
                return self.minus(self.one, self.scale(self.raised(self.add(double, self.one), Fraction(-1)), 2))
            case (("sinh" | "cosh"), (x,)):
                up, down = self.apply("exp", [x]), self.apply("exp", [self.scale(x, -1)])
                return self.scale(self.minus(up, down) if function == "sinh" else self.add(up, down), HALF)
            case "min", (x, y):
                return self.scale(self.apply("max", [self.scale(x, -1), self.scale(y, -1)]), -1)
            case "max", (x, y):
                return self._joined_maximum(x, y) or self.greater(x, y)
            case (("max" | "min"), (x, *rest)):
                return self.apply(function, [x, self.apply(function, rest)]) if rest else x
            case "abs", (x,):
                return self.greater(x, self.scale(x, -1))
            case "sign", (x,):
                below, zero = self.test("lt", x), self.test("eq", x)
                return self.minus(self.minus(self.one, zero), self.scale(below, 2))
            case (("floor" | "ceil" | "trunc" | "round"), (x,)):
                return self.by_cases(lambda p: self._rounded(function, p), x)
            case _:
                return self.by_cases(lambda *p: self._plain(function, p), *operands)

    def _plain(self, function: str, operands: tuple[Poly, ...]) -> Poly:
        if function == "exp":
            return self._exp(operands[0])
        if function == "log":
            return self._log(operands[0])
        if len(operands) == 1 and operands[0].terms and "." not in function:
            c = self.lead(operands[0])
            if c < 0 and function in ODD:
                return self.scale(self._plain(function, (self.scale(operands[0], -1),)), -1)
            if c < 0 and function == "cos":
                return self._plain(function, (self.scale(operands[0], -1),))
        if len(operands) == 1 and not operands[0].terms:
            if function in ODD:
                return self.zero
            if function == "cos":
                return self.one
        return self.numeric(function, operands) or self.atom(Apply(function, operands))

    def numeric(self, function: str, operands: tuple[Poly, ...]) -> Poly | None:
        """The value of a function of numbers, where literals are compared as floats."""
        return None

    def _exp(self, poly: Poly) -> Poly:
        factors: Factors = {}
        polys: list[Poly] = []
        for monomial, c in poly.terms:
            one = Poly(((monomial, ONE),))
            inner = self.alone(one)
            if isinstance(inner, Apply) and inner.function == "log":
                self._logged(inner.operands[0])
                polys.append(self.raised(inner.operands[0], c))
            else:
                factors[Apply("exp", (one,))] = c
        total: Products = {}
        self.assemble((), self.regions.whole, factors, polys, ONE, total)
        return self.total(total)

    def _logged(self, operand: Scalar) -> None:
        if not isinstance(operand, Poly) or self.sign(operand) != 2:
            self._assume_of("positive argument of log", operand)
            if isinstance(operand, Poly):
                self._note_nothing(operand)

    def _log(self, poly: Poly) -> Poly:
        if not poly.terms:
            return self.atom(Apply("log", (poly,)))
        content, rest = self._content(poly, positive=True)
        total: Products = {}
        for atom, e in content.items():
            if isinstance(atom, Apply) and atom.function == "exp":
                inner = atom.operands[0]
                assert isinstance(inner, Poly)
                self.gather(total, inner, e)
            elif isinstance(atom, Base):
                self.gather(total, self._log(atom.poly), e)
            else:
                self.gather(total, self.atom(Apply("log", (self.atom(atom),))), e)
        c = abs(self.lead(rest))
        for factor in (self.number(c), self.scale(rest, 1 / c)):
            if self.constant(factor) != 1:
                self.gather(total, self.numeric("log", (factor,)) or self.atom(Apply("log", (factor,))))
        return self.total(total)

    def _pow(self, x: Poly, y: Poly) -> Poly:
        exponent, base = self.constant(y), self.constant(x)
        if exponent is not None and exponent.denominator <= 8 and abs(exponent) <= 64:
            return self.raised(x, exponent)
        if base is not None and base > 0:
            return self.apply("exp", [self.mul(y, self.apply("log", [x]))])
        return self.by_cases(lambda *p: self.atom(Apply("pow", p)), x, y)

    def _rounded(self, function: str, poly: Poly) -> Poly:
        if self.as_index(poly) is not None:
            return poly
        c = self.constant(poly)
        if c is not None:
            down = Fraction(c.numerator // c.denominator)
            up = {"floor": down, "ceil": -Fraction((-c.numerator) // c.denominator), "round": Fraction(round(c))}
            return self.number(up.get(function, Fraction(int(c))))
        divisor = max(k.denominator for _, k in poly.terms)
        value = self.as_index(self.scale(poly, divisor))
        if value is not None and (function == "floor" or (function == "trunc" and (index_range(value)[0] or 0) >= 0)):
            low = index_range(value)[0]
            if function == "floor" or low is not None:
                return self.real(value // divisor)
        return self.atom(Apply(function, (poly,)))

    # Comparisons

    def _joined_maximum(self, x: Poly, y: Poly) -> Poly | None:
        """`max(r + c * max over A of f, r + c * max over B of f) = r + c * max over A and B of f`, for a positive c."""
        difference = self.minus(x, y)
        ours, theirs = (
            [(self.alone(Poly(((m, ONE),))), abs(c)) for m, c in difference.terms if (c > 0) == positive]
            for positive in (True, False)
        )
        if len(ours) != 1 or len(theirs) != 1:
            return None
        (one, c), (other, d) = ours[0], theirs[0]
        if not (isinstance(one, Extremum) and isinstance(other, Extremum) and one.kind == other.kind == "max"):
            return None
        if (one.binders, one.keep, one.body, c) != (other.binders, other.keep, other.body, d):
            return None
        region = self.regions.join(one.region, other.region)
        whole = self.extremum("max", one.binders, region, one.keep, one.body)
        return self.add(x, self.scale(self.atom(one), -c), self.scale(whole, c))

    def greater(self, x: Poly, y: Poly) -> Poly:
        """The greater of two numbers."""
        difference = self.minus(x, y)
        if not difference.terms:
            return x
        if self.lead(difference) < 0:
            x, y, difference = y, x, self.scale(difference, -1)
        return self.add(y, self.by_cases(lambda d: self.mul(d, self.complement(self.test("lt", d))), difference))

    def test(self, kind: str, poly: Poly) -> Poly:
        return self.by_cases(lambda p: self._test(kind, p), poly)

    def _test(self, kind: str, poly: Poly) -> Poly:
        c = self.constant(poly)
        if c is not None:
            return self.one if (c < 0 if kind == "lt" else c == 0) else self.zero
        value = self.as_index(poly)
        if value is not None:
            if kind == "lt":
                return self.guard(self.regions.half(-value - 1))
            return self.guard(self.regions.meet(self.regions.half(value), self.regions.half(-value)))
        sign, opposite = self.sign(poly), self.sign(self.scale(poly, -1))
        if sign == 2 or opposite == 2:
            return self.one if kind == "lt" and opposite == 2 else self.zero
        if kind == "lt" and sign == 1:
            return self.zero
        positive, rest = self._content(poly, positive=True)
        if positive:
            return self.test(kind, rest)
        exponents = self._exponents(poly)
        if exponents is not None:
            return self.test(kind, exponents)
        factors, rest = self._content(poly, positive=False)
        single = self.constant(rest) is not None
        if len(factors) + (not single) <= FACTORS and factors and not (single and [*factors.values()] == [1]):
            return self._test_of_product(kind, factors, rest)
        tested, c = self.tested(poly)
        if kind == "eq" or c > 0:
            return self.atom(Test(kind, tested))
        return self.minus(self.complement(self.atom(Test("lt", tested))), self.atom(Test("eq", tested)))

    def _exponents(self, poly: Poly) -> Poly | None:
        """`a - b`, which has the sign of `exp(a) - exp(b)`; None of other polys."""
        if len(poly.terms) != 2 or poly.terms[0][1] != -poly.terms[1][1]:
            return None
        total: Products = {}
        for monomial, c in poly.terms:
            if monomial.binders or monomial.region is not self.regions.whole:
                return None
            for atom, e in monomial.factors:
                if not (isinstance(atom, Apply) and atom.function == "exp"):
                    return None
                inner = atom.operands[0]
                assert isinstance(inner, Poly)
                self.gather(total, inner, e * c)
        return self.total(total)

    def _test_of_product(self, kind: str, factors: Factors, rest: Poly) -> Poly:
        """The test of a product by those of its factors: an even power or a root is not negative."""
        below = zero = self.zero
        parts = [(a.poly if isinstance(a, Base) else self.atom(a), e) for a, e in factors.items()]
        for part, e in (*parts, (rest, ONE)):
            less = self.test("lt", part) if e.denominator == 1 and e.numerator % 2 else self.zero
            none = self.test("eq", part) if e > 0 else self.zero
            above = self.minus(self.complement(below), zero)
            below = self.add(self.mul(below, self.minus(self.complement(less), none)), self.mul(above, less))
            zero = self.either(zero, none)
        return below if kind == "lt" else zero


def _root(value: int) -> tuple[int, int]:
    """`outside**2 * inside == value`, with squares of small primes taken out."""
    outside, inside = 1, value
    if (whole := isqrt(value)) ** 2 == value:
        return whole, 1
    for prime in SMALL_PRIMES:
        while inside % (prime * prime) == 0:
            outside, inside = outside * prime, inside // (prime * prime)
    return (outside * whole, 1) if (whole := isqrt(inside)) ** 2 == inside else (outside, inside)
