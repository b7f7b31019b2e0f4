// llvm-project issue 152077: reported as a wrong fusion, and right: each iteration of the second nest needs one of
// the first.
// expect: equivalent
func.func @transpose(%in: memref<5x4xf32>, %out: memref<4x5xf32>, %scale: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      %u = affine.load %in[%j, %i] : memref<5x4xf32>
      affine.store %u, %out[%i, %j] : memref<4x5xf32>
      %v = affine.load %out[%i, %j] : memref<4x5xf32>
      %s = affine.load %scale[symbol(%c0) + %j] : memref<5xf32>
      %w = arith.mulf %v, %s : f32
      affine.store %w, %out[%i, %j] : memref<4x5xf32>
    }
  }
  return
}
