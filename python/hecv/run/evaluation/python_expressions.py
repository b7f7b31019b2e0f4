"""The theory as Python: text for the expressions of `hecv.base.theory`, and the functions that the text calls.

A bit-vector has three texts: `unsigned` gives its residue, `signed` its two's complement value, and `modular` any
integer congruent to it, which avoids masks inside a sum of products. Operands are names or literals, so text may repeat
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NoReturn

from msgspec import Struct

from hecv.base.theory import Apply, BitsSort, Constant, Expression, FloatSort, Outcome, Sort, Variable, is_open, size
from hecv.base.value import POISON
from hecv.run.evaluation.libm_functions import INSTANCES
from hecv.run.evaluation.softfloat import (
    F32,
    ONE_ZERO,
    ROUND,
    fdiv_zero,
    frem,
    from_bits,
    fsqrt,
    integer_to_f64,
    integer_to_odd,
    round_to,
    sum_to_odd,
    to_bits,
    to_integral,
)

ROUNDED: Final = frozenset({"fadd", "fsub", "fmul", "fdiv", "fused", "fsqrt", "to_float"})
SIGNED_ZEROS: Final = frozenset({"fneg", "frem", "to_integral"})
"""Functions that do not round but may give -0 for another number."""

_SIGNED: Final = frozenset({"srem", "ashr", "sext", "float_to_signed"})
_INFIX: Final = {"add": "+", "sub": "-", "mul": "*", "bit_and": "&", "bit_or": "|", "bit_xor": "^"}
_FLOAT_INFIX: Final = {"fadd": "+", "fsub": "-", "fmul": "*"}


# Functions the text calls


class LeftOpen(Exception):
    """A run needs a value that the semantics leaves open: the run ends without an answer."""


def left_open() -> NoReturn:
    """Raises: LeftOpen."""
    raise LeftOpen


def sdiv(left: int, right: int) -> int:
    """The quotient of signed integers rounded to zero; by 0 it is 1 where `left < 0` and -1 elsewhere."""
    if right == 0:
        return 1 if left < 0 else -1
    return left // right if (left < 0) == (right < 0) else -(-left // right)


def srem(left: int, right: int) -> int:
    """The remainder with the sign of `left`; `left` by 0."""
    if right == 0:
        return left
    return left % abs(right) if left >= 0 else -(-left % abs(right))


NAMESPACE: Final[dict[str, object]] = {
    "POISON": POISON,
    "F32": F32,
    "inf": math.inf,
    "nan": math.nan,
    "copysign": math.copysign,
    **{f.__name__: f for f in (sdiv, srem, left_open)},
    **{f"round_{name}": f for name, f in ROUND.items()},
    **{f.__name__: f for f in (round_to, to_integral, sum_to_odd)},
    **{f.__name__: f for f in (integer_to_f64, integer_to_odd, frem, fdiv_zero, fsqrt, to_bits, from_bits)},
    **INSTANCES,
}


# Literals


def integer_text(value: int) -> str:
    """An integer literal that is safe as an operand."""
    return str(value) if value >= 0 else f"({value})"


def float_text(value: float) -> str:
    """A float literal that is safe as an operand."""
    if value != value:
        return "nan"
    if value in (math.inf, -math.inf):
        return "inf" if value > 0 else "(-inf)"
    return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"


# Bit-vectors


def unsigned(e: Expression) -> str:
    """The residue, `0 <= value < 2**width`."""
    mask = (1 << size(e)) - 1
    match e:
        case Constant():
            return integer_text(int(e.value))
        case Variable():
            return f"({e.name} & {mask})" if e.signed else e.name
        case Apply(op="bit_and" | "bit_or" | "bit_xor", args=(a, b)):
            return f"({unsigned(a)} {_INFIX[e.op]} {unsigned(b)})"
        case Apply(op="lshr", args=(a, b)):
            return f"({unsigned(a)} >> {unsigned(b)})"
        case Apply(op="udiv", args=(a, b)):
            return f"({unsigned(a)} // {unsigned(b)} if {unsigned(b)} else {mask})"
        case Apply(op="urem", args=(a, b)):
            return f"({unsigned(a)} % {unsigned(b)} if {unsigned(b)} else {unsigned(a)})"
        case Apply(op="zext", args=(a,)):
            return unsigned(a)
        case Apply(op="ite", args=(c, a, b)):
            return f"({unsigned(a)} if {boolean(c)} else {unsigned(b)})"
        case Apply(op="float_to_unsigned", args=(a,)):
            return f"(int({real(a)}) if -1 < {real(a)} < {mask + 1} else 0)"
        case Apply(op="to_bits", args=(a,)):
            return f"to_bits({real(a)}, {_format(a)!r})"
        case Apply(op="popcount", args=(a,)):
            return f"({unsigned(a)}).bit_count()"
        case Apply(op="bit_length", args=(a,)):
            return f"({unsigned(a)}).bit_length()"
        case Apply(op="power", args=(a, b)):
            return f"pow({unsigned(a)}, {unsigned(b)}, {mask + 1})"
        case Apply(op="left_open"):
            return "left_open()"
        case _:
            return f"({modular(e)} & {mask})"


def signed(e: Expression) -> str:
    """The two's complement value, `-2**(width - 1) <= value < 2**(width - 1)`."""
    half = 1 << (size(e) - 1)
    match e:
        case Constant():
            return integer_text((int(e.value) ^ half) - half)
        case Variable(signed=True):
            return e.name
        case Apply(op="bit_and" | "bit_or" | "bit_xor", args=(a, b)):
            return f"({signed(a)} {_INFIX[e.op]} {signed(b)})"
        case Apply(op="srem", args=(a, b)):
            return f"srem({signed(a)}, {signed(b)})"
        case Apply(op="ashr", args=(a, b)):
            return f"({signed(a)} >> {unsigned(b)})"
        case Apply(op="sext", args=(a,)):
            return signed(a)
        case Apply(op="ite", args=(c, a, b)):
            return f"({signed(a)} if {boolean(c)} else {signed(b)})"
        case Apply(op="float_to_signed", args=(a,)):
            return f"(int({real(a)}) if {-half - 1} < {real(a)} < {half} else 0)"
        case _:
            return f"(({unsigned(e)} ^ {half}) - {half})"


