// Double negation, masks and comparisons of constants fold.
func.func @bits(%A: memref<?xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %ones = arith.constant -1 : i32
  %c8 = arith.constant 8 : i32
  %m = memref.dim %A, %c0 : memref<?xi32>
  affine.for %i = 0 to %m {
    %a = affine.load %A[%i] : memref<?xi32>
    %x = arith.xori %a, %ones : i32
    %y = arith.xori %x, %ones : i32
    %z = arith.andi %y, %ones : i32
    %s = arith.shli %z, %c8 : i32
    %t = arith.shrui %s, %c8 : i32
    %u = arith.ori %t, %t : i32
    affine.store %u, %A[%i] : memref<?xi32>
  }
  return
}
