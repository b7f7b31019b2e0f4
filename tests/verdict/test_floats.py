"""`--fp` and fast-math flags: what is proved, what is refuted, what rounding leaves open, what is printed."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.ops.fastmath_flags import FloatMode
from hecv.verdict.refuted import REORDERED


def _function(body: str, count: int = 3, kind: str = "f32") -> str:
    names = ", ".join(f"%{n}: {kind}" for n in "abcdefgh"[:count])
    return f"func.func @f({names}) -> {kind} {{\n{body}\n  return %r : {kind}\n}}"


def _report(source: str, target: str, fp: FloatMode = "strict") -> FunctionReport:
    return check(source, target, ("s.mlir", "t.mlir"), Options(switches=Switches(floats=fp))).functions[0]


def _verdict(source: str, target: str, fp: FloatMode = "strict") -> str:
    return _report(_function(source), _function(target), fp).verdict


LEFT = "%x = arith.addf %a, %b : f32\n%r = arith.addf %x, %c : f32"
RIGHT = "%x = arith.addf %b, %c : f32\n%r = arith.addf %a, %x : f32"
WRONG = "%x = arith.addf %b, %b : f32\n%r = arith.addf %a, %x : f32"
PRODUCT_OF_SUM = "%x = arith.addf %a, %b : f32\n%r = arith.mulf %x, %c : f32"
SUM_OF_PRODUCTS = "%x = arith.mulf %a, %c : f32\n%y = arith.mulf %b, %c : f32\n%r = arith.addf %x, %y : f32"
CONTRACTED = "%r = math.fma %a, %b, %c : f32"
MULTIPLY_ADD = "%x = arith.mulf %a, %b : f32\n%r = arith.addf %x, %c : f32"
QUOTIENT = "%x = arith.mulf %a, %b : f32\n%r = arith.divf %x, %b : f32"
FIRST = "%z = arith.constant 1.0 : f32\n%r = arith.mulf %a, %z : f32"
TWICE_CAST = (
    "%x = arith.extf %a : f32 to f64\n%y = arith.extf %b : f32 to f64\n"
    "%s = arith.addf %x, %y : f64\n%r = arith.truncf %s : f64 to f32"
)


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    ("source", "target", "strict", "reassoc", "real"),
    [
        (LEFT, RIGHT, "not-equivalent", "equivalent", "equivalent"),
        (LEFT, WRONG, "not-equivalent", "not-equivalent", "not-equivalent"),
        # (1 + -1) * -1 is -0, and 1 * -1 + -1 * -1 is +0.
        (PRODUCT_OF_SUM, SUM_OF_PRODUCTS, "not-equivalent", "not-equivalent", "equivalent"),
        (MULTIPLY_ADD, CONTRACTED, "not-equivalent", "unknown", "equivalent"),
        (QUOTIENT, FIRST, "not-equivalent", "not-equivalent", "refines"),
        (FIRST, QUOTIENT, "not-equivalent", "not-equivalent", "unknown"),
    ],
)
def test_modes(source: str, target: str, strict: str, reassoc: str, real: str) -> None:
    assert _verdict(source, target) == strict
    assert _verdict(source, target, "reassoc") == reassoc
    assert _verdict(source, target, "real") == real


def test_one_addition_in_a_wider_format() -> None:
    assert _verdict(TWICE_CAST, "%r = arith.addf %a, %b : f32", "real") == "equivalent"


def test_every_use_of_a_mode_is_printed() -> None:
    for fp in ("reassoc", "real"):
        found = {a.id: a.switch for a in _report(_function(LEFT), _function(RIGHT), fp).assumptions}
        assert found[f"floats-{fp}"] == "--fp"
    assert not any(a.id.startswith("floats") for a in _report(_function(LEFT), _function(LEFT)).assumptions)
    whole = "func.func @f(%a: i32) -> i32 {\n return %a : i32\n}"
    assert not any(a.id.startswith("floats") for a in _report(whole, whole, "real").assumptions)


def test_a_refutation_has_exact_inputs() -> None:
    report = _report(_function(LEFT), _function(WRONG), "reassoc")
    assert report.counterexample is not None
    values = [b.value for b in report.counterexample.inputs]
    assert all(isinstance(v, float) and v == round(v * 8) / 8 for v in values)


TENTH = (
    "func.func @f(%x: f32) -> i1 {{\n%t = arith.constant 0.1 : f32\n%d = arith.constant 0.1 : f64\n{}\n"
    "return %r : i1\n}}"
)
NARROW = "%m = arith.mulf %x, %t : f32\n%r = arith.cmpf olt, %m, %t : f32"
WIDE = (
    "%e = arith.extf %x : f32 to f64\n%c = arith.extf %t : f32 to f64\n"
    "%m = arith.mulf %e, %d : f64\n%r = arith.cmpf olt, %m, %c : f64"
)
UNDEFINED = "%z = arith.constant 0 : i1\n%q = arith.divui %r, %z : i1"


def test_what_a_literal_stands_for_may_decide_a_comparison() -> None:
    """A tenth of 1 is not less than a tenth, but 0.1 in f64 is less than 0.1 in f32; neither run rounds anything."""
    assert _report(TENTH.format(NARROW), TENTH.format(WIDE), "real").verdict != "not-equivalent"
    others = (WIDE.replace("olt", "ogt"), f"{WIDE}\n{UNDEFINED}")
    assert all(_report(TENTH.format(NARROW), TENTH.format(t), "real").verdict == "not-equivalent" for t in others)


def test_the_sign_of_a_zero_is_none_over_the_reals() -> None:
    zero = "%z = arith.constant {} : f32\n%x = arith.addf %a, %b : f32\n%r = arith.addf %x, %z : f32"
    source, target = zero.format("-0.0"), zero.format("0.0")
    assert _verdict(source, target, "reassoc") == "not-equivalent"
    assert _verdict(source, target, "real") == "equivalent"


def test_what_shows_the_bits_of_a_float_is_not_regrouped() -> None:
    last = "%i = arith.bitcast %r : f32 to i32\n return %i : i32"
    bits = f"func.func @f(%a: f32, %b: f32, %c: f32) -> i32 {{{{\n{{}}\n {last}\n}}}}"
    for fp in ("reassoc", "real"):
        assert _report(bits.format(LEFT), bits.format(RIGHT), fp).verdict == "unknown"


# Flags of ops


def _flagged(body: str, flags: str) -> str:
    lines = [
        line.replace(" : f32", f" fastmath<{flags}> : f32") if "constant" not in line else line
        for line in body.split("\n")
    ]
    return "\n".join(lines)


def test_reassoc_on_all_ops() -> None:
    source = _flagged(LEFT, "reassoc")
    assert _verdict(source, _flagged(RIGHT, "reassoc")) == "equivalent"
    assert _verdict(source, RIGHT) == "refines"
    assert _verdict(LEFT, _flagged(RIGHT, "reassoc")) == "not-equivalent"
    assert _verdict(source, _flagged(WRONG, "reassoc")) == "not-equivalent"


def test_an_op_without_the_flag_is_no_link() -> None:
    first = LEFT.replace("%a, %b : f32", "%a, %b fastmath<reassoc> : f32")
    assert _verdict(first, RIGHT) == "not-equivalent"


def test_all_flags_are_real_arithmetic() -> None:
    source = _flagged(PRODUCT_OF_SUM, "fast")
    assert _verdict(source, _flagged(SUM_OF_PRODUCTS, "fast")) == "equivalent"
    assert _verdict(source, SUM_OF_PRODUCTS) == "refines"
    # They differ in the sign of a zero, which this flag does not leave open.
    assert _verdict(_flagged(PRODUCT_OF_SUM, "reassoc"), SUM_OF_PRODUCTS) == "not-equivalent"
    assert _verdict(PRODUCT_OF_SUM, _flagged(SUM_OF_PRODUCTS, "fast")) == "not-equivalent"


@pytest.mark.one_in(6)
def test_no_other_flag_licenses_another_order() -> None:
    for flag in ("nsz", "arcp", "afn", "contract"):
        assert _verdict(_flagged(LEFT, flag), _flagged(RIGHT, flag)) == "not-equivalent"
        assert _verdict(_flagged(LEFT, flag), _flagged(LEFT, flag)) == "equivalent"
        # Of a sum there is nothing to contract, to approximate or to invert.
        assert _verdict(_flagged(LEFT, flag), LEFT) == ("refines" if flag == "nsz" else "equivalent")
        assert _verdict(LEFT, _flagged(LEFT, flag)) == ("unknown" if flag == "nsz" else "equivalent")


NEGATED_PRODUCT = "%x = arith.mulf %a, %b : f32\n%r = arith.subf %c, %x : f32"
NEGATED_FACTOR = "%n = arith.negf %a : f32\n%r = math.fma %n, %b, %c : f32"
THIRD = "%z = arith.constant 3.0 : f32\n%r = arith.divf %a, %z : f32"
TIMES_A_THIRD = "%z = arith.constant 0.333333343 : f32\n%r = arith.mulf %a, %z : f32"
ZERO_ADDED = "%z = arith.constant 0.0 : f32\n%x = arith.addf %a, %z : f32\n%r = arith.mulf %x, %b : f32"
NOT_ADDED = "%r = arith.mulf %a, %b : f32"
DIVIDED = "%r = arith.divf %a, %b : f32"
INVERTED = "%z = arith.constant 1.0 : f32\n%x = arith.divf %z, %b : f32\n%r = arith.mulf %x, %a : f32"


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    ("flag", "source", "target"),
    [
        ("contract", MULTIPLY_ADD, CONTRACTED),
        ("contract", NEGATED_PRODUCT, NEGATED_FACTOR),
        ("arcp", THIRD, TIMES_A_THIRD),
        ("arcp", DIVIDED, INVERTED),
        ("nsz", ZERO_ADDED, NOT_ADDED),
    ],
)
def test_flags_that_license_one_direction(flag: str, source: str, target: str) -> None:
    assert _verdict(_flagged(source, flag), target) == "refines"
    assert _verdict(_flagged(source, flag), _flagged(target, flag)) == "refines"
    assert _verdict(_flagged(source, f"{flag},afn,nnan"), _flagged(target, flag)) == "refines"
    assert _verdict(source, _flagged(target, flag)) == "not-equivalent"
    assert _verdict(_flagged(target, flag), source) in ("unknown", "not-equivalent")
    for other in {"contract", "arcp", "nsz"} - {flag}:
        assert _verdict(_flagged(source, other), target) == "not-equivalent"


def test_one_op_without_the_flag_is_not_contracted() -> None:
    source = MULTIPLY_ADD.replace("%x, %c : f32", "%x, %c fastmath<contract> : f32")
    assert _verdict(source, CONTRACTED) == "not-equivalent"


@pytest.mark.one_in(2)
def test_flags_that_make_poison() -> None:
    for flag in ("nnan", "ninf"):
        assert _verdict(_flagged(LEFT, flag), LEFT) == "refines"
        assert _verdict(LEFT, _flagged(LEFT, flag)) == "not-equivalent"
        assert _verdict(_flagged(LEFT, flag), RIGHT) == "not-equivalent"


IN_ORDER = """func.func @f(%A: memref<9xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 9 iter_args(%a = %z) -> f32 {
    %x = affine.load %A[%i] : memref<9xf32>
    %y = arith.addf %a, %x : f32
    affine.yield %y : f32
  }
  return %r : f32
}"""
IN_PARALLEL = """func.func @f(%A: memref<9xf32>) -> f32 {
  %r = affine.parallel (%i) = (0) to (9) reduce ("addf") -> f32 {
    %x = affine.load %A[%i] : memref<9xf32>
    affine.yield %x : f32
  }
  return %r : f32
}"""


def test_a_parallel_sum_of_floats_is_refuted_by_another_order() -> None:
    """In the order of the loop, the one that MLIR's JIT knows, it is the sequential sum."""
    report = _report(IN_ORDER, IN_PARALLEL)
    assert report.verdict == "not-equivalent" and REORDERED in report.notes
    assert report.counterexample is not None and report.counterexample.engines == ("interpreter",)
    assert report.counterexample.kind == "value" and not report.counterexample.calls


