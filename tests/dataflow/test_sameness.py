"""Pairs whose normal forms are one need no proof; where anything differs, or rests on a premise, they do."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.claim.strategy import Strategy
from hecv.dataflow.pair_model import Pair
from hecv.dataflow.same_normal_form import is_same
from hecv.kernel.certificate.file_format import Options as Meaning
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.normal_form_check import replay_form
from hecv.mlir.importer import parse, read_function

SUM = """func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %s = affine.for %k = 0 to affine_map<(d) -> (d)>(%i) iter_args(%t = %zero) -> (f32) {
      %a = affine.load %A[%k] : memref<?xf32>
      %u = arith.addf %t, %a : f32
      affine.yield %u : f32
    }
    affine.store %s, %B[%i] : memref<?xf32>
  }
  return
}"""
UNROLLED = """func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %p = affine.for %k = 0 to affine_map<(d) -> ((d floordiv 2) * 2)>(%i) step 2 iter_args(%t = %zero) -> (f32) {
      %a = affine.load %A[%k] : memref<?xf32>
      %u = arith.addf %t, %a : f32
      %b = affine.load %A[%k + 1] : memref<?xf32>
      %v = arith.addf %u, %b : f32
      affine.yield %v : f32
    }
    %s = affine.for %k = affine_map<(d) -> ((d floordiv 2) * 2)>(%i) to affine_map<(d) -> (d)>(%i)
        iter_args(%t = %p) -> (f32) {
      %a = affine.load %A[%k] : memref<?xf32>
      %u = arith.addf %t, %a : f32
      affine.yield %u : f32
    }
    affine.store %s, %B[%i] : memref<?xf32>
  }
  return
}"""
WRONG = {
    "another memory": ("affine.store %s, %B", "affine.store %s, %A"),
    "another value": ("constant 0.0", "constant 1.0"),
    "another element": ("%A[%k + 1]", "%A[%k]"),
    "another operator": ("%v = arith.addf", "%v = arith.subf"),
    "the clean-up loop ends early": ("to affine_map<(d) -> (d)>(%i)\n", "to affine_map<(d) -> (d - 1)>(%i)\n"),
    "the first value again": ("iter_args(%t = %p)", "iter_args(%t = %zero)"),
    "arguments exchanged": ("(%A: memref<?xf32>, %B:", "(%B: memref<?xf32>, %A:"),
}
"""What breaks the unrolled loop."""


def pair(source: str, target: str) -> Pair:
    pool = TermPool()
    both = (read_function(parse(text, "f.mlir"), "f", pool) for text in (source, target))
    return Pair(pool, *both, ())


def test_an_unrolled_sum_has_one_form_with_the_sum() -> None:
    assert is_same(pair(SUM, UNROLLED))
    report = check(SUM, UNROLLED, ("s.mlir", "t.mlir"), Options())
    (function,) = report.functions
    assert (function.verdict, function.engine) == ("equivalent", "form") and function.runs > 0


def test_what_is_asked_of_an_engine_it_proves() -> None:
    options = Options(strategy=Strategy(engine="dataflow"))
    (function,) = check(SUM, UNROLLED, ("s.mlir", "t.mlir"), options).functions
    assert (function.verdict, function.engine) == ("equivalent", "dataflow")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_loop_has_another_form(name: str) -> None:
    before, after = WRONG[name]
    assert before in UNROLLED
    wrong = UNROLLED.replace(before, after)
    assert not is_same(pair(SUM, wrong))
    assert check(SUM, wrong, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"


def test_a_certificate_is_checked_by_making_the_forms() -> None:
    report = check(SUM, UNROLLED, ("s.mlir", "t.mlir"), Options(recording=True))
    proof = report.functions[0].certificate
    assert proof is not None and type(proof.proof).__name__ == "Form"
    pool = TermPool()
    first, second, wrong = (
        read_function(parse(text, "f.mlir"), "f", pool)
        for text in (SUM, UNROLLED, UNROLLED.replace("%A[%k + 1]", "%A[%k]"))
    )
    replay_form(pool, (first, second), [], Meaning())
    with pytest.raises(Rejected, match="do not have one normal form"):
        replay_form(pool, (first, wrong), [], Meaning())


GUARDED = """func.func @f(%A: memref<8xf32>, %x: f32, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %s = arith.addi %n, %m : index
  %c = arith.cmpi sge, %s, %zero : index
  scf.if %c { affine.store %x, %A[1] : memref<8xf32> }
  affine.store %x, %A[INDEX] : memref<8xf32>
  return
}"""


def test_a_form_under_premises_is_left_to_isl() -> None:
    # Where `n + m` wraps, the branch is not what its form says.
    one = GUARDED.replace("INDEX", "2")
    assert not is_same(pair(one, one))


def test_names_and_results_count_by_what_they_are() -> None:
    text = """func.func @f(%A: memref<4xf32>) -> (f32, f32) {
  %l = memref.alloc() : memref<4xf32>
  %a = affine.load %A[0] : memref<4xf32>
  affine.store %a, %l[1] : memref<4xf32>
  %b = affine.load %l[1] : memref<4xf32>
  return %a, %b : f32, f32
}"""
    unused = text.replace("%l = ", "%k = memref.alloc() : memref<9xf32>\n%l = ").replace("9xf32", "4xf32")
    assert is_same(pair(text, text))
    assert not is_same(pair(text, unused))  # an allocation more
    assert not is_same(pair(text, text.replace("return %a, %b", "return %b, %a")))
    assert not is_same(pair(text, text.replace("affine.store %a, %l[1]", "affine.store %a, %l[0]")))
