"""Delinearization: subscripts of a flat buffer whose row length is symbolic.

The element at position `n*i + j`, with rows of length `n`, is the one at `[i, j]` if `0 <= j < n`. isl cannot derive
that bound: it is claimed here, and `hecv.dataflow.dataflow_proof` proves it wherever the source is defined.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import IndexType
from hecv.program.index import quasi_affine
from hecv.program.index.index_polynomials import Monomial, Polynomial, kept, times


class Claim(Struct, frozen=True):
    """The claim `0 <= rest < length`: a subscript lies within its row."""

    rest: Term
    length: Term


class _Stays(Exception):
    """The term is more than sums, products and divisions by a length, or may be poison, which must not cancel."""


class Rows(Struct):
    """Divides subscripts by symbolic row lengths: `(n*i + j) floordiv n` is `i`. `claims` collects what that rests on.

    With `plain`, divides only sums of which some summand is a multiple of the row length: `i floordiv n` alone gives no
    evidence of rows.
    """

    pool: TermPool
    plain: bool
    claims: list[Claim] = field(default_factory=list[Claim])

    def subscript(self, index: Term) -> Term | None:
        """An index with these divisions carried out; None if there are none or one cannot be carried out."""
        if not any(t.op == "affine.quotient" for t in postorder((index,))):
            return None
        found: dict[int, Polynomial] = {}
        try:
            for node in postorder((index,)):
                found[node.id] = self._polynomial(node, [found[a.id] for a in node.args])
            return self._linear(found[index.id])
        except _Stays:
            return None

    def _polynomial(self, node: Term, args: list[Polynomial]) -> Polynomial:
        match node.op:
            case "const" | "affine.linear" if isinstance(node.type, IndexType):  # no literal within an atom
                form = quasi_affine.linear(node)
                total = Counter[Monomial]({(): form.constant})
                for part, (_, coefficient) in zip(args, form.terms, strict=True):
                    for monomial, count in part.items():
                        total[monomial] += coefficient * count
                return kept(total)
            case "affine.mul":
                return _product(*args)
            case "affine.quotient":
                return self._quotient(*args)
            case _ if quasi_affine.is_proper(node):
                return Counter({(node,): 1})
            case _:
                raise _Stays

    def _quotient(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        """The part of the sum that is a multiple of the divisor, which is one atom; the rest is claimed to lie within a
        row."""
        ((monomial, coefficient),) = divisor.items() if len(divisor) == 1 else (((), 0),)
        if len(monomial) != 1 or coefficient != 1:
            raise _Stays
        length = monomial[0]
        whole, rest = Counter[Monomial](), Counter[Monomial]()
        for term, count in dividend.items():
            if length in term:
                at = term.index(length)
                whole[(*term[:at], *term[at + 1 :])] += count
            else:
                rest[term] += count
        if self.plain and not whole:
            raise _Stays
        self.claims.append(Claim(self._linear(rest), length))
        return kept(whole)

    def _linear(self, polynomial: Polynomial) -> Term:
        if any(len(monomial) > 1 for monomial in polynomial):
            raise _Stays
        parts = tuple((monomial[0], count) for monomial, count in polynomial.items() if monomial)
        return quasi_affine.combine(self.pool, polynomial[()], parts)


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    product = times(left, right)
    if product is None:
        raise _Stays
    return product