def modular(e: Expression) -> str:
    """Some integer congruent to the value modulo `2**width`; exact for a sum or product of operands."""
    match e:
        case Apply(op="add" | "sub" | "mul" | "bit_and" | "bit_or" | "bit_xor", args=(a, b)):
            return f"({modular(a)} {_INFIX[e.op]} {modular(b)})"
        case Apply(op="shl", args=(a, b)):
            return f"({modular(a)} << {unsigned(b)} if {unsigned(b)} < {size(e)} else 0)"
        case Apply(op="sdiv", args=(a, b)):
            return f"sdiv({signed(a)}, {signed(b)})"
        case Apply(op="ite", args=(c, a, b)):
            return f"({modular(a)} if {boolean(c)} else {modular(b)})"
        case Apply(op="trunc", args=(a,)):
            return modular(a)
        case Variable():
            return e.name
        case _:
            return signed(e) if _prefers_signed(e) or isinstance(e, Constant) else unsigned(e)


def _prefers_signed(e: Expression) -> bool:
    if isinstance(e, Apply):
        return e.op in _SIGNED or (e.op == "ite" and any(_prefers_signed(a) for a in e.args[1:]))
    return isinstance(e, Variable) and e.signed


def _ordered(e: Expression) -> str:
    """An integer whose order is the signed order: the residue with the sign bit flipped."""
    half = 1 << (size(e) - 1)
    return integer_text(int(e.value) ^ half) if isinstance(e, Constant) else f"({unsigned(e)} ^ {half})"


# Truth values


def boolean(e: Expression) -> str:
    """A Python condition."""
    match e:
        case Constant():
            return "True" if e.value else "False"
        case Apply(op="left_open"):
            return "left_open()"
        case Apply(op="poisoned", args=(a,)):
            assert isinstance(a, Variable)
            return f"{a.name} is POISON"
        case Apply(op="not_", args=(a,)):
            return f"(not {boolean(a)})"
        case Apply(op="any_of"):
            return "(" + " or ".join(boolean(a) for a in e.args) + ")"
        case Apply(op="all_of"):
            return "(" + " and ".join(boolean(a) for a in e.args) + ")"
        case Apply(op="ite", args=(c, a, b)):
            return f"({boolean(a)} if {boolean(c)} else {boolean(b)})"
        case Apply(args=(a, *_)) if isinstance(a.sort, FloatSort):
            return _float_condition(e)
        case Apply(op=op) if op.endswith("_overflows"):
            return _overflow(e)
        case Apply():
            return _comparison(e)
        case _:
            raise AssertionError(e)


