func.func @f(%A: memref<8xi32>, %B: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %A[%i] : memref<8xi32>
    %ten = arith.constant 10 : i32
    %q = arith.divui %x, %ten : i32
    affine.store %q, %B[%i] : memref<8xi32>
  }
  return
}
