// The load of w[i] and what is computed from it leave the inner loop, not the outer one.
func.func @axpy(%A: memref<8x8xf32>, %w: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %f = affine.load %w[%i] : memref<8xf32>
      %s = arith.mulf %f, %x : f32
      %b = arith.addf %a, %s : f32
      affine.store %b, %A[%i, %j] : memref<8x8xf32>
    }
  }
  return
}
