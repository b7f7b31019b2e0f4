"""Where a mask is off: a reduction without a start begins with what changes nothing, a read may pass a value."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

from .test_conditions import proof

NEUTRAL = {
    **dict.fromkeys(("add", "or", "xor", "maxui"), 0),
    **dict.fromkeys(("and", "minui"), -1),
    "mul": 1,
    "minsi": 127,
    "maxsi": -128,
}
HEAD = "func.func @f(%v: vector<4xi8>, %m: vector<4xi1>) -> i8 {{\n{}\nreturn %r : i8\n}}"
MASKED = "%r = vector.mask %m {{ vector.reduction <{}>, %v : vector<4xi8> into i8 }} : vector<4xi1> -> i8"
FILLED = (
    "%k = arith.constant dense<{1}> : vector<4xi8>\n"
    "%w = arith.select %m, %v, %k : vector<4xi1>, vector<4xi8>\n"
    "%r = vector.reduction <{0}>, %w : vector<4xi8> into i8"
)


@pytest.mark.egraph
@pytest.mark.parametrize("kind", NEUTRAL)
def test_a_masked_reduction_without_a_start(kind: str) -> None:
    masked = HEAD.format(MASKED.format(kind))
    assert proof(masked, HEAD.format(FILLED.format(kind, NEUTRAL[kind])))
    other = HEAD.format(FILLED.format(kind, 5))
    assert proof(masked, other) is None


@pytest.mark.egraph
@pytest.mark.parametrize("kind", ["minsi", "and"])
def test_what_mlir_makes_of_it(kind: str) -> None:
    """A difference is reported only where compiled code shows the same two values."""
    masked, other = HEAD.format(MASKED.format(kind)), HEAD.format(FILLED.format(kind, 5))
    assert check(masked, other, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"


READ = """
func.func @f(%A: memref<?xf32>, %m: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
{0}
  return %r : vector<4xf32>
}}
"""
PASSED = (
    "  %r = vector.mask %m, %p { vector.transfer_read %A[%c0], %z : memref<?xf32>, vector<4xf32> }"
    " : vector<4xi1> -> vector<4xf32>"
)
CHOSEN = (
    "  %q = vector.transfer_read %A[%c0], %z, %m : memref<?xf32>, vector<4xf32>\n"
    "  %r = arith.select %m, {} : vector<4xi1>, vector<4xf32>"
)


def test_what_passes_where_the_mask_is_off() -> None:
    assert proof(READ.format(PASSED), READ.format(CHOSEN.format("%q, %p")))
    assert proof(READ.format(PASSED), READ.format(CHOSEN.format("%p, %q"))) is None
    plain = READ.format("  %r = vector.transfer_read %A[%c0], %z, %m : memref<?xf32>, vector<4xf32>")
    assert proof(READ.format(PASSED), plain) is None


MAPS = {
    "4x4": ("4x4", "affine_map<(i, j) -> (j, i)>", "vector.transpose %m, [1, 0] : vector<4x4xi1> to vector<4x4xi1>"),
    "4x2": ("2x4", "affine_map<(i, j) -> (j, i)>", "vector.transpose %m, [1, 0] : vector<2x4xi1> to vector<4x2xi1>"),
    "3x4": ("4", "affine_map<(i, j) -> (0, j)>", "vector.broadcast %m : vector<4xi1> to vector<3x4xi1>"),
}
"""By the shape of what is read: that of the mask, the map, and the mask by the lanes of the vector."""


def by_map(to: str, body: str) -> str:
    mask, moved, turned = MAPS[to]
    kind, lanes, memref = f"vector<{to}xf32>", f"vector<{to}xi1>", f"memref<8x8xf32>, vector<{to}xf32>"
    read = "vector.transfer_read %A[%c0, %c0], %z"
    return f"""func.func @f(%A: memref<8x8xf32>, %m: vector<{mask}xi1>, %p: {kind}) -> {kind} {{
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %n = {turned}
      %q = {read}, %m {{permutation_map = {moved}}} : {memref}
      %x = vector.mask %m, %p {{ {read} {{permutation_map = {moved}}} : {memref} }} : vector<{mask}xi1> -> {kind}
      %y = arith.select %n, %q, %p : {lanes}, {kind}
      {body}
    }}"""


@pytest.mark.parametrize("to", MAPS)
def test_the_mask_is_by_the_dimensions_of_the_memref(to: str) -> None:
    kind = f"vector<{to}xf32>"
    masked = by_map(to, f"return %x : {kind}")
    assert proof(masked, by_map(to, f"return %y : {kind}"))
    assert proof(masked, by_map(to, f"return %p : {kind}")) is None
    if to == "4x4":
        other = f"%w = arith.select %m, %q, %p : vector<4x4xi1>, {kind}\nreturn %w : {kind}"
        assert proof(masked, by_map(to, other)) is None


FLOATS = {"mul": "1.0", "maximumf": "{0}FF80{1}", "minimumf": "{0}7F80{1}"}
FLOAT_HEAD = "func.func @f(%v: vector<4xf32>, %m: vector<4xi1>) -> f32 {{\n{}\nreturn %r : f32\n}}"


def on_floats(text: str) -> str:
    return FLOAT_HEAD.format(text.replace("xi8>", "xf32>").replace("i8 }", "f32 }").replace("i8", "f32"))


@pytest.mark.egraph
@pytest.mark.parametrize("kind", FLOATS)
def test_a_masked_reduction_of_floats(kind: str) -> None:
    """Not the least number, nor the one nearest to zero, of extrema; no other sign of a factor."""
    masked = on_floats(MASKED.format(kind))
    assert proof(masked, on_floats(FILLED.format(kind, FLOATS[kind].format("0x", "0000"))))
    for other in ("0.0", "-1.0", "-3.40282347E+38", "3.40282347E+38", "-1.401298E-45", "0x7FC00000"):
        assert proof(masked, on_floats(FILLED.format(kind, other))) is None


@pytest.mark.parametrize("kind", ["add", "maxnumf", "minnumf"])
def test_what_is_left_of_no_lane_is_open(kind: str) -> None:
    """MLIR begins a sum with +0, which changes -0."""
    masked = on_floats(MASKED.format(kind))
    for start in ("0.0", "-0.0", "0x7FC00000", "0xFF800000", "0x7F800000"):
        assert proof(masked, on_floats(FILLED.format(kind, start))) is None
