"""Loop rules of users: two nests over named bounds, steps and bodies, and the conditions under which they are equal.

    @loop_rule
    def reversed_loop(a: Bound, b: Bound, S: Body):
        assert in_order()
        return loop(a, b, lambda i: S(i)), loop(0, b - a, lambda k: S(b - 1 - k))

The function is called once, with symbolic parameters. It states the shapes only; each instance is proved where it is
used, by the obligations of the schedule law (`hecv.theorems.user_rules.loop_rule_instances`).
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Literal

Operator = Literal["bound", "number", "iv", "fixed", "+", "-", "*", "//", "%"]
Relation = Literal["==", "!=", "<", "<=", ">", ">="]

MOST_CHOICES: Final = 16
"""The most values tried for a number that the first side does not determine."""


class BadShape(Exception):
    """A problem of a loop rule: its name, what it is, and what to do."""

    def __init__(self, name: str, text: str, hint: str) -> None:
        super().__init__(text)
        self.name: Final = name
        self.text: Final = text
        self.hint: Final = hint


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An affine expression over bounds, numbers and induction variables; a leaf has a `name` or a `value`."""

    op: Operator
    args: tuple[Quantity, ...] = ()
    name: str = ""
    value: int = 0

    def __add__(self, other: Quantity | int) -> Quantity:
        return Quantity("+", (self, quantity(other)))

    def __radd__(self, other: Quantity | int) -> Quantity:
        return quantity(other) + self

    def __sub__(self, other: Quantity | int) -> Quantity:
        return Quantity("-", (self, quantity(other)))

    def __rsub__(self, other: Quantity | int) -> Quantity:
        return quantity(other) - self

    def __neg__(self) -> Quantity:
        return 0 - self

    def __mul__(self, other: Quantity | int) -> Quantity:
        factor = quantity(other)
        if not (_constant(self) or _constant(factor)):
            raise BadShape("not-affine", "a product of two that vary is not affine", "one factor is a number")
        return Quantity("*", (self, factor) if _constant(factor) else (factor, self))

    def __rmul__(self, other: Quantity | int) -> Quantity:
        return self * other

    def __floordiv__(self, other: Quantity | int) -> Quantity:
        return Quantity("//", (self, _divisor(other)))

    def __mod__(self, other: Quantity | int) -> Quantity:
        return Quantity("%", (self, _divisor(other)))

    def __lt__(self, other: Quantity | int) -> Compare:
        return Compare("<", self, quantity(other))

    def __le__(self, other: Quantity | int) -> Compare:
        return Compare("<=", self, quantity(other))

    def __gt__(self, other: Quantity | int) -> Compare:
        return Compare(">", self, quantity(other))

    def __ge__(self, other: Quantity | int) -> Compare:
        return Compare(">=", self, quantity(other))

    def __eq__(self, other: object) -> Compare:  # type: ignore[override]
        return Compare("==", self, quantity(other))

    def __ne__(self, other: object) -> Compare:  # type: ignore[override]
        return Compare("!=", self, quantity(other))

    def __bool__(self) -> bool:
        raise BadShape("no-condition", f"'{text_of(self)}' is no condition", "compare it with something")


class Bound:
    """Annotates a parameter: any index value that is known before the loops."""


class Number:
    """Annotates a parameter: a positive number. A default lists the values to try if no step of the first side
    determines it: `k: Number = (2, 4, 8)`."""


class Body:
    """Annotates a parameter: statements, as a function of induction variables."""


@dataclass(frozen=True, slots=True)
class Compare:
    """A condition over bounds and numbers."""

    relation: Relation
    left: Quantity
    right: Quantity

    def __bool__(self) -> bool:
        return _noted(self)


@dataclass(frozen=True, slots=True)
class Independent:
    """The condition that bodies are independent: of two runs of them, for any values of their variables, none writes
    what the other accesses; for one body, of two runs that differ in a variable."""

    first: str
    second: str

    def __bool__(self) -> bool:
        return _noted(self)


@dataclass(frozen=True, slots=True)
class InOrder:
    """The condition that no dependence is reversed: of two runs of bodies that are in opposite orders on the two sides,
    none writes what the other accesses."""

    def __bool__(self) -> bool:
        return _noted(self)


Condition = Compare | Independent | InOrder


@dataclass(frozen=True, slots=True)
class Use:
    """`S(i, j)`: the body of that name, with these values of its variables."""

    body: str
    values: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """`for iv = max(lowers) to min(uppers) step step` over items."""

    iv: str
    lowers: tuple[Quantity, ...]
    uppers: tuple[Quantity, ...]
    step: Quantity
    items: tuple[Item, ...]


Item = Use | Nest
Side = Item | tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class BodyVariable:
    """The symbolic parameter for a body."""

    name: str

    def __call__(self, *values: Quantity | int) -> Use:
        return Use(self.name, tuple(map(quantity, values)))


