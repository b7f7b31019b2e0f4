"""Transcendental functions of the `math` dialect, which no standard defines to the last bit (LangRef, math dialect).

Each is a function of its operands, and nothing more is known of it: programs that use them are equivalent where they
apply the same one to equal operands. On f16 and bf16 it is the function on f32, rounded, as the pass
`math-extend-to-supported-types` and the lowerings to libraries have it. LangRef leaves that open, so a verdict that may
rest on it says so (`hecv.claim.assumptions`). A run takes the C library's (`hecv.run.evaluation.libm_functions`), as
MLIR's own lowering does. `math.sincos` is read as `math.sin` and `math.cos`.
"""

from __future__ import annotations

from typing import Final

from hecv.base.theory import Bits, BitsSort, Constant, Float, FloatSort, Outcome, fdiv, fmul, to_float, uninterpreted
from hecv.ops.arith_floats import fast
from hecv.ops.registry import Dialect

transcendental = Dialect("math")

NARROW: Final = frozenset({"f16", "bf16"})
"""Formats on which a function is the f32 function, rounded."""

STEPWISE: Final = frozenset({"math.fpowi"})
"""Functions that MLIR's own lowering builds from operations of their format, each rounded: on no format are they
derived from another."""


GREATEST_POWER: Final = 8
"""The greatest literal exponent for which `fpowi` is defined here."""


def function(name: str, fastmath: str, operand: Float, *more: Float) -> Outcome:
    """The function that C calls `name`; its result is a float like `operand`.

    Poison: what `fast` says.
    """
    operands = (operand, *more)
    assert isinstance(operand.sort, FloatSort)
    if operand.sort.name in NARROW:
        wide = FloatSort("f32")
        exact = [to_float(x, wide) for x in operands]
        value = to_float(uninterpreted(name, wide, *exact), operand.sort)
    else:
        value = uninterpreted(name, operand.sort, *operands)
    return fast(fastmath, (*operands, value), value)


