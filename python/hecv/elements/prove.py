"""Two functions of known sizes over the reals: is each element that the one computes the one that the other computes?

Both are unfolded (`hecv.elements.unfold`), and the terms for each element that the caller sees are brought to normal
form (`hecv.elements.field`): equal normal forms are equal numbers wherever each operation of both sides has a value.
That each has one wherever what the source surely computes has is shown apart, also of what a selection does not take:
what both sides divide by, take roots and logarithms of is compared with what the source surely does, on whose inputs
without a value nothing is claimed, and with what is positive as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.elements.field import Field
from hecv.elements.outcome import Open, Same
from hecv.elements.reals import Need, NotReal, Reals
from hecv.elements.signs import Signs
from hecv.elements.sums import TooLarge
from hecv.elements.unfold import NotUnfolded, Output, Unfolded, initial, unfold
from hecv.execute.evaluate import Evaluator
from hecv.graph.tree import Function

LONGEST: Final = (48, 4_000)
"""Products of sums with more monomials than this are not multiplied out: tried in turn."""


def prove(pool: TermPool, functions: tuple[Function, Function], index_width: int) -> Same | Open:
    """Whether the second function refines the first, over the reals.

    Requires: memory arguments do not overlap; neither function is undefined on any input: control flow and accesses are
    the same on all, so a run of the interpreter that finishes shows it.
    """
    evaluator = Evaluator(index_width)
    try:
        sides = unfold(pool, functions[0], evaluator), unfold(pool, functions[1], evaluator)
        outputs = _outputs(pool, functions, sides)
        asserted = sides[0].asserted, sides[1].asserted
    except NotUnfolded as problem:
        return Open(problem.text, problem.statement)
    found: Same | Open = Open("expressions are too large")
    for longest in LONGEST:
        try:
            found = _compare(outputs, asserted, Reals(Field(longest)))
        except NotReal as problem:
            return Open(problem.text)
        except TooLarge:
            return found
        if isinstance(found, Same):
            return found
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
    firsts, seconds = [a.value for a, _ in outputs], [b.value for _, b in outputs]
    reals.read((*firsts, *asserted[0]))
    reals.read((*seconds, *asserted[1]))
    for a, b in outputs:
        left, right = reals.value(a.value), reals.value(b.value)
        if left != right and (min(left, right) < 0 or not reals.algebra.equal(left, right)):
            text = f"element {a.position} of {a.memory} has two normal forms"
            return Open(text, a.store, b.store)
    sides = _Side(firsts, asserted[0]), _Side(seconds, asserted[1])
    lacking = _undefined(reals, *sides)
    if lacking is not None:
        return Open(f"`{lacking.op}` may have no value where the source has one")
    back = _undefined(reals, *sides[::-1])
    one_way = None if back is None else f"`{back.op}` may have no value where the target has one"
    rounded = tuple(f"{literal} for {number}" for literal, number in reals.rounded.items())
    return Same(len(outputs), one_way, rounded, reals.infinite)


@dataclass(frozen=True, slots=True)
class _Side:
    """What a function computes, and what it asserts."""

    values: Sequence[Term]
    asserted: Sequence[Term]


def _undefined(reals: Reals, given: _Side, asked: _Side) -> Term | None:
    """A term of either side that may have no value, or one of `asked` that may not be true though it is asserted, where
    all that `given` surely computes have one; None where there is none.

    What a selection of `given` does not take counts: where a bit is 0, the sum in which `b * (1 / b)` is 1 says
    nothing of `select(b, 1 / b, 0)`.
    """
    signs = Signs(reals)
    for term in given.asserted:
        signs.give(Need("true", reals.value(term)))
    for term in _evaluated((*given.values, *given.asserted)):
        for need in reals.needs.get(term.id, ()):
            signs.give(need)
        if term.id in reals.values:
            signs.note(term)
    for term in postorder((*given.values, *given.asserted, *asked.values, *asked.asserted)):
        if any(not signs.holds(need) for need in reals.needs.get(term.id, ())):
            return term
        if term.id in reals.values:
            signs.note(term)
    return next((t for t in asked.asserted if not signs.holds(Need("true", reals.value(t)))), None)


def _evaluated(roots: Sequence[Term]) -> list[Term]:
    """The terms on whose values those of the roots depend, whatever is selected, operands first.

    What only a branch of a selection needs may have no value where the other branch is taken.
    """
    seen: set[int] = set()
    order: list[Term] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        term, ready = stack.pop()
        if ready:
            order.append(term)
        elif term.id not in seen:
            seen.add(term.id)
            stack.append((term, True))
            args = term.args[:1] if term.op == "arith.select" else term.args
            stack.extend((a, False) for a in reversed(args) if a.id not in seen)
    return order
