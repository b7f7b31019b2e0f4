"""Proofs that two comprehensions are equal over the reals, for all values of their leaves.

Both are brought to normal form in the same way, first by the laws that hold as they stand, then in more ways: powers
multiplied out, small reductions unrolled, literals compared with a tolerance, large negative literals as -inf. The last
two are assumptions. A proof says which assumptions were made and how often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import count
from time import thread_time
from typing import Final, cast

import islpy as isl
from msgspec.structs import replace

from hecv.tensors.algebra.binders import STRIDED
from hecv.tensors.algebra.guard_cases import vanishes_by_cases
from hecv.tensors.algebra.leaf_facts import LeafFacts
from hecv.tensors.algebra.normal_form import Base, Monomial, Poly, all_within, shown
from hecv.tensors.algebra.normaliser import LARGE, SIMPLE, SMALL, Normaliser, Unprovable, Value, Ways
from hecv.tensors.algebra.obligation_cache import ObligationCache, nested, numbered, obligation
from hecv.tensors.algebra.regions import Region
from hecv.tensors.algebra.ring import ONE, Exhausted, Products
from hecv.tensors.algebra.sampling import differ
from hecv.tensors.algebra.verdicts import Assumption, Gap, Limits, Proof
from hecv.tensors.comprehension import Apply, RealLiteral, Reduce, Scalar, Select, scalar
from hecv.tensors.index_terms import Index, Quotient, Variable
from hecv.tensors.substitution import Rewriter, subterms

TOLERANCE: Final = Fraction(1, 10**9)

SHOWN: Final = 3
"""Monomials of each side that a gap shows."""

LONGEST: Final = 256
"""Terms, at most, of a sum that is written out."""

DENOMINATORS: Final = 4
"""Denominators by which a difference is multiplied."""


def prove_equal(
    indices: Sequence[Index],
    left: Scalar,
    right: Scalar,
    facts: LeafFacts | None = None,
    limits: Limits | None = None,
    cache: ObligationCache | None = None,
) -> Proof | Gap:
    """Whether both terms are equal for all values of the index variables (below their extents) and of the leaves.

    Terms are functions of `indices`, each of which is one variable, or 0 for a dimension of size 1. With a cache, an
    obligation that differs from an earlier one only in the names of leaves and variables is looked up.
    """
    known, allowed = facts or LeafFacts(), limits or Limits()
    if cache is None:
        return _proved(indices, left, right, known, allowed)
    wanted = obligation(indices, left, right, known)
    found = cache.get(wanted)
    if found is None:
        found = _proved(indices, left, right, known, allowed)
        cache.put(wanted, found)
    return found


def _proved(indices: Sequence[Index], left: Scalar, right: Scalar, known: LeafFacts, allowed: Limits) -> Proof | Gap:
    start = thread_time()
    variables, numbers, (one, other) = _numbered(indices, (left, right))
    first, second = _digits(variables, numbers, (one, other))
    if one is other:
        return Proof((), 1, 0, thread_time() - start)
    gap: Gap | None = None
    powers = False
    for ways in _ways(one, other):
        seconds = allowed.seconds - (thread_time() - start)
        if seconds <= 0:
            break
        if ways.expand and not powers:
            continue
        prover = Normaliser(known, ways, allowed.monomials, seconds)
        found = _attempt(prover, first, second)
        if isinstance(found, Proof):
            return replace(found, seconds=thread_time() - start)
        powers, gap = prover.kept_powers, gap or found
    if gap is None:
        return Gap("budget: no time for a normal form", budget=True)
    if gap.budget or gap.undefined:
        return gap
    return replace(gap, refuted=differ(variables, one, other, known))


def _attempt(prover: Normaliser, left: Scalar, right: Scalar) -> Proof | Gap:
    try:
        gap = _difference(prover, prover.value(left), prover.value(right))
        on_indices = _on_indices(prover, left, right)
    except Unprovable as why:
        return Gap(str(why), undefined=True)
    except (Exhausted, RecursionError, isl.Error):
        return Gap(f"budget: normal forms need more than {prover.spent} monomials or the time allowed", budget=True)
    if gap is not None:
        return gap
    for leaf in sorted(prover.leaves):
        fact = prover.facts.of(leaf)
        if not (fact.finite or fact.boolean or fact.whole or fact.integers):
            prover.used["finite elements", leaf] = 1
    assumptions = tuple(Assumption(kind, subject, n) for (kind, subject), n in sorted(prover.used.items()))
    return Proof(assumptions, prover.boxes, prover.spent, 0.0, on_indices)


def _on_indices(prover: Normaliser, left: Scalar, right: Scalar) -> str:
    """An assumption that was made and that indices and sizes alone make right or wrong; empty if there is none."""
    if any(not prover.regions.disjoint(prover.nothing, region) for region in _domain(prover, left, right)):
        return prover.on_indices or f"nonzero divisor: a sum of nothing where {prover.nothing}"
    return prover.on_indices


def _domain(prover: Normaliser, left: Scalar, right: Scalar) -> list[Region]:
    """Regions beyond which both terms are 0."""
    if not (isinstance(left, Select) and isinstance(right, Select) and left.condition is right.condition):
        return [prover.regions.whole]
    if left.no is not right.no or left.no is not scalar(0):
        return [prover.regions.whole]
    return [monomial.region for monomial, _ in prover.condition(left.condition)[0].terms]


def _difference(prover: Normaliser, left: Value, right: Value) -> Gap | None:
    """None if the values are equal, else the monomials in which they differ."""
    for value in (left, right):
        if value.undefined is not prover.zero:
            return Gap(
                f"a value is undefined (inf - inf, 0 * inf, or never written) where {shown(value.undefined)}",
                undefined=True,
            )
    for sign, one, other in (("-", left.minus, right.minus), ("", left.plus, right.plus)):
        if one is not other:
            return Gap(f"one side is {sign}inf where {shown(one)}, the other one where {shown(other)}")
    infinite = prover.add(left.minus, left.plus)
    finite = prover.complement(infinite)
    one, other = prover.mul(finite, left.poly), prover.mul(finite, right.poly)
    if Apply("reciprocal", (prover.zero,)) in all_within(one, other):
        return Gap("a divisor is 0", undefined=True)
    return None if _is_zero(prover, prover.minus(one, other)) else Gap(_differing(one, other))


def _is_zero(prover: Normaliser, difference: Poly) -> bool:
    """Whether a difference is 0: as it stands, times its denominators, or in each box of the free variables in which
    its guards are decided."""
    if not difference.terms or not _cleared(prover, difference).terms:
        return True
    difference = _written_out(prover, difference)
    if not difference.terms:
        return True
    boxes = prover.boxes_of(difference)
    prover.boxes = max(prover.boxes, len(boxes))
    return all(_vanishes(prover, part) for part in boxes)


def _vanishes(prover: Normaliser, difference: Poly) -> bool:
    """Whether a difference without guards on free variables is 0: as it stands, or by the signs of what it compares."""

    def plainly(part: Poly) -> bool:
        return not _cleared(prover, part).terms

    return plainly(difference) or vanishes_by_cases(prover, difference, plainly)


def _written_out(prover: Normaliser, difference: Poly) -> Poly:
    """The difference with sums written out term by term as long as it gets shorter: one side has a sum where the other
    one has a term for each rank or head."""
    shorter = True
    while difference.terms and shorter:
        shorter = False
        for monomial, v, places in _sums(difference):
            total: Products = {}
            for other, c in difference.terms:
                if other is not monomial:
                    prover.put(total, other, c)
                    continue
                for k in places:
                    region = prover.regions.meet(monomial.region, prover.regions.interval(v, k, k))
                    prover.assemble(monomial.binders, region, dict(monomial.factors), (), c, total)
            found = prover.total(total)
            if len(found.terms) < len(difference.terms):
                difference, shorter = found, True
                break
    return difference


def _sums(difference: Poly) -> Iterator[tuple[Monomial, Variable, range]]:
    """The sums of a difference that have no more terms than it: their monomials, a binder, and its values."""
    for monomial, _ in difference.terms:
        for v in monomial.binders:
            low, high = monomial.region.bounds(v)
            if low is not None and high is not None and high - low < min(LONGEST, len(difference.terms)):
                yield monomial, v, range(low, high + 1)


def _cleared(prover: Normaliser, difference: Poly) -> Poly:
    """The difference times its denominators, which are not 0."""
    for _ in range(DENOMINATORS):
        powers: dict[Scalar, Fraction] = {}
        for monomial, _ in difference.terms:
            for atom, e in monomial.factors:
                if e < 0 and isinstance(atom, Base) and prover.facets.free(atom).isdisjoint(monomial.binders):
                    powers[atom] = min(powers.get(atom, e), e)
        if not powers:
            break
        atom, e = min(powers.items(), key=lambda p: p[0].number)
        total: Products = {}
        for monomial, c in difference.terms:
            factors = dict(monomial.factors)
            factors[atom] = factors.get(atom, Fraction(0)) - e
            prover.assemble(monomial.binders, monomial.region, factors, (), c * ONE, total)
        difference = prover.total(total)
    return difference


def _differing(one: Poly, other: Poly) -> str:
    lines = list[str]()
    for name, own, against in (("left", one, dict(other.terms)), ("right", other, dict(one.terms))):
        apart = [(m, c) for m, c in own.terms if against.get(m) != c]
        for monomial, c in apart[:SHOWN]:
            lines.append(f"{name} alone: {shown(Poly(((monomial, c),)))}")
        if len(apart) > SHOWN:
            lines.append(f"{name} alone: {len(apart) - SHOWN} more")
    return "\n".join(lines)


# Ways to prove


def _ways(left: Scalar, right: Scalar) -> Iterator[Ways]:
    """What is tried, in this order: ways that do not apply to the terms are left out. A tolerance is no assumption
    where it makes no difference, so it stays once it was tried."""
    terms = subterms(left, right)
    numbers = [t.value for t in terms if isinstance(t, RealLiteral) and isinstance(t.value, Fraction)]
    roots = any(isinstance(t, Apply) and t.function in ("sqrt", "pow", "log") for t in terms)
    steps = any(isinstance(t, Quotient) or (isinstance(t, Reduce) and _small(t)) for t in terms)
    ways = [Ways()]
    if roots or any(n.denominator > SIMPLE for n in numbers):
        ways.append(Ways(tolerance=TOLERANCE))
    last = ways[-1]
    if steps:
        ways.append(replace(last, unroll=True))
    if any(n <= LARGE for n in numbers):
        ways.append(replace(last, large_is_infinite=True))
        if steps:
            ways.append(replace(last, large_is_infinite=True, unroll=True))
    for way in ways:
        yield way
        yield replace(way, expand=True)


def _small(term: Reduce) -> bool:
    few = all(v.extent <= STRIDED for v in term.variables)
    return (few and term.kind == "product") or any(v.extent <= SMALL for v in term.variables)


# Free variables


def _numbered(
    indices: Sequence[Index], terms: Sequence[Scalar]
) -> tuple[tuple[Variable, ...], Callable[[int], Index], Sequence[Scalar]]:
    """The terms with free variables numbered in their order, and variables of reductions by their nesting; and more
    numbers for free variables."""
    numbers = count()

    def new(extent: int) -> Index:
        return numbered(next(numbers), extent)

    variables = [cast(Variable, i.terms[0][0]) for i in indices if i.terms]
    change = {v: new(v.extent) for v in variables}
    rewriter = Rewriter(change, bound=nested)
    found = tuple(cast(Variable, change[v].terms[0][0]) for v in variables)
    return found, new, tuple(map(rewriter.scalar, terms))


def _digits(variables: Sequence[Variable], new: Callable[[int], Index], terms: Sequence[Scalar]) -> Sequence[Scalar]:
    """Splits a free variable `i` under `i floordiv r` as `r * h + l`, where r divides the extent."""
    left = list(variables)
    while (found := next(_radixes(left, terms), None)) is not None:
        v, radix = found
        upper, lower = new(v.extent // radix), new(radix)
        left = [w for w in left if w is not v]
        left += [cast(Variable, i.terms[0][0]) for i in (upper, lower)]
        rewriter = Rewriter({v: upper * radix + lower})
        terms = tuple(map(rewriter.scalar, terms))
    return terms


def _radixes(variables: Sequence[Variable], terms: Sequence[Scalar]) -> Iterator[tuple[Variable, int]]:
    for term in subterms(*terms):
        for atom, c in term.dividend.terms if isinstance(term, Quotient) else ():
            if isinstance(atom, Variable) and atom in variables and term.divisor % c == 0:
                radix = term.divisor // abs(c)
                if 1 < radix < atom.extent and atom.extent % radix == 0:
                    yield atom, radix
