// The loop may not run at all; then B[0] keeps its value.
func.func @mark(%A: memref<?xf32>, %B: memref<1xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %x, %B[0] : memref<1xf32>
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}
