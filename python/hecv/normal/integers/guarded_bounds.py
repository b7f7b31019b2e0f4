"""Bounds of integer terms where some terms have narrower ones: by the guard of a branch, or as a loop carries them.

In `t >= m ? t - m : t` the first choice has the bounds that it has where `t >= m`, the other those where `t < m`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hecv.base.term import Term, literal
from hecv.base.types import IndexType, IntType
from hecv.ops import facts_about
from hecv.ops.integer_bounds import Bounds, bounds

DEEPEST: Final = 3
"""Choices within choices whose guards are looked at."""

Given = Mapping[Term, Bounds]
"""What is known of some terms."""

_OPPOSITE: Final = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sge": "slt",
    "sle": "sgt",
    "sgt": "sle",
    "ult": "uge",
    "uge": "ult",
    "ule": "ugt",
    "ugt": "ule",
}
_SWAPPED: Final = {"slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"} | {
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}


def meet(one: Bounds, other: Bounds) -> Bounds:
    """What both say. Where they contradict each other, no value is there, and either holds."""
    unsigned = max(one.low, other.low), min(one.high, other.high)
    signed = max(one.least, other.least), min(one.most, other.most)
    try:
        return bounds(one.width, one.zeros | other.zeros, one.ones | other.ones, unsigned, signed)
    except ValueError:
        return one


class GuardedBounds:
    """The bounds of terms where those `given` hold. An `index` has so many bits."""

    def __init__(self, index_width: int, given: Given, depth: int = DEEPEST) -> None:
        self._index_width: Final = index_width
        self.given: Final = given
        self._depth: Final = depth
        self._known: Final[dict[Term, Bounds | None]] = {}

    def of(self, term: Term) -> Bounds | None:
        """The bounds of a term; None if it is no integer. They hold for values that are not poison."""
        waiting = [term]
        while waiting:
            last = waiting[-1]
            below = [] if last in self._known else [a for a in last.args if a not in self._known]
            if below:
                waiting += below
                continue
            waiting.pop()
            if last not in self._known:
                found, given = self._made(last), self.given.get(last)
                self._known[last] = found if found is None or given is None else meet(found, given)
        return self._known[term]

    def under(self, condition: Term, holds: bool) -> GuardedBounds:
        """The bounds where a condition holds, or fails, too."""
        told = dict(self._told(condition, holds))
        given = {**self.given, **{t: meet(b, self.given[t]) if t in self.given else b for t, b in told.items()}}
        return GuardedBounds(self._index_width, given, self._depth - 1) if told else self

    def _width(self, term: Term) -> int:
        if isinstance(term.type, IndexType):
            return self._index_width
        return term.type.width if isinstance(term.type, IntType) else 0

    def _made(self, term: Term) -> Bounds | None:
        width, value = self._width(term), literal(term)
        if not width:
            return None
        if isinstance(value, int):
            value %= 1 << width
            return bounds(width, unsigned=(value, value))
        args = [self._known[a] for a in term.args]
        known = [a for a in args if a is not None]
        transfer = facts_about(term.op).bounds
        if transfer is None or len(known) < len(args):
            return bounds(width)
        if term.op == "arith.select" and self._depth and known[0].exact is None:
            condition, *choices = term.args
            ways = [self.under(condition, holds).of(c) for holds, c in zip((True, False), choices, strict=True)]
            known[1:] = [way for way in ways if way is not None]
        return transfer(term, width, known)

    # Guards

    def _told(self, condition: Term, holds: bool) -> Iterator[tuple[Term, Bounds]]:
        """What a condition says of the terms that it compares."""
        if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
            yield from self._told(condition.args[0], not holds)
        if condition.op == ("arith.andi" if holds else "arith.ori") and len(condition.args) == 2:
            for part in condition.args:
                yield from self._told(part, holds)
        if condition.op != "arith.cmpi":
            return
        one, other = condition.args
        predicate = str(condition.attr("predicate"))
        predicate = predicate if holds else _OPPOSITE[predicate]
        first, second = self.of(one), self.of(other)
        if first is None or second is None:
            return
        if literal(one) is None:
            yield one, meet(first, _compared(predicate, second))
        if literal(other) is None:
            yield other, meet(second, _compared(_SWAPPED.get(predicate, predicate), first))


def _compared(predicate: str, other: Bounds) -> Bounds:
    """The bounds of what compares so with a number within bounds."""
    width, half = other.width, 1 << (other.width - 1)
    unsigned, signed = (0, 2 * half - 1), (-half, half - 1)
    match predicate:
        case "eq":
            return other
        case "ult":
            unsigned = 0, other.high - 1
        case "ule":
            unsigned = 0, other.high
        case "ugt":
            unsigned = other.low + 1, 2 * half - 1
        case "uge":
            unsigned = other.low, 2 * half - 1
        case "slt":
            signed = -half, other.most - 1
        case "sle":
            signed = -half, other.most
        case "sgt":
            signed = other.least + 1, half - 1
        case "sge":
            signed = other.least, half - 1
        case _:
            pass
    if unsigned[0] > unsigned[1] or signed[0] > signed[1]:  # it never compares so
        return bounds(width)
    return bounds(width, unsigned=unsigned, signed=signed)
