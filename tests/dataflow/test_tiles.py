"""Tiles of which the last is shorter, with what they carry copied in and out: what they have in common is found."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from soundness.programs import run_pipeline


def _verdict(source: str, target: str) -> str:
    options = Options(assume=("n >= 0",))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


def _verdict_at_any_size(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options()).functions[0].verdict


SOURCE = """
func.func @f(%A: memref<30xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n { affine.for %k = 0 to 30 {
    %a = affine.load %A[%k] : memref<30xf32>
    %c = affine.load %C[%i] : memref<?xf32>
    %s = arith.addf %c, %a : f32
    affine.store %s, %C[%i] : memref<?xf32>
  } }
  return
}"""


def _tiled(size: int, last: str = "30") -> str:
    """Tiles of the summation, each with a copy of `C` of its own."""
    return f"""
func.func @f(%A: memref<30xf32>, %C: memref<?xf32>, %n: index) {{
  affine.for %t = 0 to 30 step {size} {{
    %L = memref.alloc(%n) : memref<?xf32>
    affine.for %i = 0 to %n {{
      %c = affine.load %C[%i] : memref<?xf32>
      affine.store %c, %L[%i] : memref<?xf32>
    }}
    affine.for %i = 0 to %n {{ affine.for %k = 0 to min affine_map<(d0) -> ({size}, {last} - d0)>(%t) {{
      %a = affine.load %A[%t + %k] : memref<30xf32>
      %c = affine.load %L[%i] : memref<?xf32>
      %s = arith.addf %c, %a : f32
      affine.store %s, %L[%i] : memref<?xf32>
    }} }}
    affine.for %i = 0 to %n {{
      %c = affine.load %L[%i] : memref<?xf32>
      affine.store %c, %C[%i] : memref<?xf32>
    }}
  }}
  return
}}"""


@pytest.mark.parametrize("size", [4, 7, 29])
def test_a_short_last_tile(size: int) -> None:
    assert _verdict(SOURCE, _tiled(size)) in ("equivalent", "refines")


def test_a_last_tile_that_is_too_short() -> None:
    assert _verdict(SOURCE, _tiled(7, "29")) == "not-equivalent"


SUMS = """
func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xi32>
  %m = memref.dim %A, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %n step %c1 { scf.for %j = %c0 to %m step %c1 {
    %a = memref.load %A[%i, %j] : memref<?x?xi32>
    %b = memref.load %B[%j, %i] : memref<?x?xi32>
    %s = arith.addi %a, %b : i32
    memref.store %s, %A[%i, %j] : memref<?x?xi32>
  } }
  return
}"""


def _levels(least: str = "-d0 + s0, 4") -> str:
    """Three levels of tiles as views of views, with another order of the loops at each level."""
    strided = "memref<?x?xi32, strided<[?, 1], offset: ?>>"
    return f"""
