"""Positions and masks that are poison: an op on vectors without effects is poison then, and undefined it is not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

OVERFLOWS = """
  %p = arith.addi %i, %j overflow<nsw> : i4
  %at = arith.index_cast %p : i4 to index
  %on = arith.cmpi eq, %p, %p : i4
  %mask = vector.broadcast %on : i1 to vector<4xi1>
  %v = arith.constant dense<[0, 1, 2, 3]> : vector<4xi4>
"""
"""A position and a mask that are poison where `%i + %j` overflows."""

ELSEWHERE = """
  %a = arith.extsi %i : i4 to i8
  %b = arith.extsi %j : i4 to i8
  %exact = arith.addi %a, %b : i8
  %sum = arith.addi %i, %j : i4
  %wide = arith.extsi %sum : i4 to i8
  %fits = arith.cmpi eq, %exact, %wide : i8
  %seven = arith.constant 7 : i4
  %r = arith.select %fits, %i, %seven : i4
"""
"""`%i`, but where the sum overflows."""

OPS = {
    "extract": "%x = vector.extract %v[%at] : i4 from vector<4xi4>",
    "insert": "%x = vector.insert %i, %v[%at] : i4 into vector<4xi4>",
    "reduction": "%x = vector.mask %mask { vector.reduction <add>, %v : vector<4xi4> into i4 } : vector<4xi1> -> i4",
    "multi-reduction": "%x = vector.mask %mask { vector.multi_reduction <add>, %v, %i [0] : vector<4xi4> to i4 }"
    " : vector<4xi1> -> i4",
    "outer product": "%u = vector.broadcast %i : i4 to vector<1xi4>\n%w = vector.shape_cast %v : vector<4xi4> to "
    "vector<4x1xi4>\n%m = vector.shape_cast %mask : vector<4xi1> to vector<4x1xi1>\n"
    "%x = vector.mask %m { vector.outerproduct %v, %u, %w : vector<4xi4>, vector<1xi4> }"
    " : vector<4x1xi1> -> vector<4x1xi4>",
    "read of a tensor": "%t = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi4>\n%c0 = arith.constant 0 : index\n"
    "%x = vector.transfer_read %t[%c0], %i, %mask : tensor<4xi4>, vector<4xi4>",
    "gather of a tensor": "%t = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi4>\n%c0 = arith.constant 0 : index\n"
    "%s = vector.step : vector<4xindex>\n"
    "%x = vector.gather %t[%c0] [%s], %mask, %v : tensor<4xi4>, vector<4xindex>, vector<4xi1>, vector<4xi4> "
    "into vector<4xi4>",
}


def _function(body: str, returned: str) -> str:
    return f"func.func @f(%i: i4, %j: i4) -> i4 {{{body}\nreturn {returned} : i4\n}}"


@pytest.mark.parametrize("op", OPS)
def test_an_op_on_vectors_is_not_undefined_for_poison(op: str) -> None:
    source, target = _function(OVERFLOWS + OPS[op], "%i"), _function(ELSEWHERE, "%r")
    on_tensor = "tensor" in op
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == (
        "unknown" if on_tensor else "not-equivalent"
    )


HEAD = """func.func @f(%v: vector<4xi32>, %I: memref<1xindex>, %y: i32) -> {0} {{
  %c0 = arith.constant 0 : index
  %i = memref.load %I[%c0] : memref<1xindex>
{1}
  return %r : {0}
}}"""
CLAMPED = """%c3 = arith.constant 3 : index
  %k = arith.minui %i, %c3 : index
"""


def test_a_position_that_is_read_from_memory() -> None:
    extract = HEAD.format("i32", CLAMPED + "%r = vector.extract %v[%k] : i32 from vector<4xi32>")
    vector, lanes = "vector<4xi32>", "%r = vector.extract %w[%k] : i32 from vector<4xi32>"
    inserted = HEAD.format("i32", CLAMPED + f"%w = vector.insert %y, %v[%k] : i32 into {vector}\n{lanes}")
    plain = HEAD.format("i32", CLAMPED + "%r = arith.addi %y, %y : i32")
    assert check(extract, extract, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    assert check(inserted, inserted, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    assert check(inserted, plain, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"
    other = extract.replace("%v[%k]", "%v[0]")
    assert check(extract, other, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"
