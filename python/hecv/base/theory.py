"""A small solver-free theory in which the meaning of every scalar op is written once.

Expressions are plain trees over four sorts: truth values, bit-vectors, exact integers and floats. Every function here
is total, with the values of SMT-LIB where it has one (`udiv(x, 0)` is all ones). The interpreter prints the trees as
Python, a solver translates them, and neither adds a case of its own.

Constructors fold only truth values, so that a condition that cannot fail is the constant `TRUE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hecv.base.diag import Unsupported
from hecv.base.types import FloatType, IndexType, OpaqueType, ScalarType


@dataclass(frozen=True, slots=True)
class BoolSort:
    """Truth values."""


@dataclass(frozen=True, slots=True)
class BitsSort:
    """Bit-vectors of `width` bits."""

    width: int


@dataclass(frozen=True, slots=True)
class IntegerSort:
    """Exact integers."""


@dataclass(frozen=True, slots=True)
class FloatSort:
    """The values of a float format by its MLIR name; there is one NaN."""

    name: str


Sort = BoolSort | BitsSort | IntegerSort | FloatSort

BOOL: Final = BoolSort()
INTEGER: Final = IntegerSort()


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A literal; that of a bit-vector is its residue, `0 <= value < 2**width`."""

    sort: Sort
    value: int | float | bool


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """An operand. `proper` says that it is known not to be poison; `signed` that its residue is given in two's
    complement, as `index` values are."""

    sort: Sort
    name: str
    proper: bool = False
    signed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """`op(args)`, by the name of the function below that makes it.

    `parameter` is the width that `fits_*` speak of, `name` a rounding mode or the name of an `uninterpreted` function.
    """

    op: str
    sort: Sort
    args: tuple[Expression, ...]
    parameter: int = 0
    name: str = ""


Expression = Constant | Variable | Apply
Bits = Expression
Bool = Expression
Float = Expression
Integer = Expression

TRUE: Final = Constant(BOOL, True)
FALSE: Final = Constant(BOOL, False)

ROUNDINGS: Final = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""Rounding modes by their names in MLIR, in the order of its numbers."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an op does: a total `value`, where that value is poison, and where the op is undefined behaviour."""

    value: Expression
    poison: Bool = FALSE
    ub: Bool = FALSE


def outcome(value: Expression | Outcome) -> Outcome:
    """`value` as an outcome: always defined where it is a bare expression."""
    return value if isinstance(value, Outcome) else Outcome(value)


def poison_unless(condition: Bool, value: Expression | Outcome) -> Outcome:
    """`value`, poison where `condition` is false; the outermost condition is looked at first."""
    whole = outcome(value)
    return replace(whole, poison=any_of(not_(condition), whole.poison))


def undefined_unless(condition: Bool, value: Expression | Outcome) -> Outcome:
    """`value`, undefined behaviour where `condition` is false; the outermost condition is looked at first."""
    whole = outcome(value)
    return replace(whole, ub=any_of(not_(condition), whole.ub))


def sort_of(type_: ScalarType, index_width: int) -> Sort:
    """The sort of a scalar type, with `index` as a bit-vector.

    Raises: Unsupported for a type without meaning here.
    """
    if isinstance(type_, FloatType):
        return FloatSort(type_.name)
    if isinstance(type_, OpaqueType):
        raise Unsupported(f"values of type `{type_}` are not known here", None)
    return BitsSort(index_width if isinstance(type_, IndexType) else type_.width)


# Truth values


def poisoned(operand: Expression) -> Bool:
    """The operand is poison. Whatever else reads the operand must stand after this in an `any_of`."""
    proper = not isinstance(operand, Variable) or operand.proper
    return FALSE if proper else Apply("poisoned", BOOL, (operand,))


def not_(condition: Bool) -> Bool:
    """The negation of `condition`."""
    if isinstance(condition, Constant):
        return FALSE if condition.value else TRUE
    if isinstance(condition, Apply) and condition.op == "not_":
        return condition.args[0]
    return Apply("not_", BOOL, (condition,))


