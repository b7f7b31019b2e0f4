// A reduction of integers in any order.
func.func @count(%A: memref<16xi32>) -> i32 {
  %z = arith.constant 0 : i32
  %s = affine.for %i = 0 to 16 iter_args(%t = %z) -> i32 {
    %a = affine.load %A[%i] : memref<16xi32>
    %u = arith.addi %t, %a : i32
    affine.yield %u : i32
  }
  return %s : i32
}
