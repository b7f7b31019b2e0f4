// Matrix product: C = alpha*A*B + beta*C.
// Source: the definition of gemm in PolyBench/C 4.2.1 (loop order i, k, j).
// Sizes: NI = 19, NJ = 29, NK = 23.

func.func @gemm(%alpha: f64, %beta: f64,
                %C: memref<19x29xf64>, %A: memref<19x23xf64>, %B: memref<23x29xf64>) {
  affine.for %i = 0 to 19 {
    affine.for %j = 0 to 29 {
      %c = affine.load %C[%i, %j] : memref<19x29xf64>
      %scaled = arith.mulf %c, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<19x29xf64>
    }
    affine.for %k = 0 to 23 {
      affine.for %j = 0 to 29 {
        %a = affine.load %A[%i, %k] : memref<19x23xf64>
        %b = affine.load %B[%k, %j] : memref<23x29xf64>
        %c = affine.load %C[%i, %j] : memref<19x29xf64>
        %scaled = arith.mulf %alpha, %a : f64
        %product = arith.mulf %scaled, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<19x29xf64>
      }
    }
  }
  return
}
