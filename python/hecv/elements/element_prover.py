"""Proof element by element: two functions of known sizes over the reals compute equal elements.

Both are unfolded (`hecv.elements.element_unfolding`), and the terms of each element that the caller sees are brought to
normal form (`hecv.elements.real_field`): equal normal forms are equal numbers wherever each operation of both sides has
a value. That each has a value wherever what the source certainly computes has one is proved apart, also for operands
that a select does not take: divisors and operands of roots and logarithms on both sides are compared with what the
source certainly needs (on inputs where that has no value nothing is claimed), and with expressions that are positive by
their form. Elements for which either is not proved are compared by a case split on signs (`hecv.elements.sign_cases`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.elements.definedness import undefined
from hecv.elements.element_outcome import Budget, Open, Same
from hecv.elements.element_unfolding import NotUnfolded, Output, Unfolded, initial, unfold
from hecv.elements.expression_signs import Signs
from hecv.elements.infinities import MIXED, NotReal
from hecv.elements.real_field import Field
from hecv.elements.real_sums import TooLarge
from hecv.elements.real_terms import Need, Reals, inner_sums
from hecv.elements.sign_cases import Cases
from hecv.program.tree import Function
from hecv.run.evaluation.op_evaluation import Evaluator

LONGEST: Final = (48, 4_000)
"""Limits, tried in turn, on the monomials of a product of sums that is multiplied out."""


def prove(pool: TermPool, functions: tuple[Function, Function], index_width: int, budget: Budget) -> Same | Open:
    """Decides whether the second function refines the first, over the reals.

    Requires: memory arguments do not overlap; neither function is undefined on any input: control flow and accesses are
        the same on all, so a run of the interpreter that finishes shows it.
    """
    evaluator = Evaluator(index_width)
    try:
        first, second = functions
        most = budget.operators
        sides = unfold(pool, first, evaluator, most), unfold(pool, second, evaluator, most)
        outputs = _outputs(pool, functions, sides)
        asserted = sides[0].asserted, sides[1].asserted
    except NotUnfolded as problem:
        return Open(problem.text, problem.statement, long=problem.long)
    found = Open("expressions are too large", long=True)
    for longest in LONGEST:
        try:
            compared = _compare(outputs, asserted, Reals(Field(longest, budget.monomials)))
        except NotReal as problem:
            return Open(problem.text)
        except TooLarge:
            return replace(found, long=True)
        if isinstance(compared, Same):
            return compared
        found = compared
    return found


def _outputs(
    pool: TermPool, functions: tuple[Function, Function], sides: tuple[Unfolded, Unfolded]
) -> list[tuple[Output, Output]]:
    """What each side has in the end in all elements that either writes."""
    first, second = (side.outputs for side in sides)
    found: list[tuple[Output, Output]] = []
    for place in {**first, **second}:
        left = first.get(place) or initial(pool, functions[0], place)
        right = second.get(place) or initial(pool, functions[1], place)
        if left is None or right is None:
            raise NotUnfolded("a result is not written")
        found.append((left, right))
    return found


def _compare(
    outputs: Sequence[tuple[Output, Output]], asserted: tuple[Sequence[Term], Sequence[Term]], reals: Reals
) -> Same | Open:
    closed, left = _by_form(outputs, asserted, reals)
    given, asked = ([*(pair[k].value for pair in outputs), *asserted[k]] for k in (0, 1))
    readable = [t for t in given if t.id in reals.values]
    bad, lacking = _undefined(reals, readable, asserted[0], closed, asserted[1])
    if lacking is not None:
        return Open(f"what the target asserts by `{lacking.op}` may not hold")
    left += [pair for pair in closed if any(x.value.id in bad for x in pair)]
    cases = Cases(reals.algebra)
    back = True
    for a, b in left:
        decided = cases.decide(a.value, b.value)
        if not decided.forward:
            return _open(a, b, bad)
        back = back and decided.back
    one_way = _one_way(reals, asked, closed, asserted) if back else "it may have no value where the target has one"
    rounded = tuple(f"{literal} for {number}" for literal, number in {**reals.rounded, **cases.rounded}.items())
    return Same(len(outputs), one_way, rounded, reals.infinite or cases.infinite)


def _by_form(
    outputs: Sequence[tuple[Output, Output]], asserted: tuple[Sequence[Term], Sequence[Term]], reals: Reals
) -> tuple[list[tuple[Output, Output]], list[tuple[Output, Output]]]:
    """The pairs of one normal form, and the others."""
    for k in (0, 1):
        inner = inner_sums((*(pair[k].value for pair in outputs), *asserted[k]))
        for term in asserted[k]:
            reals.read_one(term, inner)
        for pair in outputs:
            with suppress(NotReal):
                reals.read_one(pair[k].value, inner)
    same: list[tuple[Output, Output]] = []
    other: list[tuple[Output, Output]] = []
    for a, b in outputs:
        left, right = (reals.values.get(x.value.id, MIXED) for x in (a, b))
        known = MIXED not in (left, right)
        equal = known and (left == right or (min(left, right) >= 0 and reals.algebra.equal(left, right)))
        (same if equal else other).append((a, b))
    return same, other


def _open(source: Output, target: Output, bad: set[int]) -> Open:
    lacking = next((x.value for x in (target, source) if x.value.id in bad), None)
    if lacking is not None:
        return Open(f"`{lacking.op}` may have no value where the source has one")
    text = f"element {source.position} of {source.memory} has two normal forms"
    return Open(text, source.store, target.store)


def _one_way(
    reals: Reals,
    given: Sequence[Term],
    closed: Sequence[tuple[Output, Output]],
    asserted: tuple[Sequence[Term], Sequence[Term]],
) -> str | None:
    """Why the source is not shown to refine the target, whose terms are `given`."""
    readable = [t for t in given if t.id in reals.values]
    bad, lacking = _undefined(reals, readable, asserted[1], closed, asserted[0])
    if lacking is None:
        lacking = next((x.value for pair in closed for x in pair if x.value.id in bad), None)
    return None if lacking is None else f"`{lacking.op}` may have no value where the target has one"


def _undefined(
    reals: Reals,
    given: Sequence[Term],
    true: Sequence[Term],
    closed: Sequence[tuple[Output, Output]],
    asserted: Sequence[Term],
) -> tuple[set[int], Term | None]:
    """The terms of either side that may have no value where all that is given has one, of which some is `true`; and
    what is asserted that may be false."""
    signs = Signs(reals)
    asked = [x.value for pair in closed for x in pair]
    bad = undefined(signs, given, (*asked, *asserted), true)
    wrong = (t for t in asserted if t.id in bad or not signs.holds(Need("true", reals.value(t))))
    return bad, next(wrong, None)
