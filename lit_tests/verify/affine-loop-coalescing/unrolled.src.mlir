// All sizes are arguments.
func.func @scale(%n: index, %m: index, %x: f32, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %B[%j, %i] : memref<?x?xf32>
      %s = arith.mulf %a, %x : f32
      %t = arith.addf %s, %b : f32
      affine.store %t, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
