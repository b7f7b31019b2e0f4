// The sum of the upper part of each column; the size is an argument.
func.func @sums(%n: index, %A: memref<?x?xf32>, %S: memref<?xf32>) {
  affine.for %j = 0 to %n {
    affine.for %i = affine_map<(j) -> (j)>(%j) to %n {
      %s = affine.load %S[%j] : memref<?xf32>
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%j] : memref<?xf32>
    }
  }
  return
}
