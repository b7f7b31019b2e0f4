"""Traced values: the variables and operators of the bodies of patterns and rules, and the parts made of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import FrameType
from typing import Any, Final, NoReturn

from hecv.patterns.calculus.body_paths import Misuse, misuse, running
from hecv.patterns.calculus.operator_names import (
    ATTRIBUTES,
    DECLARATIONS,
    attribute_values,
    in_order,
    is_attribute_value,
)
from hecv.patterns.calculus.pattern_ast import (
    AttributeOf,
    Compute,
    Declaration,
    Defined,
    Expression,
    Holds,
    Known,
    Sort,
)
from hecv.patterns.calculus.quantities import GENERAL, Quantity, described, expression_of, require_short, suggestion

CONDITIONS: Final = frozenset(
    {"arith.cmpi", "arith.cmpf", "index.cmp", "arith.andi", "arith.ori", "arith.xori", "arith.select"}
)
"""The operators that conditions on literals may use."""


class Traced:
    """A value of the graph that is matched or built: a variable, or an operator on values."""

    __slots__ = ()

    def __add__(self, other: object) -> Any:
        return _integers("arith.addi", self, other)

    def __radd__(self, other: object) -> Any:
        return _integers("arith.addi", other, self)

    def __sub__(self, other: object) -> Any:
        return _integers("arith.subi", self, other)

    def __rsub__(self, other: object) -> Any:
        return _integers("arith.subi", other, self)

    def __mul__(self, other: object) -> Any:
        return _integers("arith.muli", self, other)

    def __rmul__(self, other: object) -> Any:
        return _integers("arith.muli", other, self)

    def __and__(self, other: object) -> Any:
        return _integers("arith.andi", self, other)

    def __rand__(self, other: object) -> Any:
        return _integers("arith.andi", other, self)

    def __or__(self, other: object) -> Any:
        return _integers("arith.ori", self, other)

    def __ror__(self, other: object) -> Any:
        return _integers("arith.ori", other, self)

    def __xor__(self, other: object) -> Any:
        return _integers("arith.xori", self, other)

    def __rxor__(self, other: object) -> Any:
        return _integers("arith.xori", other, self)

    def __lshift__(self, other: object) -> Any:
        return _integers("arith.shli", self, other)

    def __rlshift__(self, other: object) -> Any:
        return _integers("arith.shli", other, self)

    def __neg__(self) -> Any:
        """`0 - x`."""
        return _integers("arith.subi", 0, self)

    def __invert__(self) -> Any:
        """`x ^ -1`."""
        return _integers("arith.xori", self, -1)

    def __rshift__(self, other: object) -> NoReturn:
        raise _no_operator(">>", "arith.shrui or arith.shrsi")

    def __truediv__(self, other: object) -> NoReturn:
        raise _no_operator("/", "arith.divf")

    def __floordiv__(self, other: object) -> NoReturn:
        raise _no_operator("//", "arith.divui, arith.divsi or arith.floordivsi")

    def __mod__(self, other: object) -> NoReturn:
        raise _no_operator("%", "arith.remui or arith.remsi")

    __rrshift__ = __rshift__
    __rtruediv__ = __truediv__
    __rfloordiv__ = __floordiv__
    __rmod__ = __mod__

    def __le__(self, pattern: object) -> Stated:
        """`x <= p`: what `x` stands for matches `p`, too."""
        trace = running()
        if trace.kind == "rule":
            raise misuse("match-in-rule", "a rule matches nothing", "state the constraint in the pattern")
        trace.constraints.append((self, operand(pattern)))
        return Stated()

    def __eq__(self, other: object) -> Any:
        """`f == arith.addf`, of a function variable only."""
        if isinstance(self, Name) and isinstance(other, Op):
            return Quantity(Compute("==", (AttributeOf(use(self, "function"), ("name",)), Known(other.name))))
        hint = "the same value is the same variable; compare attributes: x.shape == y.shape, x.value == 2"
        raise misuse("values-compared", f"a value is compared with {described(other)}", hint)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return Quantity(Compute("not", (equal._expression,)))  # pyright: ignore[reportPrivateUsage]

    def __lt__(self, other: object) -> NoReturn:
        raise _no_order()

    def __gt__(self, other: object) -> NoReturn:
        raise _no_order()

    def __ge__(self, other: object) -> NoReturn:
        raise _no_order()

    def __hash__(self) -> int:
        hint = "write a tuple: f in (arith.addf, arith.mulf)"
        raise misuse("not-known-yet", "sets and dictionaries look at once for what they have", hint)

    def __bool__(self) -> bool:
        """Whether a comparison of literals, or what is made of such, is 1."""
        if isinstance(self, Applied) and self.op_ in CONDITIONS:
            trace = running()
            return trace.decide(Holds(trace.build(self)))
        hint = "ask for an attribute, as in x.value == 1, or compare literals by arith.cmpi"
        raise misuse("value-as-condition", "a value is no condition", hint)

    def __iter__(self) -> NoReturn:
        raise misuse("one-result", "this is one value, not several", "declare the op with results=2")

    def __getitem__(self, index: object) -> NoReturn:
        raise misuse("unknown-attribute", "a value has no elements here", "extents are x.shape[0]")

    def __contains__(self, item: object) -> NoReturn:
        raise misuse("unknown-attribute", "a value has no elements here", "compare attributes")

    def __getattr__(self, name: str) -> Quantity:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in GENERAL[:-1] and name not in (known := _attributes_of(self)):
            kind = f"'{self.op_}'" if isinstance(self, Applied) else "a value"
            raise misuse("unknown-attribute", f"{kind} has no attribute '{name}'", suggestion(name, known))
        if running().kind == "rule" and not isinstance(self, Name):
            hint = "ask the variables of the pattern"
            raise misuse("not-known-yet", f".{name} of what the rule builds is not known yet", hint)
        return Quantity(AttributeOf(name_of(self), (name,)))


class Stated:
    """The result of a match constraint: nothing to compute with."""

    def __bool__(self) -> NoReturn:
        hint = "write it as a statement, on a line of its own; to branch, write one pattern for each case"
        raise misuse("match-as-condition", "`x <= p` is a statement, not a condition", hint)


@dataclass(slots=True, eq=False)
class Name(Traced):
    """A variable: a parameter, or a local one (`made_` has its line). Its sort is known from its use.

    Names of fields end in `_`, so that none is the name of an MLIR attribute.
    """

    label_: str
    sort_: Sort | None = None
    made_: int = 0
    named_: bool = False

    def __call__(self, *args: object, **attributes: object) -> AppliedFunction:
        """`f(x)`: the operator that `f` stands for."""
        label = use(self, "function")
        if attributes:
            hint = f"guard them: assert {label}.{next(iter(attributes))} == ..."
            raise misuse("wrong-arity", "a function variable takes its attributes along", hint)
        return AppliedFunction(self, tuple(map(operand, args)), [])


@dataclass(slots=True, eq=False)
class Applied(Traced):
    """An operator on operands. `names_` has the variable of this part, if it needs one."""

    op_: str
    args_: tuple[Operand, ...]
    attrs_: tuple[tuple[str, Expression], ...]
    result_: int
    type_: Expression | None
    names_: list[str]
    known_: tuple[str, ...]


@dataclass(slots=True, eq=False)
class AppliedFunction(Traced):
    """The operator of a function variable, on operands."""

    function_: Name
    args_: tuple[Operand, ...]
    names_: list[str]


@dataclass(slots=True, eq=False)
class Called(Traced):
    """A call of a named pattern, on variables, parts, and operators or families for its function variables."""

    pattern_: Any
    args_: tuple[Any, ...]
    names_: list[str]


Operand = Traced | Quantity | int | float | bool


def defined(operation: Any) -> Quantity:
    """A premise: the operator, with the flags that it has here, is neither undefined nor poison on its operands."""
    if not isinstance(operation, Applied):
        hint = "write the operator with its operands and flags: defined(arith.divui(x, y))"
        raise misuse("wrong-operand", f"{described(operation)} is no operator", hint)
    return Quantity(Defined(running().build(operation)))


def operand(given: object) -> Operand:
    """A value as an operand.

    Raises: Misuse if it cannot be one.
    """
    if isinstance(given, Name):
        use(given, "term")
    if isinstance(given, (Traced, Quantity, int, float)):
        require_short(given)
        return given
    if isinstance(given, Op):
        raise misuse("wrong-operand", f"'{given.name}' is an operator, not a value", f"call it: {given.name}(...)")
    if given is None:
        raise misuse("wrong-operand", "None is no value", "a helper function that should return a pattern does not")
    raise misuse("wrong-operand", f"{described(given)} is no value", "operands are variables, parts and numbers")


_NONE: Final = Declaration("torch.constant.none", 0)
_TEXT: Final = Declaration("torch.constant.str", 0, attributes=("value",))
_LIST: Final = Declaration("torch.prim.ListConstruct", None)


def _any_operand(given: object) -> Operand:
    """An operand of an operator that takes any number: a value, or nothing, a text, or a list, as torch's ops take."""
    match given:
        case None:
            return apply(_NONE, (), {})
        case str():
            return apply(_TEXT, (), {"value": given})
        case tuple():
            return apply(_LIST, given, {})
        case _:
            return operand(given)


