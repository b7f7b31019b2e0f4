// C += A * B.
func.func @gemm(%A: memref<60x70xf64>, %B: memref<70x50xf64>, %C: memref<60x50xf64>) {
  affine.for %i = 0 to 60 {
    affine.for %j = 0 to 50 {
      affine.for %k = 0 to 70 {
        %a = affine.load %A[%i, %k] : memref<60x70xf64>
        %b = affine.load %B[%k, %j] : memref<70x50xf64>
        %c = affine.load %C[%i, %j] : memref<60x50xf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<60x50xf64>
      }
    }
  }
  return
}
