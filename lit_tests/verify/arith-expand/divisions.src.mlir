// Rounding divisions become divsi, compares and selects.
func.func @divisions(%A: memref<16xi16>, %B: memref<16xi16>, %C: memref<16xi16>) {
  %c7 = arith.constant 7 : i16
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xi16>
    %f = arith.floordivsi %a, %c7 : i16
    %g = arith.ceildivsi %a, %c7 : i16
    affine.store %f, %B[%i] : memref<16xi16>
    affine.store %g, %C[%i] : memref<16xi16>
  }
  return
}
