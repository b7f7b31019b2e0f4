"""Evaluation of guards and replacements, in Kleene's three-valued logic: None is "unknown".

A guard holds only if it is known to be true. Knowing more about the operands never changes a known answer, so what
holds of a substitution holds of every extension.

Types do not mix: an operator on operands of other types is unknown, and so is `==` between values of different types,
except that integers and floats compare as numbers. Truth values are not numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Protocol

from hecv.patterns.calculus.literal_conditions import holds_of_literals
from hecv.patterns.calculus.literal_conversion import NoInstance, literal_value
from hecv.patterns.calculus.pattern_ast import (
    AttributeOf,
    Build,
    BuildVariable,
    Compute,
    Computed,
    Defined,
    Expression,
    Holds,
    Known,
    Member,
    Replacement,
    Same,
    Value,
)
from hecv.patterns.calculus.quantities import LONGEST
from hecv.patterns.calculus.type_inference import type_of

MANY: Final = -1
"""The arity of `and` and `or`: any number of operands."""


class Lookup(Protocol):
    """What is known of the variables of an expression."""

    def attribute(self, variable: str, path: tuple[str, ...]) -> Value | None:
        """An attribute of a variable's value; None (unknown) for an unbound variable."""
        ...

    def member(self, function: str, family: str) -> bool | None:
        """Whether the operator of a function variable is of this family; None (unknown) for an unbound variable."""
        ...


def evaluate(expression: Expression, lookup: Lookup) -> Value | None:
    """The value of an expression; None if unknown."""
    return run(postfix(expression), lookup)


def holds(guard: Expression, lookup: Lookup) -> bool:
    """Whether the guard is known to be true."""
    return evaluate(guard, lookup) is True


def postfix(expression: Expression) -> tuple[Expression, ...]:
    """The expression and its parts in postfix order: operands first."""
    reversed_: list[Expression] = []
    stack = [expression]
    while stack:
        part = stack.pop()
        reversed_.append(part)
        if isinstance(part, Compute):
            stack.extend(part.args)
    return tuple(reversed(reversed_))


def run(code: tuple[Expression, ...], lookup: Lookup) -> Value | None:
    """The value of the last expression of `code`, in the order of `postfix`."""
    stack: list[Value | None] = []
    for part in code:
        match part:
            case Known(value=value):
                stack.append(value)
            case AttributeOf(variable=variable, path=("literal",)):
                stack.append(None if lookup.attribute(variable, ("value",)) is None else True)
            case AttributeOf(variable=variable, path=path):
                stack.append(lookup.attribute(variable, path))
            case Holds(term=term):
                stack.append(holds_of_literals(term, lookup, evaluate))
            case Defined():
                stack.append(None)
            case Member(function=function, family=family):
                stack.append(lookup.member(function, family))
            case Compute(op=op, args=args):
                first = len(stack) - len(args)
                operands = stack[first:]
                del stack[first:]
                stack.append(compute(op, operands))
    return stack[-1]


def variables(expression: Expression) -> frozenset[str]:
    """The variables whose attributes or families an expression asks for."""
    found: set[str] = set()
    for part in postfix(expression):
        if isinstance(part, AttributeOf):
            found.add(part.variable)
        elif isinstance(part, Member):
            found.add(part.function)
        elif isinstance(part, Holds | Defined):
            found |= needed(part.term)
    return frozenset(found)


def needed(built: Replacement) -> frozenset[str]:
    """The variables that a replacement needs."""
    match built:
        case Same(variable=name):
            return frozenset({name})
        case Computed(value=value):
            return variables(value)
        case Build(args=args, attrs=attrs, type=type_):
            own = [variables(e) for _, e in attrs] + ([] if type_ is None else [variables(type_)])
            return frozenset().union(*own, *map(needed, args))
        case BuildVariable(function=function, args=args):
            return frozenset({function}).union(*map(needed, args))


def arity(op: str) -> int | None:
    """The number of operands of an operator of `Compute`, `MANY` for any number; None if there is no such operator."""
    if op in ("and", "or"):
        return MANY
    if op in _UNARY:
        return 1
    return 2 if op in _BINARY else None


def compute(op: str, operands: list[Value | None]) -> Value | None:
    """The value of an operator of `Compute` on values."""
    if op == "and":
        return _connect(operands, absorbing=False)
    if op == "or":
        return _connect(operands, absorbing=True)
    known = [value for value in operands if value is not None]
    if len(known) < len(operands) or len(operands) != arity(op):
        return None
    try:
        return _UNARY[op](known[0]) if len(known) == 1 else _BINARY[op](known[0], known[1])
    except (OverflowError, ZeroDivisionError):
        return None


# The identity of values


def value_key(value: Value) -> Hashable:
    """A key that is equal exactly for the same value: 1, 1.0 and True are three, 0.0 and -0.0 two, and every NaN is
    one."""
    if isinstance(value, tuple):
        return tuple(value_key(item) for item in value)
    if isinstance(value, float):
        return ("float", value.hex())
    return value if isinstance(value, str) else (type(value).__name__, value)


def same_value(left: Value, right: Value) -> bool:
    """Whether both are the same value, of the same type (see `value_key`)."""
    if type(left) is not type(right):
        return False
    return left == right if isinstance(left, int | str) else value_key(left) == value_key(right)


# Connectives and operators


def _connect(operands: list[Value | None], absorbing: bool) -> bool | None:
    if any(value is absorbing for value in operands):
        return absorbing
    return not absorbing if all(value is (not absorbing) for value in operands) else None


