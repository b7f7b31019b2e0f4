"""Verdicts of `hecv check` on small pairs, each a trap that a validator may fall into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .programs import ADD, FIRST, UNROLL, UNROLLED, returns

Ask = Callable[..., dict[str, Any]]


def only(report: dict[str, Any]) -> dict[str, Any]:
    (function,) = report["functions"]
    return function


def test_equal_programs(verdict: Ask) -> None:
    function = only(verdict(ADD, ADD))
    assert function["verdict"] == "equivalent" and function["evidence"] == "proved"
    assert function["engine"] == "dataflow" and function["runs"] > 0
    assert "loop-array-dataflow" in {r["name"] for r in function["rules"]}


def test_renamed_argument(verdict: Ask) -> None:
    assert verdict(ADD, ADD.replace("%a", "%first"))["verdict"] == "equivalent"


def test_exchanged_operands(verdict: Ask) -> None:
    assert verdict(ADD, ADD.replace("%a, %b :", "%b, %a :"))["verdict"] == "equivalent"


def test_returns_something_else(verdict: Ask) -> None:
    counterexample = only(verdict(ADD, FIRST))["counterexample"]
    assert counterexample["kind"] == "value" and counterexample["engines"] == ["interpreter", "jit"]
    inputs = counterexample["inputs"]
    assert counterexample["source"] == {"result0": inputs["arg0"] + inputs["arg1"]}
    assert counterexample["target"] == {"result0": inputs["arg0"]}


# HEC's two bugs


def test_unroll_runs_the_clean_up_loop_where_bounds_cross(verdict: Ask) -> None:
    function = only(verdict(UNROLL, UNROLLED))
    assert function["verdict"] == "not-equivalent"
    found = function["counterexample"]
    assert found["kind"] == "value" and found["inputs"]["arg0"] > 10
    assert found["source"]["arg1"]["data"] != found["target"]["arg1"]["data"]
    assert function["localization"]["target"] == {"file": "tgt.mlir", "line": 18, "column": 7, "op": "affine.store"}


def test_unroll_is_right_under_an_assumption(verdict: Ask) -> None:
    function = only(verdict(UNROLL, UNROLLED, "--assume", "lb <= 10"))
    assert function["verdict"] == "equivalent"
    assert {"id": "assume", "text": "lb <= 10", "switch": "--assume"} in function["assumptions"]


def test_assumption_that_does_not_help(verdict: Ask) -> None:
    function = only(verdict(UNROLL, UNROLLED, "--assume", "arg0 >= 0"))
    assert function["counterexample"]["inputs"]["arg0"] > 10


FUSABLE = """
func.func @f(%A: memref<12xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 11 {
    %v = affine.load %A[%i] : memref<12xf32>
    affine.store %v, %A[%i + 1] : memref<12xf32>
  }
  affine.for %i = 0 to 11 {
    %v = affine.load %A[%i + 1] : memref<12xf32>
    %w = arith.addf %v, %one : f32
    affine.store %w, %A[%i + 1] : memref<12xf32>
  }
  return
}
"""

FUSED = """
func.func @f(%A: memref<12xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 11 {
    %v = affine.load %A[%i] : memref<12xf32>
    affine.store %v, %A[%i + 1] : memref<12xf32>
    %u = affine.load %A[%i + 1] : memref<12xf32>
    %w = arith.addf %u, %one : f32
    affine.store %w, %A[%i + 1] : memref<12xf32>
  }
  return
}
"""


def test_fused_across_a_dependence(verdict: Ask) -> None:
    function = only(verdict(FUSABLE, FUSED))
    assert function["verdict"] == "not-equivalent"
    assert function["counterexample"]["kind"] == "value"
    assert function["localization"]["target"]["line"] == 8


# Memory


def test_load_against_store_order(verdict: Ask) -> None:
    kind = "memref<4xi32>"
    first = f"""
    func.func @f(%A: {kind}, %x: i32) -> i32 {{
      affine.store %x, %A[0] : {kind}
      %v = affine.load %A[0] : {kind}
      return %v : i32
    }}
    """
    second = f"""
    func.func @f(%A: {kind}, %x: i32) -> i32 {{
      %v = affine.load %A[0] : {kind}
      affine.store %x, %A[0] : {kind}
      return %v : i32
    }}
    """
    assert only(verdict(first, second))["counterexample"]["kind"] == "value"


def fill(bounds: str, start: str = "") -> str:
    return f"""
    func.func @f(%A: memref<10xf32>, %n: index) {{
      %x = arith.constant 1.0 : f32
      {start}
      affine.for %i = {bounds} {{
        affine.store %x, %A[%i] : memref<10xf32>
      }}
      return
    }}
    """


def test_target_out_of_bounds_where_the_source_is_not(verdict: Ask) -> None:
    found = only(verdict(fill("0 to 10"), fill("0 to 11")))
    assert found["counterexample"]["kind"] == "undefined-behavior"
    assert found["counterexample"]["engines"] == ["interpreter"]
    assert "out of bounds" in found["counterexample"]["target"]["undefined"]
    assert found["counterexample"]["target"]["location"] == "tgt.mlir:5:5"
    assert found["localization"]["target"]["op"] == "affine.store"


def test_source_out_of_bounds_where_the_target_is_not(verdict: Ask) -> None:
    report = verdict(fill("0 to 11"), fill("0 to 10"))
    assert report["verdict"] in ("refines", "unknown")
    assert report["functions"][0]["runs"] == 0


def test_dead_load_out_of_bounds(verdict: Ask) -> None:
    load = "%v = affine.load %A[%n] : memref<10xf32>"
    assert verdict(fill("0 to 10", load), fill("0 to 10"))["verdict"] == "refines"
    assert verdict(fill("0 to 10", load), fill("0 to 10"), "--relation", "equivalent")["verdict"] == "refines"
    assert only(verdict(fill("0 to 10"), fill("0 to 10", load)))["counterexample"]["kind"] == "undefined-behavior"


SPLIT = """
#min = affine_map<(d0) -> (d0, 8)>
#max = affine_map<(d0) -> (d0, 0)>
func.func @f(%A: memref<8xf32>, %m: index) {{
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to {first}(%m) {{
    %v = affine.load %A[%i] : memref<8xf32>
    %w = arith.addf %v, %x : f32
    affine.store %w, %A[%i] : memref<8xf32>
  }}
  affine.for %i = {second}(%m) to 8 {{
    %v = affine.load %A[%i] : memref<8xf32>
    %w = arith.addf %v, %x : f32
    affine.store %w, %A[%i] : memref<8xf32>
  }}
  return
}}
"""

WHOLE = """
func.func @f(%A: memref<8xf32>, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to 8 {
    %v = affine.load %A[%i] : memref<8xf32>
    %w = arith.addf %v, %x : f32
    affine.store %w, %A[%i] : memref<8xf32>
  }
  return
}
"""


def test_loop_split_at_a_clamped_point(verdict: Ask) -> None:
    assert verdict(WHOLE, SPLIT.format(first="min #min", second="max #max"))["verdict"] == "equivalent"


def test_loop_split_outside_its_range(verdict: Ask) -> None:
    split = SPLIT.format(first="min #min", second="max #max").replace("to min #min(%m)", "to %m")
    assert only(verdict(WHOLE, split))["counterexample"]["kind"] == "undefined-behavior"
    assert verdict(WHOLE, split, "--assume", "m <= 8")["verdict"] == "equivalent"


def test_uninitialised_memory(verdict: Ask) -> None:
    undefined = returns("%A = memref.alloca() : memref<f32>\n%r = memref.load %A[] : memref<f32>", "%r : f32")
    zero = returns("%r = arith.constant 0.0 : f32", "%r : f32")
    function = only(verdict(undefined, zero))
    assert function["verdict"] == "refines" and function["notes"]
    back = only(verdict(zero, undefined))["counterexample"]
    assert back["kind"] == "poison" and back["engines"] == ["interpreter"]
    assert back["source"] == {"result0": 0.0} and back["target"] == {"result0": {"poison": True}}


# Scalars


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("%z = arith.constant 0.0 : f32\n%r = arith.addf %x, %z : f32", "-0.0", "0.0"),  # x + 0.0 is not x
        ("%r = arith.mulf %x, %x : f32\n%z = arith.constant 0.0 : f32", None, None),
    ],
)
def test_float_identities(verdict: Ask, source: str, target: str | None, expected: str | None) -> None:
    report = verdict(returns(source, "%r : f32"), returns("", "%x : f32"))
    found = only(report)["counterexample"]
    assert report["verdict"] == "not-equivalent" and found["kind"] == "value"
    if target is not None and expected is not None:
        assert found["target"] == {"result0": target} and repr(found["source"]["result0"]) == expected


def test_subtraction_of_itself_is_not_zero(verdict: Ask) -> None:
    source = returns("%r = arith.subf %x, %x : f32", "%r : f32")
    found = only(verdict(source, returns("%r = arith.constant 0.0 : f32", "%r : f32")))["counterexample"]
    assert found["source"] == {"result0": "nan"} and found["inputs"]["arg0"] in ("inf", "-inf", "nan")


def test_multiplication_by_one_is_not_refuted(verdict: Ask) -> None:
    source = returns("%one = arith.constant 1.0 : f32\n%r = arith.mulf %x, %one : f32", "%r : f32")
    assert verdict(source, returns("", "%x : f32"))["verdict"] in ("equivalent", "unknown")


def test_overflow_flag(verdict: Ask) -> None:
    plain = returns("%r = arith.addi %x, %x : i8", "%r : i8", "%x: i8")
    flagged = plain.replace("%x, %x :", "%x, %x overflow<nsw> :")
    assert verdict(flagged, plain)["verdict"] == "refines"
    assert only(verdict(plain, flagged))["counterexample"]["kind"] == "poison"


def test_speculated_division(verdict: Ask) -> None:
    plain = returns("", "%a : i32", "%a: i32, %b: i32")
    divides = returns("%q = arith.divsi %a, %b : i32", "%a : i32", "%a: i32, %b: i32")
    assert verdict(divides, plain)["verdict"] == "refines"
    found = only(verdict(plain, divides))["counterexample"]
    assert found["kind"] == "undefined-behavior" and "division" in found["target"]["undefined"]


# Programs that do not end, or not soon


def test_step_of_zero(verdict: Ask) -> None:
    program = """
    func.func @f(%A: memref<4xf32>, %n: index) {{
      %c0 = arith.constant 0 : index
      %s = arith.constant {step} : index
      %x = arith.constant 1.0 : f32
      scf.for %i = %c0 to %n step %s {{
        memref.store %x, %A[%c0] : memref<4xf32>
      }}
      return
    }}
    """
    function = only(verdict(program.format(step=0), program.format(step=1)))
    assert function["verdict"] in ("refines", "unknown") and function["runs"] == 0
    assert "undefined" in function["runs_skipped"]
    back = only(verdict(program.format(step=1), program.format(step=0)))
    assert back["counterexample"]["kind"] == "undefined-behavior"


def long_loop(value: str) -> str:
    return f"""
    func.func @f(%A: memref<4xf32>) {{
      %x = arith.constant {value} : f32
      affine.for %i = 0 to 1000000000 {{
        affine.store %x, %A[0] : memref<4xf32>
      }}
      return
    }}
    """


@pytest.mark.one_in(2)
def test_long_loop(verdict: Ask) -> None:
    once = """
    func.func @f(%A: memref<4xf32>) {
      %x = arith.constant 1.0 : f32
      affine.store %x, %A[0] : memref<4xf32>
      return
    }
    """
    report = verdict(long_loop("1.0"), once)
    function = only(report)
    assert function["verdict"] == "equivalent"
    assert "does not finish within 5,000,000 steps" in function["runs_skipped"]
    assert verdict(long_loop("2.0"), once)["verdict"] == "unknown"


def test_recursion(verdict: Ask) -> None:
    source = """
    func.func @f(%n: i32) -> i32 {
      %r = func.call @f(%n) : (i32) -> i32
      return %r : i32
    }
    """
    function = only(verdict(source, source))
    assert function["verdict"] == "equivalent" and "call-induction" in {rule["name"] for rule in function["rules"]}
    assert function["runs"] == 0 and "does not finish" in function["runs_skipped"]


# What has no semantics here


def test_unsupported_op_is_named_and_located(verdict: Ask) -> None:
    wide = "%y = llvm.freeze %x : f32"
    report = verdict(returns("", "%x : f32"), returns(wide, "%y : f32"))
    unknown = only(report)["unknown"]
    assert unknown["reason"] == "unsupported-op" and "llvm.freeze" in unknown["text"]
    assert unknown["location"].startswith("tgt.mlir:2:")


def test_subscript_from_memory(verdict: Ask) -> None:
    """isl cannot hold it; runs still find a difference, on inputs that stay in bounds."""
    program = """
    func.func @f(%P: memref<4xindex>, %A: memref<4xf32>) -> f32 {{
      %c0 = arith.constant 0 : index
      %p = memref.load %P[%c0] : memref<4xindex>
      %v = memref.load %A[%p] : memref<4xf32>
      {more}
      return %r : f32
    }}
    """
    same = program.format(more="%r = arith.negf %v : f32")
    other = program.format(more="%r = arith.addf %v, %v : f32")
    assert verdict(same, same)["verdict"] in ("unknown", "equivalent")
    assert only(verdict(same, other))["counterexample"]["kind"] == "value"


def test_assumptions_that_nothing_satisfies(verdict: Ask) -> None:
    function = only(verdict(UNROLL, UNROLLED, "--assume", "lb > 3", "--assume", "lb < 3"))
    assert function["verdict"] == "equivalent" and function["runs"] == 0
    assert "vacuous" in function["notes"][0]


FILLED = "affine.for %i = 0 to %n {\naffine.store %v, %A[%i] : memref<?xi32>\n}"
TURNED = """scf.while (%x = %v) : (i32) -> i32 {
        %more = arith.cmpi slt, %x, %zero : i32
        scf.condition(%more) %x : i32
      } do {
      ^bb0(%x: i32):
        %y = arith.muli %x, %v : i32
        scf.yield %y : i32
      }"""


@pytest.mark.parametrize(
    ("body", "assumed"),
    [
        (FILLED, ("n >= 1", "n < 1")),
        (FILLED, ("n >= 9223372036854775808",)),
        (TURNED, ("n >= 1", "n < 1")),  # isl holds the parts alone
    ],
)
def test_it_is_told_that_nothing_satisfies_the_assumptions(verdict: Ask, body: str, assumed: tuple[str, ...]) -> None:
    program = f"""func.func @f(%n: index, %A: memref<?xi32>) {{
      %zero = arith.constant 0 : i32
      %v = arith.constant VALUE : i32
      {body}
      return
    }}"""
    given = [part for text in assumed for part in ("--assume", text)]
    function = only(verdict(program.replace("VALUE", "1"), program.replace("VALUE", "2"), *given))
    assert function["verdict"] == "equivalent" and "vacuous" in function["notes"][-1]


# Several functions


def test_the_worst_verdict_counts(verdict: Ask) -> None:
    source = ADD + FIRST.replace("@f", "@g")
    report = verdict(source, ADD + ADD.replace("@f", "@g"))
    assert [f["verdict"] for f in report["functions"]] == ["equivalent", "not-equivalent"]
    assert report["verdict"] == "not-equivalent"
    assert verdict(source, ADD + ADD.replace("@f", "@g"), "--func", "f")["verdict"] == "equivalent"


def test_single_functions_pair_whatever_their_names(verdict: Ask) -> None:
    assert verdict(ADD, ADD.replace("@f", "@other"))["verdict"] == "equivalent"


def test_private_functions_count_through_their_callers(verdict: Ask) -> None:
    helper = "func.func private @h(%a: i32) -> i32 {\n  %r = arith.addi %a, %a : i32\n  return %r : i32\n}\n"
    caller = returns("%r = func.call @h(%a) : (i32) -> i32", "%r : i32", "%a: i32")
    inlined = returns("%r = arith.addi %a, %a : i32", "%r : i32", "%a: i32")
    assert verdict(helper + caller, inlined)["verdict"] == "equivalent"


# Determinism


def test_same_seed_same_counterexample(verdict: Ask) -> None:
    first, second = (only(verdict(ADD, FIRST, "--seed", "7"))["counterexample"] for _ in range(2))
    assert first == second


SUM = """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %sum = affine.for %i = 0 to %n iter_args(%s = %zero) -> f64 {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %B[%i] : memref<?xf64>
    %p = arith.mulf %a, %b : f64
    %t = arith.addf %s, %p : f64
    affine.yield %t : f64
  }
  return %sum : f64
}
"""

COPY = """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}
"""

TWICE = COPY.replace("affine.store", "affine.store %a, %B[%i] : memref<?xf64>\n    affine.store")


def test_arguments_that_may_overlap(verdict: Ask) -> None:
    read_only = only(verdict(SUM, SUM, "--alias", "may"))
    assert read_only["verdict"] == "equivalent"
    assert "args-distinct" not in {a["id"] for a in read_only["assumptions"]}
    parallel = (x.replace("affine.for %i = 0 to %n", "affine.parallel (%i) = (0) to (%n)") for x in (COPY, TWICE))
    written = only(verdict(*parallel, "--alias", "may"))
    assert written["verdict"] == "unknown" and "--alias may" in written["unknown"]["text"]


def test_index_arithmetic_that_wraps(verdict: Ask) -> None:
    plain = only(verdict(SUM, SUM, "--index-overflow", "wrap"))
    assert plain["verdict"] == "equivalent"
    inside = (text.replace("%B[%i]", "%B[%i + 1]") for text in (COPY, TWICE))
    assert only(verdict(*inside, "--index-overflow", "wrap"))["verdict"] == "equivalent"
    beyond = (text.replace("%B[%i]", "%B[%i + 2]") for text in (COPY, TWICE))
    computed = only(verdict(*beyond, "--index-overflow", "wrap"))
    assert computed["verdict"] == "unknown" and "--index-overflow wrap" in computed["unknown"]["text"]


WIDE = """
func.func @f(%n: i64) -> index {
  %i = arith.index_cast %n : i64 to index
  return %i : index
}
"""

CLIPPED = """
func.func @f(%n: i64) -> index {
  %t = arith.trunci %n : i64 to i32
  %i = arith.index_cast %t : i32 to index
  return %i : index
}
"""


def test_index_width(verdict: Ask) -> None:
    assert verdict(WIDE, CLIPPED)["verdict"] == "not-equivalent"
    assert verdict(WIDE, CLIPPED, "--index-width", "32")["verdict"] == "equivalent"
    assert verdict(WIDE, CLIPPED, "--index-width", "32", "--no-static-laws")["verdict"] == "unknown"


TWO_LOOPS = """
func.func @f(%A: memref<80xf32>, %B: memref<80xf32>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[FIRST] : memref<80xf32>
    affine.store %a, %B[%i] : memref<80xf32>
  }
  affine.for %i = 0 to 80 {
    %a = affine.load %A[SECOND] : memref<80xf32>
    affine.store %a, %B[%i] : memref<80xf32>
  }
  return
}
"""


def test_a_fact_of_one_loop_does_not_reach_another(verdict: Ask) -> None:
    """`i floordiv 8 = 0` holds in the loop to 8 only; both loops have the same body, hence the same terms."""
    source = TWO_LOOPS.replace("FIRST", "%i floordiv 8").replace("SECOND", "%i floordiv 8")
    in_first = TWO_LOOPS.replace("FIRST", "0").replace("SECOND", "%i floordiv 8")
    in_both = TWO_LOOPS.replace("FIRST", "0").replace("SECOND", "0")
    assert verdict(source, in_first)["verdict"] == "equivalent"
    assert verdict(source, in_both)["verdict"] == "not-equivalent"


INDIRECT = """
func.func @f(%A: memref<16xf32>, %B: memref<16xindex>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  affine.for %i = 0 to 16 {
    %k = affine.load %B[%i] : memref<16xindex>
    scf.for %j = %c0 to %c16 step %k {
      memref.store %v, %A[%j] : memref<16xf32>
    }
  }
  return
}
"""


@pytest.mark.one_in(2)
def test_a_program_is_itself_also_where_nothing_can_be_proved(verdict: Ask) -> None:
    """Names and places aside: a pass that left a function alone kept its meaning, whatever its steps are."""
    function = only(verdict(INDIRECT, INDIRECT.replace("%k", "%subscript")))
    assert function["verdict"] == "equivalent" and function["engine"] in ("identity", "dataflow")
    assert verdict(INDIRECT, INDIRECT.replace("%A[%j]", "%A[%c0]"))["verdict"] == "not-equivalent"
    assert verdict(INDIRECT, INDIRECT.replace("%B[%i]", "%B[15 - %i]"))["verdict"] == "unknown"


@pytest.mark.one_in(10)
def test_long_product(verdict: Ask) -> None:
    """Modulo a power of two it is 0 for nearly all inputs."""
    count = 200
    arguments = ", ".join(f"%a{k}: i32" for k in range(count))
    steps = [f"%p{k} = arith.muli %{'a0' if k == 1 else f'p{k - 1}'}, %a{k} : i32" for k in range(1, count)]
    text = "\n".join([f"func.func @f({arguments}) -> i32 {{", *steps, f"return %p{count - 1} : i32", "}"])
    target = text.replace("%p150, %a151", "%p150, %a150")
    function = only(verdict(text, target))
    assert (function["verdict"], function["counterexample"]["kind"]) == ("not-equivalent", "value")
