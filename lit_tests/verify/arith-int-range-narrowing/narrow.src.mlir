// Arithmetic on small values in a narrower type.
func.func @narrow(%A: memref<16xi32>) {
  %c15 = arith.constant 15 : i32
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xi32>
    %x = arith.andi %a, %c15 : i32
    %y = arith.muli %x, %c15 : i32
    affine.store %y, %A[%i] : memref<16xi32>
  }
  return
}