@dataclass(frozen=True, slots=True)
class LoopRule:
    """`before` equals `after` if the conditions hold. `bodies` have the number of their variables, `numbers` the values
    to try (none if the first side determines them)."""

    name: str
    bounds: tuple[str, ...]
    numbers: dict[str, tuple[int, ...]]
    bodies: dict[str, int]
    before: tuple[Item, ...] = field(compare=False)
    after: tuple[Item, ...] = field(compare=False)
    conditions: tuple[Condition, ...] = field(compare=False)
    place: str
    why: str = ""


@dataclass(slots=True)
class _Trace:
    """What is noted while the function of a rule runs."""

    conditions: list[Condition] = field(default_factory=list[Condition])
    numbers: Iterator[int] = field(default_factory=count)


_RUNNING: ContextVar[_Trace | None] = ContextVar("loop rule", default=None)


def _running() -> _Trace:
    found = _RUNNING.get()
    if found is None:
        raise BadShape("outside", "loops and conditions stand in the function of a loop rule", "use @loop_rule")
    return found


def _noted(condition: Condition) -> bool:
    _running().conditions.append(condition)
    return True


def quantity(value: object) -> Quantity:
    """A Python number, or an expression, as an expression."""
    if isinstance(value, Quantity):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Quantity("fixed", value=value)
    raise BadShape("no-quantity", f"{value!r} is no bound or number", "write sums of parameters and numbers")


def _constant(value: Quantity) -> bool:
    return value.op in ("fixed", "number") or (bool(value.args) and all(map(_constant, value.args)))


def _divisor(value: Quantity | int) -> Quantity:
    divisor = quantity(value)
    if not _constant(divisor):
        raise BadShape("not-affine", "a division by what varies is not affine", "divide by a number")
    return divisor


def loop(
    lower: Quantity | int | tuple[Quantity | int, ...],
    upper: Quantity | int | tuple[Quantity | int, ...],
    body: Callable[[Quantity], Side],
    *,
    step: Quantity | int = 1,
) -> Nest:
    """The nest `for i = lower to upper step step: body(i)`; of several lower bounds the greatest counts, of several
    upper bounds the least."""
    name = f"i{next(_running().numbers)}"
    iv = Quantity("iv", name=name)
    return Nest(name, _several(lower), _several(upper), quantity(step), _items(body(iv)))


def _several(bounds: Quantity | int | tuple[Quantity | int, ...]) -> tuple[Quantity, ...]:
    return tuple(map(quantity, bounds if isinstance(bounds, tuple) else (bounds,)))


def _items(side: object) -> tuple[Item, ...]:
    items = side if isinstance(side, tuple) else (side,)
    for item in items:
        if not isinstance(item, Use | Nest):
            raise BadShape("no-shape", f"{item!r} is no loop and no body", "write loop(...), S(i), or several of them")
    return items  # type: ignore[return-value]


def independent(first: object, second: object) -> Independent:
    """The condition `Independent` of two bodies."""
    if not isinstance(first, BodyVariable) or not isinstance(second, BodyVariable):
        raise BadShape("no-body", "independent() is about two bodies", "write independent(S, T)")
    return Independent(first.name, second.name)


def in_order() -> InOrder:
    """The condition `InOrder` of the two sides."""
    return InOrder()


# Tracing


def traced(function: Callable[..., object], name: str, place: str) -> LoopRule:
    """The rule that a function states.

    Raises: BadShape.
    """
    _require_straight(function)
    bounds, numbers, bodies, stand_ins = _parameters(function)
    trace = _Trace()
    token = _RUNNING.set(trace)
    try:
        sides = function(*stand_ins)
    finally:
        _RUNNING.reset(token)
    if not isinstance(sides, tuple) or len(sides) != 2:
        raise BadShape("no-sides", "a loop rule returns two sides", "return before, after; several loops as a tuple")
    before, after = map(_items, sides)
    why = " ".join((inspect.getdoc(function) or "").split())
    rule = LoopRule(name, bounds, numbers, {}, before, after, tuple(trace.conditions), place, why)
    arities = _arities((*before, *after), bodies)
    _require_known(rule, arities)
    return LoopRule(name, bounds, numbers, arities, before, after, rule.conditions, place, why)


