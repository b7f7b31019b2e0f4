// The trip count of the inner loop is the outer induction variable plus one.
func.func @triangle(%A: memref<12x12xf32>, %x: f32) {
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<12x12xf32>
      %b = arith.addf %a, %x : f32
      affine.store %b, %A[%i, %j] : memref<12x12xf32>
    }
  }
  return
}
