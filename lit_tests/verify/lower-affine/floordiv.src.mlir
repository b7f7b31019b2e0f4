// A division that rounds down, of numbers below zero too, as comparisons and a division that rounds to zero.
func.func @halve(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = -20 to 20 {
    %a = affine.load %A[(%i - 3) floordiv 4 + 20] : memref<64xf32>
    affine.store %a, %B[%i + 20] : memref<64xf32>
  }
  return
}
