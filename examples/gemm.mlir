// C += A * B.
func.func @gemm(%A: memref<64x80xf64>, %B: memref<80x48xf64>, %C: memref<64x48xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 48 {
      affine.for %k = 0 to 80 {
        %a = affine.load %A[%i, %k] : memref<64x80xf64>
        %b = affine.load %B[%k, %j] : memref<80x48xf64>
        %c = affine.load %C[%i, %j] : memref<64x48xf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<64x48xf64>
      }
    }
  }
  return
}
