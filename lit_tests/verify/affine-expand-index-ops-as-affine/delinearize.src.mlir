// delinearize_index becomes floordiv and mod.
func.func @delinear(%A: memref<4x5xf32>, %B: memref<20xf32>) {
  affine.for %i = 0 to 20 {
    %j:2 = affine.delinearize_index %i into (4, 5) : index, index
    %a = memref.load %A[%j#0, %j#1] : memref<4x5xf32>
    affine.store %a, %B[%i] : memref<20xf32>
  }
  return
}
