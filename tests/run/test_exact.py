"""Runs whose arithmetic is exact in every order: which are, and which say nothing."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function
from hecv.ops.fastmath_flags import FloatMode
from hecv.run.evaluation.python_expressions import LeftOpen
from hecv.run.exactness.exact_arithmetic import exact_add, exact_multiply
from hecv.run.interpreter.interpreter import Excluded, Finished, Outcome, compile


def _run(body: str, arguments: tuple[float, ...], mode: FloatMode = "real", kind: str = "f32") -> Outcome:
    names = ", ".join(f"%x{k}: {kind}" for k in range(len(arguments)))
    text = f"func.func @f({names}) -> {kind} {{\n{body}\n return %r : {kind}\n}}"
    function = read_function(parse(text, "exact.mlir"), "f", TermPool())
    return compile(function, exact=mode).run(arguments)


ADD = "%r = arith.addf %x0, %x1 : f32"


@pytest.mark.parametrize("mode", ["reassoc", "real"])
def test_small_numbers_are_summed_exactly(mode: FloatMode) -> None:
    assert _run(ADD, (1.5, 2.25), mode) == Finished((3.75,), (1.5, 2.25), 1)


@pytest.mark.parametrize("mode", ["reassoc", "real"])
@pytest.mark.parametrize("values", [(1.0, 2.0**-30), (2.0**30, 1.0), (float("inf"), 1.0), (float("nan"), 1.0)])
def test_what_may_be_rounded_says_nothing(mode: FloatMode, values: tuple[float, float]) -> None:
    assert isinstance(_run(ADD, values, mode), Excluded)


def test_a_sum_that_is_exact_in_one_order_only() -> None:
    """2^24 - 2^24 + 1 is 1, but 2^24 + 1 is rounded."""
    body = "%s = arith.subf %x0, %x0 : f32\n%r = arith.addf %s, %x1 : f32"
    assert isinstance(_run(body, (2.0**24, 1.0)), Excluded)
    assert isinstance(_run(body, (2.0**20, 1.0)), Finished)


def test_factors_whose_products_leave_the_format() -> None:
    """2^100 * 2^-100 * 2^100 * 2^-100 is 1, but 2^200 is infinite."""
    body = "%a = arith.mulf %x0, %x1 : f32\n%r = arith.mulf %a, %a : f32"
    assert isinstance(_run(body, (2.0**100, 2.0**-100)), Excluded)
    assert isinstance(_run(body, (2.0**10, 2.0**-10)), Finished)


@pytest.mark.parametrize(
    ("body", "values", "exact"),
    [
        ("%r = arith.divf %x0, %x1 : f32", (3.0, 4.0), True),
        ("%r = arith.divf %x0, %x1 : f32", (6.0, 3.0), False),  # times the rounded 1/3 it may be another number
        ("%r = arith.divf %x0, %x1 : f32", (6.0, 0.0), False),
        ("%r = math.sqrt %x0 : f32", (9.0, 0.0), True),
        ("%r = math.sqrt %x0 : f32", (2.0, 0.0), False),
        ("%r = math.exp %x0 : f32", (0.0, 0.0), False),
        ("%r = math.copysign %x0, %x1 : f32", (1.0, -0.0), False),
        ("%r = arith.maximumf %x0, %x1 : f32", (1.0, 2.0), True),
        ("%r = math.fma %x0, %x1, %x1 : f32", (3.0, 5.0), True),
        ("%b = arith.bitcast %x0 : f32 to i32\n%r = arith.sitofp %b : i32 to f32", (0.0, 0.0), False),
    ],
)  # fmt: skip
def test_ops_over_the_reals(body: str, values: tuple[float, float], exact: bool) -> None:
    assert isinstance(_run(body, values), Finished) == exact
    # Op by op nothing can differ under reassociation, which concerns sums and products.
    assert isinstance(_run(body, values, "reassoc"), Finished)


def _drawn(random: Random) -> float:
    return random.choice((random.randint(-9, 9) / 4, random.random() * 2.0 ** random.randint(-12, 12)))


def test_what_is_kept_is_exact() -> None:
    random = Random(3)
    kept = 0
    for _ in range(400):
        a, b, c, d = (_drawn(random) for _ in range(4))
        try:
            total = exact_add(exact_multiply(a, b, "f32"), exact_multiply(c, d, "f32"), "f32")
        except LeftOpen:
            continue
        kept += 1
        assert Fraction(total) == Fraction(a) * Fraction(b) + Fraction(c) * Fraction(d)
    assert 20 < kept < 400


FUSED = "%p = arith.mulf %x0, %x1{0} : f32\n%r = arith.addf %p, %x1{1} : f32"


@pytest.mark.parametrize(
    ("body", "values", "exact"),
    [
        (FUSED, (0.1, 0.2), True),  # nothing is open
        (FUSED.replace("{0}", " fastmath<contract>"), (0.1, 0.2), True),  # nor has a flag alone an effect
        (FUSED.replace("{1}", " fastmath<arcp,afn>"), (0.1, 0.2), True),
        (FUSED.replace("{0}", " fastmath<contract>").replace("{1}", " fastmath<contract>"), (0.1, 0.2), False),
        (FUSED.replace("{0}", " fastmath<contract>").replace("{1}", " fastmath<contract>"), (0.5, 0.25), True),
        (FUSED.replace("{1}", " fastmath<nsz>"), (0.1, 0.2), True),
        (FUSED.replace("{1}", " fastmath<nsz>"), (-1.0, 0.0), False),
        (FUSED.replace("{1}", " fastmath<nsz>"), (-1.0, 1.0), False),  # the result is one
        ("%r = arith.divf %x0, %x1 fastmath<arcp> : f32", (0.3, 3.0), False),
        ("%r = arith.divf %x0, %x1 fastmath<contract> : f32", (0.3, 3.0), True),
        ("%r = arith.divf %x0, %x1 fastmath<afn> : f32", (1.0, 2.0), False),
        ("%r = math.sqrt %x0 fastmath<nsz> : f32", (4.0, 0.0), True),
        ("%r = math.sqrt %x0 fastmath<nsz> : f32", (0.0, 0.0), False),
    ],
)
def test_what_the_flags_of_each_op_leave_open(body: str, values: tuple[float, float], exact: bool) -> None:
    text = body.replace("{0}", "").replace("{1}", "")
    assert isinstance(_run(text, values, "strict"), Finished if exact else Excluded)


def test_an_integer_that_is_rounded_to_the_first_power_beyond_the_digits() -> None:
    """2049 becomes 2048 in f16: that it is 2048 says nothing of the integer."""
    text = "func.func @f(%x: i16) -> f16 {\n %r = arith.sitofp %x : i16 to f16\n return %r : f16\n}"
    executable = compile(read_function(parse(text, "exact.mlir"), "f", TermPool()), exact="real")
    assert isinstance(executable.run((2049,)), Excluded)
    assert executable.run((2047,)) == Finished((2047.0,), (2047,), 1)
