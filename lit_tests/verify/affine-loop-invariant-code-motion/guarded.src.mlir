// The guard depends on the outer loop only; all of it leaves the inner loop.
func.func @guarded(%A: memref<8x8xf32>, %d: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.if affine_set<(i) : (i - 3 >= 0)>(%i) {
        affine.store %x, %d[%i] : memref<8xf32>
      }
      affine.store %x, %A[%i, %j] : memref<8x8xf32>
    }
  }
  return
}
