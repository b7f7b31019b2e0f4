// Two arrays that are cleared in one nest: in which order does not show, however they overlap.

func.func @clear(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %zero, %A[%i, %j] : memref<?x?xf32>
      affine.store %zero, %B[%j, %i] : memref<?x?xf32>
    }
  }
  return
}
