"""Results whose extents are sums and products of others: inputs have those that the function says."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.refute.asserted_extents import Extents
from hecv.refute.input_generation import dynamic_extents

PADDED = """func.func @f(%A: tensor<?x?xf32>) -> tensor<?xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %A low[1, 2] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %q = tensor.collapse_shape %p [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %q : tensor<?xf32>
}"""
SHORTER = """func.func @f(%A: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %c3 = arith.constant 3 : index
  %m = arith.subi %n, %c3 : index
  %r = tensor.extract_slice %A[3] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}"""


def settled(text: str, *values: int) -> list[int]:
    """The extents of arguments and then results, once those given were settled."""
    function = read_function(parse(text, "a.mlir"), "f", TermPool(), True)
    extents = dynamic_extents(function)
    found = Extents(function, 64).settled(dict(zip(extents, values, strict=False)))
    return [found[t] for t in extents if t in found]


def test_a_result_has_the_product_of_extents_that_is_asserted() -> None:
    assert settled(PADDED, 3, 5, 2) == [3, 5, (3 + 4) * (5 + 2)]


@pytest.mark.parametrize(("size", "expected"), [(7, 4), (3, 0), (1, 9)])
def test_what_would_be_negative_stays(size: int, expected: int) -> None:
    assert settled(SHORTER, size, 9) == [size, expected]


def test_what_depends_on_extents_that_are_not_known_stays() -> None:
    assert settled(PADDED, 3) == [3]


def test_a_difference_in_a_result_that_is_flat_shows() -> None:
    """The proof does not decide either; nothing was run before but on extents that were equal by chance."""
    other = PADDED.replace("low[1, 2] high[3, 0]", "low[2, 2] high[2, 0]")
    (report,) = check(PADDED, other, ("a.mlir", "b.mlir"), Options()).functions
    assert report.verdict == "not-equivalent"