@pytest.mark.parametrize("fp", ["reassoc", "real"])
def test_a_parallel_sum_of_floats_is_one_order_of_all(fp: FloatMode) -> None:
    assert _report(IN_ORDER, IN_PARALLEL, fp).verdict == "equivalent"
    assert _report(IN_PARALLEL, IN_ORDER).verdict == "refines"


@pytest.mark.parametrize("kind", ["maximumf", "minimumf"])
def test_parallel_extrema_have_one_value(kind: str) -> None:
    source, target = (
        t.replace("arith.addf", f"arith.{kind}").replace('"addf"', f'"{kind}"') for t in (IN_ORDER, IN_PARALLEL)
    )
    infinite = "0xFF800000" if kind == "maximumf" else "0x7F800000"
    assert _report(source.replace("0.0 : f32", f"{infinite} : f32"), target).verdict == "equivalent"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (
            "%s = math.sqrt %a : f32\n%r = arith.divf %b, %s fastmath<arcp> : f32",
            "%s = math.sqrt %a : f32\n%z = arith.constant 1.0 : f32\n%q = arith.divf %z, %s : f32\n"
            "%r = arith.mulf %b, %q : f32",
        ),
        (
            "%s = math.rsqrt %a fastmath<fast> : f32\n%r = arith.mulf %b, %s fastmath<fast> : f32",
            "%s = math.sqrt %a fastmath<fast> : f32\n%r = arith.divf %b, %s fastmath<fast> : f32",
        ),
    ],
)
def test_flags_beside_a_mode(source: str, target: str) -> None:
    """The source may do what its flags allow, also where sums may be in any order."""
    assert _verdict(source, target, "reassoc") != "not-equivalent"
    wrong = target.replace("%r = ", "%w = ") + "\n%m = arith.constant 2.0 : f32\n%r = arith.mulf %w, %m : f32"
    assert _verdict(source, wrong, "reassoc") not in ("equivalent", "refines")