#t = affine_map<(d0)[s0] -> (-d0 + s0, 32)>
#u = affine_map<(d0)[s0] -> (-d0 + s0, 8)>
#v = affine_map<(d0)[s0] -> ({least})>
func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %A, %c0 : memref<?x?xi32>
  %m = memref.dim %A, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %n step %c32 {{ scf.for %j = %c0 to %m step %c32 {{
    %h = affine.min #t(%i)[%n]
    %w = affine.min #t(%j)[%m]
    %A1 = memref.subview %A[%i, %j] [%h, %w] [1, 1] : memref<?x?xi32> to {strided}
    %B1 = memref.subview %B[%j, %i] [%w, %h] [1, 1] : memref<?x?xi32> to {strided}
    scf.for %j1 = %c0 to %w step %c8 {{ scf.for %i1 = %c0 to %h step %c8 {{
      %h1 = affine.min #u(%i1)[%h]
      %w1 = affine.min #u(%j1)[%w]
      %A2 = memref.subview %A1[%i1, %j1] [%h1, %w1] [1, 1] : {strided} to {strided}
      %B2 = memref.subview %B1[%j1, %i1] [%w1, %h1] [1, 1] : {strided} to {strided}
      scf.for %i2 = %c0 to %h1 step %c4 {{ scf.for %j2 = %c0 to %w1 step %c4 {{
        %h2 = affine.min #v(%i2)[%h1]
        %w2 = affine.min #v(%j2)[%w1]
        %A3 = memref.subview %A2[%i2, %j2] [%h2, %w2] [1, 1] : {strided} to {strided}
        %B3 = memref.subview %B2[%j2, %i2] [%w2, %h2] [1, 1] : {strided} to {strided}
        scf.for %j3 = %c0 to %w2 step %c1 {{ scf.for %i3 = %c0 to %h2 step %c1 {{
          %a = memref.load %A3[%i3, %j3] : {strided}
          %b = memref.load %B3[%j3, %i3] : {strided}
          %s = arith.addi %a, %b : i32
          memref.store %s, %A3[%i3, %j3] : {strided}
        }} }}
      }} }}
    }} }}
  }} }}
  return
}}"""


def test_three_levels_of_views_in_other_orders() -> None:
    assert _verdict_at_any_size(SUMS, _levels()) == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("least", ["-d0 + s0, 3", "-d0 + s0, 5", "-d0 + s0 + 1, 4"])
def test_a_level_of_views_of_another_size(least: str) -> None:
    """Too few elements, some twice, or beyond the last."""
    assert _verdict_at_any_size(SUMS, _levels(least)) == "not-equivalent"


ROWS = """
func.func @f(%A: memref<?x?xi32>, %n: index, %m: index) {
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xi32>
    %s = arith.addi %a, %a : i32
    affine.store %s, %A[%i, %j] : memref<?x?xi32>
  } }
  return
}"""


def _coalesced_and_tiled(divisor: str) -> str:
    return f"""
func.func @f(%A: memref<?x?xi32>, %n: index, %m: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %all = arith.muli %n, %m overflow<nsw> : index
  scf.for %t = %c0 to %all step %c5 {{
    %next = arith.addi %t, %c5 : index
    %end = arith.minsi %next, %all : index
    scf.for %k = %t to %end step %c1 {{
      %j = arith.remsi %k, {divisor} : index
      %i = arith.divsi %k, {divisor} : index
      %a = memref.load %A[%i, %j] : memref<?x?xi32>
      %s = arith.addi %a, %a : i32
      memref.store %s, %A[%i, %j] : memref<?x?xi32>
    }}
  }}
  return
}}"""


@pytest.mark.parametrize(("divisor", "verdict"), [("%m", "equivalent"), ("%n", "not-equivalent")])
def test_strips_of_a_coalesced_nest(divisor: str, verdict: str) -> None:
    """The strips are one loop again before the loop is a nest again."""
    options = Options(assume=("n >= 0", "m >= 0"))
    names = ("source.mlir", "target.mlir")
    assert check(ROWS, _coalesced_and_tiled(divisor), names, options).functions[0].verdict == verdict


GUARDED = """
func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %n: index, %m: index) {
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %a = affine.load %A[%i, %j] : memref<?x?xi32>
    affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%i, %j) {
      affine.store %a, %B[%i, %j] : memref<?x?xi32>
    }
  } }
  return
}"""


@pytest.mark.parametrize(("condition", "verdict"), [("d0 - d1 - 1", "equivalent"), ("d0 - d1 - 2", "not-equivalent")])
def test_a_condition_on_the_digits_of_a_coalesced_loop(condition: str, verdict: str) -> None:
    """The branches of lowered divisions that are not taken compute `-1 - k` and `n + j`, which may overflow."""
    changed = GUARDED.replace("d0 - d1 - 1", condition)
    target = run_pipeline(changed, "builtin.module(func.func(affine-loop-coalescing),lower-affine)")
    options = Options(assume=("n >= 0", "m >= 0"))
    assert check(GUARDED, target, ("source.mlir", "target.mlir"), options).functions[0].verdict == verdict
