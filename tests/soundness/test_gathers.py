"""`tensor.gather` and `tensor.scatter` against loops over elements."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

TENSOR, AT = "tensor<4x6xf32>", "tensor<3x1xindex>"
GATHER = f"func.func @f(%t: {TENSOR}, %at: {AT}) -> tensor<3x6xf32>"
WHOLE = f"""{GATHER} {{
  %g = tensor.gather %t[%at] gather_dims([0]) : ({TENSOR}, {AT}) -> tensor<3x1x6xf32>
  %r = tensor.collapse_shape %g [[0, 1], [2]] : tensor<3x1x6xf32> into tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}}
"""
REDUCED = f"""{GATHER} {{
  %r = tensor.gather %t[%at] gather_dims([0]) : ({TENSOR}, {AT}) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}}
"""


def elements(row: str, first: str = "%k", second: str = "%j") -> str:
    return f"""{GATHER} {{
      %r = tensor.generate {{
      ^bb0(%i: index, %j: index):
        %c = arith.constant 0 : index
        %k = tensor.extract %at[{row}, %c] : {AT}
        %v = tensor.extract %t[{first}, {second}] : {TENSOR}
        tensor.yield %v : f32
      }} : tensor<3x6xf32>
      return %r : tensor<3x6xf32>
    }}
    """


COLUMNS = """func.func @f(%t: tensor<4x6xf32>, %at: tensor<3x2xi32>) -> tensor<3xf32> {
  %r = tensor.gather %t[%at] gather_dims([0, 1]) : (tensor<4x6xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""
ONE_BY_ONE = """func.func @f(%t: tensor<4x6xf32>, %at: tensor<3x2xi32>) -> tensor<3xf32> {
  %r = tensor.generate {
  ^bb0(%i: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = tensor.extract %at[%i, %cROW] : tensor<3x2xi32>
    %b = tensor.extract %at[%i, %cCOLUMN] : tensor<3x2xi32>
    %row = arith.index_cast %a : i32 to index
    %column = arith.index_cast %b : i32 to index
    %v = tensor.extract %t[%row, %column] : tensor<4x6xf32>
    tensor.yield %v : f32
  } : tensor<3xf32>
  return %r : tensor<3xf32>
}
"""


def by_column(row: int) -> str:
    return ONE_BY_ONE.replace("ROW", str(row)).replace("COLUMN", str(1 - row))


def verdict(source: str, target: str) -> str:
    (function,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    assert function.verdict != "error", function.diagnostics
    return function.verdict


@pytest.mark.parametrize("source", [WHOLE, REDUCED])
def test_a_gather_is_of_rows(source: str) -> None:
    assert verdict(source, elements("%i")) == "equivalent"
    assert verdict(source, elements("%c")) == "not-equivalent"


def test_the_order_of_dimensions() -> None:
    assert verdict(COLUMNS, by_column(0)) == "equivalent"
    assert verdict(COLUMNS, by_column(1)) == "not-equivalent"


def test_an_index_beyond_the_tensor_is_undefined() -> None:
    """Where the source looks at no index, there may be one."""
    assert verdict(elements("%i", "%c", "%j"), elements("%i", "%c", "%j")) == "equivalent"
    unused = REDUCED.replace("%r = tensor.gather", "%g = tensor.gather").replace(
        "return %r",
        "%c0 = arith.constant 0 : index\n%r = tensor.extract_slice %t[0, 0][3, 6][1, 1] : tensor<4x6xf32> "
        "to tensor<3x6xf32>\nreturn %r",
    )
    plain = f"""{GATHER} {{
      %r = tensor.extract_slice %t[0, 0][3, 6][1, 1] : {TENSOR} to tensor<3x6xf32>
      return %r : tensor<3x6xf32>
    }}
    """
    assert verdict(plain, unused) == "not-equivalent"
    assert verdict(unused, plain) in ("refines", "equivalent")


SCATTER = "func.func @f(%s: tensor<{n}x6xf32>, %t: tensor<40x6xf32>, %at: tensor<{n}x1xindex>) -> tensor<40x6xf32>"


def scattered(count: int) -> str:
    return f"""{SCATTER.format(n=count)} {{
      %r = tensor.scatter %s into %t[%at] scatter_dims([0]) unique
        : (tensor<{count}x6xf32>, tensor<40x6xf32>, tensor<{count}x1xindex>) -> tensor<40x6xf32>
      return %r : tensor<40x6xf32>
    }}
    """


def in_order(count: int) -> str:
    return f"""{SCATTER.format(n=count)} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<40x6xf32>) {{
        %k = tensor.extract %at[%i, %c0] : tensor<{count}x1xindex>
        %row = tensor.extract_slice %s[%i, 0] [1, 6] [1, 1] : tensor<{count}x6xf32> to tensor<6xf32>
        %b = tensor.insert_slice %row into %a[%k, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<40x6xf32>
        scf.yield %b : tensor<40x6xf32>
      }}
      return %r : tensor<40x6xf32>
    }}
    """


@pytest.mark.parametrize("count", [2, 20])
def test_two_slices_of_a_scatter_at_one_place_are_undefined(count: int) -> None:
    """A loop in order is one thing that a scatter may be, and defined where it is not."""
    assert verdict(in_order(count), scattered(count)) == "not-equivalent"


def test_a_scatter_in_order() -> None:
    assert verdict(scattered(2), in_order(2)) == "refines"


def gathered(count: int, flag: str) -> str:
    kinds = f"(tensor<4x6xf32>, tensor<{count}x1xindex>) -> tensor<{count}x6xf32>"
    return f"""func.func @f(%t: tensor<4x6xf32>, %at: tensor<{count}x1xindex>) -> tensor<{count}x6xf32> {{
      %r = tensor.gather %t[%at] gather_dims([0]) {flag}: {kinds}
      return %r : tensor<{count}x6xf32>
    }}
    """


def test_a_gather_may_say_that_its_indices_differ() -> None:
    """It is undefined where they do not (LangRef, tensor.gather)."""
    assert verdict(gathered(3, ""), gathered(3, "unique ")) == "not-equivalent"
    assert verdict(gathered(3, "unique "), gathered(3, "")) == "refines"
    assert verdict(gathered(3, "unique "), gathered(3, "unique ")) == "equivalent"
    assert verdict(gathered(1, ""), gathered(1, "unique ")) == "equivalent"
    assert verdict(gathered(20, ""), gathered(20, "unique ")) == "unknown"
