// Two rows are summed side by side.
func.func @rows(%A: memref<6x8xf32>, %S: memref<6xf32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<6x8xf32>
      %s = affine.load %S[%i] : memref<6xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i] : memref<6xf32>
    }
  }
  return
}
