// Tiles are copied to local buffers and back.
func.func @copies(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %t = 0 to 64 step 16 {
    affine.for %i = affine_map<(d0) -> (d0)>(%t) to affine_map<(d0) -> (d0 + 16)>(%t) {
      %a = affine.load %A[%i] : memref<64xf32>
      %b = affine.load %B[%i] : memref<64xf32>
      %s = arith.mulf %a, %b : f32
      affine.store %s, %B[%i] : memref<64xf32>
    }
  }
  return
}
