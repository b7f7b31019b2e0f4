"""Small programs that several tests use."""

ADD = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %s = arith.addi %a, %b : i32
  return %s : i32
}
"""

FIRST = """
func.func @f(%a: i32, %b: i32) -> i32 {
  return %a : i32
}
"""

UNROLL = """
func.func @unroll(%lb: index, %A: memref<?xi32>) {
  %c1 = arith.constant 1 : i32
  affine.for %i = %lb to 10 {
    %v = affine.load %A[%i] : memref<?xi32>
    %w = arith.addi %v, %c1 : i32
    affine.store %w, %A[%i] : memref<?xi32>
  }
  return
}
"""

# mlir-opt-22 --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))'
UNROLLED = """
#map = affine_map<()[s0] -> (s0 + ((-s0) floordiv 2) * 2 + 10)>
#map1 = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @unroll(%arg0: index, %arg1: memref<?xi32>) {
    %c1_i32 = arith.constant 1 : i32
    affine.for %arg2 = %arg0 to #map()[%arg0] step 2 {
      %0 = affine.load %arg1[%arg2] : memref<?xi32>
      %1 = arith.addi %0, %c1_i32 : i32
      affine.store %1, %arg1[%arg2] : memref<?xi32>
      %2 = affine.apply #map1(%arg2)
      %3 = affine.load %arg1[%2] : memref<?xi32>
      %4 = arith.addi %3, %c1_i32 : i32
      affine.store %4, %arg1[%2] : memref<?xi32>
    }
    affine.for %arg2 = #map()[%arg0] to 10 {
      %0 = affine.load %arg1[%arg2] : memref<?xi32>
      %1 = arith.addi %0, %c1_i32 : i32
      affine.store %1, %arg1[%arg2] : memref<?xi32>
    }
    return
  }
}
"""


def returns(body: str, result: str, arguments: str = "%x: f32") -> str:
    """A function `@f` with a body of one line or more, which returns `result`."""
    value, kind = result.split(" : ")
    return f"func.func @f({arguments}) -> {kind} {{\n{body}\nreturn {value} : {kind}\n}}\n"
