"""Bit-vectors. Where an op is undefined, its value is that of SMT-LIB."""

from __future__ import annotations

from hecv.base.theory.booleans import compare, eq, ite
from hecv.base.theory.expression import BOOL, Apply, Bits, BitsSort, Bool, Constant, Sort


def bits(value: int, sort: Sort) -> Constant:
    """The residue of `value`."""
    assert isinstance(sort, BitsSort)
    return Constant(sort, value % (1 << sort.width))


def size(operand: Bits) -> int:
    """The number of bits of `operand`."""
    assert isinstance(operand.sort, BitsSort)
    return operand.sort.width


def like(value: int, operand: Bits) -> Constant:
    """The residue of `value` in as many bits as `operand` has."""
    return bits(value, operand.sort)


def width(operand: Bits) -> Constant:
    """The number of bits of `operand`, as a bit-vector of that many bits: `w < 2**w` for every width."""
    return like(size(operand), operand)


def least(operand: Bits) -> Constant:
    """The least signed value of as many bits as `operand` has."""
    return like(1 << (size(operand) - 1), operand)


def bit(condition: Bool) -> Bits:
    """One bit: 1 where `condition` holds."""
    return ite(condition, Constant(BitsSort(1), 1), Constant(BitsSort(1), 0))


def holds(operand: Bits) -> Bool:
    """True if the one bit of `operand` is 1."""
    return eq(operand, like(1, operand))


def add(left: Bits, right: Bits) -> Bits:
    """`left + right` modulo `2**width`."""
    return Apply("add", left.sort, (left, right))


def sub(left: Bits, right: Bits) -> Bits:
    """`left - right` modulo `2**width`."""
    return Apply("sub", left.sort, (left, right))


def mul(left: Bits, right: Bits) -> Bits:
    """`left * right` modulo `2**width`."""
    return Apply("mul", left.sort, (left, right))


def udiv(left: Bits, right: Bits) -> Bits:
    """The unsigned quotient; all ones where `right` is 0."""
    return Apply("udiv", left.sort, (left, right))


def urem(left: Bits, right: Bits) -> Bits:
    """The unsigned remainder; `left` where `right` is 0."""
    return Apply("urem", left.sort, (left, right))


def sdiv(left: Bits, right: Bits) -> Bits:
    """The signed quotient rounded to zero, modulo `2**width`; by 0 it is 1 where `left < 0` and -1 elsewhere."""
    return Apply("sdiv", left.sort, (left, right))


def srem(left: Bits, right: Bits) -> Bits:
    """`left - right * sdiv(left, right)`: the sign is that of `left`; `left` where `right` is 0."""
    return Apply("srem", left.sort, (left, right))


def shl(left: Bits, right: Bits) -> Bits:
    """`left * 2**right` modulo `2**width`, 0 where `right >= width` (unsigned)."""
    return Apply("shl", left.sort, (left, right))


def lshr(left: Bits, right: Bits) -> Bits:
    """The floor of unsigned `left / 2**right`, with `right` unsigned."""
    return Apply("lshr", left.sort, (left, right))


def ashr(left: Bits, right: Bits) -> Bits:
    """The floor of signed `left / 2**right`, with `right` unsigned."""
    return Apply("ashr", left.sort, (left, right))


def bit_and(left: Bits, right: Bits) -> Bits:
    """Bitwise conjunction."""
    return Apply("bit_and", left.sort, (left, right))


def bit_or(left: Bits, right: Bits) -> Bits:
    """Bitwise disjunction."""
    return Apply("bit_or", left.sort, (left, right))


def bit_xor(left: Bits, right: Bits) -> Bits:
    """Bitwise exclusive disjunction."""
    return Apply("bit_xor", left.sort, (left, right))


def zext(operand: Bits, sort: Sort) -> Bits:
    """The unsigned value of `operand` in a sort at least as wide."""
    return operand if operand.sort == sort else Apply("zext", sort, (operand,))


def sext(operand: Bits, sort: Sort) -> Bits:
    """The signed value of `operand` in a sort at least as wide."""
    return operand if operand.sort == sort else Apply("sext", sort, (operand,))


def trunc(operand: Bits, sort: Sort) -> Bits:
    """The low bits of `operand`."""
    return operand if operand.sort == sort else Apply("trunc", sort, (operand,))


def popcount(operand: Bits) -> Bits:
    """The number of bits that are 1."""
    return Apply("popcount", operand.sort, (operand,))


def bit_length(operand: Bits) -> Bits:
    """The number of bits without leading zeros: 0 for 0."""
    return Apply("bit_length", operand.sort, (operand,))


def power(base: Bits, exponent: Bits) -> Bits:
    """`base**exponent` modulo `2**width`, with `exponent` unsigned; `0**0` is 1."""
    return Apply("power", base.sort, (base, exponent))


def overflows(kind: str, left: Bits, right: Bits) -> Bool:
    """True if the exact result is not a value of the sort; `kind` is `sadd`, `uadd`, `ssub`, `usub`, `smul` or `umul`
    (SMT-LIB `bvsaddo` and its kin)."""
    return Apply(kind + "_overflows", BOOL, (left, right))


def _signed(constant: Constant) -> int:
    half = 1 << (size(constant) - 1)
    return (int(constant.value) ^ half) - half


def ult(left: Bits, right: Bits) -> Bool:
    """`left < right`, unsigned."""
    return compare("ult", left, right, lambda a, b: a.value < b.value)


def ule(left: Bits, right: Bits) -> Bool:
    """`left <= right`, unsigned."""
    return compare("ule", left, right, lambda a, b: a.value <= b.value)


def slt(left: Bits, right: Bits) -> Bool:
    """`left < right`, signed."""
    return compare("slt", left, right, lambda a, b: _signed(a) < _signed(b))


def sle(left: Bits, right: Bits) -> Bool:
    """`left <= right`, signed."""
    return compare("sle", left, right, lambda a, b: _signed(a) <= _signed(b))
