"""Casts that keep bits, formats and rounding modes; what shows which NaN a float is; poison; `index.sizeof`."""

from __future__ import annotations

import itertools
import math
import struct

import pytest

from hecv.base.term import Attributes, TermPool
from hecv.base.types import BOOL, INDEX, FloatType, IntType
from hecv.base.value import POISON
from hecv.ops import exposes
from hecv.program.tree import Function, Memory, MemoryKind, Store
from hecv.run.interpreter.interpreter import compile
from hecv.run.interpreter.outcome_analysis import has_one_outcome, leaves_choice

from .oracles import (
    FORMATS,
    LEAST_EXPONENT,
    OVERFLOW,
    SIGNIFICANT,
    agree,
    answer,
    floats,
    program,
    rounded,
    values,
    wrap,
)

SIZES = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
LETTERS = {"f16": "eH", "f32": "fI", "f64": "dQ"}
F32, I32 = FloatType("f32"), IntType(32)
OPEN = OVERFLOW
"""A run that is not judged: the value is left open."""


def encoded(x: float, name: str) -> int:
    if name == "bf16":
        return encoded(x, "f32") >> 16
    number, whole = LETTERS[name]
    return struct.unpack(f"<{whole}", struct.pack(f"<{number}", x))[0]


@pytest.mark.parametrize("name", FORMATS)
def test_bitcast_of_a_float_does_not_know_which_nan_it_is(name: str) -> None:
    inputs = [(x,) for x in floats(name)]
    whole = IntType(SIZES[name])
    agree("arith.bitcast", (FloatType(name),), whole, (), lambda x: OPEN if x != x else encoded(x, name), inputs)


@pytest.mark.parametrize("name", FORMATS)
def test_bitcast_to_a_float(name: str) -> None:
    numbers = {encoded(x, name): x for x in floats(name)}
    inputs = [(k,) for k in numbers]
    agree("arith.bitcast", (IntType(SIZES[name]),), FloatType(name), (), lambda k: numbers[k], inputs)
    ones = (1 << SIZES[name]) - 1
    agree("arith.bitcast", (IntType(SIZES[name]),), FloatType(name), (), lambda k: math.nan, [(ones,), (ones >> 1,)])


def test_bitcast_of_an_integer_and_between_formats_of_one_size() -> None:
    agree("arith.bitcast", (I32,), I32, (), lambda x: x, [(x,) for x in values(32)])
    one = answer(program("arith.bitcast", (FloatType("f16"),), FloatType("bf16")).run((1.0,)))
    assert one == math.ldexp(1, -7)  # 0x3C00


@pytest.mark.parametrize(("source", "target"), (("f16", "bf16"), ("bf16", "f16")))
def test_convertf(source: str, target: str) -> None:
    inputs = [(x,) for x in floats(source)]
    agree("arith.convertf", (FloatType(source),), FloatType(target), (), lambda x: rounded(x, target), inputs)


def decoded(whole: int, name: str) -> float:
    if name == "bf16":
        return decoded(whole << 16, "f32")
    number, letter = LETTERS[name]
    return struct.unpack(f"<{number}", struct.pack(f"<{letter}", whole))[0]


def directed(x: float, name: str, rounding: str) -> float:
    """The nearest number of the format, or the one next to it by its encoding."""
    nearest = rounded(x, name)
    up = rounding == "upward" or (rounding == "toward_zero" and x < 0)
    if not math.isfinite(x) or nearest == x or (nearest > x) == up:
        return nearest
    if nearest == 0:
        return math.ldexp(1 if up else -1, LEAST_EXPONENT[name])
    return decoded(encoded(nearest, name) + (1 if (nearest > 0) == up else -1), name)


@pytest.mark.parametrize("rounding", ("upward", "downward", "toward_zero"))
@pytest.mark.parametrize("name", ("f16", "bf16", "f32"))
def test_truncf_in_another_rounding_mode(name: str, rounding: str) -> None:
    attrs: Attributes = (("rounding", rounding),)
    numbers = [s * x * (1 + d) for x in floats(name) for s in (1, -1) for d in (0.0, 2.0**-40, -(2.0**-40))]
    inputs = [(x,) for x in (*numbers, 5e-324, -5e-324, 1e300, -1e300)]
    agree("arith.truncf", (FloatType("f64"),), FloatType(name), attrs, lambda x: directed(x, name, rounding), inputs)


