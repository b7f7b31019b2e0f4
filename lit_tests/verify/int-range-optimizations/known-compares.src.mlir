// A comparison that the range of an operand decides is a constant.
func.func @compares(%A: memref<32xi32>, %B: memref<32xi32>) {
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  affine.for %i = 0 to 32 {
    %a = affine.load %A[%i] : memref<32xi32>
    %x = arith.andi %a, %c15 : i32
    %p = arith.cmpi ult, %x, %c16 : i32
    %s = arith.select %p, %x, %c16 : i32
    affine.store %s, %B[%i] : memref<32xi32>
  }
  return
}
