// Signed operations on values that cannot be negative become unsigned.
func.func @ranges(%A: memref<32xi32>) {
  %c7 = arith.constant 7 : i32
  %c15 = arith.constant 15 : i32
  affine.for %i = 0 to 32 {
    %a = affine.load %A[%i] : memref<32xi32>
    %x = arith.andi %a, %c15 : i32
    %q = arith.divsi %x, %c7 : i32
    %r = arith.remsi %x, %c7 : i32
    %p = arith.cmpi sgt, %q, %r : i32
    %s = arith.select %p, %q, %r : i32
    affine.store %s, %A[%i] : memref<32xi32>
  }
  return
}
