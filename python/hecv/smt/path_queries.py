"""Queries about paths: what follows from the conditions under which a path of a program is taken.

Elements of memory that are read at the start of a path are `load` leaves: two of one memory are the same wherever their
subscripts are.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import Final

from msgspec import Struct

from hecv.base.term import Attribute, Term, postorder
from hecv.smt.smtlib import text_of
from hecv.smt.term_encoding import Encoded, Encoder
from hecv.smt.term_refinement import same
from hecv.smt.z3_theory import Z3, Truth, Unencodable

_TRUE: Final = 1
"""The i1 that is true."""


class Premises(Struct, frozen=True):
    """What is known: i1 terms that are true and not poison (`held`), whose total value is true (`taken`), terms whose
    operators are defined, and operators that do not overflow: not poison where their operands are not (`exact`)."""

    held: tuple[Term, ...]
    taken: tuple[Term, ...]
    defined: tuple[Term, ...]
    exact: tuple[Term, ...]

    def roots(self) -> tuple[Term, ...]:
        """All of these terms."""
        return (*self.held, *self.taken, *self.defined, *self.exact)


class Holds(Struct, frozen=True):
    """An i1 term is true, and not poison."""

    term: Term


class Defined(Struct, frozen=True):
    """Each operator of a term is defined."""

    term: Term


class Proper(Struct, frozen=True):
    """A term is not poison."""

    term: Term


class Refines(Struct, frozen=True):
    """Where `source` is not poison, `target` is not either, and has its value."""

    source: Term
    target: Term


class Never(Struct, frozen=True):
    """The path is not taken."""


Claim = Holds | Defined | Proper | Refines | Never


def query(premises: Premises, claim: Claim, index_width: int) -> str | None:
    """The query whether a claim may fail where the premises hold; None if a term has no form in Z3."""
    encoder = Encoder(index_width)
    asked = _terms(claim)
    try:
        undefined = [found.ub for found in encoder.terms(premises.defined)]
        defined = [t for t, ub in zip(premises.defined, undefined, strict=True) if not ub.eq(encoder.false)]
        given = (*premises.held, *premises.taken, *premises.exact, *defined)
        loads = [t for t in postorder((*given, *asked)) if t.op == "load" and t.args]
        operands = chain.from_iterable(t.args for t in (*loads, *premises.exact))
        roots = (*given, *asked, *loads, *operands)
        made = {root.id: found for root, found in zip(roots, encoder.terms(roots), strict=True)}
    except Unencodable:
        return None
    known = [
        *[_holds(encoder, made[t.id]) for t in premises.held],
        *[made[t.id].value == _TRUE for t in premises.taken],
        *[encoder.not_(made[t.id].ub) for t in (*premises.held, *defined)],
        *[
            encoder.any_of(*(made[a.id].poison for a in t.args), encoder.not_(made[t.id].poison))
            for t in premises.exact
        ],
        *_one_memory(encoder, loads, made),
    ]
    return text_of(encoder, Z3.Implies(encoder.all_of(*known), _claimed(encoder, claim, made)))


def _terms(claim: Claim) -> tuple[Term, ...]:
    match claim:
        case Refines(source, target):
            return source, target
        case Never():
            return ()
        case _:
            return (claim.term,)


def _claimed(encoder: Encoder, claim: Claim, made: dict[int, Encoded]) -> Truth:
    match claim:
        case Holds(term):
            return encoder.all_of(_holds(encoder, made[term.id]), encoder.not_(made[term.id].ub))
        case Defined(term):
            return encoder.not_(made[term.id].ub)
        case Proper(term):
            return encoder.not_(made[term.id].poison)
        case Refines(source, target):
            one, other = made[source.id], made[target.id]
            return encoder.any_of(one.poison, encoder.all_of(encoder.not_(other.poison), same(one, other)))
        case Never():
            return encoder.false


def _holds(encoder: Encoder, found: Encoded) -> Truth:
    return encoder.all_of(encoder.not_(found.poison), found.value == _TRUE)


def _one_memory(encoder: Encoder, loads: list[Term], made: dict[int, Encoded]) -> list[Truth]:
    """That loads of one memory at one place read one element."""
    groups: dict[tuple[tuple[str, Attribute], ...], list[Term]] = {}
    for load in loads:
        groups.setdefault(load.attrs, []).append(load)
    found: list[Truth] = []
    for group in groups.values():
        for one, other in combinations(group, 2):
            places = [made[a.id].value == made[b.id].value for a, b in zip(one.args, other.args, strict=True)]
            first, second = made[one.id], made[other.id]
            alike = encoder.all_of(first.value == second.value, first.poison == second.poison)
            found.append(Z3.Implies(encoder.all_of(*places), alike))
    return found
