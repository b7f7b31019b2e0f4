"""Tensors of open shape whose extents are known to be numbers: what a cast is given has them, and its type does not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

CAST = """func.func @f(%t: tensor<16xi32>, %c: i1) -> index {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %whole = tensor.cast %t : tensor<16xi32> to tensor<?xi32>
  %half = tensor.extract_slice %t[0] [8] [1] : tensor<16xi32> to tensor<8xi32>
  %part = tensor.cast %half : tensor<8xi32> to tensor<?xi32>
  {}
  %n = tensor.dim %r, %c0 : tensor<?xi32>
  return %n : index
}}"""

SIXTEEN = "func.func @f(%t: tensor<16xi32>, %c: i1) -> index { %n = arith.constant 16 : index return %n : index }"


@pytest.mark.parametrize(
    "code",
    [
        "%r = scf.if %c -> T { scf.yield %whole : T } else { scf.yield %part : T }",
        "%r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %whole) -> T { scf.yield %part : T }",
        """%r = scf.while (%a = %whole) : (T) -> T { scf.condition(%c) %part : T } do {
  ^bb0(%p: T): scf.yield %p : T }""",
        """%r = scf.while (%a = %whole) : (T) -> T { scf.condition(%c) %a : T } do {
  ^bb0(%p: T): scf.yield %part : T }""",
        "%r = arith.select %c, %whole, %part : T",
    ],
)
def test_an_open_shape_that_was_a_number_may_become_another(code: str) -> None:
    cast = CAST.format(code.replace(" T", " tensor<?xi32>").replace("(T", "(tensor<?xi32>"))
    for pair in ((cast, SIXTEEN), (SIXTEEN, cast)):
        assert check(*pair, ("s.mlir", "t.mlir"), Options()).verdict in ("not-equivalent", "unknown")


SELECTED = """func.func @f(%c: i1, %a: tensor<?xi32>, %b: tensor<?xi32>) -> index {{
  %c0 = arith.constant 0 : index
  %s = arith.select %c, %a, %b : tensor<?xi32>
  %n = tensor.dim {}, %c0 : tensor<?xi32>
  return %n : index
}}"""


@pytest.mark.parametrize("other", ["%a", "%b"])
def test_one_condition_chooses_among_tensors_of_any_shapes(other: str) -> None:
    """That they are of one shape is not said: a tensor is chosen as a whole."""
    for pair in (("%s", other), ("%a", "%b")):
        source, target = (SELECTED.format(which) for which in pair)
        assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == "unknown"