@transcendental.op("acos", uninterpreted=True)
def acos(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The arc cosine.

    Poison: what `fast` says.
    Cites:  LangRef, math.acos.
    """
    return function("acos", fastmath, operand)


@transcendental.op("acosh", uninterpreted=True)
def acosh(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The inverse hyperbolic cosine.

    Poison: what `fast` says.
    Cites:  LangRef, math.acosh.
    """
    return function("acosh", fastmath, operand)


@transcendental.op("asin", uninterpreted=True)
def asin(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The arc sine.

    Poison: what `fast` says.
    Cites:  LangRef, math.asin.
    """
    return function("asin", fastmath, operand)


@transcendental.op("asinh", uninterpreted=True)
def asinh(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The inverse hyperbolic sine.

    Poison: what `fast` says.
    Cites:  LangRef, math.asinh.
    """
    return function("asinh", fastmath, operand)


@transcendental.op("atan", uninterpreted=True)
def atan(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The arc tangent.

    Poison: what `fast` says.
    Cites:  LangRef, math.atan.
    """
    return function("atan", fastmath, operand)


@transcendental.op("atanh", uninterpreted=True)
def atanh(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The inverse hyperbolic tangent.

    Poison: what `fast` says.
    Cites:  LangRef, math.atanh.
    """
    return function("atanh", fastmath, operand)


@transcendental.op("cbrt", uninterpreted=True)
def cbrt(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The cube root.

    Poison: what `fast` says.
    Cites:  LangRef, math.cbrt.
    """
    return function("cbrt", fastmath, operand)


@transcendental.op("cos", uninterpreted=True)
def cos(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The cosine.

    Poison: what `fast` says.
    Cites:  LangRef, math.cos.
    """
    return function("cos", fastmath, operand)


@transcendental.op("cosh", uninterpreted=True)
def cosh(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The hyperbolic cosine.

    Poison: what `fast` says.
    Cites:  LangRef, math.cosh.
    """
    return function("cosh", fastmath, operand)


@transcendental.op("erf", uninterpreted=True)
def erf(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The error function.

    Poison: what `fast` says.
    Cites:  LangRef, math.erf.
    """
    return function("erf", fastmath, operand)


@transcendental.op("erfc", uninterpreted=True)
def erfc(operand: Float, *, fastmath: str = "none") -> Outcome:
    """One less the error function.

    Poison: what `fast` says.
    Cites:  LangRef, math.erfc.
    """
    return function("erfc", fastmath, operand)


@transcendental.op("exp", uninterpreted=True)
def exp(operand: Float, *, fastmath: str = "none") -> Outcome:
    """e to the power of the operand.

    Poison: what `fast` says.
    Cites:  LangRef, math.exp.
    """
    return function("exp", fastmath, operand)


@transcendental.op("exp2", uninterpreted=True)
def exp2(operand: Float, *, fastmath: str = "none") -> Outcome:
    """2 to the power of the operand.

    Poison: what `fast` says.
    Cites:  LangRef, math.exp2.
    """
    return function("exp2", fastmath, operand)


@transcendental.op("expm1", uninterpreted=True)
def expm1(operand: Float, *, fastmath: str = "none") -> Outcome:
    """e to the power of the operand, less 1.

    Poison: what `fast` says.
    Cites:  LangRef, math.expm1.
    """
    return function("expm1", fastmath, operand)


@transcendental.op("log", uninterpreted=True)
def log(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The natural logarithm.

    Poison: what `fast` says.
    Cites:  LangRef, math.log.
    """
    return function("log", fastmath, operand)


@transcendental.op("log10", uninterpreted=True)
def log10(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The logarithm to base 10.

    Poison: what `fast` says.
    Cites:  LangRef, math.log10.
    """
    return function("log10", fastmath, operand)


@transcendental.op("log1p", uninterpreted=True)
def log1p(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The natural logarithm of one more than the operand.

    Poison: what `fast` says.
    Cites:  LangRef, math.log1p.
    """
    return function("log1p", fastmath, operand)


@transcendental.op("log2", uninterpreted=True)
def log2(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The logarithm to base 2.

    Poison: what `fast` says.
    Cites:  LangRef, math.log2.
    """
    return function("log2", fastmath, operand)


@transcendental.op("sin", uninterpreted=True)
def sin(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The sine.

    Poison: what `fast` says.
    Cites:  LangRef, math.sin.
    """
    return function("sin", fastmath, operand)


@transcendental.op("sinh", uninterpreted=True)
def sinh(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The hyperbolic sine.

    Poison: what `fast` says.
    Cites:  LangRef, math.sinh.
    """
    return function("sinh", fastmath, operand)


@transcendental.op("tan", uninterpreted=True)
def tan(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The tangent.

    Poison: what `fast` says.
    Cites:  LangRef, math.tan.
    """
    return function("tan", fastmath, operand)


@transcendental.op("tanh", uninterpreted=True)
def tanh(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The hyperbolic tangent.

    Poison: what `fast` says.
    Cites:  LangRef, math.tanh.
    """
    return function("tanh", fastmath, operand)


@transcendental.op("atan2", uninterpreted=True)
def atan2(y: Float, x: Float, *, fastmath: str = "none") -> Outcome:
    """The angle of the point `(x, y)`.

    Poison: what `fast` says.
    Cites:  LangRef, math.atan2.
    """
    return function("atan2", fastmath, y, x)


@transcendental.op("powf", uninterpreted=True)
def powf(base: Float, exponent: Float, *, fastmath: str = "none") -> Outcome:
    """`base` to the power of `exponent`.

    Poison: what `fast` says.
    Cites:  LangRef, math.powf.
    """
    return function("pow", fastmath, base, exponent)


@transcendental.op("fpowi", uninterpreted=True)
def fpowi(base: Float, exponent: Bits, *, fastmath: str = "none") -> Outcome:
    """`base` to the power of a signed integer.

    For a small literal it is what `convert-math-to-funcs` makes of it: products by squaring, each rounded, and the
    reciprocal if the exponent is negative. LangRef does not give the order of the products, so a verdict that rests on
    this says so.

    Poison: what `fast` says.
    Cites:  LangRef, math.fpowi; MLIR, convert-math-to-funcs, `__mlir_math_fpowi_*`.
    """
    power = small_power(exponent)
    if power is None:
        value = uninterpreted("powi", base.sort, base, exponent)
    else:
        value = _squared(base, abs(power))
        value = fdiv(Constant(base.sort, 1.0), value) if power < 0 else value
    return fast(fastmath, (base, value), value)


def small_power(exponent: Bits) -> int | None:
    """A literal exponent from `-GREATEST_POWER` to `GREATEST_POWER`, signed; None for any other."""
    if not isinstance(exponent, Constant) or not isinstance(exponent.sort, BitsSort):
        return None
    value, modulus = int(exponent.value), 1 << exponent.sort.width
    signed = value - modulus if 2 * value >= modulus else value
    return signed if abs(signed) <= GREATEST_POWER else None


def _squared(base: Float, power: int) -> Float:
    """The power by repeated squaring, from the lowest bit of `power` on."""
    result: Float | None = None
    square = base
    while power:
        if power & 1:
            result = square if result is None else fmul(result, square)
        power >>= 1
        square = fmul(square, square) if power else square
    return Constant(base.sort, 1.0) if result is None else result
