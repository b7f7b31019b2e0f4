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


BEGUN = """func.func @f(%x: f32, %y: f32) -> (f32, index) {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = memref.alloc() : memref<64xi8>
  %u = memref.view %b[%c0][] : memref<64xi8> to memref<4xf32>
  %v = memref.view %b[%c16][] : memref<64xi8> to memref<4xf32>
  memref.store %x, %u[%c0] : memref<4xf32>
  memref.store %y, %v[%c0] : memref<4xf32>
  {}
  memref.dealloc %b : memref<64xi8>
  return %r, %o : f32, index
}}
"""
METADATA = "%m, %o, %n, %s = memref.extract_strided_metadata %v : memref<4xf32> -> memref<f32>, index, index, index\n"
LOADED = "%r = memref.load %w[%c0] : memref<4xf32>\n"
OPEN = "memref<4xf32, strided<[?], offset: ?>>"
OF_A_VIEW = {
    "metadata": METADATA + "%w = memref.cast %v : memref<4xf32> to memref<4xf32>\n" + LOADED,
    "base": METADATA + "%w = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] "
    ": memref<f32> to memref<4xf32>\n" + LOADED,
    "reinterpreted": METADATA + "%w = memref.reinterpret_cast %v to offset: [0], sizes: [4], strides: [1] "
    ": memref<4xf32> to memref<4xf32>\n" + LOADED,
    "cast": METADATA
    + f"%k = memref.cast %v : memref<4xf32> to {OPEN}\n%w = memref.cast %k : {OPEN} to memref<4xf32>\n"
    + LOADED,
    "part": METADATA + "%c32 = arith.constant 32 : index\n"
    "%q = memref.view %b[%c32][] : memref<64xi8> to memref<2xi64>\n"
    "%w = memref.reinterpret_cast %v to offset: [0], sizes: [4], strides: [1] : memref<4xf32> to memref<4xf32>\n"
    + LOADED,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", OF_A_VIEW)
def test_a_view_of_bytes_begins_a_buffer(name: str) -> None:
    """Its offset is 0: it is the pointer that moves."""
    source = BEGUN.format(OF_A_VIEW[name])
    head = (
        "func.func @f(%x: f32, %y: f32) -> (f32, index) {{ %o = arith.constant {} : index return {}, %o : f32, index }}"
    )
    assert check(source, head.format(0, "%y"), ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    for wrong in (head.format(0, "%x"), head.format(4, "%y")):
        assert check(source, wrong, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"


def test_elements_of_another_part_are_not_read() -> None:
    beyond = OF_A_VIEW["part"].replace("offset: [0], sizes: [4]", "offset: [2], sizes: [4]")
    beyond = beyond.replace("to memref<4xf32>\n%r", "to memref<4xf32, strided<[1], offset: 2>>\n%r")
    beyond = beyond.replace("%w[%c0] : memref<4xf32>", "%w[%c0] : memref<4xf32, strided<[1], offset: 2>>")
    report = check(BEGUN.format(beyond), BEGUN.format(beyond), ("s.mlir", "t.mlir"), Options())
    assert report.functions[0].unknown is not None and "is a part of" in report.functions[0].unknown.text


def test_a_view_of_a_view_of_bytes() -> None:
    nested = """func.func @f(%b: memref<64xi8>) -> i8 {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %v = memref.view %b[%c16][] : memref<64xi8> to memref<32xi8>
      %w = memref.view %v[%c4][] : memref<32xi8> to memref<8xi8>
      %r = memref.load %w[%c0] : memref<8xi8>
      return %r : i8
    }"""
    plain = """func.func @f(%b: memref<64xi8>) -> i8 {{
      %k = arith.constant {} : index
      %r = memref.load %b[%k] : memref<64xi8>
      return %r : i8
    }}"""
    assert check(nested, plain.format(20), ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    assert check(nested, plain.format(4), ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"


def test_returned_views_of_bytes() -> None:
    """Of a returned one its own offset counts, where the type leaves it open, and not where the pointer is."""
    returned = """func.func @f(%x: i8) -> KIND {{
      %c16 = arith.constant 16 : index
      %b = memref.alloc() : memref<64xi8>
      affine.for %i = 0 to 64 {{ affine.store %x, %b[%i] : memref<64xi8> }}
      {}
      return %r : KIND
    }}"""
    view = "%v = memref.view %b[%c16][] : memref<64xi8> to memref<8xi8>\n"
    subview = "%v = memref.subview %b[16] [8] [1] : memref<64xi8> to memref<8xi8, strided<[1], offset: 16>>\n"
    plain = returned.replace("KIND", "memref<8xi8>").format(view.replace("%v", "%r"))
    assert check(plain, plain, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    kind = "memref<8xi8, strided<[1], offset: ?>>"
    texts = [
        returned.replace("KIND", kind).format(f"{made}%r = memref.cast %v : {made.split(' to ')[1].strip()} to {kind}")
        for made in (view, subview)
    ]
    assert check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options()).verdict == "unknown"
    assert check(texts[1], texts[1], ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