def name_of(value: Traced) -> str:
    """The variable that a value is, or that names a part from now on."""
    if isinstance(value, Name):
        if not value.named_:
            value.label_, value.named_ = running().fresh(value.label_), True
        return value.label_
    assert isinstance(value, Applied | AppliedFunction | Called)
    if not value.names_:
        value.names_.append(running().fresh(_local_name(value) or _part_name(value)))
    return value.names_[0]


def use(value: Name, sort: Sort) -> str:
    """The name of a variable, used for a value or for an operator.

    Raises: Misuse if it is used for the other, too.
    """
    if value.sort_ not in (None, sort):
        kinds = {"term": "a value", "function": "an operator", "type": "a type"}
        hint = "a variable that is called, or is `in` a family, stands for an operator"
        raise misuse("wrong-sort", f"'{value.label_}' is both {kinds[sort]} and {kinds[value.sort_ or sort]}", hint)
    value.sort_ = sort
    return name_of(value)


def _part_name(value: Applied | AppliedFunction | Called) -> str:
    """A name for a part that the body has none for."""
    match value:
        case Applied(op_=op):
            return re.sub(r"\W", "_", op.split(".")[-1])
        case AppliedFunction(function_=function):
            return f"{function.label_}_value"
        case Called(pattern_=pattern):
            return f"{pattern.name}_value"


