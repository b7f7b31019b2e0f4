// Symmetric rank-2k update of the lower triangle: C = alpha*A*B^T + alpha*B*A^T + beta*C.
// Source: the definition of syr2k in PolyBench/C 4.2.1.
// All sizes are arguments.

#next = affine_map<(d) -> (d + 1)>

func.func @syr2k(%n: index, %m: index,
                 %alpha: f64, %beta: f64,
                 %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #next(%i) {
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %product = arith.mulf %c, %beta : f64
      affine.store %product, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to #next(%i) {
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %a = affine.load %A[%j, %k] : memref<?x?xf64>
        %product = arith.mulf %a, %alpha : f64
        %b = affine.load %B[%i, %k] : memref<?x?xf64>
        %product_1 = arith.mulf %product, %b : f64
        %b_1 = affine.load %B[%j, %k] : memref<?x?xf64>
        %product_2 = arith.mulf %b_1, %alpha : f64
        %a_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %product_3 = arith.mulf %product_2, %a_1 : f64
        %sum = arith.addf %product_1, %product_3 : f64
        %sum_1 = arith.addf %c, %sum : f64
        affine.store %sum_1, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
