"""What a definition is given and gives, and the table of definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, cast

from msgspec import Struct

from hecv.tensors.comprehension import (
    Apply,
    Comprehension,
    Real,
    RealLiteral,
    Scalar,
    Select,
    apply,
    compare,
    holds,
    position,
    real,
    scalar,
    select,
    truth,
)
from hecv.tensors.index_terms import Index, Size, Undefined, negate
from hecv.tensors.tensor_graph import TensorType


class Call(Struct, frozen=True):
    """One call of an op. Operands are in the order of the op's schema, with tensors as comprehensions; what stands
    behind the last operand that is given has its default."""

    op: str
    operands: tuple[Any, ...]
    keywords: Mapping[str, Any]
    types: tuple[TensorType, ...]

    def at(self, place: int, name: str, default: Any = None) -> Any:
        """The operand at a place of the schema, or with this name; the default if it is not there or is None."""
        found = self.operands[place] if place < len(self.operands) else self.keywords.get(name)
        return default if found is None else found

    def tensor(self, place: int) -> Comprehension:
        """The tensor at `place`; a number is a tensor without dimensions.

        Raises: Undefined if neither is there.
        """
        found = self.operands[place] if place < len(self.operands) else None
        if isinstance(found, Comprehension):
            return found
        if isinstance(found, int | float | Size):
            return Comprehension((), lambda: scalar(found), element_of(found))
        raise Undefined(f"{self.op}: operand {place} is no tensor")

    def axis(self, place: int, name: str, default: int | None = None) -> int:
        """A dimension of the first operand, counted from the front."""
        found = self.at(place, name, default)
        if not isinstance(found, int):
            raise Undefined(f"{self.op}: {name} is not given")
        return found % max(1, self.tensor(0).rank)

    def axes(self, place: int, name: str) -> tuple[int, ...]:
        """Dimensions of the first operand, in order; all of them where none is given."""
        rank, found = self.tensor(0).rank, self.at(place, name)
        if found is None or found == ():
            return tuple(range(rank))
        given = (found,) if isinstance(found, int) else tuple(found)
        return tuple(sorted(axis % max(1, rank) for axis in given))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.types[0].shape

    @property
    def element(self) -> str:
        return self.types[0].element

    def gives(self, at: Callable[..., Scalar]) -> tuple[Comprehension, ...]:
        """The one result, with this element at given indices."""
        return (Comprehension(self.shape, at, self.element),)


Definition = Callable[[Call], tuple[Comprehension, ...]]

DEFINITIONS: Final[dict[str, Definition]] = {}
"""By op: with its overload (`aten.max.dim`), or for all overloads that have no definition of their own (`aten.max`)."""


def defines(*ops: str) -> Callable[[Definition], Definition]:
    """Makes the function the definition of these ops."""

    def note(definition: Definition) -> Definition:
        for op in ops:
            if op in DEFINITIONS:
                raise ValueError(f"{op} is defined twice")
            DEFINITIONS[op] = definition
        return definition

    return note


def definition_of(op: str) -> Definition | None:
    """The definition of an op, by its name with or without overload; none for an opaque op."""
    return DEFINITIONS.get(op) or DEFINITIONS.get(op.rpartition(".")[0])


# Elements by their type


def is_boolean(element: str) -> bool:
    """True for the type of tensors of 0 and 1."""
    return element == "i1"


def is_integer(element: str) -> bool:
    """True for types of integers, booleans included."""
    return element.startswith(("i", "ui", "si"))


def element_of(value: float | bool | Size) -> str:
    """The element type of a number."""
    if isinstance(value, Size):
        return "i64"
    return "i1" if isinstance(value, bool) else "i64" if isinstance(value, int) else "f64"


def cast_to(value: Scalar, source: str, target: str) -> Scalar:
    """A cast over the reals: between floats the identity; to integers, rounding to zero; to booleans, being not 0."""
    if is_boolean(target):
        return value if is_boolean(source) else truth(holds(value))
    if is_integer(target) and not is_integer(source):
        return integral("trunc", value)
    return value


# Arithmetic that keeps indices indices


def share(count: int | Fraction) -> Scalar:
    """One of `count` equal parts of 1."""
    return 1 / scalar(count) if isinstance(count, Size) else scalar(Fraction(1, count))


def index_of(value: Scalar) -> Index | None:
    """The index that the scalar is, if it is one."""
    if isinstance(value, Real):
        return value.index
    if isinstance(value, RealLiteral) and isinstance(value.value, Fraction) and value.value.denominator == 1:
        return Index(int(value.value), ())
    return None


def number_of(value: Scalar) -> Fraction | float | None:
    """The number that the scalar is, if it is a literal."""
    return value.value if isinstance(value, RealLiteral) else None


def plus(left: Scalar, right: Scalar) -> Scalar:
    """The sum."""
    i, j = index_of(left), index_of(right)
    return left + right if i is None or j is None else real(i + j)


def times(left: Scalar, right: Scalar) -> Scalar:
    """The product."""
    for a, b in ((left, right), (right, left)):
        factor, i = index_of(a), index_of(b)
        if factor is not None and not factor.terms and i is not None:
            return real(i * factor.constant)
    return left * right


def minus(left: Scalar, right: Scalar) -> Scalar:
    """The difference."""
    return plus(left, times(scalar(-1), right))


def floor_quotient(left: Scalar, right: Scalar) -> Scalar:
    """The quotient, rounded down."""
    i, by = index_of(left), index_of(right)
    if i is not None and by is not None and not by.terms and by.constant > 0:
        return real(i // by.constant)
    return integral("floor", left / right)


def integral(rounding: str, value: Scalar) -> Scalar:
    """The value rounded to an integer by `floor`, `ceil`, `trunc` or `round`."""
    return value if index_of(value) is not None else apply(rounding, value)


def differ(left: Scalar, right: Scalar) -> Scalar:
    """1 where both differ."""
    return truth(negate(compare("eq", left, right)))


def spread(operand: Any, indices: Sequence[Index]) -> Scalar:
    """The element of a tensor broadcast to the rank of `indices` (PyTorch, Broadcasting), or a number itself."""
    if not isinstance(operand, Comprehension):
        return scalar(cast("float", operand))
    return operand[tuple(indices[len(indices) - operand.rank :])]


def chosen(value: Scalar, at: Callable[[Index], Scalar]) -> Scalar:
    """The element `at` an index that is data: where the index is one of several, the element is one of several."""
    if isinstance(value, Select):
        return select(value.condition, chosen(value.yes, at), chosen(value.no, at))
    if isinstance(value, Apply) and value.function in ("max", "min"):
        limit, free = value.operands if number_of(value.operands[0]) is not None else value.operands[::-1]
        beyond = compare("lt", limit, free) if value.function == "min" else compare("lt", free, limit)
        return select(beyond, chosen(limit, at), chosen(free, at))
    return at(position(value))
