// An index as three digits and back: the digits of a copy, the first of them bounded.
func.func @digits(%A: memref<4x8x16xf32>, %B: memref<512xf32>) {
  affine.for %i = 0 to 512 {
    %d:3 = affine.delinearize_index %i into (4, 8, 16) : index, index, index
    %v = memref.load %A[%d#0, %d#1, %d#2] : memref<4x8x16xf32>
    %k = affine.linearize_index disjoint [%d#0, %d#1, %d#2] by (4, 8, 16) : index
    memref.store %v, %B[%k] : memref<512xf32>
  }
  return
}
