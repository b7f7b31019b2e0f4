// The second load of A[i] must stay: the affine.if may have written there. The third one sees the second.
func.func @clamp(%A: memref<12xf32>, %B: memref<12xf32>, %x: f32) {
  affine.for %i = 0 to 12 {
    %a = affine.load %A[%i] : memref<12xf32>
    affine.if affine_set<(i) : (i - 5 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<12xf32>
    }
    %b = affine.load %A[%i] : memref<12xf32>
    %c = affine.load %A[%i] : memref<12xf32>
    %d = arith.addf %a, %b : f32
    %e = arith.mulf %d, %c : f32
    affine.store %e, %B[%i] : memref<12xf32>
  }
  return
}
