"""Conversion of literals: Python values as literals of a type, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final

from hecv.base.types import FloatType, IndexType, IntType, ScalarType
from hecv.patterns.calculus.pattern_ast import Value
from hecv.patterns.equations import equations
from hecv.patterns.equations.equations import Kind, Number, Scalar
from hecv.run.evaluation.softfloat import round_f16, round_f32, round_to

ROUNDS: Final[Mapping[str, Callable[[float], float]]] = {
    "f64": lambda value: value,
    "f32": round_f32,
    "f16": round_f16,
    "bf16": lambda value: round_to(value, "bf16", "to_nearest_even"),
}


class NoInstance(Exception):
    """There is no equation at these types."""


def signed_value(value: Scalar, kind: Kind) -> int | float:
    """The value of a literal in the view of rules: integers are signed."""
    if isinstance(value, int) and isinstance(kind.type, IntType) and value >> (kind.width - 1):
        return value - (1 << kind.width)
    return value


def literal_value(value: int | float | bool, type_: ScalarType) -> int | float | None:
    """The value, in the view of rules, of the literal that a Python number gives at a type; for `index` an integer is
    unchanged.

    Raises: NoInstance if the type has no such value.
    """
    if not isinstance(type_, IntType | FloatType):
        return value if isinstance(type_, IndexType) and isinstance(value, int) else None
    kind = equations.kind_of(type_, 0)
    found = number_of(value, kind).value
    return float.fromhex(found) if isinstance(found, str) else signed_value(found, kind)


def number_of(value: Value, kind: Kind) -> Number:
    """The literal of a type with a Python value: integers modulo `2**width`, floats rounded to the format.

    Raises: NoInstance if the type has no such value.
    """
    if isinstance(value, bool):
        if kind.width != 1:
            raise NoInstance
        return Number(kind, int(value))
    if isinstance(kind.type, FloatType) and isinstance(value, int | float):
        return Number(kind, _rounded(value, kind.type.name).hex())
    if not isinstance(value, int):
        raise NoInstance
    return equations.number(value, equations.Variable(kind, ""))


def _rounded(value: int | float, form: str) -> float:
    """The nearest value of the format; an integer has to be one."""
    try:
        given = float(value)
        found = ROUNDS[form](given) if isfinite(given) else given
    except (OverflowError, KeyError):
        raise NoInstance from None
    if isfinite(given) != isfinite(found) or (isinstance(value, int) and found != value):
        raise NoInstance
    return found
