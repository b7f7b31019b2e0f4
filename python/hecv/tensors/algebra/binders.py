"""Canonical form of binders.

A monomial is brought to canonical form by these steps, each of which is an equation between finite sums:

- delta: `sum_k [k = e] f(k) = f(e)`, where the region leaves one value for a binder;
- digits: a binder `k` under `k floordiv r` is split as `r * h + l`;
- merge: binders that occur only together, as `n * h + l` with `l < n`, are one binder;
- count: a binder that does not occur is a factor;
- shift: a binder is moved, or reflected, so that the first read in which it occurs has it alone;
- names: binders are named by their occurrences, ties by the smallest result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, permutations, product
from typing import Any, Final

from hecv.tensors.algebra.normal_form import Extremum, Monomial, Poly, Row, binder, height
from hecv.tensors.algebra.regions import Region, volume
from hecv.tensors.algebra.ring import DEEPEST, ONE, Factors, Products, Ring, only
from hecv.tensors.comprehension import Apply, Scalar
from hecv.tensors.index_terms import Atom, Index, Position, Quotient, Variable, index, linear

STRIDED: Final = 16
"""Values of a binder in steps, or of a product, that are written out."""

TIES: Final = 120
"""Orders of like binders that are tried."""


Step = tuple[tuple[Variable, ...], Region, Mapping[Atom, Index], int, Region | None]
"""Binders then, the region, the substitution, the factor, and a region to meet."""


class Binders(Ring):
    """The ring with binders kept in canonical form, and reductions."""

    def close(
        self, binders: tuple[Variable, ...], region: Region, factors: Factors, c: Fraction, into: Products
    ) -> None:
        if binders:
            if self.unroll and (strided := self._strided(binders, region, factors)) is not None:
                low, high = region.bounds(strided)
                kept = tuple(w for w in binders if w is not strided)
                for value in range(low or 0, (high or 0) + 1):
                    self.replaced(kept, region, factors, {strided: index(value)}, c, into)
                return
            step = self._step(binders, region, factors)
            if step is not None:
                kept, where, change, times, within = step
                self.replaced(kept, where, factors, change, c * times, into, within)
                return
        names, where, named = self._named(binders, region, list(factors.items()))
        if named is None:
            self.replaced(names, region, factors, dict(zip(binders, map(only, names), strict=True)), c, into)
            return
        self.put(into, Monomial(names, where, named), c)

    def _strided(self, binders: tuple[Variable, ...], region: Region, factors: Factors) -> Variable | None:
        """A binder with few values that occurs with a coefficient, as the number of a head or a rank does."""
        rows = [i for atom in factors for _, _, i in self.facets.rows(atom)]
        for v in binders:
            low, high = region.bounds(v)
            if low is not None and high is not None and high - low < STRIDED:
                own = [abs(c) for i in rows if (c := dict(i.terms).get(v, 0))]
                if own and max(own) > 1:
                    return v
        return None

    def _step(self, binders: tuple[Variable, ...], region: Region, factors: Factors) -> Step | None:
        """One step to canonical form: the binders and the region then, the substitution, the factor, a condition."""
        for v in binders:
            value = self.regions.solve(region, v)
            if value is not None and v not in self.facets.free(value):
                return tuple(w for w in binders if w is not v), region, {v: value}, 1, None
        live = frozenset[Variable]().union(*map(self.facets.free, factors))
        rows = frozenset[Row]().union(*map(self.facets.rows, factors))
        rows |= {("", 0, linear(0, ((d, 1),))) for d in region.dims if isinstance(d, Position)}
        rows |= {row for d in region.dims if isinstance(d, Position) for row in self.facets.rows(d)}
        beside = frozenset[Variable]().union(*(self.facets.free(d) for d in region.dims if isinstance(d, Position)))
        for v in binders:
            if v not in live and v not in beside and (size := self.regions.size(region, v)) is not None:
                return tuple(w for w in binders if w is not v), self.regions.project(region, [v]), {}, size, None
        return (
            self._digits(binders, region, rows)
            or self._merge(binders, region, rows, live)
            or self._shift(binders, region, rows, live)
        )

    def _digits(self, binders: tuple[Variable, ...], region: Region, rows: frozenset[Row]) -> Step | None:
        quotients = {a for _, _, i in rows for a, _ in i.terms if isinstance(a, Quotient)}
        for v in binders:
            low, high = region.bounds(v)
            if low is None or low < 0 or high is None:
                continue
            radixes = {
                q.divisor // abs(k)
                for q in quotients
                for a, k in q.dividend.terms
                if a is v and q.divisor % abs(k) == 0 and 1 < q.divisor // abs(k) <= high
            }
            if radixes:
                radix = min(radixes)
                level = 1 + max(self._level(binders, rows), -1)
                upper, lower = binder(level, 0, high // radix + 1), binder(level, 1, radix)
                digit = self.regions.meet(
                    self.regions.interval(lower, 0, radix - 1), self.regions.interval(upper, 0, high // radix)
                )
                kept = (*(w for w in binders if w is not v), upper, lower)
                return kept, region, {v: only(upper) * radix + only(lower)}, 1, digit
        return None

    def _level(self, binders: Sequence[Variable], rows: frozenset[Row]) -> int:
        return max((*map(height, binders), *(self.facets.top(i) for _, _, i in rows)), default=-1)

    def _merge(
        self,
        binders: tuple[Variable, ...],
        region: Region,
        rows: frozenset[Row],
        live: frozenset[Variable],
    ) -> Step | None:
        if region.box is None or len(binders) < 2:
            return None
        coefficients = [dict(i.terms) for _, _, i in rows]
        for upper, lower in permutations(binders, 2):
            (low, high), (least, most) = region.bounds(upper), region.bounds(lower)
            if low is None or high is None or least is None or most is None or upper not in live or lower not in live:
                continue
            n = most - least + 1
            if all(row.get(upper, 0) == n * row.get(lower, 0) for row in coefficients):
                name = binder(1 + self._level(binders, rows), 0)
                quotient = (only(name) - least) // n
                kept = (*(w for w in binders if w is not upper and w is not lower), name)
                where = self.regions.meet(
                    self.regions.project(region, [upper, lower]),
                    self.regions.interval(name, n * low + least, n * high + most),
                )
                return kept, where, {upper: quotient, lower: only(name) - quotient * n}, 1, None
        return None

    def _shift(
        self,
        binders: tuple[Variable, ...],
        region: Region,
        rows: frozenset[Row],
        live: frozenset[Variable],
    ) -> Step | None:
        outer = live - frozenset(binders)
        for v in binders:
            places: list[tuple[str, int, int, int, Index, int]] = []
            for tensor, n, value in rows:
                c = dict(value.terms).get(v, 0)
                if not c or not tensor:
                    continue
                rest = value - only(v) * c
                free = self.facets.free(rest)
                if not free <= outer:
                    continue
                places.append((tensor, n, abs(c), rest.constant, rest, c))
            if not places:
                continue
            place = min(places, key=lambda p: (*p[:4], p[4].number))
            rest, c = place[4], place[5]
            if abs(c) == 1:
                if rest is not index(0) or c < 0:
                    return binders, region, {v: (only(v) - rest) * c}, 1, None
            elif (by := (rest.constant // c if c > 0 else -(rest.constant // -c))) != 0:
                return binders, region, {v: only(v) - by}, 1, None
        return None

    def _named(
        self, binders: tuple[Variable, ...], region: Region, factors: list[tuple[Scalar, Fraction]]
    ) -> tuple[tuple[Variable, ...], Region, tuple[tuple[Scalar, Fraction], ...] | None]:
        """Binders in canonical order with canonical names; None for the factors if a renaming changed their kind."""
        if not binders:
            return (), region, tuple(sorted(factors, key=lambda t: t[0].number))
        outer = frozenset[Variable]().union(
            *(self.facets.free(a) for a, _ in factors), *map(self.facets.free, region.dims)
        )
        taken = {height(v) for v in outer - frozenset(binders)}
        level = 1 + max((self.facets.inner(a) for a, _ in factors), default=-1)
        while level in taken:
            level += 1
        signs = {v: self._occurrences(v, region, factors) for v in binders}
        ordered = sorted(binders, key=lambda v: signs[v])
        groups = [list(g) for _, g in groupby(ordered, key=lambda v: signs[v])]
        best: tuple[Any, tuple[Variable, ...], Region, tuple[tuple[Scalar, Fraction], ...]] | None = None
        names = tuple(binder(level, n) for n in range(len(binders)))
        for count, arrangement in enumerate(product(*(permutations(g) for g in groups))):
            if count >= TIES:
                break
            order = [v for group in arrangement for v in group]
            change: dict[Atom, Index] = {v: only(w) for v, w in zip(order, names, strict=True) if v is not w}
            renamed, polys = self.changed(factors, change)
            if polys:
                return tuple(names[order.index(v)] for v in binders), region, None
            found = tuple(sorted(renamed.items(), key=lambda t: t[0].number))
            where = self.region_with(region, change)
            rank = ([(a.number, e) for a, e in found], where.number)
            if best is None or rank < best[0]:
                best = rank, names, where, found
        assert best is not None
        return best[1:]

    def _occurrences(self, v: Variable, region: Region, factors: list[tuple[Scalar, Fraction]]) -> Any:
        """Where a binder occurs, as a key of order that does not depend on names of binders."""
        found: list[Any] = []
        for atom, e in factors:
            if v in self.facets.free(atom):
                rows = [
                    (tensor, n, c, i.constant, len(i.terms))
                    for tensor, n, i in self.facets.rows(atom)
                    if (c := dict(i.terms).get(v, 0))
                ]
                found.append((type(atom).__name__, self.facets.shape(atom), e, sorted(rows)))
        low, high = region.bounds(v)
        return sorted(found), low or 0, high or 0

    def extremum(self, kind: str, binders: Sequence[Variable], region: Region, keep: Poly, body: Poly) -> Poly:
        """A number, which is positive, is a factor of a maximum; a binder that does not occur is an exponent of a
        product."""
        names = tuple(binders)
        for _ in range(DEEPEST if kind in ("max", "product") else 0):
            wrapped = {Apply("keep", (keep,)): ONE, Apply("body", (body,)): ONE}
            step = self._step(names, region, wrapped)
            if step is None:
                break
            names, region, change, times, within = step
            region = self.region_with(region, change)
            region = region if within is None else self.regions.meet(region, within)
            keep, body = self.substituted(keep, change), self.substituted(body, change)
            if kind == "product":
                body = self.power(body, times)
            if not names:
                guard = self.guard(region)
                return body if kind == "max" else self.add(self.mul(guard, body), self.complement(guard))
        if kind == "product" and self.unroll and (ways := self._few(names, region)) is not None:
            total = self.one
            for way in ways:
                total = self.mul(total, self.substituted(body, dict(zip(names, way, strict=True))))
            return total
        c = abs(self.lead(body)) if kind == "max" and body.terms else ONE
        body = self.scale(body, 1 / c)
        names, where, named = self._named(names, region, [(Apply("keep", (keep,)), ONE), (Apply("body", (body,)), ONE)])
        assert named is not None
        inside = {a.function: a.operands[0] for a, _ in named if isinstance(a, Apply)}
        return self.scale(self.atom(Extremum(kind, names, where, inside["keep"], inside["body"])), c)

    def _few(self, binders: Sequence[Variable], region: Region) -> list[tuple[Index, ...]] | None:
        """The values of binders whose region is a box of few; None if it is none."""
        bounds = [region.bounds(v) for v in binders]
        if region.box is None or set(region.dims) != set(binders) or (volume(region, binders) or STRIDED + 1) > STRIDED:
            return None
        return list(product(*(map(index, range(low or 0, (high or 0) + 1)) for low, high in bounds)))

    def reduce_sum(self, variables: Sequence[Variable], poly: Poly) -> Poly:
        """The sum over all values of variables."""
        total: Products = {}
        for monomial, c in poly.terms:
            inner, region, factors, polys = self.opened(monomial, variables)
            beside = (*inner, *factors, *polys, *region.dims)
            level = 1 + max(map(self.facets.top, beside), default=-1)
            names = tuple(binder(level, n) for n in range(len(variables)))
            change: dict[Atom, Index] = dict(zip(variables, map(only, names), strict=True))
            for name, v in zip(names, variables, strict=True):
                region = self.regions.meet(
                    self.region_with(region, change), self.regions.interval(name, 0, v.extent - 1)
                )
            atoms, more = self.changed(factors.items(), change)
            polys = (*(self.substituted(p, change) for p in polys), *more)
            self.assemble((*inner, *names), region, atoms, polys, c, total)
        return self.total(total)
