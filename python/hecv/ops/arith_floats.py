"""The `arith` dialect on floats, and its casts between floats and integers. LangRef below is MLIR's arith dialect.

Values are IEEE-754, rounded to nearest with ties to even, and compared up to the sign and payload of NaN. Of the
`fastmath` flags, `nnan` and `ninf` make poison; the others license rewrites and change no value here.
"""

from __future__ import annotations

from collections.abc import Callable

from hecv.base.theory import (
    FALSE,
    TRUE,
    Bits,
    BitsSort,
    Bool,
    Constant,
    Float,
    FloatSort,
    Outcome,
    Sort,
    all_of,
    any_of,
    bit,
    fabs,
    fadd,
    fdiv,
    feq,
    fits_signed,
    fits_unsigned,
    fle,
    float_to_signed,
    float_to_unsigned,
    flt,
    fmul,
    fneg,
    frem,
    from_bits,
    fsub,
    is_infinite,
    is_nan,
    is_negative,
    ite,
    like,
    not_,
    open_unless,
    poison_unless,
    signed_to_float,
    sle,
    to_bits,
    to_float,
    unsigned_to_float,
)
from hecv.ops.op_facts import Extremum, Facts
from hecv.ops.registry import Dialect

arith_floats = Dialect("arith")


def fast(flags: str, floats: tuple[Float, ...], value: Float | Bits) -> Outcome:
    """`value`, poison where a float among `floats` is NaN under `nnan` or infinite under `ninf`.

    Cites: LLVM LangRef, fast-math flags.
    """
    named = flags.replace(" ", "").split(",")
    no_nan = "nnan" in named or "fast" in named
    no_infinity = "ninf" in named or "fast" in named
    nan = any_of(*[is_nan(f) for f in floats]) if no_nan else FALSE
    infinite = any_of(*[is_infinite(f) for f in floats]) if no_infinity else FALSE
    return poison_unless(not_(nan), poison_unless(not_(infinite), value))


@arith_floats.op("addf", Facts(commutative=True, regroups=True, neutral=-0.0, undone_by="arith.subf"))
def addf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The rounded sum.

    Poison: what `fast` says.
    Cites:  LangRef, arith.addf.
    """
    value = fadd(lhs, rhs)
    return fast(fastmath, (lhs, rhs, value), value)


@arith_floats.op("subf", Facts(neutral=0.0, subtracts="arith.addf", undone_by="arith.addf"))
def subf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The rounded difference.

    Poison: what `fast` says.
    Cites:  LangRef, arith.subf.
    """
    value = fsub(lhs, rhs)
    return fast(fastmath, (lhs, rhs, value), value)


@arith_floats.op("mulf", Facts(commutative=True, regroups=True, neutral=1.0))
def mulf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The rounded product.

    Poison: what `fast` says.
    Cites:  LangRef, arith.mulf.
    """
    value = fmul(lhs, rhs)
    return fast(fastmath, (lhs, rhs, value), value)


@arith_floats.op("divf")
def divf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The rounded quotient; division by zero gives an infinity or NaN.

    Poison: what `fast` says.
    Cites:  LangRef, arith.divf.
    """
    value = fdiv(lhs, rhs)
    return fast(fastmath, (lhs, rhs, value), value)


@arith_floats.op("remf")
def remf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """C's `fmod`: exact, with the sign of `lhs`.

    Poison: what `fast` says.
    Cites:  LangRef, arith.remf; LLVM LangRef, frem.
    """
    value = frem(lhs, rhs)
    return fast(fastmath, (lhs, rhs, value), value)


