// An integer sum is the same in any order.
func.func @total(%A: memref<?x?xi32>, %n: index, %m: index) -> i32 {
  %zero = arith.constant 0 : i32
  %sum = affine.for %i = 0 to %n iter_args(%s = %zero) -> i32 {
    %row = affine.for %j = 0 to %m iter_args(%t = %s) -> i32 {
      %a = affine.load %A[%i, %j] : memref<?x?xi32>
      %r = arith.addi %t, %a : i32
      affine.yield %r : i32
    }
    affine.yield %row : i32
  }
  return %sum : i32
}