def _comparison(e: Apply) -> str:
    left, right = e.args
    match e.op, left.sort:
        case "eq", BitsSort(width=1) if isinstance(right, Constant) and right.value == 1:
            return unsigned(left)
        case "eq", BitsSort() if _prefers_signed(left) or _prefers_signed(right):
            return f"({signed(left)} == {signed(right)})"
        case "eq", BitsSort():
            return f"({unsigned(left)} == {unsigned(right)})"
        case "eq", _:
            return f"({boolean(left)} == {boolean(right)})"
        case "ult" | "ule", _:
            return f"({unsigned(left)} {'<' if e.op == 'ult' else '<='} {unsigned(right)})"
        case "slt" | "sle", _:
            text = signed if _prefers_signed(left) or _prefers_signed(right) else _ordered
            return f"({text(left)} {'<' if e.op == 'slt' else '<='} {text(right)})"
        case "ile", _:
            return f"({exact(left)} <= {exact(right)})"
        case _:
            raise AssertionError(e.op)


def _overflow(e: Apply) -> str:
    left, right = e.args
    half = 1 << (size(left) - 1)
    sign = {"add": "+", "sub": "-", "mul": "*"}[e.op[1:4]]
    if e.op[0] == "s":
        return f"(not {-half} <= {signed(left)} {sign} {signed(right)} < {half})"
    return f"(not 0 <= {unsigned(left)} {sign} {unsigned(right)} < {2 * half})"


def _float_condition(e: Apply) -> str:
    x = real(e.args[0])
    match e.op:
        case "flt" | "fle" | "feq":
            return f"({x} {'<' if e.op == 'flt' else '<=' if e.op == 'fle' else '=='} {real(e.args[1])})"
        case "is_nan":
            return f"({x} != {x})"
        case "is_infinite":
            return f"({x} in (inf, -inf))"
        case "is_negative":
            return f"(copysign(1.0, {x}) < 0 and {x} == {x})"
        case "fits_signed":
            half = 1 << (e.parameter - 1)
            return f"({-half - 1} < {x} < {half})"  # Python compares floats with integers exactly
        case "fits_unsigned":
            return f"(-1 < {x} < {1 << e.parameter})"
        case _:
            raise AssertionError(e.op)


# Exact integers


def exact(e: Expression) -> str:
    """An exact integer."""
    match e:
        case Constant():
            return integer_text(int(e.value))
        case Variable():
            return e.name
        case Apply(op="isum"):
            return "(" + " + ".join(exact(a) for a in e.args) + ")"
        case Apply(op="imul", args=(a, b)):
            return f"({exact(a)} * {exact(b)})"
        case Apply(op="ifloordiv", args=(a, Constant(value=by) as b)) if by:
            return f"({exact(a)} // {exact(b)})"
        case Apply(op="ifloordiv", args=(a, b)):
            return f"({exact(a)} // {exact(b)} if {exact(b)} else 0)"
        case Apply(op="imax" | "imin", args=(a, b)):
            return f"({exact(a)} if {exact(a)} {'>' if e.op == 'imax' else '<'} {exact(b)} else {exact(b)})"
        case Apply(op="imax" | "imin"):
            return f"{e.op[1:]}({', '.join(exact(a) for a in e.args)})"
        case Apply(op="ite", args=(c, a, b)):
            return f"({exact(a)} if {boolean(c)} else {exact(b)})"
        case Apply(op="left_open"):
            return "left_open()"
        case _:
            raise AssertionError(e)


# Floats


def real(e: Expression) -> str:
    """A float that its format can represent."""
    text = unrounded(e)
    return _rounded(text, e.sort) if isinstance(e, Apply) and needs_rounding(e) else text


def needs_rounding(e: Apply) -> bool:
    """True if the text of `unrounded` is an f64 that the format of `e` may not represent."""
    if e.op == "to_float":
        source, target = e.args[0].sort, e.sort
        assert isinstance(source, FloatSort) and isinstance(target, FloatSort)
        narrower = target.name != "f64" and (target.name != "f32" or source.name == "f64")
        return narrower and e.name == "to_nearest_even"
    return (e.op in ROUNDED and e.sort != FloatSort("f64")) or (e.op in SIGNED_ZEROS and _format(e) in ONE_ZERO)


