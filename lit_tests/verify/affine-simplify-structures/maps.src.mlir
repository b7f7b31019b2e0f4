// Subscripts with sums of floors and remainders that cancel.
func.func @maps(%A: memref<16x16xf32>, %B: memref<16x16xf32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %a = affine.load %A[%i floordiv 4 * 4 + %i mod 4, %j + %i - %i] : memref<16x16xf32>
      affine.store %a, %B[%j, (%i * 8 + 4) floordiv 8] : memref<16x16xf32>
    }
  }
  return
}
