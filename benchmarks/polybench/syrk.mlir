// Symmetric rank-k update of the lower triangle: C = alpha*A*A^T + beta*C.
// Source: the definition of syrk in PolyBench/C 4.2.1.
// Sizes: N = 31, M = 19.

#next = affine_map<(d) -> (d + 1)>

func.func @syrk(%alpha: f64, %beta: f64, %C: memref<31x31xf64>, %A: memref<31x19xf64>) {
  affine.for %i = 0 to 31 {
    affine.for %j = 0 to #next(%i) {
      %c = affine.load %C[%i, %j] : memref<31x31xf64>
      %product = arith.mulf %c, %beta : f64
      affine.store %product, %C[%i, %j] : memref<31x31xf64>
    }
    affine.for %k = 0 to 19 {
      affine.for %j = 0 to #next(%i) {
        %c = affine.load %C[%i, %j] : memref<31x31xf64>
        %a = affine.load %A[%i, %k] : memref<31x19xf64>
        %product = arith.mulf %alpha, %a : f64
        %a_1 = affine.load %A[%j, %k] : memref<31x19xf64>
        %product_1 = arith.mulf %product, %a_1 : f64
        %sum = arith.addf %c, %product_1 : f64
        affine.store %sum, %C[%i, %j] : memref<31x31xf64>
      }
    }
  }
  return
}
