// The loops of a matrix product in another order: each sum keeps its own.
func.func @gemm(%A: memref<12x10xf32>, %B: memref<10x14xf32>, %C: memref<12x14xf32>) {
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 14 {
      affine.for %k = 0 to 10 {
        %a = affine.load %A[%i, %k] : memref<12x10xf32>
        %b = affine.load %B[%k, %j] : memref<10x14xf32>
        %c = affine.load %C[%i, %j] : memref<12x14xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<12x14xf32>
      }
    }
  }
  return
}