@arith_floats.op("negf")
def negf(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The sign flipped.

    Poison: what `fast` says.
    Cites:  LangRef, arith.negf.
    """
    return fast(fastmath, (operand,), fneg(operand))


def greater(lhs: Float, rhs: Float) -> Float:
    """The greater of two floats that are not NaN, with -0 < +0."""
    return ite(flt(lhs, rhs), rhs, ite(flt(rhs, lhs), lhs, ite(is_negative(lhs), rhs, lhs)))


def lesser(lhs: Float, rhs: Float) -> Float:
    """The lesser of two floats that are not NaN, with -0 < +0."""
    return ite(flt(lhs, rhs), lhs, ite(flt(rhs, lhs), rhs, ite(is_negative(lhs), lhs, rhs)))


@arith_floats.op(
    "maximumf",
    Facts(
        commutative=True,
        associative=True,
        idempotent=True,
        neutral=float("-inf"),
        extremum=Extremum(greatest=True, signed=True),
    ),
)
def maximumf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The greater, with -0 < +0; NaN where either is.

    Poison: what `fast` says.
    Cites:  LangRef, arith.maximumf.
    """
    return fast(fastmath, (lhs, rhs), ite(is_nan(lhs), lhs, ite(is_nan(rhs), rhs, greater(lhs, rhs))))


@arith_floats.op(
    "minimumf",
    Facts(
        commutative=True,
        associative=True,
        idempotent=True,
        neutral=float("inf"),
        extremum=Extremum(greatest=False, signed=True),
    ),
)
def minimumf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The lesser, with -0 < +0; NaN where either is.

    Poison: what `fast` says.
    Cites:  LangRef, arith.minimumf.
    """
    return fast(fastmath, (lhs, rhs), ite(is_nan(lhs), lhs, ite(is_nan(rhs), rhs, lesser(lhs, rhs))))


@arith_floats.op("maxnumf", Facts(idempotent=True, choosing=True, extremum=Extremum(greatest=True, signed=True)))
def maxnumf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The greater; where one is NaN, the other. Of -0 and +0 LangRef allows either: +0 here.

    Poison: what `fast` says.
    Cites:  LangRef, arith.maxnumf.
    """
    return fast(fastmath, (lhs, rhs), ite(is_nan(lhs), rhs, ite(is_nan(rhs), lhs, greater(lhs, rhs))))


@arith_floats.op("minnumf", Facts(idempotent=True, choosing=True, extremum=Extremum(greatest=False, signed=True)))
def minnumf(lhs: Float, rhs: Float, *, fastmath: str = "none") -> Outcome:
    """The lesser; where one is NaN, the other. Of -0 and +0 LangRef allows either: -0 here.

    Poison: what `fast` says.
    Cites:  LangRef, arith.minnumf.
    """
    return fast(fastmath, (lhs, rhs), ite(is_nan(lhs), rhs, ite(is_nan(rhs), lhs, lesser(lhs, rhs))))


def unordered(lhs: Float, rhs: Float) -> Bool:
    """One of the two is NaN."""
    return any_of(is_nan(lhs), is_nan(rhs))


PREDICATES: dict[str, Callable[[Float, Float], Bool]] = {
    "false": lambda a, b: FALSE,
    "oeq": feq,
    "ogt": lambda a, b: flt(b, a),
    "oge": lambda a, b: fle(b, a),
    "olt": flt,
    "ole": fle,
    "one": lambda a, b: any_of(flt(a, b), flt(b, a)),
    "ord": lambda a, b: not_(unordered(a, b)),
    "ueq": lambda a, b: all_of(not_(flt(a, b)), not_(flt(b, a))),
    "ugt": lambda a, b: not_(fle(a, b)),
    "uge": lambda a, b: not_(flt(a, b)),
    "ult": lambda a, b: not_(fle(b, a)),
    "ule": lambda a, b: not_(flt(b, a)),
    "une": lambda a, b: not_(feq(a, b)),
    "uno": unordered,
    "true": lambda a, b: TRUE,
}


@arith_floats.op("cmpf")
def cmpf(lhs: Float, rhs: Float, *, predicate: str, fastmath: str = "none") -> Outcome:
    """One bit: the predicate holds; `o...` are false and `u...` true where an operand is NaN.

    Poison: what `fast` says.
    Cites:  LangRef, arith.cmpf.
    """
    return fast(fastmath, (lhs, rhs), bit(PREDICATES[predicate](lhs, rhs)))


@arith_floats.op("extf", typed=True)
def extf(operand: Float, *, to: Sort, fastmath: str = "none") -> Outcome:
    """The same number in a wider format.

    Poison: what `fast` says.
    Cites:  LangRef, arith.extf.
    """
    return fast(fastmath, (operand,), to_float(operand, to))


@arith_floats.op("truncf", typed=True)
def truncf(operand: Float, *, to: Sort, rounding: str = "to_nearest_even", fastmath: str = "none") -> Outcome:
    """The number rounded to a narrower format.

    Poison: what `fast` says.
    Cites:  LangRef, arith.truncf.
    """
    value = to_float(operand, to, rounding)
    return fast(fastmath, (operand, value), value)


@arith_floats.op("convertf", typed=True)
def convertf(operand: Float, *, to: Sort, rounding: str = "to_nearest_even", fastmath: str = "none") -> Outcome:
    """The number rounded to another format of the same size.

    Poison: what `fast` says.
    Cites:  LangRef, arith.convertf.
    """
    value = to_float(operand, to, rounding)
    return fast(fastmath, (operand, value), value)


SMALLEST_NORMAL: dict[str, float] = {
    **{"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022},
    **{"f8E5M2": 2.0**-14, "f8E4M3": 2.0**-6, "f8E3M4": 2.0**-2, "f8E4M3FN": 2.0**-6},
    **{"f8E5M2FNUZ": 2.0**-15, "f8E4M3FNUZ": 2.0**-7, "f8E4M3B11FNUZ": 2.0**-10},
}
"""The least positive number of each format that is not subnormal."""


def subnormal(operand: Float) -> Bool:
    """The operand is zero or so small that it has fewer significant bits than its format."""
    assert isinstance(operand.sort, FloatSort)
    return flt(fabs(operand), Constant(operand.sort, SMALLEST_NORMAL[operand.sort.name]))


@arith_floats.op("flush_denormals")
def flush_denormals(operand: Float, *, fastmath: str = "none") -> Outcome:
    """The operand, or the zero of its sign where it is subnormal.

    Poison: what `fast` says.
    Cites:  LangRef, arith.flush_denormals.
    """
    zero = Constant(operand.sort, 0.0)
    flushed = ite(is_negative(operand), fneg(zero), zero)
    return fast(fastmath, (operand,), ite(subnormal(operand), flushed, operand))


@arith_floats.op("bitcast", typed=True, exposes=True)
def bitcast(operand: Bits | Float, *, to: Sort) -> Bits | Float:
    """The same bits read as another type. Those of NaN are left open: arithmetic does not say which NaN it gives.

    Cites: LangRef, arith.bitcast; LLVM LangRef, behavior of floating-point NaN values.
    """
    encoding = operand
    if isinstance(operand.sort, FloatSort):
        encoding = open_unless(not_(is_nan(operand)), to_bits(operand, BitsSort(FLOAT_WIDTH[operand.sort.name])))
    return from_bits(encoding, to) if isinstance(to, FloatSort) else encoding


FLOAT_WIDTH: dict[str, int] = {
    **{"f16": 16, "bf16": 16, "f32": 32, "f64": 64},
    **dict.fromkeys(("f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ"), 8),
}
"""The bits of each format."""


@arith_floats.op("sitofp", typed=True)
def sitofp(operand: Bits, *, to: Sort) -> Float:
    """The signed value, rounded.

    Cites: LangRef, arith.sitofp.
    """
    return signed_to_float(operand, to)


@arith_floats.op("uitofp", typed=True)
def uitofp(operand: Bits, *, to: Sort, nneg: bool = False) -> Outcome:
    """The unsigned value, rounded.

    Poison: the sign bit is set under `nneg`.
    Cites:  LangRef, arith.uitofp.
    """
    return poison_unless(sle(like(0, operand), operand) if nneg else TRUE, unsigned_to_float(operand, to))


@arith_floats.op("fptosi", typed=True)
def fptosi(operand: Float, *, to: Sort) -> Outcome:
    """The number rounded to zero, as a signed integer.

    Poison: NaN, or a number that does not fit when rounded.
    Cites:  LangRef, arith.fptosi; LLVM LangRef, fptosi.
    """
    return poison_unless(fits_signed(operand, to), float_to_signed(operand, to))


@arith_floats.op("fptoui", typed=True)
def fptoui(operand: Float, *, to: Sort) -> Outcome:
    """The number rounded to zero, as an unsigned integer.

    Poison: NaN, or a number that does not fit when rounded.
    Cites:  LangRef, arith.fptoui; LLVM LangRef, fptoui.
    """
    return poison_unless(fits_unsigned(operand, to), float_to_unsigned(operand, to))
