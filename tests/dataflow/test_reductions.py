"""Reductions in another order: loops interchanged, reversed, tiled, with several accumulators."""

from __future__ import annotations

import re

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.ops.fastmath_flags import FloatMode


def _report(source: str, target: str, fp: FloatMode = "strict", assume: tuple[str, ...] = ()) -> FunctionReport:
    options = Options(assume=assume, switches=Switches(floats=fp))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0]


def _verdict(source: str, target: str, fp: FloatMode = "strict", assume: tuple[str, ...] = ()) -> str:
    return _report(source, target, fp, assume).verdict


def _sum(subscript: str = "%i", bounds: str = "0 to %n", op: str = "addi", kind: str = "i32", zero: str = "0") -> str:
    return f"""
func.func @f(%A: memref<?x{kind}>, %n: index) -> {kind} {{
  %z = arith.constant {zero} : {kind}
  %s = affine.for %i = {bounds} iter_args(%a = %z) -> {kind} {{
    %v = affine.load %A[{subscript}] : memref<?x{kind}>
    %r = arith.{op} %a, %v : {kind}
    affine.yield %r : {kind}
  }}
  return %s : {kind}
}}"""


REVERSED = "%n - 1 - %i"
HALVES = "0 to affine_map<()[s0] -> (s0 floordiv 2)>()[%n]"
REST = "affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%n] to %n"


def _two_accumulators(op: str = "addi", kind: str = "i32", zero: str = "0", second: str = "2 * %i + 1") -> str:
    return f"""
func.func @f(%A: memref<?x{kind}>, %n: index) -> {kind} {{
  %z = arith.constant {zero} : {kind}
  %s:2 = affine.for %i = {HALVES} iter_args(%a = %z, %b = %z) -> ({kind}, {kind}) {{
    %v = affine.load %A[2 * %i] : memref<?x{kind}>
    %w = affine.load %A[{second}] : memref<?x{kind}>
    %r = arith.{op} %a, %v : {kind}
    %q = arith.{op} %b, %w : {kind}
    affine.yield %r, %q : {kind}, {kind}
  }}
  %t = arith.{op} %s#0, %s#1 : {kind}
  %u = affine.for %i = {REST} iter_args(%a = %t) -> {kind} {{
    %v = affine.load %A[%i] : memref<?x{kind}>
    %r = arith.{op} %a, %v : {kind}
    affine.yield %r : {kind}
  }}
  return %u : {kind}
}}"""


def _tiled(kind: str = "i32", op: str = "addi", zero: str = "0", last: str = "d0 + 8") -> str:
    return f"""
func.func @f(%A: memref<?x{kind}>, %n: index) -> {kind} {{
  %z = arith.constant {zero} : {kind}
  %s = affine.for %t = 0 to %n step 8 iter_args(%a = %z) -> {kind} {{
    %p = affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> ({last}, s0)>(%t)[%n]
        iter_args(%b = %z) -> {kind} {{
      %v = affine.load %A[%i] : memref<?x{kind}>
      %r = arith.{op} %b, %v : {kind}
      affine.yield %r : {kind}
    }}
    %r = arith.{op} %a, %p : {kind}
    affine.yield %r : {kind}
  }}
  return %s : {kind}
}}"""