def any_of(*conditions: Bool) -> Bool:
    """One of `conditions` holds; later ones are not looked at once one does."""
    return _connect("any_of", conditions, TRUE)


def all_of(*conditions: Bool) -> Bool:
    """Each of `conditions` holds; later ones are not looked at once one does not."""
    return _connect("all_of", conditions, FALSE)


def _connect(op: str, conditions: tuple[Bool, ...], absorbing: Constant) -> Bool:
    kept: list[Bool] = []
    for condition in conditions:
        if not isinstance(condition, Constant):
            kept.append(condition)
        elif condition.value == absorbing.value:
            return absorbing
    if not kept:
        return not_(absorbing)
    return kept[0] if len(kept) == 1 else Apply(op, BOOL, tuple(kept))


def ite(condition: Bool, then: Expression, otherwise: Expression) -> Expression:
    """`then` where `condition` holds, else `otherwise`; only the chosen one is looked at."""
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    return Apply("ite", then.sort, (condition, then, otherwise))


def left_open(sort: Sort) -> Expression:
    """A value that is left open: an implementation may choose any, so nothing may rest on it. A run stops here."""
    return Apply("left_open", sort, ())


def open_unless(condition: Bool, value: Expression) -> Expression:
    """`value` where `condition` holds, and left open elsewhere."""
    return ite(condition, value, left_open(value.sort))


def is_open(expression: Expression) -> bool:
    """Whether some part of the expression may be left open."""
    if not isinstance(expression, Apply):
        return False
    return expression.op == "left_open" or any(map(is_open, expression.args))


def uninterpreted(name: str, sort: Sort, *operands: Expression) -> Expression:
    """A function of which nothing is known but that it is one; a run takes an instance of it."""
    return Apply("uninterpreted", sort, operands, name=name)


# Bit-vectors


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
    """The one bit of `operand` is 1."""
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
    """How many bits are 1."""
    return Apply("popcount", operand.sort, (operand,))


def bit_length(operand: Bits) -> Bits:
    """How many bits are left without the leading zeros: 0 for 0."""
    return Apply("bit_length", operand.sort, (operand,))


def power(base: Bits, exponent: Bits) -> Bits:
    """`base**exponent` modulo `2**width`, with `exponent` unsigned; `0**0` is 1."""
    return Apply("power", base.sort, (base, exponent))


def overflows(kind: str, left: Bits, right: Bits) -> Bool:
    """The exact result is not a value of the sort; `kind` is one of `sadd uadd ssub usub smul umul` (SMT-LIB
    `bvsaddo` and its kin)."""
    return Apply(kind + "_overflows", BOOL, (left, right))


def _signed(constant: Constant) -> int:
    half = 1 << (size(constant) - 1)
    return (int(constant.value) ^ half) - half


def _compare(op: str, left: Bits, right: Bits, decide: Callable[[Constant, Constant], bool]) -> Bool:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return TRUE if decide(left, right) else FALSE
    return Apply(op, BOOL, (left, right))


def eq(left: Expression, right: Expression) -> Bool:
    """Both are the same bit-vector, truth value or integer."""
    return _compare("eq", left, right, lambda a, b: a.value == b.value)


def ult(left: Bits, right: Bits) -> Bool:
    """`left < right`, unsigned."""
    return _compare("ult", left, right, lambda a, b: a.value < b.value)


def ule(left: Bits, right: Bits) -> Bool:
    """`left <= right`, unsigned."""
    return _compare("ule", left, right, lambda a, b: a.value <= b.value)


def slt(left: Bits, right: Bits) -> Bool:
    """`left < right`, signed."""
    return _compare("slt", left, right, lambda a, b: _signed(a) < _signed(b))


def sle(left: Bits, right: Bits) -> Bool:
    """`left <= right`, signed."""
    return _compare("sle", left, right, lambda a, b: _signed(a) <= _signed(b))


# Exact integers


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
    return _compare("ile", left, right, lambda a, b: a.value <= b.value)


# Floats: IEEE-754, rounded once, where nothing else is said to nearest with ties to even


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
