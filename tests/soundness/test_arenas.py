"""One buffer of bytes for several others, as a memory planner lays them out."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = "func.func @f(%A: memref<8xf32>, %B: memref<8xi16>, %O: memref<8xf32>, %P: memref<8xi16>)"
PLAIN = f"""{HEAD} {{
  affine.for %i = 0 to 8 {{
    %x = affine.load %A[%i] : memref<8xf32>
    affine.store %x, %O[%i] : memref<8xf32>
    %y = affine.load %B[%i] : memref<8xi16>
    affine.store %y, %P[%i] : memref<8xi16>
  }}
  return
}}
"""


def planned(second: int, third: int = 0, freed_early: bool = False, size: int = 64) -> str:
    """By way of a buffer for both, seen as f32 from 0 and from byte `third` on, as i16 from byte `second` on."""
    free = f"memref.dealloc %b : memref<{size}xi8>\n"
    return f"""{HEAD} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant {second} : index
      %c2 = arith.constant {third} : index
      %b = memref.alloc() : memref<{size}xi8>
      %v = memref.view %b[%c0][] : memref<{size}xi8> to memref<8xf32>
      %w = memref.view %b[%c1][] : memref<{size}xi8> to memref<8xi16>
      %u = memref.view %b[%c2][] : memref<{size}xi8> to memref<2x4xf32>
      affine.for %i = 0 to 8 {{
        %x = affine.load %A[%i] : memref<8xf32>
        affine.store %x, %v[%i] : memref<8xf32>
        %y = affine.load %B[%i] : memref<8xi16>
        affine.store %y, %w[%i] : memref<8xi16>
      }}
      {free if freed_early else ""}
      affine.for %i = 0 to 8 {{
        %x = affine.load %u[%i floordiv 4, %i mod 4] : memref<2x4xf32>
        affine.store %x, %O[%i] : memref<8xf32>
        %y = affine.load %w[%i] : memref<8xi16>
        affine.store %y, %P[%i] : memref<8xi16>
      }}
      {"" if freed_early else free}
      return
    }}
    """


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (planned(32), "equivalent"),
        (planned(45), "equivalent"),  # no multiple of two: each part is a buffer of its own
        (planned(40, third=4), "not-equivalent"),
        (planned(32, freed_early=True), "not-equivalent"),
        (planned(30), "unknown"),  # bytes of both types
        (planned(38, third=6), "unknown"),  # one type, from bytes of two elements
        (planned(50), "unknown"),  # beyond the buffer
    ],
)
def test_parts_of_a_buffer(target: str, expected: str) -> None:
    (function,) = check(PLAIN, target, ("s.mlir", "t.mlir"), Options()).functions
    assert function.verdict == expected, function.unknown


def test_a_part_is_no_allocation() -> None:
    """It is neither freed nor returned."""
    target = planned(32).replace("memref.dealloc %b : memref<64xi8>", "memref.dealloc %v : memref<8xf32>")
    (function,) = check(PLAIN, target, ("s.mlir", "t.mlir"), Options()).functions
    assert function.unknown is not None and "does not come from a memref.alloc" in function.unknown.text
