"""Intervals of index arithmetic, to omit bounds checks that cannot fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hecv.base.term import Term
from hecv.base.types import FloatType, IndexType, IntType, OpaqueType, ScalarType


class Range(Protocol):
    """Anything with a least and a greatest value."""

    @property
    def low(self) -> int: ...

    @property
    def high(self) -> int: ...


def interval(term: Term, args: Sequence[Range], limit: int) -> tuple[int, int]:
    """The least and greatest value of an operator, before wrap-around."""
    match term.op:
        case "affine.linear":
            constant, coefficients = term.attr("constant"), term.attr("coefficients")
            assert isinstance(constant, int) and isinstance(coefficients, tuple)
            scaled = [sorted((c * a.low, c * a.high)) for c, a in zip(coefficients, args, strict=True)]
            return constant + sum(s[0] for s in scaled), constant + sum(s[1] for s in scaled)
        case "affine.floordiv":
            divisor = int(str(term.attr("divisor")))
            return args[0].low // divisor, args[0].high // divisor
        case "affine.max" | "arith.maxsi" if isinstance(term.type, IndexType):
            return max(a.low for a in args), max(a.high for a in args)
        case "affine.min" | "arith.minsi" if isinstance(term.type, IndexType):
            return min(a.low for a in args), min(a.high for a in args)
        case "affine.quotient":
            return min(args[0].low, 0), max(args[0].high, 0)
        case _ if isinstance(term.type, IndexType):
            return _arith_interval(term, args, limit)
        case _:
            return natural_interval(term.type, limit)


def _arith_interval(term: Term, args: Sequence[Range], limit: int) -> tuple[int, int]:
    match term.op:
        case "arith.addi":
            return args[0].low + args[1].low, args[0].high + args[1].high
        case "arith.subi":
            return args[0].low - args[1].high, args[0].high - args[1].low
        case "arith.muli" | "affine.mul":
            corners = [x * y for x in (args[0].low, args[0].high) for y in (args[1].low, args[1].high)]
            return min(corners), max(corners)
        case "arith.shli":
            return -(limit << 2 * limit.bit_length()), limit << 2 * limit.bit_length()
        case "arith.select":
            return min(a.low for a in args[1:]), max(a.high for a in args[1:])
        case "arith.index_cast" if isinstance(source := term.args[0].type, IntType):
            half = 1 << (source.width - 1)
            if args[0].high < min(half, limit):
                return args[0].low, args[0].high
            return max(-half, -limit), min(half, limit) - 1
        case "arith.index_castui" if args[0].low >= 0 and args[0].high < limit:
            return args[0].low, args[0].high
        case _:
            return -limit, limit - 1


def natural_interval(type_: ScalarType, limit: int) -> tuple[int, int]:
    """The range of the concrete values of a type; (0, 0) for floats and types without a meaning."""
    match type_:
        case IndexType():
            return -limit, limit - 1
        case IntType():
            return 0, (1 << type_.width) - 1
        case FloatType() | OpaqueType():
            return 0, 0
