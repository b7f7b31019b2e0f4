"""Products of arguments are numbers that isl knows nothing of, except a sign that the assumptions give."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

SUM = """func.func @f(%A: memref<?xf32>, %n: index, %m: index) {
  affine.for %k = 0 to affine_map<()[s0, s1] -> (FORM)>()[%n, %m] {
    %v = affine.load %A[%k] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %A[%k] : memref<?xf32>
  }
  return
}"""
HALVES = """func.func @f(%A: memref<?xf32>, %n: index, %m: index) {
  %c = affine.apply affine_map<()[s0, s1] -> (FORM)>()[%n, %m]
  affine.for %k = 0 to affine_map<(d0) -> (d0 floordiv 2)>(%c) {
    affine.for %q = 0 to 2 {
      %v = affine.load %A[%k * 2 + %q] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      affine.store %w, %A[%k * 2 + %q] : memref<?xf32>
    }
  }
  affine.for %k = affine_map<(d0) -> ((d0 floordiv 2) * 2)>(%c) to %c {
    %v = affine.load %A[%k] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %A[%k] : memref<?xf32>
  }
  return
}"""


@pytest.mark.parametrize(
    ("form", "assume", "verdict"),
    [
        ("s0 * s1", ("nonneg",), "equivalent"),
        ("s0 * s1", (), "not-equivalent"),  # -1 * 1: the remainder runs from -2 to -1
        ("(s0 * -1) * s1", ("nonneg",), "not-equivalent"),
        ("(s0 * -1) * s1", ("n <= 0", "m >= 0"), "unknown"),
    ],
)
def test_a_bound_that_is_a_product(form: str, assume: tuple[str, ...], verdict: str) -> None:
    source, target = SUM.replace("FORM", form), HALVES.replace("FORM", form)
    assert check(source, target, ("s.mlir", "t.mlir"), Options(assume=assume)).verdict == verdict


def test_products_of_other_arguments_are_other_numbers() -> None:
    other = SUM.replace("FORM", "s0 * s0")
    report = check(SUM.replace("FORM", "s0 * s1"), other, ("s.mlir", "t.mlir"), Options(assume=("nonneg",)))
    assert report.verdict == "not-equivalent"
