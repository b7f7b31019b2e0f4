"""Equality of terms whose float sums and products may be regrouped, or are computed over the reals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hecv.base.term import Term
from hecv.egraph.families import chains
from hecv.egraph.normal import CONGRUENCE
from hecv.egraph.regrouping import FAMILIES, RING, Level, Regrouping
from hecv.egraph.session import Contradiction
from hecv.egraph.terms import Dag

DIVISION = "arith.divf"


@dataclass(frozen=True, slots=True)
class FloatAnswer:
    """Whether two terms are equal wherever the first has a value, and the normal forms that showed it."""

    proved: bool
    rules: Mapping[str, int]


def equal_floats(
    source: Term, target: Term, level: Level, ops: frozenset[str] = RING, index_width: int = 64
) -> FloatAnswer:
    """Whether the two are equal for all values of their leaves, where the order of sums and products, as far as their
    operators are among `ops`, does not matter.

    Over the reals, only leaves count for which no divisor is 0 whose quotient goes into the source's value by
    arithmetic; and the target divides by nothing that may be 0 unless the source divides by it too.

    Requires: both are of one pool, and none of `ops` has fast-math flags.
    """
    dag = Dag.empty()
    roots = (dag.enter(source), dag.enter(target))
    symbols, args = [e.symbol for e in dag.entries], [e.args for e in dag.entries]
    forms = Regrouping(len(symbols), index_width, level, ops)
    needed = set(_divisions(dag, roots[0])) if level == "real" else set[int]()
    try:
        families = {op: family for op, family in FAMILIES[level].items() if op in ops or op not in RING}
        for number, node in chains(symbols, args, set(roots), families):
            if number in needed:
                forms.admit(args[number][1])
            forms.enter(number, node)
    except Contradiction:
        return FloatAnswer(False, {})
    proved = forms.find(roots[0]) == forms.find(roots[1])
    if proved and level == "real":
        ours = {forms.find(args[n][1]) for n in _reachable(dag, roots[0]) if symbols[n].op == DIVISION}
        theirs = [args[n][1] for n in _reachable(dag, roots[1]) if symbols[n].op == DIVISION]
        proved = all(forms.find(n) in ours or forms.is_nonzero(n) for n in theirs)
    return FloatAnswer(proved, {name: count for name, count in forms.uses.items() if name != CONGRUENCE})


def _divisions(dag: Dag, root: int) -> Iterator[int]:
    """The divisions whose quotient goes into a value by sums and products."""
    stack, seen = [root], set[int]()
    while stack:
        number = stack.pop()
        entry = dag.entries[number]
        if number in seen or entry.symbol.op not in RING:
            continue
        seen.add(number)
        if entry.symbol.op == DIVISION:
            yield number
            stack.append(entry.args[0])
        else:
            stack += entry.args


def _reachable(dag: Dag, root: int) -> set[int]:
    stack, seen = [root], set[int]()
    while stack:
        number = stack.pop()
        if number not in seen:
            seen.add(number)
            stack += dag.entries[number].args
    return seen
