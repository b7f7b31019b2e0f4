"""Constants that a pass has computed: transposed, cut out, copied; element by element they hold the same."""

from __future__ import annotations

import copy

import pytest
from tests.kernel.pairs import Pair, certified, replayed
from tests.soundness.test_conditions import proof

from hecv.kernel.certificate.rejection import Rejected

TALL = "[[1.0, 2.0], [4.0, 5.0], [7.0, 8.0]]"
WIDE = "[[1.0, 4.0, 7.0], [2.0, 5.0, 8.0]]"


def _transposed(contents: str) -> str:
    return f"""func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %c = arith.constant dense<{contents}> : tensor<3x2xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %t = linalg.transpose ins(%c : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]
  %r = arith.mulf %a, %t : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}}"""


def _plain(contents: str) -> str:
    return f"""func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %c = arith.constant dense<{contents}> : tensor<2x3xf32>
  %r = arith.mulf %a, %c : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}}"""


def _column(contents: str, column: int) -> str:
    return f"""func.func @f() -> tensor<2xf32> {{
  %c = arith.constant dense<{contents}> : tensor<2x2xf32>
  %r = tensor.extract_slice %c[0, {column}] [2, 1] [1, 1] : tensor<2x2xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}}"""


def _pair_of(contents: str) -> str:
    return f"""func.func @f() -> tensor<2xf32> {{
  %r = arith.constant dense<{contents}> : tensor<2xf32>
  return %r : tensor<2xf32>
}}"""


def _table(contents: str, subscript: str) -> str:
    """A table of squares, looked up in a loop."""
    return f"""memref.global "private" constant @t : memref<4xi32> = dense<{contents}>
func.func @f(%O: memref<?xi32>, %n: index) {{
  %t = memref.get_global @t : memref<4xi32>
  affine.for %i = 0 to %n {{
    %v = affine.load %t[{subscript}] : memref<4xi32>
    affine.store %v, %O[%i] : memref<?xi32>
  }}
  return
}}"""


PAIRS = {
    "transposed": (_transposed(TALL), _plain(WIDE)),
    "all the same": (_column("[[1.0, -0.0], [2.0, -0.0]]", 1), _pair_of("-0.0")),
    "not a number": (_column("[[0x7FC00001, 3.0], [2.0, 1.0]]", 0), _pair_of("[0x7FC00001, 2.0]")),
    "looked up from the other end": (
        _table("[0, 1, 4, 9]", "%i mod 4"),
        _table("[9, 4, 1, 0]", "3 - %i mod 4"),
    ),
    "one that repeats": (_table("[5, 6, 5, 6]", "%i mod 4"), _table("[5, 6, 7, 8]", "%i mod 2")),
}
BROKEN = {
    "one element differs": (_transposed(TALL), _plain(WIDE.replace("8.0", "9.0"))),
    "not transposed": (_transposed(TALL), _plain("[[1.0, 2.0, 4.0], [5.0, 7.0, 8.0]]")),
    "the other zero": (_column("[[1.0, -0.0], [2.0, -0.0]]", 1), _pair_of("0.0")),
    "another column": (_column("[[1.0, -0.0], [2.0, -0.0]]", 0), _pair_of("-0.0")),
    "looked up from the same end": (_table("[0, 1, 4, 9]", "%i mod 4"), _table("[9, 4, 1, 0]", "%i mod 4")),
    "one that does not repeat": (_table("[5, 6, 5, 7]", "%i mod 4"), _table("[5, 6, 7, 8]", "%i mod 2")),
}


@pytest.mark.parametrize("name", PAIRS)
def test_elements_that_hold_the_same_are_the_same(name: str) -> None:
    assert proof(*PAIRS[name]) is not None


@pytest.mark.parametrize("name", BROKEN)
def test_each_element_is_looked_at(name: str) -> None:
    assert proof(*BROKEN[name]) is None


def test_the_checker_looks_at_the_contents_itself() -> None:
    pair = Pair(*PAIRS["transposed"])
    data, _ = certified(pair)
    assert "contents" in str(data)
    assert replayed(data, pair)
    with pytest.raises(Rejected):
        replayed(copy.deepcopy(data), Pair(*BROKEN["one element differs"]))
