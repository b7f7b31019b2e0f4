// The inner loop starts at the outer induction variable.
func.func @upper(%A: memref<10x10xf32>, %x: f32) {
  affine.for %i = 1 to 10 {
    affine.for %j = affine_map<(i) -> (i)>(%i) to 10 step 2 {
      %a = affine.load %A[%i, %j] : memref<10x10xf32>
      %b = arith.addf %a, %x : f32
      affine.store %b, %A[%i, %j] : memref<10x10xf32>
    }
  }
  return
}