def _local_name(value: Traced) -> str | None:
    """What the function that asks calls the value."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__name__", "").startswith("hecv.patterns."):
        frame = frame.f_back
    there = {} if frame is None else frame.f_locals
    return next((name for name, local in there.items() if local is value), None)


def _attributes_of(value: Traced) -> list[str]:
    """The attributes that a value may have: every one, where it is not known which operator makes it."""
    if isinstance(value, Applied):
        return [*GENERAL[:-1], *value.known_]
    own = {a for d in running().operators.values() for a in d.attributes}
    return [*GENERAL, *sorted(ATTRIBUTES | own)]


def _integers(op: str, left: object, right: object) -> Any:
    for given in (left, right):
        if isinstance(given, float):
            hint = f"for floats there are arith.{op.removeprefix('arith.')[:-1]}f and its like"
            raise misuse("wrong-operand", f"{given!r} in integer arithmetic", hint)
        if not isinstance(given, (Traced, Quantity, int)):
            return NotImplemented
    return apply(DECLARATIONS[op], (left, right), {})


def _no_operator(symbol: str, instead: str) -> Misuse:
    return misuse("no-operator", f"`{symbol}` on values does not say which operator it is", f"write {instead}")


def _no_order() -> Misuse:
    return misuse("values-compared", "values have no order", "compare attributes: x.value < 8, x.rank <= 3")


# Operators


def apply(declared: Declaration, args: tuple[object, ...], attributes: Mapping[str, object]) -> Any:
    """The operator on operands: one value, or a tuple of its results.

    Raises: Misuse if the number of operands or an attribute is wrong.
    """
    if declared.arity not in (None, len(args)):
        wanted = f"{declared.arity} operand{'' if declared.arity == 1 else 's'}"
        raise misuse("wrong-arity", f"'{declared.name}' takes {wanted}, not {len(args)}", "attributes are keywords")
    running().used[declared.name] = declared
    operands = tuple(map(operand if declared.arity is not None else _any_operand, args))
    attrs: list[tuple[str, Expression]] = []
    for name, given in attributes.items():
        if name not in (*declared.attributes, "type"):
            hint = suggestion(name, (*declared.attributes, "type"))
            raise misuse("unknown-attribute", f"'{declared.name}' has no attribute '{name}'", hint)
        attrs.append((name, _attribute(declared.name, name, given)))
    named = dict(attrs)
    own = "type" in declared.attributes
    kept = tuple(sorted((name, value) for name, value in attrs if own or name != "type"))
    type_ = None if own else named.get("type")
    results = [
        Applied(declared.name, operands, kept, k, type_, [], declared.attributes) for k in range(declared.results)
    ]
    return results[0] if declared.results == 1 else tuple(results)


def _attribute(op: str, name: str, given: object) -> Expression:
    found = expression_of(given)
    if found is None:
        raise misuse("wrong-operand", f"{name} is {described(given)}", "attributes are numbers, text and tuples")
    if isinstance(found, Known) and not is_attribute_value(op, name, found.value):
        allowed = [str(value) for value in attribute_values(op, name) or ()]
        raise misuse(
            "wrong-attribute", f"{name} of '{op}' is never {found.value!r}", suggestion(str(found.value), allowed)
        )
    return Known(in_order(name, found.value)) if isinstance(found, Known) else found


class Op:
    """An operator by name, or a prefix of the names of several (`torch.aten`)."""

    __slots__ = ("declared", "name")

    def __init__(self, name: str, declared: Declaration | None) -> None:
        self.name, self.declared = name, declared

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *args: object, **attributes: object) -> Any:
        if self.declared is None:
            known = [n for n in DECLARATIONS if n.startswith(f"{self.name}.")]
            raise misuse("unknown-op", f"there is no op '{self.name}'", suggestion(self.name, known))
        return apply(self.declared, args, attributes)

    def __getattr__(self, name: str) -> Op:
        if name.startswith("__"):
            raise AttributeError(name)
        return found_op(f"{self.name}.{name}")


class UnknownName(Misuse, AttributeError):
    """There is no such op."""


def found_op(full: str) -> Op:
    """The op of this name; a trailing `_` that avoids a Python keyword is dropped (`index.and_`)."""
    for name in (full, full.rstrip("_")):
        declared = DECLARATIONS.get(name)
        if declared is not None or any(known.startswith(f"{name}.") for known in DECLARATIONS):
            return Op(name, declared)
    dialect = full.split(".")[0]
    known = [name for name in DECLARATIONS if name.startswith(f"{dialect}.")]
    last = full.rpartition(".")[2]
    elsewhere = [name for name in DECLARATIONS if name.rpartition(".")[2] == last]
    close = elsewhere[:2] or get_close_matches(full, known, 2, 0.75)
    own = f"declare it by @op('{full}')"
    hint = f"did you mean {' or '.join(close)}? or {own}" if close else own
    raise UnknownName("unknown-op", f"'{dialect}' has no op '{full}' here", hint)
