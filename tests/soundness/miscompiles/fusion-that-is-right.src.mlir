func.func @transpose(%in: memref<5x4xf32>, %out: memref<4x5xf32>, %scale: memref<5xf32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      %v = affine.load %in[%j, %i] : memref<5x4xf32>
      affine.store %v, %out[%i, %j] : memref<4x5xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      %v = affine.load %out[%i, %j] : memref<4x5xf32>
      %s = affine.load %scale[%j] : memref<5xf32>
      %w = arith.mulf %v, %s : f32
      affine.store %w, %out[%i, %j] : memref<4x5xf32>
    }
  }
  return
}
