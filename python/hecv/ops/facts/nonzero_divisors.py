"""Divisors that are nonzero for all values of their leaves: such a division may be speculated."""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, literal
from hecv.ops import facts_about

DEEPEST: Final = 4


def is_safe(term: Term) -> bool:
    """True if the divisor of the division at the root is never zero; it may still be poison, which is undefined."""
    division = facts_about(term.op).division
    return division is not None and not division.signed and is_nonzero(term.args[1])


def is_nonzero(term: Term, depth: int = DEEPEST) -> bool:
    """True if a term is nonzero or poison.

    Example: `%y | 1`, `%y != 0 ? %y : 1`.
    """
    value = literal(term)
    if value is not None or depth == 0:
        return isinstance(value, int) and value != 0
    match term.op:
        case "arith.ori" | "arith.maxui":
            return any(is_nonzero(a, depth - 1) for a in term.args)
        case "arith.select":
            condition, then, otherwise = term.args
            return all(
                _tells(condition, arm, holds) or is_nonzero(arm, depth - 1)
                for arm, holds in ((then, True), (otherwise, False))
            )
        case _:
            return False


def _tells(condition: Term, term: Term, holds: bool) -> bool:
    """True if a condition implies that a term is nonzero, when it evaluates to `holds`."""
    if condition.op != "arith.cmpi" or term not in condition.args:
        return False
    first, second = condition.args
    other = second if first is term else first
    return literal(other) == 0 and condition.attr("predicate") == ("ne" if holds else "eq")
