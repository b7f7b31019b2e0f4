"""Truth values. Their constructors fold (no others do), so that a condition that cannot fail is `TRUE`."""

from __future__ import annotations

from collections.abc import Callable

from hecv.base.theory.expression import BOOL, FALSE, TRUE, Apply, Bits, Bool, Constant, Expression, Variable


def poisoned(operand: Expression) -> Bool:
    """True if the operand is poison. In an `any_of`, this must stand before anything else that reads the operand."""
    proper = not isinstance(operand, Variable) or operand.proper
    return FALSE if proper else Apply("poisoned", BOOL, (operand,))


def not_(condition: Bool) -> Bool:
    """The negation of `condition`."""
    if isinstance(condition, Constant):
        return FALSE if condition.value else TRUE
    if isinstance(condition, Apply) and condition.op == "not_":
        return condition.args[0]
    return Apply("not_", BOOL, (condition,))


def any_of(*conditions: Bool) -> Bool:
    """The disjunction, evaluated from the left: later conditions are not evaluated once one holds."""
    return _connect("any_of", conditions, TRUE)


def all_of(*conditions: Bool) -> Bool:
    """The conjunction, evaluated from the left: later conditions are not evaluated once one fails."""
    return _connect("all_of", conditions, FALSE)


def _connect(op: str, conditions: tuple[Bool, ...], absorbing: Constant) -> Bool:
    kept: list[Bool] = []
    for condition in conditions:
        if not isinstance(condition, Constant):
            kept.append(condition)
        elif condition.value == absorbing.value:
            return absorbing
    if not kept:
        return not_(absorbing)
    return kept[0] if len(kept) == 1 else Apply(op, BOOL, tuple(kept))


def ite(condition: Bool, then: Expression, otherwise: Expression) -> Expression:
    """`then` if `condition` holds, else `otherwise`; only the chosen one is evaluated."""
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    return Apply("ite", then.sort, (condition, then, otherwise))


def compare(op: str, left: Bits, right: Bits, decide: Callable[[Constant, Constant], bool]) -> Bool:
    """The relation `op`, decided at once if both sides are literals."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return TRUE if decide(left, right) else FALSE
    return Apply(op, BOOL, (left, right))


def eq(left: Expression, right: Expression) -> Bool:
    """True if both are the same bit-vector, truth value or integer."""
    return compare("eq", left, right, lambda a, b: a.value == b.value)
