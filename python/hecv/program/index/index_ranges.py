"""Value ranges of index terms at a place in the tree, from loop bounds and branch conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType, IntType
from hecv.program.index import quasi_affine

MAX_FLOORS = 4
"""Floors of one sum that are bounded separately, at most; each doubles the work."""
MAX_CHOICES = 4
"""Nested `min` and `max` that are split into cases, at most; each doubles the work."""
MOST_ATOMS = 3
"""Atoms of a fact, at most, for it to be used to bound one of them."""


class Facts(Struct, frozen=True):
    """Facts at a place in the tree: linear forms (canonical index terms) that are at least 0 whenever the place is
    reached.

    An `index` has at least `index_width` bits.
    """

    known: tuple[Term, ...] = ()
    index_width: int = 32

    def with_known(self, pool: TermPool, *forms: Term) -> Facts:
        """These facts and `form >= 0` for each of `forms`; a form that is known already adds nothing.

        What is at most `min(a, b)` is at most `a` and at most `b`, which become facts too.
        """
        parts = (part for form in forms for part in (form, *_implied(pool, form, MAX_CHOICES)))
        new = dict.fromkeys(f for f in parts if quasi_affine.linear(f).terms and f not in self.known)
        if not new:
            return self
        known = Facts((*self.known, *new), self.index_width)
        bounds = dict.fromkeys(bound for form in new for bound in known._bounds_of_variables(pool, form))
        return Facts((*known.known, *bounds), self.index_width)

    def _bounds_of_variables(self, pool: TermPool, form: Term) -> Iterator[Term]:
        """Bounds of single variables from a fact about several: from `j >= i` and `i >= 0` follows `j >= 0`."""
        terms = quasi_affine.linear(form).terms
        for atom, factor in terms if 1 < len(terms) <= MOST_ATOMS else ():
            if atom.op not in ("iv", "arg") or not factor:
                continue
            others = quasi_affine.combine(pool, 0, ((form, -1), (atom, factor)))
            least = self.least(pool, quasi_affine.linear(others))
            if least is None:
                continue
            found = quasi_affine.combine(pool, -least, ((atom, factor),))
            bound, known = _single(found, atom, factor < 0), self._bound(pool, atom, factor < 0, MAX_FLOORS)
            if bound is not None and (known is None or (bound < known if factor < 0 else bound > known)):
                yield found

    def nonnegative(self, pool: TermPool, term: Term, choices: int = MAX_CHOICES) -> bool:
        """True if the facts show that the index term is at least 0; False also if that is unknown.

        It is so if a lower bound of the sum is, or of the rest after a fact is subtracted: from `j <= m - 1` and `j >=
        0` follows `m - 1 >= 0`. A `min` or `max` in the sum is one of its operands, and bounded by each.
        """
        if self._plainly_nonnegative(pool, term):
            return True
        for bounded, parts in _choices(pool, term) if choices else ():
            shown = (self.nonnegative(pool, part, choices - 1) for part in parts)
            if any(shown) if bounded else all(shown):
                return True
        return False

    def _plainly_nonnegative(self, pool: TermPool, term: Term, floors: int = MAX_FLOORS) -> bool:
        """True if a lower bound of a sum, from bounds of its parts, is at least 0."""
        form = quasi_affine.linear(term)
        if self._lower_is_nonnegative(pool, term):
            return True
        if any(self._lower_is_nonnegative(pool, rest) for rest in self._without_facts(pool, form)):
            return True
        below = self._below(pool, form) if floors else ()
        return any(self._plainly_nonnegative(pool, part, floors - 1) for part in below)

    def _without_facts(self, pool: TermPool, form: quasi_affine.Linear) -> Iterator[Term]:
        """The rests of a sum after subtracting a fact that cancels one of its atoms; each is at most the sum."""
        coefficients, term = dict(form.terms), quasi_affine.of_linear(pool, form)
        for fact in self.known:
            for factor in _factors(coefficients, fact):
                yield quasi_affine.combine(pool, 0, ((term, 1), (fact, -factor)))

    def fits(self, pool: TermPool, term: Term, width: int) -> bool:
        """True if the facts show that the index term is a signed value of `width` bits."""
        half = 1 << (width - 1)
        above = quasi_affine.combine(pool, half, ((term, 1),))
        below = quasi_affine.combine(pool, half - 1, ((term, -1),))
        return self.nonnegative(pool, above) and self.nonnegative(pool, below)

    def is_index(self, pool: TermPool, term: Term, index_width: int) -> bool:
        """True if the facts show that exact index arithmetic stays in the range of `index` as long as its operands do:
        `-1 - i` is an index for every index `i`."""
        half = 1 << (index_width - 1)
        indices = [a for a in postorder((term,)) if a.op in ("iv", "arg") and isinstance(a.type, IndexType)]
        ranges = (quasi_affine.combine(pool, k, ((a, c),)) for a in indices for k, c in ((half, 1), (half - 1, -1)))
        return self.with_known(pool, *ranges).fits(pool, term, index_width)

    def _lower_is_nonnegative(self, pool: TermPool, term: Term) -> bool:
        least = self.least(pool, quasi_affine.linear(term))
        return least is not None and least >= 0

    def least(self, pool: TermPool, form: quasi_affine.Linear, floors: int = MAX_FLOORS) -> int | None:
        """A lower bound of a linear form; None if none is known."""
        total: int | None = form.constant
        for atom, coefficient in form.terms:
            bound = self._bound(pool, atom, coefficient < 0, floors)
            total = None if bound is None or total is None else total + coefficient * bound
        if total is not None and total >= 0:
            return total
        return max((b for b in (total, self._through_floor(pool, form, floors)) if b is not None), default=None)

    def quotient(self, pool: TermPool, floor: Term) -> int | None:
        """The value of a floor that can have one value only; None otherwise."""
        first, last = (self._own_bound(pool, floor, upper, 1) for upper in (False, True))
        return first if first == last else None

    def _through_floor(self, pool: TermPool, form: quasi_affine.Linear, floors: int) -> int | None:
        """A lower bound of a form after eliminating its floors, by `x - c + 1 <= c * floor(x / c) <= x`."""
        below = self._below(pool, form) if floors else ()
        found = (self.least(pool, quasi_affine.linear(part), floors - 1) for part in below)
        return max((least for least in found if least is not None), default=None)

    def _below(self, pool: TermPool, form: quasi_affine.Linear) -> Iterator[Term]:
        """Sums that are at most a form and have one of its floors less."""
        for atom, coefficient in form.terms:
            if atom.op != "affine.floordiv":
                continue
            whole, divisor = _finer(atom, form) if coefficient < 0 else (atom.args[0], _divisor(atom))
            if coefficient % divisor == 0:
                times = coefficient // divisor
                rest = tuple((a, c) for a, c in form.terms if a is not atom)
                constant = form.constant - max(times, 0) * (divisor - 1)
                yield quasi_affine.combine(pool, constant, (*rest, (whole, times)))

    def _bound(self, pool: TermPool, atom: Term, upper: bool, floors: int) -> int | None:
        """A lower (or with `upper` an upper) bound of an atom."""
        alone = [f for f in self.known if f is atom or (len(f.args) == 1 and f.args[0] is atom)]
        found = [b for f in alone if (b := _single(f, atom, upper)) is not None]
        own = self._own_bound(pool, atom, upper, floors) if floors else None
        if own is not None:
            found.append(own)
        return None if not found else min(found) if upper else max(found)

    def _own_bound(self, pool: TermPool, atom: Term, upper: bool, floors: int) -> int | None:
        match atom.op:
            case "dim":
                return None if upper else 0
            case "affine.floordiv":
                inner = self._side(pool, atom.args[0], upper, floors)
                return None if inner is None else inner // _divisor(atom)
            case "affine.max" | "affine.min":
                sides = [self._side(pool, a, upper, floors) for a in atom.args]
                known = [s for s in sides if s is not None]
                if (atom.op == "affine.min") == upper:  # one operand bounds the result
                    return (min if upper else max)(known, default=None)
                return (max if upper else min)(known) if len(known) == len(sides) else None
            case "affine.quotient":
                # It lies between 0 or -1 and what is divided: what it is divided by is positive.
                inner = self._side(pool, atom.args[0], upper, floors)
                return None if inner is None else (max(inner, -1) if upper else min(inner, 0))
            case "affine.mul":
                return self._bound_of_product(pool, atom, upper, floors)
            case "arith.index_cast" if atom.args[0].op in ("arg", "iv") and isinstance(atom.args[0].type, IntType):
                half = 1 << (atom.args[0].type.width - 1)
                return half - 1 if upper else -half
            case "arith.index_castui" if isinstance(atom.args[0].type, IntType) and quasi_affine.is_proper(atom):
                width = atom.args[0].type.width
                return None if width >= self.index_width else (1 << width) - 1 if upper else 0
            case "arith.remsi":
                return self._bound_of_remainder(pool, atom, upper, floors)
            case _:
                return None

    def _bound_of_remainder(self, pool: TermPool, remainder: Term, upper: bool, floors: int) -> int | None:
        """A bound of a remainder, which has the sign of the dividend."""
        dividend, divisor = remainder.args
        size = literal(divisor)
        # By 1 it is 0, which is simpler to see where the whole is raised.
        most = abs(size) - 1 if isinstance(size, int) and abs(size) > 1 else None
        if not upper:
            least = self._side(pool, dividend, False, floors)
            return 0 if least is not None and least >= 0 else None if most is None else -most
        return most

    def _bound_of_product(self, pool: TermPool, product: Term, upper: bool, floors: int) -> int | None:
        """A bound of a product without negative factors."""
        least = [self._side(pool, a, False, floors) for a in product.args]
        if any(low is None or low < 0 for low in least):
            return None
        bounds = [self._side(pool, a, True, floors) for a in product.args] if upper else least
        known = [b for b in bounds if b is not None]
        return prod(known) if len(known) == len(bounds) else None

    def _side(self, pool: TermPool, term: Term, upper: bool, floors: int) -> int | None:
        """A lower (or with `upper` an upper) bound of an index term."""
        form = quasi_affine.linear(quasi_affine.combine(pool, 0, ((term, -1 if upper else 1),)))
        least = self.least(pool, form, floors - 1)
        if least is None and floors > 1:
            rests = (self.least(pool, quasi_affine.linear(rest), 0) for rest in self._without_facts(pool, form))
            least = max((rest for rest in rests if rest is not None), default=None)
        return None if least is None else -least if upper else least


NOTHING = Facts()
"""No facts."""


def _choices(pool: TermPool, term: Term) -> list[tuple[bool, tuple[Term, ...]]]:
    """For each `min` and `max` in a sum: the sums with each operand in its place, and whether none of them exceeds the
    sum, so that one nonnegative one is enough."""
    form = quasi_affine.linear(term)
    return [
        (
            (atom.op == "affine.min") == (factor < 0),
            tuple(quasi_affine.combine(pool, 0, ((term, 1), (atom, -factor), (part, factor))) for part in atom.args),
        )
        for atom, factor in form.terms
        if atom.op in ("affine.min", "affine.max") and factor
    ]


def _implied(pool: TermPool, form: Term, choices: int) -> Iterator[Term]:
    """Sums that are at least `form`, with an operand in the place of a `min` or `max`."""
    for bounded, parts in _choices(pool, form) if choices else ():
        for part in () if bounded else parts:
            yield part
            yield from _implied(pool, part, choices - 1)


def _factors(coefficients: Mapping[Term, int], fact: Term) -> list[int]:
    """The natural numbers by which a fact can be multiplied so that subtracting it cancels one of its atoms."""
    found = {
        coefficients.get(a, 0) // c for a, c in quasi_affine.linear(fact).terms if c and not coefficients.get(a, 0) % c
    }
    return [f for f in found if f > 0]


def _divisor(floor: Term) -> int:
    divisor = floor.attr("divisor")
    assert isinstance(divisor, int)
    return divisor


def _finer(floor: Term, form: quasi_affine.Linear) -> tuple[Term, int]:
    """A floor in terms of a finer floor of the form, if there is one: `x floordiv 8` is `(x floordiv 4) floordiv 2`;
    otherwise its dividend and divisor."""
    divisor = _divisor(floor)
    for atom, _ in form.terms:
        alike = atom.op == "affine.floordiv" and atom.args == floor.args and atom is not floor
        if alike and divisor % _divisor(atom) == 0:
            return atom, divisor // _divisor(atom)
    return floor.args[0], divisor


def _single(fact: Term, atom: Term, upper: bool) -> int | None:
    """The bound of an atom that a fact about it alone implies: `c*atom + k >= 0` is `atom >= ceil(-k / c)` if `c >
    0`."""
    form = quasi_affine.linear(fact)
    if len(form.terms) != 1 or form.terms[0][0] is not atom:
        return None
    coefficient = form.terms[0][1]
    if coefficient == 0 or (coefficient < 0) != upper:
        return None
    return form.constant // -coefficient if upper else -(form.constant // coefficient)
