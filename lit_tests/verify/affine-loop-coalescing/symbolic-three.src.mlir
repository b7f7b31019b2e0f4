// n x m x 4 iterations; the order of the sum in S[i] must not change.
func.func @reduce(%A: memref<?x?x4xf32>, %S: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 - 1)>(%m) {
      affine.for %k = 0 to 4 {
        %a = affine.load %A[%i, %j, %k] : memref<?x?x4xf32>
        %s = affine.load %S[%i] : memref<?xf32>
        %t = arith.addf %s, %a : f32
        affine.store %t, %S[%i] : memref<?xf32>
      }
    }
  }
  return
}
