"""The functions that are only functions: what a run takes for them, and that no proof rests on it."""

from __future__ import annotations

import math

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import FloatType, IntType
from hecv.ops import OPERATORS
from hecv.ops.transcendental import transcendental
from hecv.patterns.equations.constant_folding import Folder
from hecv.smt.term_refinement import refine

from .oracles import FORMATS, LEAST_EXPONENT, SIGNIFICANT, answer, floats, program

F32 = FloatType("f32")
EXACT = {
    "acos": (1.0, 0.0),
    "acosh": (1.0, 0.0),
    "asin": (0.0, 0.0),
    "asinh": (-0.0, -0.0),
    "atan": (0.0, 0.0),
    "atanh": (1.0, math.inf),
    "cbrt": (-1.0, -1.0),
    "cos": (0.0, 1.0),
    "cosh": (0.0, 1.0),
    "erf": (math.inf, 1.0),
    "erfc": (0.0, 1.0),
    "exp": (0.0, 1.0),
    "exp2": (5.0, 32.0),
    "expm1": (-math.inf, -1.0),
    "log": (1.0, 0.0),
    "log10": (1000.0, 3.0),
    "log1p": (-1.0, -math.inf),
    "log2": (8.0, 3.0),
    "sin": (-0.0, -0.0),
    "sinh": (0.0, 0.0),
    "tan": (0.0, 0.0),
    "tanh": (-math.inf, -1.0),
}
"""An operand of each function for which everybody agrees on the value."""


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("op", EXACT)
def test_known_values(op: str, name: str) -> None:
    t = FloatType(name)
    operand, expected = EXACT[op]
    found = answer(program(f"math.{op}", (t,), t).run((operand,)))
    assert repr(found) == repr(expected)


def test_every_function_has_a_known_value() -> None:
    unary = set(transcendental.operators) - {"math.atan2", "math.powf", "math.fpowi"}
    assert {f"math.{op}" for op in EXACT} == unary


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("op", ("exp", "log", "sin", "cos", "tanh", "erf", "cbrt", "log1p", "expm1", "atan"))
def test_values_are_near_those_of_f64(op: str, name: str) -> None:
    """To a few units in the last place, against Python's own function in f64."""
    t = FloatType(name)
    executable = program(f"math.{op}", (t,), t)
    for x in floats(name):
        if not 0 < x < 10:
            continue
        found, expected = answer(executable.run((x,))), getattr(math, op)(x)
        assert isinstance(found, float)
        near = {"rel_tol": math.ldexp(4, -SIGNIFICANT[name]), "abs_tol": math.ldexp(1, LEAST_EXPONENT[name])}
        assert math.isclose(found, expected, **near), (op, name, x)


def test_two_operands() -> None:
    t = FloatType("f64")
    assert answer(program("math.atan2", (t, t), t).run((0.0, -1.0))) == math.pi
    assert answer(program("math.atan2", (t, t), t).run((-0.0, -1.0))) == -math.pi
    assert answer(program("math.powf", (t, t), t).run((2.0, -3.0))) == 0.125
    assert answer(program("math.powf", (t, t), t).run((0.0, 0.0))) == 1.0


@pytest.mark.parametrize("exponent", (0, 1, 2, 7, -1, -2, 127, -128))
def test_fpowi(exponent: int) -> None:
    t, width = FloatType("f64"), 8
    found = answer(program("math.fpowi", (t, IntType(width)), t).run((2.0, exponent % 256)))
    assert found == 2.0**exponent
    assert answer(program("math.fpowi", (t, IntType(width)), t).run((-0.0, 255))) == -math.inf


def test_literals_are_not_folded() -> None:
    """exp(0) is 1 in every library; exp(1) is what the library makes it."""
    folder = Folder()
    for name in transcendental.operators:
        operands = (F32, IntType(8)) if name == "math.fpowi" else (F32,) * (1 + (name in ("math.atan2", "math.powf")))
        assert folder.fold(name, (), operands, F32, (1,) * len(operands)) is None
        assert OPERATORS[name].uninterpreted


def test_equal_operands_give_equal_values_and_nothing_else_does() -> None:
    pool = TermPool()
    x, y = (pool.make("leaf", (), F32, (("number", k),)) for k in range(2))

    def apply(op: str, operand: Term) -> Term:
        return pool.make(op, (operand,), F32)

    same = apply("math.exp", apply("arith.negf", apply("arith.negf", x)))
    assert refine(same, apply("math.exp", x), value=True).holds
    for other in (apply("math.exp", y), apply("math.exp2", x), pool.real(1.0, F32)):
        found = refine(apply("math.exp", x), other, value=True)
        assert found.value is not None and found.value.answer == "unknown"
