"""IEEE-754 floats: each operation rounds its exact result once, to nearest even unless stated otherwise."""

from __future__ import annotations

from typing import Final

from hecv.base.theory.expression import BOOL, Apply, Bits, BitsSort, Bool, Float, Sort

ROUNDINGS: Final = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""Rounding modes by their names in MLIR, in the order of its numbers."""


def fadd(left: Float, right: Float) -> Float:
    """The rounded sum."""
    return Apply("fadd", left.sort, (left, right))


def fsub(left: Float, right: Float) -> Float:
    """The rounded difference."""
    return Apply("fsub", left.sort, (left, right))


def fmul(left: Float, right: Float) -> Float:
    """The rounded product."""
    return Apply("fmul", left.sort, (left, right))


def fdiv(left: Float, right: Float) -> Float:
    """The rounded quotient."""
    return Apply("fdiv", left.sort, (left, right))


def frem(left: Float, right: Float) -> Float:
    """C's `fmod`: `left - n * right`, exact, with `n` the quotient rounded to zero; the sign is that of `left`."""
    return Apply("frem", left.sort, (left, right))


def fused(left: Float, right: Float, addend: Float) -> Float:
    """`left * right + addend`, rounded once."""
    return Apply("fused", left.sort, (left, right, addend))


def fsqrt(operand: Float) -> Float:
    """The rounded square root; NaN below -0, which is its own root."""
    return Apply("fsqrt", operand.sort, (operand,))


def to_integral(operand: Float, rounding: str) -> Float:
    """The integer next to the operand, in its format; -0 where a negative one is rounded to zero."""
    assert rounding in ROUNDINGS
    return Apply("to_integral", operand.sort, (operand,), name=rounding)


def fneg(operand: Float) -> Float:
    """The sign flipped."""
    return Apply("fneg", operand.sort, (operand,))


def fabs(operand: Float) -> Float:
    """The sign cleared."""
    return Apply("fabs", operand.sort, (operand,))


def flt(left: Float, right: Float) -> Bool:
    """`left < right`; false where either is NaN."""
    return Apply("flt", BOOL, (left, right))


def fle(left: Float, right: Float) -> Bool:
    """`left <= right`; false where either is NaN."""
    return Apply("fle", BOOL, (left, right))


def feq(left: Float, right: Float) -> Bool:
    """`left = right` as numbers: -0 equals +0, NaN equals nothing."""
    return Apply("feq", BOOL, (left, right))


def is_nan(operand: Float) -> Bool:
    """The operand is NaN."""
    return Apply("is_nan", BOOL, (operand,))


def is_infinite(operand: Float) -> Bool:
    """The operand is an infinity."""
    return Apply("is_infinite", BOOL, (operand,))


def is_negative(operand: Float) -> Bool:
    """The operand is not NaN and its sign is set: true of -0."""
    return Apply("is_negative", BOOL, (operand,))


def to_float(operand: Float, sort: Sort, rounding: str = "to_nearest_even") -> Float:
    """The float rounded to another format."""
    assert rounding in ROUNDINGS
    return operand if operand.sort == sort else Apply("to_float", sort, (operand,), name=rounding)


def to_bits(operand: Float, sort: Sort) -> Bits:
    """The float in memory, by its format's encoding; of NaN, some NaN's."""
    return Apply("to_bits", sort, (operand,))


def from_bits(operand: Bits, sort: Sort) -> Float:
    """The float of which the operand is the encoding."""
    return Apply("from_bits", sort, (operand,))


def signed_to_float(operand: Bits, sort: Sort) -> Float:
    """The signed value rounded once; infinite where it is too great."""
    return Apply("signed_to_float", sort, (operand,))


def unsigned_to_float(operand: Bits, sort: Sort) -> Float:
    """The unsigned value rounded once; infinite where it is too great."""
    return Apply("unsigned_to_float", sort, (operand,))


def float_to_signed(operand: Float, sort: Sort) -> Bits:
    """The value rounded to zero; 0 where `fits_signed` does not hold."""
    return Apply("float_to_signed", sort, (operand,))


def float_to_unsigned(operand: Float, sort: Sort) -> Bits:
    """The value rounded to zero; 0 where `fits_unsigned` does not hold."""
    return Apply("float_to_unsigned", sort, (operand,))


def fits_signed(operand: Float, sort: Sort) -> Bool:
    """Rounded to zero, the operand is a signed value of the bit-vector `sort`; false of NaN and infinities."""
    assert isinstance(sort, BitsSort)
    return Apply("fits_signed", BOOL, (operand,), sort.width)


def fits_unsigned(operand: Float, sort: Sort) -> Bool:
    """Rounded to zero, the operand is an unsigned value of the bit-vector `sort`: true of -0.5."""
    assert isinstance(sort, BitsSort)
    return Apply("fits_unsigned", BOOL, (operand,), sort.width)
