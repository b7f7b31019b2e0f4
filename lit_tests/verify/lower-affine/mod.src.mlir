// A remainder that is never negative; the lowered one is corrected where it is.
func.func @rotate(%A: memref<8xf32>, %B: memref<64xf32>) {
  affine.for %i = -20 to 20 {
    %a = affine.load %A[(%i * 3 - 1) mod 8] : memref<8xf32>
    affine.store %a, %B[%i + 20] : memref<64xf32>
  }
  return
}
