"""Quantities: the expressions of guards and computed literals, built from attributes and Python's operators."""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches
from types import FrameType
from typing import Any, Final, NoReturn

from hecv.patterns.calculus.body_paths import misuse, running
from hecv.patterns.calculus.pattern_ast import (
    COMPARISONS,
    CONNECTIVES,
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

GENERAL: Final = ("type", "elType", "width", "shape", "rank", "value", "op", "uses", "literal", "name")
"""The attributes that every value (`name`: every function variable) may have."""

LONGEST: Final = 4096
"""The most bits of an integer that is computed."""

OF_SHAPE: Final = ("rank", "dims")

TYPES: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("type", "elType", "op", "name"), (str,)),
    **dict.fromkeys(("width", "rank", "uses"), (int,)),
    "shape": (tuple,),
    "value": (int, float, bool),
    "literal": (bool,),
}
"""The Python types of these attributes; compared with anything else, they are never known to be equal."""

MOST_NAMED: Final = 8

MARK: Final = "\N{WORD JOINER}"
"""The mark around a quantity's placeholder in text."""

_ELEMENT: Final = re.compile(r"[su]?i[1-9]\d*|index|none|b?f\d\w*|tf32|complex<.*>|!.*|vector<.*>|tuple<.*>")


class Quantity:
    """A number, text, truth value or tuple that is computed from a match. The path decides its truth."""

    __slots__ = ("_expression", "_used")

    def __init__(self, expression: Expression) -> None:
        self._expression = expression
        self._used = False

    def __repr__(self) -> str:
        return f"Quantity({self._expression!r})"

    def __bool__(self) -> bool:
        self._used = True
        if not _may_be_true(self._expression):
            text = described_expression(self._expression)
            raise misuse("guard-never-holds", f"{text} is no truth value", f"compare it: {text} != 0")
        return running().decide(self._expression)

    def __hash__(self) -> int:
        hint = "write a tuple: x.elType in ('f16', 'f32')"
        raise _unknown_yet("sets and dictionaries look at once for what they have", hint)

    def __format__(self, form: str) -> str:
        """For messages; `value_of` refuses text that has it."""
        return f"{MARK}{described_expression(self._expression)}{MARK}"

    def __str__(self) -> str:
        return format(self)

    # Comparisons

    def __eq__(self, other: object) -> Any:
        return _compared("==", self, other)

    def __ne__(self, other: object) -> Any:
        return _compared("!=", self, other)

    def __lt__(self, other: object) -> Any:
        return _compared("<", self, other)

    def __le__(self, other: object) -> Any:
        return _compared("<=", self, other)

    def __gt__(self, other: object) -> Any:
        return _compared(">", self, other)

    def __ge__(self, other: object) -> Any:
        return _compared(">=", self, other)

    # Arithmetic

    def __add__(self, other: object) -> Any:
        return _combined("+", self, other)

    def __radd__(self, other: object) -> Any:
        return _combined("+", other, self)

    def __sub__(self, other: object) -> Any:
        return _combined("-", self, other)

    def __rsub__(self, other: object) -> Any:
        return _combined("-", other, self)

    def __mul__(self, other: object) -> Any:
        return _combined("*", self, other)

    def __rmul__(self, other: object) -> Any:
        return _combined("*", other, self)

    def __truediv__(self, other: object) -> Any:
        return _combined("/", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _combined("/", other, self)

    def __floordiv__(self, other: object) -> Any:
        return _combined("//", self, other)

    def __rfloordiv__(self, other: object) -> Any:
        return _combined("//", other, self)

    def __mod__(self, other: object) -> Any:
        return _combined("%", self, other)

    def __rmod__(self, other: object) -> Any:
        return _combined("%", other, self)

    def __pow__(self, other: object) -> Any:
        return _combined("**", self, other)

    def __rpow__(self, other: object) -> Any:
        return _combined("**", other, self)

    def __lshift__(self, other: object) -> Any:
        return _combined("<<", self, other)

    def __rlshift__(self, other: object) -> Any:
        return _combined("<<", other, self)

    def __rshift__(self, other: object) -> Any:
        return _combined(">>", self, other)

    def __rrshift__(self, other: object) -> Any:
        return _combined(">>", other, self)

    def __and__(self, other: object) -> Any:
        return _combined("&", self, other)

    def __rand__(self, other: object) -> Any:
        return _combined("&", other, self)

    def __or__(self, other: object) -> Any:
        return _combined("|", self, other)

    def __ror__(self, other: object) -> Any:
        return _combined("|", other, self)

    def __xor__(self, other: object) -> Any:
        return _combined("^", self, other)

    def __rxor__(self, other: object) -> Any:
        return _combined("^", other, self)

    def __neg__(self) -> Quantity:
        return Quantity(Compute("neg", (self._expression,)))

    def __abs__(self) -> Quantity:
        return Quantity(Compute("abs", (self._expression,)))

    # Parts

    def __getitem__(self, index: object) -> Quantity:
        """`x.shape[0]` may be known where other extents are not."""
        of = self._expression
        if isinstance(of, AttributeOf) and of.path == ("shape",) and type(index) is int and index >= 0:
            return Quantity(AttributeOf(of.variable, ("shape", str(index))))
        found = expression_of(index)
        if found is None:
            raise misuse("rule-body", "an index is a number", "write x.shape[0]; slices are not computed")
        return Quantity(Compute("item", (of, found)))

    def __contains__(self, item: object) -> bool:
        found = expression_of(item)
        if found is None:
            raise misuse("rule-body", f"{described(item)} is not in an attribute", "`in` takes numbers and text")
        return running().decide(Compute("in", (found, self._expression)))

    def __getattr__(self, name: str) -> Quantity:
        if name.startswith("_"):
            raise AttributeError(name)
        of = self._expression
        if isinstance(of, AttributeOf) and of.path == ("shape",) and name in OF_SHAPE:
            return Quantity(AttributeOf(of.variable, ("shape", name)))
        text = described_expression(of)
        hint = suggestion(name, OF_SHAPE) if text.endswith(".shape") else "compare it: ==, in, <"
        raise misuse("unknown-attribute", f"{text} has no attribute '{name}'", hint)

    # What Python has to know at once

    def __len__(self) -> NoReturn:
        raise _unknown_yet("len() is a number of Python's", "write x.rank instead of len(x.shape)")

    def __iter__(self) -> NoReturn:
        raise _unknown_yet("a loop needs to know how often it runs", "bound it by a Python number: range(4)")

    def __index__(self) -> NoReturn:
        raise _unknown_yet("a number of Python's is needed here", "loops and indices are by Python numbers")

    def __int__(self) -> NoReturn:
        raise _unknown_yet("int() is a number of Python's", "leave it out: computed numbers need no conversion")

    def __float__(self) -> NoReturn:
        raise _unknown_yet("float() is a number of Python's", "leave it out: computed numbers need no conversion")


def _may_be_true(expression: Expression) -> bool:
    """The expression may be a truth value: a comparison, or an attribute that is not known to be something else."""
    match expression:
        case Compute(op=op):
            return op in (*COMPARISONS, *CONNECTIVES, "not", "in", "is_power_of_two", "item", "&", "|", "^")
        case AttributeOf(path=path):
            return bool in TYPES.get(path[-1], (bool,))
        case Known(value):
            return isinstance(value, bool)
        case Member() | Holds() | Defined():
            return True


def _unknown_yet(message: str, help: str) -> Exception:
    return misuse("not-known-yet", f"{message}; attributes are known at a match only", help)


def expression_of(given: object) -> Expression | None:
    """A quantity or a Python value as an expression; None for anything else."""
    if isinstance(given, Quantity):
        given._used = True  # pyright: ignore[reportPrivateUsage]
        return given._expression  # pyright: ignore[reportPrivateUsage]
    value = value_of(given)
    return None if value is None else Known(value)


def value_of(given: object) -> Value | None:
    """A number, text, truth value, or a tuple or list of these, as an attribute value."""
    if isinstance(given, str) and MARK in given:
        hint = "put text together with +, as in 'tensor<4x' + x.elType + '>'"
        raise misuse("not-known-yet", f"{given.replace(MARK, '')!r} is no text yet", hint)
    if isinstance(given, (int, float, str)):
        require_short(given)
        return given
    if not isinstance(given, (tuple, list)):
        return None
    items: list[object] = list(given)
    values = [value_of(item) for item in items]
    known = [value for value in values if value is not None]
    return tuple(known) if len(known) == len(values) else None


def require_short(given: object) -> None:
    """Checks that an integer is not too long to compute with.

    Raises: Misuse.
    """
    if isinstance(given, int) and given.bit_length() > LONGEST:
        raise misuse("wrong-operand", f"an integer of {given.bit_length():,} bits", f"at most {LONGEST:,} are computed")


def _combined(op: str, left: object, right: object) -> Any:
    a, b = expression_of(left), expression_of(right)
    if a is None or b is None:
        return NotImplemented
    return Quantity(Compute(op, (a, b)))


def _compared(op: str, left: Quantity, right: object) -> Any:
    a, b = expression_of(left), expression_of(right)
    if a is None or b is None:
        hint = "attributes are numbers, text, truth values and tuples of those"
        raise misuse("guard-never-holds", f"an attribute is never {described(right)}", hint)
    _require_comparable(a, b)
    found = Quantity(Compute(op, (a, b)))
    running().compared.append((found, line_of_caller()))
    return found


def _require_comparable(left: Expression, right: Expression) -> None:
    """Raises: Misuse where an attribute is compared with a literal that it can never be."""
    if not isinstance(left, AttributeOf) or not isinstance(right, Known) or left.path[-1] not in TYPES:
        return
    name, value = left.path[-1], right.value
    expected = TYPES[name]
    if type(value) not in expected:
        kinds = " or ".join(kind.__name__ for kind in expected)
        raise misuse("guard-never-holds", f".{name} is {kinds}, never {value!r}", f"compare it with {kinds}")
    if name == "elType" and isinstance(value, str) and not _ELEMENT.fullmatch(value):
        hint = "types are as MLIR prints them: 'f16', 'f32', 'i8', 'index'"
        raise misuse("guard-never-holds", f"no type of elements is '{value}'", hint)


def described_expression(expression: Expression) -> str:
    """An expression in the notation of rule files."""
    match expression:
        case Known(value):
            return repr(value)
        case AttributeOf(variable, path):
            return ".".join((variable, *path))
        case Member(function, family):
            return f"{function} in {family}"
        case Holds(term):
            return described_term(term)
        case Defined(term):
            return f"defined({described_term(term)})"
        case Compute("item", (of, index)):
            return f"{described_expression(of)}[{described_expression(index)}]"
        case Compute(op, (operand,)) if op in ("not", "neg"):
            return f"{'not ' if op == 'not' else '-'}{_operand(operand)}"
        case Compute(op, (operand,)):
            return f"{op}({described_expression(operand)})"
        case Compute(op, args) if op in ("min", "max"):
            return f"{op}({', '.join(map(described_expression, args))})"
        case Compute(op, args):
            return f" {op} ".join(map(_operand, args))


def described_term(term: Replacement) -> str:
    """A term of a condition in the notation of rule files."""
    match term:
        case Same(variable):
            return variable
        case Computed(value):
            return described_expression(value)
        case Build(op, args, attrs):
            named = [f"{name}={described_expression(value)}" for name, value in attrs]
            return f"{op}({', '.join([*map(described_term, args), *named])})"
        case BuildVariable(function, args):
            return f"{function}({', '.join(map(described_term, args))})"


def _operand(expression: Expression) -> str:
    text = described_expression(expression)
    simple = not isinstance(expression, Compute) or len(expression.args) == 1 or expression.op == "item"
    return text if simple else f"({text})"


WORDS: Final = {
    **dict.fromkeys(("Name", "Applied", "AppliedFunction", "Called"), "a value of the graph"),
    "Op": "an operator",
    "Family": "a family of operators",
    "Handle": "a pattern",
    "Quantity": "an attribute",
}
"""The names of the language's classes in messages."""


def described(given: object) -> str:
    """A Python value in the words of a message."""
    name = type(given).__name__
    if name in WORDS:
        return WORDS[name]
    return "None" if given is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def suggestion(name: str, there: tuple[str, ...] | list[str]) -> str:
    """A similar name, or the names that exist."""
    close = get_close_matches(name, there, 3, 0.6)
    if close:
        return "did you mean " + " or ".join(f"'{c}'" for c in close) + "?"
    if not there:
        return "there are none"
    return "there are: " + ", ".join(there[:MOST_NAMED]) + (", ..." if len(there) > MOST_NAMED else "")


def line_of_caller() -> int:
    """The line of the rule file that runs."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__name__", "").startswith("hecv.patterns."):
        frame = frame.f_back
    return 0 if frame is None else frame.f_lineno


def is_used(asked: Quantity) -> bool:
    """Whether its truth was asked, or something was computed from it."""
    return asked._used  # pyright: ignore[reportPrivateUsage]


# Functions


def is_power_of_two(value: Any) -> Any:
    """Whether an integer is a power of two."""
    if isinstance(value, int):
        return value > 0 and value & (value - 1) == 0
    return _function("is_power_of_two", value)


def log2(value: Any) -> Any:
    """The exponent of a power of two; unknown for any other number."""
    if isinstance(value, int):
        if not is_power_of_two(value):
            raise misuse("rule-body", f"{value} is no power of two", "log2 is exact")
        return value.bit_length() - 1
    return _function("log2", value)


def _function(name: str, value: object) -> Quantity:
    if not isinstance(value, Quantity):
        raise misuse("rule-body", f"{name} of {described(value)}", f"it takes a number: {name}(c.value)")
    return Quantity(Compute(name, (value._expression,)))  # pyright: ignore[reportPrivateUsage]
