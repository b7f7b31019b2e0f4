// 6 x 5 iterations become 30.
func.func @double(%A: memref<6x5xf32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 5 {
      %a = affine.load %A[%i, %j] : memref<6x5xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %A[%i, %j] : memref<6x5xf32>
    }
  }
  return
}
