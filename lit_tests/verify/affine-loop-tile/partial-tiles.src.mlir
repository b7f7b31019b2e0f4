// Neither extent is a multiple of the tile size.
func.func @transpose(%A: memref<10x14xf32>, %B: memref<14x10xf32>) {
  affine.for %i = 0 to 14 {
    affine.for %j = 0 to 10 {
      %a = affine.load %A[%j, %i] : memref<10x14xf32>
      affine.store %a, %B[%i, %j] : memref<14x10xf32>
    }
  }
  return
}
