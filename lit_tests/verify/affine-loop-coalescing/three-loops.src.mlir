// 2 x 3 x 4 iterations become 24; the order of the sum in S[i] must not change.
func.func @reduce(%A: memref<2x3x4xf32>, %S: memref<2xf32>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 4 {
        %a = affine.load %A[%i, %j, %k] : memref<2x3x4xf32>
        %s = affine.load %S[%i] : memref<2xf32>
        %t = arith.addf %s, %a : f32
        affine.store %t, %S[%i] : memref<2xf32>
      }
    }
  }
  return
}
