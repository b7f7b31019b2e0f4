"""Semantics of index arithmetic in canonical form (`hecv.program.index.quasi_affine`), over the exact integers."""

from __future__ import annotations

from hecv.base.theory import (
    Integer,
    Outcome,
    all_of,
    ifloordiv,
    ile,
    imax,
    imin,
    imul,
    integer,
    isum,
    ite,
    not_,
    poison_unless,
    poisoned,
    undefined_unless,
)
from hecv.ops.op_facts import Facts
from hecv.ops.registry import Dialect

affine = Dialect("affine", exact=True)


@affine.op("linear", Facts(total=True))
def linear(*operands: Integer, constant: int, coefficients: tuple[int, ...]) -> Integer:
    """`constant + sum(coefficients[k] * operands[k])`."""
    products = [x if c == 1 else imul(integer(c), x) for x, c in zip(operands, coefficients, strict=True)]
    return isum((*products, integer(constant)) if constant else tuple(products))


@affine.op("floordiv", Facts(total=True))
def floordiv(dividend: Integer, *, divisor: int) -> Integer:
    """`floor(dividend / divisor)` for a literal `divisor > 0`."""
    return ifloordiv(dividend, integer(divisor))


@affine.op("max", Facts(total=True))
def maximum(*operands: Integer) -> Integer:
    """The greatest of the operands."""
    return imax(operands)


@affine.op("min", Facts(total=True))
def minimum(*operands: Integer) -> Integer:
    """The least of the operands."""
    return imin(operands)


@affine.op("mul", Facts(commutative=True, total=True))
def mul(left: Integer, right: Integer) -> Integer:
    """`left * right`."""
    return imul(left, right)


@affine.op("quotient")
def quotient(dividend: Integer, divisor: Integer) -> Outcome:
    """`floor(dividend / divisor)`.

    Undefined: `divisor <= 0` or poison.
    Cites:     LangRef, affine dialect: the divisor of floordiv, ceildiv and mod is positive.
    """
    positive = not_(ile(divisor, integer(0)))
    value = ite(positive, ifloordiv(dividend, divisor), integer(0))
    return undefined_unless(not_(poisoned(divisor)), undefined_unless(positive, value))


@affine.op("within")
def within(operand: Integer, bound: Integer) -> Outcome:
    """`operand`, of which the program says that it is at least 0 and less than `bound`.

    Poison: where that is false.
    Cites:  LangRef, affine.delinearize_index (an outer bound), affine.linearize_index (`disjoint`).
    """
    return poison_unless(all_of(ile(integer(0), operand), not_(ile(bound, operand))), operand)


@affine.op("below")
def below(operand: Integer, bound: Integer) -> Outcome:
    """`operand`, of which the program says that it is less than `bound`, and that `bound` is not negative.

    Poison: where that is false.
    Cites:  LangRef, affine.linearize_index: under `disjoint` the first index may be negative, and no basis.
    """
    return poison_unless(all_of(ile(integer(0), bound), not_(ile(bound, operand))), operand)
