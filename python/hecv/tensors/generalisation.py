"""Terms that differ only in numbers that grow by the same from one to the next, as one term in an index variable
(anti-unification, Plotkin 1970): what rank 0, 1, 2, ... compute as what rank r computes.

A join of the parts of many ranks is then as long as that of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, cast

from hecv.tensors.comprehension import (
    Apply,
    Compare,
    Comprehension,
    Read,
    Real,
    RealLiteral,
    Reduce,
    Scalar,
    Select,
    position,
    real,
)
from hecv.tensors.index_terms import (
    All,
    AtLeastZero,
    Atom,
    Index,
    Not,
    Quotient,
    Size,
    Term,
    Variable,
    fresh,
    index,
    linear,
)
from hecv.tensors.substitution import free_variables, parts, rebuilt, substitute

FEWEST: Final = 4
"""Parts, at least, that are joined as one term: two and three are as short written out, and any two numbers grow."""


def concatenated(parts: Sequence[Comprehension], axis: int, at: Sequence[Index]) -> Scalar | None:
    """An element of the concatenation of these parts, as one of the part whose number is the quotient of the index by
    the size of a part; None if they are few, not alike, or of a symbolic size."""
    if len(parts) < FEWEST or any(p.shape != parts[0].shape or p.element != parts[0].element for p in parts):
        return None
    size = parts[0].shape[axis]
    if isinstance(size, Size) or not size:  # which part it is is a quotient by the size
        return None
    number = at[axis] // size
    place = (*at[:axis], at[axis] - number * size, *at[axis + 1 :])
    if not number.terms and 0 <= number.constant < len(parts):
        return parts[number.constant][place]
    rank = fresh(len(parts))
    found = generalised([p[place] for p in parts], rank)
    return None if found is None else substitute(found, {_variable(rank): number})


def reduced(kind: str, terms: Sequence[Scalar]) -> Scalar | None:
    """The sum, product, maximum or minimum of these terms as a reduction over their number; None if they are few, or
    not alike."""
    if len(terms) < FEWEST:
        return None
    rank = fresh(len(terms))
    found = generalised(terms, rank)
    return None if found is None else Reduce(kind, (_variable(rank),), found)


def generalised(terms: Sequence[Scalar], number: Index) -> Scalar | None:
    """A term whose value for `number` k is the k-th of these terms; None if they are not alike. `number` is a variable
    that these terms do not have."""
    try:
        return cast(Scalar, _Generalisation(number).of(tuple(terms)))
    except _Apart:
        return None


class _Apart(Exception):
    """Two terms differ in more than numbers that grow evenly."""


def _variable(number: Index) -> Variable:
    return cast(Variable, number.terms[0][0])


class _Generalisation:
    def __init__(self, number: Index) -> None:
        self._number: Final = number
        self._known: Final[dict[tuple[Term, ...], Term]] = {}
        self._bound: Final[dict[tuple[Term, ...], Index]] = {}
        self._renamed: Final[set[Term]] = set()
        self._free: Final[dict[Term, frozenset[Variable]]] = {}

    def of(self, terms: tuple[Term, ...]) -> Term:
        """Raises: _Apart."""
        found = self._known.get(terms)
        if found is None:
            first = terms[0]
            same = all(t is first for t in terms) and self._renamed.isdisjoint(free_variables(first, self._free))
            found = self._known[terms] = first if same else self._made(terms)
        return found

    def _made(self, terms: tuple[Term, ...]) -> Term:
        first = terms[0]
        numbers = [_number_of(t) for t in terms]
        if all(n is not None for n in numbers) and isinstance(first, Scalar):
            return real(self._index(cast("list[Index]", numbers)))
        if any(type(t) is not type(first) for t in terms):
            raise _Apart
        match first:
            case Index():
                return self._index(cast("tuple[Index, ...]", terms))
            case Reduce():
                return self._reduction(cast("tuple[Reduce, ...]", terms))
            case Read() | Apply() | Compare() if any(t.key[1] != first.key[1] for t in terms):
                raise _Apart
            case Read() | Apply() | Compare() | Select() | AtLeastZero() | Not() | All():
                return rebuilt(first, self._each([parts(t) for t in terms]))
            case _:
                raise _Apart

    def _each(self, parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        if any(len(p) != len(parts[0]) for p in parts):
            raise _Apart
        return tuple(self.of(column) for column in zip(*parts, strict=True))

    def _index(self, terms: Sequence[Index]) -> Index:
        total = self._grown([t.constant for t in terms])
        if any(len(t.terms) != len(terms[0].terms) for t in terms):
            raise _Apart
        for k, (_, factor) in enumerate(terms[0].terms):
            if any(t.terms[k][1] != factor for t in terms):
                raise _Apart
            total += self._atom(tuple(t.terms[k][0] for t in terms)) * factor
        return total

    def _grown(self, numbers: Sequence[int]) -> Index:
        """A number that grows evenly, in `number`."""
        step = numbers[1] - numbers[0]
        if any(n != numbers[0] + k * step for k, n in enumerate(numbers)):
            raise _Apart
        return self._number * step + numbers[0]

    def _atom(self, atoms: tuple[Atom, ...]) -> Index:
        first = atoms[0]
        if atoms in self._bound:
            return self._bound[atoms]
        if any(type(a) is not type(first) for a in atoms):
            raise _Apart
        match first:
            case Variable():
                if any(a is not first for a in atoms) or first in self._renamed:
                    raise _Apart
                return linear(0, ((first, 1),))
            case Quotient():
                if any(a.key[2] != first.divisor for a in atoms):
                    raise _Apart
                return cast(Index, self.of(tuple(a.key[1] for a in atoms))) // first.divisor
            case _:
                return position(cast(Scalar, self.of(tuple(a.key[1] for a in atoms))))

    def _reduction(self, terms: tuple[Reduce, ...]) -> Scalar:
        first = terms[0]
        extents = [[v.extent for v in t.variables] for t in terms]
        if any(t.kind != first.kind for t in terms) or any(e != extents[0] for e in extents):
            raise _Apart
        variables = list[Variable]()
        for column in zip(*(t.variables for t in terms), strict=True):
            if all(v is column[0] for v in column) and column[0] not in self._renamed:
                variables.append(column[0])
                continue
            new = self._bound.setdefault(column, fresh(column[0].extent))
            self._renamed.update(column)
            variables.append(_variable(new))
        return Reduce(first.kind, tuple(variables), cast(Scalar, self.of(tuple(t.body for t in terms))))


def _number_of(term: Term) -> Index | None:
    """The index that a term is as a real number; none for another one."""
    if isinstance(term, Real):
        return term.index
    if isinstance(term, RealLiteral) and isinstance(term.value, Fraction) and term.value.denominator == 1:
        return index(int(term.value))
    return None
