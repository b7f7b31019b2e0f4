"""The theory in Z3: translates expressions of `hecv.base.theory`, as `python_expressions` does to Python.

There is one NaN (SMT-LIB's), `=` on floats is identity (`-0` is not `+0`), and rounding is to nearest, ties to even. A
function that Z3 cannot decide in reasonable space is left uninterpreted: a proof then holds for every function, but a
model says nothing (`Translator.abstractions` is then not empty).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import z3
from msgspec import Struct

from hecv.base.theory import (
    Apply,
    BitsSort,
    BoolSort,
    Constant,
    Expression,
    FloatSort,
    IntegerSort,
    Sort,
    Variable,
)

# The bindings carry no types: an expression of Z3 is `Any`.
Z3: Any = z3
Formula = Any
Truth = Any

FORMATS: Final = {
    **{"f16": (5, 11), "bf16": (8, 8), "f32": (8, 24), "f64": (11, 53)},
    **{"f8E5M2": (5, 3), "f8E4M3": (4, 4), "f8E3M4": (3, 5)},
}
"""Exponent bits, and significant bits with the hidden one, as in SMT-LIB: of the formats that have infinities, NaN and
two zeros where IEEE-754 has them."""

WIDEST_POWER: Final = 8
"""Width up to which powers of integers are computed."""


class Unencodable(Exception):
    """An expression without a form in Z3; the text says why."""


class Operand(Struct, frozen=True):
    """The encoding of a variable of the theory: a value, and whether it is poison."""

    value: Formula
    poison: Truth


class Translator:
    """Translates expressions into one Z3 context."""

    def __init__(self) -> None:
        self.context: Final[Any] = Z3.Context()
        self.true: Final[Truth] = Z3.BoolVal(True, self.context)
        self.false: Final[Truth] = Z3.BoolVal(False, self.context)
        self.nearest: Final[Any] = Z3.RNE(self.context)
        self.to_zero: Final[Any] = Z3.RTZ(self.context)
        self.roundings: Final[dict[str, Any]] = {
            "to_nearest_even": self.nearest,
            "downward": Z3.RTN(self.context),
            "upward": Z3.RTP(self.context),
            "toward_zero": self.to_zero,
            "to_nearest_away": Z3.RNA(self.context),
        }
        self.abstractions: Final[dict[str, Any]] = {}

    def sort(self, sort: Sort) -> Any:
        """The Z3 sort of a sort of the theory.

        Raises: Unencodable for a float format without the shape of an IEEE-754 format.
        """
        match sort:
            case BoolSort():
                return Z3.BoolSort(self.context)
            case BitsSort(width):
                return Z3.BitVecSort(width, self.context)
            case IntegerSort():
                return Z3.IntSort(self.context)
            case FloatSort(name):
                if name not in FORMATS:
                    raise Unencodable(f"no float format {name}")
                return Z3.FPSort(*FORMATS[name], self.context)

    def variable(self, name: str, sort: Sort) -> Formula:
        """A free variable."""
        return Z3.Const(name, self.sort(sort))

    def literal(self, value: int | float | bool, sort: Sort) -> Formula:
        """A literal; for a bit-vector, any integer of its residue class."""
        match sort:
            case BoolSort():
                return self.true if value else self.false
            case BitsSort(width):
                return Z3.BitVecVal(int(value), width, self.context)
            case IntegerSort():
                return Z3.IntVal(int(value), self.context)
            case FloatSort():
                return self.float_literal(float(value), self.sort(sort))

    def float_literal(self, value: float, sort: Any) -> Formula:
        """A float, rounded to a Z3 float sort."""
        if value != value:
            return Z3.fpNaN(sort)
        if value in (float("inf"), float("-inf")):
            return Z3.fpInfinity(sort, value < 0)
        if value == 0:
            return Z3.fpZero(sort, str(value).startswith("-"))
        double = Z3.FPVal(value, None, Z3.Float64(self.context), self.context)
        return Z3.simplify(Z3.fpFPToFP(self.nearest, double, sort, self.context))

    def abstraction(self, name: str, args: tuple[Formula, ...], result: Any) -> Formula:
        """An uninterpreted function of this name on these arguments."""
        key = " ".join([name, *[str(a.sort()) for a in args], str(result)])
        if key not in self.abstractions:
            self.abstractions[key] = Z3.Function(key, *[a.sort() for a in args], result)
        return self.abstractions[key](*args)

    def left_open(self, sort: Any) -> Formula:
        """A fresh nondeterministic value."""
        name = f"open {len(self.abstractions)}"
        self.abstractions[name] = Z3.Const(name, sort)
        return self.abstractions[name]

    def translate(self, root: Expression, operands: Mapping[str, Operand]) -> Formula:
        """The expression with its variables replaced by `operands`, by name.

        Raises: Unencodable.
        """
        return self.translate_all((root,), operands)[0]

    def translate_all(self, roots: tuple[Expression, ...], operands: Mapping[str, Operand]) -> list[Formula]:
        """`translate` for several expressions that share subexpressions. Iterative, so depth is not limited."""
        done: dict[int, Formula] = {}
        stack: list[tuple[Expression, bool]] = [(root, False) for root in roots]
        while stack:
            e, ready = stack.pop()
            if id(e) in done:
                continue
            match e:
                case Constant():
                    done[id(e)] = self.literal(e.value, e.sort)
                case Variable():
                    done[id(e)] = operands[e.name].value
                case Apply(op="poisoned", args=(Variable(name=name),)):
                    done[id(e)] = operands[name].poison
                case Apply() if ready:
                    done[id(e)] = self._apply(e, tuple(done[id(a)] for a in e.args))
                case Apply():
                    stack.append((e, True))
                    stack.extend((a, False) for a in e.args)
        return [done[id(root)] for root in roots]

    def _apply(self, e: Apply, args: tuple[Formula, ...]) -> Formula:
        simple = SIMPLE.get(e.op)
        if simple is not None:
            return simple(*args)
        special = SPECIAL.get(e.op)
        if special is not None:
            return special(self, e, args)
        raise Unencodable(f"the theory's {e.op} has no translation")

    def any_of(self, *conditions: Truth) -> Truth:
        """The disjunction, without constants and repetitions."""
        return self._connect(Z3.Or, conditions, self.false, self.true)

    def all_of(self, *conditions: Truth) -> Truth:
        """The conjunction, without constants and repetitions."""
        return self._connect(Z3.And, conditions, self.true, self.false)

    def _connect(self, join: Callable[..., Truth], conditions: tuple[Truth, ...], unit: Truth, zero: Truth) -> Truth:
        kept = {c.get_id(): c for c in conditions if not c.eq(unit)}
        if zero.get_id() in kept:
            return zero
        if len(kept) <= 1:
            return next(iter(kept.values()), unit)
        return join(*kept.values())

    def not_(self, condition: Truth) -> Truth:
        """The negation, with constants folded."""
        if condition.eq(self.true):
            return self.false
        return self.true if condition.eq(self.false) else Z3.Not(condition)

    def ite(self, condition: Truth, then: Formula, otherwise: Formula) -> Formula:
        """The choice, with constants folded."""
        if condition.eq(self.true) or then.eq(otherwise):
            return then
        return otherwise if condition.eq(self.false) else Z3.If(condition, then, otherwise)


def _bits(sort: Sort) -> int:
    assert isinstance(sort, BitsSort)
    return sort.width


def _zext(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    return Z3.ZeroExt(_bits(e.sort) - args[0].size(), args[0])


def _sext(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    return Z3.SignExt(_bits(e.sort) - args[0].size(), args[0])


def _trunc(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    return Z3.Extract(_bits(e.sort) - 1, 0, args[0])


def _inexact(combine: Callable[[Formula, Formula], Formula], signed: bool, room: int) -> Callable[..., Truth]:
    """Overflow test: the result in `room` more bits (0: in twice as many) differs from the extended result in the
    sort."""

    def differs(left: Formula, right: Formula) -> Truth:
        more = room or left.size()
        extend = Z3.SignExt if signed else Z3.ZeroExt
        return combine(extend(more, left), extend(more, right)) != extend(more, combine(left, right))

    return differs


def _smul_overflows(left: Formula, right: Formula) -> Truth:
    return Z3.Not(Z3.And(Z3.BVMulNoOverflow(left, right, True), Z3.BVMulNoUnderflow(left, right)))


def _isum(*args: Formula) -> Formula:
    return Z3.Sum(*args)


def _extremum(better: Callable[[Formula, Formula], Truth]) -> Callable[..., Formula]:
    def choose(first: Formula, *rest: Formula) -> Formula:
        for other in rest:
            first = Z3.If(better(other, first), other, first)
        return first

    return choose


def _floordiv(left: Formula, right: Formula) -> Formula:
    """SMT-LIB's `div` leaves a nonnegative remainder: it rounds down for a positive divisor, up for a negative one."""
    if Z3.is_int_value(right) and right.as_long() > 0:
        return left / right
    by_negative = Z3.If(right < 0, (-left) / (-right), 0)
    return Z3.If(right > 0, left / right, by_negative)


