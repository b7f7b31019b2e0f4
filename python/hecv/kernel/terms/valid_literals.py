"""Well-formed literals: whose value is a value of their type.

Others have no meaning. Failing case: an index of `2**64`, which `4 * 2**62` is in unreachable code, is 0 as a
bit-vector, and not 0 as an integer.
"""

from __future__ import annotations

from hecv.base.term import Term
from hecv.base.types import FloatType, IndexType, IntType
from hecv.run.evaluation.softfloat import round_to


def is_literal(term: Term, index_width: int) -> bool:
    """Whether the value of a literal is a value of its type."""
    value = term.attr("value")
    match term.type:
        case IntType(width):
            return type(value) is int and 0 <= value < 1 << width
        case IndexType():
            return type(value) is int and -(1 << (index_width - 1)) <= value < 1 << (index_width - 1)
        case FloatType():
            return isinstance(value, str) and _is_float(value, term.type)
        case _:
            return False


def _is_float(text: str, type_: FloatType) -> bool:
    try:
        value = float.fromhex(text)
        if type_.name == "f64" or value != value:
            return value.hex() == text
        return value.hex() == text and round_to(value, type_.name, "to_nearest_even") == value
    except (ValueError, OverflowError, KeyError):
        return False