def _integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Value) -> bool:
    return isinstance(value, float) or _integer(value)


def _equal(left: Value, right: Value) -> bool | None:
    if _number(left) and _number(right):
        return left == right
    if type(left) is not type(right):
        return None
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return left == right
    if len(left) != len(right):
        return False
    return _all([_equal(a, b) for a, b in zip(left, right, strict=True)])


def _all(answers: list[bool | None]) -> bool | None:
    if any(answer is False for answer in answers):
        return False
    return None if any(answer is None for answer in answers) else True


def _not(value: Value | None) -> bool | None:
    return not value if isinstance(value, bool) else None


def _numeric(operate: Callable[[int | float, int | float], int | float]) -> Callable[[Value, Value], Value | None]:
    """An operator on two numbers."""

    def applied(left: Value, right: Value) -> Value | None:
        if isinstance(left, bool | str | tuple) or isinstance(right, bool | str | tuple):
            return None
        return operate(left, right)

    return applied


def _bitwise(operate: Callable[[int, int], int]) -> Callable[[Value, Value], Value | None]:
    """An operator on two integers, or on two truth values."""

    def applied(left: Value, right: Value) -> Value | None:
        if not isinstance(left, int) or type(left) is not type(right) or not isinstance(right, int):
            return None
        return operate(left, right)

    return applied


def _plus(left: Value, right: Value) -> Value | None:
    """The sum of numbers, one text or tuple after the other."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    return _numeric(lambda a, b: a + b)(left, right)


def _power(left: Value, right: Value) -> Value | None:
    """Unknown where it is not real, and where the integer would be too long."""
    if isinstance(left, bool | str | tuple) or isinstance(right, bool | str | tuple):
        return None
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > LONGEST:
        return None
    raised = left**right
    return None if isinstance(raised, complex) else raised


def _shift_left(left: Value, right: Value) -> Value | None:
    if isinstance(left, bool) or isinstance(right, bool) or not isinstance(left, int) or not isinstance(right, int):
        return None
    return left << right if 0 <= right <= LONGEST else None


def _shift_right(left: Value, right: Value) -> Value | None:
    if isinstance(left, bool) or isinstance(right, bool) or not isinstance(left, int) or not isinstance(right, int):
        return None
    return left >> right if right >= 0 else None


def _item(left: Value, right: Value) -> Value | None:
    if not isinstance(left, tuple) or isinstance(right, bool) or not isinstance(right, int):
        return None
    return left[right] if -len(left) <= right < len(left) else None


def _in(left: Value, right: Value) -> Value | None:
    if isinstance(left, str) and isinstance(right, str):
        return left in right
    if not isinstance(right, tuple):
        return None
    return _not(_all([_not(_equal(left, item)) for item in right]))


def _extreme(choose: Callable[[int | float, int | float], bool]) -> Callable[[Value, Value], Value | None]:
    """Unknown of NaN, and of two that are equal and not the same."""

    def applied(left: Value, right: Value) -> Value | None:
        if isinstance(left, bool | str | tuple) or isinstance(right, bool | str | tuple):
            return None
        if same_value(left, right):
            return left
        if choose(left, right):
            return left
        return right if choose(right, left) else None

    return applied


def _negate(value: Value) -> Value | None:
    return None if isinstance(value, bool | str | tuple) else -value


def _length(value: Value) -> Value | None:
    return len(value) if isinstance(value, str | tuple) else None


def _is_power_of_two(value: Value) -> Value | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value > 0 and value & (value - 1) == 0


def _log2(value: Value) -> Value | None:
    """The exponent of a power of two, unknown of any other number."""
    return value.bit_length() - 1 if isinstance(value, int) and _is_power_of_two(value) is True else None


def _absolute(value: Value) -> Value | None:
    return None if isinstance(value, bool | str | tuple) else abs(value)


def _wrap(value: Value, type_: Value) -> Value | None:
    """The literal of a type that a number of Python gives: integers modulo `2**width`, signed; floats rounded."""
    known = type_of(type_) if isinstance(type_, str) else None
    if known is None or isinstance(value, str | tuple):
        return None
    try:
        return literal_value(value, known)
    except NoInstance:
        return None


def _differ(left: Value, right: Value) -> Value | None:
    return _not(_equal(left, right))


_UNARY: Final[dict[str, Callable[[Value], Value | None]]] = {
    "not": _not,
    "neg": _negate,
    "len": _length,
    "is_power_of_two": _is_power_of_two,
    "log2": _log2,
    "abs": _absolute,
}

_BINARY: Final[dict[str, Callable[[Value, Value], Value | None]]] = {
    "+": _plus,
    "-": _numeric(lambda a, b: a - b),
    "*": _numeric(lambda a, b: a * b),
    "//": _numeric(lambda a, b: a // b),
    "%": _numeric(lambda a, b: a % b),
    "**": _power,
    "<<": _shift_left,
    ">>": _shift_right,
    "&": _bitwise(lambda a, b: a & b),
    "|": _bitwise(lambda a, b: a | b),
    "^": _bitwise(lambda a, b: a ^ b),
    "/": _numeric(lambda a, b: a / b),
    "item": _item,
    "in": _in,
    "min": _extreme(lambda a, b: a < b),
    "max": _extreme(lambda a, b: a > b),
    "wrap": _wrap,
    "==": _equal,
    "!=": _differ,
    "<": _numeric(lambda a, b: a < b),
    "<=": _numeric(lambda a, b: a <= b),
    ">": _numeric(lambda a, b: a > b),
    ">=": _numeric(lambda a, b: a >= b),
}