def _float(function: Callable[..., Formula]) -> Callable[..., Formula]:
    """Passes the context as a parameter: the bindings do not take it from float operands."""
    return lambda *args: function(*args, ctx=args[0].ctx)


def _rounded(combine: Callable[..., Formula]) -> Callable[[Translator, Apply, tuple[Formula, ...]], Formula]:
    return lambda t, e, args: combine(t.nearest, *args, ctx=t.context)


def _converted(convert: Callable[..., Formula]) -> Callable[[Translator, Apply, tuple[Formula, ...]], Formula]:
    return lambda t, e, args: convert(t.nearest, args[0], t.sort(e.sort), t.context)


def _popcount(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    width = _bits(e.sort)
    ones = [Z3.ZeroExt(width - 1, Z3.Extract(k, k, args[0])) for k in range(width)]
    return sum(ones[1:], ones[0])


def _bit_length(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    found = t.literal(0, e.sort)
    for k in range(_bits(e.sort)):
        found = Z3.If(Z3.Extract(k, k, args[0]) == 1, t.literal(k + 1, e.sort), found)
    return found


def _power(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    """By squaring; an abstraction if that takes more products than Z3 can handle."""
    base, exponent = args
    if Z3.is_bv_value(exponent):
        return _known_power(t.literal(1, e.sort), base, exponent.as_long())
    if _bits(e.sort) > WIDEST_POWER:
        return t.abstraction("power", args, t.sort(e.sort))
    found, square = t.literal(1, e.sort), base
    for k in range(_bits(e.sort)):
        found = Z3.If(Z3.Extract(k, k, exponent) == 1, found * square, found)
        square = square * square
    return found


def _known_power(one: Formula, base: Formula, exponent: int) -> Formula:
    found, square = one, base
    while exponent:
        found = found * square if exponent & 1 else found
        square = square * square
        exponent >>= 1
    return found


def _to_float(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    return Z3.fpFPToFP(t.roundings[e.name], args[0], t.sort(e.sort), t.context)


def _to_integral(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    return Z3.fpRoundToIntegral(t.roundings[e.name], args[0], t.context)


def _to_bits(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    """The encoding; for NaN, the positive quiet one."""
    sort = args[0].sort()
    quiet = ((1 << (sort.ebits() + 1)) - 1) << (sort.sbits() - 2)
    return Z3.If(Z3.fpIsNaN(args[0], t.context), t.literal(quiet, e.sort), Z3.fpToIEEEBV(args[0], t.context))


def _frem(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
    """An abstraction: Z3 only has IEEE-754's remainder, and blasts it to a division of 2**exponent bits."""
    return t.abstraction("frem", args, t.sort(e.sort))


def _fits(t: Translator, operand: Formula, signed: bool, width: int) -> Truth:
    """The operand rounded to zero lies in `[-2**(width - 1), 2**(width - 1))`, or if unsigned in `[0, 2**width)`."""
    sort = operand.sort()
    whole = Z3.fpRoundToIntegral(t.to_zero, operand, t.context)
    finite = Z3.Not(Z3.Or(Z3.fpIsNaN(operand, t.context), Z3.fpIsInf(operand, t.context)))
    power = width - 1 if signed else width
    low = Z3.fpLEQ(Z3.fpZero(sort, False), whole, t.context)
    if power >= 1 << (sort.ebits() - 1):  # 2**power is beyond the greatest finite value
        return finite if signed else Z3.And(finite, low)
    bound = t.float_literal(2.0**power, sort)
    if signed:
        low = Z3.fpLEQ(Z3.fpNeg(bound, t.context), whole, t.context)
    return Z3.And(finite, low, Z3.fpLT(whole, bound, t.context))


def _float_to_bits(signed: bool) -> Callable[[Translator, Apply, tuple[Formula, ...]], Formula]:
    def convert(t: Translator, e: Apply, args: tuple[Formula, ...]) -> Formula:
        cast = Z3.fpToSBV if signed else Z3.fpToUBV
        fits = _fits(t, args[0], signed, _bits(e.sort))
        return Z3.If(fits, cast(t.to_zero, args[0], t.sort(e.sort), t.context), t.literal(0, e.sort))

    return convert


SIMPLE: Final[Mapping[str, Callable[..., Formula]]] = {
    "eq": lambda a, b: a == b,
    # Bit-vectors
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "udiv": Z3.UDiv,
    "urem": Z3.URem,
    "sdiv": lambda a, b: a / b,
    "srem": Z3.SRem,
    "shl": lambda a, b: a << b,
    "lshr": Z3.LShR,
    "ashr": lambda a, b: a >> b,
    "bit_and": lambda a, b: a & b,
    "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b,
    "ult": Z3.ULT,
    "ule": Z3.ULE,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sadd_overflows": _inexact(lambda a, b: a + b, True, 1),
    "uadd_overflows": _inexact(lambda a, b: a + b, False, 1),
    "ssub_overflows": _inexact(lambda a, b: a - b, True, 1),
    "usub_overflows": Z3.ULT,
    "smul_overflows": _smul_overflows,
    "umul_overflows": lambda a, b: Z3.Not(Z3.BVMulNoOverflow(a, b, False)),
    # Exact integers
    "isum": _isum,
    "imul": lambda a, b: a * b,
    "ifloordiv": _floordiv,
    "imax": _extremum(lambda a, b: a > b),
    "imin": _extremum(lambda a, b: a < b),
    "ile": lambda a, b: a <= b,
    # Floats
    "fneg": _float(Z3.fpNeg),
    "fabs": _float(Z3.fpAbs),
    "flt": _float(Z3.fpLT),
    "fle": _float(Z3.fpLEQ),
    "feq": _float(Z3.fpEQ),
    "is_nan": _float(Z3.fpIsNaN),
    "is_infinite": _float(Z3.fpIsInf),
    "is_negative": _float(Z3.fpIsNegative),
}
"""Functions of the theory that are a single Z3 function of the operands."""

SPECIAL: Final[Mapping[str, Callable[[Translator, Apply, tuple[Formula, ...]], Formula]]] = {
    "not_": lambda t, e, args: t.not_(*args),
    "any_of": lambda t, e, args: t.any_of(*args),
    "all_of": lambda t, e, args: t.all_of(*args),
    "ite": lambda t, e, args: t.ite(*args),
    "zext": _zext,
    "sext": _sext,
    "trunc": _trunc,
    "fadd": _rounded(Z3.fpAdd),
    "fsub": _rounded(Z3.fpSub),
    "fmul": _rounded(Z3.fpMul),
    "fdiv": _rounded(Z3.fpDiv),
    "frem": _frem,
    "fused": _rounded(Z3.fpFMA),
    "fsqrt": _rounded(Z3.fpSqrt),
    "to_integral": _to_integral,
    "to_float": _to_float,
    "to_bits": _to_bits,
    "from_bits": lambda t, e, args: Z3.fpBVToFP(args[0], t.sort(e.sort), t.context),
    "left_open": lambda t, e, args: t.left_open(t.sort(e.sort)),
    "uninterpreted": lambda t, e, args: t.abstraction(e.name, args, t.sort(e.sort)),
    "popcount": _popcount,
    "bit_length": _bit_length,
    "power": _power,
    "signed_to_float": _converted(Z3.fpSignedToFP),
    "unsigned_to_float": _converted(Z3.fpUnsignedToFP),
    "float_to_signed": _float_to_bits(True),
    "float_to_unsigned": _float_to_bits(False),
    "fits_signed": lambda t, e, args: _fits(t, args[0], True, e.parameter),
    "fits_unsigned": lambda t, e, args: _fits(t, args[0], False, e.parameter),
}
"""Functions that need the sort of the result, a rounding mode, or the context."""
