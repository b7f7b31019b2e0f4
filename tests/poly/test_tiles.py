"""Tiles of which the last is shorter, with what they carry copied in and out: what they have in common is found."""

from __future__ import annotations

import pytest

from hecv.check import Options, check


def _verdict(source: str, target: str) -> str:
    options = Options(assume=("n >= 0",))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


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
