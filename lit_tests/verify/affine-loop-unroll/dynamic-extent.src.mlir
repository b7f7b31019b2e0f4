// The extent is a dimension of a memref, so that it is not negative.
func.func @add(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = affine.load %B[%i] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %A[%i] : memref<?xf32>
  }
  return
}
