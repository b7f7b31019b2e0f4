"""Expressions of the theory: plain trees over four sorts, and the sort of each type."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hecv.base.diagnostics import Unsupported
from hecv.base.types import FloatType, IndexType, OpaqueType, ScalarType


class BoolSort(Struct, frozen=True):
    """Truth values."""


class BitsSort(Struct, frozen=True):
    """Bit-vectors of `width` bits."""

    width: int


class IntegerSort(Struct, frozen=True):
    """Exact integers."""


class FloatSort(Struct, frozen=True):
    """The values of a float format, by its MLIR name. There is one NaN."""

    name: str


Sort = BoolSort | BitsSort | IntegerSort | FloatSort

BOOL: Final = BoolSort()
INTEGER: Final = IntegerSort()


class Constant(Struct, frozen=True, eq=False):
    """A literal; for a bit-vector its residue, `0 <= value < 2**width`."""

    sort: Sort
    value: int | float | bool

    __hash__ = object.__hash__


class Variable(Struct, frozen=True, eq=False):
    """An operand. `proper`: it is known not to be poison. `signed`: its residue is given in two's complement, as for
    `index`."""

    sort: Sort
    name: str
    proper: bool = False
    signed: bool = False

    __hash__ = object.__hash__


class Apply(Struct, frozen=True, eq=False):
    """`op(args)`, where `op` is the name of the constructor below that makes it.

    `parameter` is the width that a `fits_*` refers to; `name` is a rounding mode or the name of an `uninterpreted`
    function.
    """

    op: str
    sort: Sort
    args: tuple[Expression, ...]
    parameter: int = 0
    name: str = ""

    __hash__ = object.__hash__


Expression = Constant | Variable | Apply
Bits = Expression
Bool = Expression
Float = Expression
Integer = Expression

TRUE: Final = Constant(BOOL, True)
FALSE: Final = Constant(BOOL, False)


def sort_of(type_: ScalarType, index_width: int) -> Sort:
    """The sort of a scalar type; `index` is a bit-vector.

    Raises: Unsupported for a type without meaning here.
    """
    if isinstance(type_, FloatType):
        return FloatSort(type_.name)
    if isinstance(type_, OpaqueType):
        raise Unsupported(f"values of type `{type_}` are not known here", None)
    return BitsSort(index_width if isinstance(type_, IndexType) else type_.width)