UNITS = {"addi": "0", "muli": "1", "andi": "-1", "ori": "0", "xori": "0", "maxsi": "-2147483648", "minui": "-1"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("op", UNITS)
def test_integer_reductions_in_any_order(op: str) -> None:
    source = _sum(op=op, zero=UNITS[op])
    assert _verdict(source, _sum(REVERSED, op=op, zero=UNITS[op])) == "equivalent"
    assert _verdict(source, _tiled(op=op, zero=UNITS[op])) == "equivalent"
    assert _verdict(source, _two_accumulators(op, zero=UNITS[op]), assume=("nonneg",)) == "equivalent"


def test_the_rule_is_counted() -> None:
    report = _report(_sum(), _sum(REVERSED))
    assert any(rule.name == "loop-reduction" and rule.uses for rule in report.rules)


@pytest.mark.parametrize(
    "target",
    [
        _sum("%n - 1 - %i", "1 to %n"),
        _sum(REVERSED, op="subi"),
        _two_accumulators(second="2 * %i"),
        _tiled(last="d0 + 7"),
        _tiled(zero="1"),
    ],
)
def test_mutants_are_refuted(target: str) -> None:
    assert _verdict(_sum(), target, assume=("nonneg",)) == "not-equivalent"


def test_differences_keep_their_order() -> None:
    """s - a - b is the sum of s, -a and -b; what is subtracted from is not."""
    source = _sum(op="subi")
    assert _verdict(source, _sum(REVERSED, op="subi")) == "equivalent"
    swapped = _sum(op="subi").replace("subi %a, %v", "subi %v, %a")
    assert _verdict(source, swapped) == "not-equivalent"


def test_a_target_with_flags_is_not_regrouped() -> None:
    """In another order a partial sum may overflow: the target is then poison where the source is not."""
    flagged = _sum(REVERSED).replace("arith.addi %a, %v", "arith.addi %a, %v overflow<nsw>")
    assert _verdict(_sum(), flagged) == "not-equivalent"
    source = _sum().replace("arith.addi %a, %v", "arith.addi %a, %v overflow<nsw>")
    assert _verdict(source, _sum(REVERSED)) == "refines"
    assert _verdict(source, flagged) == "not-equivalent"


def _nest(outer: str, inner: str, subscripts: str, kind: str = "i32", op: str = "addi", zero: str = "0") -> str:
    bound = {"%i": "%n", "%j": "%m"}
    return f"""
func.func @f(%A: memref<?x?x{kind}>, %n: index, %m: index) -> {kind} {{
  %z = arith.constant {zero} : {kind}
  %s = affine.for {outer} = 0 to {bound[outer]} iter_args(%x = %z) -> {kind} {{
    %q = affine.for {inner} = 0 to {bound[inner]} iter_args(%y = %x) -> {kind} {{
      %v = affine.load %A[{subscripts}] : memref<?x?x{kind}>
      %r = arith.{op} %y, %v : {kind}
      affine.yield %r : {kind}
    }}
    affine.yield %q : {kind}
  }}
  return %s : {kind}
}}"""


@pytest.mark.parametrize("subscripts", ["%i, %j", "%i, 0"])
def test_interchange_of_the_dimensions_of_a_reduction(subscripts: str) -> None:
    source = _nest("%i", "%j", subscripts)
    assert _verdict(source, _nest("%j", "%i", subscripts)) == "equivalent"


def test_another_element_is_refuted() -> None:
    assert _verdict(_nest("%i", "%j", "%i, %j"), _nest("%j", "%i", "%j, %i")) == "not-equivalent"


def test_an_element_that_counts_twice() -> None:
    """A bag, not a set: a[0] + a[0] is not a[0]."""
    twice = _sum().replace(
        "%r = arith.addi %a, %v : i32", "%w = arith.addi %v, %v : i32\n %r = arith.addi %a, %w : i32"
    )
    assert _verdict(_sum(), twice) == "not-equivalent"
    both = twice.replace("%A[%i]", f"%A[{REVERSED}]")
    assert _verdict(twice, both) == "equivalent"


def test_a_sum_that_is_added_many_times_is_not_followed() -> None:
    """The inner sum contributes once for every outer iteration."""
    source = """
func.func @f(%A: memref<?xi32>, %n: index) -> i32 {
  %z = arith.constant 0 : i32
  %t = affine.for %i = 0 to %n iter_args(%a = %z) -> i32 {
    %v = affine.load %A[%i] : memref<?xi32>
    %r = arith.addi %a, %v : i32
    affine.yield %r : i32
  }
  %s = affine.for %i = 0 to %n iter_args(%a = %z) -> i32 {
    %r = arith.addi %a, %t : i32
    affine.yield %r : i32
  }
  return %s : i32
}"""
    once = source.replace("%s = affine.for %i = 0 to %n", "%s = affine.for %i = 0 to 1")
    assert _verdict(source, once, assume=("n >= 2",)) == "not-equivalent"
    assert _verdict(source, source.replace("%A[%i]", f"%A[{REVERSED}]")) == "equivalent"


def _gemm(kind: str = "i32", add: str = "addi", mul: str = "muli", k: str = "%k") -> str:
    memref = f"memref<?x?x{kind}>"
    return f"""
func.func @f(%A: {memref}, %B: {memref}, %C: {memref}, %n: index, %m: index, %p: index) {{
  affine.for %i = 0 to %n {{ affine.for %j = 0 to %m {{ affine.for %k = 0 to %p {{
    %a = affine.load %A[%i, {k}] : {memref}
    %b = affine.load %B[{k}, %j] : {memref}
    %x = arith.{mul} %a, %b : {kind}
    %c = affine.load %C[%i, %j] : {memref}
    %s = arith.{add} %c, %x : {kind}
    affine.store %s, %C[%i, %j] : {memref}
  }} }} }}
  return
}}"""


def test_gemm_with_its_reduction_reversed() -> None:
    assert _verdict(_gemm(), _gemm(k="%p - 1 - %k")) == "equivalent"
    wrong = _gemm(k="%p - 1 - %k").replace("%B[%p - 1 - %k", "%B[%k")
    assert _verdict(_gemm(), wrong) == "not-equivalent"


# Floats


FLOAT = {"kind": "f32", "op": "addf", "zero": "0.0"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("fp", ["reassoc", "real"])
@pytest.mark.parametrize("target", [_sum(REVERSED, **FLOAT), _tiled(**FLOAT)])
def test_float_sums_need_a_licence(target: str, fp: FloatMode) -> None:
    source = _sum(**FLOAT)
    assert _verdict(source, target) == "not-equivalent"
    report = _report(source, target, fp)
    assert report.verdict == "equivalent"
    assert [a.switch for a in report.assumptions if a.id == f"floats-{fp}"] == ["--fp"]


def test_flags_on_all_ops_are_a_licence() -> None:
    source, target = (_flagged(s, "reassoc") for s in (_sum(**FLOAT), _tiled(**FLOAT)))
    assert _verdict(source, target) == "equivalent"
    assert _verdict(source, _tiled(**FLOAT)) == "refines"
    assert _verdict(_sum(**FLOAT), target) == "not-equivalent"


@pytest.mark.one_in(6)
def test_a_flag_that_the_source_lacks_is_no_licence() -> None:
    source, target = _flagged(_sum(**FLOAT), "reassoc"), _flagged(_sum(REVERSED, **FLOAT), "reassoc,nnan")
    assert _verdict(source, target) != "equivalent" and _verdict(source, target) != "refines"


def _flagged(text: str, flags: str) -> str:
    return text.replace(" : f32\n      affine.yield", f" fastmath<{flags}> : f32\n      affine.yield").replace(
        " : f32\n    affine.yield", f" fastmath<{flags}> : f32\n    affine.yield"
    )


def test_a_zero_too_many_shows_in_the_sign() -> None:
    """-0 summed from +0 is +0, from -0 it is -0."""
    source, target = (_sum(kind="f32", op="addf", zero=z) for z in ("-0.0", "0.0"))
    assert _verdict(source, target, "reassoc") == "not-equivalent"
    assert _verdict(source, target, "real") == "equivalent"


COUNTED = """
func.func @f(%A: memref<16xf32>, %s: memref<f32>, %n: index) {
  affine.for %i = 0 to %n {
    %o = affine.load %s[] : memref<f32>
    %a = affine.load %A[%i] : memref<16xf32>
    %r = arith.OP %o, %a fastmath<FLAGS> : f32
    affine.store %r, %s[] : memref<f32>
  }
  return
}"""
STEP = """  %unit = arith.constant UNIT : f32
  %last = affine.load %s[] : memref<f32>
  %t = arith.OP %last, %unit fastmath<FLAGS> : f32
  affine.store %t, %s[] : memref<f32>
  return"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("flag", ["nnan", "ninf", "nsz"])
@pytest.mark.parametrize(("op", "unit"), [("addf", "-0.0"), ("mulf", "1.0")])
def test_a_flag_counts_where_nothing_is_summed_up(op: str, unit: str, flag: str) -> None:
    """Where the loop does not run, `s` is as it was, and `s + -0.0` is poison of a NaN, or a zero of any sign."""
    source, target = (t.replace("OP", op).replace("UNIT", unit) for t in (COUNTED, COUNTED.replace("  return", STEP)))
    assert _verdict(source.replace("FLAGS", "reassoc"), target.replace("FLAGS", "reassoc")) == "equivalent"
    source, target = (t.replace("FLAGS", f"reassoc,{flag}") for t in (source, target))
    assert _verdict(source, target) not in ("equivalent", "refines")
    assert _verdict(target, source) == "refines"


@pytest.mark.parametrize(("flags", "verdict"), [("reassoc,nnan,ninf", "equivalent"), ("reassoc,nsz", "unknown")])
def test_a_literal_that_is_a_number_makes_no_poison(flags: str, verdict: str) -> None:
    """Of no elements one sum is `0.0`, the other is of two such zeros: it may have either sign under `nsz`."""
    sums = _sum(**FLOAT), _two_accumulators("addf", "f32", "0.0")
    flagged = (re.sub(r"(arith\.addf .*) : f32", rf"\1 fastmath<{flags}> : f32", text) for text in sums)
    assert _verdict(next(flagged), next(flagged), assume=("nonneg",)) == verdict


@pytest.mark.parametrize("fp", ["strict", "reassoc", "real"])
def test_float_extrema_need_none(fp: FloatMode) -> None:
    shape = {"kind": "f32", "op": "maximumf", "zero": "0xFF800000"}
    assert _verdict(_sum(**shape), _sum(REVERSED, **shape), fp) == "equivalent"


@pytest.mark.parametrize("fp", ["reassoc", "real"])
def test_wrong_float_sums_are_refuted_by_exact_runs(fp: FloatMode) -> None:
    wrong = _sum("%n - 1 - %i", "1 to %n", **FLOAT)
    report = _report(_sum(**FLOAT), wrong, fp)
    assert report.verdict == "not-equivalent" and report.counterexample is not None


SCALED_SUM = """
func.func @f(%A: memref<64xf64>, %s: memref<f64>, %x: f64) {
  %v = affine.load %s[] : memref<f64>
  %w = arith.mulf %v, %x : f64
  affine.store %w, %s[] : memref<f64>
  affine.for %i = 0 to 64 {
    %a = affine.load %s[] : memref<f64>
    %b = affine.load %A[%i] : memref<64xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %s[] : memref<f64>
  }
  return
}"""


def test_sums_are_compared_link_by_link_where_no_other_order_is_allowed() -> None:
    report = _report(SCALED_SUM, SCALED_SUM)
    assert report.verdict == "equivalent"
    assert "loop-reduction" not in {r.name for r in report.rules}


def _row_maxima(first: str, bounds: str, kind: str, op: str, subscript: str = "%j") -> str:
    return f"""
func.func @f(%A: memref<?x?x{kind}>, %O: memref<?x{kind}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?x{kind}>
  %m = memref.dim %A, %c1 : memref<?x?x{kind}>
  affine.for %i = 0 to %n {{
    %x = affine.load %A[%i, {first}] : memref<?x?x{kind}>
    affine.store %x, %O[%i] : memref<?x{kind}>
    affine.for %j = {bounds} {{
      %a = affine.load %A[%i, {subscript}] : memref<?x?x{kind}>
      %o = affine.load %O[%i] : memref<?x{kind}>
      %r = arith.{op} %o, %a : {kind}
      affine.store %r, %O[%i] : memref<?x{kind}>
    }}
  }}
  return
}}"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("kind", "op"), [("f32", "maximumf"), ("i32", "minsi"), ("i32", "ori")])
def test_an_operand_that_counts_once_may_occur_twice(kind: str, op: str) -> None:
    """A pooling window that starts with its first element, which the loop meets again or not."""
    twice, once = _row_maxima("0", "0 to %m", kind, op), _row_maxima("0", "1 to %m", kind, op)
    back = _row_maxima("0", "0 to %m", kind, op, "symbol(%m) - 1 - %j")
    assert {_verdict(*pair) for pair in ((twice, once), (once, twice), (twice, back), (back, once))} == {"equivalent"}
    assert _verdict(twice, _row_maxima("0", "2 to %m", kind, op)) == "not-equivalent"


def test_an_operand_that_counts_as_often_as_it_occurs_may_not() -> None:
    twice, once = _row_maxima("0", "0 to %m", "i32", "addi"), _row_maxima("0", "1 to %m", "i32", "addi")
    assert _verdict(twice, once) == "not-equivalent"
