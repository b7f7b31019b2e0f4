"""The outcome of an op: a value, poison, undefined behaviour, or a value that the language leaves open."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.theory.booleans import any_of, ite, not_
from hecv.base.theory.expression import FALSE, Apply, Bool, Expression, Sort


class Outcome(Struct, frozen=True):
    """What an op does: a total `value`, when that value is poison, and when the op is undefined behaviour."""

    value: Expression
    poison: Bool = FALSE
    ub: Bool = FALSE


def outcome(value: Expression | Outcome) -> Outcome:
    """`value` as an outcome; a bare expression is always defined and never poison by itself."""
    return value if isinstance(value, Outcome) else Outcome(value)


def poison_unless(condition: Bool, value: Expression | Outcome) -> Outcome:
    """`value`, but poison where `condition` is false. Of nested conditions the outermost is tested first."""
    whole = outcome(value)
    return replace(whole, poison=any_of(not_(condition), whole.poison))


def undefined_unless(condition: Bool, value: Expression | Outcome) -> Outcome:
    """`value`, but undefined behaviour where `condition` is false. Of nested conditions the outermost is tested
    first."""
    whole = outcome(value)
    return replace(whole, ub=any_of(not_(condition), whole.ub))


def left_open(sort: Sort) -> Expression:
    """A nondeterministic value: an implementation may choose any, so nothing may rest on it. A run stops here."""
    return Apply("left_open", sort, ())


def open_unless(condition: Bool, value: Expression) -> Expression:
    """`value` where `condition` holds, elsewhere a nondeterministic value."""
    return ite(condition, value, left_open(value.sort))


def is_open(expression: Expression) -> bool:
    """True if some part of the expression may be nondeterministic."""
    if not isinstance(expression, Apply):
        return False
    return expression.op == "left_open" or any(map(is_open, expression.args))


def uninterpreted(name: str, sort: Sort, *operands: Expression) -> Expression:
    """An uninterpreted function: only congruence is known of it. A run uses an implementation of it."""
    return Apply("uninterpreted", sort, operands, name=name)
