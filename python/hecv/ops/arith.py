"""The `arith` dialect on integers and `index`. LangRef below is MLIR's arith dialect.

Bit-vector operands are named `lhs` and `rhs`. Every op propagates poison from its operands unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

from hecv.base.theory import (
    TRUE,
    Bits,
    BitsSort,
    Bool,
    Expression,
    Outcome,
    Sort,
    add,
    all_of,
    any_of,
    ashr,
    bit,
    bit_and,
    bit_or,
    bit_xor,
    eq,
    holds,
    ite,
    least,
    like,
    lshr,
    mul,
    not_,
    overflows,
    poison_unless,
    poisoned,
    sdiv,
    sext,
    shl,
    size,
    sle,
    slt,
    srem,
    sub,
    trunc,
    udiv,
    ule,
    ult,
    undefined_unless,
    urem,
    width,
    zext,
)
from hecv.ops import integer_bounds, inverse_guesses
from hecv.ops.op_facts import EITHER, SIGN, ZERO, Division, Extremum, Facts
from hecv.ops.registry import Dialect

arith = Dialect("arith")


def without_overflow(flags: str, kind: str, lhs: Bits, rhs: Bits, value: Bits) -> Outcome:
    """`value`, poison where a flag among `nsw`, `nuw` is broken; `kind` is `add`, `sub` or `mul`."""
    named = flags.replace(" ", "").split(",")
    signed = not_(overflows("s" + kind, lhs, rhs)) if "nsw" in named else TRUE
    unsigned = not_(overflows("u" + kind, lhs, rhs)) if "nuw" in named else TRUE
    return poison_unless(signed, poison_unless(unsigned, value))


def divided_unsigned(rhs: Bits, value: Expression | Outcome) -> Outcome:
    """`value`, undefined where the divisor is 0 or poison."""
    return undefined_unless(not_(poisoned(rhs)), undefined_unless(not_(eq(rhs, like(0, rhs))), value))


def divided_signed(lhs: Bits, rhs: Bits, value: Expression | Outcome) -> Outcome:
    """`value`, undefined where the divisor is 0 or poison, or where `MIN / -1` is possible: poison may be MIN."""
    overflow = all_of(eq(rhs, like(-1, rhs)), any_of(poisoned(lhs), eq(lhs, least(lhs))))
    return divided_unsigned(rhs, undefined_unless(not_(overflow), value))


@arith.op(
    "addi",
    Facts(
        commutative=True,
        associative=True,
        neutral=0,
        undone_by="arith.subi",
        total=True,
        wraps=lambda x, y: x + y,
        bounds=integer_bounds.of_sum,
        inverse=inverse_guesses.of_sum,
    ),
)
def addi(lhs: Bits, rhs: Bits, *, overflow: str = "none") -> Outcome:
    """`lhs + rhs` modulo `2**width`.

    Poison: signed overflow under `nsw`, unsigned overflow under `nuw`.
    Cites:  LangRef, arith.addi.
    """
    return without_overflow(overflow, "add", lhs, rhs, add(lhs, rhs))


@arith.op(
    "subi",
    Facts(
        neutral=0,
        subtracts="arith.addi",
        undone_by="arith.addi",
        total=True,
        wraps=lambda x, y: x - y,
        bounds=integer_bounds.of_difference,
        inverse=inverse_guesses.of_difference,
    ),
)
def subi(lhs: Bits, rhs: Bits, *, overflow: str = "none") -> Outcome:
    """`lhs - rhs` modulo `2**width`.

    Poison: signed overflow under `nsw`, unsigned overflow under `nuw`.
    Cites:  LangRef, arith.subi.
    """
    return without_overflow(overflow, "sub", lhs, rhs, sub(lhs, rhs))


@arith.op(
    "muli",
    Facts(
        commutative=True,
        associative=True,
        neutral=1,
        absorbing=0,
        total=True,
        wraps=lambda x, y: x * y,
        bounds=integer_bounds.of_product,
        inverse=inverse_guesses.of_product,
    ),
)
def muli(lhs: Bits, rhs: Bits, *, overflow: str = "none") -> Outcome:
    """`lhs * rhs` modulo `2**width`.

    Poison: signed overflow under `nsw`, unsigned overflow under `nuw`.
    Cites:  LangRef, arith.muli.
    """
    return without_overflow(overflow, "mul", lhs, rhs, mul(lhs, rhs))


@arith.op("addui_extended", Facts(commutative=True, total=True))
def addui_extended(lhs: Bits, rhs: Bits, *, result: int) -> Bits:
    """Result 0: `lhs + rhs` modulo `2**width`; result 1: one bit, whether the unsigned sum overflows.

    Cites: LangRef, arith.addui_extended.
    """
    return add(lhs, rhs) if result == 0 else bit(overflows("uadd", lhs, rhs))


@arith.op("subui_extended", Facts(total=True))
def subui_extended(lhs: Bits, rhs: Bits, *, result: int) -> Bits:
    """Result 0: `lhs - rhs` modulo `2**width`; result 1: one bit, whether `lhs < rhs`, unsigned.

    Cites: LangRef, arith.subui_extended.
    """
    return sub(lhs, rhs) if result == 0 else bit(ult(lhs, rhs))


@arith.op("mulsi_extended", Facts(commutative=True, total=True))
def mulsi_extended(lhs: Bits, rhs: Bits, *, result: int) -> Bits:
    """The signed product in twice the width: its low half (result 0) and high half (result 1).

    Cites: LangRef, arith.mulsi_extended.
    """
    wide = BitsSort(2 * size(lhs))
    return half_of(mul(sext(lhs, wide), sext(rhs, wide)), lhs.sort, result)


@arith.op("mului_extended", Facts(commutative=True, total=True))
def mului_extended(lhs: Bits, rhs: Bits, *, result: int) -> Bits:
    """The unsigned product in twice the width: its low half (result 0) and high half (result 1).

    Cites: LangRef, arith.mului_extended.
    """
    wide = BitsSort(2 * size(lhs))
    return half_of(mul(zext(lhs, wide), zext(rhs, wide)), lhs.sort, result)


def half_of(whole: Bits, sort: Sort, number: int) -> Bits:
    """The low (0) or the high (1) half of `whole`."""
    return trunc(lshr(whole, like(number * (size(whole) // 2), whole)), sort)


@arith.op(
    "divui",
    Facts(
        division=Division(signed=False),
        widens=ZERO,
        signed="arith.divsi",
        bounds=integer_bounds.of_unsigned_quotient,
        inverse=inverse_guesses.of_quotient,
    ),
)
def divui(lhs: Bits, rhs: Bits, *, exact: bool = False) -> Outcome:
    """The unsigned quotient, rounded down.

    Poison:    a remainder other than 0 under `exact`.
    Undefined: `rhs` is 0 or poison.
    Cites:     LangRef, arith.divui.
    """
    whole = eq(urem(lhs, rhs), like(0, lhs)) if exact else TRUE
    return divided_unsigned(rhs, poison_unless(whole, udiv(lhs, rhs)))


@arith.op(
    "divsi",
    Facts(
        division=Division(signed=True),
        widens=SIGN,
        unsigned="arith.divui",
        bounds=integer_bounds.of_signed_quotient,
        inverse=inverse_guesses.of_quotient,
    ),
)
def divsi(lhs: Bits, rhs: Bits, *, exact: bool = False) -> Outcome:
    """The signed quotient, rounded to zero.

    Poison:    a remainder other than 0 under `exact`.
    Undefined: `rhs` is 0 or poison; `lhs` is MIN, or poison, and `rhs` is -1.
    Cites:     LangRef, arith.divsi.
    """
    whole = eq(srem(lhs, rhs), like(0, lhs)) if exact else TRUE
    return divided_signed(lhs, rhs, poison_unless(whole, sdiv(lhs, rhs)))


@arith.op(
    "remui",
    Facts(
        division=Division(signed=False, remainder=True),
        widens=ZERO,
        signed="arith.remsi",
        bounds=integer_bounds.of_unsigned_remainder,
        inverse=inverse_guesses.of_remainder,
    ),
)
def remui(lhs: Bits, rhs: Bits) -> Outcome:
    """The unsigned remainder.

    Undefined: `rhs` is 0 or poison.
    Cites:     LangRef, arith.remui.
    """
    return divided_unsigned(rhs, urem(lhs, rhs))


@arith.op(
    "remsi",
    Facts(
        division=Division(signed=True, remainder=True),
        widens=SIGN,
        unsigned="arith.remui",
        bounds=integer_bounds.of_signed_remainder,
    ),
)
def remsi(lhs: Bits, rhs: Bits) -> Outcome:
    """The remainder of the signed quotient rounded to zero: the sign is that of `lhs`.

    Undefined: `rhs` is 0 or poison; `lhs` is MIN, or poison, and `rhs` is -1.
    Cites:     LangRef, arith.remsi; LLVM LangRef, srem, for MIN by -1.
    """
    return divided_signed(lhs, rhs, srem(lhs, rhs))


@arith.op(
    "ceildivui",
    Facts(
        division=Division(signed=False),
        widens=ZERO,
        signed="arith.ceildivsi",
        bounds=integer_bounds.of_unsigned_ceiling,
    ),
)
def ceildivui(lhs: Bits, rhs: Bits) -> Outcome:
    """The unsigned quotient, rounded up.

    Undefined: `rhs` is 0 or poison.
    Cites:     LangRef, arith.ceildivui.
    """
    quotient = udiv(lhs, rhs)
    whole = eq(urem(lhs, rhs), like(0, lhs))
    return divided_unsigned(rhs, ite(whole, quotient, add(quotient, like(1, lhs))))


@arith.op(
    "ceildivsi",
    Facts(
        division=Division(signed=True),
        widens=SIGN,
        unsigned="arith.ceildivui",
        bounds=integer_bounds.of_rounded(up=True),
    ),
)
def ceildivsi(lhs: Bits, rhs: Bits) -> Outcome:
    """The signed quotient, rounded up.

    Undefined: `rhs` is 0 or poison; `lhs` is MIN, or poison, and `rhs` is -1.
    Cites:     LangRef, arith.ceildivsi.
    """
    quotient = sdiv(lhs, rhs)
    up = all_of(not_(divides(lhs, rhs)), eq(negative(lhs), negative(rhs)))
    return divided_signed(lhs, rhs, ite(up, add(quotient, like(1, lhs)), quotient))


@arith.op(
    "floordivsi",
    Facts(
        division=Division(signed=True), widens=SIGN, unsigned="arith.divui", bounds=integer_bounds.of_rounded(up=False)
    ),
)
def floordivsi(lhs: Bits, rhs: Bits) -> Outcome:
    """The signed quotient, rounded down.

    Undefined: `rhs` is 0 or poison; `lhs` is MIN, or poison, and `rhs` is -1.
    Cites:     LangRef, arith.floordivsi.
    """
    quotient = sdiv(lhs, rhs)
    down = all_of(not_(divides(lhs, rhs)), not_(eq(negative(lhs), negative(rhs))))
    return divided_signed(lhs, rhs, ite(down, sub(quotient, like(1, lhs)), quotient))


def negative(operand: Bits) -> Bool:
    """The sign bit is set."""
    return slt(operand, like(0, operand))


def divides(lhs: Bits, rhs: Bits) -> Bool:
    """The signed remainder of `lhs` by `rhs` is 0."""
    return eq(srem(lhs, rhs), like(0, lhs))


@arith.op(
    "andi",
    Facts(
        commutative=True,
        associative=True,
        idempotent=True,
        neutral=-1,
        absorbing=0,
        total=True,
        bitwise=True,
        widens=EITHER,
        bounds=integer_bounds.of_conjunction,
        inverse=inverse_guesses.of_conjunction,
    ),
)
def andi(lhs: Bits, rhs: Bits) -> Bits:
    """Bitwise conjunction.

    Cites: LangRef, arith.andi.
    """
    return bit_and(lhs, rhs)


@arith.op(
    "ori",
    Facts(
        commutative=True,
        associative=True,
        idempotent=True,
        neutral=0,
        absorbing=-1,
        total=True,
        bitwise=True,
        widens=EITHER,
        bounds=integer_bounds.of_disjunction,
        inverse=inverse_guesses.of_disjunction,
    ),
)
def ori(lhs: Bits, rhs: Bits, *, disjoint: bool = False) -> Outcome:
    """Bitwise disjunction.

    Poison: a bit set in both operands under `disjoint`.
    Cites:  LangRef, arith.ori; LLVM LangRef, or.
    """
    apart = eq(bit_and(lhs, rhs), like(0, lhs)) if disjoint else TRUE
    return poison_unless(apart, bit_or(lhs, rhs))


@arith.op(
    "xori",
    Facts(
        commutative=True,
        associative=True,
        neutral=0,
        undone_by="arith.xori",
        total=True,
        bitwise=True,
        widens=EITHER,
        bounds=integer_bounds.of_exclusive,
        inverse=inverse_guesses.of_exclusive,
    ),
)
def xori(lhs: Bits, rhs: Bits) -> Bits:
    """Bitwise exclusive disjunction.

    Cites: LangRef, arith.xori.
    """
    return bit_xor(lhs, rhs)


@arith.op(
    "shli",
    Facts(
        shifts=True,
        wraps=lambda x, y: x << y,
        bounds=integer_bounds.of_left_shift,
        inverse=inverse_guesses.of_left_shift,
    ),
)
def shli(lhs: Bits, rhs: Bits, *, overflow: str = "none") -> Outcome:
    """Shift left: `lhs * 2**rhs` modulo `2**width`.

    Poison: `rhs >= width` (unsigned); a lost bit that differs from the new sign under `nsw`, a lost 1 under `nuw`.
    Cites:  LangRef, arith.shli.
    """
    shifted = shl(lhs, rhs)
    named = overflow.replace(" ", "").split(",")
    signed = eq(ashr(shifted, rhs), lhs) if "nsw" in named else TRUE
    unsigned = eq(lshr(shifted, rhs), lhs) if "nuw" in named else TRUE
    return poison_unless(ult(rhs, width(lhs)), poison_unless(signed, poison_unless(unsigned, shifted)))


@arith.op(
    "shrui",
    Facts(
        shifts=True,
        widens=ZERO,
        signed="arith.shrsi",
        bounds=integer_bounds.of_unsigned_shift,
        inverse=inverse_guesses.of_right_shift,
    ),
)
def shrui(lhs: Bits, rhs: Bits, *, exact: bool = False) -> Outcome:
    """Shift right, filled with 0: the floor of unsigned `lhs / 2**rhs`.

    Poison: `rhs >= width` (unsigned); a lost 1 under `exact`.
    Cites:  LangRef, arith.shrui.
    """
    shifted = lshr(lhs, rhs)
    return poison_unless(ult(rhs, width(lhs)), poison_unless(loses_nothing(lhs, rhs, exact), shifted))


@arith.op(
    "shrsi",
    Facts(
        shifts=True,
        widens=SIGN,
        unsigned="arith.shrui",
        bounds=integer_bounds.of_signed_shift,
        inverse=inverse_guesses.of_right_shift,
    ),
)
def shrsi(lhs: Bits, rhs: Bits, *, exact: bool = False) -> Outcome:
    """Shift right, filled with the sign: the floor of signed `lhs / 2**rhs`.

    Poison: `rhs >= width` (unsigned); a lost 1 under `exact`.
    Cites:  LangRef, arith.shrsi.
    """
    shifted = ashr(lhs, rhs)
    return poison_unless(ult(rhs, width(lhs)), poison_unless(loses_nothing(lhs, rhs, exact), shifted))


def loses_nothing(lhs: Bits, rhs: Bits, exact: bool) -> Bool:
    """True unless `exact` is set and one of the low `rhs` bits of `lhs` is 1."""
    return eq(shl(lshr(lhs, rhs), rhs), lhs) if exact else TRUE


def extremum_facts(greatest: bool, signed: bool) -> Facts:
    """What is known of the lesser or the greater of two integers: the end of the range that changes nothing, and the
    one that absorbs."""

    def least(width: int) -> int:
        return 1 << (width - 1) if signed else 0

    def most(width: int) -> int:
        return (1 << (width - 1)) - 1 if signed else (1 << width) - 1

    name = "max" if greatest else "min"
    return Facts(
        commutative=True,
        associative=True,
        idempotent=True,
        neutral=least if greatest else most,
        absorbing=most if greatest else least,
        total=True,
        extremum=Extremum(greatest, signed),
        widens=SIGN if signed else ZERO,
        unsigned=f"arith.{name}ui" if signed else "",
        signed="" if signed else f"arith.{name}si",
        bounds=integer_bounds.of_extremum(greatest, signed),
    )


@arith.op("minsi", extremum_facts(greatest=False, signed=True))
def minsi(lhs: Bits, rhs: Bits) -> Bits:
    """The lesser, signed.

    Cites: LangRef, arith.minsi.
    """
    return ite(slt(rhs, lhs), rhs, lhs)


@arith.op("maxsi", extremum_facts(greatest=True, signed=True))
def maxsi(lhs: Bits, rhs: Bits) -> Bits:
    """The greater, signed.

    Cites: LangRef, arith.maxsi.
    """
    return ite(slt(lhs, rhs), rhs, lhs)


@arith.op("minui", extremum_facts(greatest=False, signed=False))
def minui(lhs: Bits, rhs: Bits) -> Bits:
    """The lesser, unsigned.

    Cites: LangRef, arith.minui.
    """
    return ite(ult(rhs, lhs), rhs, lhs)


@arith.op("maxui", extremum_facts(greatest=True, signed=False))
def maxui(lhs: Bits, rhs: Bits) -> Bits:
    """The greater, unsigned.

    Cites: LangRef, arith.maxui.
    """
    return ite(ult(lhs, rhs), rhs, lhs)


PREDICATES: dict[str, Callable[[Bits, Bits], Bool]] = {
    "eq": eq,
    "ne": lambda a, b: not_(eq(a, b)),
    "slt": slt,
    "sle": sle,
    "sgt": lambda a, b: slt(b, a),
    "sge": lambda a, b: sle(b, a),
    "ult": ult,
    "ule": ule,
    "ugt": lambda a, b: ult(b, a),
    "uge": lambda a, b: ule(b, a),
}


@arith.op("cmpi", Facts(total=True, bounds=integer_bounds.of_comparison))
def cmpi(lhs: Bits, rhs: Bits, *, predicate: str) -> Bits:
    """One bit: the predicate `eq ne slt sle sgt sge ult ule ugt uge` holds.

    Cites: LangRef, arith.cmpi.
    """
    return bit(PREDICATES[predicate](lhs, rhs))


@arith.op("select", Facts(total=True, bounds=integer_bounds.of_choice), strict=False)
def select(condition: Bits, then: Expression, otherwise: Expression) -> Outcome:
    """`then` if the one bit of `condition` is 1, else `otherwise`.

    Poison: `condition` is poison, or the chosen operand is; the other operand may be poison.
    Cites:  LangRef, arith.select; LLVM LangRef, select.
    """
    chosen = holds(condition)
    proper = not_(any_of(poisoned(condition), ite(chosen, poisoned(then), poisoned(otherwise))))
    return poison_unless(proper, ite(chosen, then, otherwise))


@arith.op("extsi", Facts(total=True, extends="sign", bounds=integer_bounds.of_sign_extension), typed=True)
def extsi(operand: Bits, *, to: Sort) -> Bits:
    """The signed value in a wider type.

    Cites: LangRef, arith.extsi.
    """
    return sext(operand, to)


@arith.op("extui", Facts(total=True, extends="zero", bounds=integer_bounds.of_zero_extension), typed=True)
def extui(operand: Bits, *, to: Sort, nneg: bool = False) -> Outcome:
    """The unsigned value in a wider type.

    Poison: the sign bit is set under `nneg`.
    Cites:  LangRef, arith.extui.
    """
    return poison_unless(not_(negative(operand)) if nneg else TRUE, zext(operand, to))


@arith.op(
    "trunci",
    Facts(total=True, truncates=True, bounds=integer_bounds.of_truncation, inverse=inverse_guesses.of_truncation),
    typed=True,
)
def trunci(operand: Bits, *, to: Sort, overflow: str = "none") -> Outcome:
    """The low bits.

    Poison: the signed value changes under `nsw`, the unsigned value under `nuw`.
    Cites:  LangRef, arith.trunci.
    """
    named = overflow.replace(" ", "").split(",")
    low = trunc(operand, to)
    signed = eq(sext(low, operand.sort), operand) if "nsw" in named else TRUE
    unsigned = eq(zext(low, operand.sort), operand) if "nuw" in named else TRUE
    return poison_unless(signed, poison_unless(unsigned, low))


@arith.op(
    "index_cast",
    Facts(total=True, extends="sign", bounds=integer_bounds.of_index_cast(integer_bounds.of_sign_extension)),
    typed=True,
)
def index_cast(operand: Bits, *, to: Sort) -> Bits:
    """The signed value, or its low bits where the result is narrower.

    Cites: LangRef, arith.index_cast.
    """
    return trunc(operand, to) if size(operand) > width_of(to) else sext(operand, to)


@arith.op(
    "index_castui",
    Facts(total=True, extends="zero", bounds=integer_bounds.of_index_cast(integer_bounds.of_zero_extension)),
    typed=True,
)
def index_castui(operand: Bits, *, to: Sort, nneg: bool = False) -> Outcome:
    """The unsigned value, or its low bits where the result is narrower.

    Poison: the sign bit is set under `nneg`.
    Cites:  LangRef, arith.index_castui.
    """
    cast = trunc(operand, to) if size(operand) > width_of(to) else zext(operand, to)
    return poison_unless(not_(negative(operand)) if nneg else TRUE, cast)


def width_of(sort: Sort) -> int:
    """The number of bits of a bit-vector sort."""
    assert isinstance(sort, BitsSort)
    return sort.width
