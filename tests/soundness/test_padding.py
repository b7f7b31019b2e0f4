"""Products that are padded with zeros: `c + 0.0 * 0.0` is `c`, unless `c` is -0.0."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

HEAD = """func.func @f(%A: memref<3x5xf32>, %B: memref<5x3xf32>, %C: memref<3x3xf32>) {
"""
PADDED = """  %pad = arith.constant PAD : f32
  %P = memref.alloc() : memref<3x8xf32>
  %Q = memref.alloc() : memref<8x3xf32>
  affine.for %i = 0 to 3 { affine.for %k = 0 to 8 {
    affine.store %pad, %P[%i, %k] : memref<3x8xf32>
    affine.store %pad, %Q[%k, %i] : memref<8x3xf32>
  } }
  affine.for %i = 0 to 3 { affine.for %k = 0 to 5 {
    %a = affine.load %A[%i, %k] : memref<3x5xf32>
    affine.store %a, %P[%i, %k] : memref<3x8xf32>
    %b = affine.load %B[%k, %i] : memref<5x3xf32>
    affine.store %b, %Q[%k, %i] : memref<8x3xf32>
  } }
"""
PRODUCT = """  affine.for %i = 0 to 3 { affine.for %j = 0 to 3 { affine.for %k = 0 to COUNT {
    %a = affine.load %LEFT[%i, %k] : memref<3xCOUNTxf32>
    %b = affine.load %RIGHT[%k, %j] : memref<COUNTx3xf32>
    %c = affine.load %C[%i, %j] : memref<3x3xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[%i, %j] : memref<3x3xf32>
  } } }
  return
}
"""
PLAIN = HEAD + PRODUCT.replace("COUNT", "5").replace("LEFT", "A").replace("RIGHT", "B")


def _padded(by: str) -> str:
    return (
        (HEAD + PADDED + PRODUCT)
        .replace("PAD :", f"{by} :")
        .replace("COUNT", "8")
        .replace("LEFT", "P")
        .replace("RIGHT", "Q")
    )


@pytest.mark.parametrize(
    ("by", "mode", "expected"),
    [
        ("0.0", "strict", "not-equivalent"),
        ("0.0", "real", "equivalent"),
        ("1.0", "real", "not-equivalent"),
    ],
)
def test_padding(by: str, mode: str, expected: str) -> None:
    options = Options(switches=Switches(floats=mode))  # pyright: ignore[reportArgumentType]
    report = check(PLAIN, _padded(by), ("source.mlir", "target.mlir"), options)
    assert report.functions[0].verdict == expected
