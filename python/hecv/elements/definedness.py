"""Definedness over the reals: whether what one side computes has a value wherever the other side has one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hecv.base.term import Term
from hecv.elements.expression_signs import Signs
from hecv.elements.real_sums import ONE, ZERO
from hecv.elements.real_terms import Need, Reals


def evaluated(reals: Reals, roots: Iterable[Term]) -> list[Term]:
    """The terms that the roots' values certainly depend on, whatever is selected, operands first.

    What only one arm of a select needs may have no value where the other arm is taken.
    """
    return _reached(reals, roots, False)


def live(reals: Reals, roots: Iterable[Term]) -> list[Term]:
    """The terms that the roots' values may depend on, operands first; of a decided select only the taken arm."""
    return _reached(reals, roots, True)


def _reached(reals: Reals, roots: Iterable[Term], arms: bool) -> list[Term]:
    seen: set[int] = set()
    order: list[Term] = []
    stack = [(root, False) for root in reversed([*roots])]
    while stack:
        term, ready = stack.pop()
        if ready:
            order.append(term)
        elif term.id not in seen:
            seen.add(term.id)
            stack.append((term, True))
            args = _taken(reals, term, arms) if term.op == "arith.select" else term.args
            stack.extend((a, False) for a in reversed(args) if a.id not in seen)
    return order


def _taken(reals: Reals, select: Term, arms: bool) -> tuple[Term, ...]:
    condition, then, otherwise = select.args
    decided = reals.values.get(condition.id)
    if decided in (ZERO, ONE):
        return condition, then if decided == ONE else otherwise
    return select.args if arms else (condition,)


def undefined(signs: Signs, given: Sequence[Term], asked: Sequence[Term], true: Sequence[Term] = ()) -> set[int]:
    """The terms among `given`, `asked` and their subterms that may have no value, if all that `given` certainly
    computes has one, and the terms in `true` are true; and all terms that depend on them.

    Arms that a select does not take count too, also of what is given. Failing case: where a bit is 0, the sum in which
    `b * (1 / b)` is 1 says nothing of `select(b, 1 / b, 0)`. Nothing is learned of a term that depends on one without a
    value.
    """
    reals = signs.reals
    order = live(reals, (*given, *asked))
    sure, holding = {t.id for t in evaluated(reals, given)}, {t.id for t in true}
    found: set[int] = set()
    while True:
        before, found = found, set[int]()
        for term in order:
            needs = reals.needs.get(term.id, ())
            known = term.id in sure or all(map(signs.holds, needs))
            if not known or any(a.id in found for a in term.args):
                found.add(term.id)
            else:
                _learn(signs, term, needs, term.id in holding)
        if not found or found == before:  # later terms may tell of earlier ones
            return found


def _learn(signs: Signs, term: Term, needs: Iterable[Need], holds: bool) -> None:
    """Says that a term has a value, and perhaps that it is true."""
    for need in needs:
        signs.give(need)
    if term.id in signs.reals.values:
        signs.note(term)
        if holds:
            signs.give(Need("true", signs.reals.value(term)))
