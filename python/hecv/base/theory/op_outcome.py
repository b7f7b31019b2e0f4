"""The outcome of an op: a value, poison, undefined behaviour, or a value that the language leaves open."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.theory.booleans import any_of, ite, not_
from hecv.base.theory.expression import FALSE, Apply, Bool, Expression, Sort


class Outcome(Struct, frozen=True):
    """What an op does: a total `value`, where that value is poison, and where the op is undefined behaviour."""

    value: Expression
    poison: Bool = FALSE
    ub: Bool = FALSE


def outcome(value: Expression | Outcome) -> Outcome:
    """`value` as an outcome: always defined where it is a bare expression."""
    return value if isinstance(value, Outcome) else Outcome(value)


def poison_unless(condition: Bool, value: Expression | Outcome) -> Outcome:
    """`value`, poison where `condition` is false; the outermost condition is looked at first."""
    whole = outcome(value)
    return replace(whole, poison=any_of(not_(condition), whole.poison))


def undefined_unless(condition: Bool, value: Expression | Outcome) -> Outcome:
    """`value`, undefined behaviour where `condition` is false; the outermost condition is looked at first."""
    whole = outcome(value)
    return replace(whole, ub=any_of(not_(condition), whole.ub))


def left_open(sort: Sort) -> Expression:
    """A value that is left open: an implementation may choose any, so nothing may rest on it. A run stops here."""
    return Apply("left_open", sort, ())


def open_unless(condition: Bool, value: Expression) -> Expression:
    """`value` where `condition` holds, and left open elsewhere."""
    return ite(condition, value, left_open(value.sort))


def is_open(expression: Expression) -> bool:
    """Whether some part of the expression may be left open."""
    if not isinstance(expression, Apply):
        return False
    return expression.op == "left_open" or any(map(is_open, expression.args))


def uninterpreted(name: str, sort: Sort, *operands: Expression) -> Expression:
    """A function of which nothing is known but that it is one; a run takes an instance of it."""
    return Apply("uninterpreted", sort, operands, name=name)
