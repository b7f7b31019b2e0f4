// Loads and stores of memref become affine.
func.func @raised(%A: memref<16x16xf32>, %B: memref<16x16xf32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %a = memref.load %A[%i, %j] : memref<16x16xf32>
      memref.store %a, %B[%j, %i] : memref<16x16xf32>
    }
  }
  return
}
