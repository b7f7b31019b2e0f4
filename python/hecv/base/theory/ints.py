"""Exact (unbounded) integers."""

from __future__ import annotations

from hecv.base.theory.booleans import compare
from hecv.base.theory.expression import INTEGER, Apply, Bool, Constant, Integer


def integer(value: int) -> Constant:
    """An integer literal."""
    return Constant(INTEGER, value)


def isum(terms: tuple[Integer, ...]) -> Integer:
    """The sum of at least one integer."""
    return terms[0] if len(terms) == 1 else Apply("isum", INTEGER, terms)


def imul(left: Integer, right: Integer) -> Integer:
    """The product."""
    return Apply("imul", INTEGER, (left, right))


def ifloordiv(left: Integer, right: Integer) -> Integer:
    """`floor(left / right)`, 0 where `right` is 0."""
    return Apply("ifloordiv", INTEGER, (left, right))


def imax(operands: tuple[Integer, ...]) -> Integer:
    """The greatest of at least one integer."""
    return operands[0] if len(operands) == 1 else Apply("imax", INTEGER, operands)


def imin(operands: tuple[Integer, ...]) -> Integer:
    """The least of at least one integer."""
    return operands[0] if len(operands) == 1 else Apply("imin", INTEGER, operands)


def ile(left: Integer, right: Integer) -> Bool:
    """`left <= right`."""
    return compare("ile", left, right, lambda a, b: a.value <= b.value)