def _require_straight(function: Callable[..., object]) -> None:
    """Raises: BadShape where a condition is asked otherwise than by `assert`: it would be taken to hold."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.BoolOp | ast.Not | ast.While | ast.Match):
            raise BadShape("branch", "a loop rule has one way through it", "write each condition as assert")


def _parameters(
    function: Callable[..., object],
) -> tuple[tuple[str, ...], dict[str, tuple[int, ...]], tuple[str, ...], list[Quantity | BodyVariable]]:
    bounds: list[str] = []
    numbers: dict[str, tuple[int, ...]] = {}
    bodies: list[str] = []
    stand_ins: list[Quantity | BodyVariable] = []
    for formal in inspect.signature(function).parameters.values():
        kind = getattr(formal.annotation, "__name__", formal.annotation)
        if kind == "Bound":
            bounds.append(formal.name)
            stand_ins.append(Quantity("bound", name=formal.name))
        elif kind == "Number":
            numbers[formal.name] = _choices(formal)
            stand_ins.append(Quantity("number", name=formal.name))
        elif kind == "Body":
            bodies.append(formal.name)
            stand_ins.append(BodyVariable(formal.name))
        else:
            raise BadShape("parameters", f"what '{formal.name}' is, is not said", "annotate it: Bound, Number or Body")
    return tuple(bounds), numbers, tuple(bodies), stand_ins


def _choices(formal: inspect.Parameter) -> tuple[int, ...]:
    if formal.default is formal.empty:
        return ()
    found = formal.default if isinstance(formal.default, tuple) else (formal.default,)
    if len(found) > MOST_CHOICES or not all(isinstance(n, int) and n > 0 for n in found):
        raise BadShape(
            "parameters", f"'{formal.name}' has no values to try", f"at most {MOST_CHOICES} positive numbers"
        )
    return found


def uses(items: tuple[Item, ...]) -> Iterator[Use]:
    """The uses of bodies, in order."""
    for item in items:
        if isinstance(item, Use):
            yield item
        else:
            yield from uses(item.items)


def _arities(items: tuple[Item, ...], bodies: tuple[str, ...]) -> dict[str, int]:
    arities: dict[str, int] = {}
    for use in uses(items):
        if arities.setdefault(use.body, len(use.values)) != len(use.values):
            raise BadShape("wrong-arity", f"'{use.body}' has two numbers of variables", "give it the same each time")
    return {name: arities.get(name, 0) for name in bodies}


def _require_known(rule: LoopRule, arities: dict[str, int]) -> None:
    """Raises: BadShape where the second side has what the first does not determine."""
    seen: set[str] = set()
    for use in uses(rule.before):
        if use.body not in seen and not _plain(use.values):
            hint = "write S(i) with the variable of a loop around it"
            raise BadShape("open-body", f"the first use of '{use.body}' does not say what it is a function of", hint)
        seen.add(use.body)
    missing = [name for name in arities if name not in seen]
    if missing:
        raise BadShape("open-body", f"'{missing[0]}' is not on the first side", "say where it stands there")
    if not any(isinstance(item, Nest) for item in rule.before):
        raise BadShape("no-loop", "there is no loop on the first side", "write loop(a, b, lambda i: S(i))")
    there = set(_names(rule.before))
    for name in (*rule.bounds, *(n for n, choices in rule.numbers.items() if not choices)):
        if name not in there:
            raise BadShape(
                "open-variable", f"'{name}' is not on the first side", "only a Number may have values to try"
            )


def _plain(values: tuple[Quantity, ...]) -> bool:
    names = [v.name for v in values if v.op == "iv"]
    return len(names) == len(values) == len(set(names))


def _names(items: tuple[Item, ...]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Nest):
            for bound in (*item.lowers, *item.uppers, item.step):
                yield from leaves(bound)
            yield from _names(item.items)


def leaves(value: Quantity) -> Iterator[str]:
    """The names of bounds, numbers and variables in an expression."""
    if value.name:
        yield value.name
    for part in value.args:
        yield from leaves(part)


# Text


def text_of(value: Quantity) -> str:
    """An expression as text."""
    match value.op:
        case "fixed":
            return str(value.value)
        case "bound" | "number" | "iv":
            return value.name
        case _:
            parts = [f"({text_of(a)})" if a.op in ("+", "-") else text_of(a) for a in value.args]
            if value.op in ("+", "-"):
                parts[0] = text_of(value.args[0])
            return f" {value.op} ".join(parts)


def condition_text(condition: Condition) -> str:
    """A condition as text."""
    match condition:
        case Compare():
            return f"{text_of(condition.left)} {condition.relation} {text_of(condition.right)}"
        case Independent():
            return f"independent({condition.first}, {condition.second})"
        case InOrder():
            return "in_order()"


def side_text(items: tuple[Item, ...]) -> str:
    """A side as text, on one line."""
    return "; ".join(map(_item_text, items))


def _item_text(item: Item) -> str:
    if isinstance(item, Use):
        return f"{item.body}({', '.join(map(text_of, item.values))})"
    low, high = (_bounds_text(b, f) for b, f in ((item.lowers, "max"), (item.uppers, "min")))
    step = "" if item.step.op == "fixed" and item.step.value == 1 else f" step {text_of(item.step)}"
    return f"for {item.iv} = {low} to {high}{step} {{ {side_text(item.items)} }}"


def _bounds_text(bounds: tuple[Quantity, ...], name: str) -> str:
    texts = ", ".join(map(text_of, bounds))
    return texts if len(bounds) == 1 else f"{name}({texts})"
