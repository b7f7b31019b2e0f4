"""Decisions: what follows, what does not and where, what says nothing, and what is given up."""

from __future__ import annotations

import math
import struct

import pytest

from hecv.base.theory import (
    BOOL,
    Apply,
    BitsSort,
    Expression,
    FloatSort,
    Variable,
    add,
    eq,
    fadd,
    fdiv,
    feq,
    fmul,
    not_,
    ult,
    urem,
)
from hecv.smt.bit_blasting import Blaster
from hecv.smt.term_encoding import Encoder, Operand
from hecv.smt.z3_goals import Proved, Refuted, Unknown, Vacuous, decide, python_value
from hecv.smt.z3_theory import FORMATS, Z3, Formula, Unencodable

B8 = BitsSort(8)
F16 = FloatSort("f16")


class Variables:
    """One encoder, and variables `x` and `y` of a sort."""

    def __init__(self, sort: BitsSort | FloatSort) -> None:
        self.encoder = Encoder()
        self.x, self.y = Variable(sort, "x"), Variable(sort, "y")
        values = {name: self.encoder.variable(name, sort) for name in "xy"}
        self.operands = {name: Operand(value, self.encoder.false) for name, value in values.items()}

    def of(self, e: Expression) -> Formula:
        return self.encoder.translate(e, self.operands)


def test_a_premise_is_used() -> None:
    v = Variables(B8)
    zero = v.encoder.literal(0, B8)
    goal = v.of(ult(urem(v.x, v.y), v.y))
    assert isinstance(decide(goal), Refuted)
    assert decide(goal, [v.of(v.y) != zero]) == Proved()


def test_a_model_has_python_values() -> None:
    v = Variables(B8)
    found = decide(v.of(not_(eq(add(v.x, v.x), v.y))), [v.of(v.y) == 200, v.of(ult(v.x, v.y))])
    assert isinstance(found, Refuted) and found.model["y"] == 200 and found.model["x"] == 100


def test_premises_that_exclude_each_other_prove_nothing() -> None:
    v = Variables(B8)
    assert isinstance(decide(v.of(eq(v.x, v.y)), [v.of(ult(v.x, v.y)), v.of(ult(v.y, v.x))]), Vacuous)


def test_premises_that_may_exclude_each_other_prove_nothing() -> None:
    """The goal holds by itself; whether the premise ever does takes longer than there is time."""
    v = Variables(FloatSort("f64"))
    premise = v.of(not_(feq(fdiv(fmul(v.x, v.y), v.y), v.x)))
    assert isinstance(decide(v.encoder.true, [premise], milliseconds=1), Unknown)


def test_a_limit_is_unknown() -> None:
    v = Variables(FloatSort("f64"))
    assert isinstance(decide(v.of(feq(fdiv(fmul(v.x, v.y), v.y), v.x)), milliseconds=1), Unknown)


@pytest.mark.parametrize("name", FORMATS)
def test_floats_survive_the_way_there_and_back(name: str) -> None:
    """Every class of number, by exact powers of two that the format has."""
    encoder = Encoder()
    exponent, significant = FORMATS[name]
    least = 3 - (1 << (exponent - 1)) - significant
    numbers = [0.0, 1.0, 1.5, math.ldexp(1, least), math.ldexp(3, least), math.ldexp(1, (1 << (exponent - 1)) - 1)]
    for number in (*numbers, *(-n for n in numbers), math.inf, -math.inf, math.nan):
        back = python_value(encoder.literal(number, FloatSort(name)))
        assert isinstance(back, float) and struct.pack("d", back) == struct.pack("d", number)


def test_a_float_model_is_a_counterexample() -> None:
    v = Variables(F16)
    found = decide(v.of(feq(fadd(v.x, v.y), v.x)), [v.of(feq(v.y, v.y))])
    assert isinstance(found, Refuted) and {"x", "y"} <= found.model.keys()


def test_unknown_format_and_function() -> None:
    encoder = Encoder()
    with pytest.raises(Unencodable, match="f8"):
        encoder.sort(FloatSort("f8E4M3FN"))
    with pytest.raises(Unencodable, match="no_such_function"):
        encoder.translate(Apply("no_such_function", BOOL, ()), {})


def test_a_question_decided_bit_by_bit() -> None:
    ask = Variables(B8)
    context = ask.encoder.context
    x, y = (Z3.BitVec(name, 8, context) for name in "xy")
    blaster = Blaster(context, 40)
    assert blaster.holds((x ^ y) + 2 * (x & y) == x + y) is True
    assert blaster.holds((x | y) == x + y) is False
    p, q = (Z3.BitVec(name, 64, context) for name in "pq")
    assert blaster.holds(Z3.Implies(q != 0, Z3.UDiv(p, q) * q + Z3.URem(p, q) == p)) is None
    assert blaster.holds(Z3.ULE(Z3.LShR(x, 1), 127)) is True