def unrounded(e: Expression) -> str:
    """A float in f64; it is rounded to the format of `e` afterwards."""
    match e:
        case Constant():
            return float_text(float(e.value))
        case Variable():
            return e.name
        case Apply(op="fadd" | "fsub" | "fmul", args=(a, b)):
            return f"({real(a)} {_FLOAT_INFIX[e.op]} {real(b)})"
        case Apply(op="fdiv", args=(a, b)):
            return f"({real(a)} / {real(b)} if {real(b)} else fdiv_zero({real(a)}, {real(b)}))"
        case Apply(op="frem", args=(a, b)):
            return f"frem({real(a)}, {real(b)})"
        case Apply(op="fneg", args=(a,)):
            return f"(-{real(a)})"
        case Apply(op="fabs", args=(a,)):
            return f"abs({real(a)})"
        case Apply(op="fused", args=(a, b, c)):
            if _format(e) == "f64":
                return f"fma_f64({real(a)}, {real(b)}, {real(c)})"
            return f"sum_to_odd({real(a)} * {real(b)}, {real(c)})"
        case Apply(op="fsqrt" | "to_integral" | "from_bits" | "uninterpreted"):
            return _float_call(e)
        case Apply(op="to_float", args=(a,)):
            exactly = e.name == "to_nearest_even" or _format(e) == "f64"
            return real(a) if exactly else f"round_to({real(a)}, {_format(e)!r}, {e.name!r})"
        case Apply(op="ite", args=(c, a, b)):
            return f"({real(a)} if {boolean(c)} else {real(b)})"
        case Apply(op="left_open"):
            return "left_open()"
        case Apply(op="signed_to_float", args=(a,)):
            return _integer_to_float(signed(a), size(a), e.sort)
        case Apply(op="unsigned_to_float", args=(a,)):
            return _integer_to_float(unsigned(a), size(a), e.sort)
        case _:
            raise AssertionError(e)


def _float_call(e: Apply) -> str:
    match e.op:
        case "fsqrt":
            return f"fsqrt({real(e.args[0])})"
        case "to_integral":
            return f"to_integral({real(e.args[0])}, {e.name!r})"
        case "from_bits":
            return f"from_bits({unsigned(e.args[0])}, {_format(e)!r})"
        case _:
            floats = [real(a) for a in e.args if isinstance(a.sort, FloatSort)]
            integers = [f"{signed(a)}, {size(a)}" for a in e.args if isinstance(a.sort, BitsSort)]
            return f"{e.name}_{_format(e)}({', '.join([*floats, *integers])})"


def _format(e: Expression) -> str:
    assert isinstance(e.sort, FloatSort)
    return e.sort.name


def _integer_to_float(text: str, width: int, sort: Sort) -> str:
    if sort == FloatSort("f64"):
        return f"float({text})" if width < 1023 else f"integer_to_f64({text})"
    return _rounded(f"float({text})" if width <= 53 else f"integer_to_odd({text})", sort)


def _rounded(text: str, sort: Sort) -> str:
    assert isinstance(sort, FloatSort)
    return text if sort.name == "f64" else f"round_{sort.name}({text})"


# Whole ops


class Pattern(Struct, frozen=True):
    """The text of one op, with `{0}`, `{1}`... for its operands.

    `poison` and `ub` are None if they cannot hold. With `f32` the value is still to be rounded to f32; with `wraps` it
    is the exact result, to be tested against the range of its type. An `open` one may raise `LeftOpen`.
    """

    value: str
    poison: str | None
    ub: str | None
    f32: bool
    wraps: bool
    open: bool


def pattern(outcome: Outcome, text: Callable[[Expression], str], wraps: bool) -> Pattern:
    """The pattern of an outcome whose value `text` prints; its variables are named `{0}`, `{1}`..."""
    value = outcome.value
    f32 = isinstance(value, Apply) and value.sort == FloatSort("f32") and needs_rounding(value)
    return Pattern(
        unrounded(value) if f32 else text(value),
        condition_text(outcome.poison),
        condition_text(outcome.ub),
        f32,
        wraps,
        any(map(is_open, (value, outcome.poison, outcome.ub))),
    )


def condition_text(condition: Expression) -> str | None:
    """The text of a condition; None for the constant false."""
    if isinstance(condition, Constant) and not condition.value:
        return None
    return boolean(condition)
