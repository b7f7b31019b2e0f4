"""Normal forms of scalars: sums of products with binders and regions (the sum-product form of SPORES, with guards).

    poly      a sum of monomials with rational coefficients
    monomial  the sum over `binders` in `region` of a product of atoms to rational powers
    atom      a read, an index as a real, a function of polys, a poly as a whole (`Base`), a comparison (`Test`,
              0 or 1), a maximum or product over binders (`Extremum`)

A monomial without binders in a region is guarded: it is 0 outside. Equal normal forms are the same object.
Names of binders are variables with a negative number, which says how deeply they are nested: `binder(h, n)` is the n-th
binder of a monomial inside which all others have a height less than `h`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, cast
from zlib import crc32

from hecv.tensors.algebra.regions import Region
from hecv.tensors.comprehension import Read, Real, Scalar
from hecv.tensors.index_terms import Index, Quotient, Term, Variable, linear
from hecv.tensors.substitution import parts

BINDERS: Final = 64
"""Binders that a monomial may have: the base in which their names are written."""


WIDTH: Final = 400
"""Characters of a term in a report."""


class Binder(Variable):
    """The name of a binder: a variable with a negative number, without extent unless it is a digit of another one."""

    __slots__ = ()

    def text(self) -> str:
        nested, place = divmod(-self.identity - 1, BINDERS)
        return f"k{place}" + "'" * nested


class Monomial(Term):
    """The sum over `binders` in `region` of the product of `factors`, atoms with their exponents."""

    __slots__ = ()
    binders = property(lambda self: cast("tuple[Variable, ...]", self.key[1]))
    region = property(lambda self: cast(Region, self.key[2]))
    factors = property(lambda self: cast("tuple[tuple[Scalar, Fraction], ...]", self.key[3]))

    def text(self) -> str:
        return show_monomial(self, Fraction(1))


class Poly(Scalar):
    """A sum of monomials with coefficients, in the order of their numbers."""

    __slots__ = ()
    terms = property(lambda self: cast("tuple[tuple[Monomial, Fraction], ...]", self.key[1]))

    def text(self) -> str:
        return " + ".join(show_monomial(m, c) for m, c in self.terms) or "0"


class Base(Scalar):
    """A poly as one atom, for its powers."""

    __slots__ = ()
    poly = property(lambda self: cast(Poly, self.key[1]))

    def text(self) -> str:
        return f"({self.poly.text()})"


class Test(Scalar):
    """1 if `poly < 0` (`lt`) or `poly == 0` (`eq`), else 0."""

    __slots__ = ()
    kind = property(lambda self: cast(str, self.key[1]))
    poly = property(lambda self: cast(Poly, self.key[2]))

    def text(self) -> str:
        return f"[{self.poly.text()} {'<' if self.kind == 'lt' else '=='} 0]"


class Extremum(Scalar):
    """`max` or `product` of `body` over the binders in `region` for which `keep` is 1."""

    __slots__ = ()
    kind = property(lambda self: cast(str, self.key[1]))
    binders = property(lambda self: cast("tuple[Variable, ...]", self.key[2]))
    region = property(lambda self: cast(Region, self.key[3]))
    keep = property(lambda self: cast(Poly, self.key[4]))
    body = property(lambda self: cast(Poly, self.key[5]))

    def text(self) -> str:
        where = f", {self.keep.text()}" if self.keep.text() != "1" else ""
        return f"{self.kind}[{_domain(self.binders, self.region)}{where}]({self.body.text()})"


Row = tuple[str, int, Index]
"""An index that occurs: with the tensor that is read and the dimension, or in another place."""


def children(term: Term) -> tuple[Term, ...]:
    """The terms that a term or normal form is made of."""
    match term:
        case Poly():
            return tuple(m for m, _ in term.terms)
        case Monomial():
            return (*term.region.dims, *(a for a, _ in term.factors))
        case Base() | Test():
            return (term.poly,)
        case Extremum():
            return (*term.region.dims, term.keep, term.body)
        case _:
            return parts(term)


def all_within(*terms: Term) -> Iterator[Term]:
    """All terms that these are made of, each once."""
    seen: set[Term] = set()
    waiting = list(terms)
    while waiting:
        term = waiting.pop()
        if term not in seen:
            seen.add(term)
            yield term
            waiting.extend(children(term))


def binder(height: int, place: int, extent: int = 0) -> Variable:
    """The name of a binder; with an extent while it is a digit of another one."""
    return Binder(-(height * BINDERS + place + 1), extent)


def height(variable: Variable) -> int:
    """How deeply a binder is nested; -1 of a variable that is none."""
    return (-variable.identity - 1) // BINDERS if variable.identity < 0 else -1


class Facets:
    """What is asked of normal forms again and again, memoised."""

    def __init__(self) -> None:
        self._free: Final[dict[Term, frozenset[Variable]]] = {}
        self._top: Final[dict[Term, int]] = {}
        self._inner: Final[dict[Term, int]] = {}
        self._rows: Final[dict[Term, frozenset[Row]]] = {}
        self._shape: Final[dict[Term, int]] = {}
        self._quotients: Final[dict[Term, tuple[Quotient, ...]]] = {}

    def free(self, term: Term) -> frozenset[Variable]:
        """The variables that are free in a normal form."""
        found = self._free.get(term)
        if found is None:
            own = (term,) if isinstance(term, Variable) else ()
            found = frozenset[Variable](own).union(*map(self.free, children(term)))
            if isinstance(term, Monomial | Extremum):
                found -= frozenset(term.binders)
            self._free[term] = found
        return found

    def top(self, term: Term) -> int:
        """The greatest height of a binder that occurs, free or bound; -1 if none does."""
        found = self._top.get(term)
        if found is None:
            own = height(term) if isinstance(term, Variable) else -1
            bound = term.binders if isinstance(term, Monomial | Extremum) else ()
            self._top[term] = found = max((own, *map(height, bound), *map(self.top, children(term))))
        return found

    def inner(self, term: Term) -> int:
        """The greatest height of a binder that is bound inside; -1 if none is."""
        found = self._inner.get(term)
        if found is None:
            bound = term.binders if isinstance(term, Monomial | Extremum) else ()
            self._inner[term] = found = max((-1, *map(height, bound), *map(self.inner, children(term))))
        return found

    def rows(self, term: Term) -> frozenset[Row]:
        """All indices that occur."""
        found = self._rows.get(term)
        if found is None:
            own: tuple[Row, ...] = ()
            match term:
                case Read():
                    own = tuple((term.tensor, n, i) for n, i in enumerate(term.indices))
                case Real():
                    own = (("", 0, term.index),)
                case Quotient():
                    own = (("", 0, term.dividend),)
                case Monomial() | Extremum():
                    own = tuple(("", 0, linear(0, ((d, 1),))) for d in term.region.dims)
                case _:
                    pass
            self._rows[term] = found = frozenset(own).union(*map(self.rows, children(term)))
        return found

    def quotients(self, term: Term) -> tuple[Quotient, ...]:
        """All quotients that occur, outermost ones of an index."""
        found = self._quotients.get(term)
        if found is None:
            own = {a for _, _, i in self.rows(term) for a, _ in i.terms if isinstance(a, Quotient)}
            self._quotients[term] = found = tuple(sorted(own, key=lambda q: q.number))
        return found

    def shape(self, term: Term) -> int:
        """A hash that does not depend on the names of variables."""
        found = self._shape.get(term)
        if found is None:
            match term:
                case Variable():
                    found = 1
                case Monomial():
                    factors = sorted((self.shape(a), e) for a, e in term.factors)
                    found = hash((len(term.binders), tuple(factors)))
                case Poly():
                    found = hash(tuple(sorted((self.shape(m), c) for m, c in term.terms)))
                case Index():
                    found = hash((term.constant, tuple(sorted((self.shape(a), c) for a, c in term.terms))))
                case Quotient():
                    found = hash((self.shape(term.dividend), term.divisor))
                case Read():
                    found = hash((crc32(term.tensor.encode()), tuple(map(self.shape, term.indices))))
                case _:
                    plain = tuple(crc32(p.encode()) for p in term.key[1:] if isinstance(p, str))
                    kind = crc32(type(term).__name__.encode())
                    found = hash((kind, plain, tuple(map(self.shape, children(term)))))
            self._shape[term] = found
        return found


def shown(term: Term) -> str:
    """A term as text of at most `WIDTH` characters."""
    text = term.text()
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 4]} ..."


def show_monomial(monomial: Monomial, coefficient: Fraction) -> str:
    """A monomial as text."""
    factors = [a.text() if e == 1 else f"{a.text()}^{_exponent(e)}" for a, e in monomial.factors]
    number = _number(coefficient)
    shown = [*([number] if coefficient != 1 or not factors else []), *factors]
    if monomial.binders:
        return f"sum[{_domain(monomial.binders, monomial.region)}]({' * '.join(shown)})"
    guard = repr(monomial.region)
    return f"[{guard}] * {' * '.join(shown)}" if guard else " * ".join(shown)


def _exponent(value: Fraction) -> str:
    return _number(value) if value > 0 else f"({_number(value)})"


def _number(value: Fraction) -> str:
    return str(value) if value.denominator < 10_000 else f"{float(value):.12g}"


def _domain(binders: tuple[Variable, ...], region: Region) -> str:
    return repr(region) or ", ".join(b.text() for b in binders)
