"""What a function returns of an allocation, by another shape."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

FILL = "affine.for %i = 0 to 2 {{ affine.for %j = 0 to 3 {{ affine.store %x, %b[{}] : {} }} }}"
FLAT = FILL.format("3 * %i + %j", "memref<6xf32>").replace("{{", "{").replace("}}", "}")
NESTED = FILL.format("%i, %j", "memref<2x3xf32>").replace("{{", "{").replace("}}", "}")
WIDE = "affine.for %i = 0 to 2 { affine.for %j = 0 to 4 { affine.store %x, %b[%i, %j] : memref<2x4xf32> } }"

SOURCE = f"""func.func @f(%x: f32) -> memref<6xf32> {{
  %b = memref.alloc() : memref<6xf32>
  {FLAT}
  return %b : memref<6xf32>
}}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f"""%b = memref.alloc() : memref<2x3xf32>
            {NESTED}
            %r = memref.collapse_shape %b [[0, 1]] : memref<2x3xf32> into memref<6xf32>""",
            "equivalent",
        ),
        (
            f"""%b = memref.alloc() : memref<2x4xf32>
            {WIDE}
            %c = memref.collapse_shape %b [[0, 1]] : memref<2x4xf32> into memref<8xf32>
            %s = memref.subview %c[0] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1]>>
            %r = memref.cast %s : memref<6xf32, strided<[1]>> to memref<6xf32>""",
            "unknown",
        ),
    ],
)
def test_the_whole_of_an_allocation(body: str, expected: str) -> None:
    target = f"func.func @f(%x: f32) -> memref<6xf32> {{ {body}\nreturn %r : memref<6xf32> }}"
    (function,) = check(SOURCE, target, ("s.mlir", "t.mlir"), Options()).functions
    assert function.verdict == expected, function.unknown
