// A matrix as one row, of as many elements as the matrix has.
func.func @flat(%A: memref<?x4xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = memref.collapse_shape %A [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %d = memref.dim %c, %c0 : memref<?xf32>
  scf.for %i = %c0 to %d step %c1 {
    %v = memref.load %c[%i] : memref<?xf32>
    memref.store %v, %B[%i] : memref<?xf32>
  }
  return
}
