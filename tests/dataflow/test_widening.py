"""Inductions whose relations hold at some values of the parameters only, and which engine proves them."""

from __future__ import annotations

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.strategy import Strategy

NEST = """
func.func @f(%A: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %total = affine.for %i = 0 to %n iter_args(%outer = %zero) -> f32 {
    %sum = affine.for %j = 0 to %m iter_args(%inner = %outer) -> f32 {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.addf %inner, %a : f32
      affine.yield %s : f32
    }
    affine.store %sum, %y[%i] : memref<?xf32>
    affine.yield %sum : f32
  }
  return %total : f32
}
"""
WHILES = """
func.func @f(%A: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total:2 = scf.while (%i = %c0, %outer = %zero) : (index, f32) -> (index, f32) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %outer : index, f32
  } do {
  ^bb0(%i: index, %outer: f32):
    %next = arith.addi %i, %c1 : index
    %sum:2 = scf.while (%j = %c0, %inner = %outer) : (index, f32) -> (index, f32) {
      %more = arith.cmpi slt, %j, %m : index
      scf.condition(%more) %j, %inner : index, f32
    } do {
    ^bb0(%j: index, %inner: f32):
      %after = arith.addi %j, %c1 : index
      %a = memref.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.addf %inner, %a : f32
      scf.yield %after, %s : index, f32
    }
    memref.store %sum#1, %y[%i] : memref<?xf32>
    scf.yield %next, FIRST : index, f32
  }
  return %total#1 : f32
}
"""


def _report(target: str) -> FunctionReport:
    options = Options(strategy=Strategy(engine="dataflow"))
    return check(NEST, target, ("source.mlir", "target.mlir"), options).functions[0]


def test_an_inner_loop_that_may_not_run_carries_the_value_of_the_outer_one() -> None:
    """Where `m <= 0` the sum is zero at every `i`; where `m = 1` it is only at the first. One hull of both is false."""
    assert _report(WHILES.replace("FIRST", "%sum#1")).verdict == "equivalent"


def test_an_outer_loop_that_hands_on_its_own_value_is_refuted() -> None:
    assert _report(WHILES.replace("FIRST", "%outer")).verdict == "not-equivalent"
