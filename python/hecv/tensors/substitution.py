"""Substitution of index variables in terms, and the variables and leaves of terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from hecv.tensors.comprehension import (
    Apply,
    Compare,
    Read,
    Real,
    Reduce,
    Scalar,
    Select,
    compare,
    position,
    real,
    select,
)
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
    Term,
    Variable,
    at_least_zero,
    both,
    fresh,
    index,
    linear,
    negate,
)


def parts(term: Term) -> tuple[Term, ...]:
    """The terms that `term` is made of; of a reduction, its body and not its variables."""
    match term:
        case Index():
            return tuple(a for a, _ in term.terms)
        case Quotient():
            return (term.dividend,)
        case Position():
            return (term.scalar,)
        case Real() | AtLeastZero():
            return (term.index,)
        case Read():
            return term.indices
        case Apply():
            return term.operands
        case Reduce():
            return (term.body,)
        case Select():
            return (term.condition, term.yes, term.no)
        case Compare():
            return (term.left, term.right)
        case Not():
            return (term.condition,)
        case All():
            return term.conditions
        case _:
            return ()


def rebuilt(term: Term, made: Sequence[Any]) -> Term:
    """A term like `term`, of other `parts`; reductions and indices are not made so."""
    match term:
        case Real():
            return real(made[0])
        case Read():
            return Read(term.tensor, tuple(made))
        case Apply():
            return Apply(term.function, tuple(made))
        case Select():
            return select(*made)
        case AtLeastZero():
            return at_least_zero(made[0])
        case Compare():
            return compare(term.relation, *made)
        case Not():
            return negate(made[0])
        case All():
            return both(*made)
        case _:
            return term


def free_variables(term: Term, memo: dict[Term, frozenset[Variable]] | None = None) -> frozenset[Variable]:
    """The index variables that are free in a term. `memo` may be kept between calls."""
    found = {} if memo is None else memo

    def visit(t: Term) -> frozenset[Variable]:
        known = found.get(t)
        if known is None:
            known = frozenset[Variable]((t,) if isinstance(t, Variable) else ()).union(*map(visit, parts(t)))
            found[t] = known = known - frozenset(t.variables) if isinstance(t, Reduce) else known
        return known

    return visit(term)


def subterms(*terms: Term) -> list[Term]:
    """All terms that these are made of, each once, in the order in which they occur."""
    found: dict[Term, None] = {}

    def visit(t: Term) -> None:
        if t not in found:
            found[t] = None
            for part in parts(t):
                visit(part)

    for term in terms:
        visit(term)
    return list(found)


Namer = Callable[[int, int, int], Index]
"""The variable for the reduction at a height (reductions inside it are lower), at a place of it, with an extent."""


class Rewriter:
    """A copy of terms in which variables are replaced by indices, and leaves by other names."""

    def __init__(
        self,
        variables: Mapping[Variable, Index],
        leaf: Callable[[str], str] = lambda name: name,
        bound: Namer | None = None,
    ) -> None:
        self.variables = dict(variables)
        self.leaf = leaf
        self.bound = bound
        """Names of variables of reductions, if all get one; without it those alone get one that would capture."""
        self.memo: dict[Term, Term] = {}
        self.free: dict[Term, frozenset[Variable]] = {}
        self.heights: dict[Term, int] = {}

    def scalar(self, term: Scalar) -> Scalar:
        return cast(Scalar, self._rewrite(term))

    def index(self, value: Index) -> Index:
        return cast(Index, self._rewrite(value))

    def condition(self, condition: Condition) -> Condition:
        return cast(Condition, self._rewrite(condition))

    def _rewrite(self, term: Term) -> Term:
        found = self.memo.get(term)
        if found is None:
            self.memo[term] = found = self._copy(term)
        return found

    def _copy(self, term: Term) -> Term:
        match term:
            case Index():
                total = linear(term.constant, ())
                for atom, c in term.terms:
                    total += self._atom(atom) * c
                return total
            case Read():
                return Read(self.leaf(term.tensor), tuple(map(self.index, term.indices)))
            case Reduce():
                return self._reduction(term)
            case Select():
                condition = self.condition(term.condition)
                if isinstance(condition, Constant):
                    return self.scalar(term.yes if condition.value else term.no)
                return select(condition, self.scalar(term.yes), self.scalar(term.no))
            case _:
                return rebuilt(term, [self._rewrite(part) for part in parts(term)])

    def _atom(self, atom: Atom) -> Index:
        match atom:
            case Variable():
                found = self.variables.get(atom)
                return index(0) + found if found is not None else linear(0, ((atom, 1),))
            case Quotient():
                return self.index(atom.dividend) // atom.divisor
            case _:
                return position(self.scalar(atom.scalar))

    def _reduction(self, term: Reduce) -> Scalar:
        if self.bound is not None:
            height = self.height(term)
            new = {v: self.bound(height, n, v.extent) for n, v in enumerate(term.variables)}
        else:
            free = free_variables(term, self.free)
            values = [i for v in free if (i := self.variables.get(v)) is not None]
            entering = frozenset[Variable]().union(*(free_variables(i, self.free) for i in values))
            if not entering.intersection(term.variables):
                return Reduce(term.kind, term.variables, self.scalar(term.body))
            new = {v: fresh(v.extent) for v in term.variables}
        variables = tuple(cast(Variable, i.terms[0][0]) for i in new.values())
        if all(self.variables.setdefault(v, i) is i for v, i in new.items()):
            return Reduce(term.kind, variables, self.scalar(term.body))
        inner = type(self).__new__(type(self))
        inner.__dict__.update(self.__dict__, variables={**self.variables, **new}, memo={})
        return Reduce(term.kind, variables, inner.scalar(term.body))

    def height(self, term: Term) -> int:
        """How many reductions stand inside each other in a term."""
        found = self.heights.get(term)
        if found is None:
            found = isinstance(term, Reduce) + max(map(self.height, parts(term)), default=0)
            self.heights[term] = found
        return found


def substitute(term: Scalar, variables: Mapping[Variable, Index]) -> Scalar:
    """`term` with each of these variables replaced by an index. Variables of reductions are renamed where the indices
    contain them."""
    return Rewriter(variables).scalar(term)
