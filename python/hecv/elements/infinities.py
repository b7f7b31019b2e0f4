"""Infinite literals beside real numbers, and values without one normal form.

An infinity, as masks have it, may be added to numbers, compared with them and exponentiated: `exp(-inf) = 0`. If a
select that depends on the inputs is between an infinity and something else, the value is `MIXED`, and so is what is
computed from it: nothing is known of it until the select is decided (`hecv.elements.sign_cases`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hecv.base.term import Term
from hecv.elements.real_sums import ONE, ZERO, Sum
from hecv.ops.fastmath_flags import POISONING, flags_of

INFINITE: Final[Sum] = -1
MINUS_INFINITE: Final[Sum] = -2
MIXED: Final[Sum] = -3
CASTS: Final = frozenset({"arith.extf", "arith.truncf", "arith.convertf"})
_OPPOSITE: Final = {INFINITE: MINUS_INFINITE, MINUS_INFINITE: INFINITE}


class NotReal(Exception):
    """Why a term has no meaning over the reals here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text: Final = text


class NoValue(NotReal):
    """A term has no value for any values of its leaves: a difference of infinities, a division by 0."""


def require_flagless(term: Term) -> None:
    """Checks that an infinite operand does not make a term poison.

    Raises: NotReal.
    """
    if flags_of(term.attrs) & POISONING:
        raise NotReal(f"`{term.op}` of an infinity may be poison")


def total(values: Iterable[Sum], chain: Sequence[Term]) -> Sum:
    """The sum of values of which some are no numbers, by all the operators of a chain."""
    for term in chain:
        require_flagless(term)
    found = set(values)
    if MIXED in found:
        return MIXED
    if len(found) > 1:
        raise NoValue(f"`{chain[0].op}` of infinities of both signs")
    return found.pop()


def combined(term: Term, args: list[Sum]) -> Sum:
    """The value of an operator with an operand that is no number.

    Raises: NotReal.
    """
    require_flagless(term)
    if term.op in CASTS:  # an infinity in another format is one
        return args[0]
    if term.op == "arith.select" and args[0] in (ZERO, ONE):
        return args[1] if args[0] == ONE else args[2]
    if MIXED in args or term.op == "arith.select":
        return args[1] if term.op == "arith.select" and args[1] == args[2] else MIXED
    finite = [a for a in args if a >= 0]
    match term.op:
        case "arith.negf":
            return _OPPOSITE[args[0]]
        case "arith.subf":
            return total({*(a for a in args[:1] if a < 0), *(_OPPOSITE[a] for a in args[1:] if a < 0)}, (term,))
        case "arith.maximumf" | "arith.maxnumf":
            return INFINITE if INFINITE in args else finite[0] if finite else MINUS_INFINITE
        case "arith.minimumf" | "arith.minnumf":
            return MINUS_INFINITE if MINUS_INFINITE in args else finite[0] if finite else INFINITE
        case "math.exp" if args[0] == MINUS_INFINITE:
            return ZERO
        case "arith.divf" if args[0] >= 0:
            return ZERO
        case "arith.cmpf":
            order = {MINUS_INFINITE: -1, INFINITE: 1}
            first, second = order.get(args[0], 0), order.get(args[1], 0)
            return truth(str(term.attr("predicate")), first > second, first == second)
        case _:
            raise NotReal(f"`{term.op}` of an infinity")


def truth(predicate: str, above: bool, same: bool) -> Sum:
    """The result of a comparison whose left side is greater (`above`), the same (`same`), or less; none is NaN."""
    below = not above and not same
    holds = {"gt": above, "ge": above or same, "lt": below, "le": below or same, "eq": same, "ne": not same}
    if predicate in ("ord", "true"):
        return ONE
    return ONE if holds.get(predicate[1:], False) and predicate not in ("uno", "false") else ZERO
