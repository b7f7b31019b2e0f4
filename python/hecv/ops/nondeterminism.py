"""Nondeterministic ops made functions: what an op leaves open becomes one more operand, or is fixed to one choice.

Example: which NaN a float is, is unknown. Where an op shows it (`hecv.ops.exposes`), the choice is the last operand;
what holds for every value of that operand holds for the op.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool
from hecv.base.theory import (
    Bits,
    BitsSort,
    Float,
    FloatSort,
    Outcome,
    bit_or,
    fabs,
    fneg,
    from_bits,
    holds,
    is_nan,
    is_negative,
    ite,
    like,
    to_bits,
)
from hecv.base.types import BOOL, FloatType, IntType, ScalarType
from hecv.ops.arith_floats import FLOAT_WIDTH, fast
from hecv.ops.registry import Dialect

chosen = Dialect("chosen")

QUIET: Final = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}
"""Bits of a NaN, by format, that make any bits a NaN's when set."""


@chosen.op("bitcast")
def bitcast(operand: Float, choice: Bits) -> Bits:
    """The bits of a float. Of a NaN they are those of `choice`, made a NaN's; as `choice` is arbitrary, so is the NaN.

    Cites: LangRef, arith.bitcast; LLVM LangRef, behavior of floating-point NaN values.
    """
    assert isinstance(operand.sort, FloatSort)
    sort = operand.sort
    other = bit_or(choice, like(QUIET[sort.name], choice))
    nan = ite(is_nan(from_bits(choice, sort)), choice, other)
    return ite(is_nan(operand), nan, to_bits(operand, BitsSort(FLOAT_WIDTH[sort.name])))


@chosen.op("copysign")
def copysign(magnitude: Float, sign: Float, choice: Bits, *, fastmath: str = "none") -> Outcome:
    """`magnitude` with the sign of `sign`; if `sign` is NaN, with a sign that `choice` gives.

    Poison: what `fast` says.
    Cites:  LangRef, math.copysign; LLVM LangRef, behavior of floating-point NaN values.
    """
    positive = fabs(magnitude)
    open_ = ite(holds(choice), fneg(positive), positive)
    value = ite(is_nan(sign), open_, ite(is_negative(sign), fneg(positive), positive))
    return fast(fastmath, (magnitude, sign), value)


_TESTS: Final = {"arith.maxnumf": "ugt", "arith.minnumf": "ult"}


def settled(pool: TermPool, term: Term, args: tuple[Term, ...]) -> Term | None:
    """One of the functions that `maxnumf` or `minnumf` may be: of two zeros it gives the second operand, as
    `arith-expand` does.

    None if the root of `term` is another op, or has flags.

    Cites: LangRef, arith.maxnumf and arith.minnumf: of zeros of different sign either may be the result.
    """
    test = _TESTS.get(term.op)
    if test is None or term.attrs:
        return None
    left, right = args
    further = pool.make("arith.cmpf", args, BOOL, (("predicate", test),))
    nan = pool.make("arith.cmpf", (left, left), BOOL, (("predicate", "uno"),))
    number = pool.make("arith.select", (further, left, right), term.type)
    return pool.make("arith.select", (nan, right, number), term.type)


_MADE: Final = {"arith.bitcast": "chosen.bitcast", "math.copysign": "chosen.copysign"}


def choice_of(term: Term) -> tuple[str, ScalarType] | None:
    """The op that takes what the root of `term` leaves open as its last operand, and the type of that operand; None
    if none does.

    Requires: the root shows which NaN an operand is (`hecv.ops.exposes`).
    """
    kinds = {a.type.name for a in term.args if isinstance(a.type, FloatType)}
    if term.op not in _MADE or not kinds <= QUIET.keys():
        return None
    if term.op == "math.copysign":
        return _MADE[term.op], BOOL
    return (_MADE[term.op], term.type) if isinstance(term.type, IntType) else None