def test_truncf_to_nearest_with_ties_away() -> None:
    attrs: Attributes = (("rounding", "to_nearest_away"),)
    tie, f16 = 1 + 2.0**-11, FloatType("f16")
    expected = {tie: 1 + 2.0**-10, -tie: -1 - 2.0**-10, 1 + 2.0**-12: 1.0, 65520.0: math.inf, 65519.0: 65504.0}
    agree("arith.truncf", (FloatType("f64"),), f16, attrs, expected.__getitem__, [(x,) for x in expected])


@pytest.mark.parametrize("name", FORMATS)
def test_flush_denormals(name: str) -> None:
    least = math.ldexp(1, LEAST_EXPONENT[name] + SIGNIFICANT[name] - 1)
    t = FloatType(name)

    def oracle(x: float) -> float:
        return math.copysign(0.0, x) if abs(x) < least else x

    agree("arith.flush_denormals", (t,), t, (), oracle, [(x,) for x in (*floats(name), least, -least)])


@pytest.mark.parametrize("width", (1, 2, 4, 32))
def test_subui_extended(width: int) -> None:
    t = IntType(width)
    pairs = list(itertools.product(values(width), repeat=2))
    difference: Attributes = (("result", 0),)
    borrow: Attributes = (("result", 1),)
    agree("arith.subui_extended", (t, t), t, difference, lambda a, b: wrap(a - b, width), pairs)
    agree("arith.subui_extended", (t, t), BOOL, borrow, lambda a, b: int(a < b), pairs)


# Operators without operands


def returned(op: str, index_width: int = 64) -> object:
    pool = TermPool()
    kind = INDEX if op == "index.sizeof" else F32
    memory = Memory(100, MemoryKind.RESULT, "result0", kind, ())
    function = Function("f", (), (memory,), (Store(1, memory, (), pool.make(op, (), kind)),), None)
    return answer(compile(function, index_width=index_width).run(()))


def test_poison_and_sizeof() -> None:
    assert returned("ub.poison") is POISON
    assert returned("index.sizeof") == 64 and returned("index.sizeof", 32) == 32


# What rests on what


def test_what_shows_which_nan_an_operand_is() -> None:
    pool = TermPool()
    x, i = pool.argument(0, F32), pool.argument(1, I32)
    one, nan = pool.real(1.0, F32), pool.real(math.nan, F32)
    assert exposes(pool.make("arith.bitcast", (x,), I32)) and exposes(pool.make("arith.bitcast", (nan,), I32))
    assert not exposes(pool.make("arith.bitcast", (i,), F32)) and not exposes(pool.make("arith.bitcast", (one,), I32))
    assert exposes(pool.make("math.copysign", (one, x), F32))
    assert not exposes(pool.make("arith.addf", (x, x), F32))


def function(op: str, attrs: Attributes = ()) -> Function:
    pool = TermPool()
    memory = Memory(100, MemoryKind.RESULT, "result0", I32, ())
    operands = (pool.argument(0, F32),) * (1 if op == "arith.bitcast" else 2)
    term = pool.make(op, operands, I32 if op == "arith.bitcast" else F32, attrs)
    return Function("f", (), (memory,), (Store(1, memory, (), term),), None)


def test_which_functions_have_one_outcome() -> None:
    assert has_one_outcome(function("arith.addf"))
    assert not has_one_outcome(function("arith.bitcast")) and not leaves_choice(function("arith.bitcast"))
    assert not has_one_outcome(function("arith.addf", (("fastmath", "nnan"),)))
    for licence in ("reassoc", "nsz", "arcp", "contract", "afn"):
        assert leaves_choice(function("arith.addf", (("fastmath", licence),)))
    assert not leaves_choice(function("arith.addf", (("fastmath", "nnan,ninf"),)))
    pool, memory = TermPool(), Memory(100, MemoryKind.RESULT, "result0", F32, ())
    assert not has_one_outcome(
        Function("f", (), (memory,), (Store(1, memory, (), pool.make("ub.poison", (), F32)),), None)
    )


def test_within_and_below_are_poison_where_what_the_program_says_is_not_so() -> None:
    agree(
        "affine.within", (INDEX, INDEX), INDEX, (), lambda x, n: x if 0 <= x < n else POISON,
        itertools.product((-1, 0, 1, 7, 8), (-3, 0, 1, 8)),
    )  # fmt: skip
    agree(
        "affine.below", (INDEX, INDEX), INDEX, (), lambda x, n: x if x < n and n >= 0 else POISON,
        itertools.product((-9, -1, 0, 1, 8), (-3, 0, 1, 8)),
    )  # fmt: skip
